<<<<<<< HEAD
/* load.c - sections into views, each checked once, before its first use. */
#include "engine/prepare/snap_build.h"
#include "engine/file/check.h"
#include "engine/runtime/device.h"
#include "engine/base/memory.h"
#include "engine/prepare/metric_write.h"

/* The top nodes' labels take a sixth of the memory of the kept arcs' heads, depths and objectives. Twice as many
 * take twice as long to find and make a route's cost no cheaper on New York, a sixth cheaper on NE. */
enum { KEPT_PER_LABEL = 2 };

/* Spans are made once a path has been asked for every so many kept arcs: for every 120 (New York) to 420 (NE)
 * of them, they save as much time as making them takes. */
enum { KEPT_PER_PATH = 256 };

#define MCD_SECTION(engine, name, pointer, expected, count, error)                                           \
    mcd_edge_file_section((engine)->file, (name), sizeof *(pointer), (expected), (const void **)&(pointer),  \
                          (count), (error))

static mcd_check check_of(const macadam_engine *engine, macadam_error *error)
{
    return (mcd_check){mcd_edge_file_name(engine->file), &engine->parallel, error};
}
=======
/* load.c - see load.h: groups of sections into views, each checked once, before its first use. */
#include "engine/runtime/load.h"
>>>>>>> e728717 (edge file: one catalogue of sections, which writing, loading, saving and verifying follow)

static bool is_trusted(const macadam_engine *engine)
{
    return mcd_edge_file_is_trusted(engine->file);
}

mcd_check mcd_engine_check(const macadam_engine *engine, macadam_error *error)
{
    return (mcd_check){mcd_edge_file_name(engine->file), &engine->parallel, error};
}

macadam_status mcd_engine_read(macadam_engine *engine, const mcd_selector *selector, mcd_counts *counts,
                               void *structure, macadam_error *error)
{
    const mcd_check check = mcd_engine_check(engine, error);
    return mcd_sections_read(engine->file, selector, counts, structure, &check);
}

/* Reads a group that is of no quantity and no metric. */
static macadam_status read_group(macadam_engine *engine, mcd_group group, mcd_counts *counts, void *structure,
                                 macadam_error *error)
{
    return mcd_engine_read(engine, &(mcd_selector){.group = group}, counts, structure, error);
}

static macadam_status read_graph(macadam_engine *engine, macadam_error *error)
{
    mcd_graph graph = {.node_count = (mcd_node)engine->metadata->node_count,
                       .arc_count = (uint32_t)engine->metadata->arc_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_GRAPH, &counts, &graph, error));
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine)) MCD_TRY(mcd_check_graph(&check, &graph));
    engine->graph = graph;
    return MACADAM_OK;
}

static macadam_status read_hierarchy(macadam_engine *engine, macadam_error *error)
{
    if (!mcd_engine_has_hierarchy(engine))
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "%s has no hierarchy (it was imported with --no-hierarchy)",
                        mcd_edge_file_name(engine->file));
    mcd_hierarchy hierarchy = {.node_count = (mcd_node)engine->metadata->node_count,
                               .height = engine->metadata->height};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_HIERARCHY, &counts, &hierarchy, error));
    const size_t nodes = hierarchy.node_count, supernodes = counts.of[MCD_PER_SUPERNODE_END],
                 bottoms = counts.of[MCD_PER_BOTTOM];
    if (supernodes == 0 || supernodes > nodes + 1 || bottoms > nodes)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: %zu supernode offsets and %zu bottom roots do not fit %zu nodes",
                        mcd_edge_file_name(engine->file), supernodes, bottoms, nodes);
    hierarchy.supernode_count = (mcd_node)(supernodes - 1);
    hierarchy.bottom_count = (mcd_node)bottoms;
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine)) MCD_TRY(mcd_check_hierarchy(&check, &hierarchy, engine->metadata->up_arc_count));
    engine->hierarchy = hierarchy;
    return MACADAM_OK;
}

static macadam_status read_places(macadam_engine *engine, macadam_error *error)
{
    mcd_place_index places = {.node_count = engine->metadata->node_count,
                              .id_count = engine->metadata->id_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    const mcd_check check = mcd_engine_check(engine, error);
    MCD_TRY(read_group(engine, MCD_GROUP_IDS, &counts, &places, error));
    if (!is_trusted(engine)) MCD_TRY(mcd_check_ids(&check, &places));
    if (mcd_sections_exist(engine->file, MCD_GROUP_COORDINATES))
        MCD_TRY(read_group(engine, MCD_GROUP_COORDINATES, &counts, &places, error));
    engine->places = places;
    return MACADAM_OK;
}

static macadam_status read_facts(macadam_engine *engine, macadam_error *error)
{
    mcd_arc_facts facts = {0};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    for (mcd_group group = MCD_GROUP_NUMBERS; group <= MCD_GROUP_SHAPES; ++group)
        if (group == MCD_GROUP_NUMBERS || mcd_sections_exist(engine->file, group))
            MCD_TRY(read_group(engine, group, &counts, &facts, error));
    const mcd_check check = mcd_engine_check(engine, error);
    if (facts.names && !is_trusted(engine))
        MCD_TRY(mcd_check_names(&check, facts.arc_name, engine->graph.arc_count, facts.names,
                                counts.of[MCD_PER_NAME_BYTE]));
    engine->facts = facts;
    engine->roads = (mcd_roads){&engine->graph, &engine->places, &engine->facts};
    return MACADAM_OK;
}

/* If the file has no snap index, because an earlier version wrote it, the index is made. */
static macadam_status read_snap(macadam_engine *engine, macadam_error *error)
{
    mcd_snap_index snap = {0};
    if (!mcd_sections_exist(engine->file, MCD_GROUP_SNAP)) {
        MCD_TRY(mcd_snap_index_new(&engine->snap, &engine->roads, error));
        engine->owns_snap = true;
        return MACADAM_OK;
    }
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_SNAP, &counts, &snap, error));
    snap.piece_count = counts.of[MCD_PER_PIECE];
    snap.box_count = counts.of[MCD_PER_BOX_COORDINATE] / 4;
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine)) MCD_TRY(mcd_check_snap(&check, &engine->roads, &snap));
    engine->snap = snap;
    return MACADAM_OK;
}

static macadam_status read_couples(macadam_engine *engine, macadam_error *error)
{
    mcd_couples couples = {.count = engine->metadata->couple_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_COUPLES, &counts, &couples, error));
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine))
        MCD_TRY(mcd_check_couples(&check, couples.high, couples.low, couples.count,
                                  engine->metadata->node_count));
    engine->couple_high = couples.high;
    engine->couple_low = couples.low;
    return MACADAM_OK;
}

/* Under the engine's lock: reads once. */
static macadam_status load_once(macadam_engine *engine, bool *loaded,
                                macadam_status (*read)(macadam_engine *engine, macadam_error *error),
                                macadam_error *error)
{
    pthread_mutex_lock(&engine->lock);
    macadam_status status = MACADAM_OK;
    if (!*loaded) {
        status = read(engine, error);
        *loaded = status == MACADAM_OK;
    }
    pthread_mutex_unlock(&engine->lock);
    return status;
}

macadam_status mcd_engine_load_graph(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_graph, read_graph, error);
}

macadam_status mcd_engine_load_hierarchy(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_hierarchy, read_hierarchy, error);
}

macadam_status mcd_engine_load_schedule(macadam_engine *engine, macadam_error *error)
{
    if (engine->schedule) return MACADAM_OK;
    return engine->host->schedule_new(&engine->schedule, &engine->hierarchy, &engine->graph, error);
}

macadam_status mcd_engine_load_places(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_places, read_places, error);
}

macadam_status mcd_engine_load_facts(macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(mcd_engine_load_graph(engine, error));
    MCD_TRY(mcd_engine_load_places(engine, error));
    return load_once(engine, &engine->has_facts, read_facts, error);
}

macadam_status mcd_engine_load_snap(macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(mcd_engine_load_facts(engine, error));
    return engine->places.lon_e7 ? load_once(engine, &engine->has_snap, read_snap, error) : MACADAM_OK;
}

macadam_status mcd_engine_load_couples(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_couples, read_couples, error);
}

<<<<<<< HEAD
bool mcd_engine_has_hierarchy(const macadam_engine *engine)
{
    return mcd_edge_file_has(engine->file, "parent");
}

/* ---- weights ---- */

static macadam_status read_quantity(macadam_engine *engine, size_t index, macadam_error *error)
{
    char name[MCD_SECTION_NAME_BYTES];
    const mcd_weight *weight;
    mcd_section_name(name, "weight", engine->quantity_name[index], NULL, NULL);
    MCD_TRY(MCD_SECTION(engine, name, weight, engine->metadata->arc_count, NULL, error));
    const mcd_check check = check_of(engine, error);
    if (!is_trusted(engine)) MCD_TRY(mcd_check_weights(&check, name, weight, engine->metadata->arc_count));
    return mcd_quantity_new(&engine->quantity[index], weight, NULL, error);
}

static macadam_status read_search(macadam_engine *engine, const char *metric, mcd_direction direction,
                                  bool has_companion, mcd_search *out, macadam_error *error)
{
    size_t count;
    char prefix[MCD_SECTION_NAME_BYTES], name[MCD_SECTION_NAME_BYTES];
    const char *const by = mcd_direction_name[direction];
    mcd_section_name(prefix, "kept", metric, by, NULL);
    mcd_section_name(name, "kept", metric, by, "first");
    MCD_TRY(MCD_SECTION(engine, name, out->first, engine->metadata->node_count + 1, NULL, error));
    mcd_section_name(name, "kept", metric, by, "head");
    MCD_TRY(MCD_SECTION(engine, name, out->head, MCD_COUNT_ANY, &count, error));
    if (count >= MCD_CHILD_NONE)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section %s has %zu arcs, more than there can be",
                        mcd_edge_file_name(engine->file), name, count);
    mcd_section_name(name, "kept", metric, by, "depth");
    MCD_TRY(MCD_SECTION(engine, name, out->depth, count, NULL, error));
    mcd_section_name(name, "kept", metric, by, "objective");
    MCD_TRY(MCD_SECTION(engine, name, out->objective, count, NULL, error));
    mcd_section_name(name, "kept", metric, by, "companion");
    if (has_companion) MCD_TRY(MCD_SECTION(engine, name, out->companion, count, NULL, error));

    const mcd_check check = check_of(engine, error);
    return is_trusted(engine) ? MACADAM_OK : mcd_check_search(&check, prefix, &engine->hierarchy, out, count);
}

/* Under the lock: what costs need. */
static macadam_status read_metric(macadam_engine *engine, size_t index, macadam_error *error)
{
    const bool has_companion = engine->metric_companion[index] != NULL;
    mcd_metric *metric;
    MCD_TRY(mcd_metric_new(&metric, &engine->hierarchy, &engine->graph, error));
    for (int direction = 0; direction < 2; ++direction) {
        const macadam_status status =
            read_search(engine, engine->metric_name[index], (mcd_direction)direction, has_companion,
                        &metric->weights.search[direction], error);
        if (status == MACADAM_OK) continue;
        mcd_metric_leave(metric);
        return status;
    }
    metric->lacks_children = true;
    engine->metric[index] = metric;
    return MACADAM_OK;
}

/* Others may be reading the costs, but no one the top nodes. */
static macadam_status find_top_nodes(macadam_engine *engine, mcd_metric *metric, macadam_error *error)
{
    pthread_mutex_lock(&engine->lock);
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
    const mcd_check check = check_of(engine, error);
    mcd_weights *weights = &engine->metric[index]->weights;
    mcd_weights found = *weights; /* others may be reading the costs */
    char name[MCD_SECTION_NAME_BYTES];
    for (int direction = 0; direction < 2; ++direction) {
        mcd_search *search = &found.search[direction];
        mcd_section_name(name, "kept", engine->metric_name[index], mcd_direction_name[direction], "halves");
        MCD_TRY(MCD_SECTION(engine, name, search->children, search->first[engine->metadata->node_count], NULL,
                            error));
    }
    for (int direction = 0; direction < 2 && !is_trusted(engine); ++direction) {
        mcd_section_name(name, "kept", engine->metric_name[index], mcd_direction_name[direction], NULL);
        MCD_TRY(mcd_check_children(&check, name, &found, (mcd_direction)direction));
    }
    for (int direction = 0; direction < 2; ++direction)
        weights->search[direction].children = found.search[direction].children;
    engine->metric[index]->lacks_children = false;
    return MACADAM_OK;
}

/* Under the lock: a metric's quantities in use; quantity[1] is NULL without a companion. */
static macadam_status load_quantities(macadam_engine *engine, size_t index, mcd_quantity *quantity[2],
                                      macadam_error *error)
{
    size_t objective;
    const size_t companion = mcd_engine_companion(engine, index);
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[index], &objective, error));
    if (!engine->quantity[objective]) MCD_TRY(read_quantity(engine, objective, error));
    if (companion != SIZE_MAX && !engine->quantity[companion])
        MCD_TRY(read_quantity(engine, companion, error));
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

macadam_status mcd_engine_use_quantity(macadam_engine *engine, size_t index, mcd_quantity **out,
                                       macadam_error *error)
{
    *out = NULL;
    pthread_mutex_lock(&engine->lock);
    const macadam_status status = engine->quantity[index] ? MACADAM_OK : read_quantity(engine, index, error);
    if (status == MACADAM_OK) *out = mcd_quantity_use(engine->quantity[index]);
    pthread_mutex_unlock(&engine->lock);
    return status;
}

/* Under the lock: what `backend` needs of the metric. */
static macadam_status prepare_metric(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                     mcd_need need, macadam_error *error)
{
    if (!engine->metric[index]) MCD_TRY(read_metric(engine, index, error));
    if (need & MCD_NEED_WEIGHTS && !engine->metric[index]->objective)
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
                                     mcd_need need, mcd_metric **out, macadam_error *error)
{
    *out = NULL;
    if (backend->device) need = MCD_NEED_PATHS; /* a device gets everything at once */
    MCD_TRY(mcd_engine_load_hierarchy(engine, error));
    if (need & MCD_NEED_WEIGHTS) MCD_TRY(mcd_engine_load_graph(engine, error));
    pthread_mutex_lock(&engine->lock);
    macadam_status status = prepare_metric(engine, backend, index, need, error);
    if (status == MACADAM_OK) *out = mcd_metric_use(engine->metric[index]);
    pthread_mutex_unlock(&engine->lock);
    if (status || backend->device) return status;
    status = mcd_engine_ready_on_host(engine, *out, need, error);
    if (status) mcd_metric_leave(*out), *out = NULL;
    return status;
}

macadam_status mcd_engine_use_spans(macadam_engine *engine, mcd_metric *metric, size_t path_count,
                                    const mcd_spans **out, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    *out = NULL;
    pthread_mutex_lock(&engine->lock);
    const mcd_arc kept_count = metric->weights.search[MCD_FORWARD].first[engine->metadata->node_count];
    metric->path_count += path_count;
    if (!metric->spans && metric->path_count >= kept_count / KEPT_PER_PATH)
        status = engine->host->spans_new(&metric->spans, &metric->weights, &engine->parallel, error);
    *out = metric->spans;
    pthread_mutex_unlock(&engine->lock);
    return status;
}

/* ---- weights of the input arcs ---- */

static macadam_status new_arc_metric(macadam_engine *engine, size_t index, macadam_error *error)
{
    mcd_quantity *quantity[2] = {NULL, NULL};
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

/* Under the lock; others may be using what is there. */
static macadam_status prepare_arcs(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                   unsigned need, macadam_error *error)
{
    if (!engine->arc_metric[index]) MCD_TRY(new_arc_metric(engine, index, error));
    mcd_arc_metric *metric = engine->arc_metric[index];
    if (need & MCD_ARCS_BACKWARD && metric->objective)
        MCD_TRY(mcd_arc_metric_add_backward(metric, &engine->parallel, error));
    if (need & MCD_ARCS_COUPLES && metric->objective)
        MCD_TRY(mcd_arc_metric_add_couples(metric, engine->couple_high, engine->couple_low,
                                           engine->metadata->couple_count, &engine->parallel, error));
    return backend->device ? place_arcs(engine, metric, error) : MACADAM_OK;
}

macadam_status mcd_engine_use_arcs(macadam_engine *engine, const mcd_backend *backend, size_t index,
                                   unsigned need, mcd_arc_metric **out, macadam_error *error)
{
    *out = NULL;
    if (backend->device) need = MCD_ARCS_BACKWARD | MCD_ARCS_COUPLES;
    MCD_TRY(mcd_engine_load_graph(engine, error));
    if (need & MCD_ARCS_COUPLES) MCD_TRY(mcd_engine_load_couples(engine, error));
    pthread_mutex_lock(&engine->lock);
    const macadam_status status = prepare_arcs(engine, backend, index, need, error);
    if (status == MACADAM_OK) *out = mcd_arc_metric_use(engine->arc_metric[index]);
    pthread_mutex_unlock(&engine->lock);
    return status;
}

=======
>>>>>>> e728717 (edge file: one catalogue of sections, which writing, loading, saving and verifying follow)
/* ---- ids ---- */

const int64_t *macadam_engine_ids(macadam_engine *engine, macadam_error *error)
{
    if (!engine) return (void)mcd_fail(error, MACADAM_E_INVALID, "no engine"), NULL;
    return mcd_engine_load_places(engine, error) ? NULL : engine->places.id;
}

const int64_t *macadam_engine_node_ids(macadam_engine *engine, macadam_error *error)
{
    if (!engine) return (void)mcd_fail(error, MACADAM_E_INVALID, "no engine"), NULL;
    return mcd_engine_load_places(engine, error) ? NULL : engine->places.node_id;
}
