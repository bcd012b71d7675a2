/* product.c - the min-plus product of two panels of labels.
 *
 * Both panels are [depth][16], as min_plus.h takes them. */
#include "kernels/cpu/pairwise/product.h"

#include "kernels/cpu/dense/min_plus.h"

/* A row of the members' limits, to compare depths with. */
static row limits_of(const uint32_t limit[LANES])
{
    cost limits[LANES] __attribute__((aligned(64)));
    for (int i = 0; i < LANES; ++i) limits[i] = limit[i];
    return row_load(limits);
}

/* A row of labels at `depth`; unreached from each member's limit on. */
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
    min_plus(cell, source->label, target->label, plain);
    if (plain == common) return;
    cost *const masked_target = scratch + (size_t)(common - plain) * LANES;
    mask_rows(source, source_first ? source->with_last : source->with_first, plain, common, scratch);
    mask_rows(target, source_first ? target->with_first : target->with_last, plain, common, masked_target);
    min_plus(cell, scratch, masked_target, common - plain);
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
