/* test_jobs.c - jobs run at the same time, ask on the caller's thread, and stop for the first one that fails. */
#include "importers/base/jobs.h"
#include "engine/base/watch.h"
#include "tests/support/test_clock.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static atomic_uint running, most_running;
static atomic_uint done[MCD_JOBS_MAX];

/* The jobs of a run, and the calls of the callback. */
typedef struct scene {
    unsigned work_ms[MCD_JOBS_MAX];
    bool fails[MCD_JOBS_MAX]; /* after its work */
    pthread_t caller;
    unsigned threads; /* that each job is to get */
    atomic_uint calls;
    unsigned stop_at;             /* 0: never */
    unsigned until[MCD_JOBS_MAX]; /* a job lasts until the callback was called this often */
} scene;

static bool take_call(void *context, const char *phase, uint64_t at, uint64_t total)
{
    scene *const seen = context;
    (void)at, (void)total;
    cr_assert(pthread_equal(seen->caller, pthread_self()));
    cr_assert_str_eq(phase, "working");
    return ++seen->calls != seen->stop_at;
}

static void wait_ms(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
}

static macadam_status work(void *context, const mcd_job *job, macadam_error *error)
{
    const scene *const run = context;
    const unsigned now = atomic_fetch_add(&running, 1) + 1;
    mcd_watch watch = mcd_watch_of(&job->progress, "working");
    macadam_status status = MACADAM_OK;
    if (now > most_running) most_running = now;
    cr_assert_eq(job->parallel.thread_count, run->threads);
    for (unsigned ms = 0; (ms < run->work_ms[job->index] || run->calls < run->until[job->index]) && !status;
         ++ms) {
        wait_ms();
        status = mcd_watch_step(&watch, ms, run->work_ms[job->index], error);
    }
    atomic_fetch_sub(&running, 1);
    if (status) return status;
    if (run->fails[job->index]) return mcd_fail(error, MACADAM_E_FILE, "job %zu", job->index);
    atomic_fetch_add(&done[job->index], 1);
    return MACADAM_OK;
}

static macadam_status run_on(scene *run, const mcd_parallel *parallel, size_t count, macadam_error *error)
{
    const mcd_progress progress = {take_call, run};
    run->caller = pthread_self();
    run->calls = 0;
    most_running = 0;
    for (size_t i = 0; i < MCD_JOBS_MAX; ++i) done[i] = 0;
    return mcd_jobs_do(count, parallel, work, run, &progress, error);
}

Test(jobs, each_is_done_once_on_its_share_of_the_threads)
{
    for (unsigned threads = 1; threads <= 12; ++threads)
        for (size_t count = 0; count <= MCD_JOBS_MAX; ++count) {
            const mcd_parallel parallel = {threads, NULL};
            const size_t at_once = mcd_jobs_at_once(&parallel, count);
            scene run = {.work_ms = {3, 2, 5, 1, 4, 2, 3, 1}};
            cr_assert_eq(at_once, count < threads ? count : threads);
            run.threads = at_once ? threads / (unsigned)at_once : 0;
            cr_assert_eq(run_on(&run, &parallel, count, NULL), MACADAM_OK);
            cr_assert_leq(most_running, at_once);
            for (size_t i = 0; i < MCD_JOBS_MAX; ++i) cr_assert_eq(done[i], i < count);
        }
}

Test(jobs, callback_is_called_again_and_again)
{
    enum { OFTEN = 6 };
    for (unsigned threads = 1; threads <= 3; ++threads) {
        const mcd_parallel parallel = {threads, NULL};
        scene run = {.until = {OFTEN, 2 * OFTEN, 3 * OFTEN}, .threads = 1};
        cr_assert_eq(run_on(&run, &parallel, 3, NULL), MACADAM_OK);
        cr_assert_geq(run.calls, 3 * OFTEN);
    }
}

Test(jobs, first_failure_counts)
{
    for (unsigned threads = 1; threads <= 4; ++threads) {
        const mcd_parallel parallel = {threads, NULL};
        macadam_error error = {""};
        scene run = {.work_ms = {1, 60, 1, 1}, .fails = {false, true, true, true}};
        run.threads = 1;
        cr_assert_eq(run_on(&run, &parallel, 4, &error), MACADAM_E_FILE);
        cr_assert_str_eq(error.message, "job 1");
        cr_assert_eq(done[0], 1);
    }
}

Test(jobs, failure_stops_the_jobs_after_it)
{
    const mcd_parallel parallel = {2, NULL};
    macadam_error error = {""};
    scene run = {.work_ms = {50, 100000, 1}, .fails = {true}, .threads = 1};
    cr_assert_eq(run_on(&run, &parallel, 3, &error), MACADAM_E_FILE);
    cr_assert_str_eq(error.message, "job 0");
    cr_assert_eq(done[1] + done[2], 0);
}

Test(jobs, caller_stops_them_all)
{
    for (unsigned threads = 1; threads <= 3; ++threads)
        for (int waits = 0; waits < 2; ++waits) { /* the caller's own job is short: it waits */
            const mcd_parallel parallel = {threads, NULL};
            macadam_error error = {""};
            scene run = {.work_ms = {waits ? 1 : 100000, 100000, 100000}, .threads = 1, .stop_at = 3};
            if (waits && threads < 3) run.stop_at = 2;
            cr_assert_eq(run_on(&run, &parallel, 3, &error), MACADAM_E_CANCELLED);
            cr_assert_str_eq(error.message, "cancelled in the phase \"working\"");
            cr_assert_eq(run.calls, run.stop_at, "the callback is not called again after it refused");
        }
}

Test(jobs, no_is_heard_at_the_last_moment_too)
{
    mcd_watch_set_clock(test_clock_always_due);
    for (unsigned stop_at = 1; stop_at < 60; ++stop_at) {
        const mcd_parallel parallel = {2, NULL};
        scene run = {.work_ms = {1, 25, 1}, .threads = 1, .stop_at = stop_at};
        const macadam_status status = run_on(&run, &parallel, 3, NULL);
        cr_assert_eq(status, run.calls < stop_at ? MACADAM_OK : MACADAM_E_CANCELLED);
        cr_assert_leq(run.calls, stop_at);
    }
    mcd_watch_set_clock(NULL);
}

static void run_in_turn(void *context, size_t count, mcd_task task, void *argument)
{
    (void)context;
    for (size_t i = 0; i < count; ++i) task(argument, i, 0);
}

Test(jobs, executor_has_one_at_a_time)
{
    const macadam_executor executor = {.thread_count = 3, .run = run_in_turn};
    const mcd_parallel parallel = {3, &executor};
    scene run = {.work_ms = {2, 2, 2, 2}, .threads = 3};
    cr_assert_eq(run_on(&run, &parallel, 4, NULL), MACADAM_OK);
    cr_assert_eq(most_running, 1);
}
