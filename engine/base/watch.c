/* watch.c - see watch.h. */
#include "engine/base/watch.h"
#include "engine/base/pager.h"

#include <stdatomic.h>
#include <time.h>

enum { PERIOD_NS = 20000000, POLL_NS = 1000000 };

static _Atomic(mcd_watch_clock) clock_now_ns = mcd_watch_now_ns;

void mcd_watch_set_clock(mcd_watch_clock now_ns)
{
    atomic_store(&clock_now_ns, now_ns ? now_ns : mcd_watch_now_ns);
}

static _Thread_local mcd_watch *own; /* the thread's */

mcd_watch *mcd_watch_enter(mcd_watch *watch)
{
    mcd_watch *const before = own;
    own = watch;
    return before;
}

mcd_progress mcd_watch_progress(void)
{
    return own && own->progress ? *own->progress : (mcd_progress){NULL, NULL};
}

mcd_watch *mcd_watch_find(const mcd_watch *given)
{
    mcd_watch *const watch = given ? (mcd_watch *)given : own;
    return watch && watch->progress && watch->progress->call ? watch : NULL;
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
    const uint64_t now = atomic_load_explicit(&clock_now_ns, memory_order_relaxed)();
    if (watch->refused) return mcd_fail_cancelled(error, watch->phase);
    if (now < watch->next_ns) return MACADAM_OK;
    watch->next_ns = now + PERIOD_NS;
    mcd_watch *const before = mcd_watch_enter(NULL); /* the callback may call this library */
    const macadam_status status = mcd_progress_step(watch->progress, watch->phase, done, total, error);
    mcd_watch_enter(before);
    watch->refused = status != MACADAM_OK;
    return status;
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

bool mcd_watch_goes_on(const mcd_watch *given)
{
    const mcd_watch *const watch = mcd_watch_find(given);
    mcd_watched *const work = watch ? watch->work : NULL;
    if (!work) return true;
    ask(work);
    return !is_stopped(work);
}

macadam_status mcd_watch_step(mcd_watch *given, uint64_t done, uint64_t total, macadam_error *error)
{
    mcd_watch *const watch = mcd_watch_find(given);
    mcd_pager_look();
    if (!watch) return MACADAM_OK;
    if (!watch->work) return ask_if_due(watch, done, total, error);
    if (mcd_watch_goes_on(watch)) return MACADAM_OK;
    return mcd_fail_cancelled(error, watch->phase);
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

macadam_status mcd_watch_for(mcd_watch *given, const mcd_parallel *parallel, size_t count, mcd_task task,
                             void *argument, macadam_error *error)
{
    mcd_watch *const watch = mcd_watch_find(given);
    if (!watch) {
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

/* ---- locks ---- */

macadam_status mcd_watch_lock(pthread_mutex_t *mutex, macadam_error *error)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    while (mcd_watch_find(NULL) && pthread_mutex_trylock(mutex) != 0) {
        MCD_TRY(mcd_watch_step(NULL, 0, 1, error));
        nanosleep(&pause, NULL);
    }
    if (!mcd_watch_find(NULL)) pthread_mutex_lock(mutex);
    return MACADAM_OK;
}

/* ---- steps ---- */

typedef struct step_run {
    mcd_watch *watch; /* asked by the steps on any thread; NULL: they cannot be cancelled */
    const mcd_step *step;
    void *context;
    macadam_status status[MCD_STEPS_MAX];
    macadam_error error[MCD_STEPS_MAX];
} step_run;

static void do_step(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    step_run *const run = argument;
    mcd_watch *const outer = mcd_watch_enter(run->watch);
    run->status[index] = run->step[index](run->context, &run->error[index]);
    mcd_watch_enter(outer);
}

macadam_status mcd_watch_for_ranges(const mcd_parallel *parallel, size_t count, size_t length,
                                    mcd_range_task task, void *argument, macadam_error *error)
{
    mcd_ranges ranges = {count, length, task, argument};
    return mcd_watch_for(NULL, parallel, mcd_ranges_count(&ranges), mcd_ranges_do, &ranges, error);
}

macadam_status mcd_watch_steps(mcd_watch *watch, const mcd_parallel *parallel, const mcd_step *step,
                               size_t count, void *context, macadam_error *error)
{
    step_run run = {.watch = mcd_watch_find(watch), .step = step, .context = context};
    MCD_TRY(mcd_watch_for(watch, parallel, count, do_step, &run, error));
    for (size_t i = 0; i < count; ++i) {
        if (!run.status[i]) continue;
        if (error) *error = run.error[i];
        return run.status[i];
    }
    return MACADAM_OK;
}
