/* test_watch.c - long work asks in time and on the caller's thread, and stops when it is cancelled. Its clock is the
 * test's; threads wait for what they need, however long that takes. */
#include "engine/base/watch.h"
#include "tests/support/test_clock.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { TASKS = 400, TASK_MS = 1, THREADS = 3, PERIOD_MS = 20 };

typedef struct asked {
    pthread_t caller;
    const mcd_watch *watch;
    atomic_uint calls;
    unsigned stop_at; /* 0: never */
    uint64_t last_ns, longest_ns;
} asked;

static atomic_uint done;

static void pause_ms(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
}

static bool take_call(void *context, const char *phase, uint64_t at, uint64_t total)
{
    asked *const seen = context;
    (void)phase, (void)at, (void)total;
    cr_assert(pthread_equal(seen->caller, pthread_self()));
    const uint64_t now = test_clock_ns;
    if (seen->calls && now - seen->last_ns > seen->longest_ns) seen->longest_ns = now - seen->last_ns;
    seen->last_ns = now;
    return ++seen->calls != seen->stop_at;
}

static void work(void *argument, size_t index, unsigned worker)
{
    (void)argument, (void)index, (void)worker;
    test_clock_pass_ms(TASK_MS);
    atomic_fetch_add(&done, 1);
}

/* On another thread than the caller's it lasts until the callback was called once more or has stopped the work: the
 * answer is known before the work has stopped, and a task that began in between must not end either. */
static void work_until_asked(void *argument, size_t index, unsigned worker)
{
    const asked *const seen = argument;
    const unsigned calls = seen->calls;
    while (!pthread_equal(seen->caller, pthread_self()) && seen->calls == calls &&
           mcd_watch_goes_on(seen->watch))
        pause_ms();
    work(NULL, index, worker);
}

static macadam_status run(unsigned threads, mcd_task task, asked *seen, macadam_error *error)
{
    const mcd_parallel parallel = {threads, NULL};
    const mcd_progress progress = {take_call, seen};
    mcd_watch watch = mcd_watch_of(&progress, "working");
    seen->caller = pthread_self();
    seen->watch = &watch;
    atomic_store(&done, 0);
    return mcd_watch_for(&watch, &parallel, TASKS, task, seen, error);
}

static void set_back(void)
{
    mcd_watch_set_clock(NULL);
}

TestSuite(watch, .fini = set_back);

Test(watch, work_asks_every_20_ms)
{
    asked seen = {.stop_at = 0};
    mcd_watch_set_clock(test_clock_now);
    cr_assert_eq(run(1, work, &seen, NULL), MACADAM_OK);
    cr_expect_eq(done, TASKS);
    cr_expect_eq(seen.calls, TASKS * TASK_MS / PERIOD_MS);
    cr_expect_eq(seen.longest_ns, UINT64_C(1000000) * PERIOD_MS);
}

Test(watch, callers_ask_between_their_tasks_and_while_they_wait)
{
    asked seen = {.stop_at = 0};
    mcd_watch_set_clock(test_clock_always_due);
    cr_assert_eq(run(THREADS, work_until_asked, &seen, NULL), MACADAM_OK);
    cr_expect_eq(done, TASKS);
}

Test(watch, work_stops_when_it_is_cancelled)
{
    asked seen = {.stop_at = 2};
    macadam_error error = {""};
    mcd_watch_set_clock(test_clock_always_due);
    cr_assert_eq(run(THREADS, work_until_asked, &seen, &error), MACADAM_E_CANCELLED);
    cr_expect_str_eq(error.message, "cancelled in the phase \"working\"");
    cr_expect_eq(seen.calls, 2, "the callback is not called again after it refused");
    cr_expect_lt(done, TASKS);
}

Test(watch, work_without_a_callback_goes_on)
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
    while (mcd_watch_goes_on(run->watch)) work(NULL, index, worker), pause_ms();
    cr_expect_eq(mcd_watch_for(run->watch, run->inner, 1, work, NULL, NULL), MACADAM_E_CANCELLED);
    atomic_fetch_add(&run->ended, 1);
}

Test(watch, long_tasks_stop_when_they_are_cancelled)
{
    const mcd_parallel parallel = {THREADS, NULL}, inner = {1, NULL};
    asked seen = {.stop_at = 4, .caller = pthread_self()};
    const mcd_progress progress = {take_call, &seen};
    mcd_watch watch = mcd_watch_of(&progress, "working");
    mcd_watch_set_clock(test_clock_now);
    nested run = {.watch = &watch, .inner = &inner};
    cr_assert_eq(mcd_watch_for(&watch, &parallel, THREADS, work_until_stopped, &run, NULL),
                 MACADAM_E_CANCELLED);
    cr_expect_eq(seen.calls, 4);
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

Test(watch, steps_are_all_done_and_the_first_failure_is_returned)
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

/* A step that lasts until the callback was called several times, on whatever thread, and calls it as it works. */
enum { ASKED_OFTEN = 6 };
typedef struct slow_steps {
    mcd_watch *watch;
    const asked *seen;
    unsigned threads;
    atomic_bool has_begun;
} slow_steps;

static macadam_status work_slowly(void *context, macadam_error *error)
{
    slow_steps *const steps = context;
    steps->has_begun = true;
    while (steps->seen->calls < ASKED_OFTEN) {
        MCD_TRY(mcd_watch_step(steps->watch, 0, 1, error));
        pause_ms();
    }
    return MACADAM_OK;
}

/* It waits for the slow step, which another thread then does, if there is one. */
static macadam_status end_at_once(void *context, macadam_error *error)
{
    slow_steps *const steps = context;
    (void)error;
    while (steps->threads > 1 && !steps->has_begun) pause_ms();
    return MACADAM_OK;
}

static macadam_status run_steps(unsigned threads, asked *seen, slow_steps *steps, macadam_error *error)
{
    static const mcd_step step[] = {end_at_once, work_slowly};
    const mcd_parallel parallel = {threads, NULL};
    const mcd_progress progress = {take_call, seen};
    mcd_watch watch = mcd_watch_of(&progress, "stepping");
    seen->caller = pthread_self();
    *steps = (slow_steps){.watch = &watch, .seen = seen, .threads = threads};
    mcd_watch_set_clock(test_clock_always_due);
    return mcd_watch_steps(&watch, &parallel, step, 2, steps, error);
}

Test(watch, steps_ask_while_others_work)
{
    for (unsigned threads = 1; threads <= 2; ++threads) {
        asked seen = {.stop_at = 0};
        slow_steps steps;
        cr_assert_eq(run_steps(threads, &seen, &steps, NULL), MACADAM_OK);
        cr_expect_geq(seen.calls, ASKED_OFTEN, "%u threads", threads);
    }
}

static macadam_status find_own(void *context, macadam_error *error)
{
    static atomic_int begun; /* each thread has one step */
    (void)error;
    for (atomic_fetch_add(&begun, 1); begun % 2;) pause_ms();
    return mcd_watch_find(NULL) == context ? MACADAM_OK : MACADAM_E_INVALID;
}

Test(watch, steps_ask_the_watch_on_other_threads_too)
{
    static const mcd_step step[] = {find_own, find_own};
    const mcd_parallel parallel = {2, NULL};
    asked seen = {.stop_at = 0};
    const mcd_progress progress = {take_call, &seen};
    mcd_watch watch = mcd_watch_of(&progress, "stepping");
    seen.caller = pthread_self();
    cr_expect_eq(mcd_watch_steps(&watch, &parallel, step, 2, &watch, NULL), MACADAM_OK);
    cr_expect_null(mcd_watch_find(NULL));
}

Test(watch, steps_stop_when_they_are_cancelled)
{
    for (unsigned threads = 1; threads <= 2; ++threads) {
        asked seen = {.stop_at = 3};
        slow_steps steps;
        macadam_error error = {""};
        cr_assert_eq(run_steps(threads, &seen, &steps, &error), MACADAM_E_CANCELLED);
        cr_expect_str_eq(error.message, "cancelled in the phase \"stepping\"");
        cr_expect_eq(seen.calls, 3);
    }
}
