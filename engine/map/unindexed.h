/* unindexed.h - the roads that the snap index leaves out: ferries, and roads that open only at times. */
#ifndef MCD_ENGINE_MAP_UNINDEXED_H
#define MCD_ENGINE_MAP_UNINDEXED_H

#include "engine/base/parallel.h"
#include "engine/map/snap.h"

/* All zero = empty. */
typedef struct mcd_unindexed {
    uint32_t *arc; /* [count] that departures use; of the two of a road the one with the smaller number */
    size_t count;
} mcd_unindexed;

/* Finds them; the caller frees out->arc with mcd_free. Returns E_MEMORY or E_CANCELLED. Time: one look at every arc. */
macadam_status mcd_unindexed_new(mcd_unindexed *out, const mcd_roads *roads, const mcd_snap_index *index,
                                 const mcd_parallel *parallel, macadam_error *error);

#endif
