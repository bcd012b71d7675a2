/* tree.c - one-to-all costs: labels, then a downward sweep in preorder (sweep.h).
 *
 * Layout. Groups of 16 lanes. A pass that has its thread to itself sweeps up to eight groups and streams every
 * node's answers past the caches: a row is written once and never read back. Threads that share one group (or
 * one lane) instead keep all costs in `dist`, indexed by node. One thread sweeps the top first. Then any
 * thread sweeps any bottom subtree, which needs only the nodes above it. Rows in the caller's order are made
 * from such lines afterwards (transpose.h). If the columns are distinct nodes, a pass writes its lines in their order, so that
 * the scattered accesses are stores, which nothing waits for.
 * Races. None: bottom subtrees write only their own nodes and read only those and the top. */
#include "kernels/cpu/device/phases.h"

#include "engine/base/rounds.h"
#include "kernels/cpu/device/answer.h"
#include "kernels/cpu/sweep/transpose.h"
#include "kernels/cpu/sweep/sweep.h"

/* Measured by tests/bench/ratios on New York and NE. */
enum {
    SUBTREES_PER_TASK = 32, /* a task of about 10,000 nodes */
    SPAN_NODES = 16384,     /* that a pass sweeps between two questions whether to go on */
    DELIVER_TASK = 16384,   /* columns per task */
    RUN_ARCS = 2048,        /* arcs that one loop sweeps for a single lane: 512 to 8192 make no difference */
};

/* One worker's scratch, for passes of `width` groups. */
typedef struct tree_scratch {
    sweep_scratch sweep;
    uint32_t *line[2]; /* rows: [node_count * width * 16] objectives, companions */
} tree_scratch;

/* How a job is divided. Passes have a thread to themselves as long as every thread has one; threads share
 * the groups left over. */
typedef struct tree_plan {
    size_t width, pass_count; /* passes of `width` groups each */
    size_t group_count;       /* of all passes; groups from pass_count * width on are shared */
    size_t worker_count;
} tree_plan;

/* A job, and the data that its tasks share. */
typedef struct tree_run {
    const mcd_tree_job *job;
    tree_plan plan;
    tree_scratch *scratch; /* per worker; shared groups use the first one's */
    cost *dist;            /* shared groups: [node_count * 16]; a single lane: [node_count] */
    const uint32_t *place; /* of passes, in `dist`: as in sweep_sink */
    size_t group;          /* the shared group */
    mcd_rounds rounds;     /* of lanes */
} tree_run;

/* Where lines go: the lines of node v begin at value + v * stride, 16 lanes for each group. */
typedef struct sweep_sink {
    uint32_t *objective, *companion;
    size_t stride;
    mcd_weight limit;
    bool raw;
    const uint32_t *place; /* [node_count]: whose lines node v's are; NULL: v's */
} sweep_sink;

/* The number of lanes in `count` groups from `group` on. */
static size_t lanes_of_groups(const mcd_tree_job *job, size_t group, size_t count)
{
    return mcd_size_min(count * LANES, job->lane_count - group * LANES);
}

/* The number of nodes that a pass sweeps. */
static size_t swept_count(const mcd_tree_job *job)
{
    return job->only ? job->only_count : job->weights->hierarchy->node_count;
}

/* Whether lines go straight to the answer. Lanes do; rows go to the worker's lines first. Lines must be
 * aligned to be streamed. */
static bool is_direct(const mcd_tree_job *job)
{
    return job->as_lanes && (uintptr_t)job->objective % 64 == 0 && (uintptr_t)job->companion % 64 == 0;
}

static sweep_sink sink_of(const tree_run *run, size_t group, size_t width, const tree_scratch *scratch)
{
    const mcd_tree_job *const job = run->job;
    sweep_sink sink = {.limit = job->limit, .raw = job->raw, .place = run->place};
    const bool direct = is_direct(job);
    sink.stride = direct ? job->lane_count : width * LANES;
    if (job->objective) sink.objective = direct ? job->objective + group * LANES : scratch->line[0];
    if (job->companion) sink.companion = direct ? job->companion + group * LANES : scratch->line[1];
    return sink;
}

static inline void sink_row(const sweep_sink *sink, mcd_node node, size_t group, row value)
{
    const size_t at = node * sink->stride + group * LANES;
    answer_row(value, sink->limit, sink->raw, sink->objective ? sink->objective + at : NULL,
               sink->companion ? sink->companion + at : NULL, line_stream);
}

static inline void sink_node(void *context, size_t i, mcd_node y, const row *best, size_t width)
{
    const sweep_sink *const sink = context;
    const mcd_node place = sink->place ? sink->place[y] : (mcd_node)i;
#pragma GCC unroll 8
    for (size_t g = 0; g < width; ++g) sink_row(sink, place, g, best[g]);
}

static void label_groups(const mcd_tree_job *job, sweep_scratch *scratch, size_t group, size_t width)
{
    for (size_t g = 0; g < width; ++g)
        sweep_label(job->weights, job->direction, job->lane + (group + g) * LANES,
                    lanes_of_groups(job, group + g, 1), scratch, g);
}

/* `width` is a compile-time constant at each call. */
static inline __attribute__((always_inline)) void sweep_pass(const tree_run *run, sweep_scratch *scratch,
                                                             sweep_sink sink, const size_t width)
{
    const mcd_tree_job *job = run->job;
    const size_t count = swept_count(job);
    for (size_t first = 0; first < count && mcd_watch_goes_on(&run->rounds.watch); first += SPAN_NODES) {
        const sweep_span span = {job->only, first, mcd_size_min(first + SPAN_NODES, count)};
        sweep_nodes(job->weights, job->direction, span, scratch, width, sink_node, &sink);
    }
    line_stream_end();
}

/* ---- rows ---- */

static void deliver(const tree_run *run, size_t group, size_t width, const tree_scratch *scratch,
                    size_t first, size_t end)
{
    const mcd_tree_job *const job = run->job;
    const mcd_node *const column = run->place ? NULL : job->column;
    uint32_t *const value[2] = {job->objective, job->companion};
    if (is_direct(job)) return;
    for (int q = 0; q < 2; ++q) {
        if (!value[q]) continue;
        const mcd_transpose lines = {scratch->line[q], width * LANES, lanes_of_groups(job, group, width)};
        if (job->as_lanes)
            MCD_KERNEL(transpose_copy)(&lines, first, end, value[q] + group * LANES, job->lane_count);
        else
            MCD_KERNEL(transpose_rows)
        (&lines, column, first, end, value[q] + group * LANES * job->column_count, job->column_count);
    }
}

static size_t column_count(const mcd_tree_job *job)
{
    return job->as_lanes ? job->weights->hierarchy->node_count : job->column_count;
}

static void run_groups(const tree_run *run, size_t group, size_t width, unsigned worker)
{
    const mcd_tree_job *job = run->job;
    tree_scratch *scratch = &run->scratch[worker];
    const sweep_sink sink = sink_of(run, group, width, scratch);
    label_groups(job, &scratch->sweep, group, width);
    if (width > WIDTH)
        sweep_pass(run, &scratch->sweep, sink, WIDTH_MAX);
    else if (width == WIDTH)
        sweep_pass(run, &scratch->sweep, sink, WIDTH);
    else if (width == 2)
        sweep_pass(run, &scratch->sweep, sink, 2);
    else
        sweep_pass(run, &scratch->sweep, sink, 1);
    const size_t columns = column_count(job);
    for (size_t i = 0; i < columns && mcd_watch_goes_on(&run->rounds.watch); i += DELIVER_TASK)
        deliver(run, group, width, scratch, i, mcd_size_min(i + DELIVER_TASK, columns));
}

static void run_pass(void *argument, size_t index, unsigned worker)
{
    const tree_run *run = argument;
    run_groups(run, index * run->plan.width, run->plan.width, worker);
}

/* Runs a group left over by the passes, if groups are not shared. */
static void run_single(void *argument, size_t index, unsigned worker)
{
    const tree_run *run = argument;
    run_groups(run, run->group + index, 1, worker);
}

/* ---- a group that all threads share ---- */

/* In a descending list: how many visits are at or above a node. */
MCD_DEFINE_LOWER_BOUND_BY(count_visits, label_visit, mcd_node, element->node >= value)

static size_t visits_from(const sweep_scratch *scratch, mcd_node first)
{
    return count_visits(scratch->visit[0], 0, scratch->visit_count[0], first);
}

/* Sweeps nodes first <= y < end. Their ancestors outside the range are all finished. */
static void sweep_rows(const tree_run *run, sweep_sink sink, mcd_node first, mcd_node end)
{
    const mcd_hierarchy *hierarchy = run->job->weights->hierarchy;
    const mcd_search *search = &run->job->weights->search[!run->job->direction];
    const sweep_scratch *scratch = &run->scratch[0].sweep;
    cost *const dist = run->dist;
    size_t visits = visits_from(scratch, first);
    for (mcd_node y = first; y < end; ++y) {
        row best = row_all(COST_UNREACHED);
        if (visits > 0 && scratch->visit[0][visits - 1].node == y)
            best = row_hide(row_load(scratch->panel[0] + (size_t)hierarchy->depth[y] * LANES),
                            row_hide_all_but(scratch->visit[0][--visits].mask));
        for (mcd_arc xy = search->first[y]; xy < search->first[y + 1]; ++xy)
            best = row_relax(best, row_load(dist + (size_t)search->head[xy] * LANES),
                             cost_of(search->objective, search->companion, xy));
        row_store(dist + (size_t)y * LANES, best);
        sink_row(&sink, y, 0, best);
    }
}

/* The end of the run of nodes that begins at `first`. All are below `end` and have arcs, at most RUN_ARCS
 * together. is_last[i] says that arc i of the run is its node's last. */
static mcd_node mark_run(const mcd_arc *first_arc, mcd_node first, mcd_node end, uint8_t is_last[RUN_ARCS])
{
    const mcd_arc run = first_arc[first];
    mcd_node y = first;
    memset(is_last, 0, RUN_ARCS);
    for (; y < end && first_arc[y + 1] - run <= RUN_ARCS && first_arc[y + 1] > first_arc[y]; ++y)
        is_last[first_arc[y + 1] - run - 1] = 1;
    return y;
}

/* Sweeps a run of nodes without labels. A node's number of arcs cannot be predicted, so one loop goes over
 * the arcs of all nodes. It writes a node's cost with each arc and passes to the next node without a
 * branch. */
static void sweep_run(const mcd_search *search, mcd_node first, mcd_node end, const uint8_t is_last[RUN_ARCS],
                      cost *dist)
{
    const mcd_arc run = search->first[first];
    const size_t count = search->first[end] - run;
    const mcd_node *const head = search->head + run;
    const mcd_weight *const objective = search->objective + run;
    const mcd_weight *const companion = search->companion ? search->companion + run : NULL;
    cost best = COST_UNREACHED, *y = dist + first;
    for (size_t i = 0; i < count; ++i) {
        best = cost_min(best, cost_relaxed(dist[head[i]], cost_of(objective, companion, i)));
        *y = best;
        y += is_last[i];
        best |= (0 - (cost)is_last[i]) & COST_UNREACHED;
    }
}

/* Does the same for a single lane: only dist[y]. */
static void sweep_lane(const tree_run *run, mcd_node first, mcd_node end)
{
    const mcd_search *search = &run->job->weights->search[!run->job->direction];
    const sweep_scratch *scratch = &run->scratch[0].sweep;
    const uint32_t *const node_depth = run->job->weights->hierarchy->depth;
    uint8_t is_last[RUN_ARCS];
    cost *const dist = run->dist;
    size_t visits = visits_from(scratch, first);
    for (mcd_node y = first; y < end; ++y) {
        const mcd_node visited = visits ? scratch->visit[0][visits - 1].node : MCD_NODE_NONE;
        const mcd_node run_end = mark_run(search->first, y, visited < end ? visited : end, is_last);
        sweep_run(search, y, run_end, is_last, dist);
        if ((y = run_end) == end) break;
        cost best = COST_UNREACHED; /* a node that ended a run: it has a label, no arcs, or many */
        if (y == visited) {
            best = scratch->panel[0][(size_t)node_depth[y] * LANES];
            --visits;
        }
        for (mcd_arc xy = search->first[y]; xy < search->first[y + 1]; ++xy)
            best = cost_min(best, cost_relaxed(dist[search->head[xy]],
                                               cost_of(search->objective, search->companion, xy)));
        dist[y] = best;
    }
}

static void sweep_range(const tree_run *run, mcd_node first, mcd_node end)
{
    if (run->job->lane_count == 1)
        sweep_lane(run, first, end);
    else
        sweep_rows(run, sink_of(run, run->group, 1, &run->scratch[0]), first, end);
}

/* Sweeps the nodes above the bottom subtrees. */
static void sweep_top(const tree_run *run)
{
    const mcd_hierarchy *hierarchy = run->job->weights->hierarchy;
    mcd_node first = 0;
    for (mcd_node b = 0; b < hierarchy->bottom_count; ++b) {
        sweep_range(run, first, hierarchy->bottom_root[b]);
        first = hierarchy->subtree_end[hierarchy->bottom_root[b]];
    }
    sweep_range(run, first, hierarchy->node_count);
    line_stream_end();
}

static void sweep_subtrees(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const tree_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->weights->hierarchy;
    const size_t first = index * SUBTREES_PER_TASK;
    const size_t end = mcd_size_min(first + SUBTREES_PER_TASK, hierarchy->bottom_count);
    for (size_t b = first; b < end; ++b)
        sweep_range(run, hierarchy->bottom_root[b], hierarchy->subtree_end[hierarchy->bottom_root[b]]);
    line_stream_end();
}

static void deliver_lane(const tree_run *run, size_t first, size_t end)
{
    const mcd_tree_job *job = run->job;
    for (size_t i = first; i < end; ++i)
        answer_cost(run->dist[job->column ? job->column[i] : i], job->limit, job->raw,
                    job->objective ? job->objective + i : NULL, job->companion ? job->companion + i : NULL);
}

static void deliver_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const tree_run *run = argument;
    const size_t first = index * DELIVER_TASK,
                 end = mcd_size_min(first + DELIVER_TASK, column_count(run->job));
    if (run->job->lane_count == 1)
        deliver_lane(run, first, end);
    else
        deliver(run, run->group, 1, &run->scratch[0], first, end);
}

/* Sweeps all nodes on the calling thread. */
static macadam_status sweep_alone(tree_run *run, macadam_error *error)
{
    const mcd_node node_count = run->job->weights->hierarchy->node_count;
    for (mcd_node first = 0; first < node_count;) {
        const mcd_node end = node_count - first < SPAN_NODES ? node_count : first + SPAN_NODES;
        MCD_TRY(mcd_watch_step(&run->rounds.watch, first, node_count, error));
        sweep_range(run, first, end);
        first = end;
    }
    line_stream_end();
    return MACADAM_OK;
}

static macadam_status run_shared_group(tree_run *run, macadam_error *error)
{
    const mcd_tree_job *job = run->job;
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    label_groups(job, &run->scratch[0].sweep, run->group, 1);
    if (job->parallel.thread_count == 1) {
        MCD_TRY(sweep_alone(run, error));
    } else {
        sweep_top(run);
        MCD_TRY(mcd_watch_for(&run->rounds.watch, &job->parallel,
                              (hierarchy->bottom_count + SUBTREES_PER_TASK - 1) / SUBTREES_PER_TASK,
                              sweep_subtrees, run, error));
    }
    return mcd_watch_for(&run->rounds.watch, &job->parallel,
                         (column_count(job) + DELIVER_TASK - 1) / DELIVER_TASK, deliver_part, run, error);
}

/* ---- the job ---- */

static tree_plan plan_of(const mcd_tree_job *job)
{
    const size_t threads = job->parallel.thread_count, groups = (job->lane_count + LANES - 1) / LANES;
    tree_plan plan = {.width = WIDTH, .group_count = groups};
    if (job->only) {
        while (plan.width > 1 && groups / plan.width < threads) plan.width /= 2;
        plan.pass_count = groups / plan.width;
        plan.worker_count = groups <= 1 ? 1 : threads; /* the host's executor may number its workers freely */
        return plan;
    }
    const size_t widest = is_direct(job) ? WIDTH_MAX : WIDTH;
    if (groups % (widest * threads) == groups % (WIDTH * threads)) plan.width = widest;
    if (job->lane_count == 1) plan.width = 1;
    if (job->lane_count > 1) {
        while (plan.width > 1 && groups / plan.width < threads) plan.width /= 2;
        plan.pass_count = groups / plan.width / threads * threads;
    }
    plan.worker_count = plan.pass_count ? threads : 1;
    return plan;
}

static bool has_lines(const mcd_tree_job *job)
{
    return !is_direct(job) && (job->lane_count > 1 || job->only);
}

/* The number of costs that shared groups keep. Rows may need none while a last band of fewer rows needs
 * some, in the same scratch. */
static size_t dist_count(const mcd_tree_job *job, const tree_plan *plan)
{
    const bool has_shared = plan->pass_count * plan->width < plan->group_count;
    if (job->only || (job->as_lanes && !has_shared)) return 0;
    return job->weights->hierarchy->node_count * (job->lane_count == 1 ? (size_t)1 : LANES);
}

/* Lays the scratch out from `memory` on and returns its end, which is its size if `memory` is 0. */
static uintptr_t lay_out(const mcd_tree_job *job, const tree_plan *plan, uintptr_t memory,
                         tree_scratch *worker, cost **dist)
{
    const mcd_hierarchy *hierarchy = job->weights->hierarchy;
    const size_t stack_bytes = (size_t)hierarchy->height * plan->width * LANES * sizeof(cost);
    const size_t line_bytes = (swept_count(job) + 1) * plan->width * LANES * sizeof(uint32_t);
    for (size_t w = 0; w < plan->worker_count; ++w) {
        tree_scratch scratch = {.sweep.stack = carve(&memory, stack_bytes)};
        for (size_t g = 0; g < plan->width; ++g) sweep_carve_labels(&memory, hierarchy, &scratch.sweep, g);
        if (has_lines(job) && job->objective) scratch.line[0] = carve(&memory, line_bytes);
        if (has_lines(job) && job->companion) scratch.line[1] = carve(&memory, line_bytes);
        if (worker) worker[w] = scratch;
    }
    *dist = carve(&memory, dist_count(job, plan) * sizeof(cost));
    return memory;
}

size_t MCD_KERNEL(tree_scratch)(const mcd_tree_job *job)
{
    const tree_plan plan = plan_of(job);
    cost *dist;
    return lay_out(job, &plan, 0, NULL, &dist);
}

/* If the columns are distinct nodes, places each node's lines at its column, and those of other nodes after the last. */
static void place_lines(tree_run *run)
{
    const mcd_tree_job *const job = run->job;
    const size_t node_count = swept_count(job), count = job->column_count;
    uint32_t *const place = (uint32_t *)run->dist;
    if (job->only || job->as_lanes || !job->column || run->plan.pass_count == 0 || count > node_count) return;
    for (size_t v = 0; v < node_count; ++v) place[v] = (uint32_t)count;
    for (size_t i = 0; i < count; ++i) {
        if (place[job->column[i]] < count) return;
        place[job->column[i]] = (uint32_t)i;
    }
    run->place = place;
}

static macadam_status run_all(tree_run *run, macadam_error *error)
{
    const mcd_tree_job *job = run->job;
    const tree_plan *plan = &run->plan;
    mcd_rounds *rounds = &run->rounds;
    const size_t lanes = mcd_size_min(plan->pass_count * plan->width * LANES, job->lane_count);
    place_lines(run);
    mcd_rounds_begin(rounds, &job->progress, "trees", job->lane_count);
    MCD_TRY(mcd_rounds_for(rounds, 0, lanes, &job->parallel, plan->pass_count, run_pass, run, error));
    run->group = plan->pass_count * plan->width;
    run->place = NULL;
    if (job->only)
        return mcd_rounds_for(rounds, lanes, job->lane_count - lanes, &job->parallel,
                              plan->group_count - run->group, run_single, run, error);
    for (; run->group < plan->group_count; ++run->group) {
        rounds->first = run->group * LANES;
        rounds->count = lanes_of_groups(job, run->group, 1);
        MCD_TRY(run_shared_group(run, error));
    }
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(tree)(const mcd_tree_job *job, macadam_error *error)
{
    tree_run run = {.job = job, .plan = plan_of(job)};
    MCD_TRY(MCD_NEW(run.scratch, run.plan.worker_count, error));
    lay_out(job, &run.plan, (uintptr_t)job->scratch, run.scratch, &run.dist);
    const macadam_status status = run_all(&run, error);
    mcd_free(run.scratch);
    return status;
}
