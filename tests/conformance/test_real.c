/* test_real.c - answers about real road graphs against the oracle. Needs MACADAM_DATA. */
#include "tests/support/certificate.h"
#include "tests/support/checked.h"
#include "tests/support/reach_answer.h"
#include "tests/support/real_map.h"
#include "tests/support/rng.h"
#include "tests/support/route_check.h"

#include <criterion/criterion.h>
#include <string.h>

static test_graph graph;
static macadam_engine *engine;

static void open_map(real_map_name name)
{
    char path[FILES_PATH_BYTES];
    if (!real_map_read(&graph, name)) cr_skip_test("MACADAM_DATA is not set");
    real_map_path(path, name);
    engine = fixture_open_file(path, 0);
}

static void close_map(void)
{
    macadam_engine_close(engine);
    test_graph_free(&graph);
}

static size_t metric_count(void)
{
    return graph.weight[1] ? 2 : 1;
}

/* Objective and, if there is one, companion. */
static macadam_query query_of(size_t metric, const char *names[2])
{
    const fixture_asked both = {metric, metric_count(), {metric, 1 - metric}};
    return fixture_query(&both, names);
}

/* Places of drawn nodes; node[] receives them. */
static macadam_place *draw_places(uint64_t seed, size_t count, uint32_t *node)
{
    test_rng rng = {seed};
    macadam_place *place = checked_allocate(count, sizeof *place);
    for (size_t i = 0; i < count; ++i) {
        node[i] = rng_below(&rng, (uint32_t)graph.node_count);
        place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = (int64_t)node[i] + 1};
    }
    return place;
}

/* value[q][source * nodes + node], objective first; freed with free(). */
static void ask_trees(size_t metric, bool reverse, const macadam_place *source, size_t count,
                      uint32_t *value[2])
{
    const char *names[2];
    const macadam_query query = query_of(metric, names);
    const macadam_tree_request request = {
        .size = sizeof request, .source = source, .source_count = count, .reverse = reverse};
    for (size_t q = 0; q < 2; ++q) value[q] = checked_allocate(count * graph.node_count, sizeof *value[q]);
    macadam_error error;
    fixture_expect_ok(macadam_tree_find(value, NULL, engine, &query, &request, &error), &error, graph.name);
}

static oracle_arcs arcs_of(size_t metric)
{
    oracle_arcs arcs = test_graph_arcs(&graph, metric_count() == 2 ? metric : 0);
    return arcs;
}

/* Trees of `count` drawn sources, all nodes, both metrics, equal the oracle's. */
static void check_trees(bool reverse, size_t count)
{
    uint32_t *node = checked_allocate(count, sizeof *node), *value[2], *right[2];
    for (size_t q = 0; q < 2; ++q) right[q] = checked_allocate(graph.node_count, sizeof *right[q]);
    for (size_t metric = 0; metric < metric_count(); ++metric) {
        FREED macadam_place *source = draw_places(metric, count, node);
        const oracle_arcs arcs = arcs_of(metric);
        test_oracle *oracle = oracle_new(&arcs, reverse);
        ask_trees(metric, reverse, source, count, value);
        for (size_t i = 0; i < count; ++i) {
            oracle_tree(oracle, node[i], 0, right[0], metric_count() == 2 ? right[1] : NULL);
            for (size_t q = 0; q < metric_count(); ++q)
                for (size_t x = 0; x < graph.node_count; ++x)
                    cr_assert_eq(value[q][i * graph.node_count + x], right[q][x],
                                 "metric %zu, column %zu, %u to %zu: %u instead of %u", metric, q,
                                 node[i] + 1, x + 1, value[q][i * graph.node_count + x], right[q][x]);
        }
        oracle_free(oracle);
        free(value[0]);
        free(value[1]);
    }
    free(right[0]);
    free(right[1]);
    free(node);
}

/* Trees of `count` sources, certified by the arcs. */
static void check_certificates(bool reverse, size_t count)
{
    uint32_t *node = checked_allocate(count, sizeof *node), *value[2];
    for (size_t metric = 0; metric < metric_count(); ++metric) {
        FREED macadam_place *source = draw_places(50 + metric, count, node);
        const oracle_arcs arcs = arcs_of(metric);
        ask_trees(metric, reverse, source, count, value);
        for (size_t i = 0; i < count; ++i) {
            const char *fault =
                certificate_check(&arcs, node[i], reverse, 0, value[0] + i * graph.node_count);
            cr_assert_null(fault, "metric %zu from %u: %s", metric, node[i] + 1, fault);
        }
        free(value[0]);
        free(value[1]);
    }
    free(node);
}

/* ---- routes ---- */

typedef struct route_context {
    size_t metric;
    const uint32_t *source, *target;
    uint32_t *const *value;
} route_context;

static bool check_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    const route_context *routes = context;
    uint64_t sum[2];
    if (routes->value[0][pair] == MACADAM_UNREACHED) return arc_count == 0;
    const char *fault =
        route_check_path(&graph, routes->source[pair], routes->target[pair], arc, arc_count, sum);
    cr_assert_null(fault, "from %u to %u: %s", routes->source[pair] + 1, routes->target[pair] + 1, fault);
    for (size_t q = 0; q < metric_count(); ++q)
        cr_assert_eq(routes->value[q][pair], sum[q == 0 ? routes->metric : 1 - routes->metric]);
    return true;
}

/* Routes from each source to `targets_each` targets; costs equal the oracle's, paths add up to them. */
static void check_routes(size_t source_count, size_t targets_each)
{
    const size_t count = source_count * targets_each;
    FREED uint32_t *source = checked_allocate(count, sizeof *source),
                   *target = checked_allocate(count, sizeof *target);
    uint32_t *value[2], *right[2];
    for (size_t q = 0; q < 2; ++q) {
        value[q] = checked_allocate(count, sizeof *value[q]);
        right[q] = checked_allocate(graph.node_count, sizeof *right[q]);
    }
    for (size_t metric = 0; metric < metric_count(); ++metric) {
        const char *names[2];
        const macadam_query query = query_of(metric, names);
        const oracle_arcs arcs = arcs_of(metric);
        FREED macadam_place *from = draw_places(100 + metric, count, source),
                            *to = draw_places(200 + metric, count, target);
        for (size_t i = 0; i < count; ++i) {
            from[i] = from[i - i % targets_each];
            source[i] = source[i - i % targets_each];
        }
        const macadam_routes_request request = {
            .size = sizeof request, .source = from, .target = to, .pair_count = count};
        route_context context = {metric, source, target, value};
        FIXTURE_CALL(macadam_routes_find_paths, value, NULL, engine, &query, &request, check_path, &context);
        SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, false);
        for (size_t i = 0; i < count; ++i) {
            if (i % targets_each == 0)
                oracle_tree(oracle, source[i], 0, right[0], metric_count() == 2 ? right[1] : NULL);
            for (size_t q = 0; q < metric_count(); ++q) cr_assert_eq(value[q][i], right[q][target[i]]);
        }
    }
    for (size_t q = 0; q < 2; ++q) free(value[q]), free(right[q]);
}

/* ---- updates ---- */

/* Every hundredth arc gets another weight and every thousandth is closed, in both quantities. */
static void update_some(void)
{
    const size_t count = graph.arc_count / 100;
    FREED uint64_t *arc = checked_allocate(count, sizeof *arc);
    uint32_t *value[2];
    test_rng rng = {500};
    for (size_t q = 0; q < 2; ++q) value[q] = checked_allocate(count, sizeof *value[q]);
    for (size_t i = 0; i < count; ++i) {
        arc[i] = i * 100 + 1 + rng_below(&rng, 100);
        for (size_t q = 0; q < 2; ++q) {
            value[q][i] = i % 10 ? rng_below(&rng, 20000) : MACADAM_WEIGHT_CLOSED;
            graph.weight[q][arc[i] - 1] = value[q][i];
        }
    }
    const macadam_update_request request = fixture_update(arc, count, (const uint32_t *const *)value);
    FIXTURE_CALL(macadam_update, engine, &request);
    free(value[0]);
    free(value[1]);
}

/* ---- the maps ---- */

Test(new_york, trees_equal_the_oracle)
{
    open_map(NEW_YORK);
    check_trees(false, 20);
    check_trees(true, 20);
    close_map();
}

Test(new_york, routes_equal_the_oracle_and_add_up)
{
    open_map(NEW_YORK);
    check_routes(10, 1000);
    close_map();
}

Test(new_york, every_section_verifies)
{
    open_map(NEW_YORK);
    FIXTURE_CALL(macadam_engine_verify, engine);
    close_map();
}

Test(new_york, updated_weights_equal_the_oracle)
{
    open_map(NEW_YORK);
    update_some();
    check_trees(false, 5);
    check_trees(true, 5);
    check_routes(3, 300);
    close_map();
}

Test(rome, trees_equal_the_oracle)
{
    open_map(ROME);
    check_trees(false, 100);
    check_trees(true, 100);
    close_map();
}

Test(rome, routes_equal_the_oracle_and_add_up)
{
    open_map(ROME);
    check_routes(100, 100);
    close_map();
}

Test(north_east, trees_equal_the_oracle)
{
    open_map(NORTH_EAST);
    check_trees(false, 5);
    check_trees(true, 5);
    close_map();
}

Test(north_east, trees_are_certified_by_the_arcs)
{
    open_map(NORTH_EAST);
    check_certificates(false, 16);
    check_certificates(true, 16);
    close_map();
}

Test(north_east, routes_equal_the_oracle_and_add_up)
{
    open_map(NORTH_EAST);
    check_routes(3, 300);
    close_map();
}
