/* batch.c - see batch.h.
 *
 * Method. All threads first find the candidates of all fixes, those that are near each other one after the
 * other. Then they go in rounds: the transitions of some thousand moves, and the Viterbi steps over them, one task
 * a few traces. */
#include "engine/match/batch.h"

#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/map/locality.h"

#include <string.h>

enum {
    ROUND_FIXES = 1 << 13,
    ROUND_CELLS = 1 << 20,
    TRACES_PER_TASK = 16,
};

/* What a thread works with. */
typedef struct mcd_batch_worker {
    mcd_road_memory *memory;
    mcd_candidate *candidate; /* [MCD_BATCH_FIXES_PER_TASK * MCD_CANDIDATES_MAX] */
} mcd_batch_worker;

size_t mcd_batch_trace_first(const mcd_batch *batch, size_t trace)
{
    return batch->request->first ? batch->request->first[trace]
           : trace == 0          ? 0
                                 : batch->request->point_count;
}

static void fail_task(mcd_batch *batch, macadam_status status)
{
    int none = MACADAM_OK;
    atomic_compare_exchange_strong(&batch->status, &none, (int)status);
}

/* Returns the failure of the tasks that have run. */
static macadam_status task_status(mcd_batch *batch, macadam_error *error)
{
    const macadam_status status = (macadam_status)atomic_load(&batch->status);
    if (status == MACADAM_E_MEMORY)
        return mcd_fail(error, MACADAM_E_MEMORY, "no memory for the candidates of a trace");
    return status;
}

/* ---- fixes and candidates ---- */

static void read_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const mcd_batch *batch = argument;
    const size_t end = mcd_size_min((index + 1) * TRACES_PER_TASK, batch->traces);
    for (size_t i = index * TRACES_PER_TASK; i < end; ++i) {
        mcd_trace *trace = &batch->trace[i];
        trace->first = mcd_batch_trace_first(batch, batch->first_trace + i) - batch->first_point;
        trace->end = mcd_batch_trace_first(batch, batch->first_trace + i + 1) - batch->first_point;
        mcd_fixes_read(batch->fix, trace, batch->request->point + batch->first_point, batch->request,
                       batch->interval + trace->first);
        mcd_viterbi_begin(&batch->viterbi[i], trace);
    }
}

/* Orders the fixes along the Hilbert curve, so that a search finds what the one before it read. */
static macadam_status order_fixes(mcd_batch *batch, macadam_error *error)
{
    uint64_t *scratch;
    MCD_TRY(MCD_NEW(scratch, batch->count, error));
    for (size_t i = 0; i < batch->count; ++i) {
        const uint32_t east = (uint32_t)batch->fix[i].at.lon_e7 + 1800000000,
                       north = (uint32_t)batch->fix[i].at.lat_e7 + 900000000;
        batch->order[i] = (uint64_t)mcd_hilbert_index(east >> 16, north >> 16) << 32 | i;
    }
    const macadam_status status = mcd_sort_bits(batch->order, scratch, batch->count, 32, 64, NULL, error);
    mcd_free(scratch);
    return status;
}

static void candidates_task(void *argument, size_t index, unsigned worker)
{
    mcd_batch *batch = argument;
    const mcd_batch_worker *own = &batch->worker[worker];
    const size_t first = index * MCD_BATCH_FIXES_PER_TASK,
                 end = mcd_size_min(first + MCD_BATCH_FIXES_PER_TASK, batch->count);
    size_t count = 0;
    for (size_t k = first; k < end; ++k) {
        const uint32_t i = (uint32_t)batch->order[k];
        batch->list[i].count = batch->fix[i].status
                                   ? 0
                                   : (uint32_t)mcd_candidates_find(&batch->candidates, own->memory,
                                                                   &batch->fix[i], own->candidate + count);
        if (!batch->fix[i].status && batch->list[i].count == 0) batch->fix[i].status = MACADAM_MATCH_NO_ROAD;
        batch->choice[i] = (mcd_choice){MCD_FIX_NONE, MCD_FIX_NONE};
        count += batch->list[i].count;
    }
    mcd_candidate *const block = mcd_allocate(count, sizeof *block);
    batch->block[index] = block;
    if (!block) {
        fail_task(batch, MACADAM_E_MEMORY);
        return;
    }
    if (count) memcpy(block, own->candidate, count * sizeof *block);
    for (size_t k = first, at = 0; k < end; at += batch->list[(uint32_t)batch->order[k++]].count)
        batch->list[(uint32_t)batch->order[k]].candidate = block + at;
}

static void link_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const mcd_batch *batch = argument;
    const size_t end = mcd_size_min((index + 1) * TRACES_PER_TASK, batch->traces);
    for (size_t i = index * TRACES_PER_TASK; i < end; ++i) mcd_fixes_link(batch->fix, &batch->trace[i]);
}

static size_t trace_tasks(const mcd_batch *batch)
{
    return (batch->traces + TRACES_PER_TASK - 1) / TRACES_PER_TASK;
}

static macadam_status allocate_batch(mcd_batch *batch, macadam_error *error)
{
    batch->block_count = (batch->count + MCD_BATCH_FIXES_PER_TASK - 1) / MCD_BATCH_FIXES_PER_TASK;
    MCD_TRY(MCD_NEW(batch->trace, batch->traces, error));
    MCD_TRY(MCD_NEW(batch->viterbi, batch->traces, error));
    MCD_TRY(MCD_NEW(batch->fix, batch->count, error));
    MCD_TRY(MCD_NEW(batch->interval, batch->count, error));
    MCD_TRY(MCD_NEW(batch->order, batch->count, error));
    MCD_TRY(MCD_NEW(batch->list, batch->count, error));
    MCD_TRY(MCD_NEW_ZEROED(batch->block, batch->block_count, error));
    MCD_TRY(MCD_NEW(batch->choice, batch->count, error));
    batch->search.fix = batch->fix;
    batch->search.list = batch->list;
    batch->search.arrivals = &batch->arrivals;
    return MACADAM_OK;
}

void mcd_batch_clear(mcd_batch *batch)
{
    for (size_t b = 0; batch->block && b < batch->block_count; ++b) mcd_free(batch->block[b]);
    mcd_free(batch->trace);
    mcd_free(batch->viterbi);
    mcd_free(batch->fix);
    mcd_free(batch->interval);
    mcd_free(batch->order);
    mcd_free(batch->list);
    mcd_free(batch->block);
    mcd_free(batch->choice);
    mcd_lanes_free(&batch->arrivals);
    batch->trace = NULL, batch->viterbi = NULL, batch->fix = NULL, batch->interval = NULL,
    batch->order = NULL;
    batch->list = NULL, batch->block = NULL, batch->choice = NULL;
}

static macadam_status find_candidates(mcd_batch *batch, macadam_error *error)
{
    const mcd_parallel *parallel = &batch->query->engine->parallel;
    MCD_TRY(mcd_watch_for(&batch->watch, parallel, trace_tasks(batch), read_task, batch, error));
    MCD_TRY(order_fixes(batch, error));
    MCD_TRY(mcd_watch_for(&batch->watch, parallel, batch->block_count, candidates_task, batch, error));
    MCD_TRY(task_status(batch, error));
    MCD_TRY(mcd_arrivals_find(&batch->arrivals, &batch->search, batch->count, error));
    return mcd_watch_for(&batch->watch, parallel, trace_tasks(batch), link_task, batch, error);
}

/* ---- rounds ---- */

/* The moves of a round and their transitions. */
typedef struct round_moves {
    mcd_move *move; /* [ROUND_FIXES] */
    size_t count, cell_count;
    size_t *first_cell;   /* [ROUND_FIXES] */
    mcd_transition *cell; /* [ROUND_CELLS + the most of one move] */
} round_moves;

static void list_moves(round_moves *round, mcd_batch *batch, size_t first)
{
    size_t i = first;
    round->count = round->cell_count = 0;
    for (; i < batch->count && i - first < ROUND_FIXES && round->cell_count < ROUND_CELLS; ++i) {
        const uint32_t from = batch->fix[i].previous;
        round->first_cell[i - first] = SIZE_MAX;
        if (batch->fix[i].status || from == MCD_FIX_NONE ||
            !mcd_move_is_possible(&batch->search, from, (uint32_t)i))
            continue;
        round->first_cell[i - first] = round->cell_count;
        round->move[round->count++] = (mcd_move){from, (uint32_t)i, round->cell_count};
        round->cell_count += (size_t)batch->list[from].count * batch->list[i].count;
    }
    batch->prepared = (mcd_prepared){first, i, round->first_cell, round->cell};
}

static void viterbi_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    mcd_batch *batch = argument;
    const size_t first = batch->round_trace + index * TRACES_PER_TASK;
    for (size_t i = first; i < first + TRACES_PER_TASK && i < batch->traces; ++i) {
        if (batch->trace[i].first >= batch->prepared.end) return;
        const macadam_status status =
            mcd_viterbi_advance(&batch->viterbi[i], &batch->search, &batch->prepared, batch->prepared.end,
                                batch->choice, &batch->watch, NULL);
        if (status) fail_task(batch, status);
    }
}

/* Returns the first trace from `trace` on that begins at `fix` or later. */
static size_t first_trace_at(const mcd_batch *batch, size_t trace, size_t fix)
{
    while (trace < batch->traces && batch->trace[trace].first < fix) ++trace;
    return trace;
}

static macadam_status run_round(mcd_batch *batch, round_moves *round, size_t first, macadam_error *error)
{
    const mcd_parallel *parallel = &batch->query->engine->parallel;
    list_moves(round, batch, first);
    MCD_TRY(mcd_transitions_find(&batch->search, parallel, &batch->query->progress, round->move, round->count,
                                 round->cell, error));
    const size_t traces = first_trace_at(batch, batch->round_trace, batch->prepared.end) - batch->round_trace;
    MCD_TRY(mcd_watch_for(&batch->watch, parallel, (traces + TRACES_PER_TASK - 1) / TRACES_PER_TASK,
                          viterbi_task, batch, error));
    MCD_TRY(task_status(batch, error));
    while (batch->round_trace < batch->traces && batch->trace[batch->round_trace].end <= batch->prepared.end)
        ++batch->round_trace;
    return MACADAM_OK;
}

static macadam_status run_rounds(mcd_batch *batch, macadam_error *error)
{
    round_moves round = {0};
    const size_t cells = ROUND_CELLS + (size_t)MCD_CANDIDATES_MAX * MCD_CANDIDATES_MAX;
    macadam_status status = MCD_NEW(round.move, ROUND_FIXES, error);
    if (!status) status = MCD_NEW(round.first_cell, ROUND_FIXES, error);
    if (!status) status = MCD_NEW(round.cell, cells, error);
    batch->round_trace = 0;
    for (size_t first = 0; first < batch->count && !status; first = batch->prepared.end)
        status = run_round(batch, &round, first, error);
    mcd_free(round.move);
    mcd_free(round.first_cell);
    mcd_free(round.cell);
    return status;
}

/* ---- batches ---- */

/* Chooses the traces of the batch: at least one, and no more fixes than a batch has. */
static void choose_traces(mcd_batch *batch, size_t first_trace)
{
    batch->first_trace = first_trace;
    batch->first_point = mcd_batch_trace_first(batch, first_trace);
    batch->traces = 1;
    while (first_trace + batch->traces < batch->trace_count &&
           mcd_batch_trace_first(batch, first_trace + batch->traces + 1) - batch->first_point <=
               MCD_BATCH_FIXES)
        ++batch->traces;
    batch->count = mcd_batch_trace_first(batch, first_trace + batch->traces) - batch->first_point;
}

macadam_status mcd_batch_run(mcd_batch *batch, size_t first_trace, macadam_error *error)
{
    choose_traces(batch, first_trace);
    MCD_TRY(allocate_batch(batch, error));
    MCD_TRY(find_candidates(batch, error));
    return run_rounds(batch, error);
}

/* Returns the most fixes of a batch. */
static size_t most_fixes(const mcd_batch *batch)
{
    size_t most = mcd_size_min(MCD_BATCH_FIXES, batch->request->point_count);
    for (size_t i = 0; i < batch->trace_count; ++i)
        most = mcd_size_max(most, mcd_batch_trace_first(batch, i + 1) - mcd_batch_trace_first(batch, i));
    return most;
}

macadam_status mcd_batch_begin(mcd_batch *batch, macadam_error *error)
{
    const size_t threads = batch->query->engine->parallel.thread_count;
    const uint64_t fix_bytes = sizeof(mcd_fix) + sizeof(mcd_candidate_list) + sizeof(mcd_choice) +
                               2 * sizeof(uint32_t) + 2 * sizeof(uint64_t) +
                               MCD_CANDIDATES_MAX * sizeof(mcd_candidate);
    const uint64_t round_bytes = (uint64_t)ROUND_CELLS * 4 * sizeof(mcd_transition);
    const uint64_t fixes = most_fixes(batch), arcs = batch->query->engine->graph.arc_count,
                   arrivals = mcd_size_min(fixes * MCD_CANDIDATES_MAX, arcs);
    MCD_TRY(mcd_query_reserve(
        batch->query, fixes * fix_bytes + arrivals * (sizeof(mcd_position) + sizeof(mcd_lane)) + round_bytes,
        "the longest trace", error));
    batch->watch = mcd_watch_of(&batch->query->progress, "matching");
    MCD_TRY(MCD_NEW_ZEROED(batch->worker, threads, error));
    for (size_t w = 0; w < threads; ++w) {
        mcd_batch_worker *worker = &batch->worker[w];
        worker->memory = mcd_allocate_zeroed(1, mcd_road_memory_bytes());
        if (!worker->memory) return mcd_fail_memory(error, mcd_road_memory_bytes(), "roads");
        MCD_TRY(MCD_NEW(worker->candidate, (size_t)MCD_BATCH_FIXES_PER_TASK * MCD_CANDIDATES_MAX, error));
    }
    return MACADAM_OK;
}

void mcd_batch_end(mcd_batch *batch)
{
    for (size_t w = 0; batch->worker && w < batch->query->engine->parallel.thread_count; ++w) {
        mcd_free(batch->worker[w].memory);
        mcd_free(batch->worker[w].candidate);
    }
    mcd_free(batch->worker);
    batch->worker = NULL;
}
