/* import.c - the imports of macadam.h: read a map, check it, order its nodes, build the edge file. */
#include "importers/arrays.h"
#include "importers/base/checkpoint.h"
#include "importers/base/jobs.h"
#include "importers/base/quantity.h"
#include "importers/dimacs.h"
#include "importers/heights/terrain.h"
#include "importers/order/nested_dissection.h"
#include "importers/order/order_file.h"
#include "importers/osm/osm.h"
#include "importers/osm/roads/road_speeds.h"
#include "importers/osm/rules/profile_file.h"
#include "importers/speeds/speed_file.h"
#include "engine/prepare/build.h"
#include "engine/base/options.h"
#include "engine/base/paged.h"
#include "engine/base/utf8.h"

#include <stdio.h>

/* That neither of the files that the import writes is one of these. */
static macadam_status check_inputs(const macadam_import_options *own, const char *const *input, size_t count,
                                   macadam_error *error)
{
    MCD_TRY(macadam_output_check(own->report_file, input, count, error));
    return macadam_output_check(own->output, input, count, error);
}

static macadam_status adopt_options(macadam_import_options *own, const macadam_import_options *given,
                                    bool is_osm, macadam_error *error)
{
    *own = (macadam_import_options)MACADAM_IMPORT_OPTIONS_INIT;
    MCD_TRY(mcd_options_adopt(own, sizeof *own, given, "import options", error));
    if (!own->output || !*own->output) return mcd_fail_invalid(error, "no output file is named");
    if (own->order && own->no_hierarchy)
        return mcd_fail_invalid(error, "an order is of no use without a hierarchy");
    if (own->vehicle && !own->heights)
        return mcd_fail_invalid(error, "the vehicle %s needs heights: its energy depends on slopes",
                                own->vehicle);
    if (own->heights && !is_osm)
        return mcd_fail_invalid(error, "heights are taken only for OpenStreetMap data");
    if (own->report_file && !is_osm)
        return mcd_fail_invalid(error, "a report file is written only for OpenStreetMap data");
    if (own->speeds_count && !is_osm)
        return mcd_fail_invalid(error, "speeds over the week are taken only for OpenStreetMap data");
    for (size_t i = 0; i < own->speeds_count; ++i) {
        if (!own->speeds || !own->speeds[i])
            return mcd_fail_invalid(error, "file %zu of speeds has no name", i);
        const char *const path = mcd_speed_file_path(own->speeds[i]);
        MCD_TRY(check_inputs(own, &path, 1, error));
    }
    const char *const input[] = {own->order, own->vehicle};
    MCD_TRY(macadam_output_check(own->report_file, input, sizeof input / sizeof *input, error));
    return macadam_output_check(own->output, input, sizeof input / sizeof *input, error);
}

/* ---- the bound of memory ---- */

/* An import that ends when its bound fails: its options take the place of the caller's. */
typedef struct import_bound {
    macadam_import_options given;
    bool is_on;
} import_bound;

static bool goes_on(void *context, const char *phase, uint64_t done, uint64_t total)
{
    const macadam_import_options *const given = context;
    if (mcd_paged_check(NULL)) return false;
    return !given->progress || given->progress(given->context, phase, done, total);
}

static void pass_report(void *context, const char *line)
{
    const macadam_import_options *const given = context;
    given->report(given->context, line);
}

static macadam_status begin_bound(import_bound *bound, macadam_import_options *own, macadam_error *error)
{
    *bound = (import_bound){.given = *own, .is_on = own->memory_limit > 0};
    if (!bound->is_on) return MACADAM_OK;
    own->progress = goes_on;
    own->report = own->report ? pass_report : NULL;
    own->context = &bound->given;
    return mcd_paged_begin(own->output, own->memory_limit, error);
}

/* A failure of the bound is why the import ended. */
static macadam_status end_bound(const import_bound *bound, macadam_status status, macadam_error *error)
{
    if (!bound->is_on) return status;
    const macadam_status failure = status ? mcd_paged_check(error) : MACADAM_OK;
    mcd_paged_end();
    return failure ? failure : status;
}

/* That the report can be written, and is not the output by another path: if it is not there, it appears for a moment. */
static macadam_status check_report(const char *path, const char *output, macadam_error *error)
{
    MCD_FREED_BY(mcd_platform_discard) mcd_output probe = {0};
    const bool is_named = *path && strcmp(path, "-") != 0,
               is_new = is_named && !mcd_platform_is_same(path, path);
    if (is_named) MCD_TRY(mcd_platform_create(&probe, path, error));
    if (is_new) MCD_TRY(mcd_platform_commit(&probe, error));
    const bool is_own = is_named && !mcd_platform_is_same(path, output);
    if (is_new) remove(path);
    return is_own ? MACADAM_OK
                  : mcd_fail_invalid(error, "the report file '%s' is not a file of its own", path);
}

static const char *file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static macadam_status set_text(char **text, const char *value, macadam_error *error)
{
    *text = mcd_duplicate(value);
    if (!*text) return mcd_fail_memory(error, strlen(value) + 1);
    mcd_utf8_repair(*text); /* a file's name may be anything */
    return MACADAM_OK;
}

static macadam_status describe(mcd_map *map, const char *source, const char *profile,
                               const macadam_import_options *options, macadam_error *error)
{
    const char *const build = options->no_hierarchy ? "no hierarchy"
                              : options->order      ? "hierarchy by a given order"
                                                    : "hierarchy by nested dissection";
    MCD_TRY(set_text(&map->source, file_name(source), error));
    MCD_TRY(set_text(&map->profile, profile, error));
    return set_text(&map->build, build, error);
}

static macadam_status order_nodes(mcd_node **order, const mcd_map *map, const macadam_import_options *options,
                                  const mcd_build_options *build, macadam_error *error)
{
    const mcd_road_graph roads = {.node_count = map->node_count,
                                  .arc_count = map->arc_count,
                                  .tail = map->tail,
                                  .head = map->head,
                                  .junction = map->id_count < map->node_count ? map->index : NULL,
                                  .junction_count = map->id_count};
    if (options->no_hierarchy) return MACADAM_OK;
    if (options->order) return mcd_order_read(order, map, options->order, &build->progress, error);
    return mcd_nested_dissection(order, &roads, &build->parallel, &build->progress, error);
}

/* Before the nodes are ordered: only the graph stays in memory. */
static macadam_status put_away(mcd_map *map, const macadam_import_options *options, mcd_watch *watch,
                               macadam_error *error)
{
    MCD_TRY(mcd_map_limit(map, options, error));
    if (!map->spill) return MACADAM_OK;
    MCD_TRY(mcd_map_put(map, MCD_MAP_COORDINATES | MCD_MAP_FACTS | MCD_MAP_WEIGHTS, watch, error));
    mcd_free(map->node_id); /* map->id has them */
    map->node_id = NULL;
    return MACADAM_OK;
}

/* The edge file that an import makes. */
typedef struct edge_product {
    const macadam_import_options *options;
    mcd_checkpoints *checkpoints;
    mcd_build_options build;
    mcd_edge_writer *writer; /* NULL until the first map is ordered */
} edge_product;

static edge_product new_product(const macadam_import_options *options, mcd_checkpoints *checkpoints)
{
    return (edge_product){.options = options,
                          .checkpoints = checkpoints,
                          .build = {.ready = options->ready,
                                    .parallel = mcd_parallel_of(options->threads, options->executor),
                                    .progress = {options->progress, options->context}}};
}

static macadam_status open_writer(edge_product *product, macadam_error *error)
{
    if (product->writer) return MACADAM_OK;
    MCD_TRY(mcd_edge_writer_new(&product->writer, product->options->output, &product->build.parallel, error));
    mcd_edge_writer_make_ready(product->writer, product->build.ready);
    return MACADAM_OK;
}

/* ---- checkpoints ---- */

/* Begins them, if they are wanted, with the options that determine the map. */
static macadam_status begin_checkpoints(mcd_checkpoints *out, const macadam_import_options *own,
                                        macadam_error *error)
{
    out->options = own->resume ? own : NULL;
    MCD_TRY(mcd_checkpoints_add(out, error, "Macadam %s, checkpoints of format %d", macadam_version(),
                                MCD_CHECKPOINT_FORMAT));
    MCD_TRY(mcd_checkpoints_add(out, error, "node ids %s, full report %s", own->node_ids ? "yes" : "no",
                                own->report_file ? "yes" : "no"));
    return mcd_checkpoints_add_file(out, "vehicle", own->vehicle, error);
}

/* Writes or reads the checkpoint of a map. `roads`: with a report; may be NULL. */
static macadam_status keep_map(mcd_checkpoint *at, mcd_map *map, mcd_osm_roads *roads, macadam_error *error)
{
    MCD_TRY(mcd_checkpoint_map(at, map, error));
    if (at->file) MCD_TRY(mcd_checkpoint_check_map(at, map, error));
    return roads ? mcd_osm_keep_report(roads, at, error) : MACADAM_OK;
}

/* Returns whether a map is to be read from a checkpoint. */
static bool is_made(const mcd_checkpoint *from)
{
    return from->file && from->stage == MCD_IMPORT_STAGE_MAP;
}

/* Opens the last checkpoint of a profile from which its map can be made; from->file is NULL if there is none. */
static macadam_status open_last(mcd_checkpoint *from, const edge_product *product, size_t profile,
                                macadam_error *error)
{
    for (mcd_import_stage stage = MCD_IMPORT_STAGE_MAP;; --stage) {
        MCD_TRY(mcd_checkpoint_open(from, product->checkpoints, stage, profile, &product->build.parallel,
                                    &product->build.progress, error));
        if (from->file || stage == MCD_IMPORT_STAGE_ROADS) return MACADAM_OK;
        mcd_checkpoint_close(from);
    }
}

/* Checks a map that was just made, and writes its checkpoint. */
static macadam_status check_map(const edge_product *product, mcd_map *map, mcd_osm_roads *roads,
                                size_t profile, macadam_error *error)
{
    MCD_FREED_BY(mcd_checkpoint_close) mcd_checkpoint made = {0};
    mcd_watch watch = mcd_watch_of(&product->build.progress, "checking the map");
    MCD_TRY(mcd_map_check(map, &watch, error));
    MCD_TRY(mcd_checkpoint_create(&made, product->checkpoints, MCD_IMPORT_STAGE_MAP, profile,
                                  &product->build.parallel, &product->build.progress, error));
    if (!made.writer) return MACADAM_OK;
    MCD_TRY(keep_map(&made, map, roads, error));
    return mcd_checkpoint_finish(&made, error);
}

/* Orders the nodes of the map, or reads their order. `is_read`: the map was. */
static macadam_status find_order(mcd_node **order, mcd_map *map, const edge_product *product, size_t profile,
                                 bool is_read, macadam_error *error)
{
    MCD_FREED_BY(mcd_checkpoint_close) mcd_checkpoint ordered = {0};
    const mcd_build_options *const build = &product->build;
    const bool is_kept = !product->options->no_hierarchy && !product->options->order;
    if (is_kept && is_read)
        MCD_TRY(mcd_checkpoint_open(&ordered, product->checkpoints, MCD_IMPORT_STAGE_ORDER, profile,
                                    &build->parallel, &build->progress, error));
    if (ordered.file) {
        MCD_TRY(MCD_CHECKPOINT_ARRAY(&ordered, "order", *order, map->node_count, error));
        return mcd_checkpoint_check_order(&ordered, *order, map->node_count, error);
    }
    mcd_checkpoint_close(&ordered);
    MCD_TRY(order_nodes(order, map, product->options, build, error));
    if (!is_kept) return MACADAM_OK;
    MCD_TRY(mcd_checkpoint_create(&ordered, product->checkpoints, MCD_IMPORT_STAGE_ORDER, profile,
                                  &build->parallel, &build->progress, error));
    if (!ordered.writer) return MACADAM_OK;
    MCD_TRY(MCD_CHECKPOINT_ARRAY(&ordered, "order", *order, map->node_count, error));
    return mcd_checkpoint_finish(&ordered, error);
}

/* Writes the sections of a map that was just read, by `is_read` from a checkpoint. */
static macadam_status add_map(edge_product *product, mcd_map *map, mcd_osm_roads *roads, size_t profile,
                              bool is_read, macadam_error *error)
{
    MCD_OWNED mcd_node *order = NULL;
    if (!is_read) MCD_TRY(check_map(product, map, roads, profile, error));
    mcd_watch watch = mcd_watch_of(&product->build.progress, "checking the map");
    MCD_TRY(put_away(map, product->options, &watch, error));
    MCD_TRY(find_order(&order, map, product, profile, is_read, error));
    MCD_TRY(open_writer(product, error));
    mcd_edge_writer_choose_profile(product->writer, profile);
    return mcd_build_sections(map, order, &product->build, product->writer, error);
}

/* Puts the edge file in place, after which nothing is left to resume. */
static macadam_status finish_product(edge_product *product, macadam_error *error)
{
    MCD_TRY(mcd_edge_writer_finish(product->writer, error));
    mcd_checkpoints_remove(product->checkpoints);
    return MACADAM_OK;
}

static void free_product(edge_product *product)
{
    mcd_edge_writer_free(product->writer);
}

static macadam_status check_weight_paths(const macadam_dimacs_input *input, macadam_error *error)
{
    MCD_TRY(mcd_quantity_check(input->weight, input->quantity_count, error));
    for (size_t quantity = 0; quantity < input->quantity_count; ++quantity)
        if (!input->weight[quantity])
            return mcd_fail_invalid(error, "quantity %zu has no weight file", quantity);
    return MACADAM_OK;
}

/* Finishes an import of one map without a profile. */
static macadam_status write_map(edge_product *product, mcd_map *map, const char *source, bool is_read,
                                macadam_error *error)
{
    MCD_TRY(describe(map, source, "", product->options, error));
    MCD_TRY(add_map(product, map, NULL, 0, is_read, error));
    return finish_product(product, error);
}

static macadam_status add_dimacs(const macadam_dimacs_input *files, const macadam_import_options *own,
                                 mcd_checkpoints *checkpoints, macadam_error *error)
{
    MCD_FREED_BY(mcd_map_free) mcd_map map = {0};
    MCD_FREED_BY(free_product) edge_product product = new_product(own, checkpoints);
    MCD_FREED_BY(mcd_checkpoint_close) mcd_checkpoint from = {0};
    MCD_TRY(mcd_checkpoint_open(&from, checkpoints, MCD_IMPORT_STAGE_MAP, 0, &product.build.parallel,
                                &product.build.progress, error));
    const bool is_read = is_made(&from);
    MCD_TRY(is_read ? keep_map(&from, &map, NULL, error)
                    : mcd_dimacs_read(&map, files, &product.build.progress, error));
    mcd_checkpoint_close(&from);
    return write_map(&product, &map, files->weight[0], is_read, error);
}

static macadam_status import_dimacs(const macadam_dimacs_input *input, const macadam_import_options *own,
                                    macadam_error *error)
{
    macadam_dimacs_input files = MACADAM_DIMACS_INPUT_INIT;
    MCD_FREED_BY(mcd_checkpoints_free) mcd_checkpoints checkpoints = {0};
    macadam_status status;
    MCD_TRY(mcd_options_adopt(&files, sizeof files, input, "DIMACS input", error));
    MCD_TRY(check_weight_paths(&files, error));
    MCD_TRY(macadam_output_check(own->output, files.weight, files.quantity_count, error));
    MCD_TRY(macadam_output_check(own->output, &files.coordinates, 1, error));
    MCD_TRY(begin_checkpoints(&checkpoints, own, error));
    for (size_t quantity = 0; quantity < files.quantity_count; ++quantity)
        MCD_TRY(
            mcd_checkpoints_add_file(&checkpoints, files.quantity[quantity], files.weight[quantity], error));
    MCD_TRY(mcd_checkpoints_add_file(&checkpoints, "coordinates", files.coordinates, error));
    do status = add_dimacs(&files, own, &checkpoints, error);
    while (mcd_checkpoints_restart(&checkpoints, status, error));
    return status;
}

macadam_status macadam_import_dimacs(const macadam_dimacs_input *input, const macadam_import_options *options,
                                     macadam_error *error)
{
    macadam_import_options own;
    import_bound bound;
    MCD_TRY(adopt_options(&own, options, false, error));
    MCD_TRY(begin_bound(&bound, &own, error));
    return end_bound(&bound, import_dimacs(input, &own, error), error);
}

/* "A, B": the names of the files; the caller frees it with mcd_free. NULL: not enough memory. */
static char *join_file_names(const char *const *path, size_t path_count)
{
    size_t bytes = 1;
    for (size_t i = 0; i < path_count; ++i) bytes += strlen(file_name(path[i])) + 2;
    char *const out = mcd_allocate(bytes, 1);
    if (!out) return NULL;
    *out = 0;
    for (size_t i = 0; i < path_count; ++i) {
        if (i > 0) strcat(out, ", ");
        strcat(out, file_name(path[i]));
    }
    return out;
}

/* The profiles of an import, each with its vehicle. */
typedef struct traveller_list {
    mcd_profile profile[MCD_PROFILES_MAX];
    size_t count;
    mcd_vehicle vehicle;
    mcd_speed_table speeds;
} traveller_list;

static macadam_status read_profiles(traveller_list *list, const char *const *name, size_t count,
                                    const macadam_import_options *options, macadam_error *error)
{
    static const char *const car = "car";
    if (count == 0) name = &car, count = 1;
    if (!name) return mcd_fail_invalid(error, "%zu profiles without names", count);
    if (count > MCD_PROFILES_MAX)
        return mcd_fail_invalid(error, "%zu profiles are more than the %d that a file may have", count,
                                MCD_PROFILES_MAX);
    if (options->order && count > 1)
        return mcd_fail_invalid(error, "an order is for one profile, not for %zu", count);
    if (options->vehicle) MCD_TRY(mcd_vehicle_read(&list->vehicle, options->vehicle, error));
    for (; list->count < count; ++list->count) {
        mcd_profile *const profile = &list->profile[list->count];
        if (!name[list->count]) return mcd_fail_invalid(error, "profile %zu has no name", list->count);
        MCD_TRY(mcd_profile_read(profile, name[list->count], error));
        profile->vehicle = options->vehicle ? &list->vehicle : NULL;
        for (size_t i = 0; i < list->count; ++i)
            if (strcmp(list->profile[i].name, profile->name) == 0) {
                ++list->count; /* it is freed like the others */
                return mcd_fail_invalid(error, "two profiles are named %s", profile->name);
            }
    }
    return MACADAM_OK;
}

/* Reads the speeds over the week, unless no profile is about a vehicle that they are about. */
static macadam_status read_speeds(traveller_list *list, const macadam_import_options *options,
                                  macadam_error *error)
{
    bool concerns = false;
    if (options->speeds_count == 0) return MACADAM_OK;
    for (size_t i = 0; i < options->speeds_count; ++i)
        MCD_TRY(mcd_speed_file_read(&list->speeds, options->speeds[i], error));
    for (size_t i = 0; i < list->count; ++i)
        concerns |= mcd_road_speeds_concern(&list->speeds, &list->profile[i]);
    if (concerns) return mcd_speed_table_close(&list->speeds, error);
    if (list->speeds.of[MCD_SPEED_OF_WAY].count + list->speeds.of[MCD_SPEED_OF_PAIR].count == 0)
        return mcd_fail_invalid(error, "%s: there are no speeds", options->speeds[0]);
    return mcd_fail_invalid(error, "%s: the speeds are of no use: none of the profiles is a motor vehicle's",
                            options->speeds[0]);
}

static void free_travellers(traveller_list *list)
{
    for (size_t i = 0; i < list->count; ++i) mcd_profile_free(&list->profile[i]);
    mcd_speed_table_free(&list->speeds);
    mcd_free(list);
}

/* ---- the profiles of an import ---- */

/* The results of a profile's job. */
typedef struct profile_part {
    mcd_parallel parallel;
    mcd_edge_writer *writer; /* of its sections */
    bool made;
} profile_part;

/* The profiles of a file; the parts are those that are made at the same time. */
typedef struct profile_run {
    const macadam_import_options *options;
    mcd_checkpoints *checkpoints;
    const traveller_list *list;
    mcd_osm_roads *roads;
    char *source;
    mcd_checkpoint from[MCD_PROFILES_MAX];
    profile_part part[MCD_PROFILES_MAX];
} profile_run;

static void tell_profile(const profile_run *run, const macadam_import_options *options, size_t index)
{
    char line[128];
    snprintf(line, sizeof line, "profile %s", run->list->profile[index].name);
    if (options->report && run->list->count > 1) options->report(options->context, line);
    mcd_osm_tell(run->roads, index, options);
}

/* Makes the map of a profile and writes it. */
static macadam_status add_profile(edge_product *product, profile_run *run, size_t index, macadam_error *error)
{
    const macadam_import_options *const options = product->options;
    mcd_checkpoint *const from = &run->from[index];
    MCD_FREED_BY(mcd_map_free) mcd_map map = {0};
    const bool is_read = is_made(from);
    MCD_TRY(is_read ? keep_map(from, &map, run->roads, error)
                    : mcd_osm_make_map(&map, run->roads, from, &run->list->speeds, options,
                                       &product->build.parallel, &product->build.progress, error));
    mcd_checkpoint_close(from);
    tell_profile(run, options, index);
    MCD_TRY(describe(&map, run->source, run->list->profile[index].name, options, error));
    return add_map(product, &map, run->roads, index, is_read, error);
}

static_assert((int)MCD_PROFILES_MAX <= (int)MCD_JOBS_MAX, "each profile is a job");

static macadam_status make_part(void *context, const mcd_job *job, macadam_error *error)
{
    profile_run *const run = context;
    profile_part *const part = &run->part[job->index];
    macadam_import_options options = *run->options;
    options.report = NULL; /* once all are made */
    part->parallel = job->parallel;
    MCD_TRY(mcd_edge_writer_new_part(&part->writer, &part->parallel, error));
    edge_product product = {.options = &options, .checkpoints = run->checkpoints, .writer = part->writer};
    product.build = (mcd_build_options){.parallel = part->parallel, .progress = job->progress};
    MCD_TRY(add_profile(&product, run, job->index, error));
    part->made = true;
    return MACADAM_OK;
}

/* Makes the profiles at the same time, and then writes them in their order. */
static macadam_status add_at_once(edge_product *product, profile_run *run, macadam_error *error)
{
    const size_t count = run->list->count;
    macadam_status status =
        mcd_jobs_do(count, &product->build.parallel, make_part, run, &product->build.progress, error);
    if (status == MACADAM_OK) status = open_writer(product, error);
    for (size_t i = 0; i < count; ++i) {
        profile_part *const part = &run->part[i];
        if (part->made) tell_profile(run, run->options, i);
        if (status == MACADAM_OK) status = mcd_edge_writer_append(product->writer, part->writer, error);
        mcd_edge_writer_free(part->writer);
    }
    return status;
}

/* Whether the profiles are to be made at the same time. The sections of a ready file are too large to wait in memory. */
static bool is_at_once(const edge_product *product, const profile_run *run)
{
    const uint64_t machine = mcd_platform_memory_bytes() / 2, asked = product->options->memory_limit,
                   limit = asked                         ? asked
                           : machine > mcd_import_memory ? machine
                                                         : mcd_import_memory;
    return mcd_jobs_at_once(&product->build.parallel, run->list->count) > 1 && !product->build.ready &&
           mcd_osm_maps_bytes(run->roads) <= limit;
}

/* Adds all profiles: those without a checkpoint from the files, which are read unless each has one. */
static macadam_status add_profiles(edge_product *product, profile_run *run, const char *const *path,
                                   size_t path_count, macadam_error *error)
{
    const size_t count = run->list->count;
    size_t kept_count = 0;
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(open_last(&run->from[i], product, i, error));
        kept_count += run->from[i].file != NULL;
    }
    if (kept_count < count)
        MCD_TRY(mcd_osm_read(run->roads, path, path_count, &product->build.parallel, &product->build.progress,
                             error));
    run->source = join_file_names(path, path_count);
    if (!run->source) return mcd_fail_memory(error, 1);
    if (kept_count == 0 && is_at_once(product, run)) return add_at_once(product, run, error);
    for (size_t i = 0; i < count; ++i) MCD_TRY(add_profile(product, run, i, error));
    return MACADAM_OK;
}

static void free_run(profile_run *run)
{
    for (size_t i = 0; i < MCD_PROFILES_MAX; ++i) mcd_checkpoint_close(&run->from[i]);
    mcd_osm_roads_free(run->roads);
    mcd_free(run->source);
}

/* The report is written too if no road is left: it says why. */
static macadam_status import_profiles(const char *const *path, size_t path_count, const traveller_list *list,
                                      const macadam_import_options *options, mcd_checkpoints *checkpoints,
                                      macadam_error *error)
{
    MCD_FREED_BY(free_product) edge_product product = new_product(options, checkpoints);
    MCD_FREED_BY(free_run) profile_run run = {.options = options, .checkpoints = checkpoints, .list = list};
    MCD_TRY(mcd_osm_roads_new(&run.roads, list->profile, list->count, !options->report_file, error));
    const macadam_status status = add_profiles(&product, &run, path, path_count, error);
    if (status && options->report_file && mcd_osm_is_empty(run.roads))
        (void)mcd_osm_write_report(run.roads, options->report_file, NULL);
    if (status) return status;
    if (options->report_file) MCD_TRY(mcd_osm_write_report(run.roads, options->report_file, error));
    return finish_product(&product, error);
}

/* A tile of heights, which is one of the inputs. */
typedef struct tile_sum {
    const mcd_checkpoints *checkpoints;
    mcd_file_sum sum;
} tile_sum;

static macadam_status sum_tile(void *context, const char *path, macadam_error *error)
{
    tile_sum *const run = context;
    return mcd_checkpoints_sum(run->checkpoints, &run->sum, path, error);
}

static macadam_status add_heights(mcd_checkpoints *checkpoints, const char *folder, macadam_error *error)
{
    tile_sum run = {.checkpoints = checkpoints};
    MCD_TRY(mcd_terrain_visit(folder, sum_tile, &run, error));
    return mcd_checkpoints_add(checkpoints, error, "%llu tiles of heights: %llu bytes, checksum %llx",
                               (unsigned long long)run.sum.count, (unsigned long long)run.sum.bytes,
                               (unsigned long long)run.sum.crc32);
}

static macadam_status add_speeds(mcd_checkpoints *checkpoints, const char *name, macadam_error *error)
{
    MCD_OWNED char *table = NULL;
    const char *const path = mcd_speed_file_path(name);
    MCD_TRY(mcd_speed_file_table(&table, name, error));
    MCD_TRY(mcd_checkpoints_add(checkpoints, error, "speeds %.*s", (int)(path - name), name));
    MCD_TRY(mcd_checkpoints_add_file(checkpoints, "factors", table, error));
    return mcd_checkpoints_add_file(checkpoints, "speeds", path, error);
}

/* Begins checkpoints with all that determines the maps of the profiles. */
static macadam_status begin_osm_checkpoints(mcd_checkpoints *out, const char *const *path, size_t path_count,
                                            const traveller_list *list, const macadam_import_options *own,
                                            macadam_error *error)
{
    MCD_TRY(begin_checkpoints(out, own, error));
    if (!own->resume) return MACADAM_OK;
    MCD_TRY(mcd_checkpoints_add(out, error, "%zu files", path_count));
    for (size_t i = 0; i < path_count; ++i) MCD_TRY(mcd_checkpoints_add_file(out, "file", path[i], error));
    for (size_t i = 0; i < list->count; ++i)
        MCD_TRY(mcd_checkpoints_add(out, error, "profile %s: checksum %08x", list->profile[i].name,
                                    list->profile[i].crc32));
    for (size_t i = 0; i < own->speeds_count; ++i) MCD_TRY(add_speeds(out, own->speeds[i], error));
    return own->heights ? add_heights(out, own->heights, error) : MACADAM_OK;
}

static macadam_status import_travellers(const char *const *path, size_t path_count,
                                        const traveller_list *list, const macadam_import_options *own,
                                        macadam_error *error)
{
    MCD_FREED_BY(mcd_checkpoints_free) mcd_checkpoints checkpoints = {0};
    macadam_status status;
    MCD_TRY(begin_osm_checkpoints(&checkpoints, path, path_count, list, own, error));
    do status = import_profiles(path, path_count, list, own, &checkpoints, error);
    while (mcd_checkpoints_restart(&checkpoints, status, error));
    return status;
}

static macadam_status import_osm(const char *const *path, size_t path_count, const char *const *profile,
                                 size_t profile_count, const macadam_import_options *own,
                                 macadam_error *error)
{
    traveller_list *list;
    if (!path && path_count > 0)
        return mcd_fail_invalid(error, "%zu OpenStreetMap files without names", path_count);
    MCD_TRY(check_inputs(own, path, path_count, error));
    for (size_t i = 0; profile && i < profile_count; ++i) /* a file's, not a name */
        if (profile[i] && strpbrk(profile[i], "/.")) MCD_TRY(check_inputs(own, &profile[i], 1, error));
    if (own->heights) MCD_TRY(mcd_terrain_check(own->heights, own->output, error));
    if (own->heights) MCD_TRY(mcd_terrain_check(own->heights, own->report_file, error));
    if (own->report_file) MCD_TRY(check_report(own->report_file, own->output, error));
    MCD_TRY(MCD_NEW_ZEROED(list, 1, error));
    macadam_status status = read_profiles(list, profile, profile_count, own, error);
    if (status == MACADAM_OK) status = read_speeds(list, own, error);
    if (status == MACADAM_OK) status = import_travellers(path, path_count, list, own, error);
    free_travellers(list);
    return status;
}

macadam_status macadam_import_osm_files(const char *const *path, size_t path_count,
                                        const char *const *profile, size_t profile_count,
                                        const macadam_import_options *options, macadam_error *error)
{
    macadam_import_options own;
    import_bound bound;
    MCD_TRY(adopt_options(&own, options, true, error));
    MCD_TRY(begin_bound(&bound, &own, error));
    return end_bound(&bound, import_osm(path, path_count, profile, profile_count, &own, error), error);
}

macadam_status macadam_import_osm(const char *path, const char *profile,
                                  const macadam_import_options *options, macadam_error *error)
{
    if (!path) return mcd_fail_invalid(error, "no OpenStreetMap file is named");
    return macadam_import_osm_files(&path, 1, &profile, profile != NULL, options, error);
}

static macadam_status import_arrays(const macadam_arrays_input *input, const macadam_import_options *own,
                                    macadam_error *error)
{
    macadam_arrays_input arrays = MACADAM_ARRAYS_INPUT_INIT;
    MCD_TRY(mcd_options_adopt(&arrays, sizeof arrays, input, "arrays input", error));
    MCD_FREED_BY(mcd_map_free) mcd_map map = {0};
    const mcd_progress progress = {own->progress, own->context};
    mcd_watch watch = mcd_watch_of(&progress, "copying arrays");
    MCD_TRY(mcd_arrays_read(&map, &arrays, &watch, error));
    mcd_checkpoints none = {0};
    MCD_FREED_BY(free_product) edge_product product = new_product(own, &none);
    return write_map(&product, &map, "", false, error);
}

macadam_status macadam_import_arrays(const macadam_arrays_input *input, const macadam_import_options *options,
                                     macadam_error *error)
{
    macadam_import_options own;
    import_bound bound;
    MCD_TRY(adopt_options(&own, options, false, error));
    if (own.resume) return mcd_fail_invalid(error, "an import of arrays cannot be resumed");
    MCD_TRY(begin_bound(&bound, &own, error));
    return end_bound(&bound, import_arrays(input, &own, error), error);
}
