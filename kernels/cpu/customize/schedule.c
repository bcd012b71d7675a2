/* schedule.c - see schedule.h. */
#include "kernels/cpu/customize/schedule.h"

#include "engine/base/watch.h"

enum { NODES_PER_TASK = 1 << 14 };

/* Runs the statement that follows for each node above the bottom subtrees, ascending. */
#define FOR_TOP_NODES(hierarchy, v)                                                                          \
    for (mcd_node v = 0, b = 0; v < (hierarchy)->node_count; ++v)                                            \
        if (b < (hierarchy)->bottom_count && (hierarchy)->bottom_root[b] == v)                               \
            v = (hierarchy)->subtree_end[(hierarchy)->bottom_root[b++]] - 1;                                 \
        else

static macadam_status list_levels(mcd_schedule *out, macadam_error *error)
{
    const mcd_hierarchy *hierarchy = out->hierarchy;
    mcd_node node_count = 0;
    FOR_TOP_NODES(hierarchy, v)
    {
        ++node_count;
        if (hierarchy->level[v] >= out->level_count) out->level_count = hierarchy->level[v] + 1;
    }
    MCD_TRY(MCD_NEW_ZEROED(out->level_first, (size_t)out->level_count + 2, error));
    MCD_TRY(MCD_NEW(out->level_node, node_count, error));
    mcd_node *const first = out->level_first;
    FOR_TOP_NODES(hierarchy, v)++ first[hierarchy->level[v] + 2];
    for (uint32_t level = 0; level < out->level_count; ++level) first[level + 2] += first[level + 1];
    FOR_TOP_NODES(hierarchy, v) out->level_node[first[hierarchy->level[v] + 1]++] = v;
    return MACADAM_OK;
}

/* The result of list_chains(): chains above the bottom subtrees, ascending, and how many chains are above
 * each. */
typedef struct chains_found {
    mcd_node count;
    mcd_chain *chain;     /* [nodes above the bottom subtrees] */
    uint32_t *generation; /* [nodes above the bottom subtrees] */
    uint32_t *at_depth;   /* [height]: the generations on the way to a node */
    uint32_t generation_count;
} chains_found;

static void find_chains(chains_found *out, const mcd_hierarchy *hierarchy)
{
    for (mcd_node v = 0, b = 0; v < hierarchy->node_count;) {
        const mcd_node bottom =
            b < hierarchy->bottom_count ? hierarchy->bottom_root[b] : hierarchy->node_count;
        if (v == bottom) {
            v = hierarchy->subtree_end[v], ++b;
            continue;
        }
        const mcd_chain chain = mcd_chain_at(hierarchy, v, bottom);
        const uint32_t depth = hierarchy->depth[v], generation = depth ? out->at_depth[depth - 1] + 1 : 0;
        for (mcd_node i = 0; i < chain.count; ++i) out->at_depth[depth + i] = generation;
        if (generation >= out->generation_count) out->generation_count = generation + 1;
        out->chain[out->count] = chain;
        out->generation[out->count++] = generation;
        v += chain.count;
    }
}

static macadam_status sort_chains(mcd_schedule *out, const chains_found *found, macadam_error *error)
{
    out->generation_count = found->generation_count;
    MCD_TRY(MCD_NEW_ZEROED(out->generation_first, (size_t)found->generation_count + 2, error));
    MCD_TRY(MCD_NEW(out->chain, found->count, error));
    mcd_node *const first = out->generation_first;
    for (mcd_node i = 0; i < found->count; ++i) ++first[found->generation[i] + 2];
    for (uint32_t g = 0; g < found->generation_count; ++g) first[g + 2] += first[g + 1];
    for (mcd_node i = 0; i < found->count; ++i)
        out->chain[first[found->generation[i] + 1]++] = found->chain[i];
    return MACADAM_OK;
}

static macadam_status list_chains(mcd_schedule *out, macadam_error *error)
{
    const mcd_node top_count = out->level_first[out->level_count];
    MCD_OWNED mcd_chain *chain = NULL;
    MCD_OWNED uint32_t *generation = NULL, *at_depth = NULL;
    MCD_TRY(MCD_NEW(chain, top_count, error));
    MCD_TRY(MCD_NEW(generation, top_count, error));
    MCD_TRY(MCD_NEW(at_depth, out->hierarchy->height, error));
    chains_found found = {.chain = chain, .generation = generation, .at_depth = at_depth};
    find_chains(&found, out->hierarchy);
    return sort_chains(out, &found, error);
}

/* ---- lower neighbours ----
 *
 * Parallel. Blocks of nodes are divided among the threads, and list the lower neighbours within the same block. Then pairs of blocks
 * list those of the left block's nodes in the right block, and so on: these are few, because a node whose second upward arc ends in
 * the right block has only descendants of which this is true as well. So each node's lower neighbours are listed in ascending order. */
typedef struct lower_run {
    mcd_schedule *schedule;
    const mcd_watch *watch;
    size_t block, length; /* nodes of a block; of the ranges that are being divided among threads */
} lower_run;

/* Counts or lists x as a lower neighbour of nodes from `first` to below `end`, but not of its first upward neighbour: it has none
 * above that. Returns false if none is left below `end`. */
static inline bool take_arcs(const mcd_schedule *schedule, mcd_node x, size_t first, size_t end, bool lists)
{
    const mcd_hierarchy *const hierarchy = schedule->hierarchy;
    const mcd_node *const head = hierarchy->up_head;
    const mcd_arc up = hierarchy->first_up[x], up_end = hierarchy->first_up[x + 1];
    mcd_arc xy = up + 1;
    if (xy >= up_end || head[xy] >= end) return false;
    if (head[xy] < first) xy = mcd_lower_bound_u32(head, xy, up_end, (mcd_node)first);
    for (; xy < up_end && head[xy] < end; ++xy) {
        if (!lists) {
            ++schedule->first_lower[(size_t)head[xy] + 2];
            continue;
        }
        const mcd_arc entry = schedule->first_lower[(size_t)head[xy] + 1]++;
        schedule->lower[entry] = x;
        schedule->lower_slot[entry] = (uint32_t)(xy - up);
    }
    return true;
}

static inline void take_range(const lower_run *run, size_t index, bool lists)
{
    const mcd_hierarchy *const hierarchy = run->schedule->hierarchy;
    const bool is_block = run->length == run->block;
    const size_t first = index * run->length, end = mcd_size_min(first + run->length, hierarchy->node_count),
                 middle = is_block ? end : first + run->length / 2;
    size_t steps = 0;
    for (size_t x = is_block ? first : middle; x < end;) {
        const bool has_more = take_arcs(run->schedule, (mcd_node)x, first, middle, lists);
        x = has_more || is_block ? x + 1 : hierarchy->subtree_end[x];
        if (++steps % NODES_PER_TASK == 0 && !mcd_watch_goes_on(run->watch)) return;
    }
}

static void count_range(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    take_range(argument, index, false);
}

static void list_range(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    take_range(argument, index, true);
}

static macadam_status take_all(lower_run *run, mcd_task task, const mcd_parallel *parallel,
                               macadam_error *error)
{
    const size_t node_count = run->schedule->hierarchy->node_count;
    run->block = mcd_range_length(parallel, node_count, NODES_PER_TASK);
    for (run->length = run->block;; run->length *= 2) {
        const size_t count = (node_count + run->length - 1) / run->length;
        MCD_TRY(mcd_watch_for(NULL, parallel, count, task, run, error));
        if (count <= 1) return MACADAM_OK;
    }
}

/* Marks runs of lower neighbours that are all below the first of the run. Such a node's neighbours above y
 * are among those of the first, so they are the same if they are equally many. */
static void mark_same_tops(void *argument, size_t range_first, size_t range_end)
{
    const mcd_schedule *const out = argument;
    const mcd_node *const lower = out->lower, *const subtree_end = out->hierarchy->subtree_end;
    for (size_t y = range_first; y < range_end; ++y)
        for (mcd_arc i = out->first_lower[y], next; i < out->first_lower[y + 1]; i = next)
            for (next = i + 1; next < out->first_lower[y + 1] && lower[next] < subtree_end[lower[i]] &&
                               out->lower_slot[next] == out->lower_slot[i];
                 ++next)
                out->lower_slot[next] |= MCD_SAME_TOPS;
}

static macadam_status list_lower(mcd_schedule *out, const mcd_parallel *parallel, macadam_error *error)
{
    const mcd_node node_count = out->hierarchy->node_count;
    lower_run run = {.schedule = out, .watch = mcd_watch_find(NULL)};
    MCD_TRY(MCD_NEW_ZEROED(out->first_lower, (size_t)node_count + 2, error));
    MCD_TRY(take_all(&run, count_range, parallel, error));
    mcd_arc *const first = out->first_lower;
    for (mcd_node v = 0; v < node_count; ++v) first[v + 2] += first[v + 1];
    MCD_TRY(MCD_NEW(out->lower, first[node_count + 1], error));
    MCD_TRY(MCD_NEW(out->lower_slot, first[node_count + 1], error));
    MCD_TRY(take_all(&run, list_range, parallel, error));
    return mcd_watch_for_ranges(parallel, node_count, NODES_PER_TASK, mark_same_tops, out, error);
}

MCD_DEFINE_FREE_AT(free_at, mcd_schedule, mcd_schedule_free)

macadam_status mcd_schedule_new(mcd_schedule **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                                const mcd_parallel *parallel, macadam_error *error)
{
    *out = NULL;
    MCD_FREED_BY(free_at) mcd_schedule *schedule = NULL;
    if (hierarchy->first_up[hierarchy->node_count] >= UINT32_MAX)
        return mcd_fail_invalid(error, "%llu upward arcs are more than can be customized",
                                (unsigned long long)hierarchy->first_up[hierarchy->node_count]);
    MCD_TRY(MCD_NEW_ZEROED(schedule, 1, error));
    schedule->hierarchy = hierarchy;
    schedule->graph = graph;
    MCD_TRY(list_levels(schedule, error));
    MCD_TRY(list_chains(schedule, error));
    MCD_TRY(list_lower(schedule, parallel, error));
    return MCD_MOVE(*out, schedule);
}

void mcd_schedule_free(mcd_schedule *schedule)
{
    if (!schedule) return;
    MCD_FREE_ALL(schedule->level_first, schedule->level_node, schedule->generation_first, schedule->chain,
                 schedule->first_lower, schedule->lower, schedule->lower_slot, schedule);
}
