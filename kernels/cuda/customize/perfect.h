/* perfect.h - perfect customization on a GPU. CPU twin: kernels/cpu/customize/perfect.h. */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_PERFECT_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_PERFECT_H

#include "kernels/cuda/customize/triangles.h"

/* Enqueues: least[up] becomes the costs of the shortest paths between the ends of every upward arc, given
 * the basic costs. It becomes the basic costs themselves if any companion among them is saturated
 * (kernels/cpu/customize/prune.c says why). Arrays are on the GPU. */
template <class Cost>
macadam_status enqueue_perfect(gpu_call &call, const gpu_map &map, const gpu_schedule &schedule,
                               const both_costs<Cost> *basic, both_costs<Cost> *least);

#endif
