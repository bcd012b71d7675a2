/* snap_build.h - builds the snap index. */
#ifndef MCD_ENGINE_PREPARE_SNAP_BUILD_H
#define MCD_ENGINE_PREPARE_SNAP_BUILD_H

#include "engine/map/component.h"
#include "engine/map/snap.h"

typedef struct mcd_snap_pieces {
    uint32_t *arc, *piece; /* [count] as in an index, but arc by arc */
    size_t count;
    mcd_snap_box all;    /* encloses them */
    uint32_t *unindexed; /* [unindexed_count] the arcs that are left out, as mcd_unindexed_find finds them */
    size_t unindexed_count;
} mcd_snap_pieces;

/* Index all roads except ferries, in two steps. The second one, mcd_snap_index_sort, needs neither the reverse graph nor
 * the ways, and frees the pieces even if it fails, but for `unindexed`. Free its *out with mcd_snap_index_free. A strongly connected component is
 * large if it has a thousand nodes, or a tenth of the nodes of the largest one. A road is cut off unless it
 * leads to a large component and can be entered from one. Return E_MEMORY, or E_INVALID (more pieces than
 * 2^32 - 1). `watch` may be NULL. Time: n log n. */
macadam_status mcd_snap_pieces_new(mcd_snap_pieces *out, const mcd_roads *roads,
                                   const mcd_components *components, const mcd_parallel *parallel,
                                   mcd_watch *watch, macadam_error *error);
macadam_status mcd_snap_index_sort(mcd_snap_index *out, mcd_snap_pieces *pieces, const mcd_roads *roads,
                                   const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error);
/* Makes the boxes of an index that has the rest, which is checked; the caller frees index->box with mcd_free.
 * Returns E_MEMORY or E_CANCELLED. */
macadam_status mcd_snap_boxes_new(mcd_snap_index *index, const mcd_roads *roads, const mcd_parallel *parallel,
                                  macadam_error *error);
/* Frees an index that mcd_snap_index_sort made. */
void mcd_snap_index_free(mcd_snap_index *index);

#endif
