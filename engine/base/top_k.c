/* top_k.c - see top_k.h. (Williams 1964, Heapsort) */
#include "engine/base/top_k.h"

/* Sinks `key` from the top of heap[count]. */
static void sink(uint64_t *heap, size_t count, uint64_t key)
{
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) ++child;
        if (heap[child] <= key) break;
        heap[at] = heap[child];
    }
    heap[at] = key;
}

void mcd_top_k_put(uint64_t *heap, uint32_t *count, size_t capacity, uint64_t offered)
{
    if (*count == capacity) {
        sink(heap, capacity, offered);
        return;
    }
    size_t at = (*count)++;
    for (; at > 0 && heap[(at - 1) / 2] < offered; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = offered;
}

void mcd_top_k_sort(uint64_t *heap, uint32_t count)
{
    for (size_t left = count; left > 1; --left) {
        const uint64_t greatest = heap[0];
        sink(heap, left - 1, heap[left - 1]);
        heap[left - 1] = greatest;
    }
}

bool mcd_top_k_keep(uint64_t *list, uint32_t *count, size_t capacity, uint64_t key)
{
    if (*count == capacity && key >= list[capacity - 1]) return false;
    size_t at = 0;
    while (at < *count && (uint32_t)list[at] != (uint32_t)key) ++at;
    if (at < *count && list[at] <= key) return true;
    if (at == *count) {
        if (*count < capacity)
            ++*count;
        else
            --at; /* the last one goes */
    }
    for (; at > 0 && list[at - 1] > key; --at) list[at] = list[at - 1];
    list[at] = key;
    return true;
}
