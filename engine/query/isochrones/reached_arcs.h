/* reached_arcs.h - the arcs that can be entered within a limit of a place, and where. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_REACHED_ARCS_H
#define MCD_ENGINE_QUERY_ISOCHRONES_REACHED_ARCS_H

#include "engine/query/isochrones/node_range.h"
#include "engine/query/places/signed.h"
#include "engine/query/places/subnetwork.h"

/* An arc of the graph, and where it is entered. Where junctions are split, several are copies of one arc of the source.
 * Until it is settled, `weight` includes what is paid before the arc (a turn, a boarding), and forward `cost` does
 * not. All settled copies of an arc weigh the same, so the one that is entered first is the best for every limit. */
typedef struct mcd_reached_arc {
    uint64_t number; /* of the source; the visitor looks it up */
    uint32_t arc;
    mcd_node tail;
    mcd_weight cost;   /* where it is entered; settled: forward, what is paid before the arc has been paid */
    mcd_weight weight; /* of the whole arc; settled: without what is paid before it */
    double from;       /* the share of its length at which it is entered; 0: at its end */
    int32_t ahead; /* how much the potential rises on the way to where it is entered (reverse: from there) */
    int32_t rise;  /* and on the whole arc, from its tail to its head */
    /* The search, if the weight is that of the time when the arc is entered: copies may then weigh differently, where turns are
     * closed at times. NULL: the weight is the same at all times. */
    const struct mcd_reached_search *timed;
} mcd_reached_arc;

/* Return the signed cost where an arc is entered, and the signed weight of the whole arc. */
static inline int64_t mcd_reached_cost(const mcd_reached_arc *entered)
{
    return (int64_t)entered->cost + entered->ahead;
}

static inline int64_t mcd_reached_weight(const mcd_reached_arc *entered)
{
    return (int64_t)entered->weight + entered->rise;
}

/* Returns the least signed cost on an arc, or one that is not positive: a limit of at least this reaches part of it. */
static inline int64_t mcd_reached_least(const mcd_reached_arc *entered)
{
    const int64_t weight = mcd_reached_weight(entered);
    return mcd_reached_cost(entered) + (weight < 0 ? weight : 0);
}

/* Returns the largest signed cost on an arc that is entered at its end. */
static inline int64_t mcd_reached_most(const mcd_reached_arc *entered)
{
    const int64_t weight = mcd_reached_weight(entered);
    return mcd_reached_cost(entered) + (weight > 0 ? weight : 0);
}

/* Receives an arc. A failure ends the search. */
typedef macadam_status (*mcd_reached_visit)(void *context, const mcd_reached_arc *entered,
                                            macadam_error *error);

/* A search for entered arcs. */
typedef struct mcd_reached_search {
    const mcd_query *query; /* the facts are loaded */
    mcd_node_range *range;  /* of the place: mcd_reached_grow */
    mcd_direction direction;
    const mcd_lanes
        *lanes;          /* of the place and others, from both positions (engine/query/places/subnetwork.h) */
    size_t place;        /* its number among those of `lanes` and `limit` */
    uint32_t subnetwork; /* of the place, or MCD_SUBNETWORK_NONE; mcd_reached_grow sets it */
    mcd_weight most;     /* the limit; of a place in a subnetwork, the range may have nodes beyond it */
    const mcd_signed_limit *limit;
    mcd_reached_visit visit;
    void *context;
    mcd_watch *watch; /* NULL: the thread's own */
    macadam_error *error;
} mcd_reached_search;

/* Loads what searches of the query need. Call it first. */
macadam_status mcd_reached_load(const mcd_query *query, macadam_error *error);
/* Returns the bytes of scratch that a range of the query needs. */
uint64_t mcd_reached_bytes(const mcd_query *query);

/* Fills search->range with the nodes within `limit` of the place, by the rule of engine/query/places/subnetwork.h. */
macadam_status mcd_reached_grow(mcd_reached_search *search, mcd_weight limit);

/* Visits the arcs that leave the nodes of the range (backward: lead to them), and those within which the place
 * lies. */
macadam_status mcd_reached_find(const mcd_reached_search *search);

/* Returns, with a clock, an open arc that a search enters at its end at the cost `cost`, without its tail and its potentials. */
mcd_reached_arc mcd_reached_enter_timed(const mcd_reached_search *search, uint32_t arc, mcd_weight cost);

/* Returns the same, with and without a clock. */
static inline mcd_reached_arc mcd_reached_enter(const mcd_reached_search *search, uint32_t arc,
                                                mcd_weight cost)
{
    if (search->query->timing.arcs) return mcd_reached_enter_timed(search, arc, cost);
    return (mcd_reached_arc){.arc = arc, .cost = cost, .weight = search->query->weights->objective[arc]};
}

/* Returns the share of an arc's length up to which it is reached within a limit, which may be below `from` if the limit does
 * not reach it; from which on, if the signed cost falls along it. With a clock, it is the share of the arc's own weight that is
 * travelled by then. */
double mcd_reached_share(const mcd_reached_arc *entered, uint32_t limit);

/* Returns what travelling a visited arc costs apart from what is paid before it: the least weight of its open copies.
 * Only of an arc that is entered at its end. Time: a look at the arcs that leave the copies of its tail. */
mcd_weight mcd_reached_own(const mcd_reached_arc *entered, const mcd_roads *roads,
                           const mcd_weights *weights);

/* Settles a visited arc, of which travelling costs `own`. Forward, its cost may then be above the limit. */
static inline void mcd_reached_settle(mcd_reached_arc *entered, mcd_weight own, mcd_direction direction)
{
    if (direction == MCD_FORWARD) entered->cost += entered->weight - own;
    entered->weight = own;
}

#endif
