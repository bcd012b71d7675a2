/* test_device_failures.c - every allocation on a device fails once, and devices are lost at any moment: the
 * processor answers instead, callbacks get everything once, and nothing leaks. */
#include "engine/runtime/engine.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/questions.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TRIES_MAX = 5000 };

static test_graph graph;
static fixture_engine fixture; /* its engine: the processor's */
static const question_scene scene = {&graph, &fixture_asked_all[3]};
static macadam_error error;

/* One question each of trees, matrices and routes. */
enum { SAMPLES = 3 };
static const size_t sample[SAMPLES] = {2, 4, 7};

/* The right answer to each sample; [0] before the update, [1] after it. */
static answer_log right[2][SAMPLES];

static answer_log ask_sample(macadam_engine *engine, size_t index)
{
    macadam_error own;
    answer_log log = {0};
    const question *const asked = &question_all[sample[index]];
    fixture_expect_ok(asked->ask(&log, &scene, engine, &own), &own, asked->name);
    return log;
}

static void ask_samples(macadam_engine *engine)
{
    for (size_t i = 0; i < SAMPLES; ++i) {
        SCOPED(answer_log_free) answer_log log = ask_sample(engine, i);
    }
}

/* A grid of streets, a clique of one-way arcs and a node on its own: few, because each call is made to fail. */
static test_graph make_graph(void)
{
    enum { SIDE = 5, CLIQUE = 6, GRID = SIDE * SIDE };
    test_rng rng = {19};
    test_graph out = {.name = "few streets", .node_count = GRID + CLIQUE + 1};
    for (uint32_t x = 0; x < GRID; ++x)
        for (uint32_t step = 1; step <= SIDE; step += SIDE - 1) {
            if (step == 1 ? x % SIDE + 1 == SIDE : x + SIDE >= GRID) continue;
            test_graph_add(&out, x, x + step, 1 + rng_below(&rng, 100), 1 + rng_below(&rng, 100));
            test_graph_add(&out, x + step, x, 1 + rng_below(&rng, 100), 1 + rng_below(&rng, 100));
        }
    for (uint32_t x = GRID; x < GRID + CLIQUE; ++x)
        for (uint32_t y = x + 1; y < GRID + CLIQUE; ++y)
            test_graph_add(&out, x, y, rng_below(&rng, 100), rng_below(&rng, 100));
    return out;
}

static void set_up(void)
{
    allocator_install();
    emulated_module_install();
    graph = make_graph();
    fixture_open(&fixture, &graph, 2);
    for (size_t i = 0; i < SAMPLES; ++i) right[0][i] = ask_sample(fixture.engine, i);
    FIXTURE_CALL(questions_update, &graph, fixture.engine);
    for (size_t i = 0; i < SAMPLES; ++i) right[1][i] = ask_sample(fixture.engine, i);
}

static void tear_down(void)
{
    allocator_fail(0);
    fixture_close(&fixture);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
    for (size_t i = 0; i < SAMPLES; ++i) {
        answer_log_free(&right[0][i]);
        answer_log_free(&right[1][i]);
    }
    test_graph_free(&graph);
}

TestSuite(device_failures, .init = set_up, .fini = tear_down);

/* ---- what fails ---- */

typedef struct device_trouble {
    const char *name;
    void (*come)(size_t nth); /* 0: none any more */
    bool is_lasting;          /* the device is lost for good */
} device_trouble;

static void lose_by_fault(size_t nth)
{
    cuda_emulator_lose_device(nth, CUDA_EMULATOR_FAULT);
}

static void lose_to_others(size_t nth)
{
    cuda_emulator_lose_device(nth, CUDA_EMULATOR_UNAVAILABLE);
}

static const device_trouble no_memory = {"allocation", cuda_emulator_fail_allocation, false};
static const device_trouble fault = {"call that faults", lose_by_fault, true};
static const device_trouble unavailable = {"call without a device", lose_to_others, true};

/* Lasting trouble: calls are many, and a later one is like its neighbours. */
static size_t next_of(const device_trouble *trouble, size_t nth)
{
    return trouble->is_lasting ? nth + nth / 4 + 1 : nth + 1;
}

static bool is_on_device(const macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    return strncmp(info.device, "cuda:", 5) == 0;
}

static void close_engine(macadam_engine *engine)
{
    macadam_engine_close(engine);
    emulated_module_expect_nothing_left();
    cuda_emulator_reset();
}

/* Expects the right answer to the next sample in turn, from the right backend. A device that was lost in the last
 * call of a question or an update, whose status is not read, is noticed by the next questions. */
static void expect_right(macadam_engine *engine, const answer_log *answers, bool is_lost, const char *where)
{
    static size_t turn;
    if (is_lost && is_on_device(engine)) ask_samples(engine);
    const size_t index = turn++ % SAMPLES;
    answer_log found = ask_sample(engine, index);
    const size_t at = answer_log_difference(&found, &answers[index]);
    cr_assert_eq(at, SIZE_MAX, "%s: word %zu of \"%s\" differs", where, at, question_all[sample[index]].name);
    answer_log_free(&found);
    cr_assert_eq(is_on_device(engine), !is_lost, "%s", where);
}

/* ---- opening ---- */

Test(device_failures, opening_says_so_or_takes_the_processor)
{
    static const device_trouble *const troubles[] = {&no_memory, &fault, &unavailable};
    for (size_t t = 0; t < 3; ++t)
        for (int any = 0; any < 2; ++any) {
            bool has_failed = true;
            for (size_t nth = 1; has_failed; ++nth) {
                macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
                options.device = any ? "auto" : "cuda:all";
                macadam_engine *engine;
                troubles[t]->come(nth);
                error.message[0] = '\0';
                const macadam_status status = macadam_engine_open(&engine, fixture.path, &options, &error);
                if (engine && any) ask_samples(engine); /* the first of these opens the device */
                has_failed = cuda_emulator_has_failed();
                troubles[t]->come(0);
                if (status) cr_assert(!any && has_failed && status == MACADAM_E_DEVICE, "%s", error.message);
                if (status) cr_assert_str_not_empty(error.message);
                if (engine) ask_samples(engine); /* finds out what was lost in opening's last call */
                if (engine) expect_right(engine, right[0], !is_on_device(engine), "opened");
                close_engine(engine);
            }
        }
}

/* A dead context still returns its device's name: opening must look at more. */
Test(device_failures, dead_device_is_not_opened_by_name)
{
    macadam_engine *const first = emulated_module_open(fixture.path, "cuda", 2);
    lose_by_fault(1);
    expect_right(first, right[0], true, "the first engine");
    macadam_engine *engine;
    const macadam_engine_options options = {.size = sizeof options, .device = "cuda"};
    cr_assert_eq(macadam_engine_open(&engine, fixture.path, &options, &error), MACADAM_E_DEVICE);
    cr_assert_str_eq(error.message, "cuda:0 cannot be used by this process: unspecified launch failure");
    engine = emulated_module_open(fixture.path, "auto", 2);
    expect_right(engine, right[0], true, "on the processor");
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert_str_eq(info.device_reason, "cuda:0 cannot be used by this process: unspecified launch failure");
    const size_t calls = cuda_emulator_call_count();
    expect_right(engine, right[0], true, "on the processor");
    expect_right(first, right[0], true, "the first engine again");
    FIXTURE_CALL(questions_update, &graph, engine);
    cr_assert_eq(cuda_emulator_call_count(), calls, "a dead device is used again");
    macadam_engine_close(engine);
    close_engine(first);
}

/* An engine that was opened on "auto" when the device was full. */
static macadam_engine *open_on_full(void)
{
    cuda_emulator_set_memory(8 << 20);
    macadam_engine *const engine = emulated_module_open(fixture.path, "auto", 2);
    expect_right(engine, right[0], true, "on the processor");
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    cr_assert_str_eq(info.device_reason, "cuda:0 is full: 8388608 of its 8388608 bytes are free");
    return engine;
}

Test(device_failures, full_device_is_taken_by_the_next_update)
{
    macadam_engine *named, *const engine = open_on_full();
    const macadam_engine_options options = {.size = sizeof options, .device = "cuda"};
    cr_assert_eq(macadam_engine_open(&named, fixture.path, &options, &error), MACADAM_E_DEVICE);
    cr_assert_str_eq(error.message, "cuda:0 is full: 8388608 of its 8388608 bytes are free");
    cuda_emulator_reset();
    expect_right(engine, right[0], true, "too soon");
    FIXTURE_CALL(questions_update, &graph, engine);
    expect_right(engine, right[1], false, "after the update");
    close_engine(engine);
}

Test(device_failures, full_device_is_taken_by_a_later_call)
{
    macadam_engine *const engine = open_on_full();
    engine->dispatch.retry_ms = 1; /* some seconds later */
    expect_right(engine, right[0], true, "still full");
    cr_assert_gt(engine->dispatch.retry_ms, 1);
    cuda_emulator_reset();
    engine->dispatch.retry_ms = 1;
    expect_right(engine, right[0], false, "no longer full");
    cr_assert_eq(engine->dispatch.retry_ms, 0);
    close_engine(engine);
}

/* ---- questions ---- */

/* One question while trouble comes, to an engine that was warm before or not, and then all of them. */
static void ask_in_trouble(const char *device, const question *asked, const device_trouble *trouble,
                           bool is_warm)
{
    bool has_failed = true;
    SCOPED(answer_log_free) answer_log expected = {0};
    macadam_engine *const again = fixture_open_file(fixture.path, 2);
    fixture_expect_ok(asked->ask(&expected, &scene, again, &error), &error, asked->name);
    macadam_engine_close(again);
    for (size_t nth = 1; has_failed && nth < TRIES_MAX; nth = next_of(trouble, nth)) {
        char where[256];
        answer_log found = {0};
        snprintf(where, sizeof where, "%s on %s%s, %s %zu", asked->name, device, is_warm ? ", warm" : "",
                 trouble->name, nth);
        macadam_engine *const engine = emulated_module_open(fixture.path, device, 2);
        if (is_warm) expect_right(engine, right[0], false, where);
        trouble->come(nth);
        fixture_expect_ok(asked->ask(&found, &scene, engine, &error), &error, where);
        has_failed = cuda_emulator_has_failed();
        trouble->come(0);
        cr_assert_eq(answer_log_difference(&found, &expected), SIZE_MAX, "%s", where);
        expect_right(engine, right[0], has_failed && trouble->is_lasting, where);
        answer_log_free(&found);
        close_engine(engine);
    }
    cr_assert_not(has_failed, "%s: still failing after %d tries", asked->name, TRIES_MAX);
}

Test(device_failures, questions_without_device_memory)
{
    for (size_t i = 0; i < QUESTIONS; ++i) ask_in_trouble("cuda", &question_all[i], &no_memory, false);
}

Test(device_failures, questions_to_a_device_that_is_lost)
{
    for (size_t i = 0; i < QUESTIONS; ++i) {
        ask_in_trouble("cuda", &question_all[i], &fault, false);
        ask_in_trouble("cuda", &question_all[i], &unavailable, true);
    }
}

Test(device_failures, questions_to_devices_of_which_one_is_lost)
{
    for (size_t i = 0; i < QUESTIONS; ++i) ask_in_trouble("cuda:all", &question_all[i], &fault, false);
}

/* ---- updates ---- */

/* An update while trouble comes, on an engine that has answered before. */
static void update_in_trouble(const char *device, const device_trouble *trouble)
{
    bool has_failed = true;
    for (size_t nth = 1; has_failed && nth < TRIES_MAX; nth = next_of(trouble, nth)) {
        char where[128];
        snprintf(where, sizeof where, "update on %s, %s %zu", device, trouble->name, nth);
        macadam_engine *const engine = emulated_module_open(fixture.path, device, 2);
        expect_right(engine, right[0], false, where);
        trouble->come(nth);
        fixture_expect_ok(questions_update(&graph, engine, &error), &error, where);
        has_failed = cuda_emulator_has_failed();
        trouble->come(0);
        expect_right(engine, right[1], has_failed && trouble->is_lasting, where);
        close_engine(engine);
    }
    cr_assert_not(has_failed);
}

Test(device_failures, update_without_device_memory)
{
    update_in_trouble("cuda", &no_memory);
}

Test(device_failures, update_on_a_device_that_is_lost)
{
    update_in_trouble("cuda", &fault);
    update_in_trouble("cuda:all", &unavailable);
}

/* Weights that only the device has, because it made them, are customized again; every other update starts
 * from different ones. */
Test(device_failures, weights_are_lost_with_their_device)
{
    for (size_t i = 0; i < QUESTIONS; ++i) {
        macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
        answer_log found = {0}, expected = {0};
        FIXTURE_CALL(questions_update, &graph, engine);
        lose_by_fault(1);
        fixture_expect_ok(question_all[i].ask(&found, &scene, engine, &error), &error, question_all[i].name);
        fixture_expect_ok(question_all[i].ask(&expected, &scene, fixture.engine, &error), &error, "expected");
        cr_assert_eq(answer_log_difference(&found, &expected), SIZE_MAX, "%s", question_all[i].name);
        FIXTURE_CALL(questions_update, &graph, engine);
        expect_right(engine, right[1], true, question_all[i].name);
        answer_log_free(&found);
        answer_log_free(&expected);
        close_engine(engine);
    }
}

/* They are fetched if the device only has too little memory for an answer, or is lost meanwhile. */
Test(device_failures, weights_come_home_from_a_device)
{
    bool has_failed = true;
    for (size_t nth = 1; has_failed; nth += nth / 4 + 1) {
        answer_log found = {0}, expected = {0};
        macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
        FIXTURE_CALL(questions_update, &graph, engine);
        cuda_emulator_set_memory(1);
        lose_by_fault(nth);
        fixture_expect_ok(question_all[0].ask(&found, &scene, engine, &error), &error, "trees");
        fixture_expect_ok(question_all[0].ask(&expected, &scene, fixture.engine, &error), &error, "trees");
        has_failed = cuda_emulator_has_failed();
        lose_by_fault(0);
        cr_assert_eq(answer_log_difference(&found, &expected), SIZE_MAX, "call %zu", nth);
        expect_right(engine, right[1], has_failed, "brought home");
        answer_log_free(&found);
        answer_log_free(&expected);
        close_engine(engine);
    }
}

/* ---- updates within a call ---- */

/* A matrix that takes a few tiles, and what happens after the first of them. */
typedef struct matrix_call {
    macadam_engine *engine;
    bool is_disturbed; /* after the first tile come an update and the loss of the device */
    size_t tiles, columns;
    uint32_t *cell;
} matrix_call;

static void *update_beside(void *engine)
{
    macadam_error own;
    fixture_expect_ok(questions_update(&graph, engine, &own), &own, "update");
    return NULL;
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    matrix_call *call = context;
    for (size_t r = 0; r < tile->rows; ++r)
        memcpy(call->cell + (tile->row + r) * call->columns + tile->column,
               tile->value[0] + r * tile->columns, tile->columns * sizeof *call->cell);
    if (call->tiles++ > 0 || !call->is_disturbed) return true;
    pthread_t beside; /* a callback itself may not call the engine */
    cr_assert_eq(pthread_create(&beside, NULL, update_beside, call->engine), 0);
    pthread_join(beside, NULL);
    lose_by_fault(1);
    return true;
}

static void compute_matrix(matrix_call *call)
{
    FREED macadam_place *place = checked_zeroed(call->columns, sizeof *place);
    for (size_t i = 0; i < call->columns; ++i) place[i] = fixture_place(i % graph.node_count);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = place;
    request.source_count = request.target_count = call->columns;
    const macadam_query query = {.size = sizeof query, .memory_limit = 1 << 20};
    call->cell = checked_zeroed(call->columns * call->columns, sizeof *call->cell);
    FIXTURE_CALL(macadam_matrix_find, NULL, call->engine, &query, &request, take_tile, call);
}

Test(device_failures, a_call_keeps_the_weights_that_it_began_with)
{
    enum { COLUMNS = 600 };
    matrix_call found = {.is_disturbed = true, .columns = COLUMNS}, expected = {.columns = COLUMNS};
    expected.engine = fixture_open_file(fixture.path, 2);
    found.engine = emulated_module_open(fixture.path, "cuda", 2);
    compute_matrix(&expected);
    compute_matrix(&found);
    cr_assert(cuda_emulator_has_failed());
    cr_assert_gt(found.tiles, 1);
    cr_assert_eq(memcmp(found.cell, expected.cell, COLUMNS * COLUMNS * sizeof *found.cell), 0);
    lose_by_fault(0);
    expect_right(found.engine, right[1], true, "after the call");
    free(found.cell);
    free(expected.cell);
    macadam_engine_close(expected.engine);
    close_engine(found.engine);
}

/* ---- the host's memory ---- */

/* The library's allocations fail while a device answers: the call returns E_MEMORY and leaks nothing, and the
 * next call succeeds. */
static void fail_each_allocation(const char *name, macadam_status (*call)(macadam_engine *engine))
{
    bool has_failed = true;
    const size_t alive = allocator_live_count();
    for (size_t nth = 1; has_failed && nth < TRIES_MAX; ++nth) {
        macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 2);
        allocator_fail(nth);
        error.message[0] = '\0';
        const macadam_status status = call(engine);
        has_failed = allocator_has_failed();
        allocator_fail(0);
        if (status) {
            cr_assert(has_failed && status == MACADAM_E_MEMORY, "%s, allocation %zu: %s", name, nth,
                      error.message);
            fixture_expect_ok(call(engine), &error, name);
        }
        cr_assert(is_on_device(engine), "%s, allocation %zu", name, nth);
        close_engine(engine);
        cr_assert_eq(allocator_live_count(), alive, "%s, allocation %zu", name, nth);
    }
    cr_assert_not(has_failed);
}

static const question *asked_question;

static macadam_status ask_it(macadam_engine *engine)
{
    SCOPED(answer_log_free) answer_log log = {0};
    const macadam_status status = asked_question->ask(&log, &scene, engine, &error);
    return status;
}

static macadam_status update_it(macadam_engine *engine)
{
    return questions_update(&graph, engine, &error);
}

/* With weights to bring home, and a device that has room for nothing. */
static macadam_status update_and_ask_at_home(macadam_engine *engine)
{
    cuda_emulator_reset();
    const macadam_status status = update_it(engine);
    cuda_emulator_set_memory(1);
    return status ? status : ask_it(engine);
}

Test(device_failures, questions_without_memory)
{
    for (asked_question = question_all; asked_question < question_all + QUESTIONS; ++asked_question)
        fail_each_allocation(asked_question->name, ask_it);
}

Test(device_failures, update_without_memory)
{
    fail_each_allocation("update", update_it);
    asked_question = &question_all[0];
    fail_each_allocation("weights on their way home", update_and_ask_at_home);
}

/* ---- many threads ---- */

typedef struct asker {
    pthread_t thread;
    macadam_engine *engine;
    bool updates;
} asker;

static void *ask_on(void *context)
{
    const asker *self = context;
    for (int turn = 0; turn < 3; ++turn) {
        macadam_error own;
        if (self->updates)
            fixture_expect_ok(questions_update(&graph, self->engine, &own), &own, "update");
        else
            ask_samples(self->engine);
    }
    return NULL;
}

/* The answer of each thread depends on the moment; in the end everything works again. */
Test(device_failures, device_is_lost_under_many_threads)
{
    enum { ASKERS = 4 };
    for (size_t nth = 40; nth < 1200; nth *= 3) {
        asker all[ASKERS];
        macadam_engine *const engine = emulated_module_open(fixture.path, "cuda", 1);
        lose_by_fault(nth);
        for (int i = 0; i < ASKERS; ++i) {
            all[i] = (asker){.engine = engine, .updates = i == 0};
            cr_assert_eq(pthread_create(&all[i].thread, NULL, ask_on, &all[i]), 0);
        }
        for (int i = 0; i < ASKERS; ++i) pthread_join(all[i].thread, NULL);
        cr_assert(cuda_emulator_has_failed());
        expect_right(engine, right[1], true, "many threads");
        close_engine(engine);
    }
}
