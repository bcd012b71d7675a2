/* signed.c - see signed.h. */
#include "engine/query/places/signed.h"

#include "engine/base/memory.h"
#include "engine/runtime/buffer.h"

/* Returns the potential from which (arriving: to which) the costs of a place's searches count. */
static int32_t potential_at(const macadam_engine *engine, const int32_t *of_id, const mcd_lanes *lanes,
                            size_t place, bool companion)
{
    if (lanes->position) {
        const mcd_position *const position = &lanes->position[place];
        const int32_t lift = (int32_t)position->lift[companion];
        return mcd_position_potential(position, &engine->roads, of_id) +
               (lanes->end == MCD_DEPART ? lift : -lift);
    }
    const mcd_node node = mcd_lanes_at(lanes, mcd_lanes_first(lanes, place)).seed[0].node;
    return node == MCD_NODE_NONE ? 0 : of_id[engine->places.node_place[node]];
}

macadam_status mcd_potentials_new(mcd_potentials *out, const mcd_query *query, size_t quantity,
                                  const mcd_lanes *lanes, macadam_error *error)
{
    *out = (mcd_potentials){.of_id = query->engine->potential[quantity]};
    if (!out->of_id) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->of_place, lanes->place_count, error));
    for (size_t i = 0; i < lanes->place_count; ++i)
        out->of_place[i] =
            potential_at(query->engine, out->of_id, lanes, i, quantity != query->objective_index);
    return MACADAM_OK;
}

void mcd_potentials_free(mcd_potentials *potentials)
{
    mcd_free(potentials->of_place);
    *potentials = (mcd_potentials){0};
}

macadam_status mcd_signed_limit_new(mcd_signed_limit *out, const mcd_query *query, const mcd_lanes *lanes,
                                    bool reverse, macadam_error *error)
{
    *out = (mcd_signed_limit){.reverse = reverse};
    MCD_TRY(mcd_potentials_new(&out->at, query, query->objective_index, lanes, error));
    const int32_t *const of_id = out->at.of_id;
    if (of_id) out->extreme = of_id[0];
    for (size_t i = 1; of_id && i < query->engine->places.id_count; ++i)
        if (reverse ? of_id[i] > out->extreme : of_id[i] < out->extreme) out->extreme = of_id[i];
    return MACADAM_OK;
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

static macadam_status sign_quantity(const mcd_pairs *trips, const mcd_query *query, size_t q, uint32_t *value,
                                    macadam_error *error)
{
    MCD_FREED_BY(mcd_potentials_free) mcd_potentials from = {0}, to = {0};
    const int32_t level = 0;
    MCD_TRY(mcd_potentials_new(&from, query, query->quantity_index[q], &trips->source, error));
    MCD_TRY(mcd_potentials_new(&to, query, query->quantity_index[q], &trips->target, error));
    for (size_t i = 0; i < trips->count; ++i) to.of_place[i] -= from.of_place[i];
    return mcd_signed_apply(
        query,
        (mcd_sign_job){
            .value = value, .rows = 1, .columns = trips->count, .row = &level, .column = to.of_place},
        error);
}

macadam_status mcd_signed_pairs(const mcd_pairs *trips, const mcd_query *query, uint32_t *const *value,
                                macadam_error *error)
{
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (query->potential[q]) MCD_TRY(sign_quantity(trips, query, q, value[q], error));
    return MACADAM_OK;
}
