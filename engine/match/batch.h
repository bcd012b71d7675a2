/* batch.h - a batch: some whole traces whose points one thread matches together. */
#ifndef MCD_ENGINE_MATCH_BATCH_H
#define MCD_ENGINE_MATCH_BATCH_H

#include "engine/base/arena.h"
#include "engine/match/journey.h"

/* The data that the batches of a request share. */
typedef struct mcd_match {
    mcd_query *query;
    const macadam_match_request *request;
    size_t trace_count;  /* of the request */
    size_t *batch_first; /* [batch_count + 1] the trace with which each batch begins */
    size_t batch_count;
    const mcd_weight *distance; /* as in mcd_move_search */
    bool is_duration;           /* likewise */
    mcd_parallel parallel;      /* of the batches */
    size_t batch_fixes;         /* at most, but for one long trace */
    size_t round_fixes;         /* whose moves a thread computes together */
    mcd_round_device device;
    mcd_watch watch;
} mcd_match;

/* A point of a matching. */
typedef struct mcd_match_waypoint {
    uint32_t point; /* of the request */
    mcd_match_stop stop;
} mcd_match_waypoint;

/* A thread has one, and uses it for one batch after the other. */
typedef struct mcd_batch {
    const mcd_match *match;
    mcd_move_search search;
    mcd_candidate_search candidates;
    mcd_road_memory *memory;

    size_t first_trace, trace_count; /* whose traces first_trace <= i < first_trace + trace_count it has */
    size_t first_point, count;       /* and whose points these are */
    mcd_trace *trace;                /* [trace_count] */
    mcd_fix *fix;                    /* [count] */
    mcd_candidate_list *list;        /* [count] */
    mcd_choice *choice;              /* [count] */
    mcd_arena arena;                 /* of these arrays */
    mcd_candidate *candidate;        /* [] all lists, in the order in which they were found */
    size_t candidate_count, candidate_capacity; /* the array serves all batches */
} mcd_batch;

/* The first point of a trace of the request; of the one after the last: the number of points. */
size_t mcd_match_trace_first(const mcd_match *match, size_t trace);

/* Divides the traces into batches: match->batch_first is the caller's, on failure too. Reserves memory for
 * those that run concurrently. Returns E_LIMIT if a trace is too long. */
macadam_status mcd_match_divide(mcd_match *match, macadam_error *error);

macadam_status mcd_batch_begin(mcd_batch *batch, mcd_match *match, macadam_error *error);
void mcd_batch_end(mcd_batch *batch);

/* Goes on to batch `index`, and fills in its choices. mcd_batch_clear frees what it holds, on failure too. */
macadam_status mcd_batch_run(mcd_batch *batch, size_t index, macadam_error *error);
void mcd_batch_clear(mcd_batch *batch);

#endif
