/* test_watch.c - long work asks in time and on the caller's thread, and stops when it is told to. */
#include "engine/base/watch.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { TASKS = 400, TASK_MS = 1, THREADS = 3, ASKED_AT_MOST_MS = 50 };

typedef struct asked {
    pthread_t caller;
    unsigned calls, stop_at; /* 0: never */
    uint64_t last_ns, longest_ns;
} asked;

static atomic_uint done;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool take_call(void *context, const char *phase, uint64_t at, uint64_t total)
{
    asked *const seen = context;
    (void)phase, (void)at, (void)total;
    cr_assert(pthread_equal(seen->caller, pthread_self()));
    const uint64_t now = now_ns();
    if (seen->calls && now - seen->last_ns > seen->longest_ns) seen->longest_ns = now - seen->last_ns;
    seen->last_ns = now;
    return ++seen->calls != seen->stop_at;
}

static void work(void *argument, size_t index, unsigned worker)
{
    (void)argument, (void)index, (void)worker;
    const struct timespec pause = {.tv_nsec = TASK_MS * 1000000};
    nanosleep(&pause, NULL);
    atomic_fetch_add(&done, 1);
}

static macadam_status run(asked *seen, macadam_error *error)
{
    const mcd_parallel parallel = {THREADS, NULL};
    const mcd_progress progress = {take_call, seen};
    mcd_watch watch = mcd_watch_of(&progress, "working");
    seen->caller = pthread_self();
    atomic_store(&done, 0);
    return mcd_watch_for(&watch, &parallel, TASKS, work, NULL, error);
}

Test(watch, work_asks_again_and_again)
{
    asked seen = {.stop_at = 0};
    cr_assert_eq(run(&seen, NULL), MACADAM_OK);
    cr_expect_eq(done, TASKS);
    cr_expect_gt(seen.calls, 2);
    cr_expect_lt(seen.longest_ns, UINT64_C(1000000) * ASKED_AT_MOST_MS);
}

Test(watch, work_stops_when_it_is_told_to)
{
    asked seen = {.stop_at = 2};
    macadam_error error = {""};
    cr_assert_eq(run(&seen, &error), MACADAM_E_CANCELLED);
    cr_expect_str_eq(error.message, "cancelled while working");
    cr_expect_eq(seen.calls, 2, "nobody is asked after a no");
    cr_expect_lt(done, TASKS);
}

Test(watch, nobody_is_asked_where_there_is_no_call)
{
    const mcd_parallel parallel = {THREADS, NULL};
    const mcd_progress silent = {NULL, NULL};
    mcd_watch watch = mcd_watch_of(&silent, "working");
    atomic_store(&done, 0);
    cr_assert_eq(mcd_watch_for(&watch, &parallel, TASKS / 10, work, NULL, NULL), MACADAM_OK);
    cr_expect_eq(done, TASKS / 10);
    cr_expect_eq(mcd_watch_step(&watch, 0, 1, NULL), MACADAM_OK);
}

typedef struct nested {
    mcd_watch *watch;
    const mcd_parallel *inner;
    atomic_uint ended;
} nested;

static void work_until_stopped(void *argument, size_t index, unsigned worker)
{
    nested *const run = argument;
    while (mcd_watch_goes_on(run->watch)) work(NULL, index, worker);
    cr_expect_eq(mcd_watch_for(run->watch, run->inner, 1, work, NULL, NULL), MACADAM_E_CANCELLED);
    atomic_fetch_add(&run->ended, 1);
}

Test(watch, long_tasks_stop_when_they_are_told_to)
{
    const mcd_parallel parallel = {THREADS, NULL}, inner = {1, NULL};
    asked seen = {.stop_at = 4, .caller = pthread_self()};
    const mcd_progress progress = {take_call, &seen};
    mcd_watch watch = mcd_watch_of(&progress, "working");
    nested run = {.watch = &watch, .inner = &inner};
    cr_assert_eq(mcd_watch_for(&watch, &parallel, THREADS, work_until_stopped, &run, NULL),
                 MACADAM_E_CANCELLED);
    cr_expect_eq(seen.calls, 4);
    cr_expect_lt(seen.longest_ns, UINT64_C(1000000) * ASKED_AT_MOST_MS);
    cr_expect_geq(run.ended, 1);
    cr_expect(mcd_watch_goes_on(&watch), "the work has ended");
}

/* ---- steps ---- */

static macadam_status pass_step(void *context, macadam_error *error)
{
    (void)error;
    atomic_fetch_add((atomic_int *)context, 1);
    return MACADAM_OK;
}

static macadam_status fail_first(void *context, macadam_error *error)
{
    atomic_fetch_add((atomic_int *)context, 1);
    return mcd_fail(error, MACADAM_E_INVALID, "first");
}

static macadam_status fail_second(void *context, macadam_error *error)
{
    atomic_fetch_add((atomic_int *)context, 1);
    return mcd_fail(error, MACADAM_E_IO, "second");
}

Test(watch, steps_are_all_done_and_the_first_failure_is_told)
{
    static const mcd_step good[] = {pass_step, pass_step, pass_step},
                          bad[] = {pass_step, fail_first, fail_second};
    for (unsigned threads = 1; threads <= 3; ++threads) {
        const mcd_parallel parallel = {.thread_count = threads};
        macadam_error error;
        atomic_int ended = 0;
        cr_assert_eq(mcd_watch_steps(NULL, &parallel, good, 3, &ended, &error), MACADAM_OK);
        cr_assert_eq(ended, 3);
        ended = 0;
        cr_assert_eq(mcd_watch_steps(NULL, &parallel, bad, 3, &ended, &error), MACADAM_E_INVALID);
        cr_assert_str_eq(error.message, "first");
        cr_assert_eq(ended, 3);
    }
}

/* A step that takes long, on whatever thread, and asks as it works. */
typedef struct slow_steps {
    mcd_watch *watch;
    atomic_uint begun, asked;
} slow_steps;

static macadam_status work_slowly(void *context, macadam_error *error)
{
    slow_steps *const steps = context;
    atomic_fetch_add(&steps->begun, 1);
    for (size_t i = 0; i < TASKS; ++i) {
        MCD_TRY(mcd_watch_step(steps->watch, i, TASKS, error));
        work(NULL, i, 0);
        atomic_fetch_add(&steps->asked, 1);
    }
    return MACADAM_OK;
}

/* It waits until all steps have begun, so that the slow one runs on another thread if there are two. */
static macadam_status end_at_once(void *context, macadam_error *error)
{
    slow_steps *const steps = context;
    (void)error;
    for (unsigned i = 0; i < TASKS && atomic_load(&steps->begun) == 0; ++i) work(NULL, 0, 0);
    return MACADAM_OK;
}

static macadam_status run_steps(unsigned threads, asked *seen, slow_steps *steps, macadam_error *error)
{
    static const mcd_step step[] = {end_at_once, work_slowly};
    const mcd_parallel parallel = {threads, NULL};
    const mcd_progress progress = {take_call, seen};
    mcd_watch watch = mcd_watch_of(&progress, "stepping");
    seen->caller = pthread_self();
    *steps = (slow_steps){.watch = &watch};
    return mcd_watch_steps(&watch, &parallel, step, 2, steps, error);
}

Test(watch, steps_ask_while_others_work)
{
    for (unsigned threads = 1; threads <= 2; ++threads) {
        asked seen = {.stop_at = 0};
        slow_steps steps;
        cr_assert_eq(run_steps(threads, &seen, &steps, NULL), MACADAM_OK);
        cr_expect_gt(seen.calls, 5, "%u threads: %u calls", threads, seen.calls);
    }
}

Test(watch, steps_stop_when_they_are_told_to)
{
    for (unsigned threads = 1; threads <= 2; ++threads) {
        asked seen = {.stop_at = 3};
        slow_steps steps;
        macadam_error error = {""};
        cr_assert_eq(run_steps(threads, &seen, &steps, &error), MACADAM_E_CANCELLED);
        cr_expect_str_eq(error.message, "cancelled while stepping");
        cr_expect_lt(steps.asked, TASKS);
    }
}
