/* min_plus.h - a tile of a min-plus product in registers.
 *
 * Layout. Both panels are [depth][LANES]. One row of targets is loaded per depth and added to each source's
 * cost, which is broadcast from memory. A block of cells stays in registers over the whole inner loop.
 * Limit. Two vector instructions (add, minimum) per depth for every 16 cells (with 16 bits 32 cells, with
 * joint costs 8) with AVX-512: the add-min rate of the core, about 16 a cycle. */
#ifndef MCD_KERNELS_CPU_DENSE_MIN_PLUS_H
#define MCD_KERNELS_CPU_DENSE_MIN_PLUS_H

#include "kernels/cpu/device/simd.h"

/* The sources whose cells are in registers at the same time: 16 vectors of the 32 that AVX-512 and NEON have,
 * 8 of the 16 that AVX2 has. */
#if defined(__AVX512F__) || defined(__ARM_NEON)
enum { REGISTER_VECS = 16 };
#else
enum { REGISTER_VECS = 8 };
#endif
enum { REGISTER_ROWS = REGISTER_VECS / VECS };

static inline void min_plus_block(row *cell, const cost *source, const cost *target, size_t depth_count)
{
    row block[REGISTER_ROWS];
#pragma GCC unroll 16
    for (int s = 0; s < REGISTER_ROWS; ++s) block[s] = cell[s];
    for (size_t d = 0; d < depth_count; ++d) {
        const row label = row_load(target + d * LANES);
#pragma GCC unroll 16
        for (int s = 0; s < REGISTER_ROWS; ++s)
            block[s] = row_relax(block[s], label, source[d * LANES + (size_t)s]);
    }
#pragma GCC unroll 16
    for (int s = 0; s < REGISTER_ROWS; ++s) cell[s] = block[s];
}

/* cell[s] = min(cell[s], source s + target t) in lane t, for the depths below depth_count. */
static inline void min_plus(row cell[LANES], const cost *source, const cost *target, size_t depth_count)
{
    for (int s = 0; s < LANES; s += REGISTER_ROWS) min_plus_block(cell + s, source + s, target, depth_count);
}

#endif
