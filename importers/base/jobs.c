/* jobs.c - see jobs.h.
 *
 * Threads: jobs have threads of their own, not the pool's, so that each can use the pool in turn.
 * Races: none: a job's result is its own; everything else is under the lock. */
#include "importers/base/jobs.h"

#include "engine/base/system/platform.h"
#include "engine/base/system/system.h"

typedef struct job_run {
    mcd_do_job job;
    void *context;
    size_t count;
    mcd_parallel share;
    const mcd_progress *progress; /* the caller's */
    pthread_t caller;
    macadam_status status[MCD_JOBS_MAX];
    macadam_error error[MCD_JOBS_MAX];
    pthread_mutex_t lock; /* for the members below */
    pthread_cond_t changed;
    size_t next, running; /* running: threads besides the caller's */
    size_t first_failed;  /* jobs after it are stopped */
    bool is_refused;      /* the caller has said no */
    const char *phase;    /* of the others' last question, or of the caller's no; NULL: none yet */
    uint64_t done, total; /* of that phase */
} job_run;

/* The state of a job's progress. */
typedef struct job_asker {
    job_run *run;
    size_t index;
} job_asker;

/* Asks the caller, on its thread. */
static bool ask_caller(job_run *run, const char *phase, uint64_t done, uint64_t total)
{
    if (mcd_progress_step(run->progress, phase, done, total, NULL) == MACADAM_OK) return true;
    pthread_mutex_lock(&run->lock);
    run->is_refused = true;
    run->phase = phase;
    pthread_mutex_unlock(&run->lock);
    return false;
}

static bool goes_on(void *context, const char *phase, uint64_t done, uint64_t total)
{
    const job_asker *const asker = context;
    job_run *const run = asker->run;
    const bool is_caller = pthread_equal(run->caller, pthread_self());
    pthread_mutex_lock(&run->lock);
    const bool goes = !run->is_refused && asker->index < run->first_failed;
    if (!is_caller) run->phase = phase, run->done = done, run->total = total;
    pthread_mutex_unlock(&run->lock);
    return goes && (!is_caller || ask_caller(run, phase, done, total));
}

/* Under the lock, which it releases meanwhile. */
static void do_next(job_run *run)
{
    const size_t index = run->next++;
    job_asker asker = {run, index};
    const mcd_job job = {index, run->share, {goes_on, &asker}};
    pthread_mutex_unlock(&run->lock);
    run->status[index] = run->job(run->context, &job, &run->error[index]);
    pthread_mutex_lock(&run->lock);
    if (run->status[index] && index < run->first_failed) run->first_failed = index;
}

/* Does jobs until none is left or a job has failed. */
static void do_jobs(job_run *run)
{
    while (run->next < run->count && run->first_failed == run->count && !run->is_refused) do_next(run);
}

static void *run_thread(void *argument)
{
    job_run *const run = argument;
    pthread_mutex_lock(&run->lock);
    do_jobs(run);
    --run->running;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/* Under the lock: waits for the other threads, and asks the caller how they do. */
static void wait_for_others(job_run *run)
{
    while (run->running > 0) {
        mcd_system_condition_wait(&run->changed, &run->lock, MCD_POOL_ASK_MS);
        if (run->running == 0 || run->is_refused || !run->phase) continue;
        const char *const phase = run->phase;
        const uint64_t done = run->done, total = run->total;
        pthread_mutex_unlock(&run->lock);
        ask_caller(run, phase, done, total);
        pthread_mutex_lock(&run->lock);
    }
}

size_t mcd_jobs_at_once(const mcd_parallel *parallel, size_t count)
{
    if (parallel->executor) return 1;
    return count < parallel->thread_count ? count : parallel->thread_count;
}

static void run_threads(job_run *run, size_t at_once)
{
    pthread_t thread[MCD_JOBS_MAX];
    size_t started = 0;
    run->running = at_once - 1;
    while (started < at_once - 1 && mcd_platform_start_thread(&thread[started], run_thread, run)) ++started;
    pthread_mutex_lock(&run->lock);
    run->running -= at_once - 1 - started; /* the others do their share */
    do_jobs(run);
    wait_for_others(run);
    pthread_mutex_unlock(&run->lock);
    for (size_t i = 0; i < started; ++i) pthread_join(thread[i], NULL);
}

macadam_status mcd_jobs_do(size_t count, const mcd_parallel *parallel, mcd_do_job job, void *context,
                           const mcd_progress *progress, macadam_error *error)
{
    const size_t at_once = mcd_jobs_at_once(parallel, count);
    if (count == 0) return MACADAM_OK;
    job_run run = {.job = job,
                   .context = context,
                   .count = count,
                   .share = {parallel->thread_count / (unsigned)at_once, parallel->executor},
                   .progress = progress,
                   .caller = pthread_self(),
                   .first_failed = count};
    pthread_mutex_init(&run.lock, NULL);
    mcd_system_condition_init(&run.changed);
    run_threads(&run, at_once);
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    if (run.first_failed == count) return run.is_refused ? mcd_fail_cancelled(error, run.phase) : MACADAM_OK;
    if (error) *error = run.error[run.first_failed];
    return run.status[run.first_failed];
}
