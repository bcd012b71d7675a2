/* test_nearest.c - targets that are prepared: many sources, updates, several threads, bad requests. That the answers
 * are right is for test_reach.c and tests/metamorphic. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

enum { SOURCES = 400, TARGETS = 12, FOUND = 3, THREADS = 6 };

static test_graph graph;
static fixture_engine fixture;
static macadam_place source[SOURCES], target[TARGETS];
static macadam_error error;

static void set_up(void)
{
    test_rng rng = {1};
    graph = graphs_make_named("town");
    fixture_open(&fixture, &graph, 2);
    for (size_t i = 0; i < SOURCES; ++i) source[i] = fixture_place(rng_below(&rng, graph.node_count));
    for (size_t i = 0; i < TARGETS; ++i) target[i] = fixture_place(rng_below(&rng, graph.node_count));
}

static void tear_down(void)
{
    fixture_close(&fixture);
    test_graph_free(&graph);
}

TestSuite(nearest, .init = set_up, .fini = tear_down);

typedef struct listing {
    uint32_t found[SOURCES], position[SOURCES * FOUND], cost[SOURCES * FOUND];
} listing;

static macadam_reach room(listing *out)
{
    macadam_reach answer = MACADAM_REACH_INIT;
    memset(out, 0x5a, sizeof *out);
    answer.nearest_found = out->found;
    answer.nearest_position = out->position, answer.nearest_cost = out->cost;
    return answer;
}

static macadam_nearest_request request(void)
{
    macadam_nearest_request out = MACADAM_NEAREST_REQUEST_INIT;
    out.target = target, out.target_count = TARGETS, out.nearest_count = FOUND;
    return out;
}

static macadam_nearest *prepared(void)
{
    const macadam_nearest_request wanted = request();
    macadam_nearest *out;
    FIXTURE_CALL(macadam_nearest_new, &out, NULL, fixture.engine, NULL, &wanted);
    return out;
}

static void ask(macadam_nearest *nearest, listing *out)
{
    const macadam_reach answer = room(out);
    macadam_error own;
    fixture_expect_ok(macadam_nearest_find(&answer, NULL, nearest, source, SOURCES, &own), &own, "find");
}

/* By a matrix. */
static void choose(listing *out)
{
    uint32_t *const cost = checked_zeroed(SOURCES * TARGETS, sizeof *cost), *const value[] = {cost};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = source, matrix.source_count = SOURCES;
    matrix.target = target, matrix.target_count = TARGETS;
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, fixture.engine, NULL, &matrix);
    room(out);
    for (size_t s = 0; s < SOURCES; ++s) {
        bool taken[TARGETS] = {false};
        out->found[s] = 0;
        for (size_t i = 0; i < FOUND; ++i) {
            size_t best = TARGETS;
            for (size_t t = 0; t < TARGETS; ++t)
                if (!taken[t] && cost[s * TARGETS + t] != MACADAM_UNREACHED &&
                    (best == TARGETS || cost[s * TARGETS + t] < cost[s * TARGETS + best]))
                    best = t;
            const bool one = best < TARGETS;
            if (one) taken[best] = true, ++out->found[s];
            out->position[s * FOUND + i] = one ? (uint32_t)best : MACADAM_UNREACHED;
            out->cost[s * FOUND + i] = one ? cost[s * TARGETS + best] : MACADAM_UNREACHED;
        }
    }
    free(cost);
}

static void expect_equal(const listing *found, const listing *right)
{
    cr_assert_arr_eq(found, right, sizeof *found);
}

Test(nearest, many_sources_find_the_same_by_prepared_targets_by_reach_and_by_a_matrix)
{
    listing found, right;
    choose(&right);
    SCOPED(macadam_nearest_free_at) macadam_nearest *const nearest = prepared();
    ask(nearest, &found);
    expect_equal(&found, &right);
    macadam_reach_request reach = MACADAM_REACH_REQUEST_INIT;
    reach.source = source, reach.source_count = SOURCES;
    reach.target = target, reach.target_count = TARGETS, reach.nearest_count = FOUND;
    const macadam_reach answer = room(&found);
    FIXTURE_CALL(macadam_reach_find, &answer, NULL, fixture.engine, NULL, &reach);
    expect_equal(&found, &right);
}

/* Closes every third arc and makes the others dearer. */
static void update(void)
{
    FREED uint64_t *const arc = checked_zeroed(graph.arc_count, sizeof *arc);
    FREED uint32_t *const weight = checked_zeroed(graph.arc_count, sizeof *weight);
    for (size_t i = 0; i < graph.arc_count; ++i) {
        arc[i] = fixture_arc_number(i);
        weight[i] = i % 3 ? graph.weight[0][i] + 5 : MACADAM_WEIGHT_CLOSED;
    }
    const char *const quantity[] = {"duration"};
    const uint32_t *const value[] = {weight};
    macadam_update_request change = MACADAM_UPDATE_REQUEST_INIT;
    change.arc = arc, change.count = graph.arc_count;
    change.quantity = quantity, change.quantity_count = 1, change.value = value;
    FIXTURE_CALL(macadam_update, fixture.engine, &change);
}

Test(nearest, prepared_targets_keep_their_weights)
{
    listing before, found, after;
    macadam_nearest *const old = prepared();
    choose(&before);
    update();
    ask(old, &found);
    expect_equal(&found, &before);
    choose(&after);
    cr_assert_neq(memcmp(&before, &after, sizeof before), 0);
    SCOPED(macadam_nearest_free_at) macadam_nearest *const new = prepared();
    ask(new, &found);
    expect_equal(&found, &after);
    ask(old, &found);
    expect_equal(&found, &before);
    macadam_nearest_free(old);
}

typedef struct asker {
    pthread_t thread;
    macadam_nearest *nearest;
    listing found;
} asker;

static void *ask_often(void *argument)
{
    asker *const it = argument;
    for (int i = 0; i < 20; ++i) ask(it->nearest, &it->found);
    return NULL;
}

Test(nearest, several_threads_ask_while_weights_change)
{
    listing right;
    FREED asker *const it = checked_zeroed(THREADS, sizeof *it);
    SCOPED(macadam_nearest_free_at) macadam_nearest *const nearest = prepared();
    choose(&right);
    for (int i = 0; i < THREADS; ++i) {
        it[i].nearest = nearest;
        cr_assert_eq(pthread_create(&it[i].thread, NULL, ask_often, &it[i]), 0);
    }
    update();
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(it[i].thread, NULL);
        expect_equal(&it[i].found, &right);
    }
}

static void refuse(macadam_status status, const char *what, const macadam_query *query,
                   const macadam_nearest_request *wanted)
{
    macadam_nearest *out = (macadam_nearest *)&graph;
    cr_assert_eq(macadam_nearest_new(&out, NULL, fixture.engine, query, wanted, &error), status, "%s",
                 error.message);
    cr_assert(!out && strstr(error.message, what), "%s", error.message);
}

Test(nearest, bad_requests_are_refused)
{
    macadam_nearest_request wanted = request();
    wanted.nearest_count = 0;
    refuse(MACADAM_E_INVALID, "nearest 0", NULL, &wanted);
    wanted.nearest_count = MACADAM_NEAREST_MAX + 1;
    refuse(MACADAM_E_INVALID, "65", NULL, &wanted);
    wanted = request();
    wanted.target_count = 0;
    refuse(MACADAM_E_INVALID, "target", NULL, &wanted);
    refuse(MACADAM_E_INVALID, "request", NULL, NULL);
    wanted = request();
    macadam_query query = {.size = sizeof query, .metric = "height"};
    refuse(MACADAM_E_NOT_FOUND, "height", &query, &wanted);
    query.metric = NULL, query.memory_limit = 100;
    refuse(MACADAM_E_LIMIT, "nearest", &query, &wanted);

    macadam_nearest *const nearest = prepared();
    listing list;
    macadam_reach answer = MACADAM_REACH_INIT;
    cr_assert_eq(macadam_nearest_find(&answer, NULL, nearest, source, SOURCES, &error), MACADAM_E_INVALID);
    answer = room(&list);
    uint64_t reached[SOURCES];
    answer.reached = reached;
    cr_assert_eq(macadam_nearest_find(&answer, NULL, nearest, source, SOURCES, &error), MACADAM_E_INVALID);
    answer.reached = NULL;
    cr_assert_eq(macadam_nearest_find(&answer, NULL, NULL, source, SOURCES, &error), MACADAM_E_INVALID);
    cr_assert_eq(macadam_nearest_find(&answer, NULL, nearest, NULL, SOURCES, &error), MACADAM_E_INVALID);
    macadam_nearest_free(nearest);
    macadam_nearest_free(NULL);
}

Test(nearest, places_that_fail_are_reported_and_never_nearest)
{
    listing found, right;
    macadam_place_status status[SOURCES];
    choose(&right);
    target[3].id = INT64_MAX;
    source[7].id = INT64_MAX;
    const macadam_nearest_request wanted = request();
    SCOPED(macadam_nearest_free_at) macadam_nearest *nearest = NULL;
    FIXTURE_CALL(macadam_nearest_new, &nearest, status, fixture.engine, NULL, &wanted);
    for (size_t i = 0; i < TARGETS; ++i)
        cr_assert_eq(status[i], i == 3 ? MACADAM_PLACE_UNKNOWN_ID : MACADAM_PLACE_OK);
    const macadam_reach answer = room(&found);
    FIXTURE_CALL(macadam_nearest_find, &answer, status, nearest, source, SOURCES);
    for (size_t s = 0; s < SOURCES; ++s) {
        cr_assert_eq(status[s], s == 7 ? MACADAM_PLACE_UNKNOWN_ID : MACADAM_PLACE_OK);
        if (s == 7) cr_assert_eq(found.found[s], 0);
        for (size_t i = 0; i < found.found[s]; ++i) cr_assert_neq(found.position[s * FOUND + i], 3);
        if (s != 7 && right.position[s * FOUND] != 3)
            cr_assert_eq(found.cost[s * FOUND], right.cost[s * FOUND]);
    }
}
