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

uint32_t MCD_KERNEL(common_depth)(const mcd_hierarchy *hierarchy, mcd_node low, mcd_node high)
{
    const mcd_node *parent = hierarchy->parent;
    while (high != MCD_NODE_NONE && !mcd_hierarchy_is_below(hierarchy, low, high)) high = parent[high];
    return high == MCD_NODE_NONE ? 0 : hierarchy->depth[high] + 1;
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
    out->common[0] = 0;
    for (uint32_t i = 1; i < out->count; ++i)
        out->common[i] =
            MCD_KERNEL(common_depth)(hierarchy, out->node[out->order[i - 1]], out->node[out->order[i]]);
}

static inline void relax_node(const mcd_search *search, mcd_node node, row label, cost *panel)
{
    for (mcd_arc xy = search->first[node]; xy < search->first[node + 1]; ++xy) {
        cost *above = panel + (size_t)search->depth[xy] * LANES;
        row_store(above,
                  row_relax(row_load(above), label, cost_of(search->objective, search->companion, xy)));
    }
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
    const mcd_search *search = &weights->search[direction];
    size_t visited = 0;
    for (uint32_t i = 0; i < group->count; ++i)
        label_seeds(hierarchy, &lane[group->order[i]], group->order[i], panel);
    for (uint32_t i = group->count; i-- > 0;) {
        mcd_node node = group->node[group->order[i]];
        const uint32_t end = group->common[i] > from_depth ? group->common[i] : from_depth;
        uint32_t depth = hierarchy->depth[node] + 1, right = i, mask = UINT32_C(1) << group->order[i];
        row hide = row_hide_all_but(mask);
        for (; depth-- > end; node = hierarchy->parent[node]) {
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
