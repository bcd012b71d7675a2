/* entering.h - the arcs by which a search enters each node, the lightest first, and a node's least cost by
 * them.
 *
 * If every cost that may still lower others is at least `low`, an arc of weight w can lower a node's cost
 * only if low + w is below that cost. So a node looks at its lightest arcs and stops early. Where many nodes
 * are near, this reads a small part of the arcs that leave them. (Chakaravarthy et al. 2014, pull) */
#ifndef MCD_KERNELS_CUDA_FRONTIER_ENTERING_H
#define MCD_KERNELS_CUDA_FRONTIER_ENTERING_H

#include "kernels/cuda/frontier/arcs.h"
#include "kernels/cuda/frontier/falling.h"

enum {
    ENTERING_CLASSES = 64,   /* of weights: a node's arcs are in the order of their classes */
    ENTERING_AT_ONCE = 4,    /* arcs per thread */
    ENTERING_BY_THREAD = 16, /* arcs that the node's thread looks at; its warp looks at more */
};

template <class Slot> struct entering_view {
    const uint32_t *first; /* [node_count + 1] */
    const Slot *arc;       /* slot.head: the tail; NULL: there are none, because they do not pay or fit */
    unsigned shift;        /* weights >> shift are classes */
};

/* Ready on return. */
template <class Slot>
entering_view<Slot> entering_of(gpu_call &call, gpu_arcs &arcs, mcd_direction direction);

__host__ __device__ inline uint32_t entering_class(mcd_weight objective, unsigned shift)
{
    const uint32_t last = ENTERING_CLASSES - 1;
    return objective >> shift < last ? objective >> shift : last;
}

/* The work of a warp's threads for their nodes. All lanes call run. */
template <class Slot> struct entering_search {
    typedef typename Slot::cost cost;

    const entering_view<Slot> &arcs;
    const cost *dist;
    uint32_t low;
    mcd_weight limit;

    /* Returns the least cost of `node` if it is below `best` and its objective within the limit, else
     * `best`. */
    __device__ cost run(bool is, mcd_node node, cost best) const
    {
        uint32_t at = 0, end = 0;
        if (is && may_fall(best, 0)) at = arcs.first[node], end = arcs.first[node + 1];
        for (unsigned done = 0; done < ENTERING_BY_THREAD && at < end; done += ENTERING_AT_ONCE)
            at = look(at, end, 1, &best) ? after(at, end, ENTERING_AT_ONCE) : end;
        for (unsigned rest = __ballot_sync(WARP_ALL, at < end); rest; rest &= rest - 1) {
            const int of = __ffs((int)rest) - 1;
            const cost least =
                run_warp(__shfl_sync(WARP_ALL, at, of), __shfl_sync(WARP_ALL, end, of), best, of);
            if ((int)(threadIdx.x % WARP) == of) best = least;
        }
        return best;
    }

  private:
    /* Whether arcs of that weight or more may lower a node's cost. */
    __device__ bool may_fall(cost best, mcd_weight weight) const
    {
        const uint32_t least = low + weight;
        return sizeof(cost) == 8 ? least <= cost_objective(best) : least < cost_objective(best);
    }

    __device__ static uint32_t after(uint32_t at, uint32_t end, uint32_t count)
    {
        return end - at > count ? at + count : end;
    }

    /* Looks at the arcs at, at + stride ...; returns whether heavier ones than the last may lower the cost. */
    __device__ bool look(uint32_t at, uint32_t end, uint32_t stride, cost *best) const
    {
        Slot arc[ENTERING_AT_ONCE];
        cost from[ENTERING_AT_ONCE];
#pragma unroll
        for (uint32_t k = 0; k < ENTERING_AT_ONCE; ++k) arc[k] = arcs.arc[min(at + k * stride, end - 1)];
#pragma unroll
        for (uint32_t k = 0; k < ENTERING_AT_ONCE; ++k) from[k] = load_cost(dist + arc[k].head);
#pragma unroll
        for (uint32_t k = 0; k < ENTERING_AT_ONCE; ++k) {
            const cost sum = cost_add(from[k], arc[k].weight());
            if (cost_objective(from[k]) <= limit && cost_objective(sum) <= limit) *best = min(*best, sum);
        }
        const mcd_weight last = arc[ENTERING_AT_ONCE - 1].part[0];
        return may_fall(*best, entering_class(last, arcs.shift) << arcs.shift);
    }

    /* The same for the node of one lane by the whole warp. */
    __device__ cost run_warp(uint32_t at, uint32_t end, cost best, int of) const
    {
        const uint32_t lane = threadIdx.x % WARP;
        best = __shfl_sync(WARP_ALL, best, of);
        while (at < end) {
            const unsigned more = look(min(at + lane, end - 1), end, WARP, &best);
            for (int step = WARP / 2; step > 0; step /= 2)
                best = min(best, __shfl_xor_sync(WARP_ALL, best, step));
            /* The last lane's arcs weigh most. */
            at = __shfl_sync(WARP_ALL, more, WARP - 1) ? after(at, end, WARP * ENTERING_AT_ONCE) : end;
        }
        return best;
    }
};

#endif
