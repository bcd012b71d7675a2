/* top_labels.h - the labels of the top nodes, and searches that end at them. Only 32-bit lanes. */
#ifndef MCD_KERNELS_CPU_SWEEP_TOP_LABELS_H
#define MCD_KERNELS_CPU_SWEEP_TOP_LABELS_H

#include "kernels/cpu/device/phases.h"

/* A top node's label, by depth. */
static inline const mcd_weight *mcd_top_label(const mcd_top_labels *top_labels, mcd_direction direction,
                                              mcd_node top_node)
{
    return top_labels->label[direction] + (size_t)top_labels->line[top_node] * LANES;
}

/* Sets the first `depth_count` labels of a search, in whole lines, to those of its seeds. */
static inline void mcd_label_begin(mcd_weight *label, uint32_t depth_count, const mcd_hierarchy *hierarchy,
                                   const mcd_lane *lane)
{
    for (uint32_t d = 0; d < depth_count; d += LANES) row_store(label + d, row_all(MCD_UNREACHED));
    for (uint32_t s = 0; s < mcd_lane_seed_count(lane); ++s) {
        mcd_weight *const seed = &label[hierarchy->depth[lane->seed[s].node]];
        *seed = cost_min(*seed, lane->seed[s].objective);
    }
}

/* One end of a pair and its root path up to the top nodes. The caller allocates the arrays. */
typedef struct top_climb_end {
    mcd_lane lane;
    uint32_t depth_count,
        top_depth_count; /* the nodes of the root path, and how many of them are top nodes */
    mcd_node *root_path; /* [height] by depth: the nodes below the top nodes */
    mcd_node below;      /* the highest of them; MCD_NODE_NONE if there are none */
    mcd_node *top_node;  /* [height + MCD_SEEDS_MAX]: top nodes at which the search may arrive */
    size_t top_count;
} top_climb_end;

typedef struct top_climb {
    top_climb_end end[2]; /* by mcd_direction */
    uint32_t common;      /* the top nodes that are ancestors of both ends */
    bool meets_below;     /* the root paths meet below the top nodes: search without the labels */
} top_climb;

/* Lists the root paths of a pair and prefetches the memory that its search will read. Best called before
 * the previous pair is searched. A pair with an end that is not a place is left as it is. */
void MCD_KERNEL(top_climb_begin)(top_climb *climb, const mcd_weights *weights, const mcd_lane *source,
                                 const mcd_lane *target);

/* The least cost of a pair that meets at top nodes. label[direction][depth] becomes the cost between the
 * end and its ancestor at that depth. At depths below `common`, and for nodes that are not top nodes, it
 * is the least over upward arcs; for other top nodes, it is at most that over nodes that are not top
 * nodes. Labels are aligned to 64 bytes and have whole lines. */
mcd_weight MCD_KERNEL(top_climb_search)(const top_climb *climb, const mcd_weights *weights,
                                        mcd_weight *const label[2]);

#endif
