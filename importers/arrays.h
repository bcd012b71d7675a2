/* arrays.h - makes a map from arrays that the caller has in memory. */
#ifndef MCD_IMPORTERS_ARRAYS_H
#define MCD_IMPORTERS_ARRAYS_H

#include "engine/map/map.h"

/* Copies `input` into the zeroed *out; macadam.h gives the shapes. Arc numbers count from 1. On failure, free
 * the map with mcd_map_free too. Returns E_INVALID, which names the bad value, or E_MEMORY. */
macadam_status mcd_arrays_read(mcd_map *out, const macadam_arrays_input *input, mcd_watch *watch,
                               macadam_error *error);

#endif
