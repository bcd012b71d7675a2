/* batch.c - see batch.h.
 *
 * Method. The candidates of all fixes are found first, those that are near each other one after the other.
 * Then the batch goes in rounds: the transitions of some thousand moves, and the Viterbi steps over them. */
#include "engine/match/batch.h"

#include "engine/base/grow.h"
#include "engine/base/sort.h"
#include "engine/map/locality.h"
#include "engine/query/routes/route.h"

enum {
    FIXES_LEAST = 1 << 11,      /* smaller batches find fewer neighbours */
    BATCHES_PER_THREAD = 4,     /* at least, so that several threads end together */
    NEIGHBOURS_E7 = 30000,      /* a box of fixes is at most 330 m high */
    ROUND_CELLS = 1 << 6,       /* for each fix of a round, together */
    TURN_DRIVEN = 10 * MCD_NAT, /* turning round on a road: in a car, rarely; */
    TURN_FREE = MCD_NAT,        /* else, freely: more than a point that is a little wrong */
    HASTE_DRIVEN_MS = 5000,
    HASTE_MS = 20000, /* at a third of the speed */
};

size_t mcd_match_trace_first(const mcd_match *match, size_t trace)
{
    return match->request->first ? match->request->first[trace]
           : trace == 0          ? 0
                                 : match->request->point_count;
}

/* Returns the trace at which the batch that begins with `trace` ends. */
static size_t batch_end(const mcd_match *match, size_t trace)
{
    const unsigned threads = match->parallel.thread_count;
    const size_t share = match->request->point_count / (threads > 1 ? threads * BATCHES_PER_THREAD : 1),
                 most = mcd_size_max(FIXES_LEAST, mcd_size_min(match->batch_fixes, share)),
                 first = mcd_match_trace_first(match, trace);
    for (++trace; trace < match->trace_count; ++trace)
        if (mcd_match_trace_first(match, trace + 1) - first > most) break;
    return trace;
}

/* Returns the number of fixes of a batch. */
static size_t fixes_of(const mcd_match *match, size_t batch)
{
    return mcd_match_trace_first(match, match->batch_first[batch + 1]) -
           mcd_match_trace_first(match, match->batch_first[batch]);
}

macadam_status mcd_match_divide(mcd_match *match, macadam_error *error)
{
    const macadam_engine *const engine = match->query->engine;
    size_t fixes = 0, count = 0;
    for (size_t trace = 0; trace < match->trace_count; ++count) trace = batch_end(match, trace);
    MCD_TRY(MCD_NEW(match->batch_first, count + 1, error));
    match->batch_count = count;
    match->batch_first[0] = 0;
    for (size_t i = 0; i < count; ++i) {
        match->batch_first[i + 1] = batch_end(match, match->batch_first[i]);
        fixes = mcd_size_max(fixes, fixes_of(match, i));
    }
    const uint64_t fix_bytes = sizeof(mcd_fix) + sizeof(mcd_candidate_list) + sizeof(mcd_choice) +
                               2 * sizeof(uint64_t) + MCD_CANDIDATES_MAX * sizeof(mcd_candidate),
                   lanes = mcd_size_min(2 * fixes * MCD_CANDIDATES_MAX, engine->graph.arc_count),
                   batch_bytes = fixes * fix_bytes + lanes * (sizeof(mcd_position) + sizeof(mcd_lane)) +
                                 (uint64_t)match->round_fixes * ROUND_CELLS * 4 * sizeof(mcd_transition),
                   waypoint_bytes = match->request->point_count * sizeof(mcd_match_waypoint);
    return mcd_query_reserve(match->query,
                             waypoint_bytes + mcd_size_min(count, match->parallel.thread_count) * batch_bytes,
                             "the longest trace", error);
}

/* ---- fixes and candidates ---- */

/* Neighbours in the order that share the leaves of the index. */
typedef struct neighbours {
    size_t end;            /* in the order */
    mcd_snap_area *leaves; /* NULL: too many; each searches for itself */
} neighbours;

/* Widens the box by a point, unless it then were too wide. */
static bool widen(mcd_snap_box *box, mcd_point at)
{
    mcd_snap_box wider = *box;
    mcd_snap_enclose(&wider, &(mcd_snap_line){at, at});
    if ((int64_t)wider.east_e7 - wider.west_e7 > NEIGHBOURS_E7 ||
        (int64_t)wider.north_e7 - wider.south_e7 > NEIGHBOURS_E7)
        return false;
    *box = wider;
    return true;
}

static neighbours neighbours_from(const mcd_batch *batch, const uint64_t *order, size_t first,
                                  mcd_snap_area *leaves)
{
    const mcd_point at = batch->fix[(uint32_t)order[first]].at;
    mcd_snap_box box = {at.lon_e7, at.lat_e7, at.lon_e7, at.lat_e7};
    double radius_m = 0;
    size_t end = first;
    for (; end < batch->count; ++end) {
        const mcd_fix *fix = &batch->fix[(uint32_t)order[end]];
        if (fix->status) continue;
        if (!widen(&box, fix->at)) break;
        radius_m = fmax(radius_m, mcd_candidates_radius_m(fix));
    }
    const bool shared = mcd_snap_area_find(leaves, batch->candidates.snap, &box, radius_m);
    return (neighbours){end, shared ? leaves : NULL};
}

static macadam_status list_candidates(mcd_batch *batch, const uint64_t *order, macadam_error *error)
{
    mcd_snap_area leaves;
    neighbours near = {0, NULL};
    size_t count = 0;
    /* Most of it is never touched, and takes no memory. */
    MCD_TRY(MCD_GROW(batch->candidate, batch->candidate_capacity, batch->count * MCD_CANDIDATES_MAX, error));
    for (size_t k = 0; k < batch->count; ++k) {
        mcd_fix *const fix = &batch->fix[(uint32_t)order[k]];
        mcd_candidate_list *const list = &batch->list[(uint32_t)order[k]];
        if (!mcd_watch_goes_on(&batch->match->watch)) return MACADAM_E_CANCELLED;
        if (k == near.end) near = neighbours_from(batch, order, k, &leaves);
        list->count = fix->status ? 0
                                  : (uint32_t)mcd_candidates_find(&batch->candidates, batch->memory, fix,
                                                                  near.leaves, batch->candidate + count);
        if (!fix->status && list->count == 0) fix->status = MACADAM_MATCH_NO_ROAD;
        count += list->count;
    }
    batch->candidate_count = count;
    mcd_candidate *next = batch->candidate;
    for (size_t k = 0; k < batch->count; ++k) {
        mcd_candidate_list *const list = &batch->list[(uint32_t)order[k]];
        list->candidate = next;
        next += list->count;
    }
    return MACADAM_OK;
}

static macadam_status find_candidates(mcd_batch *batch, macadam_error *error)
{
    MCD_OWNED uint64_t *order = NULL;
    int64_t *interval; /* scratch */
    MCD_TRY(MCD_NEW(interval, batch->count, error));
    for (size_t i = 0; i < batch->trace_count; ++i) {
        mcd_trace *trace = &batch->trace[i];
        trace->first = mcd_match_trace_first(batch->match, batch->first_trace + i) - batch->first_point;
        trace->end = mcd_match_trace_first(batch->match, batch->first_trace + i + 1) - batch->first_point;
        mcd_fixes_read(batch->fix, trace, batch->match->request->point + batch->first_point,
                       batch->match->request, interval);
    }
    mcd_free(interval);
    MCD_TRY(MCD_NEW(order, batch->count, error));
    /* The fixes along the Hilbert curve, so that a search finds what the one before it read: their numbers are
     * the low halves of `order`. */
    MCD_OWNED uint64_t *scratch = NULL;
    MCD_TRY(MCD_NEW(scratch, batch->count, error));
    for (size_t i = 0; i < batch->count; ++i) {
        const uint32_t east = (uint32_t)batch->fix[i].at.lon_e7 + 1800000000,
                       north = (uint32_t)batch->fix[i].at.lat_e7 + 900000000;
        order[i] = (uint64_t)mcd_hilbert_index(east >> 16, north >> 16) << 32 | i;
    }
    MCD_TRY(mcd_sort_bits(order, scratch, batch->count, 32, 64, NULL, error));
    MCD_TRY(list_candidates(batch, order, error));
    for (size_t i = 0; i < batch->trace_count; ++i) mcd_fixes_link(batch->fix, &batch->trace[i]);
    return mcd_move_lanes_find(&batch->search.lane, batch->search.query, batch->candidate,
                               batch->candidate_count, error);
}

/* ---- rounds ---- */

/* The moves of a round and their transitions. */
typedef struct round_moves {
    size_t fixes_most, cells_most;
    mcd_move *move; /* [fixes_most] */
    size_t count, cell_count;
    size_t *first_cell;   /* [fixes_most] */
    mcd_transition *cell; /* [cells_most + the most of one move] */
    mcd_viterbi *viterbi; /* [traces of the batch] */
    size_t trace;         /* the first one that the rounds have not passed */
} round_moves;

static mcd_transitions list_moves(round_moves *round, const mcd_batch *batch, size_t first)
{
    size_t i = first;
    round->count = round->cell_count = 0;
    for (; i < batch->count && i - first < round->fixes_most && round->cell_count < round->cells_most; ++i) {
        const uint32_t from = batch->fix[i].previous;
        round->first_cell[i - first] = SIZE_MAX;
        if (batch->fix[i].status || from == MCD_FIX_NONE ||
            !mcd_move_is_possible(&batch->search, from, (uint32_t)i))
            continue;
        round->first_cell[i - first] = round->cell_count;
        round->move[round->count++] = (mcd_move){from, (uint32_t)i, round->cell_count};
        round->cell_count += (size_t)batch->list[from].count * batch->list[i].count;
    }
    return (mcd_transitions){first, i, round->first_cell, round->cell};
}

/* Runs the round that begins with a fix, and goes on to the next one. */
static macadam_status run_round(mcd_batch *batch, round_moves *round, size_t *fix, macadam_error *error)
{
    const mcd_watch *const watch = &batch->match->watch;
    const mcd_transitions transitions = list_moves(round, batch, *fix);
    if (!mcd_watch_goes_on(watch)) return MACADAM_E_CANCELLED;
    MCD_TRY(mcd_transitions_find(&batch->search, round->move, round->count, MCD_REACH_TIMELY, round->cell,
                                 error));
    for (size_t i = round->trace; i < batch->trace_count && batch->trace[i].first < transitions.end; ++i)
        MCD_TRY(mcd_viterbi_advance(&round->viterbi[i], &batch->search, &transitions, transitions.end,
                                    batch->choice, watch, error));
    while (round->trace < batch->trace_count && batch->trace[round->trace].end <= transitions.end)
        ++round->trace;
    *fix = transitions.end;
    return MACADAM_OK;
}

static macadam_status run_rounds(mcd_batch *batch, macadam_error *error)
{
    const size_t fixes = batch->match->round_fixes;
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {NULL}; /* of all arrays */
    round_moves round = {.fixes_most = fixes, .cells_most = fixes * ROUND_CELLS};
    const size_t cells = round.cells_most + (size_t)MCD_CANDIDATES_MAX * MCD_CANDIDATES_MAX;
    MCD_TRY(MCD_ARENA_NEW(&memory, round.move, fixes, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, round.first_cell, fixes, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, round.cell, cells, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, round.viterbi, batch->trace_count, error));
    for (size_t i = 0; i < batch->trace_count; ++i) mcd_viterbi_begin(&round.viterbi[i], &batch->trace[i]);
    for (size_t fix = 0; fix < batch->count;) MCD_TRY(run_round(batch, &round, &fix, error));
    return MACADAM_OK;
}

/* ---- batches ---- */

macadam_status mcd_batch_begin(mcd_batch *batch, mcd_match *match, macadam_error *error)
{
    const macadam_engine *const engine = match->query->engine;
    const bool driven = mcd_route_is_driven(engine);
    *batch = (mcd_batch){
        .match = match,
        .search = {.query = match->query,
                   .distance = match->distance,
                   .is_duration = match->is_duration,
                   .turn_penalty = driven ? TURN_DRIVEN : TURN_FREE,
                   .haste_ms = !match->is_duration ? 0
                               : driven            ? HASTE_DRIVEN_MS
                                                   : HASTE_MS,
                   .device = &match->device},
        .candidates = {&engine->roads, &engine->snap, match->query->weights},
    };
    return mcd_road_memory_new(&batch->memory, error);
}

void mcd_batch_end(mcd_batch *batch)
{
    MCD_FREE_ALL(batch->memory, batch->candidate);
    batch->memory = NULL;
    batch->candidate = NULL;
}

void mcd_batch_clear(mcd_batch *batch)
{
    mcd_arena_free(&batch->arena);
    mcd_free(batch->search.lane);
    batch->search.lane = NULL;
}

macadam_status mcd_batch_run(mcd_batch *batch, size_t index, macadam_error *error)
{
    batch->first_trace = batch->match->batch_first[index];
    batch->trace_count = batch->match->batch_first[index + 1] - batch->first_trace;
    batch->first_point = mcd_match_trace_first(batch->match, batch->first_trace);
    batch->count = fixes_of(batch->match, index);
    MCD_TRY(MCD_ARENA_NEW(&batch->arena, batch->trace, batch->trace_count, error));
    MCD_TRY(MCD_ARENA_NEW(&batch->arena, batch->fix, batch->count, error));
    MCD_TRY(MCD_ARENA_NEW(&batch->arena, batch->list, batch->count, error));
    MCD_TRY(MCD_ARENA_NEW(&batch->arena, batch->choice, batch->count, error));
    for (size_t i = 0; i < batch->count; ++i) batch->choice[i] = (mcd_choice){MCD_FIX_NONE, MCD_FIX_NONE, 0};
    batch->search.fix = batch->fix;
    batch->search.list = batch->list;
    MCD_TRY(find_candidates(batch, error));
    return run_rounds(batch, error);
}
