/* culling_device.h - breadth-first search as Merrill, Garland and Grimshaw (2012) have it, which benchmarks compare
 * with: lists of heads that nothing has filtered, nodes claimed without atomic operations, and duplicates culled in
 * shared memory. On the current GPU; aborts with a message if that fails. */
#ifndef MCD_TESTS_BENCH_CULLING_DEVICE_H
#define MCD_TESTS_BENCH_CULLING_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/backend.h"

/* How arcs are given to threads, and how a head that was found before is recognized. */
typedef enum culling_how {
    CULLING_PAPER,  /* gathering by block, warp and scan; bitmask, hops, and caches of warps and blocks */
    CULLING_EVEN,   /* the same, but arcs are divided evenly, and each one's tail is found by binary search */
    CULLING_HOPS,   /* as CULLING_PAPER without the caches: duplicates are expanded */
    CULLING_ATOMIC, /* gathering as CULLING_PAPER; nodes are claimed by atomic operations */
    CULLING_HOW_COUNT,
} culling_how;

/* A copy of the graph. */
typedef struct culling_device culling_device;
culling_device *culling_device_new(const mcd_arcs *arcs);
void culling_device_free(culling_device *graph);

/* Writes to `out` [node_count] in the host's memory, unless it is NULL; UINT32_MAX: unreached. Strategies: those of
 * the paper. Returns how many arcs were followed; 0 if it has not ended by `end` (bench_seconds_now). */
uint64_t culling_device_hops(culling_device *graph, mcd_node source, mcd_hops_strategy strategy,
                             culling_how how, double end, uint32_t *out);

#ifdef __cplusplus
}
#endif
#endif
