/* dimacs.h - reads files of the 9th DIMACS challenge: .gr (arcs with a weight), .co (coordinates). */
#ifndef MCD_IMPORTERS_DIMACS_H
#define MCD_IMPORTERS_DIMACS_H

#include "engine/map/map.h"

/* Fills the zeroed *out: node i is the file's i + 1, arc numbers count the `a` lines from 1, and units are
 * unknown (""). Plain or gzip. On failure, free the map with mcd_map_free too. Returns E_FILE ("FILE:LINE:
 * ..."), E_IO, E_INVALID (the quantities), E_MEMORY or E_CANCELLED. Memory: only the map's arrays. */
macadam_status mcd_dimacs_read(mcd_map *out, const macadam_dimacs_input *input, const mcd_progress *progress,
                               macadam_error *error);

#endif
