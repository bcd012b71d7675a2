/* unindexed.h - the roads that the snap index leaves out: ferries. A ready file lists them. */
#ifndef MCD_ENGINE_MAP_UNINDEXED_H
#define MCD_ENGINE_MAP_UNINDEXED_H

#include "engine/base/parallel.h"
#include "engine/map/snap.h"

/* A straight piece of an arc that is left out. */
typedef struct mcd_unindexed_piece {
    uint32_t arc;
    mcd_snap_line line;
} mcd_unindexed_piece;

/* All zero = empty. */
typedef struct mcd_unindexed {
    mcd_unindexed_piece *piece; /* [count] by ascending arc */
    size_t count;
} mcd_unindexed;

/* Finds the arcs of these roads that departures use, ascending: of the two of a road the one with the smaller number. The
 * caller frees *arc, which is not NULL even if there are none, with mcd_free. Returns E_MEMORY or E_CANCELLED. Time: one look
 * at every arc. */
macadam_status mcd_unindexed_find(uint32_t **arc, size_t *arc_count, const mcd_roads *roads,
                                  const mcd_snap_index *index, const mcd_parallel *parallel,
                                  macadam_error *error);
/* Cuts these arcs into pieces; the caller frees out->piece with mcd_free. Returns E_MEMORY or E_CANCELLED. */
macadam_status mcd_unindexed_new(mcd_unindexed *out, const mcd_roads *roads, const uint32_t *arc,
                                 size_t arc_count, macadam_error *error);

#endif
