/* import.c - the imports of macadam.h: read a map, check it, order its nodes, build the edge file. */
#include "importers/arrays.h"
#include "importers/dimacs.h"
#include "importers/order/nested_dissection.h"
#include "importers/order/order_file.h"
#include "importers/osm/osm.h"
#include "importers/osm/profile_file.h"
#include "importers/osm/vehicle.h"
#include "engine/prepare/build.h"
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/base/utf8.h"

#include <string.h>

static macadam_status adopt_options(macadam_import_options *own, const macadam_import_options *given,
                                    macadam_error *error)
{
    *own = (macadam_import_options)MACADAM_IMPORT_OPTIONS_INIT;
    MCD_TRY(mcd_options_adopt(own, sizeof *own, given, "import options", error));
    if (!own->output || !*own->output) return mcd_fail(error, MACADAM_E_INVALID, "no output file is named");
    if (own->order && own->no_hierarchy)
        return mcd_fail(error, MACADAM_E_INVALID, "an order is of no use without a hierarchy");
    if (own->vehicle && !own->heights)
        return mcd_fail(error, MACADAM_E_INVALID,
                        "the vehicle %s needs heights: its energy depends on slopes", own->vehicle);
    return MACADAM_OK;
}

static macadam_status refuse_heights(const macadam_import_options *options, macadam_error *error)
{
    if (!options->heights) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_INVALID, "heights are taken only for OpenStreetMap data");
}

static const char *file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static macadam_status set_text(char **text, const char *value, macadam_error *error)
{
    *text = mcd_duplicate(value);
    if (!*text) return mcd_fail_memory(error, strlen(value) + 1, value);
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

static macadam_status dissect(mcd_node **order, mcd_map *map, const mcd_build_options *build,
                              macadam_error *error)
{
    mcd_road_graph roads = {.node_count = map->node_count,
                            .arc_count = map->arc_count,
                            .tail = map->tail,
                            .head = map->head,
                            .junction = map->id_count < map->node_count ? map->index : NULL,
                            .junction_count = map->id_count,
                            .attic = map->attic};
    const macadam_status status =
        mcd_nested_dissection(order, &roads, &build->parallel, &build->progress, error);
    map->tail = roads.tail;
    map->head = roads.head;
    return status;
}

static macadam_status order_nodes(mcd_node **order, mcd_map *map, const macadam_import_options *options,
                                  const mcd_build_options *build, macadam_error *error)
{
    if (options->no_hierarchy) return MACADAM_OK;
    if (options->order) return mcd_order_read(order, map, options->order, &build->progress, error);
    return dissect(order, map, build, error);
}

enum { MEMORY_LIMIT = 256 << 20 }; /* if the caller names none: no city needs more */

static mcd_map new_map(const macadam_import_options *options)
{
    return (mcd_map){.memory_limit = options->memory_limit ? options->memory_limit : MEMORY_LIMIT,
                     .beside = options->output,
                     .heights = options->heights,
                     .wants_shape_ids = options->node_ids};
}

/* Before the nodes are ordered: only the graph stays in memory. */
static macadam_status put_away(mcd_map *map, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(mcd_map_limit(map, map->arc_count, error));
    if (!map->attic) return MACADAM_OK;
    for (size_t q = 0; q < map->quantity_count; ++q)
        MCD_TRY(mcd_attic_put(map->attic, &map->weight[q], map->arc_count * sizeof *map->weight[q], watch,
                              error));
    MCD_TRY(
        mcd_attic_put(map->attic, &map->arc_number, map->arc_count * sizeof *map->arc_number, watch, error));
    MCD_TRY(mcd_attic_put(map->attic, &map->arc_way, map->number_count * sizeof *map->arc_way, watch, error));
    MCD_TRY(mcd_map_put_facts(map, watch, error));
    MCD_TRY(mcd_map_put_coordinates(map, watch, error));
    mcd_free(map->node_id); /* map->id has them */
    map->node_id = NULL;
    return MACADAM_OK;
}

/* Finishes an import: makes the edge file from a map that was just read. */
static macadam_status finish(mcd_map *map, const macadam_import_options *options, macadam_error *error)
{
    const mcd_build_options build = {.ready = options->ready,
                                     .output = options->output,
                                     .parallel = mcd_parallel_of(options->threads, options->executor),
                                     .progress = {options->progress, options->context}};
    mcd_watch watch = mcd_watch_of(&build.progress, "checking the map");
    MCD_TRY(mcd_map_check(map, &watch, error));
    MCD_TRY(put_away(map, &watch, error));
    mcd_node *order = NULL;
    macadam_status status = order_nodes(&order, map, options, &build, error);
    if (status == MACADAM_OK) status = mcd_build_file(map, order, &build, error);
    mcd_free(order);
    return status;
}

static macadam_status check_weight_paths(const macadam_dimacs_input *input, macadam_error *error)
{
    if (input->quantity_count == 0 || !input->quantity || !input->weight)
        return mcd_fail(error, MACADAM_E_INVALID, "no quantity is given");
    if (input->quantity_count > MCD_QUANTITY_MAX)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu quantities are more than %d", input->quantity_count,
                        MCD_QUANTITY_MAX);
    for (size_t quantity = 0; quantity < input->quantity_count; ++quantity)
        if (!input->weight[quantity])
            return mcd_fail(error, MACADAM_E_INVALID, "quantity %zu has no weight file", quantity);
    return MACADAM_OK;
}

macadam_status macadam_import_dimacs(const macadam_dimacs_input *input, const macadam_import_options *options,
                                     macadam_error *error)
{
    macadam_import_options own;
    macadam_dimacs_input files = MACADAM_DIMACS_INPUT_INIT;
    MCD_TRY(adopt_options(&own, options, error));
    MCD_TRY(mcd_options_adopt(&files, sizeof files, input, "DIMACS input", error));
    MCD_TRY(check_weight_paths(&files, error));
    MCD_TRY(refuse_heights(&own, error));
    const mcd_progress progress = {own.progress, own.context};
    mcd_map map = new_map(&own);
    macadam_status status = mcd_dimacs_read(&map, &files, &progress, error);
    if (status == MACADAM_OK) status = describe(&map, files.weight[0], "", &own, error);
    if (status == MACADAM_OK) status = finish(&map, &own, error);
    mcd_map_free(&map);
    return status;
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

macadam_status macadam_import_osm_files(const char *const *path, size_t path_count, const char *profile_name,
                                        const macadam_import_options *options, macadam_error *error)
{
    macadam_import_options own;
    MCD_TRY(adopt_options(&own, options, error));
    if (!path && path_count > 0)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu OpenStreetMap files without names", path_count);
    mcd_profile profile;
    mcd_vehicle vehicle;
    if (own.vehicle) MCD_TRY(mcd_vehicle_read(&vehicle, own.vehicle, error));
    MCD_TRY(mcd_profile_read(&profile, profile_name ? profile_name : "car", error));
    profile.vehicle = own.vehicle ? &vehicle : NULL;
    const mcd_parallel parallel = mcd_parallel_of(own.threads, own.executor);
    const mcd_progress progress = {own.progress, own.context};
    const mcd_report report = {own.report, own.context};
    mcd_map map = new_map(&own);
    macadam_status status =
        mcd_osm_read(&map, path, path_count, &profile, &parallel, &progress, &report, error);
    if (status == MACADAM_OK) {
        char *const names = join_file_names(path, path_count);
        status = names ? describe(&map, names, profile.name, &own, error)
                       : mcd_fail_memory(error, 1, "the names of the files");
        mcd_free(names);
    }
    if (status == MACADAM_OK) status = finish(&map, &own, error);
    mcd_map_free(&map);
    mcd_profile_free(&profile);
    return status;
}

macadam_status macadam_import_osm(const char *path, const char *profile,
                                  const macadam_import_options *options, macadam_error *error)
{
    if (!path) return mcd_fail(error, MACADAM_E_INVALID, "no OpenStreetMap file is named");
    return macadam_import_osm_files(&path, 1, profile, options, error);
}

macadam_status macadam_import_arrays(const macadam_arrays_input *input, const macadam_import_options *options,
                                     macadam_error *error)
{
    macadam_import_options own;
    macadam_arrays_input arrays = MACADAM_ARRAYS_INPUT_INIT;
    MCD_TRY(adopt_options(&own, options, error));
    MCD_TRY(mcd_options_adopt(&arrays, sizeof arrays, input, "arrays input", error));
    MCD_TRY(refuse_heights(&own, error));
    mcd_map map = new_map(&own);
    const mcd_progress progress = {own.progress, own.context};
    mcd_watch watch = mcd_watch_of(&progress, "copying arrays");
    macadam_status status = mcd_arrays_read(&map, &arrays, &watch, error);
    if (status == MACADAM_OK) status = describe(&map, "", "", &own, error);
    if (status == MACADAM_OK) status = finish(&map, &own, error);
    mcd_map_free(&map);
    return status;
}
