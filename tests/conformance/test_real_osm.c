/* test_real_osm.c - engines of OpenStreetMap files against the oracle on the arcs that the importer delivers,
 * which include turn restrictions as split nodes. Needs MACADAM_DATA. */
#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/reach_answer.h"
#include "tests/support/rng.h"
#include "tests/support/route_check.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const file_names[] = {
    "osm/monaco.osm.gz",
    "osm/andorra-gisops.osm.pbf",
    "osm/cathedral-no-left.osm.pbf",
    "osm/heidelberg.test.osm.pbf",
    "osm/liechtenstein-gisops.osm.pbf",
    "osm/malta-latest.osm.pbf",
    "osm/milan_italy_small.osm.pbf",
    "osm/reisterstown-via-restriction.osm.pbf",
};
enum { FILES = sizeof file_names / sizeof *file_names, SOURCES = 16, PAIRS = 300, COSTS = 2 };

/* A file as the importer's arcs and as an engine. */
typedef struct osm_case {
    const char *name;
    mcd_map map;
    test_graph graph;            /* borrows the map's arcs */
    size_t *end_arc, *other_arc; /* of a number, of an arc: the next one of its number; 1-based, 0 = none */
    uint64_t number_max;
    size_t *arrival; /* of a node: its arrival arc, 1-based, 0 = none */
    char folder[FILES_PATH_BYTES];
    macadam_engine *engine;
} osm_case;

/* Arcs that leave the copies of a split node repeat their number. */
static void index_numbers(osm_case *osm)
{
    const mcd_map *map = &osm->map;
    for (size_t i = 0; i < map->arc_count; ++i)
        if (map->arc_number[i] != MCD_ARC_NONE && map->arc_number[i] > osm->number_max)
            osm->number_max = map->arc_number[i];
    osm->end_arc = checked_zeroed(osm->number_max + 1, sizeof *osm->end_arc);
    osm->other_arc = checked_zeroed(map->arc_count + 1, sizeof *osm->other_arc);
    osm->arrival = checked_zeroed(map->node_count, sizeof *osm->arrival);
    for (size_t i = 0; i < map->arc_count; ++i) {
        if (map->arc_number[i] == MCD_ARC_NONE) {
            osm->arrival[map->tail[i]] = i + 1;
            continue;
        }
        osm->other_arc[i + 1] = osm->end_arc[map->arc_number[i]];
        osm->end_arc[map->arc_number[i]] = i + 1;
    }
}

/* The index of the arc of this number that leaves `tail`, 1-based; 0: none does. */
static size_t find_arc(const osm_case *osm, uint64_t number, mcd_node tail)
{
    size_t arc = number <= osm->number_max ? osm->end_arc[number] : 0;
    while (arc > 0 && osm->map.tail[arc - 1] != tail) arc = osm->other_arc[arc];
    return arc;
}

static void open_case(osm_case *osm, const char *name)
{
    char path[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];
    if (!files_find_data(path, name)) cr_skip_test("MACADAM_DATA is not set");
    *osm = (osm_case){.name = name};
    macadam_error error;
    mcd_profile profile;
    FIXTURE_CALL(mcd_profile_read, &profile, "car");
    const mcd_parallel parallel = mcd_parallel_of(2, NULL);
    const mcd_progress progress = {NULL, NULL};
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    fixture_expect_ok(
        osm_read(&osm->map, (const char *const[]){path}, 1, &profile, &parallel, &progress, &options, &error),
        &error, name);
    mcd_profile_free(&profile);
    cr_assert_eq(osm->map.quantity_count, 2);
    for (mcd_arc arc = 0; arc < osm->map.arc_count; ++arc) /* questions here name no slot */
        for (size_t q = 0; q < COSTS && mcd_map_is_shut(&osm->map, arc); ++q)
            osm->map.weight[q][arc] = MACADAM_WEIGHT_CLOSED;
    osm->graph = (test_graph){.name = name,
                              .node_count = osm->map.node_count,
                              .arc_count = osm->map.arc_count,
                              .tail = osm->map.tail,
                              .head = osm->map.head,
                              .weight = {osm->map.weight[0], osm->map.weight[1]}};
    index_numbers(osm);
    files_new_path(osm->folder, output, "osm.mcd");
    options.output = output;
    fixture_expect_ok(macadam_import_osm(path, NULL, &options, &error), &error, name);
    osm->engine = fixture_open_file(output, 2);
}

static void close_case(osm_case *osm)
{
    macadam_engine_close(osm->engine);
    files_remove_folder(osm->folder);
    free(osm->end_arc);
    free(osm->other_arc);
    free(osm->arrival);
    mcd_map_free(&osm->map);
}

static size_t *draw_ids(const osm_case *osm, uint64_t seed, size_t count, macadam_place *place)
{
    test_rng rng = {seed};
    size_t *index = checked_allocate(count, sizeof *index);
    for (size_t i = 0; i < count; ++i) {
        index[i] = rng_below(&rng, (uint32_t)osm->map.id_count);
        place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = osm->map.id[index[i]]};
    }
    return index;
}

static macadam_query both_of(size_t metric, const char *names[2])
{
    const fixture_asked both = {metric, 2, {0, 1}};
    return fixture_query(&both, names);
}

static void check_trees(const osm_case *osm, size_t metric, bool reverse)
{
    const char *names[2];
    const macadam_query query = both_of(metric, names);
    const mcd_map *map = &osm->map;
    const oracle_arcs arcs = test_graph_arcs(&osm->graph, metric);
    macadam_place place[SOURCES];
    FREED size_t *source = draw_ids(osm, metric, SOURCES, place);
    const macadam_tree_request request = {
        .size = sizeof request, .source = place, .source_count = SOURCES, .reverse = reverse};
    uint32_t *value[COSTS], *right[COSTS];
    for (size_t q = 0; q < COSTS; ++q) {
        value[q] = checked_allocate(SOURCES * map->id_count, sizeof *value[q]);
        right[q] = checked_allocate(map->node_count, sizeof *right[q]);
    }
    macadam_error error;
    fixture_expect_ok(macadam_tree_find(value, NULL, osm->engine, &query, &request, &error), &error,
                      osm->name);
    test_oracle *oracle = oracle_new(&arcs, reverse);
    for (size_t i = 0; i < SOURCES; ++i) {
        const mcd_node *start = reverse ? map->arrive : map->depart,
                       *end = reverse ? map->depart : map->arrive;
        oracle_tree(oracle, start[source[i]], 0, right[metric], right[1 - metric]);
        for (size_t k = 0; k < map->id_count; ++k)
            for (size_t q = 0; q < COSTS; ++q)
                cr_assert_eq(value[q][i * map->id_count + k], right[q][end[k]],
                             "%s: metric %zu, quantity %zu, %s %lld and %lld: %u instead of %u", osm->name,
                             metric, q, reverse ? "reverse" : "forward", (long long)map->id[source[i]],
                             (long long)map->id[k], value[q][i * map->id_count + k], right[q][end[k]]);
    }
    oracle_free(oracle);
    for (size_t q = 0; q < COSTS; ++q) free(value[q]), free(right[q]);
}

typedef struct osm_routes {
    const osm_case *osm;
    const size_t *source, *target;
    uint32_t *const *value;
    size_t found_count;
} osm_routes;

/* The arcs connect through the split nodes' copies, so that no restriction is broken. */
static bool check_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    osm_routes *routes = context;
    const osm_case *osm = routes->osm;
    const mcd_map *map = &osm->map;
    const int64_t source = map->id[routes->source[pair]], target = map->id[routes->target[pair]];
    if (routes->value[0][pair] == MACADAM_UNREACHED || source == target) return arc_count == 0;
    cr_assert_gt(arc_count, 0);
    uint64_t *number = checked_allocate(arc_count + 1, sizeof *number), sum[2];
    uint32_t last = map->depart[routes->source[pair]];
    for (size_t i = 0; i < arc_count; ++i) {
        number[i] = find_arc(osm, arc[i], last);
        cr_assert_gt(number[i], 0, "%s: no arc %llu leaves the node reached", osm->name,
                     (unsigned long long)arc[i]);
        last = map->head[number[i] - 1];
    }
    cr_assert_eq(map->node_id[last], target);
    if (osm->arrival[last]) { /* one may wait there before one arrives */
        number[arc_count++] = osm->arrival[last];
        last = map->arrive[routes->target[pair]];
    }
    const char *fault =
        route_check_path(&osm->graph, map->depart[routes->source[pair]], last, number, arc_count, sum);
    cr_assert_null(fault, "%s: from %lld to %lld: %s", osm->name, (long long)source, (long long)target,
                   fault);
    for (size_t q = 0; q < COSTS; ++q) cr_assert_eq(routes->value[q][pair], sum[q]);
    ++routes->found_count;
    free(number);
    return true;
}

static void check_routes(const osm_case *osm, size_t metric)
{
    const char *names[2];
    const macadam_query query = both_of(metric, names);
    macadam_place from[PAIRS], to[PAIRS];
    FREED size_t *source = draw_ids(osm, 10 + metric, PAIRS, from),
                 *target = draw_ids(osm, 20 + metric, PAIRS, to);
    uint32_t cost[COSTS][PAIRS], *const value[COSTS] = {cost[0], cost[1]};
    const macadam_routes_request request = {
        .size = sizeof request, .source = from, .target = to, .pair_count = PAIRS};
    osm_routes context = {osm, source, target, value, 0};
    macadam_error error;
    fixture_expect_ok(
        macadam_routes_find_paths(value, NULL, osm->engine, &query, &request, check_path, &context, &error),
        &error, osm->name);
    cr_assert_gt(context.found_count, PAIRS / 4, "%s: only %zu routes found", osm->name, context.found_count);
}

static void each_file(void (*check)(const osm_case *osm, size_t metric))
{
    for (size_t f = 0; f < FILES; ++f) {
        osm_case osm;
        open_case(&osm, file_names[f]);
        for (size_t metric = 0; metric < 2; ++metric) check(&osm, metric);
        close_case(&osm);
    }
}

static void check_both_ways(const osm_case *osm, size_t metric)
{
    check_trees(osm, metric, false);
    check_trees(osm, metric, true);
}

Test(osm, trees_equal_the_oracle)
{
    each_file(check_both_ways);
}

Test(osm, routes_keep_to_the_arcs_and_add_up)
{
    each_file(check_routes);
}
