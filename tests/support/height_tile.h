/* height_tile.h - files of heights for tests: srtm.h of the importers says what they hold. */
#ifndef MCD_TESTS_SUPPORT_HEIGHT_TILE_H
#define MCD_TESTS_SUPPORT_HEIGHT_TILE_H

#include <stddef.h>
#include <stdint.h>

enum { HEIGHT_TILE_COARSE = 1201, HEIGHT_TILE_FINE = 3601, HEIGHT_TILE_VOID = -32768 };

/* Metres of a sample: `x` counts from the west edge, `y` from the south one. */
typedef int (*height_tile_metres)(const void *context, size_t x, size_t y);

/* Writes a tile to `path`: plain, or, as the path ends, .gz or .zip. The file lacks its last `cut` bytes. */
void height_tile_write(const char *path, size_t side, height_tile_metres metres, const void *context,
                       size_t cut);

#endif
