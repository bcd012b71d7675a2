/* transition.c - see transition.h.
 *
 * Method. A way leaves its candidate's arc at the head and enters the other's arc at the tail. So its cost is
 * that of the rest of the first arc, of the path between the arcs, and of the part of the second arc. The
 * paths between arcs are small matrices (kernels/backend.h), within a limit of the objective.
 * The penalty is that of Newson and Krumm (2009): exponential in the difference between the length of the way
 * and that of the straight line. One for the time that the way takes comes in addition: people prefer fast
 * ways, and those over the wrong side of a road or through side streets are slow. tests/bench/match chose the
 * numbers. */
#include "engine/match/transition.h"

#include "engine/base/arena.h"

enum {
    DETOUR_MAX_CM = 200000, /* a way is longer than the line by at most this much, as in OSRM */
    SPEED_MAX_CMS = 7000,   /* 252 km/h */
    SPEED_SLACK_CMS = 500,  /* over twice the speed that receivers report */
    SLOWEST_CMS = 400,      /* as in OSRM: what the widest limit is for */
    WAITS_MS = 30000,       /* at turns, signals and barriers, which take no time if one is lucky */
    SPREAD_CM = 300,        /* mean difference between a way and its line: this, and shares of the line */
    SPREAD_LINE = 10,
    SPREAD_ACCURACY = 5, /* and of the accuracies, of which no more counts than this: */
    ACCURACY_MOST_CM = 3000,
    SPREAD_CMS = 100, /* and this for each second beyond LONG_MS, as roads wind */
    LONG_MS = 15000,
    BACK_ACCURACIES = 2, /* a fix that is farther back by as many accuracies of both counts as standing */
    DEVICE_MOVES = 256,  /* fewer are faster on the host */
    MOVES_AHEAD = 3,     /* whose memory is prefetched */
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

mcd_weight mcd_move_limit(const mcd_move_search *search, uint32_t from, uint32_t to, mcd_reach reach)
{
    const mcd_fix *a = &search->fix[from], *b = &search->fix[to];
    const uint32_t distance_max = distance_max_cm(a, b, mcd_fix_line_cm(search->fix, from, to));
    if (search->distance == search->query->weights->objective) return distance_max;
    if (!search->is_duration) return MCD_WEIGHT_MAX; /* of no known measure */
    const uint64_t widest = (uint64_t)distance_max * 1000 / SLOWEST_CMS;
    const int64_t interval = mcd_fix_interval_ms(a, b);
    if (reach == MCD_REACH_WIDE || interval == MCD_TIME_NONE) return min_u32(widest, MCD_WEIGHT_MAX);
    const uint64_t time = min_u32((uint64_t)interval, MCD_WEIGHT_MAX);
    return min_u32(time + time / 2 + WAITS_MS, min_u32(widest, MCD_WEIGHT_MAX));
}

/* Returns the accuracies of both fixes as far as they count: points that are far apart have not stood. */
static uint32_t accuracies_cm(const mcd_fix *a, const mcd_fix *b)
{
    return min_u32(a->accuracy_cm, ACCURACY_MOST_CM) + min_u32(b->accuracy_cm, ACCURACY_MOST_CM);
}

/* The straight line of a move, and what its ways are measured by. */
typedef struct move_line {
    uint32_t cm, spread_cm;
    uint32_t distance_max_cm; /* of the ways */
} move_line;

static move_line line_of(const mcd_move_search *search, const mcd_move *move)
{
    const mcd_fix *a = &search->fix[move->from], *b = &search->fix[move->to];
    const uint32_t cm = mcd_fix_line_cm(search->fix, move->from, move->to);
    const int64_t interval = mcd_fix_interval_ms(a, b);
    const uint32_t beyond_ms = interval > LONG_MS ? min_u32((uint64_t)interval - LONG_MS, MCD_WEIGHT_MAX) : 0;
    const uint32_t winding_cm = beyond_ms / 1000 * SPREAD_CMS;
    const uint32_t accuracy_cm = accuracies_cm(a, b) / SPREAD_ACCURACY;
    return (move_line){cm, SPREAD_CM + cm / SPREAD_LINE + accuracy_cm + winding_cm,
                       distance_max_cm(a, b, cm)};
}

static uint32_t penalty_of(const mcd_move_search *search, mcd_weight objective, uint32_t distance_cm,
                           const move_line *line)
{
    const uint64_t difference = distance_cm > line->cm ? distance_cm - line->cm : line->cm - distance_cm;
    const uint64_t penalty = mcd_move_nats(difference, line->spread_cm),
                   haste = mcd_move_haste(search, objective);
    return min_u32(penalty + haste, MCD_IMPLAUSIBLE - 1);
}

bool mcd_move_stays(const mcd_move_search *search, const mcd_fix *a, const mcd_candidate *from,
                    const mcd_fix *b, const mcd_candidate *to)
{
    if (from->arc != to->arc) return false;
    const mcd_weight length = search->distance[from->arc];
    const int64_t back_cm =
        (int64_t)mcd_road_share(length, 0, from->before) - mcd_road_share(length, 0, to->before);
    return back_cm <= BACK_ACCURACIES * (int64_t)accuracies_cm(a, b);
}

/* ---- lanes ---- */

/* Distinct numbers in a hash table. */
typedef struct number_list {
    uint32_t *slot; /* [slot_count] an index + 1; 0: free */
    size_t slot_count, count;
    uint32_t *number; /* [count] */
} number_list;

static macadam_status begin_list(number_list *list, size_t most, macadam_error *error)
{
    for (list->slot_count = 16; list->slot_count < 2 * most;) list->slot_count *= 2;
    MCD_TRY(MCD_NEW_ZEROED(list->slot, list->slot_count, error));
    return MCD_NEW(list->number, most, error);
}

MCD_DEFINE_STATIC_FREE(free_list, number_list, it->slot, it->number)

/* Returns the index of a number; adds it if it is new. */
static uint32_t index_of(number_list *list, uint32_t number)
{
    size_t slot = number * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (list->slot_count - 1);
    while (list->slot[slot] && list->number[list->slot[slot] - 1] != number)
        slot = (slot + 1) & (list->slot_count - 1);
    if (!list->slot[slot]) {
        list->number[list->count] = number;
        list->slot[slot] = (uint32_t)++list->count;
    }
    return list->slot[slot] - 1;
}

/* Makes the lanes that arrive at arcs whose tails are split. */
static macadam_status arrive_at(mcd_lanes *out, const mcd_query *query, const number_list *arcs,
                                macadam_error *error)
{
    const mcd_parallel one_thread = {1, NULL};
    macadam_engine *const engine = query->engine;
    *out = (mcd_lanes){
        .end = MCD_ARRIVE, .roads = &engine->roads, .weights = query->weights, .place_count = arcs->count};
    MCD_TRY(MCD_NEW(out->position, arcs->count, error));
    for (size_t i = 0; i < arcs->count; ++i)
        out->position[i] =
            (mcd_position){MCD_PLACE_NONE, {arcs->number[i], MCD_ROAD_NONE}, {0, MCD_ROAD_WHOLE}, {0, 0}};
    return mcd_lanes_make(&out, 1, engine, &one_thread, NULL, NULL, error);
}

macadam_status mcd_move_lanes_find(mcd_lane **out, const mcd_query *query, mcd_candidate *candidate,
                                   size_t count, macadam_error *error)
{
    MCD_FREED_BY(free_list) number_list nodes = {0}, arcs = {0};
    MCD_FREED_BY(mcd_lanes_free) mcd_lanes arrivals = {0};
    mcd_lane *lane;
    *out = NULL;
    MCD_TRY(begin_list(&nodes, 2 * count, error));
    MCD_TRY(begin_list(&arcs, count, error));
    for (size_t i = 0; i < count; ++i) {
        const bool split = candidate[i].arrival == MCD_NODE_NONE;
        candidate[i].departure = index_of(&nodes, candidate[i].departure);
        candidate[i].arrival =
            split ? index_of(&arcs, candidate[i].arc) : index_of(&nodes, candidate[i].arrival);
        candidate[i].arrival_count = !split;
    }
    MCD_TRY(arrive_at(&arrivals, query, &arcs, error));
    MCD_TRY(MCD_NEW(lane, nodes.count + arrivals.count, error));
    for (size_t i = 0; i < nodes.count; ++i) lane[i] = mcd_lane_of(nodes.number[i]);
    if (arrivals.count) memcpy(lane + nodes.count, arrivals.lane, arrivals.count * sizeof *lane);
    *out = lane;
    for (size_t i = 0; i < count; ++i) {
        if (candidate[i].arrival_count) continue;
        const size_t arc = candidate[i].arrival, first = mcd_lanes_first(&arrivals, arc);
        candidate[i].arrival = (uint32_t)(nodes.count + first);
        candidate[i].arrival_count = (uint32_t)(mcd_lanes_first(&arrivals, arc + 1) - first);
    }
    return MACADAM_OK;
}

/* ---- the paths between arcs ---- */

/* Where the lanes of a move are in its matrix. */
typedef struct move_lanes {
    size_t first_row;    /* of its first candidates: row[first_row + i] */
    size_t first_column; /* of the lanes of its second candidates, one candidate after the other */
} move_lanes;

/* Candidates share lanes: arcs lead to the same head, or leave the same tail. So a matrix has each lane once. */
typedef struct moves_run {
    const mcd_move_search *search;
    const mcd_move *move;
    size_t count;
    mcd_transition *cell;
    mcd_reach reach;
    move_lanes *lanes; /* [count] */
    uint32_t *row, *column;
    uint32_t *source, *target; /* of the matrices */
    mcd_small_matrix *matrix;  /* [count] */
    uint32_t *objective, *companion;
    mcd_arena *arena; /* of all arrays */
} moves_run;

/* Returns the index of a lane in a list of distinct ones; adds it if it is new. */
static uint32_t add_lane(uint32_t *list, uint32_t *count, uint32_t lane)
{
    uint32_t at = 0;
    while (at < *count && list[at] != lane) ++at;
    if (at == *count) list[(*count)++] = lane;
    return at;
}

static void list_sources(moves_run *run, size_t m)
{
    const mcd_candidate_list *list = &run->search->list[run->move[m].from];
    mcd_small_matrix *matrix = &run->matrix[m];
    uint32_t *const row = run->row + run->lanes[m].first_row, *const source =
                                                                  run->source + matrix->first_source;
    for (uint32_t i = 0; i < list->count; ++i)
        row[i] = add_lane(source, &matrix->source_count, list->candidate[i].departure);
}

/* Lists the lanes of the second candidates of a move; returns how many there are. */
static size_t list_targets(moves_run *run, size_t m)
{
    const mcd_candidate_list *list = &run->search->list[run->move[m].to];
    mcd_small_matrix *matrix = &run->matrix[m];
    uint32_t *const target = run->target + matrix->first_target;
    uint32_t *const column = run->column + run->lanes[m].first_column;
    size_t count = 0;
    for (uint32_t i = 0; i < list->count; ++i)
        for (uint32_t l = 0; l < list->candidate[i].arrival_count; ++l)
            column[count++] = add_lane(target, &matrix->target_count, list->candidate[i].arrival + l);
    return count;
}

/* Fetches the second candidates of a move into the cache, some moves before they are used. */
static void prefetch_candidates(const moves_run *run, size_t m)
{
    if (m >= run->count) return;
    const mcd_candidate_list *to = &run->search->list[run->move[m].to];
    for (uint32_t i = 0; i < to->count; ++i) __builtin_prefetch(&to->candidate[i]);
}

/* Likewise for the weights of their arcs. */
static void prefetch_weights(const moves_run *run, size_t m)
{
    const mcd_weights *const weights = run->search->query->weights;
    if (m >= run->count) return;
    const mcd_candidate_list *to = &run->search->list[run->move[m].to];
    for (uint32_t i = 0; i < to->count; ++i) {
        __builtin_prefetch(&weights->objective[to->candidate[i].arc]);
        if (weights->companion) __builtin_prefetch(&weights->companion[to->candidate[i].arc]);
    }
}

static macadam_status allocate_lists(moves_run *run, macadam_error *error)
{
    const mcd_move_search *search = run->search;
    size_t rows = 0, columns = 0;
    for (size_t m = 0; m < run->count; ++m) {
        const mcd_candidate_list *to = &search->list[run->move[m].to];
        prefetch_candidates(run, m + MOVES_AHEAD);
        rows += search->list[run->move[m].from].count;
        for (uint32_t i = 0; i < to->count; ++i) columns += to->candidate[i].arrival_count;
    }
    MCD_TRY(MCD_ARENA_NEW(run->arena, run->matrix, run->count, error));
    MCD_TRY(MCD_ARENA_NEW(run->arena, run->lanes, run->count, error));
    MCD_TRY(MCD_ARENA_NEW(run->arena, run->row, rows, error));
    MCD_TRY(MCD_ARENA_NEW(run->arena, run->column, columns, error));
    MCD_TRY(MCD_ARENA_NEW(run->arena, run->source, rows, error));
    return MCD_ARENA_NEW(run->arena, run->target, columns, error);
}

static macadam_status list_matrices(moves_run *run, macadam_error *error)
{
    const mcd_move_search *search = run->search;
    mcd_small_matrix next = {0};
    move_lanes lanes = {0, 0};
    MCD_TRY(allocate_lists(run, error));
    for (size_t m = 0; m < run->count; ++m) {
        mcd_small_matrix *const matrix = &run->matrix[m];
        *matrix = next;
        matrix->limit = mcd_move_limit(search, run->move[m].from, run->move[m].to, run->reach);
        run->lanes[m] = lanes;
        list_sources(run, m);
        lanes.first_row += search->list[run->move[m].from].count;
        lanes.first_column += list_targets(run, m);
        next.first_source += matrix->source_count;
        next.first_target += matrix->target_count;
        next.first_cell += (size_t)matrix->source_count * matrix->target_count;
    }
    MCD_TRY(MCD_ARENA_NEW(run->arena, run->objective, next.first_cell, error));
    return search->query->weights->companion
               ? MCD_ARENA_NEW(run->arena, run->companion, next.first_cell, error)
               : MACADAM_OK;
}

/* ---- transitions ---- */

/* Returns what it costs to travel a part of an arc. */
static mcd_joint part_of(const mcd_weights *weights, uint32_t arc, uint64_t from, uint64_t to)
{
    return mcd_joint_of(mcd_road_share(weights->objective[arc], from, to),
                        weights->companion ? mcd_road_share(weights->companion[arc], from, to) : 0);
}

/* Returns the cheapest path to a candidate with `count` lanes, from the row whose cells begin at `first`. */
static mcd_joint path_over(const moves_run *run, size_t first, const uint32_t *column, uint32_t count)
{
    mcd_joint best = MCD_JOINT_UNREACHED;
    for (uint32_t i = 0; i < count; ++i) {
        const size_t cell = first + column[i];
        if (run->objective[cell] == MCD_COST_UNREACHED) continue;
        const mcd_joint path = mcd_joint_of(run->objective[cell], run->companion ? run->companion[cell] : 0);
        if (path < best) best = path;
    }
    return best;
}

static mcd_transition transition_of(const mcd_move_search *search, mcd_joint way, const move_line *line)
{
    const mcd_weights *weights = search->query->weights;
    const mcd_weight distance =
        search->distance == weights->objective ? mcd_joint_objective(way) : mcd_joint_companion(way);
    mcd_transition out = {mcd_joint_objective(way), distance, MCD_IMPLAUSIBLE};
    const bool reached = out.objective < MCD_UNREACHED && distance < MCD_UNREACHED;
    if (reached && distance <= line->distance_max_cm)
        out.penalty = penalty_of(search, out.objective, distance, line);
    return out;
}

/* Returns the way along the arc of both candidates. A step back is standing, but takes the price of its time: else it would
 * be better than to go there. */
static mcd_transition stay(const mcd_move_search *search, const mcd_candidate *from, const mcd_candidate *to,
                           const move_line *line)
{
    const mcd_weights *const weights = search->query->weights;
    if (from->before <= to->before)
        return transition_of(search, part_of(weights, from->arc, from->before, to->before), line);
    const mcd_joint back = part_of(weights, from->arc, to->before, from->before);
    mcd_transition out = transition_of(search, 0, line);
    out.penalty = penalty_of(search, mcd_joint_objective(back), 0, line);
    return out;
}

static void price_move(const moves_run *run, size_t m)
{
    const mcd_move_search *search = run->search;
    const mcd_weights *weights = search->query->weights;
    const mcd_move *move = &run->move[m];
    const mcd_small_matrix *matrix = &run->matrix[m];
    const mcd_candidate_list *from = &search->list[move->from], *to = &search->list[move->to];
    const mcd_fix *a = &search->fix[move->from], *b = &search->fix[move->to];
    const move_line line = line_of(search, move);
    const uint32_t *const row = run->row + run->lanes[m].first_row,
                          *column = run->column + run->lanes[m].first_column;
    mcd_joint rest[MCD_CANDIDATES_MAX];
    for (uint32_t s = 0; s < from->count; ++s)
        rest[s] = part_of(weights, from->candidate[s].arc, from->candidate[s].before, MCD_ROAD_WHOLE);
    for (uint32_t t = 0; t < to->count; ++t) {
        const mcd_candidate *target = &to->candidate[t];
        const mcd_joint part = part_of(weights, target->arc, 0, target->before);
        for (uint32_t s = 0; s < from->count; ++s) {
            const mcd_candidate *source = &from->candidate[s];
            const size_t first = matrix->first_cell + (size_t)row[s] * matrix->target_count;
            mcd_transition *const cell = &run->cell[move->first_cell + (size_t)s * to->count + t];
            if (mcd_move_stays(search, a, source, b, target)) {
                *cell = stay(search, source, target, &line);
                continue;
            }
            const mcd_joint path = path_over(run, first, column, target->arrival_count);
            *cell = path == MCD_JOINT_UNREACHED
                        ? (mcd_transition){MCD_UNREACHED, MCD_UNREACHED, MCD_IMPLAUSIBLE}
                        : transition_of(search, mcd_joint_add(mcd_joint_add(rest[s], path), part), &line);
        }
        column += target->arrival_count;
    }
}

/* Asks the device if there are many matrices. The host answers if there is none, or if it fails. */
static macadam_status run_matrices(const moves_run *run, const mcd_matrices_job *job, macadam_error *error)
{
    const mcd_backend *const device = run->count >= DEVICE_MOVES ? *run->search->device : NULL;
    if (device) {
        mcd_matrices_job on_device = *job;
        on_device.weights = &run->search->query->version->weights; /* the host may use others */
        const macadam_status status = device->matrices(&on_device, error);
        if (status != MACADAM_E_DEVICE) return status;
        mcd_recover(error);
        *run->search->device = NULL;
    }
    return run->search->query->backend->matrices(job, error);
}

macadam_status mcd_transitions_find(const mcd_move_search *search, const mcd_move *move, size_t count,
                                    mcd_reach reach, mcd_transition *cell, macadam_error *error)
{
    if (count == 0) return MACADAM_OK;
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {NULL};
    moves_run run = {
        .search = search, .move = move, .count = count, .reach = reach, .cell = cell, .arena = &memory};
    MCD_TRY(list_matrices(&run, error));
    const mcd_matrices_job job = {.weights = search->query->weights,
                                  .source_lane = search->lane,
                                  .target_lane = search->lane,
                                  .source = run.source,
                                  .target = run.target,
                                  .matrix = run.matrix,
                                  .matrix_count = count,
                                  .objective = run.objective,
                                  .companion = run.companion,
                                  .parallel = {1, NULL}};
    MCD_TRY(run_matrices(&run, &job, error));
    for (size_t m = 0; m < count; ++m) {
        prefetch_weights(&run, m + MOVES_AHEAD);
        price_move(&run, m);
    }
    return MACADAM_OK;
}
