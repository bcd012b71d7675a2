/* update.c - new weights for some or all arcs: customized beside those in use, then swapped in. */
#include "engine/device.h"
#include "engine/memory.h"
#include "engine/options.h"

#include <stdlib.h>
#include <string.h>

/* ---- naming arcs ---- */

/* Which arcs bear a number (a split junction repeats the arcs that leave it): arc[first[number] ..
 * first[number + 1]]. Importers number arcs from 1 to at most the arcs that there are. */
typedef struct number_index {
    size_t number_count;
    uint32_t *first, *arc;
} number_index;

static macadam_status index_numbers(number_index *out, const uint64_t *arc_number, uint32_t arc_count,
                                    macadam_error *error)
{
    *out = (number_index){.number_count = (size_t)arc_count + 1};
    MCD_TRY(MCD_NEW_ZEROED(out->first, out->number_count + 2, error));
    MCD_TRY(MCD_NEW(out->arc, arc_count, error));
    for (uint32_t arc = 0; arc < arc_count; ++arc)
        if (arc_number[arc] < out->number_count) ++out->first[arc_number[arc] + 2];
    for (size_t number = 0; number < out->number_count; ++number)
        out->first[number + 2] += out->first[number + 1];
    for (uint32_t arc = 0; arc < arc_count; ++arc)
        if (arc_number[arc] < out->number_count) out->arc[out->first[arc_number[arc] + 1]++] = arc;
    return MACADAM_OK;
}

/* All copies of a user id: node[i] sorted by id. */
typedef struct copy_index {
    const int64_t *node_id;
    mcd_node *node;
    size_t count;
} copy_index;

typedef struct id_key {
    int64_t id;
    mcd_node node;
} id_key;

static int compare_ids(const void *a, const void *b)
{
    const id_key *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->node > y->node) - (x->node < y->node);
}

static macadam_status index_copies(copy_index *out, const int64_t *node_id, size_t node_count,
                                   macadam_error *error)
{
    id_key *key;
    *out = (copy_index){.node_id = node_id, .count = node_count};
    MCD_TRY(MCD_NEW(out->node, node_count, error));
    MCD_TRY(MCD_NEW(key, node_count, error));
    for (mcd_node v = 0; v < node_count; ++v) key[v] = (id_key){node_id[v], v};
    qsort(key, node_count, sizeof *key, compare_ids);
    for (size_t i = 0; i < node_count; ++i) out->node[i] = key[i].node;
    mcd_free(key);
    return MACADAM_OK;
}

static size_t first_copy(const copy_index *copies, int64_t id)
{
    size_t low = 0, high = copies->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (copies->node_id[copies->node[middle]] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- applying ---- */

typedef struct update_run {
    macadam_engine *engine;
    const macadam_update_request *request;
    number_index numbers;
    copy_index copies;
    size_t quantity[MCD_QUANTITY_MAX];    /* per requested quantity: its index */
    mcd_weight *weight[MCD_QUANTITY_MAX]; /* per quantity: changed weights, or NULL */
    mcd_quantity *new_quantity[MCD_QUANTITY_MAX];
    mcd_metric *new_metric[MCD_QUANTITY_MAX];
} update_run;

static macadam_status begin_weights(update_run *run, macadam_error *error)
{
    const macadam_update_request *request = run->request;
    const size_t arc_count = run->engine->graph.arc_count;
    for (size_t q = 0; q < request->quantity_count; ++q) {
        if (!request->quantity[q])
            return mcd_fail(error, MACADAM_E_INVALID, "the name of quantity %zu is missing", q);
        MCD_TRY(mcd_engine_find_quantity(run->engine, request->quantity[q], &run->quantity[q], error));
        mcd_weight **weight = &run->weight[run->quantity[q]];
        if (*weight)
            return mcd_fail(error, MACADAM_E_INVALID, "quantity \"%s\" is given twice", request->quantity[q]);
        mcd_quantity *present;
        MCD_TRY(mcd_engine_use_quantity(run->engine, run->quantity[q], &present, error));
        const macadam_status status = MCD_NEW(*weight, arc_count, error);
        if (!status) memcpy(*weight, present->weight, arc_count * sizeof **weight);
        mcd_quantity_leave(present);
        MCD_TRY(status);
    }
    return MACADAM_OK;
}

static void apply_to_arc(const update_run *run, size_t entry, uint32_t arc)
{
    for (size_t q = 0; q < run->request->quantity_count; ++q) {
        const uint32_t value = run->request->value[q][entry];
        run->weight[run->quantity[q]][arc] = value == MACADAM_WEIGHT_CLOSED ? MCD_UNREACHED : value;
    }
}

static macadam_status apply_by_number(const update_run *run, size_t entry, macadam_error *error)
{
    const uint64_t number = run->request->arc[entry];
    const uint32_t *first = run->numbers.first;
    if (number >= run->numbers.number_count || first[number] == first[number + 1])
        return mcd_fail(error, MACADAM_E_NOT_FOUND, "no arc has the number %llu (entry %zu)",
                        (unsigned long long)number, entry);
    for (uint32_t i = first[number]; i < first[number + 1]; ++i)
        apply_to_arc(run, entry, run->numbers.arc[i]);
    return MACADAM_OK;
}

static macadam_status apply_by_ends(const update_run *run, size_t entry, macadam_error *error)
{
    const macadam_engine *engine = run->engine;
    const int64_t tail = run->request->tail[entry], head = run->request->head[entry];
    const copy_index *copies = &run->copies;
    bool found = false;
    for (size_t i = first_copy(copies, tail); i < copies->count && copies->node_id[copies->node[i]] == tail;
         ++i) {
        const mcd_node x = copies->node[i];
        for (mcd_arc xy = engine->graph.first_out[x]; xy < engine->graph.first_out[x + 1]; ++xy) {
            if (copies->node_id[engine->graph.head[xy]] != head ||
                engine->facts.arc_number[xy] == MCD_ARC_NONE)
                continue;
            apply_to_arc(run, entry, (uint32_t)xy);
            found = true;
        }
    }
    if (found) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_NOT_FOUND, "no arc leads from node %lld to node %lld (entry %zu)",
                    (long long)tail, (long long)head, entry);
}

static macadam_status apply_all(update_run *run, macadam_error *error)
{
    const macadam_update_request *request = run->request;
    const macadam_engine *engine = run->engine;
    if (request->arc)
        MCD_TRY(index_numbers(&run->numbers, engine->facts.arc_number, engine->graph.arc_count, error));
    else
        MCD_TRY(index_copies(&run->copies, engine->places.node_id, engine->places.node_count, error));
    for (size_t entry = 0; entry < request->count; ++entry) {
        for (size_t q = 0; q < request->quantity_count; ++q)
            if (request->value[q][entry] > MACADAM_WEIGHT_MAX &&
                request->value[q][entry] != MACADAM_WEIGHT_CLOSED)
                return mcd_fail(error, MACADAM_E_INVALID, "%s of entry %zu is %u; the largest weight is %u",
                                request->quantity[q], entry, request->value[q][entry], MACADAM_WEIGHT_MAX);
        MCD_TRY(request->arc ? apply_by_number(run, entry, error) : apply_by_ends(run, entry, error));
    }
    return MACADAM_OK;
}

/* ---- customizing ---- */

/* The new quantity, or the one in use. */
static macadam_status present_quantity(const update_run *run, size_t index, mcd_quantity **out,
                                       macadam_error *error)
{
    if (!run->new_quantity[index]) return mcd_engine_use_quantity(run->engine, index, out, error);
    *out = mcd_quantity_use(run->new_quantity[index]);
    return MACADAM_OK;
}

static macadam_status customize_on_device(const update_run *run, mcd_metric *metric, macadam_error *error)
{
    macadam_engine *engine = run->engine;
    const mcd_renew_job job = {
        .customize = {.hierarchy = &engine->hierarchy,
                      .graph = &engine->graph,
                      .objective = metric->weights.objective,
                      .companion = metric->weights.companion,
                      .parallel = engine->parallel,
                      .progress = {run->request->progress, run->request->progress_context}},
    };
    pthread_mutex_lock(&engine->lock);
    macadam_status status = mcd_engine_place_map(engine, error);
    pthread_mutex_unlock(&engine->lock);
    MCD_TRY(status);
    metric->device = engine->backend->device;
    return metric->device->weights_renew(&metric->weights.device, engine->device_map, &job, error);
}

static macadam_status customize(const update_run *run, mcd_metric *metric, macadam_error *error)
{
    macadam_engine *engine = run->engine;
    const mcd_progress progress = {run->request->progress, run->request->progress_context};
    mcd_kept kept;
    const mcd_backend *backend = mcd_engine_backend(engine);
    if (backend->device) {
        const macadam_status status = customize_on_device(run, metric, error);
        if (!mcd_engine_falls_back(engine, &backend, status)) return status;
    }
    MCD_TRY(mcd_engine_load_schedule(engine, error));
    MCD_TRY(mcd_metric_customize(&kept, metric, engine->schedule, &engine->parallel, &progress, error));
    mcd_metric_keep(metric, &kept);
    return MACADAM_OK;
}

static macadam_status renew_metric(update_run *run, size_t index, macadam_error *error)
{
    macadam_engine *engine = run->engine;
    size_t objective;
    const size_t companion = mcd_engine_companion(engine, index);
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[index], &objective, error));
    if (!run->new_quantity[objective] && (companion == SIZE_MAX || !run->new_quantity[companion]))
        return MACADAM_OK;
    MCD_TRY(mcd_metric_new(&run->new_metric[index], &engine->hierarchy, &engine->graph, error));
    mcd_quantity *quantity[2] = {NULL, NULL};
    macadam_status status = present_quantity(run, objective, &quantity[0], error);
    if (!status && companion != SIZE_MAX) status = present_quantity(run, companion, &quantity[1], error);
    if (!status) mcd_metric_use_quantities(run->new_metric[index], quantity[0], quantity[1]);
    mcd_quantity_leave(quantity[0]);
    mcd_quantity_leave(quantity[1]);
    return status ? status : customize(run, run->new_metric[index], error);
}

static macadam_status renew(update_run *run, macadam_error *error)
{
    macadam_engine *engine = run->engine;
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q) {
        mcd_weight *weight = run->weight[q];
        if (!weight) continue;
        run->weight[q] = NULL;
        MCD_TRY(mcd_quantity_new(&run->new_quantity[q], weight, weight, error));
    }
    if (!mcd_edge_file_has(engine->file, "parent")) return MACADAM_OK;
    MCD_TRY(mcd_engine_load_hierarchy(engine, error));
    for (size_t m = 0; m < engine->metadata->n_metric; ++m) MCD_TRY(renew_metric(run, m, error));
    return MACADAM_OK;
}

/* What was replaced is left in the run, to be let go of outside the lock. */
static void swap_in(update_run *run)
{
    macadam_engine *engine = run->engine;
    pthread_mutex_lock(&engine->lock);
    for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i) {
        if (run->new_quantity[i]) {
            mcd_quantity *replaced = engine->quantity[i];
            engine->quantity[i] = run->new_quantity[i];
            run->new_quantity[i] = replaced;
        }
        if (run->new_metric[i]) {
            mcd_metric *replaced = engine->metric[i];
            engine->metric[i] = run->new_metric[i];
            run->new_metric[i] = replaced;
        }
    }
    pthread_mutex_unlock(&engine->lock);
}

static macadam_status check_request(const macadam_update_request *request, macadam_error *error)
{
    if (request->count == 0) return mcd_fail(error, MACADAM_E_INVALID, "no arc to update");
    if (!request->arc && !(request->tail && request->head))
        return mcd_fail(error, MACADAM_E_INVALID, "neither numbers nor ends of arcs");
    if (request->quantity_count == 0 || request->quantity_count > MCD_QUANTITY_MAX || !request->quantity ||
        !request->value)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu quantities to update; there must be 1 to %d",
                        request->quantity_count, MCD_QUANTITY_MAX);
    for (size_t q = 0; q < request->quantity_count; ++q)
        if (!request->value[q]) return mcd_fail(error, MACADAM_E_INVALID, "no values for quantity %zu", q);
    return MACADAM_OK;
}

macadam_status macadam_update(macadam_engine *engine, const macadam_update_request *request,
                              macadam_error *error)
{
    macadam_update_request own = MACADAM_UPDATE_REQUEST_INIT;
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "update request", error));
    MCD_TRY(check_request(&own, error));
    MCD_TRY(mcd_engine_load_facts(engine, error));
    update_run run = {.engine = engine, .request = &own};
    pthread_mutex_lock(&engine->update_lock);
    macadam_status status = begin_weights(&run, error);
    if (!status) status = apply_all(&run, error);
    if (!status) status = renew(&run, error);
    if (!status) swap_in(&run);
    pthread_mutex_unlock(&engine->update_lock);
    mcd_free(run.numbers.first);
    mcd_free(run.numbers.arc);
    mcd_free(run.copies.node);
    for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i) {
        mcd_free(run.weight[i]);
        mcd_metric_leave(run.new_metric[i]);
        mcd_quantity_leave(run.new_quantity[i]);
    }
    return status;
}
