/* save.c - writes an engine's map with its current weights; sections that do not depend on changed weights
 * are copied. */
#include "engine/base/watch.h"
#include "engine/prepare/metric_write.h"
#include "engine/runtime/load.h"

#include <string.h>

typedef struct save_run {
    macadam_engine *engine;
    mcd_edge_writer *writer;
    mcd_quantity *quantity[MCD_QUANTITY_MAX]; /* in use while saving */
    bool ready;                               /* the new file has customized weights */
    mcd_watch *watch;
} save_run;

static bool is_changed(const save_run *run, size_t quantity)
{
    return quantity != SIZE_MAX && run->quantity[quantity]->owned;
}

static bool is_metric_changed(const save_run *run, size_t metric)
{
    size_t objective;
    (void)mcd_engine_find_quantity(run->engine, run->engine->metric_name[metric], &objective,
                                   NULL); /* cannot fail: the metadata is checked */
    return is_changed(run, objective) || is_changed(run, mcd_engine_companion(run->engine, metric));
}

static bool is_stale(const save_run *run, const char *name)
{
    const macadam_engine *engine = run->engine;
    bool stale = false;
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q)
        stale |= is_changed(run, q) && mcd_section_is_of_quantity(name, engine->quantity_name[q]);
    for (size_t m = 0; m < engine->metadata->n_metric; ++m)
        stale |= is_metric_changed(run, m) && mcd_section_is_of_metric(name, engine->metric_name[m]);
    return stale;
}

static macadam_status write_quantity(const save_run *run, size_t index, macadam_error *error)
{
    const macadam_engine *engine = run->engine;
    const mcd_counts counts = mcd_counts_of(engine->metadata);
    const mcd_selector selector = {.group = MCD_GROUP_WEIGHT, .of = engine->quantity_name[index]};
    return mcd_sections_write(run->writer, &selector, &counts, &run->quantity[index]->weight, error);
}

static macadam_status write_metric(const save_run *run, size_t metric, macadam_error *error)
{
    macadam_engine *engine = run->engine;
    size_t objective;
    const size_t companion = mcd_engine_companion(engine, metric);
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[metric], &objective, error));
    const mcd_customize_job job = {
        .schedule = engine->schedule,
        .hierarchy = &engine->hierarchy,
        .graph = &engine->graph,
        .objective = run->quantity[objective]->weight,
        .companion = companion == SIZE_MAX ? NULL : run->quantity[companion]->weight,
        .witnesses = true,
        .parallel = engine->parallel,
        .progress = mcd_watch_progress(),
    };
    return mcd_write_metric(run->writer, engine->metric_name[metric], &job, error);
}

/* Writes a section of the file again, unless it is stale; other profiles' are never. In a file that becomes ready, many
 * are not encoded any more. */
static macadam_status copy_section(const save_run *run, const mcd_file_section *section, macadam_error *error)
{
    mcd_edge_file *const file = run->engine->file;
    const char *const own = mcd_edge_file_own_name(file, section);
    void *data;
    if (own && is_stale(run, own)) return MACADAM_OK;
    if (!own || !run->ready || section->coding == MCD_CODING_NONE || !mcd_section_is_raw_when_ready(own))
        return mcd_edge_writer_copy(run->writer, file, section->name, error);
    MCD_TRY(mcd_edge_file_decode(file, own, &data, error));
    return mcd_edge_writer_give(run->writer, own, section->element_size, data,
                                section->bytes / section->element_size, error);
}

static macadam_status write_all(save_run *run, macadam_error *error)
{
    macadam_engine *engine = run->engine;
    bool changed = false;
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q) {
        MCD_TRY(mcd_engine_use_quantity(engine, q, &run->quantity[q], error));
        changed |= is_changed(run, q);
    }
    const mcd_file_section *section = mcd_edge_file_directory(engine->file);
    for (size_t i = 0; i < mcd_edge_file_section_count(engine->file); ++i)
        MCD_TRY(copy_section(run, &section[i], error));
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q)
        if (is_changed(run, q)) MCD_TRY(write_quantity(run, q, error));
    const bool was_ready = mcd_engine_is_ready(engine);
    if (run->ready && (changed || !was_ready)) {
        MCD_TRY(mcd_engine_load_hierarchy(engine, error));
        if (!was_ready) MCD_TRY(mcd_sections_write_hierarchy(run->writer, &engine->hierarchy, error));
        MCD_TRY(mcd_engine_load_schedule(engine, error));
        for (size_t m = 0; m < engine->metadata->n_metric; ++m)
            if (!was_ready || is_metric_changed(run, m)) MCD_TRY(write_metric(run, m, error));
    }
    run->watch->phase = "writing";
    return mcd_edge_writer_finish(run->writer, error);
}

static macadam_status save(macadam_engine *engine, const char *path, bool ready, macadam_error *error)
{
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    if (!path || !*path) return mcd_fail(error, MACADAM_E_INVALID, "no path");
    save_run run = {.engine = engine, .ready = ready || mcd_engine_is_ready(engine)};
    mcd_watch watch = mcd_watch_of(&engine->progress, "loading"), *const outer = mcd_watch_enter(&watch);
    run.watch = &watch;
    macadam_status status =
        mcd_watch_lock(&engine->update_lock, error); /* so that all quantities are of one moment */
    if (!status) {
        status = mcd_edge_writer_new(&run.writer, path, &engine->parallel, error);
        if (!status) mcd_edge_writer_choose_profile(run.writer, mcd_edge_file_profile(engine->file));
        if (!status && run.ready) mcd_edge_writer_make_ready(run.writer);
        if (!status) status = write_all(&run, error);
        pthread_mutex_unlock(&engine->update_lock);
    }
    mcd_watch_enter(outer);
    mcd_edge_writer_free(run.writer);
    for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) mcd_quantity_leave(run.quantity[q]);
    return status;
}

macadam_status macadam_engine_save(macadam_engine *engine, const char *path, macadam_error *error)
{
    return save(engine, path, false, error);
}

macadam_status macadam_engine_save_ready(macadam_engine *engine, const char *path, macadam_error *error)
{
    return save(engine, path, true, error);
}
