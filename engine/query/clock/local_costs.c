/* local_costs.c - see local_costs.h.
 *
 * Method  A part has the nodes over which the way from the nearest source to the nearest target takes at most a margin, by
 *         the bounds of engine/runtime/clock_bounds.h. A search in it ends once the columns are final. A better way to a
 *         column leaves the part: it comes to the border first at some node b, not before the search does, and takes
 *         at least the bound from b on. So a cost is right if no such sum is below it. A border node that the search has not
 *         reached costs more than all columns.
 * Ties    A companion depends on all ways of least cost, so there a sum may not be equal either.
 * Windows Bounds hold for ways in a window of the week. A cost beyond it is not proved, nor is a column unreached.
 * Margins Lanes with a column that is not proved are searched again with twice the margin, at last on the whole map. A
 *         level that fails for most lanes is not tried again.
 */
#include "engine/query/clock/local_costs.h"

#include "engine/base/grow.h"

/* Of tests/bench/clock.c, New York, 9 km: a margin of 1/4 of the longest cost proves a quarter of the lanes, 1/2 two thirds
 * (100 x 100) or nearly all (400 x 400), 3/4 all, but with a third more nodes. The first one, 5/8, is between. */
enum {
    MARGIN = 640,                /* the first one, in 1/1024 of the longest cost */
    NODES_PER_LANE = 1 << 13,    /* fewer lanes than nodes / this cost less than the look at all nodes */
    NODES_PER_REQUEST = 1 << 11, /* bounds are customized after nodes / this lanes have requested them */
    REQUESTS_MOST = 250,
    INSIDE_SHARE = 2, /* a part with more than this share of the nodes does not pay, ... */
    BORDER_COST = 4,  /* ... where a node on the border counts as this many: its bounds lead to all columns */
    MEMORY_SHARE = 8, /* of the query's limit: for the costs of a level, and for the bounds of its windows */
    HOURS_MOST = 8,
    PPM = 1000000,
};

enum { WAITS, FAILS, PROVED }; /* the state of a lane */

/* ---- bounds at the border ---- */

MCD_DEFINE_STATIC_FREE(free_window, mcd_local_window, it->least, it->least_of_row)

static macadam_status find_matrix(const mcd_query *query, const mcd_weights *bound, const mcd_lane *source,
                                  size_t source_count, const mcd_lane *target, size_t target_count,
                                  uint32_t *cost, macadam_error *error)
{
    const mcd_backend *const host = query->engine->host;
    const mcd_matrix_job job = {.weights = bound,
                                .target = target,
                                .target_count = target_count,
                                .parallel = query->engine->parallel,
                                .progress = query->progress};
    mcd_matrix_targets *targets = NULL;
    MCD_TRY(host->matrix_targets_new(&targets, &job, error));
    const mcd_rows_job rows = {.targets = targets,
                               .source = source,
                               .source_count = source_count,
                               .objective = cost,
                               .stride = target_count};
    const macadam_status status = host->matrix_rows(&rows, error);
    host->matrix_targets_free(targets);
    return status;
}

/* Finds least[border][columns]; backward, by the matrix from the columns to the border. */
static macadam_status find_least(const mcd_local_costs *local, const mcd_local_level *level,
                                 const mcd_weights *bound, mcd_local_window *window, macadam_error *error)
{
    const mcd_clock_costs *const costs = local->costs;
    const bool forward = costs->query->timing.direction == MCD_FORWARD;
    const size_t columns = costs->column_count, borders = level->border_count;
    MCD_OWNED mcd_lane *lane = NULL;
    MCD_OWNED uint32_t *matrix = NULL;
    MCD_TRY(MCD_NEW(window->least, borders * columns, error));
    MCD_TRY(MCD_NEW(window->least_of_row, borders, error));
    MCD_TRY(MCD_NEW(lane, level->cell_count, error));
    MCD_TRY(MCD_NEW(matrix, borders * columns, error));
    for (size_t i = 0; i < level->cell_count; ++i) lane[i] = mcd_lane_of(level->part.node[level->column[i]]);
    MCD_TRY(forward
                ? find_matrix(costs->query, bound, lane + columns, borders, lane, columns, matrix, error)
                : find_matrix(costs->query, bound, lane, columns, lane + columns, borders, matrix, error));
    for (size_t b = 0; b < borders; ++b) {
        window->least_of_row[b] = MCD_UNREACHED;
        for (size_t c = 0; c < columns; ++c) {
            const uint32_t cost = matrix[forward ? b * columns + c : c * borders + b],
                           least = cost < MCD_UNREACHED ? cost : MCD_UNREACHED;
            window->least[b * columns + c] = least;
            if (least < window->least_of_row[b]) window->least_of_row[b] = least;
        }
    }
    return MACADAM_OK;
}

/* ---- levels ---- */

/* Finds what ways over each node take at least, from the nearest end to the nearest other end; 0 at these. */
static macadam_status find_detours(mcd_local_costs *local, const mcd_weights *bound, macadam_error *error)
{
    const mcd_clock_costs *const costs = local->costs;
    const mcd_direction direction = costs->query->timing.direction;
    MCD_OWNED mcd_node *node = NULL;
    MCD_OWNED mcd_weight *dist = NULL;
    size_t count = 0;
    MCD_TRY(MCD_NEW_ZEROED(local->detour, bound->hierarchy->node_count, error));
    MCD_TRY(MCD_NEW(dist, bound->hierarchy->node_count, error));
    MCD_TRY(MCD_NEW(node, (local->end - local->first) * MCD_SEEDS_MAX, error));
    for (size_t l = local->first; l < local->end; ++l) {
        const mcd_lane lane = mcd_lanes_at(costs->search, l);
        for (uint32_t i = 0; i < mcd_lane_seed_count(&lane); ++i) node[count++] = lane.seed[i].node;
    }
    MCD_TRY(mcd_local_part_add(local->detour, bound, direction, node, count, dist, error));
    MCD_TRY(mcd_local_part_add(local->detour, bound, direction ^ 1, costs->column, costs->column_count, dist,
                               error));
    for (size_t i = 0; i < count; ++i) local->detour[node[i]] = 0;
    for (size_t c = 0; c < costs->column_count; ++c) local->detour[costs->column[c]] = 0;
    return MACADAM_OK;
}

/* Returns the job of the first `count` lanes that are taken for a level. */
static mcd_clock_job job_of(const mcd_local_costs *local, const mcd_local_level *level, size_t count)
{
    mcd_clock_job job = mcd_clock_costs_job(local->costs, 0, count);
    job.awaited = job.tree.column_count;
    job.arcs = &level->arcs;
    job.instant = local->instant;
    job.tree.lane = local->lane;
    job.tree.column = level->column;
    job.tree.column_count = job.tree.lane_stride = level->cell_count;
    job.tree.objective = level->objective;
    job.tree.companion = level->companion;
    job.tree.scratch = level->scratch;
    return job;
}

static bool pays(const mcd_local_costs *local, const mcd_local_level *level)
{
    const mcd_query *const query = local->costs->query;
    const uint64_t nodes = level->part.inside_count + (uint64_t)BORDER_COST * level->border_count,
                   bytes = sizeof(mcd_joint) * local->costs->band * level->cell_count;
    return query->engine->forced_margin || (nodes <= query->engine->metadata->node_count / INSIDE_SHARE &&
                                            bytes <= mcd_query_limit(query) / MEMORY_SHARE);
}

/* Makes a level if it pays; otherwise the levels end before it. */
static macadam_status make_level(mcd_local_costs *local, size_t number, macadam_error *error)
{
    const mcd_clock_costs *const costs = local->costs;
    const mcd_query *const query = costs->query;
    const mcd_direction direction = query->timing.direction;
    mcd_local_level *const level = &local->level[number];
    mcd_local_part *const part = &level->part;
    const uint64_t margin = ((uint64_t)local->longest * local->margin >> 10) << number;
    MCD_TRY(mcd_local_part_new(part, query->timing.arcs, direction, local->detour,
                               margin < MCD_UNREACHED ? (mcd_weight)margin : MCD_WEIGHT_MAX, error));
    level->border_count = part->node_count - part->inside_count;
    level->cell_count = costs->column_count + level->border_count;
    if (!pays(local, level)) {
        local->level_end = number;
        return MACADAM_OK;
    }
    local->plan->part_ppm =
        (uint32_t)((uint64_t)part->inside_count * PPM / query->engine->metadata->node_count);
    mcd_local_part_arcs(part, query->timing.arcs, direction, &level->graph, &level->arcs);
    MCD_TRY(MCD_NEW(level->column, level->cell_count, error));
    for (size_t c = 0; c < costs->column_count; ++c) level->column[c] = part->number[costs->column[c]];
    for (size_t b = 0; b < level->border_count; ++b)
        level->column[costs->column_count + b] = part->inside_count + (mcd_node)b;
    MCD_TRY(MCD_NEW(level->objective, costs->band * level->cell_count, error));
    if (costs->joint) MCD_TRY(MCD_NEW(level->companion, costs->band * level->cell_count, error));
    const mcd_clock_job job = job_of(local, level, costs->band);
    const size_t bytes = query->backend->clock_scratch(&job);
    level->scratch = mcd_allocate(bytes, 1);
    return level->scratch ? MACADAM_OK : mcd_fail_memory(error, bytes);
}

/* ---- windows ---- */

/* Finds the window of a lane's ways, which may be somewhat longer than the known ones. False: there is none. */
static bool find_window(const mcd_local_costs *local, uint32_t instant, mcd_clock_window *window,
                        mcd_weight *room)
{
    for (uint32_t hours = 1; hours <= HOURS_MOST; hours *= 2) {
        *window = mcd_clock_window_of(instant, local->costs->query->timing.direction, hours, room);
        if (*room >= local->longest + local->longest / 2) return true;
    }
    return false;
}

/* Makes the window of a level, and first what is missing; *out is NULL if it does not pay. */
static macadam_status make_window(mcd_local_costs *local, size_t number, const mcd_clock_bound *bound,
                                  const mcd_local_window **out, macadam_error *error)
{
    mcd_local_level *const level = &local->level[number];
    const mcd_query *const query = local->costs->query;
    MCD_FREED_BY(free_window) mcd_local_window made = {.window = bound->window};
    if (!local->detour) MCD_TRY(find_detours(local, &bound->weights, error));
    if (!level->scratch) MCD_TRY(make_level(local, number, error));
    const uint64_t bytes = sizeof(uint32_t) * level->border_count * local->costs->column_count;
    if (number >= local->level_end ||
        bytes * (level->window_count + 1) > mcd_query_limit(query) / MEMORY_SHARE)
        return MACADAM_OK;
    MCD_TRY(find_least(local, level, &bound->weights, &made, error));
    MCD_TRY(MCD_GROW(level->window, level->window_capacity, level->window_count + 1, error));
    *out = &level->window[level->window_count++];
    return MCD_MOVE(level->window[level->window_count - 1], made);
}

/* Finds or makes the window of a level for some lanes; *out is NULL if it does not pay (yet). */
static macadam_status use_window(mcd_local_costs *local, size_t number, mcd_clock_window window, size_t lanes,
                                 const mcd_local_window **out, macadam_error *error)
{
    const mcd_local_level *const level = &local->level[number];
    const mcd_query *const query = local->costs->query;
    mcd_clock *const clock = query->version->clock;
    MCD_FREED_BY(mcd_clock_bound_leave_at) mcd_clock_bound *bound = NULL;
    const size_t least = query->engine->metadata->node_count / NODES_PER_REQUEST / lanes + 1;
    for (size_t i = 0; i < level->window_count && !*out; ++i)
        if (mcd_clock_window_is(level->window[i].window, window)) *out = &level->window[i];
    if (*out || number >= local->level_end) return MACADAM_OK;
    MCD_TRY(mcd_clock_bound_request(&bound, &clock->bounds, query->engine, &clock->arcs, window,
                                    (uint32_t)mcd_size_min(least, REQUESTS_MOST), error));
    return bound ? make_window(local, number, bound, out, error) : MACADAM_OK;
}

/* ---- searches ---- */

typedef struct proof_run {
    const mcd_local_costs *local;
    const mcd_local_level *level;
    const mcd_local_window *window;
} proof_run;

/* Returns whether some sum is below its column's cost; or equal, if `ties` is 1. No sum is above 2^32. */
static bool is_below(const uint32_t *least, uint32_t at, const uint32_t *cost, size_t count, uint32_t ties)
{
    uint32_t below = 0;
    for (size_t c = 0; c < count; ++c) below |= least[c] + at < cost[c] + ties;
    return below;
}

/* Takes the costs of a lane if they are proved. */
static void prove(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const proof_run *const run = argument;
    const mcd_local_costs *const local = run->local;
    const mcd_clock_costs *const costs = local->costs;
    const size_t columns = costs->column_count, from = index * run->level->cell_count,
                 to = local->lane_of[index] * columns;
    const uint32_t *const cost = run->level->objective + from, *const at = cost + columns;
    uint32_t most = 0;
    for (size_t c = 0; c < columns; ++c) most = cost[c] > most ? cost[c] : most;
    if (most > local->room[index]) return;
    for (size_t b = 0; b < run->level->border_count; ++b)
        if (at[b] <= most && at[b] + run->window->least_of_row[b] <= most &&
            is_below(run->window->least + b * columns, at[b], cost, columns, costs->joint))
            return;
    memcpy(costs->objective + to, cost, columns * sizeof *cost);
    if (costs->joint) memcpy(costs->companion + to, run->level->companion + from, columns * sizeof *cost);
    local->state[local->lane_of[index]] = PROVED;
}

/* Takes the first waiting lane from *next on and all others of its window. Returns their number. */
static size_t take_lanes(const mcd_local_costs *local, size_t *next, size_t count, mcd_clock_window *window)
{
    const mcd_clock_costs *const costs = local->costs;
    size_t taken = 0;
    mcd_clock_window own;
    for (size_t l = *next; l < count; ++l) {
        if (local->state[l] != WAITS) continue;
        if (!find_window(local, costs->instant[l], &own, &local->room[taken])) {
            local->state[l] = FAILS;
        } else if (taken == 0 || mcd_clock_window_is(own, *window)) {
            if (taken == 0) *next = l + 1;
            *window = own;
            local->state[l] = FAILS; /* until it is proved */
            local->instant[taken] = costs->instant[l];
            local->lane_of[taken++] = l;
        }
    }
    if (taken == 0) *next = count;
    return taken;
}

/* Searches the taken lanes in the part. */
static macadam_status search_part(const mcd_local_costs *local, const mcd_local_level *level,
                                  const mcd_local_window *window, size_t taken, macadam_error *error)
{
    const mcd_query *const query = local->costs->query;
    proof_run run = {local, level, window};
    for (size_t i = 0; i < taken; ++i) {
        mcd_lane *const lane = &local->lane[i];
        *lane = local->costs->lane[local->lane_of[i]];
        const uint32_t seeds = mcd_lane_seed_count(lane);
        for (uint32_t k = 0; k < seeds; ++k) lane->seed[k].node = level->part.number[lane->seed[k].node];
    }
    const mcd_clock_job job = job_of(local, level, taken);
    MCD_TRY(query->backend->clock(&job, error));
    mcd_parallel_for(&query->engine->parallel, taken, prove, &run);
    return MACADAM_OK;
}

/* Searches the lanes of the band that are not proved with a level's margin. */
static macadam_status search_level(mcd_local_costs *local, size_t number, size_t count, macadam_error *error)
{
    const mcd_query *const query = local->costs->query;
    size_t searched = 0, failed = 0;
    mcd_clock_window window;
    for (size_t l = 0; l < count; ++l)
        if (local->state[l] == FAILS) local->state[l] = WAITS;
    for (size_t next = 0, taken; (taken = take_lanes(local, &next, count, &window)) > 0;) {
        const mcd_local_window *used = NULL;
        MCD_TRY(use_window(local, number, window, taken, &used, error));
        if (!used) continue;
        MCD_TRY(search_part(local, &local->level[number], used, taken, error));
        for (size_t i = 0; i < taken; ++i) failed += local->state[local->lane_of[i]] == FAILS;
        searched += taken;
    }
    *(number ? &local->plan->wide_part_searches : &local->plan->part_searches) += searched - failed;
    if (number == local->start && 2 * failed > searched && !query->engine->forced_margin) ++local->start;
    return MACADAM_OK;
}

/* Searches the lanes of the band that are not proved on the whole map. */
static macadam_status search_map(mcd_local_costs *local, size_t count, macadam_error *error)
{
    const mcd_clock_costs *const costs = local->costs;
    for (size_t first = 0, end; first < count; first = end + 1) {
        for (end = first; end < count && local->state[end] != PROVED;) ++end;
        if (end == first) continue;
        const mcd_clock_job job = mcd_clock_costs_job(costs, first, end - first);
        MCD_TRY(costs->query->backend->clock(&job, error));
        for (size_t i = first * costs->column_count; i < end * costs->column_count; ++i)
            if (costs->objective[i] < MCD_UNREACHED && costs->objective[i] > local->longest)
                local->longest = costs->objective[i];
        local->map_count += end - first;
        local->plan->map_searches += end - first;
    }
    return MACADAM_OK;
}

macadam_status mcd_local_costs_run(mcd_local_costs *local, size_t first, size_t count, macadam_error *error)
{
    mcd_clock_costs_lanes(local->costs, first, count);
    memset(local->state, FAILS, count);
    for (size_t number = local->start; local->longest && number < local->level_end; ++number)
        MCD_TRY(search_level(local, number, count, error));
    return search_map(local, count, error);
}

size_t mcd_local_costs_band(const mcd_local_costs *local)
{
    const size_t band = local->costs->band;
    return local->start >= local->level_end || local->longest ? band
                                                              : mcd_size_min(band, local->map_count + 1);
}

macadam_status mcd_local_costs_new(mcd_local_costs *out, mcd_clock_costs *costs, size_t first, size_t end,
                                   macadam_matrix_plan *plan, macadam_error *error)
{
    const mcd_query *const query = costs->query;
    const uint32_t forced = query->engine->forced_margin;
    const mcd_metadata *const metadata = query->engine->metadata;
    *out = (mcd_local_costs){
        .costs = costs, .first = first, .end = end, .margin = forced ? forced : MARGIN, .plan = plan};
    if (!query->backend->device && metadata->has_hierarchy &&
        (forced || end - first > metadata->node_count / NODES_PER_LANE + 1))
        out->level_end = MCD_LOCAL_MARGINS;
    MCD_TRY(MCD_NEW(out->state, costs->band, error));
    MCD_TRY(MCD_NEW(out->lane, costs->band, error));
    MCD_TRY(MCD_NEW(out->instant, costs->band, error));
    MCD_TRY(MCD_NEW(out->room, costs->band + 1, error));
    return MCD_NEW(out->lane_of, costs->band, error);
}

static void free_level(mcd_local_level *level)
{
    for (size_t i = 0; i < level->window_count; ++i) free_window(&level->window[i]);
    mcd_local_part_free(&level->part);
    MCD_FREE_ALL(level->column, level->objective, level->companion, level->scratch, level->window);
}

void mcd_local_costs_free(mcd_local_costs *local)
{
    for (size_t i = 0; i < MCD_LOCAL_MARGINS; ++i) free_level(&local->level[i]);
    MCD_FREE_ALL(local->detour, local->state, local->lane, local->instant, local->room, local->lane_of);
    *local = (mcd_local_costs){.costs = NULL};
}
