/* version.c - see version.h. It is one file, because the parts of a version change under the same locks. */
#include "engine/runtime/version.h"

#include "engine/runtime/clock.h"
#include "engine/runtime/device.h"
#include "engine/runtime/load.h"

/* The top nodes' labels take a sixth of the memory of the kept arcs' heads, depths and objectives. Twice as
 * many labels take twice as long to find; a route's cost then becomes no cheaper on New York, and a sixth
 * cheaper on NE. */
enum { KEPT_PER_LABEL = 2 };

/* Spans are made once one path has been requested for every KEPT_PER_PATH kept arcs: one path for every 120
 * (New York) to 420 (NE) of them saves as much time as the spans take to make. */
enum { KEPT_PER_PATH = 256 };

/* The labels of the top nodes over a file's kept arcs are made once one route has been requested for every 4,096 upward
 * arcs: these routes together lose about as much time without labels as the labels take to make (New York). */
enum { UP_ARCS_PER_ROUTE = 4096 };

enum {
    REPAIRED_PART = 8, /* more arcs than one in this many are not repaired */
    WORK_PER_UP_ARC = 1,
};

/* ---- versions ---- */

/* Returns whether the weights are not the file's. */
static bool is_changed(const mcd_version *version)
{
    return (version->objective && version->objective->owned) ||
           (version->companion && version->companion->owned);
}

static mcd_selector select_kept(const mcd_version *version, const macadam_engine *engine, mcd_group group,
                                int direction)
{
    return (mcd_selector){.group = group,
                          .of = engine->metric_name[version->metric],
                          .direction = (mcd_direction)direction,
                          .has_companion = engine->metric_companion[version->metric] != NULL};
}

/* No version to come has the file's kept arcs. */
static void forget_kept(const mcd_version *version)
{
    for (int i = 0; i < 4; ++i) {
        const mcd_selector selector =
            select_kept(version, version->engine, i / 2 ? MCD_GROUP_KEPT : MCD_GROUP_CHILDREN, i % 2);
        mcd_sections_forget(version->engine->file, &selector);
    }
}

static void leave_basic(mcd_version *version)
{
    mcd_basic_leave(atomic_exchange(&version->basic, NULL));
}

macadam_status mcd_version_new(mcd_version **out, macadam_engine *engine, size_t metric, mcd_array *objective,
                               mcd_array *companion, macadam_error *error)
{
    mcd_version *version;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(version, 1, error));
    atomic_init(&version->users, 1);
    version->engine = engine;
    version->metric = metric;
    version->objective = mcd_array_use(objective);
    version->companion = mcd_array_use(companion);
    version->has_new_weights = is_changed(version);
    version->weights.hierarchy = &engine->hierarchy;
    version->weights.graph = &engine->graph;
    *out = version;
    return MACADAM_OK;
}

mcd_version *mcd_version_use(mcd_version *version)
{
    if (version) atomic_fetch_add(&version->users, 1);
    return version;
}

void mcd_version_leave(mcd_version *version)
{
    if (!version || atomic_fetch_sub(&version->users, 1) > 1) return;
    if (version->has_kept && !version->kept.search[MCD_FORWARD].first) forget_kept(version);
    mcd_kept_free(&version->kept);
    mcd_touched_free(version->touched);
    if (version->weights.device) version->device->weights_free(version->weights.device);
    mcd_top_labels_free(version->top_labels);
    mcd_spans_free(version->spans);
    leave_basic(version);
    mcd_free(atomic_load(&version->closed));
    mcd_arc_weights_free(&version->arcs);
    mcd_arc_weights_free(&version->graph);
    mcd_clock_free(version->clock);
    mcd_array_leave(version->objective);
    mcd_array_leave(version->companion);
    MCD_FREE_ALL(version->key, version);
}

/* Returns whether updates have changed a quantity, or will when it is read. */
static bool is_updated(const macadam_engine *engine, size_t quantity)
{
    const mcd_array *const array = engine->quantity[quantity];
    return engine->pending[quantity].count > 0 || (array && array->owned);
}

macadam_status mcd_version_find(mcd_version **out, macadam_engine *engine, size_t metric,
                                macadam_error *error)
{
    *out = engine->version[metric];
    if (*out) return MACADAM_OK;
    MCD_TRY(mcd_version_new(out, engine, metric, NULL, NULL, error));
    engine->version[metric] = *out;
    if (metric == MCD_QUANTITY_MAX) return MACADAM_OK;
    const size_t companion = mcd_engine_companion(engine, metric);
    (*out)->has_new_weights = is_updated(engine, mcd_engine_objective(engine, metric)) ||
                              (companion != SIZE_MAX && is_updated(engine, companion));
    return MACADAM_OK;
}

/* Under the lock: uses the weights that the engine has in use, once they are read: mcd_engine_map_quantity or
 * mcd_engine_read_quantity. An update gives the version that it replaces its arrays before it does so. */
static macadam_status use_arrays(mcd_version *version, macadam_engine *engine,
                                 macadam_status (*read)(macadam_engine *, size_t, macadam_error *),
                                 macadam_error *error)
{
    const size_t objective = mcd_engine_objective(engine, version->metric),
                 companion = mcd_engine_companion(engine, version->metric);
    MCD_TRY(read(engine, objective, error));
    if (companion != SIZE_MAX) MCD_TRY(read(engine, companion, error));
    if (version->objective) return MACADAM_OK;
    if (companion != SIZE_MAX) version->companion = mcd_array_use(engine->quantity[companion]);
    version->objective = mcd_array_use(engine->quantity[objective]);
    return MACADAM_OK;
}

macadam_status mcd_version_load(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    if (version->weights.objective) return MACADAM_OK;
    MCD_TRY(use_arrays(version, engine, mcd_engine_read_quantity, error));
    version->weights.has_zero = mcd_array_zeros(version->objective) > 0;
    version->weights.companion = version->companion ? version->companion->weight : NULL;
    version->weights.objective = version->objective->weight;
    return MACADAM_OK;
}

macadam_status mcd_version_find_used(mcd_version **out, macadam_engine *engine, size_t metric,
                                     macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    MCD_TRY(mcd_version_find(out, engine, metric, error));
    return use_arrays(*out, engine, mcd_engine_map_quantity, error);
}

macadam_status mcd_version_find_loaded(mcd_version **out, macadam_engine *engine, size_t metric,
                                       macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    MCD_TRY(mcd_version_find(out, engine, metric, error));
    return mcd_version_load(*out, engine, error);
}

bool mcd_version_has_closed(const mcd_version *version)
{
    return mcd_array_closed(version->objective) > 0 ||
           (version->companion && mcd_array_closed(version->companion) > 0);
}

mcd_customize_job mcd_version_job(const mcd_version *version, const macadam_engine *engine)
{
    return (mcd_customize_job){.schedule = engine->schedule,
                               .hierarchy = &engine->hierarchy,
                               .graph = &engine->graph,
                               .objective = version->weights.objective,
                               .companion = version->weights.companion,
                               .witnesses = true,
                               .parallel = engine->parallel,
                               .progress = mcd_watch_progress()};
}

/* ---- kept arcs of the file ---- */

/* Returns whether the file has the version's kept arcs. */
static bool is_stored(const mcd_version *version, const macadam_engine *engine)
{
    const bool is_new = version->key ? is_changed(version) : version->has_new_weights;
    return !is_new && engine->is_ready;
}

static macadam_status read_search(mcd_search *out, const mcd_version *version, macadam_engine *engine,
                                  int direction, macadam_error *error)
{
    mcd_counts counts = mcd_counts_of(engine->metadata);
    char prefix[MCD_SECTION_NAME_BYTES];
    const mcd_selector selector = select_kept(version, engine, MCD_GROUP_KEPT, direction);
    MCD_TRY(mcd_engine_read(engine, &selector, &counts, out, error));
    const size_t count = counts.of[MCD_PER_KEPT_ARC];
    mcd_sections_prefix(prefix, &selector);
    if (count >= MCD_CHILD_NONE)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section %s.head has %zu arcs, more than there can be",
                        engine->file->name, prefix, count);
    if (engine->file->trust) return MACADAM_OK;
    return mcd_check_search(mcd_engine_check(engine, error), prefix, &engine->hierarchy, out, count);
}

/* Under the lock: checks all kept arcs of the file. */
static macadam_status check_kept(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    mcd_search search = {0};
    for (int direction = 0; direction < 2 && !version->is_checked; ++direction)
        MCD_TRY(read_search(&search, version, engine, direction, error));
    version->is_checked = true;
    return MACADAM_OK;
}

/* Under the lock: checks that no children of the file are damaged. */
static macadam_status sum_children(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    mcd_search search = {0};
    for (int direction = 0; direction < 2 && version->touched && !version->has_summed_children; ++direction) {
        const mcd_selector selector = select_kept(version, engine, MCD_GROUP_CHILDREN, direction);
        mcd_counts counts = mcd_counts_of(engine->metadata);
        counts.of[MCD_PER_KEPT_ARC] = version->touched->kept_count[direction];
        MCD_TRY(mcd_engine_read(engine, &selector, &counts, &search, error));
    }
    version->has_summed_children = true;
    return MACADAM_OK;
}

static macadam_status check_read(void *context, const uint64_t *children, macadam_error *error)
{
    mcd_version *const version = context;
    if (children)
        return version->has_summed_children
                   ? MACADAM_OK
                   : mcd_edge_file_touch(version->engine->file, children, sizeof *children, error);
    MCD_TRY(mcd_engine_load(version->engine, MCD_LOAD_GRAPH, error)); /* a path may be searched on the arcs */
    MCD_WATCH_HOLD(&version->engine->lock, error);
    return check_kept(version, version->engine, error);
}

/* Reads the data that costs need; if it is to be checked as it is touched, the children, too. */
static macadam_status read_kept(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    mcd_search search[2] = {{0}};
    const mcd_selector selector = select_kept(version, engine, MCD_GROUP_KEPT, MCD_FORWARD);
    MCD_TRY(mcd_touched_new(&version->touched, engine->file, &selector, &engine->hierarchy,
                            mcd_counts_of(engine->metadata), error));
    for (int direction = 0; direction < 2 && !version->touched; ++direction)
        MCD_TRY(read_search(&search[direction], version, engine, direction, error));
    for (int direction = 0; direction < 2; ++direction)
        version->weights.search[direction] =
            version->touched ? version->touched->search[direction] : search[direction];
    version->weights.checks_paths = version->touched != NULL;
    version->weights.check_read = version->touched ? check_read : NULL;
    version->weights.check_context = version;
    version->is_checked = !version->touched;
    atomic_store(&version->has_kept, true);
    return MACADAM_OK;
}

macadam_status mcd_version_touch(mcd_version *version, mcd_direction direction, mcd_node node,
                                 macadam_error *error)
{
    if (!version->touched || version->is_checked) return MACADAM_OK;
    return mcd_touched_path(version->touched, direction, node, error);
}

static macadam_status read_children(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    mcd_weights found = version->weights; /* other calls may be reading the costs */
    mcd_counts counts = mcd_counts_of(engine->metadata);
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_selector selector = select_kept(version, engine, MCD_GROUP_CHILDREN, direction);
        counts.of[MCD_PER_KEPT_ARC] = found.search[direction].first[engine->metadata->node_count];
        MCD_TRY(mcd_engine_read(engine, &selector, &counts, &found.search[direction], error));
    }
    version->weights.checks_paths = !engine->file->trust;
    for (int direction = 0; direction < 2; ++direction)
        version->weights.search[direction].children = version->routed.search[direction].children =
            found.search[direction].children;
    version->routed.checks_paths = version->weights.checks_paths;
    return MACADAM_OK;
}

/* Under the lock: checks the children of the file, which no other call follows as they are. */
static macadam_status check_children(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(sum_children(version, engine, error));
    for (int direction = 0; direction < 2 && version->weights.checks_paths && !version->has_paths;
         ++direction) {
        char prefix[MCD_SECTION_NAME_BYTES];
        const mcd_selector selector = select_kept(version, engine, MCD_GROUP_CHILDREN, direction);
        mcd_sections_prefix(prefix, &selector);
        MCD_TRY(mcd_check_children(mcd_engine_check(engine, error), prefix, &version->weights,
                                   selector.direction));
    }
    version->has_paths = true;
    return MACADAM_OK;
}

/* ---- kept arcs in the host's memory ---- */

/* Customizes, prunes and names children. */
static macadam_status customize_kept(mcd_kept *out, const mcd_version *version, const macadam_engine *engine,
                                     macadam_error *error)
{
    const mcd_customize_job job = mcd_version_job(version, engine);
    MCD_FREED_BY(mcd_custom_free) mcd_custom custom = {0};
    MCD_TRY(engine->host->customize(&custom, &job, error));
    MCD_TRY(engine->host->prune(out, &custom, &job, error));
    return engine->host->name_children(out, &custom, &job, error);
}

/* Copies the kept arcs from the device that made them; if it is lost, or there is none, customizes them on the
 * host. */
static macadam_status make_kept(mcd_kept *out, const mcd_version *version, macadam_engine *engine,
                                macadam_error *error)
{
    macadam_status status = mcd_engine_has_device(engine) && version->is_placed
                                ? version->device->weights_fetch(out, version->weights.device, error)
                                : MACADAM_E_DEVICE;
    if (status != MACADAM_E_DEVICE) return status;
    mcd_recover(error);
    mcd_kept_free(out);
    MCD_TRY(mcd_engine_load_schedule(engine, error));
    return customize_kept(out, version, engine, error);
}

/* Kept arcs, and the labels of the top nodes over them; these may be NULL. */
typedef struct pruned_arcs {
    mcd_kept kept;
    mcd_top_labels *top_labels;
} pruned_arcs;

static void free_pruned(pruned_arcs *pruned)
{
    mcd_kept_free(&pruned->kept);
    mcd_top_labels_free(pruned->top_labels);
}

/* Under update_lock: puts the kept arcs in use, unless there are some meanwhile. */
static macadam_status use_pruned(mcd_version *version, macadam_engine *engine, pruned_arcs *pruned,
                                 macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    if (!version->has_kept) {
        MCD_MOVE(version->kept, pruned->kept);
        for (int direction = 0; direction < 2; ++direction)
            version->weights.search[direction] = version->kept.search[direction];
        MCD_MOVE(version->top_labels, pruned->top_labels);
        version->weights.top_labels = version->top_labels;
        version->has_kept = true;
    }
    if (!version->has_new_weights || version->key)
        leave_basic(version); /* else the next update starts from them */
    mcd_engine_shed_schedule(engine);
    return MACADAM_OK;
}

static macadam_status lock_and_use(mcd_version *version, macadam_engine *engine, pruned_arcs *pruned,
                                   macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->update_lock, error);
    return use_pruned(version, engine, pruned, error);
}

/* One call at a time makes them, for all calls that want the same weights. */
static macadam_status keep(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_FREED_BY(free_pruned) pruned_arcs pruned = {.top_labels = NULL};
    MCD_WATCH_HOLD(&engine->customize_lock, error);
    if (version->has_kept) return MACADAM_OK;
    mcd_engine_hold_schedule(engine);
    const macadam_status status = make_kept(&pruned.kept, version, engine, error);
    --engine->basic_count;
    return status ? status : lock_and_use(version, engine, &pruned, error);
}

/* Under the lock, or while no other thread has the kept arcs. */
static macadam_status find_top_labels(mcd_top_labels **out, const mcd_weights *weights,
                                      const macadam_engine *engine, macadam_error *error)
{
    const mcd_arc kept_count = weights->search[MCD_FORWARD].first[engine->metadata->node_count];
    return engine->host->top_labels_new(out, weights, kept_count / KEPT_PER_LABEL, &engine->parallel, error);
}

/* Other calls may be using `weights`. */
static macadam_status find_top_nodes(mcd_version *version, macadam_engine *engine, const mcd_weights **out,
                                     macadam_error *error)
{
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_HIERARCHY, error));
    MCD_WATCH_HOLD(&engine->lock, error);
    if (!version->top_labels) {
        MCD_TRY(sum_children(version, engine, error));
        MCD_TRY(find_top_labels(&version->top_labels, &version->weights, engine, error));
        version->routed = version->weights;
        version->routed.top_labels = version->top_labels;
        version->routed.check_read = NULL;
        version->has_routed = true;
    }
    *out = version->has_routed ? &version->routed : &version->weights;
    return MACADAM_OK;
}

/* For a version that is loaded, wherever its weights are. */
static macadam_status prepare_kept(mcd_version *version, macadam_engine *engine, mcd_need need,
                                   const mcd_weights **out, macadam_error *error)
{
    *out = &version->weights;
    if (!version->has_kept) MCD_TRY(keep(version, engine, error));
    if (!(need & MCD_NEED_ROUTES)) return MACADAM_OK;
    const bool can_wait = is_stored(version, engine) && !version->has_routed && !(need & MCD_NEED_KEPT);
    return can_wait ? MACADAM_OK : find_top_nodes(version, engine, out, error);
}

bool mcd_version_note_routes(mcd_version *version, const macadam_engine *engine, uint64_t count)
{
    if (!is_stored(version, engine) || version->has_routed) return false;
    const uint64_t most = engine->metadata->up_arc_count / UP_ARCS_PER_ROUTE + 1,
                   before = atomic_fetch_add(&version->route_count, count);
    return before / most != (before + count) / most;
}

macadam_status mcd_version_use_spans(mcd_version *version, macadam_engine *engine, size_t path_count,
                                     const mcd_spans **out, macadam_error *error)
{
    *out = NULL;
    MCD_WATCH_HOLD(&engine->lock, error);
    const mcd_arc kept_count = version->weights.search[MCD_FORWARD].first[engine->metadata->node_count];
    version->path_count += path_count;
    mcd_spans *spans = version->spans;
    if (!spans && version->path_count >= kept_count / KEPT_PER_PATH) {
        MCD_TRY(check_children(version, engine, error));
        MCD_TRY(engine->host->spans_new(&spans, &version->weights, &engine->parallel, error));
        version->spans = spans;
    }
    *out = spans;
    return MACADAM_OK;
}

/* ---- basic weights ---- */

bool mcd_version_can_repair(const macadam_engine *engine, size_t changed_count)
{
    return changed_count < engine->metadata->arc_count / REPAIRED_PART;
}

mcd_weights mcd_version_basic_weights(const mcd_version *version, const macadam_engine *engine)
{
    return (mcd_weights){.hierarchy = &engine->hierarchy,
                         .graph = &engine->graph,
                         .objective = version->weights.objective,
                         .companion = version->weights.companion,
                         .has_zero = version->weights.has_zero};
}

macadam_status mcd_version_repair(mcd_recustomized *found, const mcd_version *version, macadam_engine *engine,
                                  const mcd_repair *repair, macadam_error *error)
{
    const mcd_weights *const from = &repair->from->weights;
    const mcd_recustomize_job job = {
        .customize = {.hierarchy = &engine->hierarchy,
                      .graph = &engine->graph,
                      .objective = version->weights.objective,
                      .companion = version->weights.companion,
                      .parallel = engine->parallel,
                      .progress = mcd_watch_progress()},
        .old_objective = from->objective,
        .old_companion = from->companion,
        .base = from->search,
        .changed = repair->changed,
        .changed_count = repair->changed_count,
        .work_max = engine->metadata->up_arc_count * WORK_PER_UP_ARC / engine->parallel.thread_count,
    };
    return engine->host->recustomize(found, &job, error);
}

/* Conditions and another call may make them concurrently. */
static void put_basic(mcd_version *version, mcd_basic *basic)
{
    mcd_basic *none = NULL;
    if (!atomic_compare_exchange_strong(&version->basic, &none, basic)) mcd_basic_leave(basic);
}

/* Makes the basic weights of a version by a repair, unless that takes long: of those of `replaced`, if there is such a version and
 * no call uses it, where they are. */
static macadam_status repair_basic(mcd_version *version, mcd_version *replaced, macadam_engine *engine,
                                   const mcd_repair *repair, macadam_error *error)
{
    MCD_FREED_BY(mcd_recustomized_free) mcd_recustomized found = {.count = 0};
    mcd_basic *basic;
    if (!mcd_version_can_repair(engine, repair->changed_count)) return MACADAM_OK;
    MCD_TRY(mcd_version_repair(&found, version, engine, repair, error));
    if (!found.is_complete) return MACADAM_OK;
    const mcd_weights weights = mcd_version_basic_weights(version, engine);
    if (replaced && atomic_load(&replaced->users) == 1 && mcd_basic_is_free(replaced->basic)) {
        basic = atomic_exchange(&replaced->basic, NULL);
        mcd_basic_change(basic, &weights, &found, &engine->parallel);
    } else {
        MCD_TRY(mcd_basic_copy(&basic, repair->from, &weights, &found, &engine->parallel, error));
    }
    put_basic(version, basic);
    return MACADAM_OK;
}

/* Maps the basic weights of the file's weights. */
static macadam_status read_basic(mcd_basic **out, const mcd_version *version, macadam_engine *engine,
                                 macadam_error *error)
{
    const size_t companion = mcd_engine_companion(engine, version->metric);
    const mcd_selector selector = {.group = MCD_GROUP_BASIC, .of = engine->metric_name[version->metric]};
    mcd_weights weights = mcd_version_basic_weights(version, engine);
    mcd_counts counts = mcd_counts_of(engine->metadata);
    const mcd_weight *arrays;
    MCD_WATCH_HOLD(&engine->lock, error);
    MCD_TRY(mcd_engine_file_weights(engine, mcd_engine_objective(engine, version->metric), &weights.objective,
                                    error));
    if (companion != SIZE_MAX) MCD_TRY(mcd_engine_file_weights(engine, companion, &weights.companion, error));
    counts.of[MCD_PER_BASIC] = mcd_basic_words(&weights) * engine->metadata->up_arc_count;
    MCD_TRY(mcd_engine_read(engine, &selector, &counts, &arrays, error));
    return mcd_basic_new(out, arrays, NULL, &engine->file->mapping, &weights, &engine->basic_count, error);
}

MCD_DEFINE_FREE_AT(free_basic, mcd_basic, mcd_basic_leave)

static bool has_same_changes(const mcd_array *a, const mcd_array *b)
{
    return a->changed_count == b->changed_count &&
           memcmp(a->changed, b->changed, a->changed_count * sizeof *a->changed) == 0;
}

/* Returns the array that notes the arcs whose weights are not the file's, after a first update of the engine. NULL: none does. */
static const mcd_array *noted_change(const mcd_version *version, const mcd_weights *file)
{
    const mcd_array *const array[] = {version->objective, version->companion};
    const mcd_weight *const of_file[] = {file->objective, file->companion};
    const mcd_array *noted = NULL;
    for (size_t i = 0; i < 2; ++i) {
        if (!array[i] || array[i]->weight == of_file[i]) continue;
        const bool is_noted = array[i]->last && array[i]->last->weight == of_file[i] && array[i]->changed;
        if (!is_noted || (noted && !has_same_changes(noted, array[i]))) return NULL;
        noted = array[i];
    }
    return noted;
}

/* Under update_lock: makes those of a version from the file's, if it has some and little differs. */
static macadam_status vary_stored(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_FREED_BY(free_basic) mcd_basic *stored = NULL;
    MCD_OWNED uint32_t *changed = NULL;
    size_t count;
    if (!mcd_engine_stores_basic(engine, version->metric)) return MACADAM_OK;
    MCD_TRY(read_basic(&stored, version, engine, error));
    if (!is_changed(version)) {
        put_basic(version, stored);
        stored = NULL;
        return MACADAM_OK;
    }
    const mcd_weights *const file = &stored->weights;
    const mcd_array *const noted = noted_change(version, file);
    if (!noted) MCD_TRY(mcd_arc_weights_changed(&changed, &count, file, &version->weights, error));
    const mcd_repair repair = {stored, noted ? noted->changed : changed,
                               noted ? noted->changed_count : count};
    return repair_basic(version, NULL, engine, &repair, error);
}

/* Under update_lock, or customize_lock and with the schedule held. */
static macadam_status customize_basic(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_FREED_BY(mcd_custom_free) mcd_custom custom = {0};
    mcd_basic *basic;
    mcd_weight *arrays;
    MCD_TRY(mcd_engine_load_schedule(engine, error));
    mcd_customize_job job = mcd_version_job(version, engine);
    job.witnesses = false;
    MCD_TRY(engine->host->customize(&custom, &job, error));
    const mcd_weights weights = mcd_version_basic_weights(version, engine);
    MCD_TRY(MCD_NEW(arrays, mcd_basic_words(&weights) * mcd_basic_arcs(&weights), error));
    mcd_basic_spread(arrays, &weights, custom.cost, NULL, 0, &engine->parallel);
    MCD_TRY(mcd_basic_new(&basic, arrays, arrays, NULL, &weights, &engine->basic_count, error));
    put_basic(version, basic);
    return MACADAM_OK;
}

macadam_status mcd_version_make_basic(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(vary_stored(version, engine, error));
    return version->basic ? MACADAM_OK : customize_basic(version, engine, error);
}

/* Under update_lock: makes the basic weights of a version from those of another one, which may lack them, unless so much differs
 * that this takes long. Takes them over if `from` gives them, and no other call uses it. */
static macadam_status vary(mcd_version *version, mcd_version *from, bool gives, macadam_engine *engine,
                           macadam_error *error)
{
    MCD_OWNED uint32_t *changed = NULL;
    mcd_repair repair;
    MCD_TRY(
        mcd_arc_weights_changed(&changed, &repair.changed_count, &from->weights, &version->weights, error));
    if (!mcd_version_can_repair(engine, repair.changed_count)) return MACADAM_OK;
    if (!from->basic) MCD_TRY(mcd_version_make_basic(from, engine, error));
    repair.from = from->basic, repair.changed = changed;
    return repair_basic(version, gives ? from : NULL, engine, &repair, error);
}

/* Makes the basic weights of a version under conditions, by repair of those of the version in use if that is fast. That
 * version lacks them if no query and no update has needed them. */
static macadam_status vary_basic(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    mcd_version *from;
    MCD_WATCH_HOLD(&engine->update_lock, error);
    if (version->has_kept || version->basic) return MACADAM_OK;
    MCD_TRY(mcd_version_find_loaded(&from, engine, version->metric, error));
    MCD_TRY(vary(version, from, false, engine, error));
    return version->basic ? MACADAM_OK : mcd_version_make_basic(version, engine, error);
}

/* If an update has replaced a version: makes the basic weights of the one that lacks them of those of the other. */
static macadam_status pass_on(mcd_version *version, bool gives, macadam_engine *engine, macadam_error *error)
{
    mcd_version *in_use;
    MCD_WATCH_HOLD(&engine->update_lock, error);
    MCD_TRY(mcd_version_find_loaded(&in_use, engine, version->metric, error));
    if (in_use == version) return MACADAM_OK;
    if (!version->basic) return in_use->basic ? vary(version, in_use, false, engine, error) : MACADAM_OK;
    if (in_use->has_kept || in_use->basic || in_use->is_placed) return MACADAM_OK;
    return vary(in_use, version, gives, engine, error);
}

static macadam_status vary_stored_beside(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->update_lock, error);
    return version->basic ? MACADAM_OK : vary_stored(version, engine, error);
}

/* Makes them while updates go on. Those of the version that is in use at the end are then made, too, or by the question that
 * needs them. */
static macadam_status make_beside_updates(mcd_version *version, bool gives, macadam_engine *engine,
                                          macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->customize_lock, error);
    if (version->has_kept || version->basic) return MACADAM_OK;
    MCD_TRY(pass_on(version, gives, engine, error));
    if (!version->basic) MCD_TRY(vary_stored_beside(version, engine, error));
    if (version->basic) return MACADAM_OK;
    mcd_engine_hold_schedule(engine);
    const macadam_status status = customize_basic(version, engine, error);
    --engine->basic_count;
    if (!status) (void)pass_on(version, gives, engine, NULL);
    return status;
}

static macadam_status load_weights(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    return mcd_version_load(version, engine, error);
}

macadam_status mcd_version_add_basic(mcd_version *version, bool gives, macadam_engine *engine,
                                     macadam_error *error)
{
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_UPWARD, error));
    MCD_TRY(load_weights(version, engine, error));
    if (version->key) return vary_basic(version, engine, error);
    return make_beside_updates(version, gives, engine, error);
}

void mcd_version_trim(mcd_version *version)
{
    if (!version->basic) return;
    mcd_array_forget_last(version->basic->arrays);
    if (!is_changed(version) || version->has_kept) leave_basic(version);
}

/* ---- what queries need ---- */

/* Under the lock: places a loaded version on the device, which customizes it if the host has no kept arcs. */
static macadam_status place(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    if (version->weights.device) return MACADAM_OK;
    MCD_TRY(mcd_engine_place_map(engine, error));
    version->device = engine->backend->device;
    mcd_renew_job job = {.customize = mcd_version_job(version, engine)};
    job.customize.progress = (mcd_progress){NULL, NULL}; /* it is short, and the lock is held */
    MCD_TRY(version->has_kept
                ? version->device->weights_new(&version->weights.device, engine->device_map,
                                               &version->weights, error)
                : version->device->weights_renew(&version->weights.device, engine->device_map, &job, error));
    version->is_placed = true;
    return MACADAM_OK;
}

/* Loads the data of the version that `backend` needs. */
static macadam_status prepare(mcd_version *version, macadam_engine *engine, const mcd_backend *backend,
                              mcd_need need, macadam_error *error)
{
    const bool wants_paths = (need & MCD_NEED_PATHS) == MCD_NEED_PATHS;
    MCD_WATCH_HOLD(&engine->lock, error);
    if (!version->has_kept && is_stored(version, engine)) MCD_TRY(read_kept(version, engine, error));
    if (version->touched && (need & (MCD_NEED_TOUCHED | MCD_NEED_KEPT)) != MCD_NEED_TOUCHED)
        MCD_TRY(check_kept(version, engine, error));
    if (need & MCD_NEED_WEIGHTS || !version->has_kept) MCD_TRY(mcd_version_load(version, engine, error));
    if (wants_paths && version->has_kept && !version->weights.search[MCD_FORWARD].children &&
        is_stored(version, engine))
        MCD_TRY(read_children(version, engine, error));
    if (!backend->device) return MACADAM_OK;
    MCD_TRY(check_children(version, engine, error));
    return place(version, engine, error);
}

macadam_status mcd_version_prepare(mcd_version *version, macadam_engine *engine, const mcd_backend *backend,
                                   mcd_need need, macadam_error *error)
{
    if (backend->device) need = MCD_NEED_PATHS; /* a device gets everything together */
    MCD_TRY(mcd_engine_load(engine, backend->device ? MCD_LOAD_HIERARCHY : MCD_LOAD_TREE, error));
    MCD_TRY(prepare(version, engine, backend, need, error));
    const mcd_weights *kept;
    return backend->device ? MACADAM_OK : prepare_kept(version, engine, need | MCD_NEED_KEPT, &kept, error);
}

/* Uses the basic weights of a version if it has some, and no kept arcs. */
static macadam_status use_basic(mcd_version *version, macadam_engine *engine, const mcd_weights **out,
                                mcd_basic **basic, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    if (version->has_kept || !version->basic) return MACADAM_OK;
    *basic = mcd_basic_use(version->basic);
    *out = &(*basic)->weights;
    return MACADAM_OK;
}

macadam_status mcd_version_use_weights(mcd_version *version, macadam_engine *engine, mcd_need need,
                                       const mcd_weights **out, mcd_basic **basic, macadam_error *error)
{
    *out = &version->weights;
    *basic = NULL;
    if (need & MCD_NEED_ROUTES) version->wants_top_labels = true;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_TREE, error));
    MCD_TRY(prepare(version, engine, engine->host, need, error));
    const bool is_elsewhere = version->is_placed && !version->basic; /* a device has the kept arcs */
    if (!version->has_kept && !(need & MCD_NEED_KEPT) && !is_elsewhere) {
        if (!version->basic) MCD_TRY(mcd_version_add_basic(version, false, engine, error));
        MCD_TRY(use_basic(version, engine, out, basic, error));
        if (*basic) return MACADAM_OK;
    }
    return prepare_kept(version, engine, need, out, error);
}

/* Another call may be putting the same kept arcs in use: of version->weights, only the input weights are constant. */
static macadam_status make_pruned(pruned_arcs *out, const mcd_version *version, const mcd_basic *basic,
                                  macadam_engine *engine, macadam_error *error)
{
    mcd_weights weights = basic->weights;
    weights.is_basic = false;
    MCD_TRY(mcd_engine_load_schedule(engine, error)); /* which the basic weights hold */
    MCD_TRY(customize_kept(&out->kept, version, engine, error));
    if (!version->wants_top_labels) return MACADAM_OK;
    memcpy(weights.search, out->kept.search, sizeof weights.search);
    return find_top_labels(&out->top_labels, &weights, engine, error);
}

macadam_status mcd_version_prune(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_FREED_BY(free_pruned) pruned_arcs pruned = {.top_labels = NULL};
    const mcd_weights *weights;
    mcd_basic *basic;
    MCD_TRY(mcd_version_use_weights(version, engine, MCD_NEED_BASIC, &weights, &basic, error));
    if (!basic) return mcd_version_prepare(version, engine, engine->host, MCD_NEED_PATHS, error);
    const macadam_status status = make_pruned(&pruned, version, basic, engine, error);
    mcd_basic_leave(basic); /* the schedule lasted as long */
    MCD_TRY(status);
    MCD_WATCH_HOLD(&engine->update_lock, error);
    return use_pruned(version, engine, &pruned, error);
}

bool mcd_version_should_search(const mcd_version *version, const macadam_engine *engine)
{
    enum {
        ROUNDS = 4,         /* nodes that searches settle, for each node of the map ... */
        COMING_ROUNDS = 16, /* ... while a thread makes basic weights; a child process does not have it */
    };
    const uint64_t rounds = version->is_coming ? COMING_ROUNDS : ROUNDS;
    return engine->metadata->has_hierarchy /* else the query fails, and says so */ && !version->has_kept &&
           !version->basic && !is_stored(version, engine) &&
           version->settled_count < rounds * engine->metadata->node_count &&
           !(engine->file->trust && mcd_engine_stores_basic(engine, version->metric));
}

macadam_status mcd_version_prepare_search(mcd_version *version, macadam_engine *engine, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    return use_arrays(version, engine, mcd_engine_read_quantity, error);
}

macadam_status mcd_version_prepare_arcs(mcd_version *version, macadam_engine *engine,
                                        const mcd_backend *backend, bool has_weights, unsigned need,
                                        const mcd_arcs **out, macadam_error *error)
{
    if (backend->device) need = MCD_ARCS_BACKWARD | MCD_ARCS_COUPLES; /* a device gets everything together */
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_GRAPH, error));
    if (need & MCD_ARCS_COUPLES) MCD_TRY(mcd_engine_load(engine, MCD_LOAD_COUPLES, error));
    mcd_arc_weights *const arcs = has_weights ? &version->arcs : &version->graph;
    *out = &arcs->arcs;
    MCD_WATCH_HOLD(&engine->lock, error); /* other calls may be using the existing arrays */
    const bool is_plain = version->metric == MCD_QUANTITY_MAX;
    if (!is_plain) MCD_TRY(use_arrays(version, engine, mcd_engine_read_quantity, error));
    if (!arcs->arcs.graph && !has_weights && version->key)
        MCD_TRY(mcd_arc_weights_make_open(arcs, &engine->graph, version->objective->weight, error));
    if (!arcs->arcs.graph)
        MCD_TRY(mcd_arc_weights_make(arcs, &engine->graph, has_weights ? version->objective->weight : NULL,
                                     version->companion ? version->companion->weight : NULL, error));
    if (need & MCD_ARCS_BACKWARD) MCD_TRY(mcd_arc_weights_add_backward(arcs, &engine->parallel, error));
    if (need & MCD_ARCS_COUPLES)
        MCD_TRY(mcd_arc_weights_add_couples(arcs, engine->couples.high, engine->couples.low,
                                            engine->couples.count, &engine->parallel, error));
    if (!backend->device) return MACADAM_OK;
    MCD_TRY(mcd_arc_weights_place(arcs, engine->backend->device, engine->device, error));
    *(has_weights ? &version->has_placed_arcs : &version->has_placed_graph) = true;
    return MACADAM_OK;
}

macadam_status mcd_version_prepare_clock(mcd_version *version, macadam_engine *engine,
                                         const mcd_backend *backend, macadam_error *error)
{
    if (!backend->device) return MACADAM_OK;
    MCD_WATCH_HOLD(&engine->lock, error);
    return mcd_clock_place(version->clock, engine->backend->device, engine->device, error);
}
