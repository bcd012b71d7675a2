/* kept_memory.c - see kept_memory.h. */
#include "engine/runtime/kept_memory.h"

#include "engine/base/system/pages.h"
#include "engine/runtime/device.h"
#include "engine/runtime/conditions.h"
#include "engine/runtime/load.h"

/* An idle engine may keep so much. */
enum { KEPT_BYTES = 64 << 20 };

mcd_held mcd_engine_held(macadam_engine *engine)
{
    mcd_held held = {.host = mcd_scratch_kept(&engine->scratch)};
    if (!mcd_engine_has_device(engine)) return held;
    const mcd_device_memory device = engine->backend->device->held(engine->device);
    held.in_use = device.in_use;
    held.idle = device.idle;
    held.host += device.pinned;
    return held;
}

static void trim(void *context)
{
    macadam_engine *const engine = context;
    mcd_version_leave(atomic_exchange(&engine->dispatch.wanted, NULL));
    mcd_scratch_trim(&engine->scratch);
    mcd_known_roads_trim(&engine->known_roads);
    if (pthread_mutex_trylock(&engine->update_lock) == 0) { /* else an update is using them */
        pthread_mutex_lock(&engine->lock);
        for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i) {
            if (engine->quantity[i]) mcd_array_forget_last(engine->quantity[i]);
            if (engine->version[i]) mcd_version_trim(engine->version[i]);
        }
        if (engine->user_count == 0) {
            mcd_junctions_free(&engine->junctions);
            engine->is_loaded[MCD_LOAD_JUNCTIONS] = false;
            mcd_snap_lines_free(&engine->snap);
            if (engine->snap.piece_count > 0) /* without memory, searches keep none */
                (void)mcd_snap_lines_new(&engine->snap, NULL);
            mcd_engine_forget_snap(engine);
        }
        mcd_arc_index_free(&engine->arc_index);
        engine->is_loaded[MCD_LOAD_INDEX] = false;
        mcd_way_arcs_free(&engine->way_arcs);
        mcd_engine_shed_schedule(engine);
        pthread_mutex_unlock(&engine->lock);
        pthread_mutex_unlock(&engine->update_lock);
    }
    if (mcd_engine_has_device(engine)) engine->backend->device->trim(engine->device, 0);
}

static void forget_file(const mcd_edge_file *file)
{
    if (!file->is_copied && file->mapping.data) mcd_platform_forget(&file->mapping, 0, file->mapping.bytes);
}

macadam_status macadam_engine_trim(macadam_engine *engine, macadam_error *error)
{
    if (!engine) return mcd_fail_invalid(error, "no engine");
    forget_file(engine->file);
    for (size_t profile = 0; profile < engine->profile_count; ++profile) {
        macadam_engine *const open = mcd_engine_open_sibling(engine, profile);
        if (!open) continue;
        mcd_engine_forget_versions(open);
        trim(open);
    }
    return MACADAM_OK;
}

static void trim_idle(macadam_engine *engine)
{
    const mcd_held held = mcd_engine_held(engine);
    if (held.idle + held.host > KEPT_BYTES) trim(engine);
}

/* ---- weights ---- */

typedef struct beside_work {
    mcd_version *version;
    bool basic;
} beside_work;

/* Basic weights of a version that was replaced are still a beginning for those of the next one. */
static bool goes_on(void *context, MCD_UNUSED const char *phase, MCD_UNUSED uint64_t done,
                    MCD_UNUSED uint64_t total)
{
    const beside_work *const work = context;
    const mcd_dispatch *const dispatch = &work->version->engine->dispatch;
    return (atomic_load(&work->version->users) > 1 || (work->basic && !dispatch->is_outdated)) &&
           !dispatch->is_closing;
}

void mcd_engine_make_beside(macadam_engine *engine, mcd_version *version, bool basic)
{
    beside_work work = {version, basic};
    const mcd_progress progress = {goes_on, &work};
    MCD_WATCHED(watch, &progress, "pruning");
    engine->dispatch.is_outdated = false;
    const macadam_status status =
        basic ? mcd_version_add_basic(version, true, engine, NULL) : mcd_version_prune(version, engine, NULL);
    if (status && status != MACADAM_E_CANCELLED) version->is_refused = true;
}

/* Kept arcs take less memory than basic weights. These stay after an update, because the next one starts from them. */
static mcd_version *use_unpruned(macadam_engine *engine, size_t metric)
{
    mcd_version *version;
    pthread_mutex_lock(&engine->lock);
    version = engine->version[metric];
    const bool is_unpruned =
        version && version->basic && !version->has_kept && !version->has_new_weights && !version->is_refused;
    version = is_unpruned ? mcd_version_use(version) : NULL;
    pthread_mutex_unlock(&engine->lock);
    return version;
}

static void rest(void *context)
{
    macadam_engine *const engine = context;
    for (size_t i = 0; i < MCD_QUANTITY_MAX; ++i) {
        mcd_version *const version = use_unpruned(engine, i);
        if (version) mcd_engine_make_beside(engine, version, false);
        mcd_version_leave(version);
    }
    trim_idle(engine);
    if (!engine->is_ready) forget_file(engine->file); /* it is decoded */
    mcd_pages_trim();
}

/* A device's memory is only looked at when the engine is idle: to request its size takes as long as a small matrix. */
void mcd_engine_keep_memory(macadam_engine *engine)
{
    mcd_idle_use(&engine->idle);
    if (engine->memory_limit && mcd_engine_has_device(engine))
        engine->backend->device->trim(engine->device, engine->memory_limit);
    if (engine->parallel.executor || atomic_load_explicit(&engine->idle.is_watched, memory_order_relaxed))
        return; /* with the host's executor the library starts no thread: the host trims */
    if ((mcd_engine_has_device(engine) || mcd_scratch_kept(&engine->scratch) > KEPT_BYTES ||
         engine->basic_count > 0) &&
        !mcd_idle_watch(&engine->idle, rest, engine))
        trim_idle(engine);
}
