/* perfect.h - perfect customization: each upward arc's cost becomes the distance between its ends. */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_PERFECT_H
#define MCD_KERNELS_CPU_CUSTOMIZE_PERFECT_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

#define MCD_WITNESS_PRUNED (MCD_NODE_NONE - 1) /* no node's id: a file has fewer than 2^32 - 2 */

/* If an arc's basic cost was more than the distance, or if the arc is unreached, its witness becomes
 * MCD_WITNESS_PRUNED. If any companion is saturated (prune.c), only unreached arcs are marked, and costs
 * stay. */
macadam_status MCD_KERNEL(perfect)(const mcd_custom *custom, const mcd_customize_job *job,
                                   macadam_error *error);

#endif
