/* nearest.h - the least keys of many: a binary heap with the greatest of them on top. */
#ifndef MCD_KERNELS_CPU_SWEEP_NEAREST_H
#define MCD_KERNELS_CPU_SWEEP_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/* Puts `offered` into heap[capacity], of which *count are filled: in the place of the greatest, which it is
 * below, if all are. */
void mcd_nearest_put(uint64_t *heap, uint32_t *count, size_t capacity, uint64_t offered);

/* Sorts the heap in ascending order; it is none any more. */
void mcd_nearest_sort(uint64_t *heap, uint32_t count);

#endif
