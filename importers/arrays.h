/* arrays.h - a map that the caller has in memory. */
#ifndef MCD_IMPORTERS_ARRAYS_H
#define MCD_IMPORTERS_ARRAYS_H

#include "engine/map/map.h"

/* Copies `input` into the zeroed *out; the shapes are macadam.h's, arc numbers count from 1. On failure the
 * map is left for mcd_map_free. Returns E_INVALID naming the bad value, E_MEMORY. */
macadam_status mcd_arrays_read(mcd_map *out, const macadam_arrays_input *input, macadam_error *error);

#endif
