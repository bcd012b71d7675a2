/* ways.h - the arcs and routes of matchings, and the answer to which they are added. */
#ifndef MCD_ENGINE_MATCH_WAYS_H
#define MCD_ENGINE_MATCH_WAYS_H

#include "engine/match/batch.h"

typedef struct mcd_owned_matches {
    macadam_matches matches;
    macadam_match_point *point;
    macadam_matching *matching;
    uint64_t *arc; /* [arc_capacity] */
    size_t arc_capacity;
} mcd_owned_matches;

/* The matchings of one batch. */
typedef struct mcd_batch_answer {
    macadam_matching *matching;    /* [capacity] */
    size_t count, capacity, first; /* `first` of all matchings, once all batches have run */
    size_t waypoint_count;
    macadam_status status;
    macadam_error error;
} mcd_batch_answer;

/* A request. */
typedef struct mcd_match_run {
    mcd_match match;
    const mcd_query *cost;        /* whose quantities the routes have: mcd_route_of_positions */
    mcd_batch *worker;            /* [threads] */
    mcd_batch_answer *answer;     /* [batches] */
    mcd_match_waypoint *waypoint; /* [points] those of a batch begin at the index of its first point */
    size_t waypoint_count;        /* after all batches: the waypoints of all matchings, one after the other */
    mcd_owned_matches *out;
} mcd_match_run;

/* Both add to all matchings. */
macadam_status mcd_match_add_arcs(mcd_match_run *run, macadam_error *error);
macadam_status mcd_match_add_routes(mcd_match_run *run, macadam_error *error);

#endif
