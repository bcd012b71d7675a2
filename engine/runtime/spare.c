/* spare.c - see spare.h. */
#include "engine/runtime/spare.h"

#include "engine/base/memory.h"

#include <string.h>

void mcd_spare_drop(mcd_spare *spare)
{
    mcd_quantity_leave(spare->quantity);
    mcd_metric_leave(spare->metric);
    mcd_free(spare->cost);
    mcd_free(spare->changed);
    *spare = (mcd_spare){.count = 0};
}

void mcd_spare_keep_quantity(mcd_spare *spare, mcd_quantity *replaced, uint32_t *changed, size_t count)
{
    mcd_spare_drop(spare);
    *spare = (mcd_spare){.quantity = replaced, .changed = changed, .count = count, .is_far = !changed};
    if (!replaced || !replaced->owned) mcd_spare_drop(spare);
}

void mcd_spare_keep_metric(mcd_spare *spare, mcd_metric *replaced, mcd_recustomized *found)
{
    mcd_spare_drop(spare);
    *spare = (mcd_spare){
        .metric = replaced, .changed = found->up, .count = found->count, .is_far = !found->is_complete};
    found->up = NULL;
    if (replaced && replaced->basic.cost)
        mcd_spare_settle(spare);
    else
        mcd_spare_drop(spare);
}

void mcd_spare_settle(mcd_spare *spare)
{
    mcd_metric *const metric = spare->metric;
    if (!metric || atomic_load(&metric->users) > 1) return;
    spare->cost = metric->basic.cost;
    metric->basic.cost = NULL;
    spare->metric = NULL;
    mcd_metric_leave(metric);
}

macadam_status mcd_spare_take_weight(mcd_weight **out, mcd_spare *spare, const mcd_quantity *in_use,
                                     size_t arc_count, macadam_error *error)
{
    const mcd_weight *const from = in_use->weight;
    bool is_far = true;
    *out = NULL;
    if (spare->quantity && atomic_load(&spare->quantity->users) == 1) {
        *out = spare->quantity->owned;
        spare->quantity->owned = NULL;
        is_far = spare->is_far;
        for (size_t i = 0; i < spare->count && !is_far; ++i)
            (*out)[spare->changed[i]] = from[spare->changed[i]];
    }
    mcd_spare_drop(spare);
    if (!*out) MCD_TRY(MCD_NEW(*out, arc_count, error));
    if (is_far) memcpy(*out, from, arc_count * sizeof *from);
    return MACADAM_OK;
}

macadam_status mcd_spare_take_cost(void **out, mcd_spare *spare, const mcd_metric *in_use,
                                   macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = in_use->weights.hierarchy;
    const size_t up_count = hierarchy->first_up[hierarchy->node_count];
    const size_t up_bytes = 2 * (in_use->weights.companion ? sizeof(mcd_joint) : sizeof(mcd_weight));
    const char *const from = in_use->basic.cost;
    bool is_far = true;
    char *to;
    *out = NULL;
    mcd_spare_settle(spare);
    to = spare->cost;
    spare->cost = NULL;
    if (to) is_far = spare->is_far;
    for (size_t i = 0; i < spare->count && !is_far; ++i) {
        const size_t at = spare->changed[i] * up_bytes;
        memcpy(to + at, from + at, up_bytes);
    }
    mcd_spare_drop(spare);
    if (!to) MCD_TRY(MCD_NEW(to, up_count * up_bytes, error));
    if (is_far) memcpy(to, from, up_count * up_bytes);
    *out = to;
    return MACADAM_OK;
}
