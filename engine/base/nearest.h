/* nearest.h - the least keys of many: a binary heap with the greatest of them on top. */
#ifndef MCD_ENGINE_BASE_NEAREST_H
#define MCD_ENGINE_BASE_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/* Puts `offered` into heap[capacity], of which *count are filled. If the heap is full, `offered` must be
 * below its greatest key and replaces it. */
void mcd_nearest_put(uint64_t *heap, uint32_t *count, size_t capacity, uint64_t offered);

/* Sorts the heap in ascending order; afterwards it is no longer a heap. */
void mcd_nearest_sort(uint64_t *heap, uint32_t count);

#endif
