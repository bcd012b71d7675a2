/* in_use.c - see in_use.h. */
#include "engine/runtime/basis.h"
#include "engine/runtime/in_use.h"

#include "engine/runtime/device.h"
#include "engine/runtime/load.h"
#include "engine/base/memory.h"
#include "engine/base/watch.h"
#include "engine/map/graph.h"

/* The top nodes' labels take a sixth of the memory of the kept arcs' heads, depths and objectives. Twice as
 * many labels take twice as long to find; a route's cost then becomes no cheaper on New York, and a sixth
 * cheaper on NE. */
enum { KEPT_PER_LABEL = 2 };

/* Spans are made once one path has been requested for every KEPT_PER_PATH kept arcs: one path for every 120
 * (New York) to 420 (NE) of them saves as much time as the spans take to make. */
enum { KEPT_PER_PATH = 256 };

static mcd_selector select_metric(const macadam_engine *engine, mcd_group group, size_t index, int direction)
{
    return (mcd_selector){group, engine->metric_name[index], (mcd_direction)direction,
                          engine->metric_companion[index] != NULL};
}

static macadam_status read_search(macadam_engine *engine, size_t index, int direction, mcd_search *out,
                                  macadam_error *error)
{
    mcd_counts counts = mcd_counts_of(engine->metadata);
    char prefix[MCD_SECTION_NAME_BYTES];
    const mcd_selector selector = select_metric(engine, MCD_GROUP_KEPT, index, direction);
    MCD_TRY(mcd_engine_read(engine, &selector, &counts, out, error));
    const size_t count = counts.of[MCD_PER_KEPT_ARC];
    mcd_sections_prefix(prefix, &selector);
    if (count >= MCD_CHILD_NONE)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section %s.head has %zu arcs, more than there can be",
                        mcd_edge_file_name(engine->file), prefix, count);
    const mcd_check check = mcd_engine_check(engine, error);
    return mcd_edge_file_is_trusted(engine->file)
               ? MACADAM_OK
               : mcd_check_search(&check, prefix, &engine->hierarchy, out, count);
}

/* Under the lock: reads the data that costs need. If the file has no customized weights, the metric begins
 * without any. */
static macadam_status read_metric(macadam_engine *engine, size_t index, macadam_error *error)
{
    mcd_metric *metric;
    MCD_TRY(mcd_metric_new(&metric, &engine->hierarchy, &engine->graph, error));
    for (int direction = 0; direction < 2 && mcd_engine_is_ready(engine); ++direction) {
        const macadam_status status =
            read_search(engine, index, direction, &metric->weights.search[direction], error);
        if (status == MACADAM_OK) continue;
        mcd_metric_leave(metric);
        return status;
    }
    metric->lacks_children = mcd_engine_is_ready(engine);
    atomic_store(&metric->is_home, mcd_engine_is_ready(engine));
    engine->metric[index] = metric;
    return MACADAM_OK;
}

/* Other calls may be reading the costs, but none reads the top nodes. */
static macadam_status find_top_nodes(macadam_engine *engine, mcd_metric *metric, macadam_error *error)
{
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    const mcd_arc kept_count = metric->weights.search[MCD_FORWARD].first[engine->metadata->node_count];
    macadam_status status = MACADAM_OK;
    if (!metric->top_labels) {
        status = engine->host->top_labels_new(&metric->top_labels, &metric->weights,
                                              kept_count / KEPT_PER_LABEL, &engine->parallel, error);
        metric->weights.top_labels = metric->top_labels;
    }
    pthread_mutex_unlock(&engine->lock);
    return status;
}

static macadam_status read_children(macadam_engine *engine, size_t index, macadam_error *error)
{
    const mcd_check check = mcd_engine_check(engine, error);
    mcd_weights *weights = &engine->metric[index]->weights;
    mcd_weights found = *weights; /* other calls may be reading the costs */
    mcd_counts counts = mcd_counts_of(engine->metadata);
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_selector selector = select_metric(engine, MCD_GROUP_CHILDREN, index, direction);
        counts.of[MCD_PER_KEPT_ARC] = found.search[direction].first[engine->metadata->node_count];
        MCD_TRY(mcd_engine_read(engine, &selector, &counts, &found.search[direction], error));
    }
    for (int direction = 0; direction < 2 && !mcd_edge_file_is_trusted(engine->file); ++direction) {
        char prefix[MCD_SECTION_NAME_BYTES];
        const mcd_selector selector = select_metric(engine, MCD_GROUP_CHILDREN, index, direction);
        mcd_sections_prefix(prefix, &selector);
        MCD_TRY(mcd_check_children(&check, prefix, &found, selector.direction));
    }
    for (int direction = 0; direction < 2; ++direction)
        weights->search[direction].children = found.search[direction].children;
    engine->metric[index]->lacks_children = false;
    return MACADAM_OK;
}

/* Under the lock: loads a metric's quantities in use; quantity[1] is NULL without a companion. */
static macadam_status load_quantities(macadam_engine *engine, size_t index, mcd_quantity *quantity[2],
                                      macadam_error *error)
{
    size_t objective;
    const size_t companion = mcd_engine_companion(engine, index);
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[index], &objective, error));
    if (!engine->quantity[objective]) MCD_TRY(mcd_engine_read_quantity(engine, objective, error));
    if (companion != SIZE_MAX && !engine->quantity[companion])
        MCD_TRY(mcd_engine_read_quantity(engine, companion, error));
    quantity[0] = engine->quantity[objective];
    quantity[1] = companion == SIZE_MAX ? NULL : engine->quantity[companion];
    return MACADAM_OK;
}

/* Under the lock. The quantities in use belong to the metrics in use. */
static macadam_status use_quantities(macadam_engine *engine, size_t index, macadam_error *error)
{
    mcd_quantity *quantity[2];
    MCD_TRY(load_quantities(engine, index, quantity, error));
    mcd_metric_use_quantities(engine->metric[index], quantity[0], quantity[1]);
    return MACADAM_OK;
}

/* Under the lock. The metric begins without customized weights. */
static macadam_status prepare_variant(macadam_engine *engine, const mcd_backend *backend,
                                      mcd_variant *variant, macadam_error *error)
{
    if (!variant->metric) {
        MCD_TRY(mcd_metric_new(&variant->metric, &engine->hierarchy, &engine->graph, error));
        mcd_metric_use_quantities(variant->metric, variant->objective, variant->companion);
    }
    return backend->device ? mcd_engine_place_metric(engine, variant->metric, error) : MACADAM_OK;
}

/* Under the lock: loads the data of the metric that `backend` needs. */
static macadam_status prepare_metric(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                     mcd_need need, macadam_error *error)
{
    if (!engine->metric[index]) MCD_TRY(read_metric(engine, index, error));
    const bool begins_bare = !mcd_metric_is_home(engine->metric[index]);
    if ((need & MCD_NEED_WEIGHTS || begins_bare) && !engine->metric[index]->objective)
        MCD_TRY(use_quantities(engine, index, error));
    if ((need & MCD_NEED_PATHS) == MCD_NEED_PATHS && engine->metric[index]->lacks_children)
        MCD_TRY(read_children(engine, index, error));
    return backend->device ? mcd_engine_place_metric(engine, engine->metric[index], error) : MACADAM_OK;
}

macadam_status mcd_engine_ready_on_host(macadam_engine *engine, mcd_metric *metric, mcd_need need,
                                        macadam_error *error)
{
    MCD_TRY(mcd_engine_bring_home(engine, metric, error));
    return need & MCD_NEED_ROUTES ? find_top_nodes(engine, metric, error) : MACADAM_OK;
}

macadam_status mcd_engine_use_metric(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                     mcd_variant *variant, mcd_need need, mcd_metric **out,
                                     macadam_error *error)
{
    *out = NULL;
    if (backend->device) need = MCD_NEED_PATHS; /* a device gets everything at once */
    MCD_TRY(mcd_engine_load_hierarchy(engine, error));
    if (variant && !backend->device && need & MCD_NEED_BASIC)
        MCD_TRY(mcd_engine_ready_variant(engine, variant, error));
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    macadam_status status = variant ? prepare_variant(engine, backend, variant, error)
                                    : prepare_metric(engine, backend, index, need, error);
    if (status == MACADAM_OK) *out = mcd_metric_use(variant ? variant->metric : engine->metric[index]);
    pthread_mutex_unlock(&engine->lock);
    if (status || backend->device) return status;
    if (need & MCD_NEED_BASIC && (*out)->basic_weights.basic && !mcd_metric_is_home(*out)) return MACADAM_OK;
    status = mcd_engine_ready_on_host(engine, *out, need, error);
    if (status) mcd_metric_leave(*out), *out = NULL;
    return status;
}

macadam_status mcd_engine_should_search(bool *out, macadam_engine *engine, size_t index,
                                        const mcd_variant *variant, macadam_error *error)
{
    *out = false;
    if (!mcd_engine_has_hierarchy(engine)) return MACADAM_OK; /* the query then fails, and says so */
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    const mcd_metric *const metric = variant ? variant->metric : engine->metric[index];
    mcd_arc_metric *const arcs = variant ? variant->arcs : engine->arc_metric[index];
    const bool is_customized = metric && (mcd_metric_is_home(metric) || metric->basic_weights.basic);
    const uint64_t settled = arcs ? atomic_load(&arcs->settled_count) : 0;
    pthread_mutex_unlock(&engine->lock);
    *out = !is_customized && settled < engine->metadata->node_count;
    return MACADAM_OK;
}

macadam_status mcd_engine_use_spans(macadam_engine *engine, mcd_metric *metric, size_t path_count,
                                    const mcd_spans **out, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    *out = NULL;
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    const mcd_arc kept_count = metric->weights.search[MCD_FORWARD].first[engine->metadata->node_count];
    metric->path_count += path_count;
    if (!metric->spans && metric->path_count >= kept_count / KEPT_PER_PATH)
        status = engine->host->spans_new(&metric->spans, &metric->weights, &engine->parallel, error);
    *out = metric->spans;
    pthread_mutex_unlock(&engine->lock);
    return status;
}

/* ---- weights of the input arcs ---- */

/* Makes the graph of the arcs that the conditions leave open. */
static macadam_status new_open_graph(mcd_graph **out, const mcd_graph *graph, const mcd_weight *weight,
                                     macadam_error *error)
{
    mcd_node *tail = NULL, *head = NULL, *same = NULL;
    uint32_t *map_arc = NULL;
    size_t count = 0;
    macadam_status status;
    *out = NULL;
    if (!(status = MCD_NEW(tail, graph->arc_count, error)) &&
        !(status = MCD_NEW(head, graph->arc_count, error)))
        status = MCD_NEW(same, graph->node_count, error);
    for (mcd_node v = 0; !status && v < graph->node_count; ++v) {
        status = mcd_watch_item(NULL, v, graph->node_count, error);
        same[v] = v;
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc) {
            if (weight[arc] == MCD_UNREACHED) continue;
            tail[count] = v;
            head[count++] = graph->head[arc];
        }
    }
    if (!status)
        status = mcd_graph_new(out, &map_arc, graph->node_count, tail, head, count, same, NULL, error);
    mcd_free(tail);
    mcd_free(head);
    mcd_free(same);
    mcd_free(map_arc);
    return status;
}

static macadam_status new_variant_arcs(macadam_engine *engine, bool weights, mcd_variant *variant,
                                       macadam_error *error)
{
    mcd_graph *graph;
    if (weights)
        return mcd_arc_metric_new(&variant->arcs, &engine->graph, variant->objective, variant->companion,
                                  error);
    MCD_TRY(new_open_graph(&graph, &engine->graph, variant->objective->weight, error));
    const macadam_status status = mcd_arc_metric_new(&variant->graph, graph, NULL, NULL, error);
    if (status)
        mcd_graph_free(graph);
    else
        variant->graph->graph = graph;
    return status;
}

static macadam_status new_arc_metric(macadam_engine *engine, size_t index, mcd_variant *variant,
                                     macadam_error *error)
{
    mcd_quantity *quantity[2] = {NULL, NULL};
    if (variant) return new_variant_arcs(engine, index < MCD_QUANTITY_MAX, variant, error);
    if (index < MCD_QUANTITY_MAX) MCD_TRY(load_quantities(engine, index, quantity, error));
    return mcd_arc_metric_new(&engine->arc_metric[index], &engine->graph, quantity[0], quantity[1], error);
}

/* A device gets everything at once. */
static macadam_status place_arcs(macadam_engine *engine, mcd_arc_metric *metric, macadam_error *error)
{
    if (metric->arcs.device) return MACADAM_OK;
    metric->device = engine->backend->device;
    return metric->device->arcs_new(&metric->arcs.device, engine->device, &metric->arcs, error);
}

/* Under the lock; other calls may be using the existing arrays. */
static macadam_status prepare_arcs(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                   mcd_variant *variant, unsigned need, mcd_arc_metric **out,
                                   macadam_error *error)
{
    mcd_arc_metric **const slot = !variant                   ? &engine->arc_metric[index]
                                  : index < MCD_QUANTITY_MAX ? &variant->arcs
                                                             : &variant->graph;
    if (!*slot) MCD_TRY(new_arc_metric(engine, index, variant, error));
    mcd_arc_metric *const metric = *slot;
    if (need & MCD_ARCS_BACKWARD && metric->objective)
        MCD_TRY(mcd_arc_metric_add_backward(metric, &engine->parallel, error));
    if (need & MCD_ARCS_COUPLES && metric->objective)
        MCD_TRY(mcd_arc_metric_add_couples(metric, engine->couples.high, engine->couples.low,
                                           engine->couples.count, &engine->parallel, error));
    if (backend->device) MCD_TRY(place_arcs(engine, metric, error));
    *out = mcd_arc_metric_use(metric);
    return MACADAM_OK;
}

macadam_status mcd_engine_use_arcs(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                   mcd_variant *variant, unsigned need, mcd_arc_metric **out,
                                   macadam_error *error)
{
    *out = NULL;
    if (backend->device) need = MCD_ARCS_BACKWARD | MCD_ARCS_COUPLES;
    MCD_TRY(mcd_engine_load_graph(engine, error));
    if (need & MCD_ARCS_COUPLES) MCD_TRY(mcd_engine_load_couples(engine, error));
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    const macadam_status status = prepare_arcs(engine, backend, index, variant, need, out, error);
    pthread_mutex_unlock(&engine->lock);
    return status;
}
