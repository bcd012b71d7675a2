/* top_k.h - the least keys of many: a binary heap with the greatest of them on top, or a sorted list without
 * two of one low half. */
#ifndef MCD_ENGINE_BASE_TOP_K_H
#define MCD_ENGINE_BASE_TOP_K_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Puts `offered` into heap[capacity], of which *count are filled. If the heap is full, `offered` must be
 * below its greatest key and replaces it. */
void mcd_top_k_put(uint64_t *heap, uint32_t *count, size_t capacity, uint64_t offered);

/* Keeps `key` in the sorted list[capacity], of which *count are filled, if it is among the least there; a key with
 * the same low half is replaced, if it is greater. Returns false if no greater key can be kept either. */
bool mcd_top_k_keep(uint64_t *list, uint32_t *count, size_t capacity, uint64_t key);

/* Sorts the heap in ascending order; afterwards it is no longer a heap. */
void mcd_top_k_sort(uint64_t *heap, uint32_t count);

#endif
