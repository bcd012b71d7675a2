/* queue.h - queues of nodes, and their arcs: laid end to end, these are divided evenly among the blocks, no
 * matter what the degrees are. (Merrill, Garland, Grimshaw 2012, who use prefix sums)
 *
 * before[i] is the number of arcs of the nodes before the i-th of the queue. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_QUEUE_H
#define MCD_KERNELS_CUDA_FRONTIER_QUEUE_H

#include "kernels/cuda/device/grid.h"

enum { ARCS_LEAST = 1024 }; /* per block */

/* Reserves places at `count` for the lanes of a warp in `lanes`, in order; *first: the place of the first.
 * Called by all lanes, some of which are in `lanes`. */
__device__ inline unsigned reserve(unsigned *count, unsigned lanes, unsigned *first)
{
    const unsigned leader = __ffs((int)lanes) - 1, lane = threadIdx.x % WARP;
    unsigned at = 0;
    if (lane == leader) at = atomicAdd(count, (unsigned)__popc(lanes));
    *first = __shfl_sync(WARP_ALL, at, (int)leader);
    return *first + __popc(lanes & ((1u << lane) - 1));
}

/* Finds the queue's last node with at most `arc` arcs before it. All threads of the block. */
__device__ inline unsigned queue_place(const uint32_t *before, unsigned count, uint32_t arc)
{
    unsigned low = 0;
    while (count > 1) {
        const unsigned stride = (count + blockDim.x - 1) / blockDim.x;
        const unsigned i = low + threadIdx.x * stride;
        const bool is = threadIdx.x * stride < count && __ldcg(before + i) <= arc;
        const unsigned steps = __syncthreads_count(is); /* the first one always qualifies */
        count = min(stride, count - (steps - 1) * stride);
        low += (steps - 1) * stride;
    }
    return low;
}

/* The same in a window of the queue, of one node for each thread of the block. */
__device__ inline unsigned window_place(const uint32_t *before, uint32_t arc)
{
    unsigned low = 0;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2)
        if (before[low + half] <= arc) low += half;
    return low;
}

/* A queue of `count` nodes, which have `arcs` arcs together. */
struct arc_queue {
    const mcd_node *node;
    const uint32_t *before;
    unsigned count;
    uint32_t arcs;
};

/* A window of a queue in shared memory: a place for each thread of the block. */
template <unsigned THREADS> struct arc_window {
    uint32_t before[THREADS], first[THREADS]; /* the arcs of the queue before the node's; its first arc */
};

/* Goes through the block's part of a queue's arcs: for each window keep(node) stores more of the thread's
 * node, and then expand(first, end) takes the arcs first <= arc < end, whose places window_place() finds. All
 * threads; expand() ends with a barrier. */
template <unsigned THREADS, class Keep, class Expand>
__device__ inline void expand_queue(const arc_queue &queue, const uint32_t *first_arc,
                                    arc_window<THREADS> *window, const Keep &keep, const Expand &expand)
{
    const uint32_t part =
        max((uint32_t)(((uint64_t)queue.arcs + gridDim.x - 1) / gridDim.x), (uint32_t)ARCS_LEAST);
    const uint64_t begin = (uint64_t)part * blockIdx.x, end = min(begin + part, (uint64_t)queue.arcs);
    if (begin >= end) return;
    for (unsigned at = queue_place(queue.before, queue.count, (uint32_t)begin); at < queue.count;
         at += blockDim.x) {
        const unsigned i = at + threadIdx.x;
        const uint32_t next =
            at + blockDim.x < queue.count ? __ldcg(queue.before + at + blockDim.x) : queue.arcs;
        const mcd_node node = i < queue.count ? __ldcg(queue.node + i) : 0;
        window->before[threadIdx.x] = i < queue.count ? __ldcg(queue.before + i) : queue.arcs;
        window->first[threadIdx.x] =
            i < queue.count ? first_arc[node] : 0; /* a part has only its own nodes */
        keep(node);
        __syncthreads();
        expand(max(begin, (uint64_t)window->before[0]), min((uint64_t)next, end));
        if (next >= end) return;
    }
}

#endif
