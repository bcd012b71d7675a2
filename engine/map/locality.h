/* locality.h - numberings in which neighbours are near each other. */
#ifndef MCD_ENGINE_MAP_LOCALITY_H
#define MCD_ENGINE_MAP_LOCALITY_H

#include "engine/map/map.h"

/* Returns the distance along the Hilbert curve that fills a square of 2^16 x 2^16 cells. */
uint32_t mcd_hilbert_index(uint32_t x, uint32_t y);

/* For files without a hierarchy: numbers the nodes, id_of[node], along a Hilbert curve if the map has
 * coordinates, else in breadth-first order. The caller frees *id_of. `watch` may be NULL. */
macadam_status mcd_locality_order(mcd_node **id_of, const mcd_map *map, mcd_watch *watch,
                                  macadam_error *error);

#endif
