/* test_snapped_device.c - devices answer about places within roads as the processor does, also into their own
 * memory. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/fixture.h"
#include "tests/support/files.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SIDE = 15, PLACES = 48, CELLS = PLACES * PLACES, QUANTITIES = 2, PATHS_MAX = 1 << 20, LIMIT = 60000 };

static macadam_error error;
static char folder[FILES_PATH_BYTES];
static macadam_engine *host, *device;
static macadam_place place[PLACES], source[CELLS], target[CELLS];
static double lon[SIDE * SIDE], lat[SIDE * SIDE];
static size_t node_count;

/* Writes a town of SIDE x SIDE junctions some 100 m apart, for cars. Cars turn back only at dead ends, so
 * junctions are split. Every fourth street is one-way. */
static void write_town(const char *path)
{
    test_rng rng = {9};
    FILE *const file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "<osm version=\"0.6\">\n");
    for (int node = 0; node < SIDE * SIDE; ++node) {
        lon[node] = 8.5 + node % SIDE * 0.0013 + rng_below(&rng, 6000) * 1e-7;
        lat[node] = 47.1 + node / SIDE * 0.0009 + rng_below(&rng, 4000) * 1e-7;
        fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", node + 1, lon[node], lat[node]);
    }
    for (int way = 0; way < 2 * SIDE; ++way) {
        fprintf(file, "<way id=\"%d\"><tag k=\"highway\" v=\"residential\"/>", way + 1);
        if (way % 4 == 1) fprintf(file, "<tag k=\"oneway\" v=\"%s\"/>", way % 8 == 1 ? "yes" : "-1");
        for (int i = 0; i < SIDE; ++i)
            fprintf(file, "<nd ref=\"%d\"/>", 1 + (way < SIDE ? way * SIDE + i : i * SIDE + way - SIDE));
        fprintf(file, "</way>\n");
    }
    fprintf(file, "</osm>\n");
    fclose(file);
}

/* Every third place is within one of a few streets; one is a junction's id, one is nowhere. */
static void draw_places(void)
{
    test_rng rng = {10};
    for (size_t i = 0; i < PLACES; ++i) {
        const uint32_t a = rng_below(&rng, i % 3 ? SIDE * (SIDE - 1) : 5), b = a + (i % 3 == 1 ? SIDE : 1);
        const double share = rng_below(&rng, 100) / 100.0;
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                   .lon = lon[a] + (lon[b] - lon[a]) * share,
                                   .lat = lat[a] + (lat[b] - lat[a]) * share};
    }
    place[7] = (macadam_place){.id = 7};
    place[8].lon = 0;
    for (size_t i = 0; i < CELLS; ++i) source[i] = place[i / PLACES], target[i] = place[i % PLACES];
}

static void set_up(void)
{
    char town[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    allocator_install();
    emulated_module_install();
    files_new_folder(folder);
    snprintf(town, sizeof town, "%s/town.osm", folder);
    snprintf(path, sizeof path, "%s/town.mcd", folder);
    write_town(town);
    draw_places();
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path;
    fixture_expect_ok(macadam_import_osm(town, "car", &options, &error), &error, "import");
    host = fixture_open_file(path, 2);
    device = emulated_module_open(path, "cuda", 2);
    macadam_info info = MACADAM_INFO_INIT;
    fixture_expect_ok(macadam_engine_info(host, &info, &error), &error, "info");
    node_count = info.node_count;
    cr_assert_gt(node_count, 2 * info.id_count);
}

static void tear_down(void)
{
    macadam_engine_close(host);
    macadam_engine_close(device);
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(snapped_device, .init = set_up, .fini = tear_down);

/* Asks for answers into arrays. */
typedef macadam_status (*ask_for)(macadam_engine *engine, const macadam_query *query, uint32_t *const *value);

static macadam_status ask_matrix(macadam_engine *engine, const macadam_query *query, uint32_t *const *value)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = place, request.source_count = request.target_count = PLACES;
    return macadam_matrix_into(engine, query, &request, value, NULL, &error);
}

static macadam_status ask_routes(macadam_engine *engine, const macadam_query *query, uint32_t *const *value)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = source, request.target = target, request.pair_count = CELLS;
    return macadam_routes(engine, query, &request, value, NULL, &error);
}

static macadam_status ask_tree(macadam_engine *engine, const macadam_query *query, uint32_t *const *value)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = place, request.source_count = PLACES;
    return macadam_tree(engine, query, &request, value, NULL, &error);
}

static macadam_status ask_near_far(macadam_engine *engine, const macadam_query *query, uint32_t *const *value)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = place, request.source_count = PLACES;
    request.method = MACADAM_TREE_NEAR_FAR;
    return macadam_tree(engine, query, &request, value, NULL, &error);
}

static macadam_status ask_lanes_back(macadam_engine *engine, const macadam_query *query,
                                     uint32_t *const *value)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = place, request.source_count = PLACES, request.reverse = true;
    request.order = MACADAM_ORDER_LANES;
    return macadam_tree(engine, query, &request, value, NULL, &error);
}

/* To each place: two numbers, and the nearest others. */
static macadam_status ask_reach(macadam_engine *engine, const macadam_query *query, uint32_t *const *value)
{
    static const uint32_t limit = LIMIT;
    uint64_t count[PLACES], sum[PLACES];
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    request.source = request.target = place, request.source_count = request.target_count = PLACES;
    request.limit = &limit, request.limit_count = 1, request.nearest_count = 5;
    request.reverse = true;
    answer.node_count = count, answer.cost_sum = sum, answer.nearest_position = value[0] + 2 * PLACES;
    const macadam_status status = macadam_reach_find(engine, query, &request, &answer, NULL, &error);
    for (size_t i = 0; i < PLACES; ++i) {
        value[0][i] = (uint32_t)count[i];
        value[0][PLACES + i] = (uint32_t)sum[i];
    }
    return status;
}

static macadam_status ask_hops(macadam_engine *engine, const macadam_query *query, uint32_t *const *value)
{
    macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
    request.source = place, request.source_count = PLACES;
    return macadam_hops(engine, query, &request, value[0], value[0] + PLACES * SIDE * SIDE, NULL, &error);
}

static macadam_status ask_connections(macadam_engine *engine, const macadam_query *query,
                                      uint32_t *const *value)
{
    uint32_t *next = value[0];
    for (size_t i = 0; i < PLACES; ++i) {
        macadam_connect_request request = MACADAM_CONNECT_REQUEST_INIT;
        macadam_connection *found;
        request.source = place[i], request.target = place[(i + 5) % PLACES];
        const macadam_status status = macadam_connect(engine, query, &request, &found, &error);
        if (status) return status;
        *next++ = found->hops;
        for (size_t n = 0; n < found->node_count; ++n) *next++ = (uint32_t)found->id[n];
        macadam_connection_free(found);
    }
    return MACADAM_OK;
}

static void expect_equal(const uint32_t *expected, const uint32_t *got, size_t cells, const char *what)
{
    for (size_t i = 0; i < cells; ++i)
        cr_assert_eq(got[i], expected[i], "%s: cell %zu: %u, not %u", what, i, got[i], expected[i]);
}

static void expect_answers(ask_for ask, size_t cells, const char *what)
{
    static const size_t asked[] = {0, 4,
                                   7}; /* the objective, companion and objective, the other's companion */
    for (size_t a = 0; a < sizeof asked / sizeof *asked; ++a) {
        const char *names[QUANTITIES];
        const fixture_asked *which = &fixture_asked_all[asked[a]];
        const macadam_query query = fixture_query(which, names);
        uint32_t *expected[QUANTITIES], *got[QUANTITIES];
        void *there[QUANTITIES] = {NULL, NULL};
        for (size_t q = 0; q < QUANTITIES; ++q) {
            expected[q] = checked_allocate(cells, sizeof **expected),
            got[q] = checked_zeroed(cells, sizeof **got);
            cr_assert_eq(
                macadam_memory_new(&there[q], device, MACADAM_MEMORY_DEVICE, cells * sizeof **got, &error),
                MACADAM_OK);
        }
        cr_assert_eq(ask(host, &query, expected), MACADAM_OK, "%s", error.message);
        cr_assert_eq(ask(device, &query, got), MACADAM_OK, "%s", error.message);
        for (size_t c = 0; c < fixture_column_count(which); ++c)
            expect_equal(expected[c], got[c], cells, what);
        uint32_t *const into[QUANTITIES] = {there[0], there[1]};
        cr_assert_eq(ask(device, &query, into), MACADAM_OK, "%s", error.message);
        for (size_t c = 0; c < fixture_column_count(which); ++c) {
            memset(got[c], 0, cells * sizeof **got);
            cr_assert_eq(macadam_memory_read(device, got[c], there[c], cells * sizeof **got, &error),
                         MACADAM_OK);
            expect_equal(expected[c], got[c], cells, what);
        }
        for (size_t q = 0; q < QUANTITIES; ++q) {
            free(expected[q]);
            free(got[q]);
            macadam_memory_free(device, there[q]);
        }
    }
}

/* Asks for answers that only host memory can hold. */
static void expect_words(ask_for ask, size_t words, const char *what)
{
    uint32_t *const expected = checked_zeroed(words, sizeof *expected), *const got = checked_zeroed(
                                                                            words, sizeof *got);
    cr_assert_eq(ask(host, NULL, &expected), MACADAM_OK, "%s", error.message);
    cr_assert_eq(ask(device, NULL, &got), MACADAM_OK, "%s", error.message);
    expect_equal(expected, got, words, what);
    free(expected);
    free(got);
}

Test(snapped_device, reach_and_hops_are_those_of_the_processor)
{
    expect_words(ask_reach, 7 * PLACES, "reach");
    expect_words(ask_hops, 2 * PLACES * SIDE * SIDE, "hops");
    expect_words(ask_connections, PLACES * (1 + SIDE * SIDE), "connections");
}

/* The streets' ends are split into copies: one lane is not enough for each place that is arrived at. */
Test(snapped_device, reach_is_the_sum_of_trees)
{
    const size_t ids = SIDE * SIDE;
    uint32_t reach[7 * PLACES], *const answer = reach;
    uint32_t *const cost = checked_allocate(PLACES * ids, sizeof *cost);
    cr_assert_eq(ask_reach(host, NULL, &answer), MACADAM_OK, "%s", error.message);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = place, request.source_count = PLACES, request.reverse = true;
    cr_assert_eq(macadam_tree(host, NULL, &request, &cost, NULL, &error), MACADAM_OK, "%s", error.message);
    for (size_t p = 0; p < PLACES; ++p) {
        uint32_t count = 0, sum = 0;
        for (size_t i = 0; i < ids; ++i) {
            const uint32_t at = cost[p * ids + i];
            count += at <= LIMIT;
            sum += at == MACADAM_UNREACHED ? 0 : at;
        }
        cr_assert_eq(reach[p], count, "place %zu: %u nodes, not %u", p, reach[p], count);
        cr_assert_eq(reach[PLACES + p], sum, "place %zu: a sum of %u, not %u", p, reach[PLACES + p], sum);
    }
    free(cost);
}

Test(snapped_device, costs_are_those_of_the_processor)
{
    expect_answers(ask_matrix, CELLS, "matrix");
    expect_answers(ask_routes, CELLS, "routes");
    expect_answers(ask_tree, PLACES * SIDE * SIDE, "tree");
    expect_answers(ask_near_far, PLACES * SIDE * SIDE, "near-far");
    expect_answers(ask_lanes_back, PLACES * node_count, "lanes");
}

/* All paths, one after another. */
typedef struct path_log {
    uint64_t *arc;
    size_t count;
} path_log;

static bool log_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    path_log *log = context;
    cr_assert_leq(log->count + arc_count + 2, PATHS_MAX);
    log->arc[log->count++] = pair;
    log->arc[log->count++] = arc_count;
    for (size_t i = 0; i < arc_count; ++i) log->arc[log->count++] = arc[i];
    return true;
}

static void expect_paths(void)
{
    static uint32_t cost[2][CELLS];
    path_log log[2] = {{checked_allocate(PATHS_MAX, sizeof(uint64_t)), 0},
                       {checked_allocate(PATHS_MAX, sizeof(uint64_t)), 0}};
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = source, request.target = target, request.pair_count = CELLS;
    macadam_engine *const engine[] = {host, device};
    for (int e = 0; e < 2; ++e)
        cr_assert_eq(macadam_routes_paths(engine[e], NULL, &request, (uint32_t *const[]){cost[e]}, NULL,
                                          log_path, &log[e], &error),
                     MACADAM_OK, "%s", error.message);
    expect_equal(cost[0], cost[1], CELLS, "paths");
    cr_assert_eq(log[0].count, log[1].count);
    for (size_t i = 0; i < log[0].count; ++i) cr_assert_eq(log[1].arc[i], log[0].arc[i], "word %zu", i);
    free(log[0].arc);
    free(log[1].arc);
}

Test(snapped_device, paths_are_those_of_the_processor)
{
    expect_paths();
}

/* Gives some arcs an extreme weight in one quantity. */
static void shake(macadam_engine *engine)
{
    enum { CHANGED = 40, ARCS = 600 };
    test_rng rng = {11};
    for (size_t q = 0; q < QUANTITIES; ++q) {
        uint64_t arc[CHANGED];
        uint32_t weight[CHANGED], *const value = weight;
        for (size_t i = 0; i < CHANGED; ++i) {
            arc[i] = 1 + rng_below(&rng, ARCS);
            weight[i] = i % 3 ? MACADAM_WEIGHT_MAX - rng_below(&rng, 2) : MACADAM_WEIGHT_MAX / 2;
        }
        macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
        request.arc = arc, request.count = CHANGED, request.value = (const uint32_t *const *)&value;
        request.quantity = &fixture_quantity[q], request.quantity_count = 1;
        cr_assert_eq(macadam_update(engine, &request, &error), MACADAM_OK, "%s", error.message);
    }
}

Test(snapped_device, answers_about_extreme_weights_are_those_of_the_processor)
{
    shake(host);
    shake(device);
    expect_answers(ask_matrix, CELLS, "matrix");
    expect_answers(ask_routes, CELLS, "routes");
    expect_answers(ask_tree, PLACES * SIDE * SIDE, "tree");
    expect_answers(ask_near_far, PLACES * SIDE * SIDE, "near-far");
    expect_paths();
}
