/* clock_costs.h - durations between places by the clock: searches from the lanes of the places at which the instants are, and then
 * the parts of the roads on which the places of the other end lie, at the time at which the search is there.
 *
 * With departures, searches begin at sources; with arrivals, they begin at targets and go against the arcs. Lanes where
 * searches begin have as seeds what the parts of their roads take from the instant on. The parts at the other end
 * depend on the arrival there, so a search has a column for each node from which one of them begins. */
#ifndef MCD_ENGINE_QUERY_PLACES_CLOCK_COSTS_H
#define MCD_ENGINE_QUERY_PLACES_CLOCK_COSTS_H

#include "engine/query/places/located.h"

/* A cost of two places, and where the search left the nodes; both MCD_UNREACHED if there is none. Without a companion that is
 * 0. */
typedef struct mcd_clock_sum {
    mcd_weight objective, companion;
    mcd_node node;
} mcd_clock_sum;

/* Returns the cost as callers get it. */
static inline uint32_t mcd_clock_answer(mcd_weight cost)
{
    return cost < MCD_UNREACHED ? cost : MACADAM_UNREACHED;
}

/* Searches and their columns. Zeroed = empty; mcd_clock_costs_free. */
typedef struct mcd_clock_costs {
    const mcd_query *query;
    const mcd_lanes *search, *other; /* the lanes where searches begin, and those where they end */
    bool joint;
    size_t place;         /* the first one of the other end */
    mcd_node *column;     /* [column_count] */
    size_t *first_column; /* [places of the other end + 1] */
    size_t column_count;
    size_t band;       /* the most lanes of a run */
    mcd_lane *lane;    /* [band] of the run, from lane `first` on */
    uint32_t *instant; /* [band] */
    size_t first;
    uint32_t *objective, *companion; /* [band][columns] */
    void *scratch;                   /* of the backend */
} mcd_clock_costs;

/* Writes the lane number `lane` of a place where searches begin, with what its seeds cost from the instant on. */
mcd_lane mcd_clock_lane(const mcd_lanes *lanes, size_t place, size_t lane);
/* Writes so the lanes first <= l < first + count, and the instant of each. */
void mcd_clock_lanes(const mcd_lanes *lanes, size_t first, size_t count, mcd_lane *lane, uint32_t *instant);

/* Makes room for searches of up to `band` lanes to the places first <= p < end of the other end. Free *out, on failure
 * too. */
macadam_status mcd_clock_costs_new(mcd_clock_costs *out, const mcd_query *query, const mcd_lanes *search,
                                   const mcd_lanes *other, size_t first, size_t end, size_t band, bool joint,
                                   macadam_error *error);
/* Takes the lanes first <= l < first + count for a run, at most `band`. */
void mcd_clock_costs_lanes(mcd_clock_costs *costs, size_t first, size_t count);
/* Returns the job of `count` of the run's lanes, from its lane number `first` on. */
mcd_clock_job mcd_clock_costs_job(const mcd_clock_costs *costs, size_t first, size_t count);
/* Searches from the lanes of some places: first <= l < first + count, at most `band`. */
macadam_status mcd_clock_costs_run(mcd_clock_costs *costs, size_t first, size_t count, macadam_error *error);
/* Returns the cost from a place whose lanes were searched to a place of the other end, without the way along a road
 * that both share. */
mcd_clock_sum mcd_clock_costs_of(const mcd_clock_costs *costs, size_t place, size_t other);
void mcd_clock_costs_free(mcd_clock_costs *costs);

/* Returns `cost`, or, if that is better, the cost of a way to `place` over a node that a search from `instant` reaches at
 * the cost `at` and its companion. */
mcd_clock_sum mcd_clock_arrive(const mcd_lanes *other, size_t place, mcd_node node, uint32_t instant,
                               mcd_weight at, mcd_weight companion, mcd_clock_sum cost);

/* Returns the job of a search from one lane that writes its cost at each node, objective[node]; without scratch. */
mcd_clock_job mcd_clock_job_of(const mcd_query *query, const mcd_lane *lane, const uint32_t *instant,
                               uint32_t *objective);

/* ---- pairs ---- */

/* Returns the way of a pair along the road that both places share; its arc is MCD_ROAD_NONE if there is none. */
mcd_road_part mcd_clock_direct(const mcd_lanes *source, const mcd_lanes *target, size_t i);

#endif
