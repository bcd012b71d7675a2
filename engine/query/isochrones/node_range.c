/* node_range.c - see node_range.h.
 *
 * Method. As a tree's sweep (kernels/cpu/sweep/tree.c): the upward search of the seeds, then all nodes in
 * preorder, so that every upper neighbour of a node is final before the node. A path into a subtree that
 * holds no seed passes an upper neighbour of the subtree's root, in the hierarchy before pruning. If all of
 * them are beyond the limit, so is the whole subtree, and the sweep goes on after it. (Delling et al. 2011,
 * PHAST; the limit is our own) */
#include "engine/query/isochrones/node_range.h"

#include "engine/base/grow.h"

enum { WORD = 64 };

static size_t word_count(mcd_node node_count)
{
    return (size_t)node_count / WORD + 1;
}

uint64_t mcd_node_range_bytes(mcd_node node_count)
{
    return (uint64_t)node_count * (sizeof(mcd_weight) + sizeof(mcd_node)) +
           word_count(node_count) * sizeof(uint64_t);
}

macadam_status mcd_node_range_new(mcd_node_range *out, mcd_node node_count, macadam_error *error)
{
    *out = (mcd_node_range){.count = 0};
    MCD_TRY(MCD_NEW_ZEROED(out->within, word_count(node_count), error));
    MCD_TRY(MCD_NEW(out->cost, node_count, error));
    return MCD_NEW(out->node, node_count, error);
}

MCD_DEFINE_FREE(mcd_node_range_free, mcd_node_range, it->within, it->cost, it->node, it->kept_node,
                it->kept_cost, it->search_cost, it->search_scratch)

static void add(mcd_node_range *range, mcd_node node, mcd_weight cost)
{
    range->within[node / WORD] |= UINT64_C(1) << node % WORD;
    range->cost[node] = cost;
}

static void lower(mcd_node_range *range, mcd_node node, mcd_weight cost, mcd_weight limit)
{
    if (cost <= limit && (!mcd_node_range_has(range, node) || cost < range->cost[node]))
        add(range, node, cost);
}

/* Relaxes the upward arcs of the seed's root path, from the seed up. */
static void climb(mcd_node_range *range, const mcd_weights *weights, mcd_direction direction,
                  const mcd_seed *seed, mcd_weight limit)
{
    const mcd_search *const search = &weights->search[direction];
    lower(range, seed->node, seed->objective, limit);
    for (mcd_node v = seed->node; v != MCD_NODE_NONE; v = weights->hierarchy->parent[v]) {
        if (!mcd_node_range_has(range, v)) continue;
        for (mcd_arc arc = search->first[v]; arc < search->first[v + 1]; ++arc)
            lower(range, search->head[arc], range->cost[v] + search->objective[arc], limit);
    }
}

/* Returns whether a seed is at the node or below it. */
static bool has_seed(const mcd_hierarchy *hierarchy, const mcd_lane *lane, size_t lane_count, mcd_node root)
{
    for (size_t l = 0; l < lane_count; ++l)
        for (size_t i = 0; i < MCD_SEEDS_MAX && lane[l].seed[i].node != MCD_NODE_NONE; ++i)
            if (mcd_hierarchy_is_below(hierarchy, lane[l].seed[i].node, root)) return true;
    return false;
}

/* Returns whether an upper neighbour of the node is within the limit. */
static bool is_near(const mcd_node_range *range, const mcd_hierarchy *hierarchy, mcd_node node)
{
    for (mcd_arc up = hierarchy->first_up[node]; up < hierarchy->first_up[node + 1]; ++up)
        if (mcd_node_range_has(range, hierarchy->up_head[up])) return true;
    return false;
}

/* Returns the node's final cost. The cost of every node above it is final, or MCD_UNREACHED. */
static mcd_weight relax(const mcd_node_range *range, const mcd_search *search, mcd_node node)
{
    mcd_weight best = mcd_node_range_has(range, node) ? range->cost[node] : MCD_UNREACHED;
    /* most nodes have one or two */
    for (mcd_arc arc = search->first[node]; arc < search->first[node + 1]; arc += 2)
        for (int i = 0; i < 2; ++i) {
            const mcd_arc at = arc + 1 < search->first[node + 1] ? arc + (mcd_arc)i : arc;
            const mcd_weight cost = range->cost[search->head[at]] + search->objective[at]; /* fits: types.h */
            best = cost < best ? cost : best;
        }
    return best;
}

macadam_status mcd_node_range_grow(mcd_node_range *range, const mcd_weights *weights, mcd_direction direction,
                                   const mcd_lane *lane, size_t lane_count, mcd_weight limit,
                                   mcd_watch *watch, macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = weights->hierarchy;
    const mcd_search *const down = &weights->search[!direction];
    mcd_node_range_clear(range);
    for (size_t l = 0; l < lane_count; ++l)
        for (size_t i = 0; i < MCD_SEEDS_MAX && lane[l].seed[i].node != MCD_NODE_NONE; ++i)
            climb(range, weights, direction, &lane[l].seed[i], limit);
    size_t looks = 0;
    for (mcd_node v = 0; v < hierarchy->node_count;) {
        MCD_TRY(mcd_watch_item(watch, looks++, hierarchy->node_count, error));
        const mcd_weight cost = relax(range, down, v);
        if (cost <= limit) {
            add(range, v, cost);
            range->node[range->count++] = v++;
            continue;
        }
        range->cost[v] = MCD_UNREACHED;
        const mcd_node end = hierarchy->subtree_end[v]; /* mostly v + 1 */
        const bool skip =
            end > v + 1 && !is_near(range, hierarchy, v) && !has_seed(hierarchy, lane, lane_count, v);
        v = skip ? end : v + 1;
    }
    return MACADAM_OK;
}

void mcd_node_range_clear(mcd_node_range *range)
{
    for (size_t i = 0; i < range->count; ++i) range->within[range->node[i] / WORD] = 0;
    range->count = 0;
}

void mcd_node_range_take(mcd_node_range *range, mcd_node node_count, const mcd_weight *cost, mcd_weight limit)
{
    range->count = 0;
    for (mcd_node v = 0; v < node_count; ++v) {
        lower(range, v, cost[v], limit);
        if (mcd_node_range_has(range, v)) range->node[range->count++] = v;
    }
}

macadam_status mcd_node_range_keep(mcd_node_range *range, macadam_error *error)
{
    size_t capacity = range->kept_capacity;
    MCD_TRY(MCD_GROW(range->kept_node, capacity, range->count, error));
    MCD_TRY(MCD_GROW(range->kept_cost, range->kept_capacity, range->count, error));
    for (size_t i = 0; i < range->count; ++i) {
        range->kept_node[i] = range->node[i];
        range->kept_cost[i] = range->cost[range->node[i]];
    }
    range->kept_count = range->count;
    return MACADAM_OK;
}
