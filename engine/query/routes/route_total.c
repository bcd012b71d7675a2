/* route_total.c - see route_total.h. */
#include "engine/query/routes/route_total.h"

#include "engine/query/places/lanes.h"
#include "engine/runtime/load.h"

macadam_status mcd_route_total_new(mcd_route_total *out, const mcd_query *query, macadam_error *error)
{
    *out = (mcd_route_total){.query = query};
    for (size_t q = 0; q < query->engine->metadata->n_quantity; ++q)
        MCD_TRY(mcd_engine_use_quantity(query->engine, q, &out->quantity[q], error));
    return MACADAM_OK;
}

/* What a part of an arc weighs. Of a copy, the turn into it counts whole, as it does for the route itself. */
static mcd_weight weight_of(const mcd_weight *weight, uint32_t copy, uint32_t original,
                            const mcd_road_part *part)
{
    if (part->from == 0 && part->to == MCD_ROAD_WHOLE) return weight[copy];
    const mcd_weight turn =
        part->from == 0 && weight[copy] > weight[original] ? weight[copy] - weight[original] : 0;
    return mcd_lanes_share(weight[original], part->from, part->to) + turn;
}

void mcd_route_total_add(mcd_route_total *total, mcd_node tail, const mcd_road_part *part)
{
    const macadam_engine *const engine = total->query->engine;
    const bool ends_within = part->to < MCD_ROAD_WHOLE;
    const uint32_t original = ends_within ? mcd_road_original(&engine->roads, tail, part->arc) : part->arc;
    for (size_t q = 0; q < engine->metadata->n_quantity && total->quantity[q]; ++q) {
        const int32_t *const potential = engine->potential[q];
        total->sum[q] += weight_of(total->quantity[q]->weight, part->arc, original, part);
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
    for (size_t q = 0; q < query->engine->metadata->n_quantity; ++q)
        out[q] = total->sum[q] + total->end[q] - total->begin[q];
    for (size_t q = 0; q < query->quantity_count; ++q)
        out[query->quantity_index[q]] = macadam_cost(value[q], query->potential[q]);
}

void mcd_route_total_free(mcd_route_total *total)
{
    for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) mcd_array_leave(total->quantity[q]);
}
