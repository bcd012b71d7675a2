/* entering.cu - see entering.h. Arcs are sorted by counting: a block counts the classes of a node's arcs, and
 * then puts each arc after those of the lighter classes. The order within a class is any. */
#include "kernels/cuda/frontier/entering.h"

#include "kernels/cuda/device/grid.h"

enum {
    ENTERING_EACH = 32,     /* blocks per multiprocessor */
    ENTERING_FREE_PART = 2, /* the arcs take at most this part of the free memory */
};

struct entering_shared {
    unsigned place[ENTERING_CLASSES], sum[WARP];
};

/* One thread per class; one block per node, in strides. */
template <class Slot> static __global__ void sort_entering(side_view side, unsigned shift, Slot *out)
{
    MCD_SHARED(entering_shared, shared);
    for (size_t node = blockIdx.x; node < side.node_count; node += gridDim.x) {
        const uint32_t first = side.first[node], end = side.first[node + 1];
        unsigned all;
        shared->place[threadIdx.x] = 0;
        __syncthreads();
        for (uint32_t arc = first + threadIdx.x; arc < end; arc += blockDim.x)
            atomicAdd(&shared->place[entering_class(side.objective[arc], shift)], 1u);
        __syncthreads();
        const unsigned before = block_scan(shared->place[threadIdx.x], shared->sum, &all);
        shared->place[threadIdx.x] = before;
        __syncthreads();
        for (uint32_t arc = first + threadIdx.x; arc < end; arc += blockDim.x) {
            const unsigned at = atomicAdd(&shared->place[entering_class(side.objective[arc], shift)], 1u);
            out[first + at] = Slot::at(side, arc);
        }
        __syncthreads();
    }
}

/* So that the mean weight is in the middle of the classes. */
static unsigned shift_of(const gpu_arcs &arcs)
{
    unsigned shift = 0;
    while (arcs.objective_mean >> shift >= ENTERING_CLASSES / 2) ++shift;
    return shift;
}

template <class Slot> entering_view<Slot> entering_of(gpu_call &call, gpu_arcs &arcs, mcd_direction direction)
{
    const side_view side = arcs.view(!direction);
    const unsigned shift = shift_of(arcs);
    const auto make = [&](gpu_array<Slot> &made) {
        const uint64_t most = (uint64_t)call.gpu->processor_count * ENTERING_EACH;
        if (side.arc_count * sizeof(Slot) > gpu_scratch_free(call.gpu) / ENTERING_FREE_PART) return;
        made.allocate(call, side.arc_count, "allocating entering arcs");
        call.run("sorting entering arcs",
                 {mcd_size_min(side.node_count, most), ENTERING_CLASSES, sizeof(entering_shared)},
                 sort_entering<Slot>, side, shift, made.get());
    };
    gpu_array<Slot> &kept = std::get<gpu_array<Slot>>(arcs.side[!direction].entering);
    return {side.first, side.objective ? make_once(call, arcs, &kept, make) : nullptr, shift};
}

template decltype(entering_of<weight_slot<uint32_t>>) entering_of<weight_slot<uint32_t>>;
template decltype(entering_of<weight_slot<uint64_t>>) entering_of<weight_slot<uint64_t>>;
