/* label.h - labels of a group of up to 16 lanes: the upward search of each, in rows by depth. */
#ifndef MCD_KERNELS_CPU_SWEEP_LABEL_H
#define MCD_KERNELS_CPU_SWEEP_LABEL_H

#include "kernels/cpu/device/simd.h"

/* A node on the root path of some lanes. */
typedef struct label_visit {
    mcd_node node;
    uint32_t mask; /* bit i: lane i's root path goes through the node */
} label_visit;

typedef struct label_group {
    mcd_node node[LANES];   /* where each lane's root path begins; MCD_NODE_NONE if it has none */
    uint32_t order[LANES];  /* the lanes that have a root path, by ascending node */
    uint32_t common[LANES]; /* ancestors shared by lanes order[i - 1] and order[i], or 0 */
    uint32_t count;         /* lanes that have a root path */
    uint32_t depth_count;   /* rows that the longest root path fills */
} label_group;

/* The number of ancestors (themselves included) that two nodes share: the ancestors at depths below it are
 * common. */
uint32_t MCD_KERNEL(common_depth)(const mcd_hierarchy *hierarchy, mcd_node low, mcd_node high);

/* common[i] = those that node[i - 1] and node[i] share, for 0 < i < count; the nodes ascend. common[0] = 0. */
void MCD_KERNEL(common_depths)(const mcd_hierarchy *hierarchy, const mcd_node *node, size_t count,
                               uint32_t *common);

/* Sorts up to 16 lanes into a group. Lanes past `count` have no path. */
void MCD_KERNEL(label_group_of)(label_group *out, const mcd_hierarchy *hierarchy, const mcd_lane *lane,
                                size_t count);

/* Lowers the lane's labels at its seeds to their costs. panel: as below. */
static inline void label_seeds(const mcd_hierarchy *hierarchy, const mcd_lane *lane, uint32_t lane_index,
                               cost *panel)
{
    for (uint32_t s = 0, count = mcd_lane_seed_count(lane); s < count; ++s) {
        const mcd_seed seed = lane->seed[s];
        cost *const label = panel + (size_t)hierarchy->depth[seed.node] * LANES + lane_index;
        *label = cost_min(*label, seed_cost(seed.objective, seed.companion));
    }
}

/* panel[depth * 16 + lane] = the cost from (forward) or to (backward) the lane over upward arcs only, for
 * the depths of its root path; COST_UNREACHED at greater depths. `panel` has group->depth_count rows.
 * `visit` (may be NULL; height * 16 entries) receives every node on some root path, descending;
 * *visit_count of them. */
void MCD_KERNEL(label)(const label_group *group, const mcd_weights *weights, mcd_direction direction,
                       const mcd_lane *lane, cost *panel, label_visit *visit, size_t *visit_count);

/* Lowers the costs that `panel` holds to those of the lanes. Relaxes no arc of an ancestor at a depth below `from_depth`. */
void MCD_KERNEL(label_lower)(const label_group *group, const mcd_weights *weights, mcd_direction direction,
                             const mcd_lane *lane, uint32_t from_depth, cost *panel, label_visit *visit,
                             size_t *visit_count);

#endif
