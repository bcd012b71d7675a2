/* test_updates_random.c - many updates drawn at random, one after the other, beside four threads that ask: every
 * answer is the oracle's, for one version of the weights that was in use during the question.
 *
 * MACADAM_UPDATES=N: N updates of each map. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { UPDATES = 150, THREADS = 4, SIDE = 6, CELLS = SIDE * SIDE, METRICS = 2, QUANTITIES = 2 };

/* The costs between the places by one version of the weights, for each metric. */
typedef struct version {
    uint32_t value[METRICS][QUANTITIES][CELLS];
} version;

typedef struct scene {
    fixture_engine fixture;
    test_graph graph; /* the last version's weights; only the thread that updates reads it */
    uint32_t source[SIDE], target[SIDE];
    version *version;         /* of each update; 0: as imported */
    atomic_size_t sent, done; /* versions: of the update that was called last, and that returned last */
    atomic_size_t metrics;    /* how many are in use */
    atomic_bool stop;
    atomic_size_t answers, wrong;
} scene;

static fixture_asked asked_of(size_t metric)
{
    return (fixture_asked){metric, QUANTITIES, {0, 1}};
}

/* ---- the oracle ---- */

static void expect_version(scene *s, size_t index)
{
    for (size_t metric = 0; metric < METRICS; ++metric) {
        const fixture_asked asked = asked_of(metric);
        SCOPED(expected_free) expected_trees trees = expected_new(&s->graph, &asked, false, 0, SIDE, 1);
        memcpy(s->source, trees.source, sizeof s->source);
        for (size_t q = 0; q < QUANTITIES; ++q)
            for (size_t cell = 0; cell < CELLS; ++cell)
                s->version[index].value[metric][q][cell] = expected_column(
                    &trees, &asked, q)[cell / SIDE * s->graph.node_count + s->target[cell % SIDE]];
    }
}

/* ---- questions ---- */

/* Asks for all cells. */
static size_t ask_matrix(const scene *s, const macadam_query *query, uint32_t value[QUANTITIES][CELLS])
{
    macadam_place source[SIDE], target[SIDE];
    for (size_t i = 0; i < SIDE; ++i)
        source[i] = fixture_place(s->source[i]), target[i] = fixture_place(s->target[i]);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = source, request.source_count = SIDE;
    request.target = target, request.target_count = SIDE;
    macadam_error error;
    fixture_expect_ok(macadam_matrix_find_into((uint32_t *[]){value[0], value[1]}, NULL, s->fixture.engine,
                                               query, &request, &error),
                      &error, s->graph.name);
    return CELLS;
}

/* Asks for one cell's route. Its arcs have to sum up to its costs. */
static size_t ask_route(const scene *s, const macadam_query *query, size_t cell,
                        uint32_t value[QUANTITIES][CELLS])
{
    const macadam_place waypoint[] = {fixture_place(s->source[cell / SIDE]),
                                      fixture_place(s->target[cell % SIDE])};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    macadam_error error;
    fixture_expect_ok(macadam_route_find(&route, s->fixture.engine, query, &request, &error), &error,
                      s->graph.name);
    for (size_t q = 0; q < QUANTITIES; ++q) {
        uint64_t sum = 0;
        for (size_t a = 0; a < route->arc_count; ++a) sum += route->arc[a].value[q];
        value[q][cell] = route->value[q];
        if (sum != route->value[q] && route->value[q] != MACADAM_UNREACHED)
            value[q][cell] = MACADAM_UNREACHED;
    }
    return 1;
}

/* Asks once, and returns whether one version that was in use meanwhile gives all of the answer. */
static bool ask(const scene *s, test_rng *rng)
{
    uint32_t value[QUANTITIES][CELLS];
    const size_t metric = rng_below(rng, (uint32_t)atomic_load(&s->metrics)), cell = rng_below(rng, CELLS),
                 first = atomic_load(&s->done);
    const fixture_asked asked = asked_of(metric);
    const char *names[QUANTITIES];
    const macadam_query query = fixture_query(&asked, names);
    const bool whole = rng_below(rng, 2);
    const size_t from = whole ? 0 : cell,
                 bytes = (whole ? ask_matrix(s, &query, value) : ask_route(s, &query, cell, value)) *
                         sizeof **value;
    for (size_t v = first, last = atomic_load(&s->sent); v <= last; ++v) {
        bool same = true;
        for (size_t q = 0; q < QUANTITIES; ++q)
            same &= memcmp(value[q] + from, s->version[v].value[metric][q] + from, bytes) == 0;
        if (same) return true;
    }
    return false;
}

static void *ask_until_stopped(void *argument)
{
    scene *const s = argument;
    test_rng rng = {(uint64_t)pthread_self()};
    while (!atomic_load(&s->stop)) {
        atomic_fetch_add(&s->wrong, !ask(s, &rng));
        atomic_fetch_add(&s->answers, 1);
    }
    return NULL;
}

/* ---- updates ---- */

/* Closed, opened again, free, nearly as before, or anything. */
static uint32_t draw(test_rng *rng, uint32_t old)
{
    if (rng_below(rng, 5) == 0) return 0;
    if (rng_below(rng, 3) || old == MACADAM_WEIGHT_CLOSED) return rng_below(rng, 5000);
    return old / 2 + rng_below(rng, old / 2 + 2);
}

/* Draws new weights of an arc. Both quantities of it are closed or none is. */
static void draw_arc(scene *s, test_rng *rng, size_t arc, size_t quantity, size_t quantities)
{
    uint32_t *const weight[] = {&s->graph.weight[quantity][arc], &s->graph.weight[1 - quantity][arc]};
    const bool close = quantities == 1 ? *weight[0] == MACADAM_WEIGHT_CLOSED : rng_below(rng, 6) == 0;
    for (size_t k = 0; k < quantities; ++k)
        *weight[k] = close ? MACADAM_WEIGHT_CLOSED : draw(rng, *weight[k]);
}

/* Changes one arc or a few, seldom many or all, in one quantity or both. */
static void update(scene *s, test_rng *rng, size_t index)
{
    const uint32_t arc_count = (uint32_t)s->graph.arc_count, sizes[] = {1, 1, 2, 3, 3, 30, arc_count / 10};
    const size_t count = rng_below(rng, 60) ? sizes[rng_below(rng, 7)] : arc_count,
                 quantity = rng_below(rng, QUANTITIES), quantities = 1 + rng_below(rng, 2);
    FREED uint64_t *const arc = checked_allocate(count, sizeof *arc);
    FREED uint32_t *const value = checked_allocate(QUANTITIES * count, sizeof *value);
    for (size_t i = 0; i < count; ++i) {
        const size_t changed = count == arc_count ? i : rng_below(rng, arc_count);
        arc[i] = fixture_arc_number(changed);
        draw_arc(s, rng, changed, quantity, quantities);
        for (size_t k = 0; k < quantities; ++k)
            value[k * count + i] = s->graph.weight[(quantity + k) % QUANTITIES][changed];
    }
    expect_version(s, index);
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    const char *const name[] = {fixture_quantity[quantity], fixture_quantity[1 - quantity]};
    request.arc = arc, request.count = count;
    request.quantity = name, request.quantity_count = quantities;
    request.value = (const uint32_t *const[]){value, value + count};
    macadam_error error;
    atomic_store(&s->sent, index);
    fixture_expect_ok(macadam_update(s->fixture.engine, &request, &error), &error, s->graph.name);
    atomic_store(&s->done, index);
}

static void run(const char *name, size_t updates)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named(name);
    scene s = {.graph = test_graph_copy(&graph), .metrics = 1};
    test_rng rng = {updates};
    pthread_t thread[THREADS];
    s.version = checked_zeroed(updates + 1, sizeof *s.version);
    for (size_t i = 0; i < SIDE; ++i) s.target[i] = rng_below(&rng, (uint32_t)graph.node_count);
    fixture_open(&s.fixture, &graph, 1);
    expect_version(&s, 0);
    for (size_t i = 0; i < THREADS; ++i)
        cr_assert_eq(pthread_create(&thread[i], NULL, ask_until_stopped, &s), 0);
    for (size_t u = 1; u <= updates; ++u) {
        if (u == updates / 10) atomic_store(&s.metrics, METRICS); /* the second one is unused at first */
        update(&s, &rng, u);
        cr_assert(ask(&s, &rng), "%s: after update %zu", name, u);
    }
    atomic_store(&s.stop, true);
    for (size_t i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
    cr_assert_eq(atomic_load(&s.wrong), 0, "%s: %zu of %zu answers belong to no version", name,
                 atomic_load(&s.wrong), atomic_load(&s.answers));
    cr_assert_gt(atomic_load(&s.answers), 0);
    free(s.version);
    fixture_close(&s.fixture);
    test_graph_free(&s.graph);
}

Test(updates_random, answers_are_of_one_version_each_beside_four_threads)
{
    static const char *const name[] = {"grid", "town", "random middling"};
    const char *const wanted = getenv("MACADAM_UPDATES");
    for (size_t g = 0; g < sizeof name / sizeof *name; ++g)
        run(name[g], wanted ? strtoul(wanted, NULL, 10) : UPDATES);
}
