/* arc_index.h - finds arcs by the source data's arc numbers. */
#ifndef MCD_ENGINE_FILE_ARC_INDEX_H
#define MCD_ENGINE_FILE_ARC_INDEX_H

#include "engine/base/parallel.h"
#include "engine/map/road.h"

/* All zero = empty. A split junction repeats the arcs that leave it. */
typedef struct mcd_arc_index {
    /* arc[first[number] .. first[number + 1]]: the original, then its copies. Importers number arcs from 1 to at most the number
     * of arcs. */
    size_t slot_count;
    uint32_t *first, *arc; /* they may be sections of a ready file */
} mcd_arc_index;

/* Arcs of one number. */
typedef struct mcd_arc_copies {
    const uint32_t *arc; /* the original comes first */
    size_t count;        /* 0: no arc has the number */
} mcd_arc_copies;

/* Makes the index unless it exists. Returns E_MEMORY if there is no memory for 12 bytes per arc, or E_CANCELLED. Time: linear,
 * by all threads. */
macadam_status mcd_arc_index_make(mcd_arc_index *index, const mcd_roads *roads, const mcd_parallel *parallel,
                                  macadam_error *error);
void mcd_arc_index_free(mcd_arc_index *index);

/* Returns the arcs of a number. */
mcd_arc_copies mcd_arc_index_of(const mcd_arc_index *index, uint64_t number);

#endif
