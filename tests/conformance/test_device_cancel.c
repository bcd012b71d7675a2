/* test_device_cancel.c - calls on a device that are cancelled: they stop, and the engine goes on. With a real device
 * (MACADAM_TEST_MODULE) the map is large, and the time is measured from one question to the next, and to the end. */
#include "engine/base/watch.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/fixture.h"
#include "tests/support/generate.h"
#include "tests/support/methods.h"
#include "tests/support/test_clock.h"

#include <criterion/criterion.h>
#include <time.h>

enum { SIDE_EMULATED = 12, SIDE_REAL = 500, SOURCES = 256, SOON_MS = 50, STOPS = 6, UPDATED = 100 };

static fixture_engine fixture;
static test_graph graph;
static macadam_engine *engine;
static bool is_real;
static macadam_place place[SOURCES];
static uint32_t *cost, *weight;

static macadam_error error;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- stopping ---- */

/* At which question a call is to stop (0: never), and how long it took at most from one to the next. */
typedef struct stop {
    size_t at, asked;
    double last_ms, longest_ms;
} stop;

static void note_time(stop *call)
{
    const double now = now_ms();
    if (call->asked > 0 && now - call->last_ms > call->longest_ms) call->longest_ms = now - call->last_ms;
    call->last_ms = now;
}

static bool go_on(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    stop *const call = context;
    note_time(call);
    return ++call->asked != call->at;
}

static macadam_query stoppable(stop *call)
{
    const macadam_query query = {.size = sizeof query, .progress = go_on, .progress_context = call};
    return query;
}

/* ---- calls ---- */

static macadam_status ask_trees(stop *call, const char *method)
{
    const macadam_query query = stoppable(call);
    uint32_t *const value[] = {cost};
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    tree.source = place, tree.source_count = method_is(method, "sweep") ? SOURCES : 8, tree.method = method;
    return macadam_tree_find(value, NULL, engine, &query, &tree, &error);
}

static macadam_status ask_sweeps(stop *call)
{
    return ask_trees(call, "sweep");
}

static macadam_status ask_searches(stop *call)
{
    return ask_trees(call, "near-far");
}

static macadam_status ask_rounds(stop *call)
{
    return ask_trees(call, "bellman-ford");
}

static macadam_status ask_hops(stop *call)
{
    const macadam_query query = stoppable(call);
    const macadam_hops_request hops = {.size = sizeof hops, .source = place, .source_count = 8};
    return macadam_hops_find(cost, NULL, NULL, engine, &query, &hops, &error);
}

static macadam_status ask_reach(stop *call)
{
    const macadam_query query = stoppable(call);
    static uint64_t reached[SOURCES];
    const macadam_reach_request reach = {.size = sizeof reach, .source = place, .source_count = SOURCES};
    const macadam_reach answer = {.size = sizeof answer, .reached = reached};
    return macadam_reach_find(&answer, NULL, engine, &query, &reach, &error);
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    (void)context, (void)tile;
    return true;
}

/* Every node to every source. */
static macadam_status ask_matrix(stop *call)
{
    const macadam_query query = stoppable(call);
    FREED macadam_place *const all = checked_allocate(graph.node_count, sizeof *all);
    for (uint32_t i = 0; i < graph.node_count; ++i) all[i] = fixture_place(i);
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = all, matrix.source_count = graph.node_count;
    matrix.target = place, matrix.target_count = SOURCES;
    const macadam_status status = macadam_matrix_find(NULL, engine, &query, &matrix, take_tile, NULL, &error);
    return status;
}

static macadam_status ask_all_pairs(stop *call)
{
    const macadam_query query = stoppable(call);
    const macadam_all_pairs_request request = {.size = sizeof request, .method = "sweep"};
    return macadam_all_pairs_find(engine, &query, &request, take_tile, NULL, &error);
}

static macadam_status ask_update(stop *call)
{
    static const char *const quantity[] = {"duration"};
    static uint64_t arc[UPDATED];
    static uint32_t value[UPDATED],
        round; /* an update that changes nothing is over before it could be cancelled */
    const uint32_t *const values[] = {value};
    ++round;
    for (size_t i = 0; i < UPDATED; ++i) arc[i] = i + 1, value[i] = 1 + (uint32_t)i + round % 2;
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    update.arc = arc, update.count = UPDATED;
    update.quantity = quantity, update.quantity_count = 1, update.value = values;
    update.progress = go_on, update.progress_context = call;
    return macadam_update(engine, &update, &error);
}

static const struct {
    const char *name;
    macadam_status (*ask)(stop *call);
} call_all[] = {
    {"sweeps", ask_sweeps}, {"near-far", ask_searches}, {"bellman-ford", ask_rounds}, {"hops", ask_hops},
    {"reach", ask_reach},   {"matrix", ask_matrix},     {"all pairs", ask_all_pairs}, {"update", ask_update},
};

/* ---- tests ---- */

static void set_up(void)
{
    allocator_install();
    is_real = getenv("MACADAM_TEST_MODULE") != NULL;
    emulated_module_install();
    const uint32_t side = is_real ? SIDE_REAL : SIDE_EMULATED;
    const generate_graph drawn = generate_grid(side, side, 1, 5);
    graph = (test_graph){.node_count = drawn.node_count, .arc_count = drawn.arc_count};
    graph.tail = checked_allocate(drawn.arc_count, sizeof *graph.tail);
    graph.head = checked_allocate(drawn.arc_count, sizeof *graph.head);
    weight = checked_allocate(drawn.arc_count, sizeof *weight);
    generate_arcs(&drawn, graph.tail, graph.head, weight, 2);
    graph.weight[0] = graph.weight[1] = weight;
    fixture_open(&fixture, &graph, 0);
    engine = emulated_module_open(fixture.path, "cuda", 0);
    for (uint32_t i = 0; i < SOURCES; ++i) place[i] = fixture_place(i * 977 % (uint32_t)graph.node_count);
    cost = checked_allocate((size_t)SOURCES * graph.node_count, sizeof *cost);
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    fixture_close(&fixture);
    free(graph.tail);
    free(graph.head);
    free(weight);
    free(cost);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(device_cancel, .init = set_up, .fini = tear_down);

Test(device_cancel, calls_end_when_they_are_cancelled)
{
    if (!is_real) mcd_watch_set_clock(test_clock_always_due);
    for (size_t c = 0; c < sizeof call_all / sizeof *call_all; ++c) {
        const char *const name = call_all[c].name;
        stop never = {0};
        fixture_expect_ok(call_all[c].ask(&never), &error, name); /* loads what it needs */
        never = (stop){0};
        fixture_expect_ok(call_all[c].ask(&never), &error, name);
        cr_assert_gt(never.asked, 0, "%s does not ask", name);
        for (size_t i = 0; i < STOPS; ++i) {
            stop call = {.at = 1 + never.asked * i / STOPS};
            const macadam_status status = call_all[c].ask(&call);
            note_time(&call);
            cr_assert_eq(status, call.asked < call.at ? MACADAM_OK : MACADAM_E_CANCELLED, "%s: %s", name,
                         error.message);
            cr_assert_leq(call.asked, call.at, "%s asks after a no", name);
            if (is_real) cr_expect_lt(call.longest_ms, SOON_MS, "%s: %.0f ms", name, call.longest_ms);
        }
        fixture_expect_ok(call_all[c].ask(&never), &error, name); /* the engine goes on */
    }
    mcd_watch_set_clock(NULL);
}
