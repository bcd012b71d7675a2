/* signed.c - see signed.h. */
#include "engine/query/places/signed.h"

#include "engine/runtime/buffer.h"

mcd_signed_limit mcd_signed_limit_new(const mcd_query *query, const mcd_lanes *lanes, bool reverse)
{
    const int32_t *const of_id = mcd_query_potential(query, false);
    mcd_signed_limit limit = {.of_id = of_id, .lanes = lanes, .reverse = reverse};
    if (of_id) limit.extreme = of_id[0];
    for (size_t i = 1; of_id && i < query->engine->places.id_count; ++i)
        if (reverse ? of_id[i] > limit.extreme : of_id[i] < limit.extreme) limit.extreme = of_id[i];
    return limit;
}

macadam_status mcd_signed_apply(const mcd_query *query, mcd_sign_job job, macadam_error *error)
{
    macadam_engine *const engine = query->engine;
    const bool on_device = query->backend->device && !mcd_engine_reaches(engine, job.value);
    job.device = on_device ? engine->device : NULL;
    job.parallel = engine->parallel;
    return (on_device ? query->backend : engine->host)->sign(&job, error);
}

macadam_status mcd_signed_divided(const mcd_query *query, size_t q, const mcd_division *division,
                                  const mcd_sign_job *job, bool as_lanes, macadam_error *error)
{
    const size_t sources = as_lanes ? job->columns : job->rows, parts = division->part_count;
    for (size_t p = 0; p < parts; ++p) {
        const size_t first = mcd_division_first(sources, p, parts),
                     count = mcd_division_first(sources, p + 1, parts) - first;
        mcd_sign_job part = *job;
        part.value = (query->is_companion[q] ? division->companion : division->objective)[p];
        if (as_lanes)
            part.column += first, part.columns = part.stride = count;
        else
            part.row += first, part.rows = count;
        MCD_TRY(mcd_signed_apply(query, part, error));
    }
    return MACADAM_OK;
}

/* ---- trips ---- */

macadam_status mcd_signed_pairs(const mcd_pairs *trips, const mcd_query *query, uint32_t *const *value,
                                macadam_error *error)
{
    for (size_t q = 0; q < query->quantity_count; ++q) {
        MCD_OWNED int32_t *rise = NULL;
        const int32_t level = 0, *const from = trips->source.potential[query->is_companion[q]],
                      *const to = trips->target.potential[query->is_companion[q]];
        if (!query->potential[q]) continue;
        MCD_TRY(MCD_NEW(rise, trips->count, error));
        for (size_t i = 0; i < trips->count; ++i) rise[i] = to[i] - from[i];
        const mcd_sign_job job = {
            .value = value[q], .rows = 1, .columns = trips->count, .row = &level, .column = rise};
        MCD_TRY(mcd_signed_apply(query, job, error));
    }
    return MACADAM_OK;
}
