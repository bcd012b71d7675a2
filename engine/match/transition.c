/* transition.c - see transition.h.
 *
 * Method. A way leaves its candidate's arc at the head and enters the other's arc at the tail. So its cost is
 * that of the rest of the first arc, of the path between the arcs, and of the part of the second arc. The
 * paths between arcs are small matrices (kernels/backend.h), within a limit of the objective. Where no way is
 * within it, a second matrix has a wider limit.
 * The penalty is that of Newson and Krumm (2009): exponential in the difference between the length of the way
 * and that of the straight line. One for the time that the way takes comes in addition: people prefer fast
 * ways, and those over the wrong side of a road or through side streets are slow. tests/bench/match chose the
 * numbers. */
#include "engine/match/transition.h"

#include "engine/base/memory.h"

#include <stdlib.h>

enum {
    MOVES_PER_TASK = 64,
    DETOUR_MAX_CM = 200000, /* a way is longer than the line by at most this much, as in OSRM */
    SPEED_MAX_CMS = 7000,   /* 252 km/h */
    SPEED_SLACK_CMS = 500,  /* over twice the speed that receivers tell */
    SLOWEST_CMS = 400,      /* as in OSRM: what the widest limit is for */
    LIMIT_SLACK_MS = 10000, /* turns and signals */
    SPREAD_CM = 300,        /* mean difference between a way and its line: this, and a share of the line */
    SPREAD_SHARE = 10,
    HASTE_MS = 10000, /* a way that takes so much longer is less probable by a factor of e */
};

/* ---- what is plausible ---- */

static uint32_t min_u32(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* Returns the length of the longest plausible way. */
static uint32_t distance_max_cm(const mcd_fix *from, const mcd_fix *to, uint32_t line_cm)
{
    const uint64_t detour = (uint64_t)line_cm + DETOUR_MAX_CM;
    const int64_t interval = mcd_fix_interval_ms(from, to);
    if (interval == MCD_TIME_NONE) return min_u32(detour, MCD_WEIGHT_MAX);
    uint64_t speed = SPEED_MAX_CMS;
    if (from->speed_cms && to->speed_cms) {
        const uint64_t told = from->speed_cms > to->speed_cms ? from->speed_cms : to->speed_cms;
        speed = min_u32(speed, 2 * told + SPEED_SLACK_CMS);
    }
    const uint64_t slack = 3 * ((uint64_t)from->accuracy_cm + to->accuracy_cm);
    const uint64_t time = min_u32((uint64_t)interval, MCD_WEIGHT_MAX);
    return min_u32(min_u32(detour, speed * time / 1000 + slack), MCD_WEIGHT_MAX);
}

bool mcd_move_is_possible(const mcd_move_search *search, uint32_t from, uint32_t to)
{
    const mcd_fix *a = &search->fix[from], *b = &search->fix[to];
    const uint32_t line = mcd_fix_line_cm(search->fix, from, to);
    const uint64_t slack = 3 * ((uint64_t)a->accuracy_cm + b->accuracy_cm); /* the radii of candidates */
    return line <= distance_max_cm(a, b, line) + slack;
}

/* Returns the largest objective of ways that are looked for, first or in the second attempt. */
static mcd_weight limit_of(const mcd_move_search *search, const mcd_move *move, bool again)
{
    const mcd_fix *from = &search->fix[move->from], *to = &search->fix[move->to];
    const uint32_t line = mcd_fix_line_cm(search->fix, move->from, move->to),
                   distance_max = distance_max_cm(from, to, line);
    if (!search->is_duration) return distance_max;
    const uint64_t widest = (uint64_t)distance_max * 1000 / SLOWEST_CMS;
    const int64_t interval = mcd_fix_interval_ms(from, to);
    if (again || interval == MCD_TIME_NONE) return min_u32(widest, MCD_WEIGHT_MAX);
    const uint64_t time = min_u32((uint64_t)interval, MCD_WEIGHT_MAX);
    return min_u32(2 * time + LIMIT_SLACK_MS, MCD_WEIGHT_MAX);
}

static uint32_t penalty_of(const mcd_move_search *search, mcd_weight objective, uint32_t distance_cm,
                           uint32_t line_cm)
{
    const uint64_t difference = distance_cm > line_cm ? distance_cm - line_cm : line_cm - distance_cm;
    const uint64_t penalty = difference * MCD_NAT / (SPREAD_CM + line_cm / SPREAD_SHARE),
                   haste = search->is_duration ? (uint64_t)objective * MCD_NAT / HASTE_MS : 0;
    return min_u32(penalty + haste, MCD_IMPLAUSIBLE - 1);
}

/* ---- parts of arcs ---- */

static mcd_weight share_of(mcd_weight weight, uint32_t before)
{
    return (mcd_weight)((uint64_t)weight * before >> 32);
}

int64_t mcd_behind_cm(const mcd_move_search *search, const mcd_candidate *from, const mcd_candidate *to)
{
    const mcd_weight length = search->distance[from->arc];
    return (int64_t)share_of(length, from->before) - share_of(length, to->before);
}

/* ---- the paths between arcs ---- */

/* The arcs at which moves arrive, each once, with their lanes. */
typedef struct arrivals {
    uint32_t *slot; /* [slot_count] hash table: an arc's index among the arcs + 1; 0: free */
    size_t slot_count, count;
    mcd_position *position; /* [count] */
    mcd_lanes lanes;        /* takes over the positions */
} arrivals;

typedef struct moves_run {
    const mcd_move_search *search;
    const mcd_move *move;
    size_t count;
    mcd_transition *cell;
    bool again;
    arrivals arrivals;
    mcd_lane *source_lane;
    uint32_t *source, *target; /* of the matrices */
    uint32_t *arrival;         /* of the moves' second candidates, one move after the other */
    size_t *first_arrival;     /* [count] */
    mcd_small_matrix *matrix;  /* [count] */
    uint32_t *objective, *companion;
    bool *found; /* [count] the move has a transition */
} moves_run;

/* Returns the slot of an arc: its own, or a free one. */
static size_t slot_of(const arrivals *of, uint32_t arc)
{
    size_t slot = arc * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (of->slot_count - 1);
    while (of->slot[slot] && of->position[of->slot[slot] - 1].arc[0] != arc)
        slot = (slot + 1) & (of->slot_count - 1);
    return slot;
}

/* Returns the index of an arc among the arrivals; adds it if it is new. */
static uint32_t arrival_of(arrivals *to, uint32_t arc)
{
    const size_t slot = slot_of(to, arc);
    if (!to->slot[slot]) {
        to->position[to->count] = (mcd_position){MCD_PLACE_NONE, {arc, MCD_ROAD_NONE}, {0, MCD_ROAD_WHOLE}};
        to->slot[slot] = (uint32_t)++to->count;
    }
    return to->slot[slot] - 1;
}

static macadam_status list_arrivals(moves_run *run, const mcd_parallel *parallel, macadam_error *error)
{
    const mcd_query *const query = run->search->query;
    arrivals *const to = &run->arrivals;
    size_t most = 0, at = 0;
    for (size_t m = 0; m < run->count; ++m) most += run->search->list[run->move[m].to].count;
    for (to->slot_count = 16; to->slot_count < 2 * most;) to->slot_count *= 2;
    MCD_TRY(MCD_NEW_ZEROED(to->slot, to->slot_count, error));
    MCD_TRY(MCD_NEW(to->position, most, error));
    MCD_TRY(MCD_NEW(run->arrival, most, error));
    MCD_TRY(MCD_NEW(run->first_arrival, run->count, error));
    for (size_t m = 0; m < run->count; ++m) {
        const mcd_candidate_list *list = &run->search->list[run->move[m].to];
        run->first_arrival[m] = at;
        for (uint32_t i = 0; i < list->count; ++i)
            run->arrival[at++] = arrival_of(to, list->candidate[i].arc);
    }
    mcd_position *const position = to->position; /* which the lanes take over */
    to->position = NULL;
    return mcd_lanes_new(&to->lanes, &query->engine->places, &query->engine->roads, &query->metric->weights,
                         parallel, position, to->count, MCD_ARRIVE, error);
}

/* Returns how many lanes the i-th second candidate of a move has; *first is the first of them. */
static uint32_t lanes_of(const moves_run *run, size_t m, uint32_t i, size_t *first)
{
    const size_t place = run->arrival[run->first_arrival[m] + i];
    *first = mcd_lanes_first(&run->arrivals.lanes, place);
    return (uint32_t)(mcd_lanes_first(&run->arrivals.lanes, place + 1) - *first);
}

static void list_sources(moves_run *run, mcd_small_matrix *matrix, const mcd_candidate_list *list)
{
    const mcd_graph *graph = &run->search->query->engine->graph;
    for (uint32_t i = 0; i < list->count; ++i) {
        const uint32_t at = matrix->first_source + i;
        run->source[at] = at;
        run->source_lane[at] = mcd_lane_of(graph->head[list->candidate[i].arc]);
    }
}

/* Appends the lanes of the second candidates of a move, from target `count` on. */
static void list_targets(moves_run *run, size_t m, size_t count)
{
    for (uint32_t i = 0; i < run->search->list[run->move[m].to].count; ++i) {
        size_t first;
        const uint32_t lanes = lanes_of(run, m, i, &first);
        for (size_t l = first; l < first + lanes; ++l) run->target[count++] = (uint32_t)l;
    }
}

static size_t count_targets(const moves_run *run, size_t m)
{
    size_t count = 0, first;
    for (uint32_t i = 0; i < run->search->list[run->move[m].to].count; ++i)
        count += lanes_of(run, m, i, &first);
    return count;
}

static macadam_status list_matrices(moves_run *run, macadam_error *error)
{
    const mcd_move_search *search = run->search;
    size_t sources = 0, targets = 0, cells = 0;
    MCD_TRY(MCD_NEW(run->matrix, run->count, error));
    for (size_t m = 0; m < run->count; ++m) {
        mcd_small_matrix *matrix = &run->matrix[m];
        matrix->first_source = (uint32_t)sources;
        matrix->first_target = (uint32_t)targets;
        matrix->first_cell = cells;
        matrix->source_count = search->list[run->move[m].from].count;
        matrix->target_count = (uint32_t)count_targets(run, m);
        matrix->limit = limit_of(search, &run->move[m], run->again);
        sources += matrix->source_count;
        targets += matrix->target_count;
        cells += (size_t)matrix->source_count * matrix->target_count;
    }
    MCD_TRY(MCD_NEW(run->source, sources, error));
    MCD_TRY(MCD_NEW(run->source_lane, sources, error));
    MCD_TRY(MCD_NEW(run->target, targets, error));
    MCD_TRY(MCD_NEW(run->objective, cells, error));
    if (search->query->metric->weights.companion) MCD_TRY(MCD_NEW(run->companion, cells, error));
    for (size_t m = 0; m < run->count; ++m) {
        list_sources(run, &run->matrix[m], &search->list[run->move[m].from]);
        list_targets(run, m, run->matrix[m].first_target);
    }
    return MACADAM_OK;
}

/* ---- transitions ---- */

/* Returns the way along the arc of both candidates. */
static mcd_joint along(const mcd_weights *weights, const mcd_candidate *from, const mcd_candidate *to)
{
    const mcd_weight objective = weights->objective[from->arc],
                     companion = weights->companion ? weights->companion[from->arc] : 0;
    if (from->before > to->before) return 0; /* standing */
    return mcd_joint_of(share_of(objective, to->before) - share_of(objective, from->before),
                        share_of(companion, to->before) - share_of(companion, from->before));
}

/* Returns the way over the best of the arrival's lanes, whose paths are cells first <= i < first + count. */
static mcd_joint over(const moves_run *run, const mcd_candidate *from, const mcd_candidate *to, size_t first,
                      size_t count)
{
    const mcd_weights *weights = &run->search->query->metric->weights;
    mcd_joint best = MCD_JOINT_UNREACHED;
    for (size_t i = first; i < first + count; ++i) {
        if (run->objective[i] == MCD_COST_UNREACHED) continue;
        const mcd_joint path = mcd_joint_of(run->objective[i], run->companion ? run->companion[i] : 0);
        if (path < best) best = path;
    }
    const mcd_weight objective = weights->objective[from->arc] -
                                 share_of(weights->objective[from->arc], from->before),
                     then = share_of(weights->objective[to->arc], to->before);
    mcd_weight companion = 0, then_companion = 0;
    if (weights->companion) {
        companion = weights->companion[from->arc] - share_of(weights->companion[from->arc], from->before);
        then_companion = share_of(weights->companion[to->arc], to->before);
    }
    return mcd_joint_add(mcd_joint_add(mcd_joint_of(objective, companion), best),
                         mcd_joint_of(then, then_companion));
}

static mcd_transition transition_of(const mcd_move_search *search, mcd_joint way, uint32_t line_cm,
                                    uint32_t distance_max)
{
    const mcd_weights *weights = &search->query->metric->weights;
    const mcd_weight distance =
        search->distance == weights->objective ? mcd_joint_objective(way) : mcd_joint_companion(way);
    mcd_transition out = {mcd_joint_objective(way), distance, MCD_IMPLAUSIBLE};
    const bool reached = out.objective < MCD_UNREACHED && distance < MCD_UNREACHED;
    if (reached && distance <= distance_max)
        out.penalty = penalty_of(search, out.objective, distance, line_cm);
    return out;
}

static void price_move(const moves_run *run, size_t m)
{
    const mcd_move_search *search = run->search;
    const mcd_move *move = &run->move[m];
    const mcd_small_matrix *matrix = &run->matrix[m];
    const mcd_fix *a = &search->fix[move->from], *b = &search->fix[move->to];
    const mcd_candidate_list *from = &search->list[move->from], *to = &search->list[move->to];
    const uint32_t line_cm = mcd_fix_line_cm(search->fix, move->from, move->to),
                   distance_max = distance_max_cm(a, b, line_cm);
    size_t column = 0;
    run->found[m] = false;
    for (uint32_t t = 0; t < to->count; ++t) {
        const mcd_candidate *target = &to->candidate[t];
        size_t lane;
        const uint32_t lane_count = lanes_of(run, m, t, &lane);
        for (uint32_t s = 0; s < from->count; ++s) {
            const mcd_candidate *source = &from->candidate[s];
            const int64_t behind =
                source->arc == target->arc ? mcd_behind_cm(search, source, target) : INT64_MAX;
            const bool direct = source->arc == target->arc && (source->before <= target->before ||
                                                               behind == 0 || mcd_is_standing(a, b, behind));
            const size_t first = matrix->first_cell + (size_t)s * matrix->target_count + column;
            const mcd_joint way = direct ? along(&search->query->metric->weights, source, target)
                                         : over(run, source, target, first, lane_count);
            mcd_transition *cell = &run->cell[move->first_cell + (size_t)s * to->count + t];
            *cell = transition_of(search, way, line_cm, distance_max);
            run->found[m] |= cell->penalty != MCD_IMPLAUSIBLE;
        }
        column += lane_count;
    }
}

static void price_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const moves_run *run = argument;
    const size_t end = mcd_size_min((index + 1) * MOVES_PER_TASK, run->count);
    for (size_t m = index * MOVES_PER_TASK; m < end; ++m) price_move(run, m);
}

static macadam_status run_moves(moves_run *run, const mcd_parallel *parallel, const mcd_progress *progress,
                                macadam_error *error)
{
    const mcd_query *query = run->search->query;
    MCD_TRY(list_arrivals(run, parallel, error));
    MCD_TRY(list_matrices(run, error));
    MCD_TRY(MCD_NEW(run->found, run->count, error));
    const mcd_matrices_job job = {.weights = &query->metric->weights,
                                  .source_lane = run->source_lane,
                                  .target_lane = run->arrivals.lanes.lane,
                                  .source = run->source,
                                  .target = run->target,
                                  .matrix = run->matrix,
                                  .matrix_count = run->count,
                                  .objective = run->objective,
                                  .companion = run->companion,
                                  .parallel = *parallel,
                                  .progress = *progress};
    MCD_TRY(query->backend->matrices(&job, error));
    mcd_parallel_for(parallel, (run->count + MOVES_PER_TASK - 1) / MOVES_PER_TASK, price_task, run);
    return MACADAM_OK;
}

static void free_run(moves_run *run)
{
    mcd_free(run->arrivals.slot);
    mcd_free(run->arrivals.position);
    mcd_free(run->arrival);
    mcd_free(run->first_arrival);
    mcd_lanes_free(&run->arrivals.lanes);
    mcd_free(run->source_lane);
    mcd_free(run->source);
    mcd_free(run->target);
    mcd_free(run->matrix);
    mcd_free(run->objective);
    mcd_free(run->companion);
    mcd_free(run->found);
}

/* Runs the moves; *lost lists those that have no transition. */
static macadam_status attempt(moves_run *run, const mcd_parallel *parallel, const mcd_progress *progress,
                              mcd_move **lost, size_t *lost_count, macadam_error *error)
{
    MCD_TRY(run_moves(run, parallel, progress, error));
    *lost_count = 0;
    for (size_t m = 0; m < run->count; ++m) *lost_count += !run->found[m];
    if (*lost_count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW(*lost, *lost_count, error));
    for (size_t m = 0, l = 0; m < run->count; ++m)
        if (!run->found[m]) (*lost)[l++] = run->move[m];
    return MACADAM_OK;
}

macadam_status mcd_transitions_find(const mcd_move_search *search, const mcd_parallel *parallel,
                                    const mcd_progress *progress, const mcd_move *move, size_t count,
                                    mcd_transition *cell, macadam_error *error)
{
    if (count == 0) return MACADAM_OK;
    mcd_move *lost = NULL, *still = NULL;
    size_t lost_count = 0, still_count;
    moves_run run = {.search = search, .move = move, .count = count, .cell = cell};
    macadam_status status = attempt(&run, parallel, progress, &lost, &lost_count, error);
    free_run(&run);
    if (!status && lost_count > 0 && search->is_duration) {
        moves_run again = {.search = search, .move = lost, .count = lost_count, .cell = cell, .again = true};
        status = attempt(&again, parallel, progress, &still, &still_count, error);
        free_run(&again);
    }
    mcd_free(lost);
    mcd_free(still);
    return status;
}
