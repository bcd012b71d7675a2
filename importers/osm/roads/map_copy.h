/* map_copy.h - a map that gains copies of its nodes and arcs. */
#ifndef MCD_IMPORTERS_OSM_ROADS_MAP_COPY_H
#define MCD_IMPORTERS_OSM_ROADS_MAP_COPY_H

#include "engine/map/map.h"

/* A turn adds so much to the first quantity, and to the preference, in their unit (ms); below 0, it takes so much off. */
typedef int32_t mcd_price;

#define MCD_PRICE_FORBIDDEN INT32_MAX
static_assert(MCD_PRICE_FORBIDDEN > MCD_WEIGHT_MAX, "a weight is a price");

/* A price below this one is none: the turn is shut at times, and costs what other prices say. */
#define MCD_PRICE_MIN (INT32_MIN / 2)

static inline mcd_price mcd_price_of_when(mcd_when when)
{
    return INT32_MIN + (mcd_price)when;
}

static inline mcd_when mcd_price_when(mcd_price price)
{
    return price < MCD_PRICE_MIN ? (mcd_when)(price - INT32_MIN) : 0;
}

/* Node and arc 0 .. count of the map stay as they are and where they are; copies follow. */
typedef struct mcd_copier {
    mcd_map *map;
    size_t node_capacity, arc_capacity;
    mcd_weight *arrival; /* [node_capacity] the price of arriving at a copy; NULL: there are no prices */
} mcd_copier;

static inline mcd_copier mcd_copier_of(mcd_map *map)
{
    return (mcd_copier){.map = map, .node_capacity = map->node_count, .arc_capacity = map->arc_count};
}

/* The map stays. */
void mcd_copier_free(mcd_copier *copier);

/* Makes room for this many copies of nodes and arcs, and for the arrivals that the nodes will
 * need. More copies may follow: room for them is made when they come. Returns E_MEMORY. */
macadam_status mcd_copier_reserve(mcd_copier *copier, size_t node_count, size_t arc_count,
                                  macadam_error *error);

/* A node of the same id and place, without arcs; those who arrive at it pay as at the original. Returns
 * E_MEMORY, E_INVALID (too many nodes). */
macadam_status mcd_copier_node(mcd_copier *copier, mcd_node original, mcd_node *copy, macadam_error *error);

/* mcd_copier_node into reserved room, as the node `copy`. Those who arrive pay `price`, at least 0; 0: as at the original.
 * Threads: any number, each with nodes of its own. When all are filled, the caller adds them to the map's node_count. */
void mcd_copier_fill_node(const mcd_copier *copier, mcd_node copy, mcd_node original, mcd_price price);

/* The arc `original`, with its number, between other copies of its ends. Returns E_MEMORY. */
macadam_status mcd_copier_arc(mcd_copier *copier, mcd_arc original, mcd_node tail, mcd_node head,
                              macadam_error *error);

/* mcd_copier_arc into reserved room, as the arc `arc`; `more` is added to its first quantity, whose sum stays a weight.
 * Threads: any number, each with arcs of its own. When all are filled, the caller adds them to the map's arc_count. */
void mcd_copier_fill_arc(const mcd_copier *copier, mcd_arc arc, mcd_arc original, mcd_node tail,
                         mcd_node head, mcd_price more);

/* If the map has a spill file, puts what copies share with their originals there, until the last copy is made. */
macadam_status mcd_copier_put(mcd_copier *copier, mcd_watch *watch, macadam_error *error);
/* Brings it back, for all nodes. */
macadam_status mcd_copier_get(mcd_copier *copier, mcd_watch *watch, macadam_error *error);

/* Adds a node for each id of several nodes: routes arrive there. Each of the id's other nodes has an arc to
 * it, which weighs what an arrival costs. No arc leaves it, so that no path passes through it. This is the
 * last step: it would miss copies that are made later. */
macadam_status mcd_copier_arrivals(mcd_copier *copier, mcd_watch *watch, macadam_error *error);

#endif
