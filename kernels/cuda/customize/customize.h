/* customize.h - basic customization on a GPU. CPU twin: kernels/cpu/customize/customize.h. */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_CUSTOMIZE_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_CUSTOMIZE_H

#include "kernels/cuda/customize/triangles.h"

/* The input arcs' weights on the GPU; companion: NULL for only the objective. */
struct input_weights {
    const mcd_weight *objective, *companion;
    __device__ bool is_closed(uint64_t arc) const
    {
        return objective[arc] >= MCD_UNREACHED || (companion && companion[arc] >= MCD_UNREACHED);
    }
    template <class Cost> __device__ Cost cost(uint64_t arc) const
    {
        return cost_of<Cost>(objective[arc], companion ? companion[arc] : 0);
    }
};

/* The direction in which an input arc with this head runs along (or against) its upward arc. */
__device__ inline mcd_direction input_direction(const mcd_hierarchy &hierarchy, mcd_node head, uint32_t up)
{
    return hierarchy.up_head[up] == head ? MCD_FORWARD : MCD_BACKWARD;
}

/* Enqueues: every cost becomes unreached. */
template <class Cost> macadam_status enqueue_clear(gpu_call &call, uint64_t up_count, both_costs<Cost> *cost);

/* Enqueues: cost[up] becomes the basic costs of every upward arc; unreached on entry. Arrays are on the
 * GPU. */
template <class Cost>
macadam_status enqueue_customize(gpu_call &call, const gpu_map &map, const gpu_schedule &schedule,
                                 const input_weights &weights, both_costs<Cost> *cost);

#endif
