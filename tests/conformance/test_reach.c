/* test_reach.c - reach over macadam.h against the oracle's trees, summed node by node, on every hostile
 * graph. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/reach_answer.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
    SOURCES_MAX = 300,
    SOURCES_OF_LARGE = 17,
    LARGE = 5000,
    TARGETS = 30,
    LIMITS = MACADAM_REACH_LIMITS_MAX
};

static const fixture_asked objective_of[2] = {{0, 0, {0}}, {1, 1, {1}}};

/* A graph's engine, one metric and direction of it, and what is right. */
typedef struct reach_case {
    fixture_engine fixture;
    fixture_asked asked;
    expected_trees trees;
    uint32_t *cost;  /* [source * node_count + position of the id] */
    uint32_t *value; /* [position of the id] */
    macadam_place *source, target[TARGETS];
    uint32_t target_column[TARGETS], limit[LIMITS];
    macadam_reach_request request;
    bool only_nearest; /* nothing else is requested */
} reach_case;

/* On costs, beside them and at both ends, in no order. */
static void draw_limits(reach_case *c, test_rng *rng)
{
    const size_t cells = c->trees.source_count * c->trees.node_count;
    for (size_t i = 0; i < LIMITS; ++i) {
        uint32_t cost = c->cost[rng_below(rng, (uint32_t)cells)];
        if (i % 4 == 1 && cost) --cost;
        c->limit[i] = cost > MACADAM_WEIGHT_MAX || i == 9 ? MACADAM_WEIGHT_MAX : i == 5 ? 0 : cost;
    }
}

/* The tenth target is unknown; some are there twice. */
static void draw_targets(reach_case *c, test_rng *rng)
{
    for (size_t t = 0; t < TARGETS; ++t) {
        const uint32_t node = rng_below(rng, (uint32_t)c->trees.node_count);
        c->target[t] = fixture_place(node);
        c->target_column[t] = c->fixture.position[node];
        if (t % 7 == 6) c->target[t] = c->target[t - 1], c->target_column[t] = c->target_column[t - 1];
    }
    c->target[9].id = INT64_MAX;
    c->target_column[9] = UINT32_MAX;
}

static void case_open(reach_case *c, const test_graph *graph, unsigned threads, size_t metric, bool reverse)
{
    const size_t node_count = graph->node_count;
    test_rng rng = {metric + 1};
    *c = (reach_case){.asked = objective_of[metric], .request = MACADAM_REACH_REQUEST_INIT};
    fixture_open(&c->fixture, graph, threads);
    c->trees =
        expected_new(graph, &c->asked, reverse, 0, node_count > LARGE ? SOURCES_OF_LARGE : SOURCES_MAX, 1);
    c->source = expected_places(&c->trees, c->trees.source_count);
    c->cost = checked_allocate(c->trees.source_count * node_count, sizeof *c->cost);
    c->value = checked_allocate(node_count, sizeof *c->value);
    for (size_t i = 0; i < c->trees.source_count; ++i)
        for (uint32_t node = 0; node < node_count; ++node)
            c->cost[i * node_count + c->fixture.position[node]] =
                c->trees.value[metric][i * node_count + node];
    for (size_t i = 0; i < node_count; ++i) c->value[i] = i % 5 ? rng_below(&rng, UINT32_MAX) : UINT32_MAX;
    draw_limits(c, &rng);
    draw_targets(c, &rng);
    c->request.source = c->source;
    c->request.source_count = c->trees.source_count;
    c->request.reverse = reverse;
    c->request.limit = c->limit;
    c->request.limit_count = LIMITS;
    c->request.value = c->value;
    c->request.target = c->target;
    c->request.target_count = TARGETS;
    c->request.nearest_count = 5;
}

static void case_close(reach_case *c)
{
    fixture_close(&c->fixture);
    expected_free(&c->trees);
    free(c->source);
    free(c->cost);
    free(c->value);
}

/* Asks `engine` what the case's request says and compares. */
static void check_on(const reach_case *c, macadam_engine *engine, uint64_t memory_limit)
{
    const char *names[2];
    macadam_query query = fixture_query(&c->asked, names);
    macadam_place_status status[SOURCES_MAX + TARGETS];
    macadam_error error;
    query.memory_limit = memory_limit;
    macadam_reach found = reach_answer_new(&c->request, !c->only_nearest),
                  right = reach_answer_new(&c->request, !c->only_nearest);
    fixture_expect_ok(macadam_reach_find(&found, status, engine, &query, &c->request, &error), &error,
                      c->fixture.graph->name);
    for (size_t i = 0; i < c->request.source_count; ++i) {
        reach_answer_sum(&right, &c->request, i, c->cost + i * c->trees.node_count, c->trees.node_count);
        reach_answer_list(&right, &c->request, i, c->cost + i * c->trees.node_count, c->target_column);
        cr_assert_eq(status[i], MACADAM_PLACE_OK);
    }
    for (size_t t = 0; t < c->request.target_count; ++t)
        cr_assert_eq(status[c->request.source_count + t],
                     c->target_column[t] == UINT32_MAX ? MACADAM_PLACE_UNKNOWN_ID : MACADAM_PLACE_OK);
    reach_answer_compare(&found, &right, &c->request, c->fixture.graph->name);
    reach_answer_free(&found);
    reach_answer_free(&right);
}

/* The same targets, prepared. */
static void check_prepared(const reach_case *c)
{
    const char *names[2];
    const macadam_query query = fixture_query(&c->asked, names);
    macadam_reach_request request = c->request;
    macadam_place_status status[SOURCES_MAX + TARGETS];
    macadam_error error;
    request.limit_count = 0;
    macadam_reach found = reach_answer_new(&request, false), right = reach_answer_new(&request, false);
    fixture_expect_ok(reach_answer_prepare(c->fixture.engine, &query, &request, &found, status, &error),
                      &error, c->fixture.graph->name);
    for (size_t i = 0; i < request.source_count; ++i)
        reach_answer_list(&right, &request, i, c->cost + i * c->trees.node_count, c->target_column);
    for (size_t t = 0; t < request.target_count; ++t)
        cr_assert_eq(status[request.source_count + t],
                     c->target_column[t] == UINT32_MAX ? MACADAM_PLACE_UNKNOWN_ID : MACADAM_PLACE_OK);
    reach_answer_compare(&found, &right, &request, c->fixture.graph->name);
    reach_answer_free(&found);
    reach_answer_free(&right);
}

static void check(reach_case *c)
{
    check_on(c, c->fixture.engine, 0);
    if (c->request.nearest_count >= 1 && c->request.nearest_count <= MACADAM_NEAREST_MAX) check_prepared(c);
}

static void each_graph(void (*claim)(reach_case *c))
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        for (size_t way = 0; way < 4 && graph.node_count > 0; ++way) {
            SCOPED(case_close) reach_case c;
            case_open(&c, &graph, 2, way / 2, way % 2);
            claim(&c);
        }
    }
}

Test(reach, equals_the_sums_of_the_oracles_trees)
{
    each_graph(check);
}

static void check_batches(reach_case *c)
{
    static const size_t batches[] = {1, 2, 16, 17, 64, 65, SOURCES_MAX};
    for (size_t b = 0; b < sizeof batches / sizeof *batches && batches[b] <= c->trees.source_count; ++b) {
        c->request.source_count = batches[b];
        check(c);
    }
}

static void check_parts(reach_case *c)
{
    const macadam_reach_request whole = c->request;
    c->request.source_count = 3;
    c->request.value = NULL;
    c->request.limit_count = 1;
    check(c);
    c->request.limit_count = 0;
    c->request.nearest_count = 0;
    check(c);
    c->request = whole;
    c->request.source_count = 3;
    c->request.nearest_count = MACADAM_REACH_NEAREST_MAX;
    check(c);
}

Test(reach, any_batch_and_any_part_of_the_answers)
{
    static const char *const names[] = {"grid", "random middling", "zero-weight cycles"};
    for (size_t g = 0; g < sizeof names / sizeof *names; ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make_named(names[g]);
        SCOPED(case_close) reach_case c;
        case_open(&c, &graph, 2, g % 2, g % 2);
        check_batches(&c);
        check_parts(&c);
    }
}

/* Few targets, two of them the same and one unknown: enough sources that they are found without trees. */
static void check_nearest(reach_case *c)
{
    memmove(c->target, c->target + 5, 5 * sizeof *c->target);
    memmove(c->target_column, c->target_column + 5, 5 * sizeof *c->target_column);
    c->request.target_count = 5;
    c->request.limit_count = 0;
    c->request.value = NULL;
    c->only_nearest = true;
    for (size_t count = 1; count <= 6; ++count) {
        c->request.nearest_count = count;
        check(c);
    }
}

Test(reach, nearest_targets_need_no_trees)
{
    each_graph(check_nearest);
}

Test(reach, thread_counts_and_memory_limits_give_equal_bits)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(case_close) reach_case c;
    case_open(&c, &graph, 1, 0, false);
    for (unsigned threads = 1; threads <= 4; ++threads) {
        SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(c.fixture.path, threads);
        check_on(&c, engine, 0);
        check_on(&c, engine, 2000000);
    }
}

Test(reach, limit_of_memory_that_nothing_fits_says_how_much_is_needed)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(case_close) reach_case c;
    case_open(&c, &graph, 1, 0, false);
    const macadam_query query = {.size = sizeof query, .memory_limit = 1000};
    SCOPED(reach_answer_free) macadam_reach found = reach_answer_new(&c.request, true);
    macadam_error error = {""};
    cr_assert_eq(macadam_reach_find(&found, NULL, c.fixture.engine, &query, &c.request, &error),
                 MACADAM_E_LIMIT);
    cr_assert(strstr(error.message, "reach needs ") && strstr(error.message, "1000"), "%s", error.message);
}

/* The message names what does not fit. */
Test(reach, few_targets_nearest_to_few_sources_are_cells)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(case_close) reach_case c;
    case_open(&c, &graph, 1, 0, false);
    const macadam_query query = {.size = sizeof query, .memory_limit = 1000};
    macadam_error error = {""};
    c.request.source_count = 3, c.request.target_count = c.request.nearest_count = 5;
    c.request.limit_count = 0, c.request.value = NULL;
    SCOPED(reach_answer_free) macadam_reach found = reach_answer_new(&c.request, false);
    cr_assert_eq(macadam_reach_find(&found, NULL, c.fixture.engine, &query, &c.request, &error),
                 MACADAM_E_LIMIT);
    cr_assert(strstr(error.message, "a matrix needs "), "%s", error.message);
}

Test(reach, source_that_failed_reaches_nothing_and_the_others_all_they_can)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(case_close) reach_case c;
    case_open(&c, &graph, 1, 0, false);
    c.source[1].id = INT64_MAX;
    macadam_reach found = reach_answer_new(&c.request, true), right = reach_answer_new(&c.request, true);
    macadam_place_status status[SOURCES_MAX + TARGETS];
    memset(c.cost + graph.node_count, 0xff, graph.node_count * sizeof *c.cost);
    for (size_t i = 0; i < c.request.source_count; ++i) {
        reach_answer_sum(&right, &c.request, i, c.cost + i * graph.node_count, graph.node_count);
        reach_answer_list(&right, &c.request, i, c.cost + i * graph.node_count, c.target_column);
    }
    FIXTURE_CALL(macadam_reach_find, &found, status, c.fixture.engine, NULL, &c.request);
    cr_assert(status[0] == MACADAM_PLACE_OK && status[1] == MACADAM_PLACE_UNKNOWN_ID);
    reach_answer_compare(&found, &right, &c.request, "grid");
    cr_assert(found.eccentricity[1] == MACADAM_UNREACHED && found.reached[1] == 0);
    reach_answer_free(&found);
    reach_answer_free(&right);
}

Test(reach, map_without_nodes_is_reached_by_nothing)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("no node");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    const macadam_place source = fixture_place(0);
    const uint32_t limit = 5;
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = request.target = &source;
    request.source_count = request.target_count = request.limit_count = request.nearest_count = 1;
    request.limit = &limit;
    SCOPED(reach_answer_free) macadam_reach found = reach_answer_new(&request, true);
    FIXTURE_CALL(macadam_reach_find, &found, NULL, fixture.engine, NULL, &request);
    cr_assert(found.node_count[0] == 0 && found.reached[0] == 0 && found.nearest_found[0] == 0);
    cr_assert_eq(found.eccentricity[0], MACADAM_UNREACHED);
}
