/* snapped_map.h - a map with places within its roads, and the same as a graph that has the places as nodes.
 *
 * The oracle's graph. Each place is two nodes: at one it is arrived at, from the other it is left. On every
 * arc that a place lies on, that is
 *
 *     tail ---- before ----> arrival                     departure ---- rest ----> head
 *
 * and between two places on one arc, from the departure of the one that comes first to the arrival of the
 * other, what lies between. Nothing passes through a place, so no turn is forgotten there. On arcs whose
 * copies leave a split node, every copy leads to the arrival, at what it costs more; a departure leads only
 * to the head of the original. */
#ifndef MCD_TESTS_SUPPORT_SNAPPED_MAP_H
#define MCD_TESTS_SUPPORT_SNAPPED_MAP_H

#include "engine/runtime/engine.h"
#include "tests/support/fixture.h"

enum { SNAPPED_PLACES = 60, SNAPPED_QUANTITIES = 2 };

/* A map as arcs, and places on it. */
typedef struct snapped_map {
    const char *name;
    size_t node_count, arc_count;
    const uint32_t *tail, *head, *weight[SNAPPED_QUANTITIES];
    const uint64_t *number;
    const mcd_node *depart, *arrive; /* by the position of an id */
    macadam_engine *engine;
    macadam_place place[SNAPPED_PLACES];
    mcd_position position[SNAPPED_PLACES];
    uint64_t arc_number[SNAPPED_PLACES][2]; /* of the positions' arcs; 0: none */
    test_graph graph;                       /* with the places */
    test_graph
        hops; /* the same arcs; the first weight is 1, or 0 if the arc is only the file's or this graph's */
} snapped_map;

/* The place's nodes of the graphs. */
static inline uint32_t snapped_arrival(const snapped_map *s, size_t place)
{
    return (uint32_t)(s->node_count + 2 * place);
}

static inline uint32_t snapped_departure(const snapped_map *s, size_t place)
{
    return snapped_arrival(s, place) + 1;
}

static inline bool snapped_within(const snapped_map *s, size_t place)
{
    return s->position[place].id == MCD_PLACE_NONE;
}

macadam_query snapped_query(const fixture_asked *asked, const char *names[2]);

/* Costs by the oracle, from (reverse: to) a place; free them. The companion's only if `joint`. */
typedef struct snapped_costs {
    uint32_t *cost[SNAPPED_QUANTITIES];
} snapped_costs;

snapped_costs snapped_ask_oracle(const test_graph *graph, size_t metric, bool reverse, bool joint,
                                 uint32_t node);
void snapped_costs_free(snapped_costs *costs);

/* Imports a map, draws places, and calls `claim` with it: of straight roads by the name of a graph, or of a
 * real file, where junctions are split and private roads are layers. */
typedef void (*snapped_claim)(snapped_map *s);
void snapped_of_graph(const char *name, snapped_claim claim);
void snapped_of_file(const char *name, const char *profile, snapped_claim claim);
/* Does the same of files with a profile whose turns cost. */
void snapped_of_drays(const char *const *name, size_t count, snapped_claim claim);
/* Does the same of streets drawn at random, with ferries that land where streets meet. */
void snapped_of_ferries(snapped_claim claim);
/* Does the same of a file, or of streets drawn at random (NULL), after updates that gave many arcs an extreme weight
 * in one of the quantities. No turn costs. */
void snapped_of_extremes(const char *name, snapped_claim claim);

#endif
