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
