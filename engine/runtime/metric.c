/* metric.c - see metric.h. */
#include "engine/runtime/metric.h"

#include "engine/base/memory.h"
#include "engine/base/watch.h"

macadam_status mcd_quantity_new(mcd_quantity **out, const mcd_weight *weight, mcd_weight *owned,
                                macadam_error *error)
{
    *out = NULL;
    mcd_quantity *quantity;
    const macadam_status status = MCD_NEW_ZEROED(quantity, 1, error);
    if (status) {
        mcd_free(owned);
        return status;
    }
    atomic_init(&quantity->users, 1);
    atomic_init(&quantity->zero_count, SIZE_MAX);
    atomic_init(&quantity->closed_count, SIZE_MAX);
    quantity->weight = weight;
    quantity->owned = owned;
    *out = quantity;
    return MACADAM_OK;
}

mcd_quantity *mcd_quantity_use(mcd_quantity *quantity)
{
    if (quantity) atomic_fetch_add(&quantity->users, 1);
    return quantity;
}

void mcd_quantity_leave(mcd_quantity *quantity)
{
    if (!quantity || atomic_fetch_sub(&quantity->users, 1) > 1) return;
    mcd_free(quantity->owned);
    mcd_free(quantity);
}

macadam_status mcd_metric_new(mcd_metric **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                              macadam_error *error)
{
    *out = NULL;
    mcd_metric *metric;
    MCD_TRY(MCD_NEW_ZEROED(metric, 1, error));
    atomic_init(&metric->users, 1);
    metric->weights.hierarchy = hierarchy;
    metric->weights.graph = graph;
    *out = metric;
    return MACADAM_OK;
}

size_t mcd_quantity_zeros(mcd_quantity *quantity, size_t arc_count)
{
    size_t count = atomic_load(&quantity->zero_count);
    if (count != SIZE_MAX) return count;
    count = 0;
    for (size_t arc = 0; arc < arc_count; ++arc) count += quantity->weight[arc] == 0;
    atomic_store(&quantity->zero_count, count);
    return count;
}

size_t mcd_quantity_closed(mcd_quantity *quantity, size_t arc_count)
{
    size_t count = atomic_load(&quantity->closed_count);
    if (count != SIZE_MAX) return count;
    count = 0;
    for (size_t arc = 0; arc < arc_count; ++arc) count += quantity->weight[arc] >= MCD_UNREACHED;
    atomic_store(&quantity->closed_count, count);
    return count;
}

void mcd_metric_use_quantities(mcd_metric *metric, mcd_quantity *objective, mcd_quantity *companion)
{
    metric->objective = mcd_quantity_use(objective);
    metric->companion = mcd_quantity_use(companion);
    metric->weights.objective = objective->weight;
    metric->weights.companion = companion ? companion->weight : NULL;
    const size_t arc_count = metric->weights.graph->arc_count;
    metric->weights.has_zero = mcd_quantity_zeros(objective, arc_count) > 0;
    metric->has_closed = mcd_quantity_closed(objective, arc_count) > 0 ||
                         (companion && mcd_quantity_closed(companion, arc_count) > 0);
}

void mcd_metric_keep_basic(mcd_metric *metric, const mcd_custom *basic, const mcd_schedule *schedule)
{
    metric->basic = *basic;
    metric->basic_weights = metric->weights;
    metric->basic_weights.search[MCD_FORWARD] = metric->basic_weights.search[MCD_BACKWARD] = (mcd_search){0};
    metric->basic_weights.basic = basic->cost;
    metric->basic_weights.schedule = schedule;
}

void mcd_metric_keep(mcd_metric *metric, const mcd_kept *kept)
{
    metric->kept = *kept;
    for (int direction = 0; direction < 2; ++direction)
        metric->weights.search[direction] = kept->search[direction];
    atomic_store(&metric->is_home, true);
}

bool mcd_metric_is_home(const mcd_metric *metric)
{
    return atomic_load(&metric->is_home);
}

mcd_customize_job mcd_metric_job(const mcd_metric *metric, const mcd_schedule *schedule,
                                 const mcd_parallel *parallel)
{
    const mcd_weights *weights = &metric->weights;
    return (mcd_customize_job){.schedule = schedule,
                               .hierarchy = weights->hierarchy,
                               .graph = weights->graph,
                               .objective = weights->objective,
                               .companion = weights->companion,
                               .witnesses = true,
                               .parallel = *parallel,
                               .progress = mcd_watch_progress()};
}

macadam_status mcd_metric_customize(mcd_kept *out, const mcd_metric *metric, const mcd_schedule *schedule,
                                    const mcd_parallel *parallel, macadam_error *error)
{
    const mcd_backend *host = mcd_cpu_backend();
    const mcd_customize_job job = mcd_metric_job(metric, schedule, parallel);
    mcd_custom custom;
    *out = (mcd_kept){0};
    MCD_TRY(host->customize(&custom, &job, error));
    macadam_status status = host->prune(out, &custom, &job, error);
    if (!status) status = host->name_children(out, &custom, &job, error);
    mcd_custom_free(&custom);
    if (status) mcd_kept_free(out);
    return status;
}

mcd_metric *mcd_metric_use(mcd_metric *metric)
{
    if (metric) atomic_fetch_add(&metric->users, 1);
    return metric;
}

void mcd_metric_leave(mcd_metric *metric)
{
    if (!metric || atomic_fetch_sub(&metric->users, 1) > 1) return;
    mcd_kept_free(&metric->kept);
    mcd_custom_free(&metric->basic);
    if (metric->weights.device) metric->device->weights_free(metric->weights.device);
    mcd_top_labels_free(metric->top_labels);
    mcd_spans_free(metric->spans);
    mcd_quantity_leave(metric->objective);
    mcd_quantity_leave(metric->companion);
    mcd_free(atomic_load(&metric->closed));
    mcd_free(metric);
}
