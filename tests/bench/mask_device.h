/* mask_device.h - the vertex-mask methods, which benchmarks compare with: two kernels a level over all nodes,
 * those in the frontier marked. (Harish, Narayanan 2007) On the current GPU; aborts with a message if that
 * fails. */
#ifndef TEST_MASK_DEVICE_H
#define TEST_MASK_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/views.h"

/* A copy of the graph, with its forward objectives. */
typedef struct mask_device mask_device;
mask_device *mask_device_new(const mcd_arcs *arcs);
void mask_device_free(mask_device *graph);

/* Into `out` [node_count] in the host's memory, unless it is NULL; UINT32_MAX: unreached. */
void mask_device_hops(mask_device *graph, mcd_node source, uint32_t *out);
void mask_device_sssp(mask_device *graph, mcd_node source, uint32_t *out);
/* The fewest arcs, or UINT32_MAX. */
uint32_t mask_device_connect(mask_device *graph, mcd_node source, mcd_node target);

#ifdef __cplusplus
}
#endif
#endif
