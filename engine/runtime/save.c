/* save.c - writes an engine's map with its current weights; sections that do not depend on changed weights
 * are copied. */
#include "engine/prepare/metric_write.h"
#include "engine/runtime/load.h"
#include "engine/runtime/version.h"

typedef struct save_run {
    macadam_engine *engine;
    mcd_edge_writer *writer;
    mcd_array *quantity[MCD_QUANTITY_MAX]; /* in use */
    bool changed[MCD_QUANTITY_MAX];        /* per quantity: it is not the file's */
    mcd_changed_arc *changed_arc[MCD_QUANTITY_MAX];
    size_t changed_arc_count[MCD_QUANTITY_MAX];
    bool ready;         /* the new file has customized weights */
    bool becomes_ready; /* and the old one has not */
    bool adds_depths;   /* and the old one has no depths of upward arcs */
} save_run;

static bool is_changed(const save_run *run, size_t quantity)
{
    return quantity != SIZE_MAX && run->changed[quantity];
}

/* Returns whether the metric's customized weights are written, if the file is ready. */
static bool is_metric_written(const save_run *run, size_t metric)
{
    return !mcd_engine_stores_basic(run->engine, metric) ||
           is_changed(run, mcd_engine_objective(run->engine, metric)) ||
           is_changed(run, mcd_engine_companion(run->engine, metric));
}

static bool has_new_patterns(const save_run *run)
{
    return run->engine->patterns.arc_pattern;
}

static bool is_stale(const save_run *run, const char *name)
{
    const macadam_engine *engine = run->engine;
    bool stale = has_new_patterns(run) && (strcmp(name, "arc_pattern") == 0 || strcmp(name, "pattern") == 0 ||
                                           strcmp(name, "meta") == 0);
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q)
        stale |= is_changed(run, q) && mcd_section_is_of_quantity(name, engine->quantity_name[q]);
    for (size_t m = 0; m < engine->metadata->n_metric; ++m)
        stale |= is_metric_written(run, m) && mcd_section_is_of_metric(name, engine->metric_name[m]);
    return stale;
}

static bool is_compact(const save_run *run, size_t quantity)
{
    const char *const name = run->engine->quantity_name[quantity];
    return mcd_sections_exist(run->engine->file, &(mcd_selector){MCD_GROUP_COMPACT_WEIGHT, .of = name});
}

/* Returns whether the quantity's weights are written, not copied. */
static bool is_written(const save_run *run, size_t quantity)
{
    return is_changed(run, quantity) || (run->becomes_ready && is_compact(run, quantity));
}

static macadam_status write_compact(const save_run *run, size_t index, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    MCD_FREED_BY(mcd_opposites_free) mcd_opposites opposites = {0};
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_COPIES, error));
    MCD_TRY(mcd_opposites_new(&opposites, &engine->graph, &engine->places, engine->original,
                              engine->original_count, &engine->parallel, error));
    return mcd_write_compact_weights(run->writer, engine->quantity_name[index], run->quantity[index]->weight,
                                     engine->metadata->arc_count, engine->original, &opposites,
                                     &engine->parallel, error);
}

static macadam_status write_counts(const save_run *run, size_t index, macadam_error *error)
{
    const macadam_engine *const engine = run->engine;
    return mcd_sections_write_weight_counts(run->writer, engine->quantity_name[index],
                                            run->quantity[index]->weight, engine->metadata->arc_count, error);
}

static macadam_status write_quantity(const save_run *run, size_t index, macadam_error *error)
{
    const macadam_engine *engine = run->engine;
    mcd_counts counts = mcd_counts_of(engine->metadata);
    mcd_selector selector = {.group = MCD_GROUP_CHANGED, .of = engine->quantity_name[index]};
    counts.of[MCD_PER_CHANGED_ARC] = run->changed_arc_count[index];
    if (is_changed(run, index))
        MCD_TRY(mcd_sections_write(run->writer, &selector, &counts, &run->changed_arc[index], false, error));
    selector.group = MCD_GROUP_WEIGHT;
    if (!run->ready && is_compact(run, index)) return write_compact(run, index, error);
    MCD_TRY(mcd_sections_write(run->writer, &selector, &counts, &run->quantity[index]->weight, false, error));
    return run->ready ? write_counts(run, index, error) : MACADAM_OK;
}

/* Writes the facts of roads whole. */
static macadam_status write_roads(const save_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    mcd_sections_count(engine->file, MCD_GROUP_NAMES, &counts);
    counts.of[MCD_PER_ORIGINAL] = counts.of[MCD_PER_OWN] = engine->original_count;
    counts.of[MCD_PER_OWN_END] = engine->original_count + 1;
    if (engine->facts.first_point)
        counts.of[MCD_PER_SHAPE_POINT] = engine->facts.first_point[engine->original_count];
    for (mcd_group group = MCD_GROUP_NUMBERS; group <= MCD_GROUP_SHAPE_IDS; ++group)
        if (group != MCD_GROUP_LIMITS)
            MCD_TRY(mcd_sections_write(run->writer, &(mcd_selector){.group = group}, &counts, &engine->facts,
                                       false, error));
    return MACADAM_OK;
}

/* Writes the patterns that updates have made, and how many slots they have. */
static macadam_status write_patterns(const save_run *run, macadam_error *error)
{
    const mcd_arc_facts *const facts = &run->engine->facts;
    mcd_counts counts = mcd_counts_of(run->engine->metadata);
    mcd_metadata metadata = *run->engine->metadata;
    if (!has_new_patterns(run)) return MACADAM_OK;
    metadata.pattern_slots = facts->arc_pattern ? (uint32_t)facts->pattern_slots : 0;
    counts.of[MCD_PER_ORIGINAL] = run->engine->original_count;
    counts.of[MCD_PER_PATTERN_SLOT] = facts->pattern_count * facts->pattern_slots;
    MCD_TRY(mcd_metadata_write(run->writer, &metadata, error));
    if (!facts->arc_pattern) return MACADAM_OK;
    return mcd_sections_write(run->writer, &(mcd_selector){.group = MCD_GROUP_PATTERNS}, &counts, facts,
                              false, error);
}

static macadam_status write_metric(const save_run *run, size_t metric, macadam_error *error)
{
    macadam_engine *engine = run->engine;
    mcd_version *version;
    MCD_TRY(mcd_version_find_loaded(&version, engine, metric, error));
    const mcd_customize_job job = mcd_version_job(version, engine);
    return mcd_write_metric(run->writer, engine->metric_name[metric], true, &job, error);
}

/* Makes what the run writes from now on sections of its profile. */
static void choose(const save_run *run)
{
    mcd_edge_writer_choose_profile(run->writer, run->engine->file->profile);
    mcd_edge_writer_make_ready(run->writer, run->ready);
}

/* Writes a section of the run's own profile again, unless it is stale. A ready file has them
 * as they are. */
static macadam_status copy_own(const save_run *run, const mcd_file_section *section, const char *own,
                               macadam_error *error)
{
    mcd_edge_file *const file = run->engine->file;
    void *data;
    if (is_stale(run, own) || (run->becomes_ready && mcd_section_is_packed(own))) return MACADAM_OK;
    if (!run->ready || section->coding == MCD_CODING_NONE)
        return mcd_edge_writer_copy(run->writer, file, section->name, error);
    MCD_TRY(mcd_edge_file_decode(file, own, &data, error));
    choose(run);
    return mcd_edge_writer_section(run->writer, own, section->element_size, data,
                                   section->bytes / section->element_size, true, error);
}

/* Finds whether the weights or the prices in use are not the file's, and which arcs are not as imported. */
static macadam_status find_changed(save_run *run, size_t index, macadam_error *error)
{
    const mcd_prices *const prices = &run->engine->prices[index];
    const mcd_weight *const weight = run->quantity[index]->weight;
    const size_t arc_count = run->engine->metadata->arc_count;
    mcd_changed_arc **const arc = &run->changed_arc[index];
    size_t *const count = &run->changed_arc_count[index];
    if (!prices->is_loaded) return MACADAM_OK; /* there was no update */
    MCD_TRY(mcd_prices_changed(arc, count, prices, weight, arc_count, error));
    run->changed[index] = memcmp(weight, prices->weight, arc_count * sizeof *weight) != 0 ||
                          *count != prices->changed_count ||
                          (*count > 0 && memcmp(*arc, prices->changed, *count * sizeof **arc) != 0);
    return MACADAM_OK;
}

static macadam_status begin(save_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    run->becomes_ready = run->ready && !engine->is_ready;
    run->adds_depths =
        run->ready && !mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_UP_DEPTHS});
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q) {
        MCD_TRY(mcd_engine_load_quantity(engine, q, &run->quantity[q], error));
        MCD_TRY(find_changed(run, q, error));
    }
    return MACADAM_OK;
}

/* Writes places and originals as they are, and the counts of weights that do not change, if a ready file does not have them
 * yet. */
static macadam_status write_places(const save_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    if (!run->ready || mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_PLACES}))
        return MACADAM_OK;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q)
        if (!is_written(run, q)) MCD_TRY(write_counts(run, q, error));
    return mcd_sections_write_places(run->writer, &engine->places, engine->original,
                                     engine->metadata->arc_count, error);
}

/* Writes the index of the numbers of arcs, if a ready file does not have it yet. */
static macadam_status write_index(const save_run *run, macadam_error *error)
{
    if (!run->ready || mcd_sections_exist(run->engine->file, &(mcd_selector){.group = MCD_GROUP_INDEX}))
        return MACADAM_OK;
    MCD_TRY(mcd_engine_load(run->engine, MCD_LOAD_FACTS, error));
    return mcd_sections_write_index(run->writer, &run->engine->roads, &run->engine->parallel, error);
}

/* Lists the roads that the snap index leaves out, if a ready file does not list them yet. */
static macadam_status write_unindexed(const save_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    uint32_t *arc;
    size_t count;
    if (!run->ready || !mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_SNAP}) ||
        mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_UNINDEXED}))
        return MACADAM_OK;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_SNAP, error));
    MCD_TRY(mcd_unindexed_find(&arc, &count, &engine->roads, &engine->snap, &engine->parallel, error));
    return mcd_sections_write_unindexed(run->writer, arc, count, true, error);
}

/* Writes what is new in a profile. */
static macadam_status write_new(save_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    bool has_new = false;
    choose(run);
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q)
        if (is_written(run, q)) MCD_TRY(write_quantity(run, q, error));
    for (size_t m = 0; m < engine->metadata->n_metric; ++m) has_new |= is_metric_written(run, m);
    MCD_TRY(write_patterns(run, error));
    if (run->becomes_ready) MCD_TRY(write_roads(run, error));
    MCD_TRY(write_places(run, error));
    MCD_TRY(write_index(run, error));
    MCD_TRY(write_unindexed(run, error));
    if (!run->ready || !has_new) return MACADAM_OK;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_HIERARCHY, error));
    if (run->becomes_ready) {
        MCD_TRY(mcd_engine_load(engine, MCD_LOAD_COMPONENTS, error));
        MCD_TRY(mcd_sections_write_made(run->writer, &engine->graph, engine->component, &engine->hierarchy,
                                        error));
    }
    if (run->adds_depths) MCD_TRY(mcd_sections_write_up_depths(run->writer, &engine->hierarchy, error));
    MCD_TRY(mcd_engine_load_schedule(engine, error));
    for (size_t m = 0; m < engine->metadata->n_metric; ++m)
        if (is_metric_written(run, m)) MCD_TRY(write_metric(run, m, error));
    return MACADAM_OK;
}

/* The profiles whose engines are open; sections of the others are copied. */
typedef struct save_runs {
    save_run run[MCD_PROFILES_MAX];
    size_t count, locked_count;
    mcd_edge_writer *writer; /* of all runs */
} save_runs;

static void end_all(save_runs *runs)
{
    while (runs->locked_count > 0) pthread_mutex_unlock(&runs->run[--runs->locked_count].engine->update_lock);
    mcd_edge_writer_free(runs->writer);
    for (size_t i = 0; i < runs->count; ++i)
        for (size_t q = 0; q < MCD_QUANTITY_MAX; ++q) mcd_free(runs->run[i].changed_arc[q]);
}

static macadam_status copy_section(const save_runs *runs, const mcd_file_section *section,
                                   macadam_error *error)
{
    for (const save_run *run = runs->run; run < runs->run + runs->count; ++run) {
        const char *const own = mcd_edge_file_own_name(run->engine->file, section);
        if (own) return copy_own(run, section, own, error);
    }
    return mcd_edge_writer_copy(runs->run[0].writer, runs->run[0].engine->file, section->name, error);
}

static macadam_status write_all(save_runs *runs, mcd_watch *watch, macadam_error *error)
{
    mcd_edge_file *const file = runs->run[0].engine->file;
    for (size_t i = 0; i < runs->count; ++i) MCD_TRY(begin(&runs->run[i], error));
    const mcd_file_section *const section = file->section;
    for (size_t i = 0; i < file->section_count; ++i) MCD_TRY(copy_section(runs, &section[i], error));
    for (size_t i = 0; i < runs->count; ++i) MCD_TRY(write_new(&runs->run[i], error));
    watch->phase = "writing";
    return mcd_edge_writer_finish(runs->run[0].writer, error);
}

static macadam_status save(macadam_engine *engine, const char *path, bool ready, macadam_error *error)
{
    if (!engine) return mcd_fail_invalid(error, "no engine");
    if (!path || !*path) return mcd_fail_invalid(error, "no path");
    MCD_FREED_BY(end_all) save_runs runs = {.count = 0};
    for (size_t profile = 0; profile < engine->profile_count; ++profile) {
        macadam_engine *const open = mcd_engine_open_sibling(engine, profile);
        if (open)
            runs.run[runs.count++] =
                (save_run){.engine = open, .ready = (ready && open == engine) || open->is_ready};
    }
    MCD_WATCHED(watch, &engine->progress, "loading");
    for (; runs.locked_count < runs.count; ++runs.locked_count) /* so that all weights are of one moment */
        MCD_TRY(mcd_watch_lock(&runs.run[runs.locked_count].engine->update_lock, error));
    MCD_TRY(mcd_edge_writer_new(&runs.writer, path, &engine->parallel, error));
    for (size_t i = 0; i < runs.count; ++i) runs.run[i].writer = runs.writer;
    return write_all(&runs, &watch, error);
}

macadam_status macadam_engine_save(macadam_engine *engine, const char *path, macadam_error *error)
{
    return save(engine, path, false, error);
}

macadam_status macadam_engine_save_ready(macadam_engine *engine, const char *path, macadam_error *error)
{
    return save(engine, path, true, error);
}
