/* open.c - see open.h: opens and closes engines, and reports facts about them. */
#include "engine/runtime/open.h"

#include "engine/base/options.h"
#include "engine/file/mirror.h"
#include "engine/map/hierarchy.h"
#include "engine/runtime/buffer.h"
#include "engine/runtime/kept_memory.h"
#include "engine/runtime/load.h"
#include "engine/runtime/conditions.h"

#define STRINGIFY_(x) #x
#define STRINGIFY(x)  STRINGIFY_(x)

const char *macadam_version(void)
{
    return STRINGIFY(MACADAM_VERSION_MAJOR) "." STRINGIFY(MACADAM_VERSION_MINOR) "." STRINGIFY(
        MACADAM_VERSION_PATCH);
}

/* ---- opening ---- */

static void name_quantities(macadam_engine *engine)
{
    const mcd_metadata *metadata = engine->metadata;
    for (size_t q = 0; q < metadata->n_quantity; ++q) {
        engine->quantity_name[q] = metadata->quantity[q]->name;
        engine->quantity_unit[q] = metadata->quantity[q]->unit;
        engine->has_potential[q] = mcd_sections_exist(
            engine->file, &(mcd_selector){.group = MCD_GROUP_POTENTIAL, .of = engine->quantity_name[q]});
    }
    for (size_t m = 0; m < metadata->n_metric; ++m) {
        const char *companion = metadata->metric[m]->companion;
        engine->metric_name[m] = metadata->metric[m]->objective;
        engine->metric_companion[m] = *companion ? companion : NULL;
    }
    engine->is_ready = mcd_sections_exist(
        engine->file, &(mcd_selector){.group = MCD_GROUP_KEPT, .of = engine->metric_name[0]});
}

/* Reads the names of all profiles, and the metadata of one: of the first if none is named. */
static macadam_status choose_profile(macadam_engine *engine, const char *wanted, macadam_error *error)
{
    engine->profile_count = mcd_edge_file_profile_count(engine->file);
    size_t chosen = 0;
    for (size_t profile = 0; profile < engine->profile_count; ++profile) {
        engine->file->profile = profile;
        MCD_TRY(mcd_metadata_read(&engine->profile[profile], engine->file, error));
        engine->profile_name[profile] = engine->profile[profile]->profile;
        MCD_TRY(mcd_engine_find_profile(engine, engine->profile_name[profile], &chosen, error));
        if (chosen != profile)
            return mcd_fail(error, MACADAM_E_FILE, "%s: profiles %zu and %zu have the same name",
                            engine->file->name, chosen, profile);
    }
    chosen = 0;
    if (wanted) MCD_TRY(mcd_engine_find_profile(engine, wanted, &chosen, error));
    engine->file->profile = chosen;
    engine->metadata = engine->profile[chosen];
    return MACADAM_OK;
}

static macadam_status read_header(macadam_engine *engine, const mcd_file_source *source,
                                  const macadam_engine_options *options, macadam_error *error)
{
    MCD_WATCHED(watch, &engine->progress, "opening");
    MCD_TRY(mcd_edge_file_open(&engine->file, source, options->trust_file, &engine->parallel, error));
    MCD_TRY(choose_profile(engine, options->profile, error));
    return mcd_sections_confirm(engine->file, engine->metadata, error);
}

MCD_DEFINE_FREE_AT(close_at, macadam_engine, macadam_engine_close)

static macadam_status open_engine(macadam_engine **out, mcd_file_source source,
                                  const macadam_engine_options *options, macadam_error *error)
{
    macadam_engine_options own = MACADAM_ENGINE_OPTIONS_INIT;
    if (options) MCD_TRY(mcd_options_adopt(&own, sizeof own, options, "engine options", error));
    if (own.executor && !own.executor->run)
        return mcd_fail_invalid(error, "the executor has no run function");
    source.copies = own.read_file;
    MCD_FREED_BY(close_at) macadam_engine *engine = NULL;
    MCD_TRY(MCD_NEW_ZEROED(engine, 1, error));
    if (own.executor) engine->executor = *own.executor;
    engine->parallel = mcd_parallel_of(own.threads, own.executor ? &engine->executor : NULL);
    const uint64_t machine = mcd_platform_memory_bytes();
    const uint64_t most = machine ? machine / 4 * 3 : UINT64_MAX;
    engine->memory_limit = own.memory_limit;
    engine->progress = (mcd_progress){own.progress, own.progress_context};
    mcd_scratch_init(&engine->scratch, own.memory_limit ? own.memory_limit : most);
    mcd_idle_init(&engine->idle);
    mcd_idle_init(&engine->dispatch.beside);
    engine->dispatch.beside.after_ms = 0;
    pthread_mutex_init(&engine->dispatch.lock, NULL);
    pthread_mutex_init(&engine->lock, NULL);
    pthread_mutex_init(&engine->update_lock, NULL);
    pthread_mutex_init(&engine->customize_lock, NULL);
    pthread_mutex_init(&engine->schedule_lock, NULL);
    pthread_mutex_init(&engine->buffer_lock, NULL);
    pthread_mutex_init(&engine->known_roads.lock, NULL);
    pthread_mutex_init(&engine->sibling_lock, NULL);
    if (own.device && !(engine->device_wanted = mcd_duplicate(own.device)))
        return mcd_fail_memory(error, strlen(own.device) + 1);
    MCD_TRY(mcd_engine_choose_device(engine, own.device, error));
    MCD_TRY(read_header(engine, &source, &own, error));
    name_quantities(engine);
    return MCD_MOVE(*out, engine);
}

macadam_status macadam_engine_open(macadam_engine **out, const char *path,
                                   const macadam_engine_options *options, macadam_error *error)
{
    MCD_TRY(mcd_answer_clear(out, "engine", error));
    if (!path) return mcd_fail_invalid(error, "no path");
    return open_engine(out, (mcd_file_source){.path = path}, options, error);
}

macadam_status macadam_engine_open_memory(macadam_engine **out, const void *memory, size_t bytes,
                                          const macadam_engine_options *options, macadam_error *error)
{
    MCD_TRY(mcd_answer_clear(out, "engine", error));
    if (!memory) return mcd_fail_invalid(error, "no memory to open");
    if (bytes > PTRDIFF_MAX)
        return mcd_fail_invalid(error, "%zu bytes are more than an array can hold", bytes);
    return open_engine(out, (mcd_file_source){.memory = memory, .bytes = bytes}, options, error);
}

static macadam_engine_options options_of(const macadam_engine *engine, const char *profile)
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.threads = engine->parallel.thread_count;
    options.executor = engine->parallel.executor;
    options.profile = profile;
    options.progress = engine->progress.call, options.progress_context = engine->progress.context;
    return options;
}

macadam_status mcd_engine_open_again(macadam_engine **out, const macadam_engine *engine, const char *profile,
                                     macadam_error *error)
{
    *out = NULL;
    macadam_engine_options options = options_of(engine, profile);
    options.device = "cpu";
    return open_engine(out, (mcd_file_source){.open = engine->file}, &options, error);
}

/* Closes an engine, and its siblings. */
static void close_engine(macadam_engine *engine)
{
    for (size_t i = 0; i < MCD_PROFILES_MAX; ++i)
        if (engine->sibling[i]) close_engine(engine->sibling[i]);
    engine->dispatch.is_closing = true;
    mcd_idle_end(&engine->dispatch.beside);
    mcd_version_leave(engine->dispatch.wanted);
    mcd_idle_end(&engine->idle);
    mcd_engine_forget_versions(engine);
    for (size_t i = 0; i <= MCD_QUANTITY_MAX; ++i) mcd_version_leave(engine->version[i]);
    for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i) {
        mcd_array_leave(engine->quantity[i]);
        MCD_FREE_ALL(engine->prices[i].set, engine->pending[i].change);
    }
    if (engine->schedule) engine->host->schedule_free(engine->schedule);
    mcd_arc_index_free(&engine->arc_index);
    mcd_way_arcs_free(&engine->way_arcs);
    mcd_patterns_free(&engine->patterns);
    mcd_scratch_destroy(&engine->scratch); /* its blocks may be the device's, as may those of the callers */
    if (engine->owns_reverse) MCD_FREE_ALL(engine->graph.first_in, engine->graph.tail, engine->graph.in_arc);
    mcd_free(engine->has_checked_arrivals);
    mcd_hierarchy_free(engine->made_hierarchy);
    mcd_free(engine->made_up_depth);
    mcd_couples_free(&engine->couples);
    mcd_components_free(&engine->components);
    mcd_snap_lines_free(&engine->snap);
    mcd_known_roads_trim(&engine->known_roads);
    mcd_engine_free_buffers(engine);
    mcd_engine_close_device(engine);
    for (size_t i = 0; i < engine->profile_count; ++i) mcd_metadata_free(engine->profile[i]);
    mcd_edge_file_close(engine->file);
    pthread_mutex_destroy(&engine->lock);
    pthread_mutex_destroy(&engine->update_lock);
    pthread_mutex_destroy(&engine->customize_lock);
    pthread_mutex_destroy(&engine->schedule_lock);
    pthread_mutex_destroy(&engine->buffer_lock);
    pthread_mutex_destroy(&engine->known_roads.lock);
    pthread_mutex_destroy(&engine->sibling_lock);
    pthread_mutex_destroy(&engine->dispatch.lock);
    mcd_free(engine->device_wanted);
    mcd_junctions_free(&engine->junctions);
    mcd_free(engine->unindexed.piece);
    MCD_FREE_ALL(engine->road_facts, engine->made_original);
    mcd_opposites_free(&engine->opposites);
    mcd_own_facts_free(&engine->own_facts);
    for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) mcd_free(engine->own_weight[q]);
    mcd_free(engine->node_id);
    if (engine->owns_places) mcd_places_free(&engine->places);
    mcd_free(engine);
}

void macadam_engine_close(macadam_engine *engine)
{
    if (engine && !engine->eldest) close_engine(engine);
}

/* ---- profiles ---- */

macadam_status mcd_engine_sibling(macadam_engine *engine, size_t profile, macadam_engine **out,
                                  macadam_error *error)
{
    macadam_engine *const eldest = mcd_engine_eldest(engine);
    *out = profile == eldest->file->profile ? eldest : NULL;
    if (*out) return MACADAM_OK;
    MCD_HOLD(&eldest->sibling_lock);
    macadam_engine **const sibling = &eldest->sibling[profile];
    if (!*sibling) {
        macadam_engine_options options = options_of(eldest, eldest->profile_name[profile]);
        options.device = eldest->device_wanted;
        options.memory_limit = eldest->memory_limit;
        options.trust_file = eldest->file->trust;
        MCD_TRY(open_engine(sibling, (mcd_file_source){.open = eldest->file}, &options, error));
        (*sibling)->eldest = eldest;
    }
    *out = *sibling;
    return MACADAM_OK;
}

macadam_status macadam_engine_of_profile(macadam_engine **out, macadam_engine *engine, const char *profile,
                                         macadam_error *error)
{
    size_t index;
    MCD_TRY(mcd_answer_clear(out, "engine", error));
    if (!engine) return mcd_fail_invalid(error, "no engine");
    if (!profile) return mcd_fail_invalid(error, "no profile is named");
    MCD_TRY(mcd_engine_find_profile(engine, profile, &index, error));
    return mcd_engine_sibling(engine, index, out, error);
}

macadam_status mcd_engine_of_query(macadam_engine **engine, const macadam_query *query, macadam_error *error)
{
    macadam_query own = MACADAM_QUERY_INIT;
    if (!*engine) return mcd_fail_invalid(error, "no engine");
    if (!query) return MACADAM_OK;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, query, "query", error));
    return own.profile ? macadam_engine_of_profile(engine, *engine, own.profile, error) : MACADAM_OK;
}

bool mcd_query_has_clock(const macadam_query *given)
{
    return given && given->size >= offsetof(macadam_query, clock) + sizeof given->clock && given->clock;
}

macadam_status mcd_query_refuse_clock(const macadam_query *given, const char *question, const char *reason,
                                      macadam_error *error)
{
    return mcd_query_has_clock(given)
               ? mcd_fail(error, MACADAM_E_UNSUPPORTED, "a %s takes no clock: %s", question, reason)
               : MACADAM_OK;
}

macadam_status mcd_request_begin(macadam_engine **engine, const macadam_query *query, void *own,
                                 size_t own_size, const void *request, const char *what, macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(engine, query, error));
    return mcd_options_adopt(own, own_size, request, what, error);
}

/* ---- facts ---- */

macadam_status macadam_engine_info(macadam_info *out, const macadam_engine *engine, macadam_error *error)
{
    macadam_info known = MACADAM_INFO_INIT;
    if (!engine) return mcd_fail_invalid(error, "no engine");
    MCD_TRY(mcd_options_adopt(&known, sizeof known, out, "info", error)); /* checks the caller's size */
    const mcd_metadata *metadata = engine->metadata;
    const mcd_held held = mcd_engine_held((macadam_engine *)engine);
    const char *device, *reason;
    do { /* a device may open meanwhile */
        device = mcd_engine_device_name(engine);
        reason = mcd_engine_device_reason(engine);
    } while (device != mcd_engine_device_name(engine));
    const macadam_info info = {
        .size = known.size,
        .file_format = MACADAM_FILE_FORMAT,
        .file_bytes = engine->file->bytes,
        .source = metadata->source,
        .profile = metadata->profile,
        .build = metadata->build,
        .device = device,
        .id_count = metadata->id_count,
        .node_count = metadata->node_count,
        .arc_count = metadata->arc_count,
        .component_count = metadata->junction_component_count ? metadata->junction_component_count
                                                              : metadata->component_count,
        .restriction_count = metadata->restriction_count,
        .up_arc_count = metadata->up_arc_count,
        .height = metadata->height,
        .has_coordinates = mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_COORDINATES}),
        .has_heights = mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_HEIGHTS}),
        .has_node_ids = mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_SHAPE_IDS}),
        .has_geometry = mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_SHAPES}),
        .west = metadata->west_e7 / 1e7,
        .south = metadata->south_e7 / 1e7,
        .east = metadata->east_e7 / 1e7,
        .north = metadata->north_e7 / 1e7,
        .is_signed = engine->has_potential,
        .profile_count = engine->profile_count,
        .profiles = engine->profile_name,
        .quantity_count = metadata->n_quantity,
        .quantity = engine->quantity_name,
        .unit = engine->quantity_unit,
        .metric_count = metadata->n_metric,
        .metric = engine->metric_name,
        .companion = engine->metric_companion,
        .device_reason = reason,
        .device_bytes = held.in_use,
        .idle_device_bytes = held.idle,
        .idle_host_bytes = held.host,
    };
    memcpy(out, &info, known.size);
    return MACADAM_OK;
}

/* ---- ids ---- */

macadam_status mcd_engine_find_ids(macadam_engine *engine, bool by_node, const int64_t **out,
                                   macadam_error *error)
{
    *out = NULL;
    if (!engine) return mcd_fail_invalid(error, "no engine");
    MCD_WATCHED(watch, &engine->progress, "loading");
    MCD_TRY(mcd_engine_load(engine, by_node ? MCD_LOAD_NODE_IDS : MCD_LOAD_PLACES, error));
    *out = by_node ? engine->node_id : engine->places.id;
    return MACADAM_OK;
}

const int64_t *macadam_engine_ids(macadam_engine *engine, macadam_error *error)
{
    const int64_t *id;
    (void)mcd_engine_find_ids(engine, false, &id, error);
    return id;
}

const int64_t *macadam_engine_node_ids(macadam_engine *engine, macadam_error *error)
{
    const int64_t *id;
    (void)mcd_engine_find_ids(engine, true, &id, error);
    return id;
}
