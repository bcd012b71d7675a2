/* product.c - the min-plus product of two panels of labels.
 *
 * Both panels are [depth][16], as min_plus.h takes them. */
#include "kernels/cpu/sweep/label.h"
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

/* Whether a node from `least` to `most` is below a branch of these lanes. */
static bool may_meet(const panel *lanes, mcd_node least, mcd_node most)
{
    bool out = false;
    for (int i = 0; i < LANES; ++i) out |= lanes->below_first[i] <= most && lanes->below_end[i] > least;
    return out;
}

static bool is_below(const panel *lanes, size_t i, mcd_node node)
{
    return node - lanes->below_first[i] < lanes->below_end[i] - lanes->below_first[i];
}

/* limit[t] = the depths that source member s and target member t share, if each is below the other's branch; else 0. Returns
 * whether there are such. */
static bool limits_below(uint32_t limit[LANES], const mcd_hierarchy *hierarchy, const panel *source, size_t s,
                         const panel *target)
{
    const mcd_node x = source->node[s];
    bool any = false;
    for (size_t t = 0; t < LANES; ++t) {
        const mcd_node y = target->node[t];
        limit[t] = is_below(source, s, y) & is_below(target, t, x);
        any |= limit[t];
    }
    for (size_t t = 0; any && t < LANES; ++t) {
        const mcd_node y = target->node[t];
        if (limit[t]) limit[t] = MCD_KERNEL(common_depth)(hierarchy, x < y ? x : y, x < y ? y : x);
    }
    return any;
}

static void multiply_branch(row cell[LANES], const mcd_hierarchy *hierarchy, const panel *source,
                            const panel *target)
{
    uint32_t limit[LANES];
    if (!may_meet(source, target->node_least, target->node_most) ||
        !may_meet(target, source->node_least, source->node_most))
        return;
    for (uint32_t s = 0; s < LANES; ++s)
        if (source->below_first[s] <= target->node_most && source->below_end[s] > target->node_least &&
            limits_below(limit, hierarchy, source, s, target))
            MCD_KERNEL(product_member)(&cell[s], source, s, target, limit);
}

void MCD_KERNEL(product_branches)(row cell[LANES], const mcd_hierarchy *hierarchy, const panel *source,
                                  uint32_t source_count, const panel *target, uint32_t target_count)
{
    for (uint32_t k = 0; k < source_count; ++k)
        for (uint32_t i = k == 0; i < target_count; ++i)
            multiply_branch(cell, hierarchy, &source[k], &target[i]);
}
