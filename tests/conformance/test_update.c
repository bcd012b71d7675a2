/* test_update.c - weight updates over macadam.h: answers are as if the map had been imported with the new
 * weights. */
#include "engine/runtime/engine.h"
#include "engine/runtime/version.h"
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/rng.h"
#include "tests/support/route_check.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

enum { SOURCES = 16, PAIRS = 60 };

/* ---- whether an engine answers by a graph's weights ---- */

static void check_trees(macadam_engine *engine, const fixture_engine *fixture, const test_graph *graph,
                        const fixture_asked *asked, const expected_trees *expected)
{
    const char *names[2];
    const macadam_query query = fixture_query(asked, names);
    const size_t node_count = graph->node_count;
    FREED macadam_place *source = expected_places(expected, SOURCES);
    const macadam_tree_request request = {.size = sizeof request, .source = source, .source_count = SOURCES};
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) value[q] = checked_zeroed(SOURCES * node_count, sizeof *value[q]);
    macadam_error error;
    fixture_expect_ok(macadam_tree_find(value, NULL, engine, &query, &request, &error), &error, graph->name);
    for (size_t q = 0; q < fixture_column_count(asked); ++q)
        for (size_t i = 0; i < SOURCES; ++i)
            for (uint32_t node = 0; node < node_count; ++node) {
                const uint32_t right = expected_column(expected, asked, q)[i * node_count + node];
                const uint32_t given = value[q][i * node_count + fixture->position[node]];
                cr_assert_eq(given, right, "%s: metric %zu, column %zu, from %u to %u: %u instead of %u",
                             graph->name, asked->metric, q, expected->source[i], node, given, right);
            }
    free(value[0]);
    free(value[1]);
}

typedef struct paths_context {
    const test_graph *graph;
    const expected_trees *expected;
    const fixture_asked *asked;
    const uint32_t *target;
} paths_context;

static bool check_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    const paths_context *paths = context;
    const uint32_t source = paths->expected->source[pair % SOURCES], target = paths->target[pair];
    const uint32_t right =
        paths->expected->value[paths->asked->metric][pair % SOURCES * paths->graph->node_count + target];
    uint64_t sum[2];
    if (right == ORACLE_UNREACHED) {
        cr_assert_eq(arc_count, 0);
        return true;
    }
    const char *fault = route_check_path(paths->graph, source, target, arc, arc_count, sum);
    cr_assert_null(fault, "%s: from %u to %u: %s", paths->graph->name, source, target, fault);
    cr_assert_eq(sum[paths->asked->metric], right);
    return true;
}

static void check_paths(macadam_engine *engine, const test_graph *graph, const fixture_asked *asked,
                        const expected_trees *expected)
{
    const char *names[2];
    const macadam_query query = fixture_query(asked, names);
    macadam_place source[PAIRS], target[PAIRS];
    uint32_t node[PAIRS], value[2][PAIRS];
    test_rng rng = {8};
    for (size_t i = 0; i < PAIRS; ++i) {
        node[i] = rng_below(&rng, (uint32_t)graph->node_count);
        source[i] = fixture_place(expected->source[i % SOURCES]);
        target[i] = fixture_place(node[i]);
    }
    const macadam_routes_request request = {
        .size = sizeof request, .source = source, .target = target, .pair_count = PAIRS};
    paths_context context = {graph, expected, asked, node};
    macadam_error error;
    fixture_expect_ok(macadam_routes_find_paths((uint32_t *[]){value[0], value[1]}, NULL, engine, &query,
                                                &request, check_path, &context, &error),
                      &error, graph->name);
    for (size_t i = 0; i < PAIRS; ++i)
        for (size_t q = 0; q < fixture_column_count(asked); ++q)
            cr_assert_eq(value[q][i],
                         expected_column(expected, asked, q)[i % SOURCES * graph->node_count + node[i]]);
}

/* Trees and paths of both metrics, with and without companion. */
static void check_engine(macadam_engine *engine, const fixture_engine *fixture, const test_graph *graph)
{
    for (size_t a = 0; a < FIXTURE_ASKED; ++a) {
        const fixture_asked *asked = &fixture_asked_all[a];
        if (asked->quantity_count == 1) continue;
        SCOPED(expected_free) expected_trees expected = expected_new(graph, asked, false, 0, SOURCES, a);
        check_trees(engine, fixture, graph, asked, &expected);
        check_paths(engine, graph, asked, &expected);
    }
}

/* ---- updates ---- */

/* Sets both quantities of the arcs whose index is given to the graph's weights. */
static macadam_status update_arcs(macadam_engine *engine, const test_graph *graph, const size_t *index,
                                  size_t count, macadam_error *error)
{
    FREED uint64_t *arc = checked_allocate(count, sizeof *arc);
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) {
        value[q] = checked_allocate(count, sizeof *value[q]);
        for (size_t i = 0; i < count; ++i) value[q][i] = graph->weight[q][index[i]];
    }
    for (size_t i = 0; i < count; ++i) arc[i] = fixture_arc_number(index[i]);
    const macadam_update_request request = fixture_update(arc, count, (const uint32_t *const *)value);
    const macadam_status status = macadam_update(engine, &request, error);
    free(value[0]);
    free(value[1]);
    return status;
}

/* Gives about `percent` of the arcs new weights, drawn by `draw`; returns how many, their indices in *index.
 */
static size_t change(test_graph *graph, uint32_t percent, uint32_t (*draw)(test_rng *rng, uint32_t old),
                     size_t **index)
{
    test_rng rng = {percent};
    size_t count = 0;
    *index = checked_allocate(graph->arc_count, sizeof **index);
    for (size_t i = 0; i < graph->arc_count; ++i) {
        if (rng_below(&rng, 100) >= percent && !(i == graph->arc_count - 1 && count == 0)) continue;
        (*index)[count++] = i;
        const uint32_t weight = draw(&rng, graph->weight[0][i]);
        graph->weight[0][i] = weight;
        graph->weight[1][i] = weight == MACADAM_WEIGHT_CLOSED ? weight : draw(&rng, graph->weight[1][i]);
    }
    return count;
}

static uint32_t draw_any(test_rng *rng, uint32_t old)
{
    (void)old;
    return rng_below(rng, 5000);
}

static uint32_t draw_near(test_rng *rng, uint32_t old)
{
    return old / 2 + rng_below(rng, old / 2 + 2);
}

static uint32_t draw_huge(test_rng *rng, uint32_t old)
{
    (void)old;
    return MACADAM_WEIGHT_MAX - rng_below(rng, 3);
}

static uint32_t draw_closed(test_rng *rng, uint32_t old)
{
    (void)rng, (void)old;
    return MACADAM_WEIGHT_CLOSED;
}

static void check_change(uint32_t percent, uint32_t (*draw)(test_rng *rng, uint32_t old))
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        if (graph.arc_count > 0 && graph.node_count < 5000) {
            SCOPED(fixture_close) fixture_engine fixture;
            fixture_open(&fixture, &graph, 2);
            SCOPED(test_graph_free) test_graph changed = test_graph_copy(&graph);
            FREED size_t *index = NULL;
            const size_t count = change(&changed, percent, draw, &index);
            macadam_error error;
            fixture_expect_ok(update_arcs(fixture.engine, &changed, index, count, &error), &error,
                              graph.name);
            check_engine(fixture.engine, &fixture, &changed);
            fixture_expect_ok(update_arcs(fixture.engine, &graph, index, count, &error), &error, graph.name);
            check_engine(fixture.engine, &fixture, &graph); /* and back again */
        }
    }
}

Test(update, of_all_weights_answers_like_a_fresh_import)
{
    check_change(100, draw_any);
}

Test(update, of_every_hundredth_arc_answers_like_a_fresh_import)
{
    check_change(1, draw_near);
}

Test(update, to_the_largest_weights_unreaches_what_sums_beyond)
{
    check_change(30, draw_huge);
}

Test(update, closed_arc_is_never_used_and_opens_again)
{
    check_change(15, draw_closed);
}

static bool note_customization(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    *(bool *)context |= strcmp(phase, "customization") == 0;
    return true;
}

Test(update, before_any_question_leaves_customizing_to_those_that_need_it)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    for (int i = 0; i < 2; ++i) { /* the second one repairs what the first one's questions needed */
        const uint64_t arc[] = {fixture_arc_number(77)};
        const uint32_t weight[] = {3 + (uint32_t)i}, *const value[] = {weight, weight};
        bool has_customized = false;
        macadam_update_request request = fixture_update(arc, 1, value);
        request.progress = note_customization, request.progress_context = &has_customized;
        for (size_t q = 0; q < 2; ++q) graph.weight[q][77] = *weight;
        FIXTURE_CALL(macadam_update, fixture.engine, &request);
        cr_assert_eq(has_customized, i == 1);
        cr_assert_eq(fixture.engine->is_loaded[MCD_LOAD_HIERARCHY], i == 1);
        check_engine(fixture.engine, &fixture, &graph);
    }
}

/* Gives arc 77 another weight. */
static void update_one(fixture_engine *fixture, test_graph *graph, uint32_t weight)
{
    const size_t index = 77;
    macadam_error error;
    for (size_t q = 0; q < 2; ++q) graph->weight[q][index] = weight;
    fixture_expect_ok(update_arcs(fixture->engine, graph, &index, 1, &error), &error, graph->name);
}

Test(update, of_few_arcs_copies_the_weights_only_while_they_are_used)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    mcd_version *const *const version = fixture.engine->version;
    check_engine(fixture.engine, &fixture, &graph);
    update_one(&fixture, &graph, 3);
    check_engine(fixture.engine, &fixture, &graph);
    for (uint32_t weight = 4; weight < 12; ++weight) {
        mcd_version *const used = weight % 3 == 0 ? mcd_version_use(version[0]) : NULL;
        mcd_basic *const called = weight % 3 == 1 ? mcd_basic_use(version[0]->basic) : NULL;
        const mcd_array *const arrays = version[0]->basic->arrays;
        const size_t bytes = arrays->count * arrays->words * sizeof *arrays->weight;
        FREED mcd_weight *const before = checked_allocate(bytes, 1);
        memcpy(before, arrays->weight, bytes);
        update_one(&fixture, &graph, weight);
        cr_assert_eq(version[0]->basic->arrays == arrays, !used && !called, "weight %u", weight);
        cr_assert_eq(memcmp(before, arrays->weight, bytes) == 0, used || called, "weight %u", weight);
        mcd_version_leave(used);
        mcd_basic_leave(called);
        check_engine(fixture.engine, &fixture, &graph);
    }
}

/* Returns how many basic weights there are that no version in use has. */
static unsigned count_lost(macadam_engine *engine)
{
    unsigned count = atomic_load(&engine->basic_count);
    pthread_mutex_lock(&engine->lock);
    for (size_t m = 0; m < 2; ++m) count -= engine->version[m]->basic != NULL;
    pthread_mutex_unlock(&engine->lock);
    return count;
}

Test(update, of_many_arcs_makes_the_weights_once_while_they_are_used)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 64); /* many threads customize sooner */
    update_one(&fixture, &graph, 3);
    check_engine(fixture.engine, &fixture, &graph);
    const size_t count = graph.arc_count / 8 - 1; /* a repair begins, and gives up */
    FREED size_t *const index = checked_allocate(count, sizeof *index);
    for (size_t i = 0; i < count; ++i) {
        index[i] = i * 8;
        for (size_t q = 0; q < 2; ++q) graph.weight[q][index[i]] += 5;
    }
    macadam_error error;
    mcd_version *const used = mcd_version_use(fixture.engine->version[0]);
    fixture_expect_ok(update_arcs(fixture.engine, &graph, index, count, &error), &error, graph.name);
    mcd_version_leave(used);
    for (int ms = 0; ms < 10000 && count_lost(fixture.engine);
         ++ms) /* pruning may use the replaced version */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cr_assert_eq(count_lost(fixture.engine), 0);
    check_engine(fixture.engine, &fixture, &graph);
}

/* Finds a tree, and returns the weights in use once the engine has rested. */
static const mcd_version *rest_after_tree(macadam_engine *engine, const test_graph *graph)
{
    const macadam_place source = fixture_place(0);
    const macadam_tree_request request = {.size = sizeof request, .source = &source, .source_count = 1};
    uint32_t *const value[] = {checked_zeroed(graph->node_count, sizeof **value)};
    FIXTURE_CALL(macadam_tree_find, value, NULL, engine, NULL, &request);
    free(value[0]);
    while (engine->idle.is_watched) usleep(1000);
    return engine->version[0];
}

Test(update, leaves_basic_weights_that_an_engine_at_rest_would_prune)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    fixture.engine->idle.after_ms = 0;
    for (int i = 0; i < 2; ++i) {
        const mcd_version *const version = rest_after_tree(fixture.engine, &graph);
        cr_assert_eq(version->has_kept, i == 0);
        cr_assert_eq(version->basic != NULL, i == 1);
        check_engine(fixture.engine, &fixture, &graph);
        update_one(&fixture, &graph, 3);
    }
}

Test(update, of_one_quantity_leaves_the_other)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    for (size_t q = 0; q < 2; ++q) {
        const uint64_t arc[] = {fixture_arc_number(0), fixture_arc_number(77), fixture_arc_number(1000)};
        const uint32_t weight[] = {1, 0, 999999}, *const value[] = {weight};
        for (size_t i = 0; i < 3; ++i) graph.weight[q][arc[i] - 1] = weight[i];
        macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
        request.arc = arc;
        request.count = 3;
        request.quantity = &fixture_quantity[q];
        request.quantity_count = 1;
        request.value = value;
        FIXTURE_CALL(macadam_update, fixture.engine, &request);
        check_engine(fixture.engine, &fixture, &graph);
    }
}

Test(update, by_ends_changes_all_parallel_arcs_and_no_other)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("parallel arcs and loops");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const int64_t tail[] = {fixture_id(3), fixture_id(10)}, head[] = {fixture_id(4), fixture_id(3)};
    const uint32_t duration[] = {50, 60}, distance[] = {70, 0}, *const value[] = {duration, distance};
    for (size_t i = 0; i < graph.arc_count; ++i)
        for (size_t k = 0; k < 2; ++k)
            if (fixture_id(graph.tail[i]) == tail[k] && fixture_id(graph.head[i]) == head[k])
                graph.weight[0][i] = duration[k], graph.weight[1][i] = distance[k];
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.tail = tail;
    request.head = head;
    request.count = 2;
    request.quantity = fixture_quantity;
    request.quantity_count = 2;
    request.value = value;
    FIXTURE_CALL(macadam_update, fixture.engine, &request);
    check_engine(fixture.engine, &fixture, &graph);
}

Test(update, later_entry_for_an_arc_wins)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("cycle one way");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    graph.weight[0][5] = 1000;
    graph.weight[1][5] = 2000;
    const uint64_t arc[] = {fixture_arc_number(5), fixture_arc_number(5), fixture_arc_number(5)};
    const uint32_t duration[] = {3, MACADAM_WEIGHT_CLOSED, 1000}, distance[] = {4, 5, 2000};
    const uint32_t *const value[] = {duration, distance};
    const macadam_update_request request = fixture_update(arc, 3, value);
    FIXTURE_CALL(macadam_update, fixture.engine, &request);
    check_engine(fixture.engine, &fixture, &graph);
}

static void expect_refused(const fixture_engine *fixture, macadam_update_request request,
                           macadam_status status, const char *named)
{
    macadam_error error = {""};
    cr_assert_eq(macadam_update(fixture->engine, &request, &error), status, "%s: %s", named, error.message);
    cr_assert_not_null(strstr(error.message, named), "\"%s\" does not name %s", error.message, named);
    check_engine(fixture->engine, fixture, fixture->graph);
}

Test(update, refused_one_names_the_value_and_changes_nothing)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const uint32_t good[] = {1, 1}, bad[] = {1, 0x7fffffff}, *value[] = {good};
    uint64_t arc[] = {1, graph.arc_count + 1};
    char number[32];
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc;
    request.count = 2;
    request.quantity = fixture_quantity;
    request.quantity_count = 1;
    request.value = value;
    snprintf(number, sizeof number, "%llu", (unsigned long long)arc[1]);
    expect_refused(&fixture, request, MACADAM_E_NOT_FOUND, number);
    arc[1] = 2;
    value[0] = bad;
    expect_refused(&fixture, request, MACADAM_E_INVALID, "2147483647");
    value[0] = good;
    request.quantity = (const char *const[]){"colour"};
    expect_refused(&fixture, request, MACADAM_E_NOT_FOUND, "colour");
    request.quantity = fixture_quantity;
    request.arc = NULL;
    request.tail = (const int64_t[]){fixture_id(0), fixture_id(0)};
    request.head = (const int64_t[]){fixture_id(1), fixture_id(399)};
    snprintf(number, sizeof number, "%lld", (long long)fixture_id(399));
    expect_refused(&fixture, request, MACADAM_E_NOT_FOUND, number);
}

/* ---- saving ---- */

Test(update, saved_map_answers_the_same_when_opened_again)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    char path[FILES_PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/saved.mcd", fixture.folder);
    SCOPED(test_graph_free) test_graph changed = test_graph_copy(&graph);
    for (int round = 0; round < 3; ++round) { /* as imported, some arcs changed, some closed; over itself */
        size_t *index;
        const size_t count =
            round == 0 ? 0 : change(&changed, 10, round == 1 ? draw_any : draw_closed, &index);
        if (round > 0) {
            FIXTURE_CALL(update_arcs, fixture.engine, &changed, index, count);
            free(index);
        }
        FIXTURE_CALL(macadam_engine_save, fixture.engine, path);
        SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(path, 1);
        FIXTURE_CALL(macadam_engine_verify, engine);
        check_engine(engine, &fixture, &changed);
    }
    cr_assert_eq(files_count(fixture.folder), 2, "saving left files behind");
}

Test(update, save_onto_the_engines_own_file_leaves_the_engine_alone)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    FREED size_t *index = NULL;
    SCOPED(test_graph_free) test_graph changed = test_graph_copy(&graph);
    const size_t count = change(&changed, 100, draw_any, &index);
    FIXTURE_CALL(update_arcs, fixture.engine, &changed, index, count);
    FIXTURE_CALL(macadam_engine_save, fixture.engine, fixture.path);
    check_engine(fixture.engine, &fixture, &changed);
    SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(fixture.path, 1);
    check_engine(engine, &fixture, &changed);
}

Test(update, save_into_a_missing_folder_is_an_error)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    char path[FILES_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/missing/saved.mcd", fixture.folder);
    macadam_error error = {""};
    cr_assert_eq(macadam_engine_save(fixture.engine, path, &error), MACADAM_E_IO);
    cr_assert_not_null(strstr(error.message, "missing/saved.mcd"), "%s", error.message);
}

/* ---- updates while queries run ---- */

typedef struct racing {
    const fixture_engine *fixture;
    uint32_t *(*ask)(const fixture_engine *fixture);
    const uint32_t *answer[2]; /* by the first and by the second weights */
    size_t cells;
    atomic_bool stop;
    atomic_size_t seen[2], mixed;
} racing;

static uint32_t *ask_grid(const fixture_engine *fixture)
{
    const fixture_asked both = {0, 2, {0, 1}};
    const char *names[2];
    const macadam_query query = fixture_query(&both, names);
    macadam_place source[SOURCES];
    for (uint32_t i = 0; i < SOURCES; ++i) source[i] = fixture_place(i * 100);
    const macadam_tree_request request = {.size = sizeof request, .source = source, .source_count = SOURCES};
    const size_t cells = SOURCES * fixture->graph->node_count;
    uint32_t *value = checked_zeroed(2 * cells, sizeof *value);
    FIXTURE_CALL(macadam_tree_find, (uint32_t *[]){value, value + cells}, NULL, fixture->engine, &query,
                 &request);
    return value;
}

static void *ask_until_stopped(void *argument)
{
    racing *race = argument;
    while (!race->stop) {
        FREED uint32_t *value = race->ask(race->fixture);
        size_t which = 0;
        while (which < 2 && memcmp(value, race->answer[which], race->cells * sizeof *value) != 0) ++which;
        if (which < 2)
            ++race->seen[which];
        else
            ++race->mixed;
    }
    return NULL;
}

/* One route across the map: the least costs of its version. */
static uint32_t *ask_one_route(const fixture_engine *fixture)
{
    const fixture_asked both = {0, 2, {0, 1}};
    const char *names[2];
    const macadam_query query = fixture_query(&both, names);
    const macadam_place waypoint[2] = {fixture_place(0),
                                       fixture_place((uint32_t)fixture->graph->node_count - 1)};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, fixture->engine, &query, &request);
    uint32_t *value = checked_zeroed(2, sizeof *value);
    for (size_t q = 0; q < 2; ++q) value[q] = route->value[q];
    return value;
}

/* Changes `percent` of the arcs to and fro while other threads ask. */
static void check_race(racing *race, uint32_t percent, size_t thread_count)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    SCOPED(test_graph_free) test_graph changed = test_graph_copy(&graph);
    const test_graph *weights[2] = {&graph, &changed};
    FREED size_t *index = NULL;
    const size_t count = change(&changed, percent, draw_any, &index);
    race->fixture = &fixture;
    for (size_t which = 0; which < 2; ++which) {
        FIXTURE_CALL(update_arcs, fixture.engine, weights[which], index, count);
        race->answer[which] = race->ask(&fixture);
    }
    cr_assert_neq(memcmp(race->answer[0], race->answer[1], race->cells * sizeof **race->answer), 0);
    pthread_t thread[4];
    for (size_t i = 0; i < thread_count; ++i)
        cr_assert_eq(pthread_create(&thread[i], NULL, ask_until_stopped, race), 0);
    for (int round = 0; round < 60 || ((race->seen[0] < 2 || race->seen[1] < 2) && round < 5000); ++round)
        FIXTURE_CALL(update_arcs, fixture.engine, weights[round % 2], index, count);
    race->stop = true;
    for (size_t i = 0; i < thread_count; ++i) pthread_join(thread[i], NULL);
    cr_assert_eq(race->mixed, 0, "%zu answers mix old and new weights", (size_t)race->mixed);
    cr_assert(race->seen[0] > 0 && race->seen[1] > 0);
    for (size_t which = 0; which < 2; ++which) free((void *)race->answer[which]);
}

Test(update, query_in_flight_sees_the_old_or_the_new_weights)
{
    test_graph graph = graphs_make_named("town");
    racing race = {.ask = ask_grid, .cells = 2 * SOURCES * graph.node_count};
    test_graph_free(&graph);
    check_race(&race, 100, 2);
}

Test(update, routes_in_flight_are_of_one_version_each_while_few_arcs_change)
{
    racing race = {.ask = ask_one_route, .cells = 2};
    check_race(&race, 3, 4);
}

/* ---- a route by one metric in the quantities of another ---- */

/* Two arcs from one node to another; the second version makes the other one best by `price`. */
typedef struct two_ways {
    macadam_engine *engine;
    atomic_bool stop;
} two_ways;

static const char *const two_ways_quantity[] = {"duration", "distance", "price"};

static void update_two_ways(macadam_engine *engine, size_t version)
{
    static const uint32_t duration[2][2] = {{10, 20}, {30, 40}}, distance[] = {1, 1},
                          price[2][2] = {{1, 2}, {2, 1}};
    static const uint64_t arc[] = {1, 2};
    const uint32_t *const value[] = {duration[version], distance, price[version]};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc;
    request.count = 2;
    request.quantity = two_ways_quantity;
    request.value = value;
    request.quantity_count = 3;
    FIXTURE_CALL(macadam_update, engine, &request);
}

static void *update_until_stopped(void *argument)
{
    two_ways *const ways = argument;
    for (size_t version = 0; !ways->stop; version = 1 - version) update_two_ways(ways->engine, version);
    return NULL;
}

static macadam_engine *open_two_ways(const char *path)
{
    static const uint32_t tail[] = {0, 0}, head[] = {1, 1}, weight[] = {1, 2};
    static const uint32_t *const weights[] = {weight, weight, weight};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    input.node_count = input.arc_count = 2;
    input.tail = tail;
    input.head = head;
    input.quantity = two_ways_quantity;
    input.weight = weights;
    input.quantity_count = 3;
    options.output = path;
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
    return fixture_open_file(path, 1);
}

Test(update, routes_in_other_quantities_are_of_one_version_each)
{
    enum { ASKED = 100000 };
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    files_new_path(folder, path, "ways.mcd");
    two_ways ways = {.engine = open_two_ways(path)};
    const macadam_place waypoint[] = {{.id = 0}, {.id = 1}};
    const macadam_query query = {
        .size = sizeof query, .metric = "price", .quantity = two_ways_quantity, .quantity_count = 2};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    update_two_ways(ways.engine, 1);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, update_until_stopped, &ways), 0);
    size_t mixed = 0;
    for (size_t i = 0; i < ASKED; ++i) {
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        FIXTURE_CALL(macadam_route_find, &route, ways.engine, &query, &request);
        mixed += route->value[0] != (route->arc[0].arc == 1 ? 10 : 40);
    }
    ways.stop = true;
    pthread_join(thread, NULL);
    cr_assert_eq(mixed, 0, "%zu of %d routes have a cost of another version", mixed, ASKED);
    macadam_engine_close(ways.engine);
    files_remove_folder(folder);
}
