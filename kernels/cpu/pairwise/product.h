/* product.h - the min-plus product of a panel of source labels with a panel of target labels. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_PRODUCT_H
#define MCD_KERNELS_CPU_PAIRWISE_PRODUCT_H

#include "kernels/cpu/pairwise/panel.h"

/* cell[s] = min(cell[s], source label s + target label t) in lane t, for two groups that lie apart: one is wholly
 * before the other in the sorted places and shares `common` depths with it across the gap. Labels count below the
 * lesser of `common` and the depths that the member shares with its own group's near end. `scratch` has room for
 * 2 * common rows. */
void MCD_KERNEL(product_apart)(row cell[LANES], const panel *source, const panel *target, bool source_first,
                               uint32_t common, cost *scratch);

/* Does the same for only source member s; target member t counts below limit[t]. */
void MCD_KERNEL(product_member)(row *cell, const panel *source, uint32_t s, const panel *target,
                                const uint32_t limit[LANES]);

/* Does the same for all pairs of lanes of two groups' places, except the first lanes. */
void MCD_KERNEL(product_branches)(row cell[LANES], const mcd_hierarchy *hierarchy, const panel *source,
                                  uint32_t source_count, const panel *target, uint32_t target_count);

#endif
