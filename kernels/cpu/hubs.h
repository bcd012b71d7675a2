/* hubs.h - the labels of the hubs, and searches that end at them. 32-bit lanes alone. */
#ifndef MCD_CPU_HUBS_H
#define MCD_CPU_HUBS_H

#include "kernels/backend.h"
#include "kernels/cpu/simd.h"

/* See kernels/backend.h. */
macadam_status MCD_KERNEL(hubs_new)(mcd_hubs **out, const mcd_weights *weights, size_t label_max,
                                    const mcd_parallel *parallel, macadam_error *error);

/* Completes a search that has relaxed the nodes of the lane's root path that are no hubs, of which `below` is
 * the highest (MCD_NODE_NONE: there are none): label[d] becomes the cost by way of hubs too, for d <
 * depth_count, which are depths of hubs. `label` is aligned to 64 bytes and has whole lines. */
void MCD_KERNEL(hubs_lower)(mcd_weight *label, const mcd_weights *weights, mcd_direction direction,
                            const mcd_lane *lane, mcd_node below, uint32_t depth_count);

#endif
