/* test_device_dispatch.c - where an engine of device "auto" answers: small questions on the processor, those that gain more
 * than it takes on the device, many small ones on it once it was opened beside them; and single routes on a device while
 * only that has the weights. Answers are always the processor's. */
#include "engine/runtime/engine.h"
#include "engine/runtime/version.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/questions.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static test_graph graph;
static fixture_engine fixture;
static macadam_error error;

static void set_up(void)
{
    allocator_install();
    emulated_module_install();
    graph = graphs_make_named("grid");
    fixture_open(&fixture, &graph, 2);
}

static void tear_down(void)
{
    fixture_close(&fixture);
    test_graph_free(&graph);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(device_dispatch, .init = set_up, .fini = tear_down);

/* Lets engines that are opened from now on have these rates; NULL: the built-in ones. */
static void use_rates(const char *rows)
{
    static char path[FILES_PATH_BYTES + 32];
    if (!rows) {
        unsetenv("MACADAM_RATES");
        return;
    }
    snprintf(path, sizeof path, "%s/rates.csv", fixture.folder);
    FILE *const file = fopen(path, "w");
    cr_assert(file && fputs(rows, file) >= 0 && fclose(file) == 0);
    setenv("MACADAM_RATES", path, 1);
}

static bool is_on_device(macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert_eq(info.device_reason == NULL, strncmp(info.device, "cuda:", 5) == 0, "%s", info.device);
    return strncmp(info.device, "cuda:", 5) == 0;
}

static void expect_right(macadam_engine *engine)
{
    const question_scene scene = {&graph, &fixture_asked_all[0]};
    SCOPED(answer_log_free)
    answer_log right = questions_ask_all(&scene, fixture.engine), found = questions_ask_all(&scene, engine);
    cr_assert_eq(answer_log_difference(&right, &found), SIZE_MAX);
}

static void ask_matrix_into(macadam_engine *engine, uint32_t *cost)
{
    const macadam_place place = fixture_place(0);
    const macadam_matrix_request request = {
        .size = sizeof request, .source = &place, .source_count = 1, .target = &place, .target_count = 1};
    FIXTURE_CALL(macadam_matrix_find_into, &cost, NULL, engine, NULL, &request);
}

static void ask_matrix(macadam_engine *engine)
{
    uint32_t cost = 1;
    ask_matrix_into(engine, &cost);
    cr_assert_eq(cost, 0);
}

/* Returns whether the device was used for a matrix. */
static bool uses_device(macadam_engine *engine)
{
    const size_t before = cuda_emulator_call_count();
    ask_matrix(engine);
    return cuda_emulator_call_count() > before;
}

Test(device_dispatch, small_questions_stay_on_the_processor)
{
    use_rates(NULL);
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    expect_right(engine);
    FIXTURE_CALL(questions_update, &graph, engine);
    FIXTURE_CALL(questions_update, &graph, fixture.engine);
    expect_right(engine);
    cr_assert(!is_on_device(engine));
    macadam_engine_close(engine);
}

Test(device_dispatch, a_question_that_gains_enough_opens_the_device)
{
    use_rates(
        "matrix,9000000000,0,0,0,0,0\nopen,0,0,0,5000000000,0,0\nplace,0,0,0,0,0,0\ncustomize,0,0,0,0,0,0\n");
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    cr_assert(!is_on_device(engine));
    ask_matrix(engine);
    cr_assert(is_on_device(engine));
    expect_right(engine);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* A thread opens it, which may take its time. */
Test(device_dispatch, many_small_questions_open_the_device_beside_them, .timeout = 100)
{
    enum { LOST_BY = 20 };
    use_rates("matrix,3000000000,0,0,0,0,0\nopen,0,0,0,60000000000,0,0\nplace,0,0,0,0,0,0\ncustomize,0,0,0,0,"
              "0,0\n");
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    for (size_t i = 0; i < LOST_BY; ++i) ask_matrix(engine);
    cr_assert(!is_on_device(engine));
    while (!is_on_device(engine)) {
        ask_matrix(engine);
        sched_yield();
    }
    expect_right(engine);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* A question of its own takes 1 ns on the device and 1.5 on the processor. */
Test(device_dispatch, a_busy_device_leaves_small_questions_to_the_processor)
{
    static const char *const devices[] = {"cuda", "cuda:all", "auto"};
    use_rates("matrix,1500000,0,0,1000000,0,0\nopen,0,0,0,0,0,0\nplace,0,0,0,0,0,0\ncustomize,0,0,0,0,0,0\n");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i) {
        macadam_engine *const engine = emulated_module_open(fixture.path, devices[i], 2);
        ask_matrix(engine);
        cr_assert(is_on_device(engine));
        for (unsigned others = 0; others < 2; ++others) {
            engine->dispatch.device_calls += others;
            ask_matrix(engine); /* the first time the processor fetches the weights */
            cr_assert_eq(uses_device(engine), others == 0, "%s beside %u", devices[i], others);
            engine->dispatch.device_calls -= others;
        }
        macadam_engine_close(engine);
    }
    emulated_module_expect_nothing_left();
}

static bool drop_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)context, (void)pair, (void)arc, (void)arc_count;
    return true;
}

/* Returns whether the device was used for a path. */
static bool find_path(macadam_engine *engine)
{
    const macadam_place place = fixture_place(0);
    const macadam_routes_request request = {
        .size = sizeof request, .source = &place, .target = &place, .pair_count = 1};
    uint32_t cost, *const value = &cost;
    const size_t before = cuda_emulator_call_count();
    FIXTURE_CALL(macadam_routes_find_paths, &value, NULL, engine, NULL, &request, drop_path, NULL);
    return cuda_emulator_call_count() > before;
}

Test(device_dispatch, spans_make_paths_faster_on_the_processor)
{
    enum { MANY = 1000000 };
    const mcd_spans *spans;
    use_rates("paths,1500000,0,0,1000000,0,0\nopen,0,0,0,0,0,0\nplace,0,0,0,0,0,0\ncustomize,0,0,0,0,0,0\n");
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    cr_assert(find_path(engine));
    FIXTURE_CALL(mcd_version_prepare, engine->version[0], engine, engine->host, MCD_NEED_PATHS);
    cr_assert(find_path(engine));
    FIXTURE_CALL(mcd_version_use_spans, engine->version[0], engine, MANY, &spans);
    cr_assert(spans && !find_path(engine));
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* Returns whether the device was used for the cost of a pair. */
static bool find_pair(macadam_engine *engine)
{
    const macadam_place place = fixture_place(0);
    const macadam_routes_request request = {
        .size = sizeof request, .source = &place, .target = &place, .pair_count = 1};
    uint32_t cost = 1, *const value = &cost;
    const size_t before = cuda_emulator_call_count();
    FIXTURE_CALL(macadam_routes_find, &value, NULL, engine, NULL, &request);
    cr_assert_eq(cost, 0);
    return cuda_emulator_call_count() > before;
}

/* Otherwise many callers of small questions would wait for each other. */
Test(device_dispatch, answers_in_the_callers_memory_take_no_lock_of_blocks, .timeout = 20)
{
    void *memory;
    use_rates("routes,0,0,0,1000000000000,0,0\n");
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    FIXTURE_CALL(macadam_memory_new, &memory, engine, MACADAM_MEMORY_DEVICE, 1); /* opens the device */
    macadam_memory_free(engine, memory);
    pthread_mutex_lock(&engine->buffer_lock);
    cr_assert_not(find_pair(engine));
    pthread_mutex_unlock(&engine->buffer_lock);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* Answers into it come from the device, even if the processor would be faster. */
Test(device_dispatch, memory_of_a_device_opens_it)
{
    use_rates(NULL);
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    void *memory;
    uint32_t cost = 1;
    FIXTURE_CALL(macadam_memory_new, &memory, engine, MACADAM_MEMORY_DEVICE, sizeof cost);
    cr_assert(is_on_device(engine));
    ask_matrix_into(engine, memory);
    FIXTURE_CALL(macadam_memory_read, &cost, engine, memory, sizeof cost);
    cr_assert_eq(cost, 0);
    expect_right(engine);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* The reason that info and --verbose print. */
Test(device_dispatch, a_lack_of_memory_is_reported_with_its_size)
{
    enum { ALL = 24 << 20, LEFT = 1 << 10 };
    macadam_info info = MACADAM_INFO_INIT;
    void *most;
    use_rates("matrix,9000000000000,0,0,0,0,0\nopen,0,0,0,0,0,0\nplace,0,0,0,0,0,0\ncustomize,0,0,0,0,0,0\n");
    cuda_emulator_set_memory(ALL);
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    FIXTURE_CALL(macadam_memory_new, &most, engine, MACADAM_MEMORY_DEVICE, ALL - LEFT);
    ask_matrix(engine);
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert(info.device_reason && strstr(info.device_reason, "out of memory: "), "%s", info.device_reason);
    cr_assert(strstr(info.device_reason, " bytes are needed"), "%s", info.device_reason);
    macadam_memory_free(engine, most);
    expect_right(engine);
    cr_assert(engine->version[0]->is_placed, "the device was not tried again");
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* docs/reference/devices.md, of questions by a device that is open while the processor has the weights, too. */
Test(device_dispatch, questions_are_answered_where_the_page_says)
{
    static const char *const devices[] = {"cuda", "auto"};
    const question_scene scene = {&graph, &fixture_asked_all[0]};
    use_rates(NULL);
    for (int d = 0; d < 2; ++d) {
        macadam_engine *const engine = emulated_module_open(fixture.path, devices[d], 2);
        void *memory;
        FIXTURE_CALL(macadam_memory_new, &memory, engine, MACADAM_MEMORY_DEVICE, 1); /* opens it */
        expect_right(engine);
        FIXTURE_CALL(mcd_version_prepare, engine->version[0], engine, engine->host, MCD_NEED_PATHS);
        for (size_t i = 0; i < QUESTIONS; ++i) {
            const char *const name = question_all[i].name;
            const bool has_no_estimate = strcmp(name, "a closure") == 0 || strstr(name, "by the clock"),
                       is_expected = has_no_estimate || (d == 0 && strcmp(name, "a route") != 0);
            SCOPED(answer_log_free) answer_log log = {0};
            const size_t before = cuda_emulator_call_count();
            fixture_expect_ok(question_all[i].ask(&log, &scene, engine, &error), &error, name);
            cr_expect(log.count == 0 || (cuda_emulator_call_count() > before) == is_expected, "%s on %s",
                      name, devices[d]);
        }
        macadam_engine_close(engine);
    }
    emulated_module_expect_nothing_left();
}

enum { ONE_WAY = 300 };

/* Returns whether the device was used for the hops from a node, which is expected to reach `reached` nodes. */
static bool find_hops(macadam_engine *engine, uint32_t from, bool reverse, size_t reached)
{
    uint32_t hops[ONE_WAY];
    const macadam_place place = fixture_place(from);
    const macadam_hops_request request = {
        .size = sizeof request, .source = &place, .source_count = 1, .reverse = reverse};
    const size_t before = cuda_emulator_call_count();
    FIXTURE_CALL(macadam_hops_find, hops, NULL, NULL, engine, NULL, &request);
    const bool is_on_device = cuda_emulator_call_count() > before;
    for (size_t i = 0; i < ONE_WAY; ++i) reached -= hops[i] != MACADAM_UNREACHED;
    cr_assert_eq(reached, 0);
    return is_on_device;
}

/* On a road of one way, the first node reaches all, and the last one is reached by all. */
Test(device_dispatch, hops_that_reach_little_stay_on_the_processor)
{
    fixture_close(&fixture);
    test_graph_free(&graph);
    graph = (test_graph){.node_count = ONE_WAY};
    for (uint32_t x = 0; x + 1 < ONE_WAY; ++x) test_graph_add(&graph, x, x + 1, 1, 1);
    fixture_open(&fixture, &graph, 2);
    use_rates("hops,0,1000000,0,1000,0,0\nopen,0,0,0,0,0,0\nplace,0,0,0,0,0,0\n");
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    for (int reverse = 0; reverse < 2; ++reverse) {
        cr_assert(find_hops(engine, reverse ? ONE_WAY - 1 : 0, reverse, ONE_WAY));
        cr_assert_not(find_hops(engine, reverse ? 0 : ONE_WAY - 1, reverse, 1));
    }
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

Test(device_dispatch, a_method_of_devices_opens_one)
{
    use_rates(NULL);
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    const macadam_place place = fixture_place(0);
    const macadam_hops_request request = {
        .size = sizeof request, .source = &place, .source_count = 1, .method = "two-phase"};
    uint32_t *const hops = calloc(graph.node_count, sizeof *hops);
    FIXTURE_CALL(macadam_hops_find, hops, NULL, NULL, engine, NULL, &request);
    cr_assert(is_on_device(engine));
    free(hops);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* ---- routes while only a device has the weights ---- */

static macadam_route *find_route(macadam_engine *engine, uint32_t from, uint32_t to)
{
    const macadam_place waypoint[] = {fixture_place(from), fixture_place(to)};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    macadam_route *route;
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
    return route;
}

static void expect_route(macadam_engine *engine, uint32_t from, uint32_t to)
{
    SCOPED(macadam_route_free_at)
    macadam_route *right = find_route(fixture.engine, from, to), *found = find_route(engine, from, to);
    cr_assert_eq(found->found, right->found);
    cr_assert_eq(found->arc_count, right->arc_count);
    cr_assert_eq(found->value[0], right->value[0]);
    for (size_t i = 0; i < right->arc_count; ++i) cr_assert_eq(found->arc[i].arc, right->arc[i].arc);
}

/* Gives every `step`-th arc a weight. */
static void update_some(macadam_engine *engine, uint64_t step, uint32_t to)
{
    enum { MOST = 1000 };
    uint64_t arc[MOST], count = 0;
    uint32_t weight[MOST];
    const uint32_t *const value[2] = {weight, weight};
    for (uint64_t next = 1; next < graph.arc_count; next += step) arc[count] = next, weight[count++] = to;
    const macadam_update_request request = fixture_update(arc, count, value);
    FIXTURE_CALL(macadam_update, engine, &request);
}

static void update_one(macadam_engine *engine, uint32_t to)
{
    update_some(engine, graph.arc_count, to);
}

Test(device_dispatch, single_routes_come_from_the_device_that_has_the_weights, .timeout = 100)
{
    macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
    FIXTURE_CALL(questions_update, &graph, engine);
    FIXTURE_CALL(questions_update, &graph, fixture.engine);
    const size_t calls = cuda_emulator_call_count();
    const uint32_t last = (uint32_t)graph.node_count - 1;
    expect_route(engine, 0, last);
    expect_route(engine, last, 0);
    cr_assert_gt(cuda_emulator_call_count(), calls, "the device was not used");
    cr_assert(!engine->version[0]->has_kept && !engine->version[0]->basic,
              "the processor has made the weights");
    while (!engine->version[0]->basic) { /* beside, after some routes */
        expect_route(engine, 0, last);
        sched_yield();
    }
    update_one(engine, 77); /* both repair their weights */
    update_one(fixture.engine, 77);
    cr_assert(engine->version[0]->basic && engine->version[0]->is_placed);
    expect_route(engine, 0, last);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

Test(device_dispatch, a_short_repair_leaves_the_device_to_questions_that_gain)
{
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    ask_matrix(engine);
    cr_assert(engine->version[0]->is_placed);
    FIXTURE_CALL(mcd_version_add_basic, engine->version[0], false, engine);
    update_one(engine, 77);
    update_one(fixture.engine, 77);
    cr_assert(engine->version[0]->basic && !engine->version[0]->is_placed);
    expect_right(engine);
    cr_assert(engine->version[0]->is_placed);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* Returns an engine whose device has weights, and renews them in 0.4 of the time in which two threads make basic ones. */
static macadam_engine *open_placed(void)
{
    use_rates("matrix,1000000000000000,0,0,0,0,0\nopen,0,0,0,0,0,0\nplace,0,0,0,0,0,0\n"
              "customize,0,1000000,0,0,200000,0\n");
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    ask_matrix(engine);
    return engine;
}

/* Returns an engine with a map so high that basic weights matter. Both devices have weights, the processor only basic ones, on
 * which a pair takes more than 40 ns, and 20 over kept arcs. The device takes 25 ns a pair, and 60 for weights. */
static macadam_engine *open_basic(void)
{
    char rows[256];
    fixture_close(&fixture);
    test_graph_free(&graph);
    graph = graphs_make_named("town");
    fixture_open(&fixture, &graph, 2);
    const unsigned long long step = 60000000 / fixture.engine->metadata->up_arc_count;
    snprintf(rows, sizeof rows,
             "matrix,1000000000000000,0,0,0,0,0\nroutes,20000000,0,0,25000000,0,0\nopen,0,0,0,0,0,0\n"
             "place,0,0,0,0,0,0\ncustomize,0,%llu,0,0,%llu,0\n",
             100 * step, step);
    use_rates(rows);
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    ask_matrix(engine);
    FIXTURE_CALL(mcd_version_add_basic, engine->version[0], false, engine);
    cr_assert(engine->version[0]->is_placed && engine->version[0]->basic);
    return engine;
}

Test(device_dispatch, the_device_finds_pairs_until_basic_weights_are_pruned, .timeout = 100)
{
    macadam_engine *const engine = open_basic();
    cr_assert(find_pair(engine));
    while (!engine->version[0]->has_kept) { /* beside, once pairs have lost enough on the device */
        find_pair(engine);
        sched_yield();
    }
    cr_assert(!find_pair(engine));
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

Test(device_dispatch, the_device_finds_matrices_until_basic_weights_are_pruned, .timeout = 100)
{
    macadam_engine *const engine = open_basic();
    engine->dispatch.rates.of[MCD_RATED_MATRIX] = (mcd_rate){{15000000, 0, 0}, {20000000, 0, 0}};
    cr_assert(uses_device(engine));
    while (!engine->version[0]->has_kept) {
        ask_matrix(engine);
        sched_yield();
    }
    cr_assert_not(uses_device(engine));
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

Test(device_dispatch, losses_before_an_update_give_the_device_no_weights_after_it)
{
    macadam_engine *const engine = open_basic();
    for (uint32_t to = 70; to < 80; ++to) {
        update_one(engine, to);
        for (int i = 0; i < 3; ++i) cr_assert(!find_pair(engine), "%d pairs after the update to %u", i, to);
    }
    cr_assert(find_pair(engine), "losses after the update do not count");
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* A pair takes 50 ns on the processor, 25 on the device, which takes more to get the map. */
Test(device_dispatch, losses_before_the_device_has_the_map_outlast_updates)
{
    enum { UPDATES = 10 };
    use_rates("routes,50000000,0,0,25000000,0,0\nopen,0,0,0,0,0,0\nplace,0,0,0,0,1000000,0\n"
              "customize,0,0,0,0,0,0\n");
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    void *memory;
    unsigned on_device = 0;
    FIXTURE_CALL(macadam_memory_new, &memory, engine, MACADAM_MEMORY_DEVICE, 1); /* opens it */
    for (uint32_t to = 70; to < 70 + UPDATES; ++to) {
        update_one(engine, to);
        on_device += find_pair(engine);
    }
    cr_assert(0 < on_device && on_device < UPDATES, "%u", on_device);
    macadam_memory_free(engine, memory);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

static bool is_renewed(const macadam_engine *engine)
{
    return engine->version[0]->is_placed && !engine->version[0]->basic;
}

static bool is_repaired(const macadam_engine *engine)
{
    return engine->version[0]->basic && !engine->version[0]->is_placed;
}

Test(device_dispatch, after_some_renewals_updates_are_repairs)
{
    macadam_engine *const engine = open_placed();
    for (uint32_t to = 70; to < 76; ++to) {
        update_one(engine, to);
        cr_assert(to < 72 ? is_renewed(engine) : is_repaired(engine), "%u", to);
    }
    update_one(fixture.engine, 75);
    expect_right(engine);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

Test(device_dispatch, updates_whose_repair_is_long_are_renewals)
{
    enum { STEP = 9 };
    macadam_engine *const engine = open_placed();
    for (uint32_t to = 70; to < 80; ++to) {
        update_some(engine, STEP, to);
        cr_assert(to == 72 ? is_repaired(engine) : is_renewed(engine), "%u", to);
        if (to == 72) ask_matrix(engine); /* places it */
    }
    update_some(fixture.engine, STEP, 79);
    expect_right(engine);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

Test(device_dispatch, a_route_on_a_device_that_fails_comes_from_the_processor)
{
    macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
    FIXTURE_CALL(questions_update, &graph, engine);
    FIXTURE_CALL(questions_update, &graph, fixture.engine);
    cuda_emulator_lose_device(1, CUDA_EMULATOR_FAULT);
    expect_route(engine, 0, (uint32_t)graph.node_count - 1);
    cr_assert(cuda_emulator_has_failed());
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert(strstr(info.device_reason, "the device failed"), "%s", info.device_reason);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

/* ---- reach of points ---- */

enum { REACH_PLACES = 6, REACH_NEAREST = 3, GRID_E7 = 10000 };

/* Answers a reach between points within roads; which: limits, nearest targets, or both as bits. Returns how many calls of the driver
 * it took. */
static size_t ask_reach(macadam_engine *engine, unsigned which, uint64_t *node_count, uint32_t *cost)
{
    static const uint32_t limit = 500;
    macadam_place place[2 * REACH_PLACES];
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    for (int i = 0; i < 2 * REACH_PLACES; ++i)
        place[i] = macadam_point(8 + (i * 0.7 + 0.3) * GRID_E7 * 1e-7, 47 + i * 1e-8);
    request.source = place, request.source_count = REACH_PLACES;
    request.target = place + REACH_PLACES, request.target_count = REACH_PLACES;
    if (which & 1) request.limit = &limit, request.limit_count = 1, answer.node_count = node_count;
    if (which & 2) request.nearest_count = REACH_NEAREST, answer.nearest_cost = cost;
    const size_t before = cuda_emulator_call_count();
    FIXTURE_CALL(macadam_reach_find, &answer, NULL, engine, NULL, &request);
    return cuda_emulator_call_count() - before;
}

Test(device_dispatch, nearest_points_come_from_the_sweeps_of_the_rest)
{
    char path[FILES_PATH_BYTES + 32];
    uint64_t count[REACH_PLACES], right_count[REACH_PLACES];
    uint32_t cost[REACH_PLACES * REACH_NEAREST], right_cost[REACH_PLACES * REACH_NEAREST];
    FREED int32_t *const lon = calloc(graph.node_count, sizeof *lon), *const lat = calloc(graph.node_count,
                                                                                          sizeof *lat);
    size_t calls[4] = {0};
    for (size_t i = 0; i < graph.node_count; ++i)
        lon[i] = 80000000 + (int32_t)i % 8 * GRID_E7, lat[i] = 470000000 + (int32_t)i / 8 * GRID_E7;
    snprintf(path, sizeof path, "%s/points.mcd", fixture.folder);
    FIXTURE_CALL(fixture_import, &graph, lon, lat, path, 2);
    macadam_engine *const host = fixture_open_file(path, 2), *const engine =
                                                                 emulated_module_open(path, "cuda", 2);
    ask_reach(host, 3, right_count, right_cost);
    ask_reach(engine, 3, count, cost); /* the first call makes what the others use */
    for (unsigned which = 1; which <= 3; ++which) {
        memset(count, 0, sizeof count), memset(cost, 0, sizeof cost);
        calls[which] = ask_reach(engine, which, count, cost);
        cr_assert(!(which & 1) || memcmp(count, right_count, sizeof count) == 0);
        cr_assert(!(which & 2) || memcmp(cost, right_cost, sizeof cost) == 0);
    }
    cr_assert_lt(calls[3], calls[2] + calls[1] / 2, "%zu calls, %zu and %zu", calls[3], calls[1], calls[2]);
    macadam_engine_close(host);
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
}

enum { CUT_OFF_PLACES = 32, CUT_OFF_NODES_MAX = 200 };

enum {
    SITE = 95,
    SITE_LAT = 470000000 - 2 * GRID_E7
}; /* the first of three nodes that no road joins to others */

/* Points on the first grid, and some on the site. Returns how many are cut off. */
static size_t points_of_islands(macadam_engine *host, macadam_place *place, bool on_site)
{
    macadam_snap snap[CUT_OFF_PLACES];
    size_t moved = 0;
    for (int i = 0; i < CUT_OFF_PLACES; ++i)
        place[i] = on_site && i % 4 == 0
                       ? macadam_point(8 + i * 0.05 * GRID_E7 * 1e-7, SITE_LAT * 1e-7)
                       : macadam_point(8 + (i % 6 + 0.4) * GRID_E7 * 1e-7, 47 + i % 7 * GRID_E7 * 1e-7);
    FIXTURE_CALL(macadam_snap_find, snap, host, NULL, place, CUT_OFF_PLACES);
    for (int i = 0; i < CUT_OFF_PLACES; ++i) moved += snap[i].status == MACADAM_PLACE_MOVED;
    return moved;
}

/* Trees as lanes and by id, and reach. Returns how many calls of the runtime they took. */
static size_t sweep_from(macadam_engine *engine, const macadam_place *place, uint32_t *value)
{
    static const uint32_t limit = 300;
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    macadam_reach_request reach = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    uint64_t counts[2 * CUT_OFF_PLACES];
    uint32_t *const rest = value + 2 * CUT_OFF_PLACES * CUT_OFF_NODES_MAX;
    const size_t before = cuda_emulator_call_count();
    tree.source = reach.source = place, tree.source_count = reach.source_count = CUT_OFF_PLACES;
    FIXTURE_CALL(macadam_tree_find, &value, NULL, engine, NULL, &tree);
    tree.order = MACADAM_ORDER_LANES;
    uint32_t *const lanes = value + CUT_OFF_PLACES * CUT_OFF_NODES_MAX;
    FIXTURE_CALL(macadam_tree_find, &lanes, NULL, engine, NULL, &tree);
    reach.limit = &limit, reach.limit_count = 1;
    answer.node_count = counts, answer.reached = counts + CUT_OFF_PLACES, answer.eccentricity = rest;
    FIXTURE_CALL(macadam_reach_find, &answer, NULL, engine, NULL, &reach);
    memcpy(rest + CUT_OFF_PLACES, counts, sizeof counts);
    return cuda_emulator_call_count() - before;
}

Test(device_dispatch, places_that_are_cut_off_have_columns_of_the_same_sweep)
{
    enum { CELLS = 2 * CUT_OFF_PLACES * CUT_OFF_NODES_MAX + 5 * CUT_OFF_PLACES };
    char path[FILES_PATH_BYTES + 32];
    int32_t lon[CUT_OFF_NODES_MAX], lat[CUT_OFF_NODES_MAX];
    macadam_place place[CUT_OFF_PLACES];
    FREED uint32_t *const right = checked_zeroed(CELLS, 4), *const found = checked_zeroed(CELLS, 4);
    size_t calls[2];
    test_graph islands = graphs_make_named("islands");
    for (int i = 0; i < (int)islands.node_count; ++i) {
        const int own = i < 49 ? i : i < SITE ? i - 49 : i - SITE;
        lon[i] = 80000000 + own % 7 * GRID_E7;
        lat[i] = (i < 49 ? 470000000 : i < SITE ? 450000000 : SITE_LAT) + own / 7 * GRID_E7;
    }
    for (uint32_t i = SITE; i < SITE + 2; ++i)
        test_graph_add(&islands, i, i + 1, 50, 50), test_graph_add(&islands, i + 1, i, 50, 50);
    snprintf(path, sizeof path, "%s/islands.mcd", fixture.folder);
    FIXTURE_CALL(fixture_import, &islands, lon, lat, path, 2);
    macadam_engine *const host = fixture_open_file(path, 2), *const engine =
                                                                 emulated_module_open(path, "cuda", 2);
    for (int on_site = 0; on_site < 2; ++on_site) {
        cr_assert_eq(points_of_islands(host, place, on_site), on_site ? CUT_OFF_PLACES / 4 : 0);
        sweep_from(host, place, right);
        sweep_from(engine, place, found); /* the first call makes what the others use */
        calls[on_site] = sweep_from(engine, place, found);
        cr_assert_eq(memcmp(found, right, CELLS * sizeof *found), 0);
    }
    cr_assert_lt(calls[1], calls[0] + calls[0] / 4, "%zu calls, %zu without such places", calls[1], calls[0]);
    macadam_engine_close(host);
    macadam_engine_close(engine);
    test_graph_free(&islands);
    emulated_module_expect_nothing_left();
}
