/* mask_device.h - the vertex-mask methods, which benchmarks compare with: two kernels a level over all nodes,
 * those in the frontier marked. (Harish, Narayanan 2007) On the current GPU; aborts with a message if that
 * fails. */
#ifndef MCD_TESTS_BENCH_MASK_DEVICE_H
#define MCD_TESTS_BENCH_MASK_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/views.h"

/* A copy of the graph, with its forward objectives. */
typedef struct mask_device mask_device;
mask_device *mask_device_new(const mcd_arcs *arcs);
void mask_device_free(mask_device *graph);

/* Each is false, and its answer undefined, if it has not ended by `end` (bench_seconds_now). */

/* Into `out` [node_count] in the host's memory, unless it is NULL; UINT32_MAX: unreached. */
bool mask_device_hops(mask_device *graph, mcd_node source, double end, uint32_t *out);
bool mask_device_sssp(mask_device *graph, mcd_node source, double end, uint32_t *out);
/* *hops: the fewest arcs, or UINT32_MAX. */
bool mask_device_connect(mask_device *graph, mcd_node source, mcd_node target, double end, uint32_t *hops);

#ifdef __cplusplus
}
#endif
#endif
