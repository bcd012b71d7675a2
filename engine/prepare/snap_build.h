/* snap_build.h - builds the snap index. */
#ifndef MCD_ENGINE_PREPARE_SNAP_BUILD_H
#define MCD_ENGINE_PREPARE_SNAP_BUILD_H

#include "engine/base/status.h"
#include "engine/map/snap.h"

/* Indexes all roads except ferries; free *out with mcd_snap_index_free. A component is small if its roads,
 * whatever their directions, connect fewer than a thousand ids and less than a tenth of those on the largest
 * component. Returns E_MEMORY, or E_INVALID (more pieces than 2^32 - 1). Time: n log n. */
macadam_status mcd_snap_index_new(mcd_snap_index *out, const mcd_roads *roads, macadam_error *error);
/* Frees an index that mcd_snap_index_new made. */
void mcd_snap_index_free(mcd_snap_index *index);

#endif
