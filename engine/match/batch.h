/* batch.h - a batch: some whole traces whose points are matched together. */
#ifndef MCD_ENGINE_MATCH_BATCH_H
#define MCD_ENGINE_MATCH_BATCH_H

#include "engine/match/viterbi.h"

#include <stdatomic.h>

enum { MCD_BATCH_FIXES = 1 << 16, MCD_BATCH_FIXES_PER_TASK = 32 };

typedef struct mcd_batch {
    /* The same for all batches: */
    mcd_query *query;
    const macadam_match_request *request;
    size_t trace_count; /* of the request */
    mcd_move_search search;
    mcd_candidate_search candidates;
    mcd_watch watch;
    struct mcd_batch_worker *worker; /* [threads] */

    size_t first_trace, traces; /* whose traces first_trace <= i < first_trace + traces of the request */
    size_t first_point, count;  /* and whose points these are */
    mcd_trace *trace;           /* [traces] */
    mcd_fix *fix;               /* [count] */
    mcd_candidate_list *list;   /* [count] */
    mcd_choice *choice;         /* [count] */
    mcd_lanes arrivals;         /* of the candidates */

    int64_t *interval;     /* [count] scratch */
    uint64_t *order;       /* [count] scratch: fixes along the Hilbert curve, in the low halves */
    mcd_candidate **block; /* [by task] where the candidates are */
    size_t block_count;
    mcd_viterbi *viterbi;  /* [traces] */
    mcd_prepared prepared; /* the transitions of a round */
    size_t round_trace;    /* the first trace that the round has not passed */
    atomic_int status;     /* of tasks */
} mcd_batch;

/* The first point of a trace of the request; of the one after the last: the number of points. */
size_t mcd_batch_trace_first(const mcd_batch *batch, size_t trace);

/* Reserves memory for the largest batch; mcd_batch_end frees it. Returns E_LIMIT if a trace is too long. */
macadam_status mcd_batch_begin(mcd_batch *batch, macadam_error *error);
void mcd_batch_end(mcd_batch *batch);

/* Goes on to the batch that begins with `first_trace`, and fills in its choices. mcd_batch_clear frees what it
 * holds, on failure too. */
macadam_status mcd_batch_run(mcd_batch *batch, size_t first_trace, macadam_error *error);
void mcd_batch_clear(mcd_batch *batch);

#endif
