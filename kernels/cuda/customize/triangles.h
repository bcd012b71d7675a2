/* triangles.h - the costs of upward arcs in both directions, and the walk of a warp through lower triangles.
 *
 * A triangle has a bottom x, a mid y and a top z: the arcs xy and xz of x, with z before y in x's list, and
 * the arc yz of y. (Dibbelt, Strasser, Wagner 2016)
 * Limit. Per step of 32 triangles of a warp: fetching xz and yz, some ten shuffles, and the search for yz. */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_TRIANGLES_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_TRIANGLES_H

#include "kernels/cuda/customize/schedule.h"

/* The costs of one arc: along it (lower -> upper end), and against it. One load. */
template <class Cost> struct alignas(2 * sizeof(Cost)) both_costs {
    Cost forward, backward;
};

/* Lowers *cost if `value` is less than `known`, an earlier value of *cost: costs only fall. */
template <class Cost> __device__ inline void relax_to(Cost *cost, Cost known, Cost value)
{
    if (value < known) lower_to(cost, value);
}

/* The arcs xy whose triangles a warp goes through, one a lane. */
struct triangle_sides {
    uint32_t xy;
    uint32_t slot;  /* of xy: the number of tops; 0 if there is no arc */
    uint32_t row;   /* the first arc of y */
    uint32_t spare; /* arcs of y that lead to no top */
};

__device__ inline triangle_sides load_sides(const schedule_view &schedule, uint32_t xy, bool is_there)
{
    const mcd_hierarchy &hierarchy = schedule.hierarchy;
    const uint32_t slot = is_there ? schedule.slot[xy] : 0;
    if (slot == 0) return {0, 0, 0, 0};
    const mcd_node y = hierarchy.up_head[xy];
    const mcd_arc row = hierarchy.first_up[y];
    return {xy, slot, (uint32_t)row, (uint32_t)(hierarchy.first_up[y + 1] - row) - slot};
}

/* Calls action.load(xy, xz), then action.relax(that, xy, xz, yz), for those triangles of the warp's sides
 * whose number modulo `stride` is `first` .. `first` + 31. */
template <class Action>
__device__ inline void for_triangles(const mcd_node *__restrict__ up_head, const triangle_sides &sides,
                                     uint32_t first, uint32_t stride, const Action &action)
{
    const unsigned lane = threadIdx.x % WARP;
    const uint32_t end = warp_scan(sides.slot); /* of this lane's triangle numbers */
    const uint32_t count = __shfl_sync(WARP_ALL, end, WARP - 1);
    for (uint32_t base = first; base < count; base += stride) {
        const uint32_t triangle = base + lane;
        unsigned side = 0; /* lanes whose triangles come before */
        for (unsigned step = WARP / 2; step > 0; step /= 2)
            if (__shfl_sync(WARP_ALL, end, (int)(side + step - 1)) <= triangle) side += step;
        const uint32_t xy = __shfl_sync(WARP_ALL, sides.xy, (int)side),
                       slot = __shfl_sync(WARP_ALL, sides.slot, (int)side),
                       row = __shfl_sync(WARP_ALL, sides.row, (int)side),
                       spare = __shfl_sync(WARP_ALL, sides.spare, (int)side),
                       top = triangle + slot - __shfl_sync(WARP_ALL, end, (int)side);
        if (triangle >= count) continue;
        const uint32_t xz = xy - slot + top;
        const auto loaded = action.load(xy, xz);
        /* The tops before and after z in x's list are also before and after it in y's list. */
        action.relax(loaded, xy, xz, row + lower_bound(up_head + row, top, top + spare, up_head[xz]));
    }
}

#endif
