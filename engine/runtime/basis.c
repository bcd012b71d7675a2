/* basis.c - see basis.h. */
#include "engine/runtime/basis.h"

#include "engine/base/memory.h"
#include "engine/base/watch.h"
#include "engine/runtime/load.h"
#include "engine/runtime/variant.h"

enum {
    REPAIRED_PART = 8, /* more arcs than one in so many are not repaired */
    WORK_PER_UP_ARC = 1,
};

bool mcd_engine_can_repair(const macadam_engine *engine, size_t changed_count)
{
    return changed_count < engine->graph.arc_count / REPAIRED_PART;
}

macadam_status mcd_engine_customize_basic(macadam_engine *engine, mcd_metric *metric, mcd_basis *basis,
                                          const mcd_progress *progress, mcd_recustomized *found,
                                          macadam_error *error)
{
    mcd_custom basic = {.cost = basis->cost};
    basis->cost = NULL;
    *found = (mcd_recustomized){.count = 0};
    macadam_status status = mcd_engine_load_schedule(engine, error);
    mcd_customize_job job = mcd_metric_job(metric, engine->schedule, &engine->parallel);
    job.witnesses = false;
    if (progress) job.progress = *progress;
    if (!status && basic.cost) {
        const mcd_recustomize_job repair = {
            .customize = job,
            .old_objective = basis->from->weights.objective,
            .old_companion = basis->from->weights.companion,
            .base = basis->from->basic.cost,
            .cost = basic.cost,
            .changed = basis->changed,
            .changed_count = basis->changed_count,
            .work_max = engine->metadata->up_arc_count * WORK_PER_UP_ARC / engine->parallel.thread_count,
        };
        status = engine->host->recustomize(found, &repair, error);
        if (!found->is_complete) mcd_custom_free(&basic);
    }
    if (!status && !basic.cost) status = engine->host->customize(&basic, &job, error);
    if (status)
        mcd_custom_free(&basic);
    else
        mcd_metric_keep_basic(metric, &basic, engine->schedule);
    return status;
}

/* ---- variants ---- */

/* Finds the basic weights of a metric in use: its own, or made for its variants. Under update_lock. */
static macadam_status find_basis(macadam_engine *engine, size_t index, const mcd_variant *variant,
                                 const mcd_metric **out, macadam_error *error)
{
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    *out = engine->metric[index];
    pthread_mutex_unlock(&engine->lock);
    if (*out && (*out)->basic.cost) return MACADAM_OK;
    *out = engine->basis[index];
    if (*out) return MACADAM_OK;
    mcd_metric *metric;
    mcd_quantity *objective;
    mcd_recustomized found;
    size_t quantity;
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[index], &quantity, error));
    MCD_TRY(mcd_engine_use_quantity(engine, quantity, &objective, error));
    macadam_status status = mcd_metric_new(&metric, &engine->hierarchy, &engine->graph, error);
    if (!status) {
        mcd_metric_use_quantities(metric, objective, variant->companion);
        status = mcd_engine_customize_basic(engine, metric, &(mcd_basis){.cost = NULL}, NULL, &found, error);
        if (status)
            mcd_metric_leave(metric);
        else
            *out = engine->basis[index] = metric;
    }
    mcd_quantity_leave(objective);
    return status;
}

static bool differs(const mcd_weights *a, const mcd_weights *b, size_t arc)
{
    return a->objective[arc] != b->objective[arc] || (a->companion && a->companion[arc] != b->companion[arc]);
}

/* Lists the arcs whose weights differ. The companions may, too: an update may have come between. */
static macadam_status list_changed(uint32_t **out, size_t *count, const mcd_weights *a, const mcd_weights *b,
                                   macadam_error *error)
{
    const size_t arc_count = a->graph->arc_count;
    size_t total = 0;
    *count = 0;
    for (size_t arc = 0; arc < arc_count; ++arc) total += differs(a, b, arc);
    MCD_TRY(MCD_NEW(*out, total, error));
    for (size_t arc = 0; arc < arc_count; ++arc)
        if (differs(a, b, arc)) (*out)[(*count)++] = (uint32_t)arc;
    return MACADAM_OK;
}

static macadam_status customize_variant(macadam_engine *engine, mcd_variant *variant, mcd_metric *metric,
                                        macadam_error *error)
{
    mcd_basis basis = {.cost = NULL};
    mcd_recustomized found = {.count = 0};
    uint32_t *changed = NULL;
    MCD_TRY(find_basis(engine, variant->index, variant, &basis.from, error));
    macadam_status status =
        list_changed(&changed, &basis.changed_count, &basis.from->weights, &metric->weights, error);
    basis.changed = changed;
    if (!status && mcd_engine_can_repair(engine, basis.changed_count))
        status = mcd_spare_take_cost(&basis.cost, &(mcd_spare){.count = 0}, basis.from, error);
    if (!status) status = mcd_engine_customize_basic(engine, metric, &basis, NULL, &found, error);
    mcd_free(found.up);
    mcd_free(changed);
    return status;
}

static macadam_status find_metric(bool *has, macadam_engine *engine, const mcd_variant *variant,
                                  macadam_error *error)
{
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    *has = variant->metric;
    pthread_mutex_unlock(&engine->lock);
    return MACADAM_OK;
}

static macadam_status make_metric(macadam_engine *engine, mcd_variant *variant, macadam_error *error)
{
    mcd_metric *metric;
    bool has;
    MCD_TRY(find_metric(&has, engine, variant, error));
    if (has) return MACADAM_OK;
    MCD_TRY(mcd_metric_new(&metric, &engine->hierarchy, &engine->graph, error));
    mcd_metric_use_quantities(metric, variant->objective, variant->companion);
    macadam_status status = customize_variant(engine, variant, metric, error);
    if (!status) status = mcd_watch_lock(&engine->lock, error);
    if (!status) {
        mcd_metric *const other = variant->metric; /* of a call that needs no basic weights */
        if (!other) variant->metric = metric, metric = NULL;
        pthread_mutex_unlock(&engine->lock);
    }
    mcd_metric_leave(metric);
    return status;
}

macadam_status mcd_engine_ready_variant(macadam_engine *engine, mcd_variant *variant, macadam_error *error)
{
    bool has;
    MCD_TRY(find_metric(&has, engine, variant, error));
    if (has) return MACADAM_OK;
    MCD_TRY(mcd_watch_lock(&engine->update_lock, error));
    const macadam_status status = make_metric(engine, variant, error);
    pthread_mutex_unlock(&engine->update_lock);
    return status;
}
