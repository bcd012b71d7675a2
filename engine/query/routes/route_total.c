/* route_total.c - see route_total.h. */
#include "engine/query/routes/route_total.h"

#include "engine/runtime/load.h"

macadam_status mcd_route_total_new(mcd_route_total *out, const mcd_query *query, macadam_error *error)
{
    *out = (mcd_route_total){.query = query, .may_open = query->version && query->version->key};
    for (size_t q = 0; q < query->engine->metadata->n_quantity; ++q) {
        MCD_TRY(mcd_engine_use_quantity(query->engine, q, &out->quantity[q], error));
        if (out->may_open) MCD_TRY(mcd_engine_load_prices(query->engine, q, error));
    }
    return MACADAM_OK;
}

/* Returns the weight in use of an arc; of one that is closed but opens in the query's slot, that while it is open. */
static mcd_weight open_weight(const mcd_route_total *total, size_t q, uint32_t copy, uint32_t original)
{
    macadam_engine *const engine = total->query->engine;
    const mcd_weight *const weight = total->quantity[q]->weight;
    if (weight[copy] != MCD_UNREACHED || !total->may_open) return weight[copy];
    pthread_mutex_lock(&engine->lock); /* an update may swap the prices */
    const mcd_weight open = mcd_prices_open(&engine->prices[q], weight, copy, original);
    pthread_mutex_unlock(&engine->lock);
    return open;
}

/* Returns the weight of a part of an arc. Of a copy, the turn into it counts whole, as it does for the route itself. */
static mcd_weight weight_of(const mcd_route_total *total, size_t q, uint32_t original,
                            const mcd_road_part *part)
{
    const mcd_weight weight = open_weight(total, q, part->arc, original);
    if (part->from == 0 && part->to == MCD_ROAD_WHOLE) return weight;
    const mcd_weight own = open_weight(total, q, original, original);
    return mcd_road_share(own, part->from, part->to) + (part->from == 0 && weight > own ? weight - own : 0);
}

void mcd_route_total_add(mcd_route_total *total, mcd_node tail, const mcd_road_part *part)
{
    const macadam_engine *const engine = total->query->engine;
    const bool needs_original = part->to < MCD_ROAD_WHOLE || total->may_open;
    const uint32_t original = needs_original ? mcd_road_original(&engine->roads, tail, part->arc) : part->arc;
    for (size_t q = 0; q < engine->metadata->n_quantity && total->quantity[q]; ++q) {
        const int32_t *const potential = engine->potential[q];
        total->sum[q] += weight_of(total, q, original, part);
        if (potential)
            total->sum[q] += mcd_road_potential(&engine->roads, tail, part->arc, part->to, potential) -
                             mcd_road_potential(&engine->roads, tail, part->arc, part->from, potential);
    }
}

void mcd_route_total_end(const mcd_route_total *total, const uint32_t *value, int64_t *out)
{
    const mcd_query *const query = total->query;
    memcpy(out, total->sum, query->engine->metadata->n_quantity * sizeof *out);
    for (size_t q = 0; q < query->quantity_count; ++q)
        out[query->quantity_index[q]] = macadam_cost(value[q], query->potential[q]);
}

void mcd_route_total_free(mcd_route_total *total)
{
    for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) mcd_array_leave(total->quantity[q]);
}
