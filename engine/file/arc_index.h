/* arc_index.h - finds arcs by the source data's arc numbers. */
#ifndef MCD_ENGINE_FILE_ARC_INDEX_H
#define MCD_ENGINE_FILE_ARC_INDEX_H

#include "engine/map/road.h"

/* All zero = empty. A split junction repeats the arcs that leave it. */
typedef struct mcd_arc_index {
    /* arc[first[slot] .. first[slot + 1]]: the original, then its copies. The slot of a number is the number, or its place in
     * `number`. Importers number arcs from 1 to at most the number of arcs. */
    size_t slot_count;
    uint64_t *number;      /* [slot_count] ascending; NULL: all numbers */
    uint32_t *first, *arc; /* those of all numbers may be sections of a ready file */
    uint32_t pass_count;   /* of mcd_arc_index_find over all arcs, since there was an index of all numbers */
} mcd_arc_index;

/* Arcs of one number. */
typedef struct mcd_arc_copies {
    const uint32_t *arc; /* the original comes first */
    size_t count;        /* 0: no arc has the number */
} mcd_arc_copies;

/* Makes the index of all numbers unless it exists. Returns E_MEMORY if there is no memory for 8 bytes per arc, or
 * E_CANCELLED. */
macadam_status mcd_arc_index_make(mcd_arc_index *index, const mcd_roads *roads, macadam_error *error);
/* Returns whether so few numbers are found by a pass over all arcs. */
bool mcd_arc_index_is_few(const mcd_arc_index *whole, size_t arc_count, size_t count);
/* Finds the arcs of number[0 .. count), in any order and maybe repeated. If they are few, *out is *few, empty before, which only has
 * these numbers; else `whole`, the index of all numbers, which is then made unless it exists. */
macadam_status mcd_arc_index_find(const mcd_arc_index **out, mcd_arc_index *whole, mcd_arc_index *few,
                                  const mcd_roads *roads, const uint64_t *number, size_t count,
                                  macadam_error *error);
void mcd_arc_index_free(mcd_arc_index *index);

/* Returns the arcs of a number that the index has. */
mcd_arc_copies mcd_arc_index_of(const mcd_arc_index *index, uint64_t number);

#endif
