/* schedule.c - see schedule.h. */
#include "kernels/cpu/customize/schedule.h"

#include "engine/base/watch.h"

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

static macadam_status count_lower(mcd_schedule *out, macadam_error *error)
{
    const mcd_hierarchy *hierarchy = out->hierarchy;
    const mcd_node node_count = hierarchy->node_count;
    MCD_TRY(MCD_NEW_ZEROED(out->first_lower, (size_t)node_count + 2, error));
    mcd_arc *const first = out->first_lower;
    for (mcd_node x = 0; x < node_count; ++x) {
        MCD_TRY(mcd_watch_item(NULL, x, node_count, error));
        for (mcd_arc xy = hierarchy->first_up[x] + 1; xy < hierarchy->first_up[x + 1]; ++xy)
            ++first[(size_t)hierarchy->up_head[xy] + 2];
    }
    for (mcd_node v = 0; v < node_count; ++v) first[v + 2] += first[v + 1];
    return MACADAM_OK;
}

/* Marks runs of lower neighbours that are all below the first of the run. Such a node's neighbours above y
 * are among those of the first, so they are the same if they are equally many. */
static macadam_status mark_same_tops(mcd_schedule *out, macadam_error *error)
{
    const mcd_node *const lower = out->lower, *const subtree_end = out->hierarchy->subtree_end;
    for (mcd_node y = 0; y < out->hierarchy->node_count; ++y) {
        MCD_TRY(mcd_watch_item(NULL, y, out->hierarchy->node_count, error));
        for (mcd_arc i = out->first_lower[y], next; i < out->first_lower[y + 1]; i = next)
            for (next = i + 1; next < out->first_lower[y + 1] && lower[next] < subtree_end[lower[i]] &&
                               out->lower_slot[next] == out->lower_slot[i];
                 ++next)
                out->lower_slot[next] |= MCD_SAME_TOPS;
    }
    return MACADAM_OK;
}

static macadam_status list_lower(mcd_schedule *out, macadam_error *error)
{
    const mcd_hierarchy *hierarchy = out->hierarchy;
    const mcd_node node_count = hierarchy->node_count;
    MCD_TRY(count_lower(out, error));
    mcd_arc *const first = out->first_lower;
    MCD_TRY(MCD_NEW(out->lower, first[node_count + 1], error));
    MCD_TRY(MCD_NEW(out->lower_slot, first[node_count + 1], error));
    for (mcd_node x = 0; x < node_count; ++x) {
        MCD_TRY(mcd_watch_item(NULL, x, node_count, error));
        for (mcd_arc up = hierarchy->first_up[x], xy = up; xy < hierarchy->first_up[x + 1]; ++xy) {
            const mcd_node y = hierarchy->up_head[xy];
            if (xy == up) continue; /* has no neighbour above y */
            const mcd_arc entry = first[y + 1]++;
            out->lower[entry] = x;
            out->lower_slot[entry] = (uint32_t)(xy - up);
        }
    }
    return mark_same_tops(out, error);
}

/* Returns whether x has an upward arc to each of its smaller neighbours, which ascend. */
static bool has_arcs(const mcd_hierarchy *hierarchy, mcd_node x, const mcd_node *neighbour, mcd_arc first,
                     mcd_arc end)
{
    mcd_arc up = hierarchy->first_up[x];
    const mcd_arc up_end = hierarchy->first_up[x + 1];
    for (mcd_arc i = first; i < end && neighbour[i] < x; ++i) {
        while (up < up_end && hierarchy->up_head[up] < neighbour[i]) ++up;
        if (up == up_end || hierarchy->up_head[up] != neighbour[i]) return false;
    }
    return true;
}

macadam_status mcd_fail_missing_up(mcd_node node, macadam_error *error)
{
    return mcd_fail(error, MACADAM_E_FILE,
                    "an input arc of node %u has no upward arc: hierarchy and graph differ", node);
}

static macadam_status check_inputs(const mcd_schedule *out, macadam_error *error)
{
    const mcd_graph *graph = out->graph;
    for (mcd_node x = 0; x < graph->node_count; ++x) {
        MCD_TRY(mcd_watch_item(NULL, x, graph->node_count, error));
        if (!has_arcs(out->hierarchy, x, graph->head, graph->first_out[x], graph->first_out[x + 1]) ||
            !has_arcs(out->hierarchy, x, graph->tail, graph->first_in[x], graph->first_in[x + 1]))
            return mcd_fail_missing_up(x, error);
    }
    return MACADAM_OK;
}

MCD_DEFINE_FREE_AT(free_at, mcd_schedule, mcd_schedule_free)

macadam_status mcd_schedule_new(mcd_schedule **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                                macadam_error *error)
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
    MCD_TRY(list_lower(schedule, error));
    MCD_TRY(check_inputs(schedule, error));
    return MCD_MOVE(*out, schedule);
}

void mcd_schedule_free(mcd_schedule *schedule)
{
    if (!schedule) return;
    MCD_FREE_ALL(schedule->level_first, schedule->level_node, schedule->generation_first, schedule->chain,
                 schedule->first_lower, schedule->lower, schedule->lower_slot, schedule);
}
