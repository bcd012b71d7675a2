/* test_cuda_routes_emulated.c - routes of the CUDA backend in little memory, and with any order of threads:
 * cases that only an emulated device can produce. */
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/route_scene.h"

#include <criterion/criterion.h>

Test(cuda_routes_emulated, order_of_threads_changes_nothing)
{
    for (size_t map = 0; map < kernel_maps_count(); map += 3) {
        SCOPED(route_scene_free) route_scene s;
        route_scene_make(&s, map, ROUTE_MODE_COMPANION, "cuda");
        cuda_emulator_set_reversed(1);
        route_scene_expect(&s, false);
        route_scene_make_plain(&s);
        route_scene_expect(&s, true);
        route_scene_number(&s);
        route_scene_expect(&s, true);
        cuda_emulator_set_reversed(0);
    }
}

/* Begins with far too little memory: chunks of one pair, paths longer than a window. Every failure must be
 * for lack of memory. */
static void in_little_memory(route_scene *s)
{
    macadam_error error;
    route_scene_make_plain(s);
    route_answers host = route_answers_of_host(s, true);
    size_t answered = 0;
    for (size_t bytes = 1 << 14; bytes <= 1 << 24; bytes += bytes / 2) {
        SCOPED(route_answers_free) route_answers cuda = route_answers_make(s, true);
        cuda_emulator_set_memory(bytes);
        const macadam_status status = route_answers_ask(&cuda, s, s->metric.cuda, &error);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_DEVICE, "%s", error.message);
        if (!status) route_scene_expect_equal(s, &cuda, &host), ++answered;
    }
    cr_assert_gt(answered, 2);
    cr_assert_not(s->metric.cuda->device->lost(s->metric.device));
    route_answers_free(&host);
    cuda_emulator_reset();
}

Test(cuda_routes_emulated, little_memory_changes_nothing)
{
    route_scene s;
    route_scene_make_tall(&s, ROUTE_MODE_COMPANION);
    in_little_memory(&s);
    route_scene_free(&s);
    for (size_t map = 0; map < kernel_maps_count(); map += 8) {
        route_scene_make(&s, map, 0, "cuda");
        in_little_memory(&s);
        route_scene_number(&s);
        in_little_memory(&s);
        route_scene_free(&s);
    }
}

/* Returns how many calls of the driver the answers take, which are the host's. */
static size_t calls_of_answers(const route_scene *s, const route_answers *host)
{
    macadam_error error;
    SCOPED(route_answers_free) route_answers cuda = route_answers_make(s, host->path != NULL);
    const size_t before = cuda_emulator_call_count();
    cr_assert_eq(route_answers_ask(&cuda, s, s->metric.cuda, &error), MACADAM_OK, "%s", error.message);
    route_scene_expect_equal(s, &cuda, host);
    return cuda_emulator_call_count() - before;
}

/* The threads that share a copy take a call each, and how many come varies: returns the calls of the run with the fewest. */
static size_t least_calls(const route_scene *s, const route_answers *host)
{
    enum { RUNS = 8 };
    size_t least = SIZE_MAX;
    for (int i = 0; i < RUNS; ++i) least = mcd_size_min(least, calls_of_answers(s, host));
    return least;
}

/* Chunks and windows so small that each device has several rounds of them. A device fills two windows, and each of several
 * four. */
Test(cuda_routes_emulated, all_devices_take_many_chunks_in_turn)
{
    enum { MANY = 2500, LITTLE = 1 << 20, DEVICES = 2, WINDOWS = 4 };
    static const uint64_t PINNED_BYTES = 32 << 20;
    SCOPED(route_scene_free) route_scene s;
    route_scene_make(&s, graphs_count(), 0, "cuda:all");
    route_scene_set_pairs(&s, MANY);
    route_scene_make_plain(&s);
    SCOPED(route_answers_free) route_answers host = route_answers_of_host(&s, true);
    (void)calls_of_answers(&s, &host); /* makes lengths and streams */
    const size_t plenty = calls_of_answers(&s, &host);
    cuda_emulator_set_memory(LITTLE);
    const size_t little = calls_of_answers(&s, &host);
    cr_assert_gt(little, 4 * plenty, "%zu calls, %zu with plenty of memory", little, plenty);
    route_scene_number(&s);
    (void)calls_of_answers(&s, &host);
    cr_assert_eq(s.metric.cuda->device->held(s.metric.device).pinned, DEVICES * WINDOWS * PINNED_BYTES);
    cuda_emulator_reset();
}

/* A call of the driver takes as long as a small kernel. There were 108 while each array had memory of its own, and few pairs
 * had two chunks. */
Test(cuda_routes_emulated, few_paths_take_few_calls_of_the_driver)
{
    enum { CALLS_MOST = 44 };
    macadam_error error;
    SCOPED(route_scene_free) route_scene s;
    route_scene_make(&s, 0, ROUTE_MODE_COMPANION, "cuda");
    route_scene_make_plain(&s);
    size_t calls = 0;
    for (int i = 0; i < 2; ++i) { /* the first one makes lengths and streams */
        SCOPED(route_answers_free) route_answers cuda = route_answers_make(&s, true);
        const size_t before = cuda_emulator_call_count();
        cr_assert_eq(route_answers_ask(&cuda, &s, s.metric.cuda, &error), MACADAM_OK, "%s", error.message);
        calls = cuda_emulator_call_count() - before;
    }
    cr_assert_leq(calls, CALLS_MOST, "%zu calls", calls);
}

/* Six more while each array of their order had memory of its own. */
Test(cuda_routes_emulated, pairs_in_order_take_few_calls_of_the_driver)
{
    enum { ORDERED = 1 << 12, CALLS_MORE = 12 };
    SCOPED(route_scene_free) route_scene s;
    route_scene_make(&s, 0, 0, "cuda");
    route_scene_set_pairs(&s, ORDERED);
    route_scene_make_plain(&s);
    SCOPED(route_answers_free) route_answers host = route_answers_of_host(&s, false);
    const size_t ordered = least_calls(&s, &host);
    --s.count, --host.count;
    const size_t plain = least_calls(&s, &host);
    cr_assert_leq(ordered, plain + CALLS_MORE, "%zu calls, %zu without an order", ordered, plain);
}
