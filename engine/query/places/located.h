/* located.h - locates the places of a query on the map: where each search begins and ends.
 *
 * A point whose nearest road is cut off has two positions: on the nearest road that is not cut off, and on its nearest road,
 * within a subnetwork (engine/query/places/subnetwork.h). Which of them counts depends on the two places of a cost.
 *
 * Costs of a quantity that may be negative lie between potentials (engine/query/places/signed.h), and the two positions have
 * different ones. So that the costs of both compete in one cell, a place departs from the higher of the two potentials and
 * arrives at the lower one: the lift of a position (engine/map/locate.h) is by how much its own differs. */
#ifndef MCD_ENGINE_QUERY_PLACES_LOCATED_H
#define MCD_ENGINE_QUERY_PLACES_LOCATED_H

#include "engine/query/places/query.h"

/* Returns the data that mcd_query_lanes needs for these places, besides costs: weights if one is a point. */
mcd_need mcd_query_need(const macadam_engine *engine, const macadam_place *place, size_t count);

/* Returns how the query's places are located. The engine must have loaded the data that they need. */
mcd_locator mcd_query_locator(const mcd_query *query);

/* The part that places have in a question. */
typedef enum mcd_role { MCD_SOURCES, MCD_TARGETS } mcd_role;

/* Places to depart from or to arrive at. */
typedef struct mcd_place_list {
    const macadam_place *place;
    size_t count;
    mcd_outcome outcome;
    const uint32_t
        *instant; /* [count] with a clock: when searches begin at the places; NULL: they end here */
} mcd_place_list;

/* Places with their positions. Zeroed = empty; mcd_located_free. */
typedef struct mcd_located {
    mcd_place_list list; /* borrowed */
    mcd_end end;
    bool by_point; /* some place is a point, or the caller requests where places are */
    /* [list.count] if by_point: on roads that are not cut off, where there are any; of a query that takes any
     * component, on the nearest roads */
    mcd_position *position;
    uint32_t *cut_off;  /* [list.count] likewise: as in mcd_outcome */
    mcd_second *second; /* [list.count] likewise, of places that are cut off: their other positions */
    bool has_ids;       /* likewise: some place is an id */
    /* likewise: the components are loaded, because some place may share a subnetwork; else no pair shares one */
    bool has_subnetworks;
    /* [cut_off_count] ascending: the places that are cut off */
    uint32_t *cut_off_place;
    size_t cut_off_count;
    macadam_place *sorted_place; /* list.place, once the places are sorted (node_order.h); else NULL */
    mcd_known_list *known;       /* as in mcd_lanes */
    size_t known_first;
} mcd_located;

/* Locates places. `reverse`: the question is about costs to sources, from targets. Returns E_INVALID if there
 * is no place. Free *out, on failure too. */
macadam_status mcd_locate_places(mcd_located *out, const mcd_query *query, const mcd_place_list *list,
                                 mcd_role role, bool reverse, macadam_error *error);
/* Locates sources and targets; if they are the same places, once. */
macadam_status mcd_locate_both(mcd_located *source, mcd_located *target, const mcd_query *query,
                               const mcd_place_list *sources, const mcd_place_list *targets,
                               macadam_error *error);
/* Locates the places of searches from sources to all nodes, and their targets, together. */
macadam_status mcd_locate_search(mcd_located *source, mcd_located *target, const mcd_query *query,
                                 const mcd_place_list *sources, const mcd_place_list *targets, bool reverse,
                                 macadam_error *error);
void mcd_located_free(mcd_located *located);

/* Returns whether a node belongs to the component `subnetwork`. A node at which one arrives at a split junction does if one of the
 * junction's copies does. */
bool mcd_subnetwork_has(const macadam_engine *engine, uint32_t subnetwork, mcd_node node);

/* Returns whether two places, at least one of them cut off, belong to one subnetwork: those of both, MCD_SUBNETWORK_NONE if one is
 * not cut off. node: of that one, if it is an id; else MCD_NODE_NONE. */
bool mcd_subnetwork_is_shared(const macadam_engine *engine, uint32_t one, uint32_t other, mcd_node node);
/* Returns whether the places of a pair, at least one of them cut off, belong to one subnetwork. */
bool mcd_located_share_subnetwork(const mcd_located *source, size_t s, const mcd_located *target, size_t t,
                                  const macadam_engine *engine);

static inline bool mcd_located_is_cut_off(const mcd_located *located, size_t i)
{
    return located->by_point && located->cut_off[i] != MCD_ROAD_NONE;
}

/* Returns the subnetwork of a place that is cut off; MCD_SUBNETWORK_NONE if it is not, or if it shares none. */
static inline uint32_t mcd_located_subnetwork(const mcd_located *located, const macadam_engine *engine,
                                              size_t i)
{
    return located->has_subnetworks && mcd_located_is_cut_off(located, i)
               ? engine->component[engine->graph.head[located->cut_off[i]]]
               : MCD_SUBNETWORK_NONE;
}

/* Returns the position of a place. */
mcd_position mcd_located_position(const mcd_located *located, const macadam_engine *engine, size_t i);
/* Moves a place to its second position, if it has one. */
void mcd_located_move(mcd_located *located, size_t i);

/* The use of lanes: rectangles on a device, which may make them from roads or find the costs of seeds (mcd_lanes::parts), and pairs,
 * whose lanes may be nodes only; rectangles; searches to all nodes, from both positions; rectangles again, whose lanes a
 * device makes from roads if it can, and counts itself. As nodes, for searches without weights: pairs, and searches to all nodes. */
typedef enum mcd_lane_use {
    MCD_LANES_ON_DEVICE,
    MCD_LANES_OF_PAIRS,
    MCD_LANES_OF_CELLS,
    MCD_LANES_TO_ALL,
    MCD_ROADS,
    MCD_NODES_OF_PAIRS,
    MCD_NODES_TO_ALL
} mcd_lane_use;

/* Adds the potentials of the query's quantities to lanes, once they are made. */
macadam_status mcd_query_add_potentials(const mcd_query *query, mcd_lanes *lanes, macadam_error *error);

/* Makes the lanes of the places. Takes over their positions. Free *out, on failure too. */
macadam_status mcd_located_lanes(mcd_located *located, const mcd_query *query, mcd_lane_use use,
                                 mcd_lanes *out, macadam_error *error);
/* Makes those of both, together, beside tasks (mcd_lanes_make). */
macadam_status mcd_located_lanes_both(mcd_located *const located[2], const mcd_query *query,
                                      const mcd_lane_use use[2], mcd_lanes *const out[2],
                                      mcd_lanes_beside beside, void *argument, macadam_error *error);

/* Locates the places of a query that searches from each, or to it, and makes their lanes, without a seed if
 * locating failed. Returns E_INVALID if there is no place. If the query has no weights, every arc is open and
 * costs nothing. Free *out, on failure too. */
macadam_status mcd_query_lanes(const mcd_query *query, const mcd_place_list *list, mcd_role role,
                               bool reverse, mcd_lanes *out, macadam_error *error);

#endif
