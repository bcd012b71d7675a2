/* watch.c - see watch.h. */
#include "engine/base/watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { PERIOD_NS = 20000000 };

static bool is_watched(const mcd_watch *watch)
{
    return watch && watch->progress && watch->progress->call;
}

uint64_t mcd_watch_now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return UINT64_MAX; /* always due */
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Asks, if it is time. */
static macadam_status ask_if_due(mcd_watch *watch, uint64_t done, uint64_t total, macadam_error *error)
{
    const uint64_t now = mcd_watch_now_ns();
    if (now < watch->next_ns) return MACADAM_OK;
    watch->next_ns = now + PERIOD_NS;
    return mcd_progress_step(watch->progress, watch->phase, done, total, error);
}

/* ---- work in parallel ---- */

typedef struct mcd_watched {
    mcd_watch *watch;
    mcd_task task;
    void *argument;
    size_t count;
    pthread_t caller;
    atomic_size_t done;
    atomic_bool stopped;
    macadam_status status; /* the caller's thread writes it */
    macadam_error *error;
} mcd_watched;

static bool is_stopped(mcd_watched *work)
{
    return atomic_load_explicit(&work->stopped, memory_order_relaxed);
}

/* Asks, if this is the thread that may. */
static void ask(void *argument)
{
    mcd_watched *const work = argument;
    if (!pthread_equal(pthread_self(), work->caller) || work->status) return;
    work->status = ask_if_due(work->watch, atomic_load_explicit(&work->done, memory_order_relaxed),
                              work->count, work->error);
    if (work->status) atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
}

static void do_watched(void *argument, size_t index, unsigned worker)
{
    mcd_watched *const work = argument;
    if (is_stopped(work)) return;
    work->task(work->argument, index, worker);
    atomic_fetch_add_explicit(&work->done, 1, memory_order_relaxed);
    ask(work);
}

bool mcd_watch_goes_on(const mcd_watch *watch)
{
    mcd_watched *const work = watch ? watch->work : NULL;
    if (!work) return true;
    ask(work);
    return !is_stopped(work);
}

macadam_status mcd_watch_step(mcd_watch *watch, uint64_t done, uint64_t total, macadam_error *error)
{
    if (!is_watched(watch)) return MACADAM_OK;
    if (!watch->work) return ask_if_due(watch, done, total, error);
    if (mcd_watch_goes_on(watch)) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled while %s", watch->phase);
}

/* Tasks within a task of the watch. */
typedef struct inner_work {
    const mcd_watch *watch;
    mcd_task task;
    void *argument;
} inner_work;

static void do_inner(void *argument, size_t index, unsigned worker)
{
    const inner_work *const work = argument;
    if (mcd_watch_goes_on(work->watch)) work->task(work->argument, index, worker);
}

macadam_status mcd_watch_for(mcd_watch *watch, const mcd_parallel *parallel, size_t count, mcd_task task,
                             void *argument, macadam_error *error)
{
    if (!is_watched(watch)) {
        mcd_parallel_for(parallel, count, task, argument);
        return MACADAM_OK;
    }
    if (watch->work) {
        inner_work inner = {watch, task, argument};
        mcd_parallel_for(parallel, count, do_inner, &inner);
        return mcd_watch_goes_on(watch) ? MACADAM_OK : MACADAM_E_CANCELLED;
    }
    mcd_watched work = {.watch = watch,
                        .task = task,
                        .argument = argument,
                        .count = count,
                        .caller = pthread_self(),
                        .error = error};
    watch->work = &work;
    mcd_parallel_for_asking(parallel, count, do_watched, &work, ask);
    watch->work = NULL;
    return work.status;
}

/* ---- steps ---- */

typedef struct step_run {
    const mcd_step *step;
    void *context;
    macadam_status status[MCD_STEPS_MAX];
    macadam_error error[MCD_STEPS_MAX];
} step_run;

static void do_step(void *argument, size_t index, unsigned worker)
{
    step_run *const run = argument;
    (void)worker;
    run->status[index] = run->step[index](run->context, &run->error[index]);
}

macadam_status mcd_watch_steps(mcd_watch *watch, const mcd_parallel *parallel, const mcd_step *step,
                               size_t count, void *context, macadam_error *error)
{
    step_run run = {.step = step, .context = context};
    MCD_TRY(mcd_watch_for(watch, parallel, count, do_step, &run, error));
    for (size_t i = 0; i < count; ++i) {
        if (!run.status[i]) continue;
        if (error) *error = run.error[i];
        return run.status[i];
    }
    return MACADAM_OK;
}
