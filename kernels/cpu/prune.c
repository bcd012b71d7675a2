/* prune.c - the arcs that are kept.
 *
 * Method. An arc whose basic weight is more than the distance of its ends (perfect.c) is on no shortest path and
 * is left out. What is kept stands for an input arc or for the two arcs of its least lower triangle, which are
 * kept too: a shorter way around one of them would have been one around the whole. (Dibbelt, Strasser, Wagner
 * 2016, section 5)
 * Saturation. Sums with a saturated companion are no longer strictly monotone, and that argument fails: where
 * there is one, nothing but unreached arcs is left out.
 * Races: none: each part writes its own arcs or nodes. */
#include "kernels/cpu/prune.h"

#include "engine/memory.h"
#include "kernels/cpu/customize.h"
#include "kernels/cpu/perfect.h"

enum { KEEP_PARTS = 64 };

typedef struct prune_run {
    const mcd_customize_job *job;
    const mcd_schedule *schedule;
    const mcd_arc *first_up;
    cost *cost;
    mcd_node *witness;
} prune_run;

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
    return run->witness[2 * up + (size_t)direction] != MCD_WITNESS_PRUNED;
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

macadam_status MCD_KERNEL(prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                                 macadam_error *error)
{
    *out = (mcd_kept){0};
    const prune_run run = {.job = job,
                           .schedule = job->schedule,
                           .first_up = job->hierarchy->first_up,
                           .cost = custom->cost,
                           .witness = custom->witness};
    MCD_TRY(mcd_progress_step(&job->progress, "pruning", 0, 2, error));
    MCD_TRY(MCD_KERNEL(perfect)(custom, job, error));
    MCD_TRY(mcd_progress_step(&job->progress, "pruning", 1, 2, error));
    const macadam_status status = keep_arcs(&run, custom, out, error);
    if (status) mcd_kept_free(out);
    return status;
}
