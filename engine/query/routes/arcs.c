/* arcs.c - every arc of the map, once. Of the arcs that bear one number, the one that departures use is listed:
 * its weights contain no price of a turn. */
#include "engine/base/grow.h"
#include "engine/runtime/load.h"

typedef struct arcs_run {
    macadam_engine *engine;
    mcd_node *tail; /* [arc_count] mcd_road_departures */
    mcd_arc_index index;
    mcd_array *quantity[MCD_QUANTITY_MAX];
    mcd_prices imported[MCD_QUANTITY_MAX]; /* only imported weights are read of them */
    int64_t *node;                         /* of the arc that is listed */
    double *node_m;                        /* likewise */
    size_t node_capacity, metre_capacity;
} arcs_run;

static uint32_t value_of(const arcs_run *run, size_t q, uint32_t arc, mcd_weight weight)
{
    const macadam_engine *const engine = run->engine;
    const uint32_t cost = weight == MCD_UNREACHED ? MACADAM_WEIGHT_CLOSED : weight;
    const int32_t *const potential = engine->potential[q];
    const mcd_node *const place = engine->places.node_place;
    if (!potential) return cost;
    return mcd_signed_cost(cost, (int64_t)potential[place[engine->graph.head[arc]]] -
                                     potential[place[run->tail[arc]]]);
}

/* Lists the nodes of an arc, if the file has their ids. */
static macadam_status list_nodes(arcs_run *run, uint32_t arc, macadam_arc *out, macadam_error *error)
{
    const mcd_roads *const roads = &run->engine->roads;
    if (!roads->facts->shape_id || !roads->places->lon_e7) return MACADAM_OK;
    const size_t count = mcd_road_point_count(roads, arc);
    MCD_TRY(MCD_GROW(run->node, run->node_capacity, count, error));
    MCD_TRY(MCD_GROW(run->node_m, run->metre_capacity, count, error));
    for (size_t i = 0; i < count; ++i) {
        const mcd_node tail = run->tail[arc];
        run->node[i] = mcd_arc_point_id(roads->facts, arc, i, out->tail, out->head);
        run->node_m[i] = i == 0
                             ? 0
                             : run->node_m[i - 1] + mcd_road_length(mcd_road_point(roads, tail, arc, i - 1),
                                                                    mcd_road_point(roads, tail, arc, i));
    }
    out->node = run->node, out->node_m = run->node_m, out->node_count = count;
    return MACADAM_OK;
}

static macadam_status list_arcs(arcs_run *run, macadam_arc_callback each, void *context, macadam_error *error)
{
    const macadam_engine *const engine = run->engine;
    const mcd_arc_facts *const facts = &engine->facts;
    uint32_t value[MCD_QUANTITY_MAX], imported[MCD_QUANTITY_MAX];
    for (uint64_t number = 0; number < run->index.slot_count; ++number) {
        const uint32_t *const first = &run->index.first[number];
        MCD_TRY(mcd_watch_item(NULL, number, run->index.slot_count, error));
        const uint32_t arc = first[0] < first[1] ? run->index.arc[first[0]] : MCD_ROAD_NONE;
        if (arc == MCD_ROAD_NONE || run->tail[arc] == MCD_NODE_NONE) continue;
        for (size_t q = 0; q < engine->metadata->n_quantity; ++q) {
            value[q] = value_of(run, q, arc, run->quantity[q]->weight[arc]);
            imported[q] = value_of(run, q, arc, mcd_prices_imported(&run->imported[q], arc));
        }
        macadam_arc out = {
            .arc = number,
            .tail = mcd_place_id_of(&engine->places, run->tail[arc]),
            .head = mcd_place_id_of(&engine->places, engine->graph.head[arc]),
            .way = mcd_arc_way(facts, arc),
            .forward = !mcd_arc_is_against(facts, arc),
            .length_m =
                engine->places.lon_e7 ? mcd_road_arc_length(&engine->roads, run->tail[arc], arc) : NAN,
            .facts = engine->road_facts ? mcd_engine_road_facts(engine, mcd_arc_kind(facts, arc)) : NULL,
            .value = value,
            .imported = imported,
        };
        MCD_TRY(list_nodes(run, arc, &out, error));
        if (!each(context, &out))
            return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled by the receiver of arc %llu",
                            (unsigned long long)number);
    }
    return MACADAM_OK;
}

static void release(arcs_run *run)
{
    for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) mcd_array_leave(run->quantity[q]);
    mcd_arc_index_free(&run->index);
    MCD_FREE_ALL(run->tail, run->node, run->node_m);
}

macadam_status macadam_arcs_list(macadam_engine *engine, macadam_arc_callback each, void *context,
                                 macadam_error *error)
{
    if (!engine || !each) return mcd_fail_invalid(error, "no engine, or no callback");
    MCD_FREED_BY(release) arcs_run run = {.engine = engine};
    MCD_WATCHED(watch, &engine->progress, "loading");
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    MCD_TRY(mcd_road_departures(&run.tail, &engine->roads, error));
    MCD_TRY(mcd_arc_index_make(&run.index, &engine->roads, &engine->parallel, error));
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q) {
        MCD_TRY(mcd_engine_use_quantity(engine, q, &run.quantity[q], error));
        MCD_TRY(mcd_engine_load_prices(engine, q, error));
        MCD_WATCH_HOLD(&engine->lock, error);
        run.imported[q] = engine->prices[q];
    }
    return list_arcs(&run, each, context, error);
}
