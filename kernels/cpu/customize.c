/* customize.c - basic customization, perfect customization and pruning.
 *
 * Basic. Every upward arc yz begins with its input arcs' weight; then, from the bottom up, each node y takes
 * what its lower triangles offer: for each x below with arcs to y and z, the ways y-x-z and z-x-y. y gathers
 * its whole row into an array indexed by depth, where the tops of a triangle list stand scattered but none
 * twice. Perfect. From the top down, each node x relaxes its arcs against the finished arcs between its
 * upward neighbours (they are a clique): x-z-y and x-y-z. The first arc of a shortest path from x has its
 * basic weight, so one pass is exact. Pruning. An arc whose basic weight is more than that distance is on no
 * shortest path and is left out; what is kept carries the bottom node of its least triangle. Where a
 * companion sum has saturated, sums are no longer strictly monotone and a kept arc's triangles might not be
 * kept: then nothing but unreached arcs is left out. (Dibbelt, Strasser, Wagner 2016, sections 4 and 5; the
 * row-wise gathering is left-looking sparse Cholesky) Parallel. Bottom subtrees are independent tasks. Above
 * them, nodes of one level are independent; where a level has fewer nodes than threads, a node's lower
 * triangles are divided, and the parts joined in order. Races: none. A node writes its own arcs and reads
 * those of finished nodes. Ties. The least bottom node wins, an input arc before any: parts are joined in
 * ascending order of bottom. */
#include "kernels/cpu/customize.h"

#include "engine/memory.h"
#include "kernels/cpu/schedule.h"

#include <string.h>

enum { SUBTREES_PER_TASK = 32, NODES_PER_TASK = 32, KEEP_PARTS = 64 };

/* One row by depth: y's arcs while they are gathered. */
typedef struct row_buffer {
    cost *cost[2];
    mcd_node *witness[2]; /* NULL without witnesses */
} row_buffer;

typedef struct custom_run {
    const mcd_customize_job *job;
    mcd_lower lower;
    mcd_levels levels;
    cost *cost[2];
    mcd_node *witness[2];
    row_buffer *buffer; /* per worker */
    size_t worker_count;
    uint32_t level; /* of the current level task */
    mcd_node node;  /* of the current divided node */
} custom_run;

/* ---- what both passes share
 * --------------------------------------------------------------------------------------- */

static macadam_status run_begin(custom_run *run, const mcd_customize_job *job, macadam_error *error)
{
    *run = (custom_run){.job = job, .worker_count = job->parallel.thread_count};
    const size_t height = job->hierarchy->height;
    MCD_TRY(mcd_levels_new(&run->levels, job->hierarchy, error));
    MCD_TRY(MCD_NEW_ZEROED(run->buffer, run->worker_count, error));
    for (size_t w = 0; w < run->worker_count; ++w)
        for (int direction = 0; direction < 2; ++direction) {
            MCD_TRY(MCD_NEW(run->buffer[w].cost[direction], height, error));
            if (job->witnesses) MCD_TRY(MCD_NEW(run->buffer[w].witness[direction], height, error));
        }
    return MACADAM_OK;
}

static void run_end(custom_run *run)
{
    for (size_t w = 0; run->buffer && w < run->worker_count; ++w)
        for (int direction = 0; direction < 2; ++direction) {
            mcd_free(run->buffer[w].cost[direction]);
            mcd_free(run->buffer[w].witness[direction]);
        }
    mcd_free(run->buffer);
    mcd_lower_free(&run->lower);
    mcd_levels_free(&run->levels);
}

static size_t subtree_tasks(const mcd_hierarchy *hierarchy)
{
    return ((size_t)hierarchy->bottom_count + SUBTREES_PER_TASK - 1) / SUBTREES_PER_TASK;
}

static mcd_node level_size(const custom_run *run, uint32_t level)
{
    return run->levels.first[level + 1] - run->levels.first[level];
}

/* ---- input weights
 * ------------------------------------------------------------------------------------------------ */

static bool is_closed(const mcd_customize_job *job, mcd_arc arc)
{
    return job->objective[arc] >= MCD_UNREACHED || (job->companion && job->companion[arc] >= MCD_UNREACHED);
}

/* Lowers the costs of x's upward arcs to those of its input arcs with ends neighbour[i], ascending. */
static void take_inputs(const custom_run *run, mcd_node x, int direction, const mcd_node *neighbour,
                        const uint32_t *arc, mcd_arc first, mcd_arc end)
{
    const mcd_customize_job *job = run->job;
    mcd_arc up = job->hierarchy->first_up[x];
    for (mcd_arc i = first; i < end && neighbour[i] < x; ++i) {
        const mcd_arc input = arc ? arc[i] : i;
        while (job->hierarchy->up_head[up] != neighbour[i]) ++up;
        if (is_closed(job, input)) continue;
        run->cost[direction][up] =
            cost_min(run->cost[direction][up], cost_of(job->objective, job->companion, input));
    }
}

static void begin_node(const custom_run *run, mcd_node x)
{
    const mcd_graph *graph = run->job->graph;
    const mcd_arc *first_up = run->job->hierarchy->first_up;
    for (int direction = 0; direction < 2; ++direction)
        for (mcd_arc up = first_up[x]; up < first_up[x + 1]; ++up) {
            run->cost[direction][up] = COST_UNREACHED;
            if (run->job->witnesses) run->witness[direction][up] = MCD_NODE_NONE;
        }
    take_inputs(run, x, MCD_FORWARD, graph->head, NULL, graph->first_out[x], graph->first_out[x + 1]);
    take_inputs(run, x, MCD_BACKWARD, graph->tail, graph->in_arc, graph->first_in[x], graph->first_in[x + 1]);
}

/* ---- basic
 * -------------------------------------------------------------------------------------------------------- */

/* The triangles of bottom x and mid y with the tops in x's list before y: to_mid = x -> y, from_mid = y -> x.
 */
static inline void relax_tops(const row_buffer *buffer, const uint32_t *restrict depth,
                              const cost *restrict up, const cost *restrict down, uint32_t count, cost to_mid,
                              cost from_mid)
{
    cost *restrict const forward = buffer->cost[MCD_FORWARD], *restrict const backward =
                                                                  buffer->cost[MCD_BACKWARD];
    for (uint32_t i = 0; i < count; ++i) {
        forward[depth[i]] = cost_min(forward[depth[i]], cost_add(from_mid, up[i]));
        backward[depth[i]] = cost_min(backward[depth[i]], cost_add(down[i], to_mid));
    }
}

static inline void relax_tops_with_witness(const row_buffer *buffer, const uint32_t *depth, const cost *up,
                                           const cost *down, uint32_t count, cost to_mid, cost from_mid,
                                           mcd_node x)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t d = depth[i];
        const cost forward = cost_add(from_mid, up[i]), backward = cost_add(down[i], to_mid);
        if (forward < buffer->cost[MCD_FORWARD][d])
            buffer->cost[MCD_FORWARD][d] = forward, buffer->witness[MCD_FORWARD][d] = x;
        if (backward < buffer->cost[MCD_BACKWARD][d])
            buffer->cost[MCD_BACKWARD][d] = backward, buffer->witness[MCD_BACKWARD][d] = x;
    }
}

static void gather_triangles(const custom_run *run, const row_buffer *buffer, mcd_arc first, mcd_arc end)
{
    const mcd_lower *lower = &run->lower;
    const mcd_arc *first_up = run->job->hierarchy->first_up;
    for (mcd_arc i = first; i < end; ++i) {
        const mcd_arc begin = first_up[lower->node[i]];
        const uint32_t slot = lower->slot[i];
        const cost *up = run->cost[MCD_FORWARD] + begin, *down = run->cost[MCD_BACKWARD] + begin;
        if (slot == 0 || (up[slot] == COST_UNREACHED && down[slot] == COST_UNREACHED)) continue;
        if (run->job->witnesses)
            relax_tops_with_witness(buffer, lower->up_depth + begin, up, down, slot, up[slot], down[slot],
                                    lower->node[i]);
        else
            relax_tops(buffer, lower->up_depth + begin, up, down, slot, up[slot], down[slot]);
    }
}

static void load_row(const custom_run *run, mcd_node y, const row_buffer *buffer)
{
    const mcd_arc *first_up = run->job->hierarchy->first_up;
    for (int direction = 0; direction < 2; ++direction)
        for (mcd_arc up = first_up[y]; up < first_up[y + 1]; ++up) {
            buffer->cost[direction][run->lower.up_depth[up]] = run->cost[direction][up];
            if (run->job->witnesses) buffer->witness[direction][run->lower.up_depth[up]] = MCD_NODE_NONE;
        }
}

/* Takes over what is strictly better in `buffer`, so that rows joined in ascending order keep the least
 * bottom node. */
static void join_row(const custom_run *run, mcd_node y, const row_buffer *buffer)
{
    const mcd_arc *first_up = run->job->hierarchy->first_up;
    for (int direction = 0; direction < 2; ++direction)
        for (mcd_arc up = first_up[y]; up < first_up[y + 1]; ++up) {
            const uint32_t depth = run->lower.up_depth[up];
            if (buffer->cost[direction][depth] >= run->cost[direction][up]) continue;
            run->cost[direction][up] = buffer->cost[direction][depth];
            if (run->job->witnesses) run->witness[direction][up] = buffer->witness[direction][depth];
        }
}

static void customize_node(const custom_run *run, mcd_node y, const row_buffer *buffer)
{
    begin_node(run, y);
    if (run->lower.first[y] == run->lower.first[y + 1]) return;
    load_row(run, y, buffer);
    gather_triangles(run, buffer, run->lower.first[y], run->lower.first[y + 1]);
    join_row(run, y, buffer);
}

static void customize_subtrees(void *argument, size_t index, unsigned worker)
{
    const custom_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const size_t first = index * SUBTREES_PER_TASK;
    const size_t end = mcd_size_min(first + SUBTREES_PER_TASK, hierarchy->bottom_count);
    for (size_t b = first; b < end; ++b)
        for (mcd_node y = hierarchy->subtree_end[hierarchy->bottom_root[b]]; y-- > hierarchy->bottom_root[b];)
            customize_node(run, y, &run->buffer[worker]);
}

static void customize_level_part(void *argument, size_t index, unsigned worker)
{
    const custom_run *run = argument;
    const mcd_node first = run->levels.first[run->level] + (mcd_node)index * NODES_PER_TASK;
    const mcd_node level_end = run->levels.first[run->level + 1];
    for (mcd_node i = first; i < first + NODES_PER_TASK && i < level_end; ++i)
        customize_node(run, run->levels.node[i], &run->buffer[worker]);
}

/* A part of one node's triangles, for which the part's own buffer serves: parts are as many as workers. */
static void customize_node_part(void *argument, size_t index, unsigned worker)
{
    const custom_run *run = argument;
    const mcd_arc first = run->lower.first[run->node], count = run->lower.first[run->node + 1] - first;
    (void)worker;
    load_row(run, run->node, &run->buffer[index]);
    gather_triangles(run, &run->buffer[index], first + mcd_part_first(count, index, run->worker_count),
                     first + mcd_part_first(count, index + 1, run->worker_count));
}

static void customize_level(custom_run *run)
{
    const mcd_node size = level_size(run, run->level);
    if (run->worker_count == 1 || size >= run->worker_count * NODES_PER_TASK) {
        mcd_parallel_for(&run->job->parallel, (size + NODES_PER_TASK - 1) / NODES_PER_TASK,
                         customize_level_part, run);
        return;
    }
    for (mcd_node i = 0; i < size; ++i) {
        run->node = run->levels.node[run->levels.first[run->level] + i];
        begin_node(run, run->node);
        mcd_parallel_for(&run->job->parallel, run->worker_count, customize_node_part, run);
        for (size_t part = 0; part < run->worker_count; ++part) join_row(run, run->node, &run->buffer[part]);
    }
}

static macadam_status customize_all(custom_run *run, macadam_error *error)
{
    const mcd_customize_job *job = run->job;
    MCD_TRY(mcd_lower_new(&run->lower, job->hierarchy, error));
    MCD_TRY(mcd_progress_step(&job->progress, "customization", 0, 2, error));
    mcd_parallel_for(&job->parallel, subtree_tasks(job->hierarchy), customize_subtrees, run);
    MCD_TRY(mcd_progress_step(&job->progress, "customization", 1, 2, error));
    for (run->level = 0; run->level < run->levels.count; ++run->level) customize_level(run);
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(customize)(mcd_custom *out, const mcd_customize_job *job, macadam_error *error)
{
    *out = (mcd_custom){0};
    custom_run run;
    const mcd_arc up_count =
        job->hierarchy->node_count ? job->hierarchy->first_up[job->hierarchy->node_count] : 0;
    macadam_status status = run_begin(&run, job, error);
    for (int direction = 0; direction < 2 && !status; ++direction) {
        status = MCD_NEW(run.cost[direction], up_count, error);
        out->cost[direction] = run.cost[direction];
        if (status || !job->witnesses) continue;
        status = MCD_NEW(run.witness[direction], up_count, error);
        out->witness[direction] = run.witness[direction];
    }
    if (!status) status = customize_all(&run, error);
    run_end(&run);
    if (status) mcd_custom_free(out);
    return status;
}

/* ---- perfect
 * ------------------------------------------------------------------------------------------------------ */

#define WITNESS_PRUNED (MCD_NODE_NONE - 1) /* no node's id: a map has fewer than 2^32 - 2 */

/* Relaxes x's arcs against the arcs between its upward neighbours. */
static void relax_node(const custom_run *run, mcd_node x)
{
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const mcd_arc first = hierarchy->first_up[x], end = hierarchy->first_up[x + 1];
    cost *const up = run->cost[MCD_FORWARD], *const down = run->cost[MCD_BACKWARD];
    for (mcd_arc xy = first + 1; xy < end; ++xy) {
        mcd_arc yz = hierarchy->first_up[hierarchy->up_head[xy]];
        cost x_y = up[xy], y_x = down[xy];
        for (mcd_arc xz = first; xz < xy; ++xz, ++yz) {
            while (hierarchy->up_head[yz] != hierarchy->up_head[xz])
                ++yz; /* it is there: the neighbours are a clique */
            x_y = cost_min(x_y, cost_add(up[xz], down[yz]));
            y_x = cost_min(y_x, cost_add(up[yz], down[xz]));
            up[xz] = cost_min(up[xz], cost_add(x_y, up[yz]));
            down[xz] = cost_min(down[xz], cost_add(down[yz], y_x));
        }
        up[xy] = x_y;
        down[xy] = y_x;
    }
}

static void perfect_node(const custom_run *run, mcd_node x, const row_buffer *basic)
{
    const mcd_arc first = run->job->hierarchy->first_up[x],
                  count = run->job->hierarchy->first_up[x + 1] - first;
    for (int direction = 0; direction < 2; ++direction)
        memcpy(basic->cost[direction], run->cost[direction] + first, count * sizeof(cost));
    relax_node(run, x);
    for (int direction = 0; direction < 2; ++direction)
        for (mcd_arc i = 0; i < count; ++i)
            if (run->cost[direction][first + i] < basic->cost[direction][i])
                run->witness[direction][first + i] = WITNESS_PRUNED;
}

static void perfect_level_part(void *argument, size_t index, unsigned worker)
{
    const custom_run *run = argument;
    const mcd_node first = run->levels.first[run->level] + (mcd_node)index * NODES_PER_TASK;
    const mcd_node level_end = run->levels.first[run->level + 1];
    for (mcd_node i = first; i < first + NODES_PER_TASK && i < level_end; ++i)
        perfect_node(run, run->levels.node[i], &run->buffer[worker]);
}

static void perfect_subtrees(void *argument, size_t index, unsigned worker)
{
    const custom_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const size_t first = index * SUBTREES_PER_TASK;
    const size_t end = mcd_size_min(first + SUBTREES_PER_TASK, hierarchy->bottom_count);
    for (size_t b = first; b < end; ++b)
        for (mcd_node x = hierarchy->bottom_root[b]; x < hierarchy->subtree_end[hierarchy->bottom_root[b]];
             ++x)
            perfect_node(run, x, &run->buffer[worker]);
}

/* ---- pruning
 * ------------------------------------------------------------------------------------------------------ */

/* The kept arrays of one direction as they are filled. */
typedef struct kept_arrays {
    mcd_arc *first;
    mcd_node *head;
    uint32_t *depth;
    mcd_weight *objective, *companion;
    uint64_t *halves;
} kept_arrays;

/* Nodes are counted and filled in parts, one task each. */
typedef struct keep_run {
    const custom_run *custom;
    kept_arrays kept[2];
    mcd_arc part_count[KEEP_PARTS][2]; /* kept arcs of a part's nodes, then of all parts before it */
} keep_run;

static bool is_saturated(const custom_run *run, int direction, mcd_arc up)
{
    return cost_objective(run->cost[direction][up]) < MCD_UNREACHED &&
           cost_companion(run->cost[direction][up]) >= MCD_UNREACHED;
}

static bool any_saturated(const custom_run *run)
{
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    for (mcd_arc up = 0; MCD_LANE_BITS == 64 && up < hierarchy->first_up[hierarchy->node_count]; ++up)
        if (is_saturated(run, MCD_FORWARD, up) || is_saturated(run, MCD_BACKWARD, up)) return true;
    return false;
}

static inline bool is_kept(const custom_run *run, int direction, mcd_arc up)
{
    return run->witness[direction][up] != WITNESS_PRUNED &&
           cost_objective(run->cost[direction][up]) < MCD_UNREACHED;
}

static mcd_node keep_part_first(const keep_run *run, size_t part)
{
    return (mcd_node)mcd_part_first(run->custom->job->hierarchy->node_count, part, KEEP_PARTS);
}

static void count_part(void *argument, size_t part, unsigned worker)
{
    keep_run *run = argument;
    const mcd_arc *first_up = run->custom->job->hierarchy->first_up;
    (void)worker;
    for (int direction = 0; direction < 2; ++direction) {
        mcd_arc count = 0;
        for (mcd_arc up = first_up[keep_part_first(run, part)]; up < first_up[keep_part_first(run, part + 1)];
             ++up)
            count += is_kept(run->custom, direction, up);
        run->part_count[part][direction] = count;
    }
}

static void fill_part(void *argument, size_t part, unsigned worker)
{
    keep_run *run = argument;
    const custom_run *custom = run->custom;
    const mcd_hierarchy *hierarchy = custom->job->hierarchy;
    (void)worker;
    for (int direction = 0; direction < 2; ++direction) {
        const kept_arrays *kept = &run->kept[direction];
        mcd_arc next = run->part_count[part][direction];
        for (mcd_node x = keep_part_first(run, part); x < keep_part_first(run, part + 1); ++x) {
            kept->first[x] = next;
            for (mcd_arc up = hierarchy->first_up[x]; up < hierarchy->first_up[x + 1]; ++up) {
                if (!is_kept(custom, direction, up)) continue;
                kept->head[next] = hierarchy->up_head[up];
                kept->depth[next] = hierarchy->depth[hierarchy->up_head[up]];
                kept->objective[next] = cost_objective(custom->cost[direction][up]);
                if (kept->companion) kept->companion[next] = cost_companion(custom->cost[direction][up]);
                kept->halves[next++] = custom->witness[direction][up]; /* until all arcs have their places */
            }
        }
    }
}

/* The kept arc of `lower` with head `upper`; it is there. */
static uint32_t find_kept(const kept_arrays *kept, mcd_node lower, mcd_node upper)
{
    mcd_arc xy = kept->first[lower];
    while (kept->head[xy] != upper) ++xy;
    return (uint32_t)xy;
}

/* The lightest input arc from tail to head, the first of equals. */
static uint32_t lightest_arc(const mcd_customize_job *job, mcd_node tail, mcd_node head)
{
    const mcd_graph *graph = job->graph;
    cost least = UINT64_MAX >> (64 - MCD_LANE_BITS);
    uint32_t lightest = UINT32_MAX;
    for (mcd_arc xy = graph->first_out[tail]; xy < graph->first_out[tail + 1]; ++xy) {
        if (graph->head[xy] != head || is_closed(job, xy)) continue;
        const cost weight = cost_of(job->objective, job->companion, xy);
        if (weight < least) least = weight, lightest = (uint32_t)xy;
    }
    return lightest;
}

static void halve_part(void *argument, size_t part, unsigned worker)
{
    keep_run *run = argument;
    (void)worker;
    for (int direction = 0; direction < 2; ++direction) {
        const kept_arrays *kept = &run->kept[direction];
        for (mcd_node x = keep_part_first(run, part); x < keep_part_first(run, part + 1); ++x)
            for (mcd_arc xy = kept->first[x]; xy < kept->first[x + 1]; ++xy) {
                const mcd_node tail = direction == MCD_FORWARD ? x : kept->head[xy];
                const mcd_node head = direction == MCD_FORWARD ? kept->head[xy] : x;
                const mcd_node bottom = (mcd_node)kept->halves[xy];
                kept->halves[xy] =
                    bottom == MCD_NODE_NONE
                        ? mcd_halves_pack(MCD_HALF_NONE, lightest_arc(run->custom->job, tail, head))
                        : mcd_halves_pack(find_kept(&run->kept[MCD_BACKWARD], bottom, tail),
                                          find_kept(&run->kept[MCD_FORWARD], bottom, head));
            }
    }
}

static macadam_status allocate_kept(keep_run *run, int direction, mcd_arc count, macadam_error *error)
{
    const mcd_customize_job *job = run->custom->job;
    kept_arrays *kept = &run->kept[direction];
    if (count >= MCD_HALF_NONE)
        return mcd_fail(error, MACADAM_E_INVALID, "%llu kept arcs are more than the %u that a file may have",
                        (unsigned long long)count, MCD_HALF_NONE - 1);
    MCD_TRY(MCD_NEW(kept->first, (size_t)job->hierarchy->node_count + 1, error));
    kept->first[job->hierarchy->node_count] = count;
    MCD_TRY(MCD_NEW(kept->head, count, error));
    MCD_TRY(MCD_NEW(kept->depth, count, error));
    MCD_TRY(MCD_NEW(kept->objective, count, error));
    if (job->companion) MCD_TRY(MCD_NEW(kept->companion, count, error));
    return MCD_NEW(kept->halves, count, error);
}

/* Counts, places, fills, and then names the halves, when every kept arc has its index. */
static macadam_status keep_arcs(const custom_run *custom, mcd_kept *out, macadam_error *error)
{
    const mcd_parallel *parallel = &custom->job->parallel;
    keep_run run = {.custom = custom};
    mcd_parallel_for(parallel, KEEP_PARTS, count_part, &run);
    macadam_status status = MACADAM_OK;
    for (int direction = 0; direction < 2; ++direction) {
        mcd_arc total = 0;
        for (size_t part = 0; part < KEEP_PARTS; ++part) {
            const mcd_arc count = run.part_count[part][direction];
            run.part_count[part][direction] = total;
            total += count;
        }
        out->count[direction] = total;
        if (!status) status = allocate_kept(&run, direction, total, error);
    }
    if (!status) mcd_parallel_for(parallel, KEEP_PARTS, fill_part, &run);
    if (!status) mcd_parallel_for(parallel, KEEP_PARTS, halve_part, &run);
    for (int direction = 0; direction < 2; ++direction) {
        const kept_arrays *kept = &run.kept[direction];
        out->search[direction] = (mcd_search){kept->first,     kept->head,      kept->depth,
                                              kept->objective, kept->companion, kept->halves};
    }
    return status;
}

macadam_status MCD_KERNEL(prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                                 macadam_error *error)
{
    *out = (mcd_kept){0};
    custom_run run;
    macadam_status status = run_begin(&run, job, error);
    for (int direction = 0; direction < 2; ++direction) {
        run.cost[direction] = custom->cost[direction];
        run.witness[direction] = custom->witness[direction];
    }
    if (!status) status = mcd_progress_step(&job->progress, "pruning", 0, 2, error);
    if (!status && !any_saturated(&run)) {
        for (run.level = run.levels.count; run.level-- > 0;)
            mcd_parallel_for(&job->parallel,
                             (level_size(&run, run.level) + NODES_PER_TASK - 1) / NODES_PER_TASK,
                             perfect_level_part, &run);
        mcd_parallel_for(&job->parallel, subtree_tasks(job->hierarchy), perfect_subtrees, &run);
    }
    if (!status) status = mcd_progress_step(&job->progress, "pruning", 1, 2, error);
    if (!status) status = keep_arcs(&run, out, error);
    run_end(&run);
    if (status) mcd_kept_free(out);
    return status;
}
