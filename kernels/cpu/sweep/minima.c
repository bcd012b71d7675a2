/* minima.c - see minima.h. (Buchhold and Wagner 2021: nearest neighbours in customizable contraction hierarchies)
 *
 * Method. A cost is the least sum of two labels over the ancestors that source and target share. So each node on
 * the root path of a target keeps the least costs from it to targets; a key is a cost and, in its low half, a
 * target's position. A source adds its label to the keys of its own root path and keeps the least sum of each target.
 * Why `nearest_count` keys a node are enough. Let a target's best way lead over a node. A target whose key there
 * is less has a lesser key at the source as well. If the node has dropped the target, there are `nearest_count` of
 * those.
 * Parallel. Targets are labelled by one thread, sources in groups of 16, each a task.
 * Races. None: the lists are complete before sources read them, and a task writes the answers of its own lanes. */
#include "kernels/cpu/sweep/minima.h"

#include "engine/base/memory.h"
#include "engine/base/nearest.h"
#include "engine/base/rounds.h"
#include "kernels/cpu/pairwise/matrix_targets.h"
#include "kernels/cpu/sweep/sweep.h"

enum {
    NEAREST_MAX = 64, /* a target is looked for among those that are kept */
    TARGET_NODES =
        512, /* labelling a target takes as long as sweeping so many nodes for 16 lanes (New York) */
    LIST_BYTES = 1 << 28 /* at most, of all lists */
};

typedef struct minima_run {
    const mcd_reach_job *job;
    sorted_lanes source, target; /* neighbours share root paths */
    uint32_t *below;             /* [node] targets whose root paths it is on */
    uint32_t *filled;            /* [node] keys of its list */
    size_t *first;               /* [node] its list in `key`, if `below` is not 0 */
    uint64_t *key;
    sweep_scratch *scratch; /* [thread] the label of a group */
    void *memory;           /* of the scratch */
    mcd_rounds rounds;
} minima_run;

static size_t group_count(size_t lanes)
{
    return (lanes + LANES - 1) / LANES;
}

bool MCD_KERNEL(minima_suit)(const mcd_reach_job *job)
{
    const macadam_reach *const answer = &job->answer;
    const mcd_hierarchy *const hierarchy = job->weights->hierarchy;
    const double list_bytes =
        (double)job->target_count * hierarchy->height * (double)job->nearest_count * sizeof(uint64_t);
    return !(answer->node_count || answer->value_sum || answer->reached || answer->eccentricity ||
             answer->cost_sum) &&
           job->nearest_count <= NEAREST_MAX && list_bytes <= LIST_BYTES &&
           (double)job->target_count * TARGET_NODES * job->parallel.thread_count <
               (double)group_count(job->lane_count) * hierarchy->node_count;
}

/* ---- targets ---- */

static uint32_t list_size(const minima_run *run, mcd_node node)
{
    return (uint32_t)mcd_size_min(run->below[node], run->job->nearest_count);
}

/* Gives each node on a root path of a target its list. */
static macadam_status new_lists(minima_run *run, macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = run->job->weights->hierarchy;
    size_t size = 0;
    MCD_TRY(MCD_NEW_ZEROED(run->below, hierarchy->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->filled, hierarchy->node_count, error));
    MCD_TRY(MCD_NEW(run->first, hierarchy->node_count, error));
    for (size_t t = 0; t < run->target.count; ++t)
        for (mcd_node node = run->target.lane[t].seed[0].node; node != MCD_NODE_NONE;
             node = hierarchy->parent[node])
            ++run->below[node];
    for (size_t node = 0; node < hierarchy->node_count; ++node) {
        run->first[node] = size;
        size += list_size(run, (mcd_node)node);
    }
    return MCD_NEW(run->key, size, error);
}

/* Puts the labels of a group of targets into the lists of its root paths, which are heaps so far. */
static void add_group(minima_run *run, size_t first)
{
    const mcd_reach_job *const job = run->job;
    const mcd_direction back = job->direction == MCD_FORWARD ? MCD_BACKWARD : MCD_FORWARD;
    sweep_scratch *const label = &run->scratch[0];
    sweep_label(job->weights, back, run->target.lane + first, mcd_size_min(LANES, run->target.count - first),
                label, 0);
    for (size_t v = 0; v < label->visit_count[0]; ++v) {
        const label_visit visit = label->visit[0][v];
        const cost *const costs =
            label->panel[0] + (size_t)job->weights->hierarchy->depth[visit.node] * LANES;
        uint64_t *const list = run->key + run->first[visit.node];
        uint32_t *const filled = &run->filled[visit.node];
        const uint32_t capacity = list_size(run, visit.node);
        for (uint32_t mask = visit.mask; mask; mask &= mask - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(mask);
            const uint64_t key = (uint64_t)costs[lane] << 32 | run->target.origin[first + lane];
            if (costs[lane] < MCD_UNREACHED && (*filled < capacity || key < list[0]))
                mcd_nearest_put(list, filled, capacity, key);
        }
    }
}

static macadam_status prepare(minima_run *run, macadam_error *error)
{
    MCD_TRY(mcd_sorted_lanes_new(&run->source, run->job->lane, run->job->lane_count, error));
    MCD_TRY(mcd_sorted_lanes_new(&run->target, run->job->target, run->job->target_count, error));
    MCD_TRY(new_lists(run, error));
    for (size_t first = 0; first < run->target.count; first += LANES) add_group(run, first);
    for (size_t node = 0; node < run->job->weights->hierarchy->node_count; ++node)
        mcd_nearest_sort(run->key + run->first[node], run->filled[node]);
    return MACADAM_OK;
}

/* ---- sources ---- */

/* The nearest targets of a lane so far, in ascending order. */
typedef struct shortest {
    uint64_t key[NEAREST_MAX];
    uint32_t count;
} shortest;

/* Keeps `key` if it is among the nearest; false if no greater one can be either. */
static inline bool keep(shortest *list, size_t capacity, uint64_t key)
{
    if (list->count == capacity && key >= list->key[capacity - 1]) return false;
    size_t at = 0;
    while (at < list->count && (uint32_t)list->key[at] != (uint32_t)key) ++at;
    if (at < list->count && list->key[at] <= key) return true;
    if (at == list->count) {
        if (list->count < capacity)
            ++list->count;
        else
            --at; /* the last one goes */
    }
    for (; at > 0 && list->key[at - 1] > key; --at) list->key[at] = list->key[at - 1];
    list->key[at] = key;
    return true;
}

static void take_list(const minima_run *run, mcd_node node, cost before, shortest *list)
{
    const uint64_t *const key = run->key + run->first[node];
    const size_t capacity = run->job->nearest_count;
    if (before >= MCD_UNREACHED || (list->count == capacity && list->key[capacity - 1] >> 32 < before))
        return;
    for (uint32_t i = 0; i < run->filled[node]; ++i) {
        const uint64_t sum = key[i] + ((uint64_t)before << 32);
        if (sum >= (uint64_t)MCD_UNREACHED << 32 || !keep(list, capacity, sum)) return;
    }
}

static void deliver(const minima_run *run, size_t lane, const shortest *list)
{
    const macadam_reach *const answer = &run->job->answer;
    const size_t capacity = run->job->nearest_count, first = lane * capacity;
    if (answer->nearest_found) answer->nearest_found[lane] = list->count;
    for (size_t i = 0; i < capacity; ++i) {
        const uint64_t key = i < list->count ? list->key[i] : UINT64_MAX;
        if (answer->nearest_position) answer->nearest_position[first + i] = (uint32_t)key;
        if (answer->nearest_cost) answer->nearest_cost[first + i] = (uint32_t)(key >> 32);
    }
}

static void run_group(void *argument, size_t group, unsigned worker)
{
    const minima_run *const run = argument;
    const mcd_reach_job *const job = run->job;
    const size_t first = group * LANES, end = mcd_size_min(first + LANES, job->lane_count);
    const size_t count = mcd_size_min(end, run->source.count) - mcd_size_min(first, run->source.count);
    sweep_scratch *const label = &run->scratch[worker];
    shortest list[LANES];
    for (size_t i = 0; i < LANES; ++i) list[i].count = 0;
    label->visit_count[0] = 0;
    if (count > 0) sweep_label(job->weights, job->direction, run->source.lane + first, count, label, 0);
    for (size_t v = 0; v < label->visit_count[0]; ++v) {
        const label_visit visit = label->visit[0][v];
        if (run->filled[visit.node] == 0) continue;
        const cost *const costs =
            label->panel[0] + (size_t)job->weights->hierarchy->depth[visit.node] * LANES;
        for (uint32_t mask = visit.mask; mask; mask &= mask - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(mask);
            take_list(run, visit.node, costs[lane], &list[lane]);
        }
    }
    for (size_t i = first; i < end; ++i) deliver(run, run->source.origin[i], &list[i - first]);
}

/* ---- the job ---- */

static uintptr_t lay_out(minima_run *run, uintptr_t memory, bool fill)
{
    for (size_t w = 0; w < run->job->parallel.thread_count; ++w) {
        sweep_scratch label = {0};
        sweep_carve_labels(&memory, run->job->weights->hierarchy, &label, 0);
        if (fill) run->scratch[w] = label;
    }
    return memory;
}

static macadam_status new_scratch(minima_run *run, macadam_error *error)
{
    char *memory;
    MCD_TRY(MCD_NEW(run->scratch, run->job->parallel.thread_count, error));
    MCD_TRY(MCD_NEW(memory, lay_out(run, 0, false), error));
    run->memory = memory;
    lay_out(run, (uintptr_t)memory, true);
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(minima)(const mcd_reach_job *job, macadam_error *error)
{
    minima_run run = {.job = job};
    macadam_status status = new_scratch(&run, error);
    if (!status) status = prepare(&run, error);
    mcd_rounds_begin(&run.rounds, &job->progress, "reach", job->lane_count);
    if (!status)
        status = mcd_rounds_for(&run.rounds, 0, job->lane_count, &job->parallel, group_count(job->lane_count),
                                run_group, &run, error);
    mcd_sorted_lanes_free(&run.source);
    mcd_sorted_lanes_free(&run.target);
    mcd_free(run.below);
    mcd_free(run.filled);
    mcd_free(run.first);
    mcd_free(run.key);
    mcd_free(run.scratch);
    mcd_free(run.memory);
    return status;
}
