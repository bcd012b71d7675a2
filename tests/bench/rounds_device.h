/* rounds_device.h - least costs by rounds over all pairs of neighbours, one thread a pair, which benchmarks
 * compare with: pairs in the order in which they are given, read by plain or by read-only loads. (Kolganov
 * 2014) On the current GPU; aborts with a message if that fails. */
#ifndef MCD_TESTS_BENCH_ROUNDS_DEVICE_H
#define MCD_TESTS_BENCH_ROUNDS_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/views.h"

/* A copy of the pairs. */
typedef struct rounds_device rounds_device;
rounds_device *rounds_device_new(const mcd_arcs *arcs);
void rounds_device_free(rounds_device *rounds);

/* Into `out` [node_count] in the host's memory, unless it is NULL; UINT32_MAX: unreached. False, and
 * undefined, if it has not ended by `end` (bench_seconds_now). */
bool rounds_device_sssp(rounds_device *rounds, mcd_node source, bool read_only, double end, uint32_t *out);

#ifdef __cplusplus
}
#endif
#endif
