/* product.h - the min-plus product of a panel of source labels with a panel of target labels. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_PRODUCT_H
#define MCD_KERNELS_CPU_PAIRWISE_PRODUCT_H

#include "kernels/cpu/device/simd.h"

/* A group of 16 labels, and the depths that are needed to combine it with others. Groups hold sorted
 * places. */
typedef struct panel {
    const cost *label;          /* [depth * 16 + member] */
    uint32_t depth_least;       /* the depths that all members share */
    uint32_t with_first[LANES]; /* the depths that a member shares with the group's first one */
    uint32_t with_last[LANES];  /* the depths that a member shares with the group's last one */
} panel;

/* cell[s] = min(cell[s], source label s + target label t) in lane t, for two groups that lie apart: one is wholly
 * before the other in the sorted places and shares `common` depths with it across the gap. Labels count below the
 * lesser of `common` and the depths that the member shares with its own group's near end. `scratch` has room for
 * 2 * common rows. */
void MCD_KERNEL(product_apart)(row cell[LANES], const panel *source, const panel *target, bool source_first,
                               uint32_t common, cost *scratch);

/* Does the same for only source member s; target member t counts below limit[t]. */
void MCD_KERNEL(product_member)(row *cell, const panel *source, uint32_t s, const panel *target,
                                const uint32_t limit[LANES]);

#endif
