/* tree.c - one-to-all costs: labels, then a downward sweep in preorder. (Delling, Goldberg, Nowatzyk, Werneck
 * 2011, PHAST)
 *
 * Method. The cost of node y is the least of its label (if a lane's root path goes through it) and of what
 * its kept arcs from ancestors give. Ids are a preorder, so one pass in ascending id order sees every
 * ancestor first. Layout. Groups of 16 lanes. Alone on its thread, a sweep keeps the rows of the current root
 * path on a stack indexed by depth, which stays in the first-level caches, and streams every node's answers
 * out past them: a row is written once and never read back. Threads that share one group (or one lane)
 * instead keep all costs in `dist`, indexed by node: first the top, by one thread, then the bottom subtrees,
 * each by any thread, which need only what is above them. Rows in the caller's order are made from lines of
 * 16 lanes, transposed 16 nodes at a time. Races: none. Bottom subtrees write only their own nodes and read
 * those and the top. */
#include "kernels/cpu/tree.h"

#include "engine/memory.h"
#include "kernels/cpu/answer.h"
#include "kernels/cpu/label.h"

enum {
    SUBTREES_PER_TASK = 32, /* a task of about 10,000 nodes */
    GROUPS_PER_ROUND = 4,   /* groups a thread between two looks at progress */
    TRANSPOSE_TASK = 16384, /* columns a task */
    PREFETCH_COLUMNS = 32,  /* how far ahead a transposition asks for its scattered lines */
};

/* One worker's scratch. */
typedef struct sweep_scratch {
    cost *panel, *stack; /* [height * 16] */
    label_visit *visit;  /* [height * 16] */
    uint32_t *line[2];   /* rows: [node_count * 16] objective, companion lines */
} sweep_scratch;

/* A job, and what its tasks share. */
typedef struct tree_run {
    const mcd_tree_job *job;
    sweep_scratch *scratch; /* per worker; shared groups use the first */
    cost *dist;             /* shared groups: [node_count * 16]; a single lane: [node_count] */
    size_t group;           /* the shared group, or the first one of a round */
    size_t visit_count;     /* of the shared group */
} tree_run;

/* Where a group's lines go: answer lines of node v begin at value + v * stride. */
typedef struct sweep_sink {
    uint32_t *objective, *companion;
    size_t stride;
    mcd_weight limit;
} sweep_sink;

static size_t lanes_of_group(const mcd_tree_job *job, size_t group)
{
    return mcd_size_min(LANES, job->lane_count - group * LANES);
}

/* Lanes answer where they belong, rows into the worker's lines first. Lines must be aligned to be streamed.
 */
static bool is_direct(const mcd_tree_job *job)
{
    return job->as_lanes && (uintptr_t)job->objective % 64 == 0 && (uintptr_t)job->companion % 64 == 0;
}

static sweep_sink sink_of(const mcd_tree_job *job, size_t group, const sweep_scratch *scratch)
{
    if (!is_direct(job))
        return (sweep_sink){job->objective ? scratch->line[0] : NULL,
                            job->companion ? scratch->line[1] : NULL, LANES, job->limit};
    return (sweep_sink){job->objective ? job->objective + group * LANES : NULL,
                        job->companion ? job->companion + group * LANES : NULL, job->lane_count, job->limit};
}

static inline void sink_row(const sweep_sink *sink, mcd_node node, row value)
{
    answer_row(value, sink->limit, sink->objective ? sink->objective + node * sink->stride : NULL,
               sink->companion ? sink->companion + node * sink->stride : NULL, line_stream);
}

/* ---- a group alone on its thread
 * --------------------------------------------------------------------------------- */

static void sweep_alone(const mcd_tree_job *job, const sweep_scratch *scratch, size_t visit_count,
                        sweep_sink sink)
{
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    const mcd_search *search = &job->weights->search[!job->direction];
    const uint32_t *const arc_depth = search->depth;
    cost *const stack = scratch->stack;
    const label_visit *visit = scratch->visit + visit_count; /* descending: taken from the end */
    mcd_node visited = visit_count ? (--visit)->node : MCD_NODE_NONE;
    mcd_arc xy = 0;
    for (mcd_node y = 0; y < hierarchy->node_count; ++y) {
        const uint32_t depth = hierarchy->depth[y];
        const mcd_arc end = search->first[y + 1];
        row best = row_all(COST_UNREACHED);
        if (y == visited) {
            best = row_hide(row_load(scratch->panel + (size_t)depth * LANES), row_hide_all_but(visit->mask));
            visited = visit > scratch->visit ? (--visit)->node : MCD_NODE_NONE;
        }
        for (; xy < end; ++xy)
            best = row_relax(best, row_load(stack + (size_t)arc_depth[xy] * LANES),
                             cost_of(search->objective, search->companion, xy));
        row_store(stack + (size_t)depth * LANES, best);
        sink_row(&sink, y, best);
    }
    line_stream_end();
}

/* ---- rows
 * -------------------------------------------------------------------------------------------------------- */

/* value[lane * column_count + i] = line[column[i] * 16 + lane] for first <= i < end. */
static void transpose_lines(const mcd_tree_job *job, const uint32_t *line, uint32_t *value, size_t lane_count,
                            size_t first, size_t end)
{
    for (size_t i = first; i < end; i += LANES) {
        const size_t width = mcd_size_min(LANES, end - i);
        uint32_t tile[LANES][LANES] __attribute__((aligned(64)));
        for (size_t c = 0; c < width; ++c) {
            const size_t node = job->column ? job->column[i + c] : i + c;
            if (job->column && i + c + PREFETCH_COLUMNS < end)
                __builtin_prefetch(line + (size_t)job->column[i + c + PREFETCH_COLUMNS] * LANES);
            for (size_t lane = 0; lane < LANES; ++lane) tile[lane][c] = line[node * LANES + lane];
        }
        for (size_t lane = 0; lane < lane_count; ++lane)
            __builtin_memcpy(value + lane * job->column_count + i, tile[lane], width * sizeof **tile);
    }
}

/* The lanes order for memory that lines cannot be streamed to. */
static void copy_lines(const mcd_tree_job *job, const uint32_t *line, uint32_t *value, size_t first,
                       size_t end)
{
    for (size_t node = first; node < end; ++node)
        __builtin_memcpy(value + node * job->lane_count, line + node * LANES, LANES * sizeof *line);
}

static void deliver(const mcd_tree_job *job, size_t group, const sweep_scratch *scratch, size_t first,
                    size_t end)
{
    uint32_t *const value[2] = {job->objective, job->companion};
    for (int q = 0; q < 2 && !is_direct(job); ++q)
        if (value[q] && job->as_lanes)
            copy_lines(job, scratch->line[q], value[q] + group * LANES, first, end);
        else if (value[q])
            transpose_lines(job, scratch->line[q], value[q] + group * LANES * job->column_count,
                            lanes_of_group(job, group), first, end);
}

static size_t column_count(const mcd_tree_job *job)
{
    return job->as_lanes ? job->weights->hierarchy->node_count : job->column_count;
}

static void run_group_alone(void *argument, size_t index, unsigned worker)
{
    const tree_run *run = argument;
    const mcd_tree_job *job = run->job;
    const size_t group = run->group + index;
    const sweep_scratch *scratch = &run->scratch[worker];
    const mcd_lane *lane = job->lane + group * LANES;
    label_group labels;
    size_t visit_count;
    MCD_KERNEL(label_group_of)(&labels, job->weights->hierarchy, lane, lanes_of_group(job, group));
    MCD_KERNEL(label)
    (&labels, job->weights, job->direction, lane, scratch->panel, scratch->visit, &visit_count);
    sweep_alone(job, scratch, visit_count, sink_of(job, group, scratch));
    deliver(job, group, scratch, 0, column_count(job));
}

/* ---- a group that all threads share
 * ------------------------------------------------------------------------------ */

/* Nodes first <= y < end, all of whose ancestors outside the range are done. */
static void sweep_shared_range(const tree_run *run, sweep_sink sink, mcd_node first, mcd_node end)
{
    const mcd_hierarchy *hierarchy = run->job->weights->hierarchy;
    const mcd_search *search = &run->job->weights->search[!run->job->direction];
    const sweep_scratch *scratch = &run->scratch[0];
    cost *const dist = run->dist;
    const label_visit *visit = scratch->visit;
    size_t low = 0, high = run->visit_count; /* visits descend: [0, high) are those at or above `first` */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (visit[middle].node >= first)
            low = middle + 1;
        else
            high = middle;
    }
    for (mcd_node y = first; y < end; ++y) {
        row best = row_all(COST_UNREACHED);
        if (high > 0 && visit[high - 1].node == y) {
            --high;
            best = row_hide(row_load(scratch->panel + (size_t)hierarchy->depth[y] * LANES),
                            row_hide_all_but(visit[high].mask));
        }
        for (mcd_arc xy = search->first[y]; xy < search->first[y + 1]; ++xy)
            best = row_relax(best, row_load(dist + (size_t)search->head[xy] * LANES),
                             cost_of(search->objective, search->companion, xy));
        row_store(dist + (size_t)y * LANES, best);
        sink_row(&sink, y, best);
    }
}

/* One lane: dist[y] alone. The labels of its root path stand in the panel's first lane. */
static void sweep_single_range(const tree_run *run, mcd_node first, mcd_node end)
{
    const mcd_hierarchy *hierarchy = run->job->weights->hierarchy;
    const mcd_search *search = &run->job->weights->search[!run->job->direction];
    const mcd_node source = run->job->lane[0].seed[0].node;
    cost *const dist = run->dist;
    for (mcd_node y = first; y < end; ++y) {
        cost best = COST_UNREACHED;
        if (source != MCD_NODE_NONE && mcd_hierarchy_is_below(hierarchy, source, y))
            best = run->scratch[0].panel[(size_t)hierarchy->depth[y] * LANES];
        for (mcd_arc xy = search->first[y]; xy < search->first[y + 1]; ++xy)
            best = cost_min(
                best, cost_add(dist[search->head[xy]], cost_of(search->objective, search->companion, xy)));
        dist[y] = best;
    }
}

static void sweep_range(const tree_run *run, mcd_node first, mcd_node end)
{
    if (run->job->lane_count == 1)
        sweep_single_range(run, first, end);
    else
        sweep_shared_range(run, sink_of(run->job, run->group, &run->scratch[0]), first, end);
}

static void sweep_top(const tree_run *run)
{
    const mcd_hierarchy *hierarchy = run->job->weights->hierarchy;
    mcd_node first = 0;
    for (mcd_node b = 0; b < hierarchy->bottom_count; ++b) {
        sweep_range(run, first, hierarchy->bottom_root[b]);
        first = hierarchy->subtree_end[hierarchy->bottom_root[b]];
    }
    sweep_range(run, first, hierarchy->node_count);
}

static void sweep_subtrees(void *argument, size_t index, unsigned worker)
{
    const tree_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->weights->hierarchy;
    const size_t first = index * SUBTREES_PER_TASK;
    const size_t end = mcd_size_min(first + SUBTREES_PER_TASK, hierarchy->bottom_count);
    (void)worker;
    for (size_t b = first; b < end; ++b)
        sweep_range(run, hierarchy->bottom_root[b], hierarchy->subtree_end[hierarchy->bottom_root[b]]);
    line_stream_end();
}

static void deliver_single(const tree_run *run, size_t first, size_t end)
{
    const mcd_tree_job *job = run->job;
    for (size_t i = first; i < end; ++i)
        answer_cost(run->dist[job->column ? job->column[i] : i], job->limit,
                    job->objective ? job->objective + i : NULL, job->companion ? job->companion + i : NULL);
}

static void deliver_part(void *argument, size_t index, unsigned worker)
{
    const tree_run *run = argument;
    const size_t first = index * TRANSPOSE_TASK,
                 end = mcd_size_min(first + TRANSPOSE_TASK, column_count(run->job));
    (void)worker;
    if (run->job->lane_count == 1)
        deliver_single(run, first, end);
    else
        deliver(run->job, run->group, &run->scratch[0], first, end);
}

static void run_group_shared(tree_run *run)
{
    const mcd_tree_job *job = run->job;
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    const mcd_lane *lane = job->lane + run->group * LANES;
    const sweep_scratch *scratch = &run->scratch[0];
    label_group labels;
    MCD_KERNEL(label_group_of)(&labels, hierarchy, lane, lanes_of_group(job, run->group));
    MCD_KERNEL(label)
    (&labels, job->weights, job->direction, lane, scratch->panel, scratch->visit, &run->visit_count);
    sweep_top(run);
    mcd_parallel_for(&job->parallel, (hierarchy->bottom_count + SUBTREES_PER_TASK - 1) / SUBTREES_PER_TASK,
                     sweep_subtrees, run);
    mcd_parallel_for(&job->parallel, (column_count(job) + TRANSPOSE_TASK - 1) / TRANSPOSE_TASK, deliver_part,
                     run);
}

/* ---- the job
 * ----------------------------------------------------------------------------------------------------- */

/* Groups run alone as long as every thread has one; those left over are shared. */
typedef struct tree_plan {
    size_t group_count, alone_count, worker_count;
} tree_plan;

static tree_plan plan_of(const mcd_tree_job *job)
{
    const size_t threads = job->parallel.thread_count, groups = (job->lane_count + LANES - 1) / LANES;
    if (job->lane_count == 1) return (tree_plan){groups, 0, 1};
    const size_t alone = groups / threads * threads;
    return (tree_plan){groups, alone, alone ? threads : 1};
}

static size_t line_count(const mcd_tree_job *job)
{
    return is_direct(job) || job->lane_count == 1 ? 0 : (job->objective != NULL) + (job->companion != NULL);
}

size_t MCD_KERNEL(tree_scratch)(const mcd_tree_job *job)
{
    const tree_plan plan = plan_of(job);
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    const size_t row_bytes = LANES * sizeof(cost), line_bytes = LANES * sizeof(uint32_t);
    const size_t per_worker = hierarchy->height * (2 * row_bytes + LANES * sizeof(label_visit)) +
                              line_count(job) * line_bytes * hierarchy->node_count;
    const size_t shared = plan.alone_count == plan.group_count ? 0
                          : job->lane_count == 1               ? sizeof(cost)
                                                               : row_bytes;
    return plan.worker_count * per_worker + shared * hierarchy->node_count;
}

static macadam_status allocate(tree_run *run, const tree_plan *plan, macadam_error *error)
{
    const mcd_tree_job *job = run->job;
    const size_t nodes = job->weights->hierarchy->node_count,
                 row_count = (size_t)job->weights->hierarchy->height * LANES;
    MCD_TRY(MCD_NEW_ZEROED(run->scratch, plan->worker_count, error));
    for (size_t w = 0; w < plan->worker_count; ++w) {
        sweep_scratch *scratch = &run->scratch[w];
        MCD_TRY(MCD_NEW(scratch->panel, row_count, error));
        MCD_TRY(MCD_NEW(scratch->stack, row_count, error));
        MCD_TRY(MCD_NEW(scratch->visit, row_count, error));
        if (line_count(job) && job->objective) MCD_TRY(MCD_NEW(scratch->line[0], nodes * LANES, error));
        if (line_count(job) && job->companion) MCD_TRY(MCD_NEW(scratch->line[1], nodes * LANES, error));
    }
    if (plan->alone_count < plan->group_count)
        MCD_TRY(MCD_NEW(run->dist, job->lane_count == 1 ? nodes : nodes * LANES, error));
    return MACADAM_OK;
}

static void release(tree_run *run, const tree_plan *plan)
{
    for (size_t w = 0; run->scratch && w < plan->worker_count; ++w) {
        mcd_free(run->scratch[w].panel);
        mcd_free(run->scratch[w].stack);
        mcd_free(run->scratch[w].visit);
        mcd_free(run->scratch[w].line[0]);
        mcd_free(run->scratch[w].line[1]);
    }
    mcd_free(run->scratch);
    mcd_free(run->dist);
}

macadam_status MCD_KERNEL(tree)(const mcd_tree_job *job, macadam_error *error)
{
    const tree_plan plan = plan_of(job);
    tree_run run = {.job = job};
    macadam_status status = allocate(&run, &plan, error);
    while (!status && run.group < plan.group_count) {
        status = mcd_progress_step(&job->progress, "trees", run.group * LANES, job->lane_count, error);
        if (status) break;
        if (run.group < plan.alone_count) {
            const size_t round =
                mcd_size_min(plan.alone_count - run.group, plan.worker_count * GROUPS_PER_ROUND);
            mcd_parallel_for(&job->parallel, round, run_group_alone, &run);
            run.group += round;
        } else {
            run_group_shared(&run);
            ++run.group;
        }
    }
    release(&run, &plan);
    return status;
}
