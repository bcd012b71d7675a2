/* prune.c - perfect customization, and the arcs that are kept.
 *
 * Method. From the top down, each node x relaxes its arcs against the finished arcs between its upward
 * neighbours, which are a clique: x-z-y and x-y-z. The first arc of a shortest path from x has its basic
 * weight, so one pass is exact. An arc whose basic weight is more than the distance of its ends is on no
 * shortest path and is left out. What is kept stands for an input arc or for the two arcs of its least lower
 * triangle, which are kept too: a shorter way around one of them would have been one around the whole.
 * (Dibbelt, Strasser, Wagner 2016, section 5)
 * Saturation. Sums with a saturated companion are no longer strictly monotone, and that argument fails: where
 * there is one, nothing but unreached arcs is left out.
 * Parallel. Levels from the top, then the bottom subtrees.
 * Races: none: a node writes its own arcs and reads those of its ancestors, which are finished. */
#include "kernels/cpu/prune.h"

#include "engine/memory.h"
#include "kernels/cpu/both.h"
#include "kernels/cpu/customize.h"

#include <string.h>

enum { KEEP_PARTS = 64 };

#define WITNESS_PRUNED (MCD_NODE_NONE - 1) /* no node's id: a file has fewer than 2^32 - 2 */

typedef struct prune_run {
    const mcd_customize_job *job;
    const mcd_schedule *schedule;
    const mcd_arc *first_up;
    cost *cost;
    mcd_node *witness;
    cost **basic; /* per worker: [2 * height], one node's basic costs */
    uint32_t level;
    size_t task_count; /* that the level is divided into */
} prune_run;

/* ---- perfect ---- */

/* Relaxes x's arcs against the arcs between its upward neighbours. */
static void relax_node(const prune_run *run, mcd_node x)
{
    const mcd_node *const up_head = run->job->hierarchy->up_head;
    const mcd_arc first = run->first_up[x], end = run->first_up[x + 1];
    cost *const arc = run->cost;
    for (mcd_arc xy = first + 1; xy < end; ++xy) {
        mcd_arc yz = run->first_up[up_head[xy]];
        const both before = both_load(arc + 2 * xy);
        both x_y = before;
        for (mcd_arc xz = first; xz < xy; ++xz, ++yz) {
            while (up_head[yz] != up_head[xz]) ++yz; /* it is there: the neighbours are a clique */
            const both x_z = both_load(arc + 2 * xz), y_z = both_load(arc + 2 * yz);
            x_y = both_min(x_y, both_add(x_z, both_swap(y_z)));
            both_store(arc + 2 * xz, both_min(x_z, both_add(before, y_z)));
        }
        both_store(arc + 2 * xy, x_y);
    }
}

static void perfect_node(const prune_run *run, mcd_node x, cost *basic)
{
    const size_t first = 2 * run->first_up[x], count = 2 * run->first_up[x + 1] - first;
    memcpy(basic, run->cost + first, count * sizeof *basic);
    relax_node(run, x);
    for (size_t i = 0; i < count; ++i)
        run->witness[first + i] = run->cost[first + i] < basic[i] ? WITNESS_PRUNED : run->witness[first + i];
}

static void perfect_level_part(void *argument, size_t index, unsigned worker)
{
    const prune_run *run = argument;
    const mcd_node *node = run->schedule->level_node + run->schedule->level_first[run->level];
    const size_t size = mcd_level_size(run->schedule, run->level);
    const size_t end = mcd_part_first(size, index + 1, run->task_count);
    for (size_t i = mcd_part_first(size, index, run->task_count); i < end; ++i)
        perfect_node(run, node[i], run->basic[worker]);
}

static void perfect_subtrees(void *argument, size_t index, unsigned worker)
{
    const prune_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const size_t first = index * MCD_SUBTREES_PER_TASK;
    const size_t end = mcd_size_min(first + MCD_SUBTREES_PER_TASK, hierarchy->bottom_count);
    for (size_t b = first; b < end; ++b)
        for (mcd_node x = hierarchy->bottom_root[b]; x < hierarchy->subtree_end[hierarchy->bottom_root[b]];
             ++x)
            perfect_node(run, x, run->basic[worker]);
}

static bool any_saturated(const prune_run *run)
{
    const size_t count = 2 * run->first_up[run->job->hierarchy->node_count];
    for (size_t i = 0; MCD_LANE_BITS == 64 && i < count; ++i)
        if (cost_objective(run->cost[i]) < MCD_UNREACHED && cost_companion(run->cost[i]) >= MCD_UNREACHED)
            return true;
    return false;
}

/* ---- keeping ---- */

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
    const prune_run *prune;
    kept_arrays kept[2];
    mcd_arc part_count[KEEP_PARTS][2]; /* kept arcs of a part's nodes, then of all parts before it */
} keep_run;

static inline bool is_kept(const prune_run *run, int direction, mcd_arc up)
{
    return run->witness[2 * up + (size_t)direction] != WITNESS_PRUNED;
}

static mcd_node keep_part_first(const keep_run *run, size_t part)
{
    return (mcd_node)mcd_part_first(run->prune->job->hierarchy->node_count, part, KEEP_PARTS);
}

static void count_part(void *argument, size_t part, unsigned worker)
{
    keep_run *run = argument;
    const mcd_arc *first_up = run->prune->job->hierarchy->first_up;
    (void)worker;
    for (int direction = 0; direction < 2; ++direction) {
        mcd_arc count = 0;
        for (mcd_arc up = first_up[keep_part_first(run, part)]; up < first_up[keep_part_first(run, part + 1)];
             ++up) {
            const size_t i = 2 * up + (size_t)direction;
            if (cost_objective(run->prune->cost[i]) >= MCD_UNREACHED) run->prune->witness[i] = WITNESS_PRUNED;
            count += is_kept(run->prune, direction, up);
        }
        run->part_count[part][direction] = count;
    }
}

static void fill_part(void *argument, size_t part, unsigned worker)
{
    keep_run *run = argument;
    const prune_run *prune = run->prune;
    const mcd_hierarchy *hierarchy = prune->job->hierarchy;
    (void)worker;
    for (int direction = 0; direction < 2; ++direction) {
        const kept_arrays *kept = &run->kept[direction];
        mcd_arc next = run->part_count[part][direction];
        for (mcd_node x = keep_part_first(run, part); x < keep_part_first(run, part + 1); ++x) {
            kept->first[x] = next;
            for (mcd_arc up = hierarchy->first_up[x]; up < hierarchy->first_up[x + 1]; ++up) {
                if (!is_kept(prune, direction, up)) continue;
                kept->head[next] = hierarchy->up_head[up];
                kept->depth[next] = hierarchy->depth[hierarchy->up_head[up]];
                const size_t i = 2 * up + (size_t)direction;
                kept->objective[next] = cost_objective(prune->cost[i]);
                if (kept->companion) kept->companion[next] = cost_companion(prune->cost[i]);
                ++next;
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
    const mcd_arc end = graph->first_out[tail + 1];
    for (mcd_arc xy = mcd_graph_first_arc(graph, tail, head); xy < end && graph->head[xy] == head; ++xy) {
        if (mcd_is_closed(job, xy)) continue;
        const cost weight = cost_of(job->objective, job->companion, xy);
        if (weight < least) least = weight, lightest = (uint32_t)xy;
    }
    return lightest;
}

static void halve_part(void *argument, size_t part, unsigned worker)
{
    keep_run *run = argument;
    const prune_run *prune = run->prune;
    const mcd_hierarchy *hierarchy = prune->job->hierarchy;
    (void)worker;
    for (int direction = 0; direction < 2; ++direction) {
        uint64_t *halves = run->kept[direction].halves + run->part_count[part][direction];
        for (mcd_node x = keep_part_first(run, part); x < keep_part_first(run, part + 1); ++x)
            for (mcd_arc up = hierarchy->first_up[x]; up < hierarchy->first_up[x + 1]; ++up) {
                if (!is_kept(prune, direction, up)) continue;
                const mcd_node tail = direction == MCD_FORWARD ? x : hierarchy->up_head[up];
                const mcd_node head = direction == MCD_FORWARD ? hierarchy->up_head[up] : x;
                const mcd_node bottom = prune->witness[2 * up + (size_t)direction];
                *halves++ = bottom == MCD_NODE_NONE
                                ? mcd_halves_pack(MCD_HALF_NONE, lightest_arc(prune->job, tail, head))
                                : mcd_halves_pack(find_kept(&run->kept[MCD_BACKWARD], bottom, tail),
                                                  find_kept(&run->kept[MCD_FORWARD], bottom, head));
            }
    }
}

static macadam_status allocate_kept(keep_run *run, int direction, mcd_arc count, macadam_error *error)
{
    const mcd_customize_job *job = run->prune->job;
    kept_arrays *kept = &run->kept[direction];
    if (count >= MCD_HALF_NONE)
        return mcd_fail(error, MACADAM_E_INVALID, "%llu kept arcs are more than the %u that a file may have",
                        (unsigned long long)count, MCD_HALF_NONE - 1);
    MCD_TRY(MCD_NEW(kept->first, (size_t)job->hierarchy->node_count + 1, error));
    kept->first[job->hierarchy->node_count] = count;
    MCD_TRY(MCD_NEW(kept->head, count, error));
    MCD_TRY(MCD_NEW(kept->depth, count, error));
    MCD_TRY(MCD_NEW(kept->objective, count, error));
    return job->companion ? MCD_NEW(kept->companion, count, error) : MACADAM_OK;
}

/* Counts, places, fills, and then names the halves, when every kept arc has its index. */
static macadam_status keep_arcs(const prune_run *prune, mcd_custom *custom, mcd_kept *out,
                                macadam_error *error)
{
    const mcd_parallel *parallel = &prune->job->parallel;
    keep_run run = {.prune = prune};
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
    mcd_free(custom->cost); /* the largest of all arrays, before the next large ones */
    custom->cost = NULL;
    for (int direction = 0; direction < 2 && !status; ++direction)
        status = MCD_NEW(run.kept[direction].halves, out->count[direction], error);
    if (!status) mcd_parallel_for(parallel, KEEP_PARTS, halve_part, &run);
    for (int direction = 0; direction < 2; ++direction) {
        const kept_arrays *kept = &run.kept[direction];
        out->search[direction] = (mcd_search){kept->first,     kept->head,      kept->depth,
                                              kept->objective, kept->companion, kept->halves};
    }
    return status;
}

/* ---- the job ---- */

static macadam_status perfect_all(prune_run *run, macadam_error *error)
{
    const mcd_parallel *parallel = &run->job->parallel;
    MCD_TRY(MCD_NEW_ZEROED(run->basic, parallel->thread_count, error));
    for (size_t w = 0; w < parallel->thread_count; ++w)
        MCD_TRY(MCD_NEW(run->basic[w], 2 * (size_t)run->job->hierarchy->height, error));
    MCD_TRY(mcd_progress_step(&run->job->progress, "pruning", 0, 2, error));
    if (any_saturated(run)) return MACADAM_OK;
    for (run->level = run->schedule->level_count; run->level-- > 0;) {
        run->task_count = mcd_level_tasks(run->schedule, run->level, parallel->thread_count);
        mcd_parallel_for(parallel, run->task_count, perfect_level_part, run);
    }
    mcd_parallel_for(parallel, mcd_subtree_tasks(run->job->hierarchy), perfect_subtrees, run);
    return mcd_progress_step(&run->job->progress, "pruning", 1, 2, error);
}

macadam_status MCD_KERNEL(prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                                 macadam_error *error)
{
    *out = (mcd_kept){0};
    prune_run run = {.job = job,
                     .schedule = job->schedule,
                     .first_up = job->hierarchy->first_up,
                     .cost = custom->cost,
                     .witness = custom->witness};
    macadam_status status = perfect_all(&run, error);
    if (!status) status = keep_arcs(&run, custom, out, error);
    for (size_t w = 0; run.basic && w < job->parallel.thread_count; ++w) mcd_free(run.basic[w]);
    mcd_free(run.basic);
    if (status) mcd_kept_free(out);
    return status;
}
