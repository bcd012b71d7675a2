/* route_total.c - see route_total.h. */
#include "engine/query/route_total.h"

#include "engine/query/lanes.h"
#include "engine/runtime/load.h"

macadam_status mcd_route_total_new(mcd_route_total *out, const mcd_query *query, macadam_error *error)
{
    *out = (mcd_route_total){.query = query};
    for (size_t q = 0; q < query->engine->metadata->n_quantity; ++q)
        MCD_TRY(mcd_engine_use_quantity(query->engine, q, &out->quantity[q], error));
    return MACADAM_OK;
}

void mcd_route_total_add(mcd_route_total *total, mcd_node tail, const mcd_road_part *part)
{
    const macadam_engine *const engine = total->query->engine;
    for (size_t q = 0; q < engine->metadata->n_quantity && total->quantity[q]; ++q) {
        const int32_t *const potential = engine->potential[q];
        total->sum[q] += mcd_lanes_share(total->quantity[q]->weight[part->arc], part->from, part->to);
        if (!potential) continue;
        if (!total->has_begun)
            total->begin[q] = mcd_road_potential(&engine->roads, tail, part->arc, part->from, potential);
        total->end[q] = mcd_road_potential(&engine->roads, tail, part->arc, part->to, potential);
    }
    total->has_begun = true;
}

void mcd_route_total_end(const mcd_route_total *total, const uint32_t *value, int64_t *out)
{
    const mcd_query *const query = total->query;
    for (size_t q = 0; q < query->engine->metadata->n_quantity; ++q) out[q] = total->sum[q];
    for (size_t q = 0; q < query->quantity_count; ++q) out[query->quantity_index[q]] = value[q];
    for (size_t q = 0; q < query->engine->metadata->n_quantity; ++q)
        out[q] += (int64_t)total->end[q] - total->begin[q];
}

void mcd_route_total_free(mcd_route_total *total)
{
    for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) mcd_quantity_leave(total->quantity[q]);
}
