/* perfect.c - perfect customization: each upward arc's cost becomes the distance between its ends.
 *
 * Method. From the top down, each node x relaxes its arcs against the finished arcs between its upward
 * neighbours, which are a clique: x-z-y and x-y-z. The first arc of a shortest path from x has its basic
 * weight, so one pass is exact. (Dibbelt, Strasser, Wagner 2016, section 5)
 * Layout. The nodes of a chain have the same upward neighbours except for each other. They are computed
 * together, as lanes: panel[slot * lanes + lane] holds the costs of the arcs of node `first + lane` to the
 * slot-th neighbour, in both directions. Each arc between neighbours is then fetched once for the whole
 * chain. A lane has no arc in the slots of its own node and of later nodes: these stay unreached.
 * Parallel. Generations of chains from the top, then the bottom subtrees.
 * Races. None: a chain writes its own arcs and reads those of its ancestors, which are finished. */

#include "engine/base/watch.h"
#include "kernels/cpu/device/both.h"
#include "kernels/cpu/customize/customize.h"

enum { SCAN_PARTS = 64 };

typedef struct perfect_run {
    const mcd_customize_job *job;
    const mcd_schedule *schedule;
    const mcd_arc *first_up;
    cost *cost;
    mcd_node *witness;
    size_t arcs;         /* the height, rounded up to whole lines */
    cost *panel;         /* per worker: [2 * arcs * MCD_CHAIN_NODES], then one neighbour's arcs [2 * arcs] */
    uint32_t generation; /* generation of the current tasks */
    size_t task_count;   /* tasks that the generation is divided into */
    bool saturated[SCAN_PARTS];
} perfect_run;

/* ---- one chain ---- */

/* Fetches the arcs of `y` to the first `count` heads of `among`, which are all neighbours of y. */
static void fetch_arcs(const perfect_run *run, mcd_node y, const mcd_node *among, size_t count, cost *arc)
{
    const mcd_arc first = run->first_up[y];
    const mcd_node *const head = run->job->hierarchy->up_head + first;
    const size_t head_count = run->first_up[y + 1] - first;
    size_t start = 0;
    for (size_t t = 0; t < count; ++t) {
        const size_t slot = position_of(among[t], head, head_count, &start);
        both_store(arc + 2 * t, both_load(run->cost + 2 * (first + slot)));
    }
}

/* Relaxes all lanes over y, the neighbour in `slot`. y's arc to the neighbour in slot t is arc[2 * t *
 * stride]. */
static void relax_slot(cost *panel, size_t lanes, size_t slot, const cost *arc, size_t stride)
{
    for (size_t lane = 0; lane < lanes; lane += BOTHS) {
        vec *const x_y = (vec *)(panel + 2 * (slot * lanes + lane));
        const vec before = *x_y;
        vec best = before;
        for (size_t t = 0; t < slot; ++t) {
            const both y_z = both_load(arc + 2 * t * stride);
            vec *const x_z = (vec *)(panel + 2 * (t * lanes + lane));
            const vec old = *x_z;
            best = vec_min(best, vec_add(old, boths_all(both_swap(y_z))));
            *x_z = vec_min(old, vec_add(before, boths_all(y_z)));
        }
        *x_y = best;
    }
}

static void load_panel(const perfect_run *run, mcd_chain chain, cost *panel, size_t lanes)
{
    const size_t up_count = run->first_up[chain.first + 1] - run->first_up[chain.first];
    const size_t count = (up_count + chain.count) * lanes;
    for (size_t i = 0; i < count; i += BOTHS) *(vec *)(panel + 2 * i) = vec_all(COST_UNREACHED);
    for (size_t lane = 0; lane < chain.count; ++lane) {
        const cost *const arc = run->cost + 2 * run->first_up[chain.first + lane];
        for (size_t slot = 0; slot < up_count + lane; ++slot)
            both_store(panel + 2 * (slot * lanes + lane), both_load(arc + 2 * slot));
    }
}

/* Stores the panel, and marks the arcs that became cheaper or are unreached. */
static void store_panel(const perfect_run *run, mcd_chain chain, const cost *panel, size_t lanes)
{
    const size_t up_count = run->first_up[chain.first + 1] - run->first_up[chain.first];
    for (size_t lane = 0; lane < chain.count; ++lane) {
        const size_t first = 2 * run->first_up[chain.first + lane];
        for (size_t slot = 0; slot < up_count + lane; ++slot)
            for (size_t direction = 0; direction < 2; ++direction) {
                const size_t i = first + 2 * slot + direction;
                const cost value = panel[2 * (slot * lanes + lane) + direction];
                const bool is_pruned = (value < run->cost[i]) | (cost_objective(value) >= MCD_UNREACHED);
                run->witness[i] = is_pruned ? MCD_WITNESS_PRUNED : run->witness[i];
                run->cost[i] = value;
            }
    }
}

static void perfect_chain(const perfect_run *run, mcd_chain chain, unsigned worker)
{
    const mcd_node *const up_head = run->job->hierarchy->up_head + run->first_up[chain.first];
    const size_t up_count = run->first_up[chain.first + 1] - run->first_up[chain.first];
    const size_t lanes = (chain.count + BOTHS - 1) / BOTHS * BOTHS;
    cost *const panel = run->panel + 2 * run->arcs * (MCD_CHAIN_NODES + 1) * worker;
    cost *const arc = panel + 2 * run->arcs * MCD_CHAIN_NODES;
    load_panel(run, chain, panel, lanes);
    for (size_t slot = 1; slot < up_count; ++slot) {
        fetch_arcs(run, up_head[slot], up_head, slot, arc);
        relax_slot(panel, lanes, slot, arc, 1);
    }
    for (size_t lane = 0; lane + 1 < chain.count; ++lane)
        relax_slot(panel, lanes, up_count + lane, panel + 2 * lane, lanes);
    store_panel(run, chain, panel, lanes);
}

/* ---- all chains ---- */

static void perfect_generation_part(void *argument, size_t index, unsigned worker)
{
    const perfect_run *run = argument;
    const mcd_schedule *schedule = run->schedule;
    const mcd_node first = schedule->generation_first[run->generation];
    const size_t size = schedule->generation_first[run->generation + 1] - first;
    const size_t end = mcd_part_first(size, index + 1, run->task_count);
    for (size_t i = mcd_part_first(size, index, run->task_count); i < end; ++i)
        perfect_chain(run, schedule->chain[first + i], worker);
}

static void perfect_subtrees(void *argument, size_t index, unsigned worker)
{
    const perfect_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const size_t first = index * MCD_SUBTREES_PER_TASK;
    const size_t end = mcd_size_min(first + MCD_SUBTREES_PER_TASK, hierarchy->bottom_count);
    for (size_t b = first; b < end; ++b) {
        const mcd_node subtree_end = hierarchy->subtree_end[hierarchy->bottom_root[b]];
        mcd_chain chain;
        for (mcd_node x = hierarchy->bottom_root[b]; x < subtree_end; x += chain.count) {
            chain = mcd_chain_at(hierarchy, x, subtree_end);
            perfect_chain(run, chain, worker);
        }
    }
}

static size_t scan_first(const perfect_run *run, size_t part)
{
    return mcd_part_first(2 * run->first_up[run->job->hierarchy->node_count], part, SCAN_PARTS);
}

static void find_saturated(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    perfect_run *run = argument;
    bool found = false;
    for (size_t i = scan_first(run, part); i < scan_first(run, part + 1); ++i) /* vectorizes: no branches */
        found |=
            (cost_objective(run->cost[i]) < MCD_UNREACHED) & (cost_companion(run->cost[i]) >= MCD_UNREACHED);
    run->saturated[part] = found;
}

static void mark_unreached(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    const perfect_run *run = argument;
    for (size_t i = scan_first(run, part); i < scan_first(run, part + 1); ++i)
        if (cost_objective(run->cost[i]) >= MCD_UNREACHED) run->witness[i] = MCD_WITNESS_PRUNED;
}

static bool any_saturated(perfect_run *run)
{
    bool found = false;
    if (MCD_LANE_BITS == 32) return false;
    mcd_parallel_for(&run->job->parallel, SCAN_PARTS, find_saturated, run);
    for (size_t part = 0; part < SCAN_PARTS; ++part) found |= run->saturated[part];
    return found;
}

static macadam_status perfect_all(perfect_run *run, macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(&run->job->progress, "pruning");
    const mcd_parallel *parallel = &run->job->parallel;
    const mcd_schedule *schedule = run->schedule;
    for (run->generation = 0; run->generation < schedule->generation_count; ++run->generation) {
        run->task_count = mcd_tasks_of(schedule->generation_first[run->generation + 1] -
                                           schedule->generation_first[run->generation],
                                       parallel->thread_count);
        MCD_TRY(mcd_watch_for(&watch, parallel, run->task_count, perfect_generation_part, run, error));
    }
    return mcd_watch_for(&watch, parallel, mcd_subtree_tasks(run->job->hierarchy), perfect_subtrees, run,
                         error);
}

macadam_status MCD_KERNEL(perfect)(const mcd_custom *custom, const mcd_customize_job *job,
                                   macadam_error *error)
{
    perfect_run run = {.job = job,
                       .schedule = job->schedule,
                       .first_up = job->hierarchy->first_up,
                       .arcs = ((size_t)job->hierarchy->height / LANES + 1) * LANES,
                       .cost = custom->cost,
                       .witness = custom->witness};
    if (any_saturated(&run)) {
        mcd_parallel_for(&job->parallel, SCAN_PARTS, mark_unreached, &run);
        return MACADAM_OK;
    }
    MCD_TRY(MCD_NEW(run.panel, 2 * run.arcs * (MCD_CHAIN_NODES + 1) * job->parallel.thread_count, error));
    const macadam_status status = perfect_all(&run, error);
    mcd_free(run.panel);
    return status;
}
