/* transition.h - transitions: what it costs to travel from each candidate of one fix to each candidate of
 * another, and how implausible that is. */
#ifndef MCD_ENGINE_MATCH_TRANSITION_H
#define MCD_ENGINE_MATCH_TRANSITION_H

#include "engine/match/candidate.h"
#include "engine/query/places/query.h"

/* The candidates of one fix. */
typedef struct mcd_candidate_list {
    mcd_candidate *candidate;
    uint32_t count;
} mcd_candidate_list;

typedef struct mcd_transition {
    uint32_t objective, distance_cm; /* of the way */
    uint32_t penalty;                /* MCD_IMPLAUSIBLE: there is no plausible way */
} mcd_transition;

#define MCD_IMPLAUSIBLE UINT32_MAX

/* A move from one fix to a later one. Its transitions are [first_cell + from * candidates of `to` + to]. */
typedef struct mcd_move {
    uint32_t from, to;
    size_t first_cell;
} mcd_move;

/* The device that computes large rounds of moves, on which the metric's weights then are; NULL: the host does.
 * A device that fails is not used again. */
typedef _Atomic(const mcd_backend *) mcd_round_device;

/* The data that moves share. */
typedef struct mcd_move_search {
    const mcd_query *query;
    const mcd_fix *fix;
    const mcd_candidate_list *list; /* [by fix] */
    mcd_lane *lane;                 /* by which moves leave and reach candidates: mcd_move_lanes_find */
    const mcd_weight *distance;     /* of the input arcs, in cm: the metric's objective or companion */
    bool is_duration;               /* the objective is a duration in ms; otherwise, it is the distance */
    uint32_t turn_penalty;          /* of turning round at a fix */
    uint32_t
        haste_ms; /* a way that takes so much longer is less probable by a factor of e; 0: no time is known */
    mcd_round_device *device; /* shared by all threads */
} mcd_move_search;

/* Returns whether one might have moved so far in that time at all. */
bool mcd_move_is_possible(const mcd_move_search *search, uint32_t from, uint32_t to);

/* Makes the lanes of candidates, each once: that of a node serves all arcs there. Sets the candidates' numbers of
 * lanes. Until then, they are the nodes where moves leave and reach the arc; MCD_NODE_NONE: several nodes reach it.
 * The caller frees *out with mcd_free. */
macadam_status mcd_move_lanes_find(mcd_lane **out, const mcd_query *query, mcd_candidate *candidate,
                                   size_t count, macadam_error *error);

/* Returns the penalty of a value of which `mean` costs one nat. The quotient of doubles, rounded down, is that of
 * integers, as these are below 2^44 and `mean` is below 2^32; it is faster. */
static inline uint64_t mcd_move_nats(uint64_t value, uint32_t mean)
{
    return (uint64_t)(int64_t)((double)(int64_t)(value * MCD_NAT) / mean);
}

/* Returns the penalty of the time that ways take. */
static inline uint64_t mcd_move_haste(const mcd_move_search *search, uint64_t objective)
{
    return search->haste_ms ? mcd_move_nats(objective, search->haste_ms) : 0;
}

/* The ways that a search considers: those that take about the time between the fixes, or all plausible ones. */
typedef enum mcd_reach { MCD_REACH_TIMELY, MCD_REACH_WIDE } mcd_reach;

/* Returns the largest objective of the ways between two fixes that are considered. */
mcd_weight mcd_move_limit(const mcd_move_search *search, uint32_t from, uint32_t to, mcd_reach reach);

/* Fills in the transitions of all moves. Equal for any list of moves. Returns E_MEMORY. Threads: one, and the
 * device for many moves. Time: some microseconds per move. */
macadam_status mcd_transitions_find(const mcd_move_search *search, const mcd_move *move, size_t count,
                                    mcd_reach reach, mcd_transition *cell, macadam_error *error);

/* Returns whether the way from the candidate `from` of the fix `a` to the candidate `to` of the fix `b` stays on
 * their arc: it leads on, or back by no more than twice what the fixes may be wrong (each by at most 30 m), which counts as
 * standing. */
bool mcd_move_stays(const mcd_move_search *search, const mcd_fix *a, const mcd_candidate *from,
                    const mcd_fix *b, const mcd_candidate *to);

#endif
