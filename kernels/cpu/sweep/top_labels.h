/* top_labels.h - the labels of the hubs, and searches that end at them. 32-bit lanes alone. */
#ifndef MCD_KERNELS_CPU_SWEEP_TOP_LABELS_H
#define MCD_KERNELS_CPU_SWEEP_TOP_LABELS_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* See kernels/backend.h. */
macadam_status MCD_KERNEL(hubs_new)(mcd_hubs **out, const mcd_weights *weights, size_t label_max,
                                    const mcd_parallel *parallel, macadam_error *error);

/* A hub's label, by depth. */
static inline const mcd_weight *mcd_hub_label(const mcd_hubs *hubs, mcd_direction direction, mcd_node hub)
{
    return hubs->label[direction] + (size_t)hubs->line[hub] * LANES;
}

/* The way of one end of a pair to the hubs. */
typedef struct hub_climb_end {
    const mcd_lane *lane;
    uint32_t depth_count, hub_depth_count; /* the nodes of the root path, and how many of them are hubs */
    mcd_node *root_path;                   /* by depth: the nodes below the hubs */
    mcd_node below;                        /* the highest of them; MCD_NODE_NONE: there are none */
    mcd_node *hub;                         /* [hub_count]: where the way may come to the hubs */
    size_t hub_count;
} hub_climb_end;

typedef struct hub_climb {
    hub_climb_end end[2]; /* by mcd_direction */
    uint32_t common;      /* the hubs that are ancestors of both ends */
    bool meets_below;     /* the root paths meet below the hubs: to be searched without them */
} hub_climb;

macadam_status MCD_KERNEL(hub_climb_allocate)(hub_climb *climb, const mcd_hierarchy *hierarchy,
                                              macadam_error *error);
void MCD_KERNEL(hub_climb_release)(hub_climb *climb);

/* Finds the ways of a pair and asks memory for what a search will read: best done before the pair that comes
 * first is searched. A pair with an end that is no place is left as it is. */
void MCD_KERNEL(hub_climb_begin)(hub_climb *climb, const mcd_weights *weights, const mcd_lane *source,
                                 const mcd_lane *target);

/* The least cost of a pair that meets at hubs. label[direction][depth] becomes the cost between the end and
 * its ancestor there: at depths below `common`, and of nodes that are no hubs, the least over upward arcs; of
 * other hubs, at most that over nodes that are no hubs. Labels are aligned to 64 bytes and have whole lines.
 */
mcd_weight MCD_KERNEL(hub_climb_search)(const hub_climb *climb, const mcd_weights *weights,
                                        mcd_weight *const label[2]);

#endif
