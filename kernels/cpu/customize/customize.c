/* customize.c - basic customization: the least costs of paths through lower nodes.
 *
 * Method. Every upward arc yz begins with its input arcs' weight. Then, from the bottom up, each node y
 * relaxes its lower triangles: for each x below with arcs to y and z, the paths y-x-z and z-x-y. (Dibbelt,
 * Strasser, Wagner 2016, section 4; gathering by rows is left-looking sparse Cholesky.)
 * Layout. cost[2 * arc + direction]: both directions are relaxed together. y gathers its whole row into an
 * array indexed by depth, where the tops of a triangle list are scattered but distinct. Lower nodes with the
 * same tops, most often the nodes of one separator, are first reduced to one list.
 * Parallel. Bottom subtrees are independent tasks. Above them, the nodes of one level are independent. Where
 * a level has fewer nodes than there are threads, the lower triangles of one node are divided, and the parts
 * are joined in order.
 * Races. None: a node writes its own arcs and reads only those of finished nodes.
 * Ties. An input arc wins, then the least bottom node: parts are joined in ascending order of bottom. */
#include "kernels/cpu/customize/customize.h"

#include "engine/base/watch.h"
#include "kernels/cpu/device/both.h"

enum { DIVIDED_LEAST = 256 }; /* a node with fewer lower neighbours is not worth waking threads for */

/* One row by depth: y's arcs while they are gathered. */
typedef struct row_buffer {
    cost *cost;        /* [2 * height] */
    mcd_node *witness; /* [2 * height]; NULL without witnesses */
} row_buffer;

typedef struct custom_run {
    const mcd_customize_job *job;
    const mcd_schedule *schedule;
    const mcd_arc *first_up;
    cost *cost;
    mcd_node *witness;
    row_buffer *buffer; /* per worker, and per part of a divided node */
    size_t worker_count;
    uint32_t level;    /* level of the current tasks */
    size_t task_count; /* tasks that the level is divided into */
    mcd_node node;     /* the node that is being divided */
} custom_run;

/* ---- one node ---- */

/* The costs of the upward arcs of x. */
static inline const cost *arcs_of(const custom_run *run, mcd_node x)
{
    return run->cost + 2 * run->first_up[x];
}

/* Relaxes the triangles of bottom x and mid y. y is in x's `slot`; the slots before it are the tops. */
static void gather_bottom(const custom_run *run, const row_buffer *row_of_y, mcd_node x, uint32_t slot)
{
    const cost *const arc = arcs_of(run, x);
    const uint32_t *const depth = run->job->hierarchy->up_depth + run->first_up[x];
    const both y_x_y = both_swap(both_load(arc + 2 * (size_t)slot)); /* y -> x, x -> y */
    const mcd_node bottom[2] = {x, x};
    if (run->witness)
        for (uint32_t t = 0; t < slot; ++t)
            both_lower(row_of_y->cost + 2 * (size_t)depth[t], row_of_y->witness + 2 * (size_t)depth[t],
                       both_add(y_x_y, both_load(arc + 2 * (size_t)t)), bottom);
    else
        for (uint32_t t = 0; t < slot; ++t) {
            cost *const yz = row_of_y->cost + 2 * (size_t)depth[t];
            both_store(yz, both_min(both_load(yz), both_add(y_x_y, both_load(arc + 2 * (size_t)t))));
        }
}

/* Lowers the tops at depth[0 .. count) of y's row to the lanes of `value`. */
static void lower_tops(const row_buffer *row_of_y, const uint32_t *depth, size_t count, vec value, vec bottom)
{
    cost value_of[VEC_LANES] __attribute__((aligned(64)));
    mcd_node bottom_of[VEC_LANES];
    *(vec *)value_of = value;
    if (row_of_y->witness) boths_store_nodes(bottom_of, bottom);
    for (size_t i = 0; i < count; ++i) {
        cost *const to = row_of_y->cost + 2 * (size_t)depth[i];
        const both offered = both_load(value_of + 2 * i);
        if (row_of_y->witness)
            both_lower(to, row_of_y->witness + 2 * (size_t)depth[i], offered, bottom_of + 2 * i);
        else
            both_store(to, both_min(both_load(to), offered));
    }
}

/* Does the same for ascending bottoms that have the same tops: takes the least over all of them into the
 * row once. */
static void gather_bottoms(const custom_run *run, const row_buffer *row_of_y, const mcd_node *bottom,
                           size_t count, uint32_t slot)
{
    const uint32_t *const depth = run->job->hierarchy->up_depth + run->first_up[bottom[0]];
    for (uint32_t t = 0; t < slot; t += BOTHS) {
        const size_t tops = mcd_size_min(BOTHS, slot - t);
        vec least = vec_all(COST_UNREACHED), least_bottom = vec_all(0);
        for (size_t k = 0; k < count; ++k) {
            const cost *const arc = arcs_of(run, bottom[k]);
            const vec y_x_y = boths_all(both_swap(both_load(arc + 2 * (size_t)slot)));
            const vec value = vec_add(y_x_y, boths_load(arc + 2 * (size_t)t, tops));
            if (run->witness)
                boths_lower(&least, &least_bottom, value, vec_all(bottom[k]));
            else
                least = vec_min(least, value);
        }
        lower_tops(row_of_y, depth + t, tops, least, least_bottom);
    }
}

/* Relaxes the triangles of the bottoms lower[first .. end) and mid y in y's row. */
static void gather_triangles(const custom_run *run, const row_buffer *row_of_y, mcd_arc first, mcd_arc end)
{
    const mcd_schedule *schedule = run->schedule;
    for (mcd_arc next; first < end; first = next) {
        const uint32_t slot = schedule->lower_slot[first] & ~MCD_SAME_TOPS; /* may be within a run */
        for (next = first + 1; next < end && schedule->lower_slot[next] & MCD_SAME_TOPS;) ++next;
        if (next - first == 1)
            gather_bottom(run, row_of_y, schedule->lower[first], slot);
        else
            gather_bottoms(run, row_of_y, schedule->lower + first, next - first, slot);
    }
}

/* Lowers y's arc to `high` in y's row to an input arc. */
static void lower_to_input(const custom_run *run, const row_buffer *row_of_y, mcd_node high, mcd_arc arc,
                           mcd_direction direction)
{
    cost *const to = &row_of_y->cost[2 * (size_t)run->job->hierarchy->depth[high] + direction];
    *to = cost_min(*to, mcd_input_cost(run->job->objective, run->job->companion, arc));
}

/* Begins y's row with its input arcs. */
static void begin_row(const custom_run *run, mcd_node y, const row_buffer *row_of_y)
{
    const mcd_graph *const graph = run->job->graph;
    const uint32_t *const depth = run->job->hierarchy->up_depth;
    for (mcd_arc up = run->first_up[y]; up < run->first_up[y + 1]; ++up) {
        const size_t at = 2 * (size_t)depth[up];
        row_of_y->cost[at] = row_of_y->cost[at + 1] = COST_UNREACHED;
        if (run->witness) row_of_y->witness[at] = row_of_y->witness[at + 1] = MCD_NODE_NONE;
    }
    for (mcd_arc i = graph->first_out[y]; i < graph->first_out[y + 1] && graph->head[i] < y; ++i)
        lower_to_input(run, row_of_y, graph->head[i], i, MCD_FORWARD);
    for (mcd_arc i = graph->first_in[y]; i < graph->first_in[y + 1] && graph->tail[i] < y; ++i)
        lower_to_input(run, row_of_y, graph->tail[i], graph->in_arc[i], MCD_BACKWARD);
}

/* Takes over the costs that are strictly less in `row_of_y`. Rows joined in ascending order so keep the
 * least bottom node. */
static void join_row(const custom_run *run, mcd_node y, const row_buffer *row_of_y)
{
    for (mcd_arc up = run->first_up[y]; up < run->first_up[y + 1]; ++up)
        for (int direction = 0; direction < 2; ++direction) {
            const size_t from = 2 * (size_t)run->job->hierarchy->up_depth[up] + (size_t)direction,
                         to = 2 * up + (size_t)direction;
            if (row_of_y->cost[from] >= run->cost[to]) continue;
            run->cost[to] = row_of_y->cost[from];
            if (run->witness) run->witness[to] = row_of_y->witness[from];
        }
}

static void store_row(const custom_run *run, mcd_node y, const row_buffer *row_of_y)
{
    const mcd_arc first = run->first_up[y], count = run->first_up[y + 1] - first;
    const uint32_t *const depth = run->job->hierarchy->up_depth + first;
    const row_buffer from = *row_of_y;
    cost *const arc = run->cost + 2 * first;
    for (size_t i = 0; i < count; ++i) both_store(arc + 2 * i, both_load(from.cost + 2 * (size_t)depth[i]));
    for (size_t i = 0; i < count && from.witness; ++i)
        memcpy(run->witness + 2 * (first + i), from.witness + 2 * (size_t)depth[i], 2 * sizeof *from.witness);
}

static void customize_node(const custom_run *run, mcd_node y, const row_buffer *row_of_y)
{
    begin_row(run, y, row_of_y);
    gather_triangles(run, row_of_y, run->schedule->first_lower[y], run->schedule->first_lower[y + 1]);
    store_row(run, y, row_of_y);
}

/* ---- all nodes ---- */

static void customize_subtrees(void *argument, size_t index, unsigned worker)
{
    const custom_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const size_t first = index * MCD_SUBTREES_PER_TASK;
    const size_t end = mcd_size_min(first + MCD_SUBTREES_PER_TASK, hierarchy->bottom_count);
    for (size_t b = first; b < end; ++b)
        for (mcd_node y = hierarchy->subtree_end[hierarchy->bottom_root[b]]; y-- > hierarchy->bottom_root[b];)
            customize_node(run, y, &run->buffer[worker]);
}

static void customize_level_part(void *argument, size_t index, unsigned worker)
{
    const custom_run *run = argument;
    const mcd_schedule *schedule = run->schedule;
    const mcd_node *node = schedule->level_node + schedule->level_first[run->level];
    const size_t size = mcd_level_size(schedule, run->level);
    const size_t end = mcd_part_first(size, index + 1, run->task_count);
    for (size_t i = mcd_part_first(size, index, run->task_count); i < end; ++i)
        customize_node(run, node[i], &run->buffer[worker]);
}

/* Relaxes one part of a node's triangles in the part's own buffer. There are as many parts as workers. */
static void customize_node_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    const custom_run *run = argument;
    const mcd_arc first = run->schedule->first_lower[run->node];
    const size_t count = run->schedule->first_lower[run->node + 1] - first;
    begin_row(run, run->node, &run->buffer[part]);
    gather_triangles(run, &run->buffer[part], first + mcd_part_first(count, part, run->worker_count),
                     first + mcd_part_first(count, part + 1, run->worker_count));
}

/* Divides one node among all threads if it has enough triangles. */
static void customize_divided(custom_run *run, mcd_node node)
{
    const mcd_schedule *schedule = run->schedule;
    if (schedule->first_lower[node + 1] - schedule->first_lower[node] < DIVIDED_LEAST) {
        customize_node(run, node, &run->buffer[0]);
        return;
    }
    run->node = node;
    mcd_parallel_for(&run->job->parallel, run->worker_count, customize_node_part, run);
    store_row(run, node, &run->buffer[0]);
    for (size_t part = 1; part < run->worker_count; ++part) join_row(run, node, &run->buffer[part]);
}

static macadam_status customize_level(custom_run *run, mcd_watch *watch, macadam_error *error)
{
    const mcd_schedule *schedule = run->schedule;
    const mcd_node size = mcd_level_size(schedule, run->level);
    run->task_count = mcd_tasks_of(size, run->worker_count);
    if (run->worker_count == 1 || size >= run->worker_count)
        return mcd_watch_for(watch, &run->job->parallel, run->task_count, customize_level_part, run, error);
    for (mcd_node i = 0; i < size; ++i) {
        customize_divided(run, schedule->level_node[schedule->level_first[run->level] + i]);
        MCD_TRY(mcd_watch_step(watch, run->level, schedule->level_count, error));
    }
    return MACADAM_OK;
}

static macadam_status allocate(custom_run *run, mcd_custom *out, macadam_error *error)
{
    const size_t up_count = run->first_up[run->job->hierarchy->node_count],
                 height = run->job->hierarchy->height;
    MCD_TRY(MCD_NEW(run->cost, 2 * up_count, error));
    out->cost = run->cost;
    if (run->job->witnesses) MCD_TRY(MCD_NEW(run->witness, 2 * up_count, error));
    out->witness = run->witness;
    MCD_TRY(MCD_NEW_ZEROED(run->buffer, run->worker_count, error));
    for (size_t w = 0; w < run->worker_count; ++w) {
        MCD_TRY(MCD_NEW(run->buffer[w].cost, 2 * height, error));
        if (run->job->witnesses) MCD_TRY(MCD_NEW(run->buffer[w].witness, 2 * height, error));
    }
    return MACADAM_OK;
}

static macadam_status run_all(custom_run *run, macadam_error *error)
{
    const mcd_customize_job *job = run->job;
    mcd_watch watch = mcd_watch_of(&job->progress, "customization");
    MCD_TRY(mcd_watch_step(&watch, 0, 2, error));
    MCD_TRY(mcd_watch_for(&watch, &job->parallel, mcd_subtree_tasks(job->hierarchy), customize_subtrees, run,
                          error));
    for (run->level = 0; run->level < run->schedule->level_count; ++run->level)
        MCD_TRY(customize_level(run, &watch, error));
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(customize)(mcd_custom *out, const mcd_customize_job *job, macadam_error *error)
{
    *out = (mcd_custom){0};
    custom_run run = {.job = job,
                      .schedule = job->schedule,
                      .first_up = job->hierarchy->first_up,
                      .worker_count = job->parallel.thread_count};
    macadam_status status = allocate(&run, out, error);
    if (!status) status = run_all(&run, error);
    for (size_t w = 0; run.buffer && w < run.worker_count; ++w)
        MCD_FREE_ALL(run.buffer[w].cost, run.buffer[w].witness);
    mcd_free(run.buffer);
    if (status) mcd_custom_free(out);
    return status;
}
