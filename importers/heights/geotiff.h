/* geotiff.h - files of heights as GeoTIFF: Copernicus DEM, ASTER GDEM and others of one degree by one. */
#ifndef MCD_IMPORTERS_HEIGHTS_GEOTIFF_H
#define MCD_IMPORTERS_HEIGHTS_GEOTIFF_H

#include "importers/heights/tile.h"

/* Reads the samples of the degree that has this north-west corner: metres, of any number format and compression that
 * libtiff reads, at most one each arc second, in degrees of longitude and latitude, from within one sample of each
 * edge. Returns E_NOT_FOUND (no such file), E_IO, E_FILE (none of the above, or cut off), E_UNSUPPORTED (built
 * without libtiff) or E_MEMORY. */
macadam_status mcd_geotiff_read(mcd_height_tile *out, const char *path, int west, int north,
                                macadam_error *error);

#endif
