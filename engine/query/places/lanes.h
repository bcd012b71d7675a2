/* lanes.h - places as the kernels see them: the nodes where a search starts from each place, or ends at it.
 *
 * A place at a junction is one node. A search leaves a place within a road at the heads of its arcs, and the
 * cost of each is the part of the arc after the place. A search reaches the place from the tails of its arcs,
 * and the cost of each is the part before the place; if the tail is split, from every copy that the arc
 * leaves. Nodes on one root path (without a hierarchy: any nodes) make one lane (kernels/views.h). A place
 * has one lane or several, and its answer is the best of theirs. The way between two places on the same road
 * that does not leave it is not a path of nodes: see mcd_lanes_same_road. */
#ifndef MCD_ENGINE_QUERY_PLACES_LANES_H
#define MCD_ENGINE_QUERY_PLACES_LANES_H

#include "engine/map/known_roads.h"
#include "kernels/backend.h"
#include "kernels/seeds.h"

/* The use of a place: a lane departs from it, or arrives at it. */
typedef enum mcd_end { MCD_DEPART, MCD_ARRIVE } mcd_end;

/* The clock of a query: costs are durations that depend on when a way begins (MCD_BACKWARD: ends). */
typedef struct mcd_timing {
    const mcd_clock_arcs *arcs; /* NULL: costs do not depend on the time, and nothing else counts */
    mcd_direction direction;    /* of the searches */
} mcd_timing;

/* Returns the instant at which a search from `instant` has the cost `cost`. */
uint32_t mcd_timing_at(const mcd_timing *timing, uint32_t instant, mcd_weight cost);

typedef struct mcd_lanes {
    mcd_end end;
    mcd_timing timing;
    const uint32_t
        *instant; /* [place_count] with a clock: when searches are at their places; NULL: they end here */
    const mcd_roads *roads;     /* NULL: no place is within a road */
    const mcd_weights *weights; /* likewise */
    size_t place_count, count;
    /* each seed is a lane of its own, and a node: searches without weights know no costs of seeds */
    bool apart;
    mcd_lane *lane; /* [count] */
    /* [place_count] instead of lanes, which a device makes; without weights, lifts and second positions. `count` and `first` are those of
     * the lanes if they have been counted */
    mcd_nearest_road *road;
    mcd_node *node; /* [count] instead of `lane`: every lane is one node; MCD_NODE_NONE: the place failed */
    /* [place_count + 1]: place i has the lanes first[i] <= l < first[i + 1]: at least one, which has no seeds
     * if the place failed; NULL: every place has exactly one. */
    size_t *first;
    mcd_position *position; /* [place_count]; NULL: no place is within a road, and none is lifted */
    /* [place_count] of the objective and of the requested companion: the potential from which (arriving: to which) the costs of
     * the searches count; NULL: there are none */
    int32_t *potential[2];
    /* Of searches to all nodes (engine/query/places/subnetwork.h); NULL: no place has two positions. All [place_count]: */
    uint32_t *subnetwork;  /* of a place that is cut off, or MCD_SUBNETWORK_NONE */
    mcd_position *second;  /* its second position */
    size_t *inner;         /* the first of its lanes that is of this one; first[i + 1] if it has none */
    mcd_known_list *known; /* the places are in it, in use while lanes are made; NULL: not known */
    size_t known_first;    /* the first of them there */
    mcd_seed_parts parts;  /* of lanes that mcd_lanes_take_known has taken; else empty */
} mcd_lanes;

enum { MCD_LANES_TOGETHER = 2, MCD_LANES_BESIDE = 2 };
/* The index-th of MCD_LANES_BESIDE tasks beside the making of lanes. They begin no threads. */
typedef macadam_status (*mcd_lanes_beside)(void *argument, size_t index, macadam_error *error);
/* Makes the lanes, or roads, of `count` lists of places, at most MCD_LANES_TOGETHER, of which all other members are set but `inner`: `roads` may
 * be NULL if all places are junctions. Threads begin once. beside: NULL: there are no tasks. Returns their failures, too.
 * Free all with mcd_lanes_free, on failure too. */
macadam_status mcd_lanes_make(mcd_lanes *const *lanes, size_t count, macadam_engine *engine,
                              const mcd_parallel *parallel, mcd_lanes_beside beside, void *argument,
                              macadam_error *error);
/* Takes lanes of both that are kept with the known places, which must stay in use until mcd_lanes_free: of seeds whose costs are
 * those of `parts`. Returns false if there are none for these positions: then mcd_lanes_make makes them. */
bool mcd_lanes_take_known(mcd_lanes *const both[2]);
/* Finds the nodes of places that are all ids, in one pass: as `node` or as lanes. status (may be NULL): the status of each
 * place. */
macadam_status mcd_lanes_of_ids(mcd_lanes *out, const mcd_place_index *places, const mcd_parallel *parallel,
                                const macadam_place *place, size_t place_count, mcd_end end, bool as_nodes,
                                macadam_place_status *status, macadam_error *error);
void mcd_lanes_free(mcd_lanes *lanes);

static inline mcd_lane mcd_lanes_at(const mcd_lanes *lanes, size_t i)
{
    return lanes->node ? mcd_lane_of(lanes->node[i]) : lanes->lane[i];
}

static inline size_t mcd_lanes_first(const mcd_lanes *lanes, size_t place)
{
    return lanes->first ? lanes->first[place] : place;
}

/* Returns the end of the lanes of a place's first position: there, those of its second one begin. */
static inline size_t mcd_lanes_inner(const mcd_lanes *lanes, size_t place)
{
    return lanes->inner ? lanes->inner[place] : mcd_lanes_first(lanes, place + 1);
}

/* Returns the subnetwork of a place that has two positions; else MCD_SUBNETWORK_NONE. */
static inline uint32_t mcd_lanes_subnetwork(const mcd_lanes *lanes, size_t place)
{
    return lanes->subnetwork ? lanes->subnetwork[place] : MCD_SUBNETWORK_NONE;
}

/* Returns whether a position is within a road. */
static inline bool mcd_position_is_within(const mcd_position *position)
{
    return position->arc[0] != MCD_ROAD_NONE || position->arc[1] != MCD_ROAD_NONE;
}

/* Returns whether a place lies within a road. */
static inline bool mcd_lanes_is_within(const mcd_lanes *lanes, size_t place)
{
    return lanes->position && mcd_position_is_within(&lanes->position[place]);
}

/* Returns where a place is, as it is by any metric: without lifts. */
mcd_position mcd_lanes_position(const mcd_lanes *lanes, const mcd_place_index *places, size_t place);

/* Returns the largest number of lanes that any `place_count` consecutive places have. */
size_t mcd_lanes_most(const mcd_lanes *lanes, size_t place_count);

/* An arc of a road, or the part of it that is travelled. */
typedef struct mcd_road_part {
    uint32_t arc;         /* MCD_ROAD_NONE: none */
    mcd_weight objective; /* both MCD_UNREACHED if there is none */
    mcd_weight companion; /* 0 without one */
    uint64_t from, to;    /* 2^-32ths of the arc */
} mcd_road_part;

/* Returns a part of an open arc. */
mcd_road_part mcd_lanes_between(const mcd_weights *weights, uint32_t arc, uint64_t from, uint64_t to);

/* Returns the part by which a search that starts or ends at `node` leaves or reaches a position; none for a
 * junction. With a clock: of a search that is at its beginning at `instant`. */
mcd_road_part mcd_lanes_part(const mcd_lanes *lanes, const mcd_position *position, mcd_node node,
                             uint32_t instant);

/* Returns the way from a place of `source` to one of `target` along the i-th arcs of both, if these are the
 * same arc; its costs are lifted as those of searches are. */
mcd_road_part mcd_lanes_along(const mcd_lanes *source, size_t s, const mcd_lanes *target, size_t t, int i);

/* Returns the way from a place of `source` to one of `target` along their road, if they share one; the better
 * one if there are two. */
mcd_road_part mcd_lanes_same_road(const mcd_lanes *source, size_t s, const mcd_lanes *target, size_t t);

#endif
