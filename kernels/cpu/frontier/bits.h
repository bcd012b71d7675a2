/* bits.h - a set of nodes, one bit each. */
#ifndef MCD_KERNELS_CPU_FRONTIER_BITS_H
#define MCD_KERNELS_CPU_FRONTIER_BITS_H

#include "engine/base/types.h"

enum { BITS_WORD = 64 };

static inline size_t bits_words(size_t node_count)
{
    return (node_count + BITS_WORD - 1) / BITS_WORD;
}

static inline bool bits_has(const uint64_t *bits, mcd_node node)
{
    return bits[node / BITS_WORD] >> node % BITS_WORD & 1;
}

static inline void bits_add(uint64_t *bits, mcd_node node)
{
    bits[node / BITS_WORD] |= UINT64_C(1) << node % BITS_WORD;
}

#endif
