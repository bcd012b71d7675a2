/* panel.c - the labels of a group of sorted places.
 *
 * Method. A place within a road has two lanes or more: one for each root path that its road's ends are on. The paths join soon,
 * and above that the lanes are one: the place's cost to a shared ancestor is the least of its lanes'. So the first lane's
 * label takes the others' costs over, and only the part of another lane's root path below the join, its branch, remains a
 * label of its own. A branch matters only to nodes below it.
 * Right because the label is the least over seeds and paths, whichever lane they are of; and a sum of two labels at an
 * ancestor of both lanes counts in the product of the lanes if the ancestor is in the branches of both, and else in the
 * product of a lane that has taken the cost over. */
#include "kernels/cpu/sweep/label.h"
#include "kernels/cpu/pairwise/panel.h"

static void nodes_of(panel *out, const label_group *group, const cost *label)
{
    out->label = label;
    out->node_least = MCD_NODE_NONE;
    out->node_most = 0;
    for (uint32_t i = 0; i < LANES; ++i) {
        out->node[i] = group->node[i];
        out->below_first[i] = out->below_end[i] = 0;
    }
    if (group->count == 0) return;
    out->node_least = group->node[group->order[0]];
    out->node_most = group->node[group->order[group->count - 1]];
}

/* The members are sorted. */
static void first_lanes_of(panel *out, const label_group *group, const cost *label)
{
    uint32_t common = UINT32_MAX;
    nodes_of(out, group, label);
    for (uint32_t i = 0; i < LANES; ++i) {
        if (i > 0 && i < group->count && group->common[i] < common) common = group->common[i];
        out->with_first[i] = common;
        if (i < group->count) out->below_end[i] = MCD_NODE_NONE;
    }
    out->depth_least = common;
    common = UINT32_MAX;
    for (uint32_t i = LANES; i-- > 0;) {
        if (i + 1 < group->count && group->common[i + 1] < common) common = group->common[i + 1];
        out->with_last[i] = common;
    }
}

/* Returns the highest node on the root path of `node` that is not on that of `other`; MCD_NODE_NONE if there is none. */
static mcd_node branch_top(const mcd_hierarchy *hierarchy, mcd_node node, mcd_node other)
{
    mcd_node top = MCD_NODE_NONE;
    for (; node != MCD_NODE_NONE && !mcd_hierarchy_is_below(hierarchy, other, node);
         node = hierarchy->parent[node])
        top = node;
    return top;
}

/* Finds the branches of a panel's members; end[i]: the depth where member i's begins. */
static void find_branches(panel *out, const mcd_hierarchy *hierarchy, const panel *first, cost end[LANES])
{
    for (uint32_t i = 0; i < LANES; ++i) {
        end[i] = 0;
        if (out->node[i] == MCD_NODE_NONE) continue;
        const mcd_node top = branch_top(hierarchy, out->node[i], first->node[i]);
        end[i] = hierarchy->depth[top == MCD_NODE_NONE ? out->node[i] : top] + (top == MCD_NODE_NONE);
        if (top == MCD_NODE_NONE) continue;
        out->below_first[i] = top;
        out->below_end[i] = hierarchy->subtree_end[top];
    }
}

static void clear(cost *label, uint32_t depth_count)
{
    for (uint32_t d = 0; d < depth_count; ++d) row_store(label + (size_t)d * LANES, row_all(COST_UNREACHED));
}

/* Takes over the costs of member i above depth end[i]. */
static void take_over(cost *to, const cost *from, const cost end[LANES], uint32_t depth_count)
{
    const row ends = row_load(end);
    for (uint32_t d = 0; d < depth_count; ++d) {
        const row label = row_load(from + (size_t)d * LANES), old = row_load(to + (size_t)d * LANES);
        row least;
        EACH_VEC(i)
        least.vec[i] =
            vec_min(old.vec[i], label.vec[i] | ((vec)(ends.vec[i] <= vec_all(d)) & COST_UNREACHED));
        row_store(to + (size_t)d * LANES, least);
    }
}

/* Computes the labels of the k-th lanes, and lets the first lanes' take them over. */
static void label_further(panel *out, const panel_group *group, const mcd_weights *weights,
                          mcd_direction direction, uint32_t k, const panel *first)
{
    cost *const label = group->label + (size_t)k * group->depth_count * LANES;
    mcd_lane lane[LANES];
    label_group members;
    cost end[LANES] __attribute__((aligned(64)));
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < group->count; ++i) lane[i] = sorted_lane(group->places, group->first + i, k);
    MCD_KERNEL(label_group_of)(&members, weights->hierarchy, lane, group->count);
    nodes_of(out, &members, label);
    find_branches(out, weights->hierarchy, first, end);
    for (uint32_t i = 0; i < LANES; ++i) {
        if (out->node[i] == MCD_NODE_NONE) continue;
        if (end[i] < least) least = (uint32_t)end[i];
        if (end[i] > most) most = (uint32_t)end[i];
    }
    clear(label, members.depth_count);
    MCD_KERNEL(label_lower)(&members, weights, direction, lane, least, label, NULL, NULL);
    take_over(group->label, label, end, most);
}

void MCD_KERNEL(panels)(panel *out, const panel_group *group, const mcd_weights *weights,
                        mcd_direction direction)
{
    const mcd_lane *const lane = group->places->lane + group->first;
    label_group members;
    MCD_KERNEL(label_group_of)(&members, weights->hierarchy, lane, group->count);
    first_lanes_of(out, &members, group->label);
    clear(group->label, members.depth_count);
    for (uint32_t k = 1; k < group->panel_count; ++k)
        label_further(&out[k], group, weights, direction, k, out);
    MCD_KERNEL(label_lower)(&members, weights, direction, lane, 0, group->label, NULL, NULL);
}
