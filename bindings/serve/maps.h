/* maps.h - the maps that are served; they can be replaced while requests use them. */
#ifndef MCD_BINDINGS_SERVE_MAPS_H
#define MCD_BINDINGS_SERVE_MAPS_H

#include "bindings/serve/map.h"
#include "bindings/serve/settings.h"

typedef struct serve_maps serve_maps;

/* Opens all profiles of the files of `settings`, which must outlive *out. */
macadam_status serve_maps_open(serve_maps **out, const serve_settings *settings, macadam_error *error);
void serve_maps_close(serve_maps *maps);

/* Opens the files again. Requests that run keep the maps that they have. If a file is bad, nothing changes, the log says why,
 * and it returns false. */
bool serve_maps_reload(serve_maps *maps);

/* Map number i, held; NULL: there are fewer maps. */
serve_map *serve_maps_at(serve_maps *maps, size_t i);
/* The map that a path means by `profile`, held; NULL if there is none. A single map answers to any name. */
serve_map *serve_maps_find(serve_maps *maps, const char *profile, size_t size);

/* serve_map_warm of each. Maps that are loaded again are warm. */
void serve_maps_warm(serve_maps *maps);
/* Gives back the memory that the maps keep for later requests. */
void serve_maps_trim(serve_maps *maps);

#endif
