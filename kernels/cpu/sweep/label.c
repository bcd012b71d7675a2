/* label.c - labels of a group of lanes.
 *
 * Method. A label relaxes the kept upward arcs of every node on the lane's root path, from the bottom up.
 * Lanes sorted by node share long upper parts of their paths, and the lanes below one node are neighbours in
 * that order. Each node of the union of the paths is visited once, after all nodes below it: the lanes are
 * taken from the last to the first, and each walks up until its path joins its left neighbour's. On the way
 * up it gathers the lanes to its right that joined it. One load of an arc serves all of them.
 * Layout. panel[depth * 16 + lane]: a node has one ancestor per depth. Rows are relaxed whole. Lanes that do
 * not pass the node are hidden (unreached), so their costs do not change. */
#include "kernels/cpu/sweep/label.h"

/* How many ancestors ahead arcs and their positions are prefetched: 3 and 8, 6 and 14 take as long on NE. */
enum { NEAR = 4, FAR = 10 };

uint32_t MCD_KERNEL(common_depth)(const mcd_hierarchy *hierarchy, mcd_node low, mcd_node high)
{
    const mcd_node *parent = hierarchy->parent;
    while (high != MCD_NODE_NONE && !mcd_hierarchy_is_below(hierarchy, low, high)) high = parent[high];
    return high == MCD_NODE_NONE ? 0 : hierarchy->depth[high] + 1;
}

/* Ids are a preorder, so a node's first ancestor that is not above `low`, a node before it, is an ancestor of `low`, too.
 * LANES nodes walk up in turns: each step waits for memory, and they wait together. */
void MCD_KERNEL(common_depths)(const mcd_hierarchy *hierarchy, const mcd_node *node, size_t count,
                               uint32_t *common)
{
    mcd_node high[LANES];
    size_t walker[LANES], next = 1, walkers = 0; /* whose node it is */
    if (count > 0) common[0] = 0;
    for (; walkers < LANES && next < count; ++next) high[walkers] = node[next], walker[walkers++] = next;
    while (walkers > 0)
        for (size_t i = walkers; i-- > 0;) {
            if (high[i] != MCD_NODE_NONE && high[i] > node[walker[i] - 1]) {
                high[i] = hierarchy->parent[high[i]];
                continue;
            }
            common[walker[i]] = high[i] == MCD_NODE_NONE ? 0 : hierarchy->depth[high[i]] + 1;
            const bool more = next < count;
            walkers -= !more;
            high[i] = more ? node[next] : high[walkers];
            walker[i] = more ? next++ : walker[walkers];
        }
}

void MCD_KERNEL(label_group_of)(label_group *out, const mcd_hierarchy *hierarchy, const mcd_lane *lane,
                                size_t count)
{
    out->count = out->depth_count = 0;
    for (uint32_t i = 0; i < LANES; ++i) {
        out->node[i] = i < count ? lane[i].seed[0].node : MCD_NODE_NONE;
        if (out->node[i] == MCD_NODE_NONE) continue;
        uint32_t place = out->count++;
        for (; place > 0 && out->node[out->order[place - 1]] > out->node[i]; --place)
            out->order[place] = out->order[place - 1];
        out->order[place] = i;
        const uint32_t depth_count = hierarchy->depth[out->node[i]] + 1;
        if (depth_count > out->depth_count) out->depth_count = depth_count;
    }
    mcd_node sorted[LANES];
    for (uint32_t i = 0; i < out->count; ++i) sorted[i] = out->node[out->order[i]];
    MCD_KERNEL(common_depths)(hierarchy, sorted, out->count, out->common);
}

/* `search` is a copy that no store can change. */
static inline void relax_node(mcd_search search, mcd_node node, row label, cost *restrict panel)
{
    for (mcd_arc xy = search.first[node], end = search.first[node + 1]; xy < end; ++xy) {
        cost *above = panel + (size_t)search.depth[xy] * LANES;
        row_store(above, row_relax(row_load(above), label, cost_of(search.objective, search.companion, xy)));
    }
}

/* Prefetches the first arcs of a node: as many as two cache lines, if they begin in the middle of the first. */
static inline void fetch_arcs(const mcd_search *search, mcd_node node)
{
    for (mcd_arc xy = search->first[node], end = xy + LANES; xy < end; xy += LANES / 2) {
        __builtin_prefetch(&search->depth[xy]);
        __builtin_prefetch(&search->objective[xy]);
        if (MCD_LANE_BITS == 64) __builtin_prefetch(&search->companion[xy]);
    }
}

/* Returns the ancestor `steps` above, or the root. */
static inline mcd_node ancestor(const mcd_hierarchy *hierarchy, mcd_node node, int steps)
{
    for (; steps > 0 && hierarchy->parent[node] != MCD_NODE_NONE; --steps) node = hierarchy->parent[node];
    return node;
}

void MCD_KERNEL(label)(const label_group *group, const mcd_weights *weights, mcd_direction direction,
                       const mcd_lane *lane, cost *panel, label_visit *visit, size_t *visit_count)
{
    for (uint32_t d = 0; d < group->depth_count; ++d)
        row_store(panel + (size_t)d * LANES, row_all(COST_UNREACHED));
    MCD_KERNEL(label_lower)(group, weights, direction, lane, 0, panel, visit, visit_count);
}

void MCD_KERNEL(label_lower)(const label_group *group, const mcd_weights *weights, mcd_direction direction,
                             const mcd_lane *lane, uint32_t from_depth, cost *panel, label_visit *visit,
                             size_t *visit_count)
{
    const mcd_hierarchy *hierarchy = weights->hierarchy;
    const mcd_search search = weights->search[direction];
    size_t visited = 0;
    for (uint32_t i = 0; i < group->count; ++i)
        label_seeds(hierarchy, &lane[group->order[i]], group->order[i], panel);
    for (uint32_t i = group->count; i-- > 0;) {
        mcd_node node = group->node[group->order[i]];
        const uint32_t end = group->common[i] > from_depth ? group->common[i] : from_depth;
        uint32_t depth = hierarchy->depth[node] + 1, right = i, mask = UINT32_C(1) << group->order[i];
        row hide = row_hide_all_but(mask);
        mcd_node near = ancestor(hierarchy, node, NEAR), far = ancestor(hierarchy, near, FAR - NEAR);
        for (; depth-- > end; node = hierarchy->parent[node]) {
            __builtin_prefetch(&search.first[far]);
            fetch_arcs(&search, near);
            near = ancestor(hierarchy, near, 1);
            far = ancestor(hierarchy, far, 1);
            if (right + 1 < group->count && group->common[right + 1] > depth) {
                while (right + 1 < group->count && group->common[right + 1] > depth)
                    mask |= UINT32_C(1) << group->order[++right];
                hide = row_hide_all_but(mask);
            }
            relax_node(search, node, row_hide(row_load(panel + (size_t)depth * LANES), hide), panel);
            if (visit) visit[visited++] = (label_visit){node, mask};
        }
    }
    if (visit_count) *visit_count = visited;
}
