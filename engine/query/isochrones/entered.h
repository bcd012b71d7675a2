/* entered.h - the arcs that can be entered within a limit of a place, and where. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_ENTERED_H
#define MCD_ENGINE_QUERY_ISOCHRONES_ENTERED_H

#include "engine/query/isochrones/ball.h"
#include "engine/query/places/signed.h"
#include "engine/query/places/site.h"

/* An arc of the graph, and where it is entered. Where junctions are split, several are copies of one arc of the source.
 * Until it is settled, `weight` includes what is paid before the arc (a turn, a boarding), and forward `cost` does
 * not. All settled copies of an arc weigh the same, so the one that is entered first is the best for every limit. */
typedef struct mcd_entered {
    uint64_t number;
    uint32_t arc;
    mcd_node tail;
    mcd_weight cost;   /* where it is entered; settled: forward, what is paid before the arc has been paid */
    mcd_weight weight; /* of the whole arc; settled: without what is paid before it */
    double from;       /* the share of its length at which it is entered; 0: at its end */
    int32_t ahead; /* how much the potential rises on the way to where it is entered (reverse: from there) */
    int32_t rise;  /* and on the whole arc, from its tail to its head */
} mcd_entered;

/* Return the signed cost where an arc is entered, and the signed weight of the whole arc. */
static inline int64_t mcd_entered_cost(const mcd_entered *entered)
{
    return (int64_t)entered->cost + entered->ahead;
}

static inline int64_t mcd_entered_weight(const mcd_entered *entered)
{
    return (int64_t)entered->weight + entered->rise;
}

/* Returns the least signed cost on an arc, or one that is not positive: a limit of at least this reaches part of it. */
static inline int64_t mcd_entered_least(const mcd_entered *entered)
{
    const int64_t weight = mcd_entered_weight(entered);
    return mcd_entered_cost(entered) + (weight < 0 ? weight : 0);
}

/* Returns the largest signed cost on an arc that is entered at its end. */
static inline int64_t mcd_entered_most(const mcd_entered *entered)
{
    const int64_t weight = mcd_entered_weight(entered);
    return mcd_entered_cost(entered) + (weight > 0 ? weight : 0);
}

/* Receives an arc. A failure ends the search. */
typedef macadam_status (*mcd_entered_visit)(void *context, const mcd_entered *entered, macadam_error *error);

/* A search for entered arcs. */
typedef struct mcd_entered_search {
    const mcd_query *query; /* the facts are loaded */
    mcd_ball *ball;         /* of the place: mcd_entered_grow */
    mcd_direction direction;
    const mcd_lanes *lanes; /* of the place and others, from both positions (engine/query/places/site.h) */
    size_t place;           /* its number among those of `lanes` and `limit` */
    mcd_weight most;        /* the limit; of a place in a site, the ball may have nodes beyond it */
    const mcd_signed_limit *limit;
    mcd_entered_visit visit;
    void *context;
    mcd_watch *watch; /* NULL: the thread's own */
    macadam_error *error;
} mcd_entered_search;

/* Fills search->ball with the nodes within `limit` of the place, by the rule of engine/query/places/site.h. */
macadam_status mcd_entered_grow(mcd_entered_search *search, mcd_weight limit);

/* Visits the arcs that leave the nodes of the ball (backward: lead to them), and those within which the place
 * lies. */
macadam_status mcd_entered_find(const mcd_entered_search *search);

/* Returns what travelling a visited arc costs apart from what is paid before it: the least weight of its open copies.
 * Only of an arc that is entered at its end. Time: a look at the arcs that leave the copies of its tail. */
mcd_weight mcd_entered_own(const mcd_entered *entered, const mcd_roads *roads, const mcd_weights *weights);

/* Settles a visited arc, of which travelling costs `own`. Forward, its cost may then be above the limit. */
static inline void mcd_entered_settle(mcd_entered *entered, mcd_weight own, mcd_direction direction)
{
    if (direction == MCD_FORWARD) entered->cost += entered->weight - own;
    entered->weight = own;
}

#endif
