/* panel.h - the labels of a group of up to 16 sorted places, as the product takes them. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_PANEL_H
#define MCD_KERNELS_CPU_PAIRWISE_PANEL_H

#include "kernels/cpu/device/simd.h"
#include "kernels/cpu/pairwise/matrix_targets.h"

/* The labels of one lane of each place of a group. A group has as many panels as its places have lanes, at most; member i
 * of each is the same place. */
typedef struct panel {
    const cost *label; /* [depth * 16 + member] */
    /* Of first lanes, for product_apart: */
    uint32_t depth_least;       /* the depths that all members share */
    uint32_t with_first[LANES]; /* the depths that a member shares with the group's first one */
    uint32_t with_last[LANES];  /* the depths that a member shares with the group's last one */
    mcd_node node[LANES];       /* where the lane's root path begins; MCD_NODE_NONE: there is no such lane */
    /* The ids of the nodes below the part of the root path that only this panel has: of the first lane all; of another lane,
     * those below the highest ancestor that is not one of the first lane. Equal: there are none. */
    mcd_node below_first[LANES], below_end[LANES];
    mcd_node node_least, node_most; /* of the nodes; least > most: there are none */
} panel;

/* A group of places, and the memory for its panels. */
typedef struct panel_group {
    const sorted_lanes *places;
    size_t first, count;  /* of the sorted places; at most 16 */
    uint32_t panel_count; /* at least as many as a place has lanes */
    uint32_t depth_count; /* at least as many as any lane's root path has */
    cost *label;          /* [panel_count * depth_count * 16] */
} panel_group;

/* Computes the labels of a group's lanes. Costs to ancestors that a further lane shares with its place's first lane become
 * the first lane's, if they are less. */
void MCD_KERNEL(panels)(panel *out, const panel_group *group, const mcd_weights *weights,
                        mcd_direction direction);

#endif
