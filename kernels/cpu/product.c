/* product.c - the min-plus product of two panels of labels.
 *
 * Layout. Both panels are [depth][16]: one row of target labels is loaded per depth and added to each
 * source's label, which is broadcast from memory; a block of cells stays in registers over the whole inner
 * loop.
 * Limit. Two vector instructions (add, minimum) for every 16 (pairs: 8) cells and depth with AVX-512: the
 * add-min rate of the core, about 16 a cycle. */
#include "kernels/cpu/product.h"

/* Sources whose cells are in registers at once: 16 vectors of the 32 of AVX-512 and NEON, 8 of the 16 of
 * AVX2. */
#if defined(__AVX512F__) || defined(__ARM_NEON)
enum { REGISTER_VECS = 16 };
#else
enum { REGISTER_VECS = 8 };
#endif
enum { BLOCK = REGISTER_VECS / VECS };

static inline void product_block(row *cell, const cost *source, const cost *target, uint32_t depth_count)
{
    row block[BLOCK];
#pragma GCC unroll 16
    for (int s = 0; s < BLOCK; ++s) block[s] = cell[s];
    for (uint32_t d = 0; d < depth_count; ++d) {
        const row label = row_load(target + (size_t)d * LANES);
#pragma GCC unroll 16
        for (int s = 0; s < BLOCK; ++s)
            block[s] = row_relax(block[s], label, source[(size_t)d * LANES + (size_t)s]);
    }
#pragma GCC unroll 16
    for (int s = 0; s < BLOCK; ++s) cell[s] = block[s];
}

void MCD_KERNEL(product)(row cell[LANES], const cost *source, const cost *target, uint32_t depth_count)
{
    for (int s = 0; s < LANES; s += BLOCK) product_block(cell + s, source + s, target, depth_count);
}

/* A row of each member's limit, to compare depths with. */
static row limits_of(const uint32_t limit[LANES])
{
    cost limits[LANES] __attribute__((aligned(64)));
    for (int i = 0; i < LANES; ++i) limits[i] = limit[i];
    return row_load(limits);
}

/* A row of labels at `depth`, unreached where a member's depths end. */
static inline row masked_row(const cost *label, row limits, uint32_t depth)
{
    row out = row_load(label + (size_t)depth * LANES);
    EACH_VEC(i) out.vec[i] |= (vec)(limits.vec[i] <= vec_all(depth)) & vec_all(COST_UNREACHED);
    return out;
}

static void mask_rows(const panel *from, const uint32_t *limit, uint32_t first, uint32_t end, cost *to)
{
    const row limits = limits_of(limit);
    for (uint32_t d = first; d < end; ++d, to += LANES) row_store(to, masked_row(from->label, limits, d));
}

void MCD_KERNEL(product_apart)(row cell[LANES], const panel *source, const panel *target, bool source_first,
                               uint32_t common, cost *scratch)
{
    const uint32_t least =
        source->depth_least < target->depth_least ? source->depth_least : target->depth_least;
    const uint32_t plain = common < least ? common : least;
    MCD_KERNEL(product)(cell, source->label, target->label, plain);
    if (plain == common) return;
    cost *const masked_target = scratch + (size_t)(common - plain) * LANES;
    mask_rows(source, source_first ? source->with_last : source->with_first, plain, common, scratch);
    mask_rows(target, source_first ? target->with_first : target->with_last, plain, common, masked_target);
    MCD_KERNEL(product)(cell, scratch, masked_target, common - plain);
}

void MCD_KERNEL(product_member)(row *cell, const panel *source, uint32_t s, const panel *target,
                                const uint32_t limit[LANES])
{
    const row limits = limits_of(limit);
    uint32_t most = 0;
    for (int t = 0; t < LANES; ++t)
        if (limit[t] > most) most = limit[t];
    row best = *cell;
    for (uint32_t d = 0; d < most; ++d)
        best = row_relax(best, masked_row(target->label, limits, d), source->label[(size_t)d * LANES + s]);
    *cell = best;
}
