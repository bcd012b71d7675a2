/* customize.h - the phases of a customization on a GPU: customize.cu, perfect.cu, prune.cu. */
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
template <class Cost> void enqueue_clear(gpu_call &call, uint64_t up_count, both_costs<Cost> *cost);

/* Enqueues: cost[up] becomes the basic costs of every upward arc; unreached on entry. Arrays are on the
 * GPU. */
template <class Cost>
void enqueue_customize(gpu_call &call, const gpu_map &map, const gpu_schedule &schedule,
                       const input_weights &weights, both_costs<Cost> *cost);

/* Enqueues: least[up] becomes the costs of the shortest paths between the ends of every upward arc, given
 * the basic costs. It becomes the basic costs themselves if any companion among them is saturated
 * (kernels/cpu/customize/prune.c says why). Arrays are on the GPU. */
template <class Cost>
void enqueue_perfect(gpu_call &call, const gpu_map &map, const gpu_schedule &schedule,
                     const both_costs<Cost> *basic, both_costs<Cost> *least);

/* Makes both searches of *out: the reached arcs whose basic cost is `least` (NULL: all reached arcs), and
 * their children if out->has_children. Synchronizes. Arrays are on the GPU. */
template <class Cost>
void make_searches(gpu_call &call, gpu_weights *out, const gpu_schedule &schedule,
                   const input_weights &weights, const both_costs<Cost> *basic,
                   const both_costs<Cost> *least);

#endif
