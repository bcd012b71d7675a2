/* tree.h - one-to-all costs of batches of lanes. */
#ifndef MCD_KERNELS_CPU_SWEEP_TREE_H
#define MCD_KERNELS_CPU_SWEEP_TREE_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(tree)(const mcd_tree_job *job, macadam_error *error);
size_t MCD_KERNEL(tree_scratch)(const mcd_tree_job *job);

#endif
