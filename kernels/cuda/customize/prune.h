/* prune.h - searches of the upward arcs that are kept, on a GPU. CPU twin: kernels/cpu/customize/prune.h. */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_PRUNE_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_PRUNE_H

#include "kernels/cuda/customize/customize.h"

/* Makes both searches of *out: the reached arcs whose basic cost is `least` (NULL: all reached arcs), and
 * their children if out->has_children. Synchronizes. Arrays are on the GPU. */
template <class Cost>
macadam_status make_searches(gpu_call &call, gpu_weights *out, const gpu_schedule &schedule,
                             const input_weights &weights, const both_costs<Cost> *basic,
                             const both_costs<Cost> *least);

#endif
