/* srtm.h - files of heights as the Shuttle Radar Topography Mission published them. */
#ifndef MCD_IMPORTERS_HEIGHTS_SRTM_H
#define MCD_IMPORTERS_HEIGHTS_SRTM_H

#include "importers/heights/tile.h"

/* Reads the samples of a file of 1201 (3 arc seconds) or 3601 (1) rows and columns: plain (.hgt), .gz or .zip, whose
 * first file that ends in .hgt is read. Returns E_NOT_FOUND (no such file), E_IO, E_FILE (no tile, cut off, a wrong
 * size) or E_MEMORY. Memory: 26 MB to read, 52 MB to keep for 1 arc second, a ninth for 3. */
macadam_status mcd_srtm_read(mcd_height_tile *out, const char *path, macadam_error *error);

#endif
