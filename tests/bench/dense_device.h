/* dense_device.h - what the figures of dense matrices need of a CUDA device beside the library. */
#ifndef MCD_TESTS_BENCH_DENSE_DEVICE_H
#define MCD_TESTS_BENCH_DENSE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arcs of a matrix in memory that the device reaches; all below die on a failure. */
void dense_device_fill(uint32_t *cost, size_t node_count, size_t arc_count, const uint32_t *tail,
                       const uint32_t *head, const uint32_t *weight);

/* Add-min updates a second that the device's instruction reaches on registers; narrow: of 16 bits. */
double dense_device_limit(bool narrow);

/* All pairs by a thread a pair, a launch a pivot, in the device's memory. (Harish and Narayanan 2007) */
void dense_device_per_pair(uint32_t *cost, size_t node_count);
/* The same by a thread a node, which lowers its row. */
void dense_device_per_node(uint32_t *cost, size_t node_count);

/* Closure of a matrix of 0 and 1 in the device's memory, by a thread a pair, a launch a pivot. */
void dense_device_close_per_pair(uint32_t *reached, size_t node_count);
/* The same by tiles in shared memory: the pivots' tile, then its row and column, then the others. (Katz and
 * Kider 2008) */
void dense_device_close_tiled(uint32_t *reached, size_t node_count);

#ifdef __cplusplus
}
#endif
#endif
