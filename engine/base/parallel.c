/* parallel.c - see parallel.h. A shared counter deals out the indices, whichever threads run the workers. */
#define _GNU_SOURCE
#include "engine/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifdef MCD_OPENMP
#include <omp.h>
#endif

enum { THREADS_MAX = 1024 };

mcd_parallel mcd_parallel_of(unsigned threads, const macadam_executor *executor)
{
    if (executor) return (mcd_parallel){executor->thread_count ? executor->thread_count : 1, executor};
    cpu_set_t set;
    if (threads == 0 && sched_getaffinity(0, sizeof set, &set) == 0) threads = (unsigned)CPU_COUNT(&set);
    if (threads == 0) threads = 1;
    return (mcd_parallel){threads < THREADS_MAX ? threads : THREADS_MAX, NULL};
}

typedef struct parallel_work {
    mcd_task task;
    void *argument;
    size_t count;
    atomic_size_t next;
} parallel_work;

static void run_worker(parallel_work *work, unsigned worker)
{
    for (;;) {
        const size_t index = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
        if (index >= work->count) return;
        work->task(work->argument, index, worker);
    }
}

#ifdef MCD_OPENMP

static void run_threads(parallel_work *work, unsigned thread_count)
{
#pragma omp parallel num_threads(thread_count)
    run_worker(work, (unsigned)omp_get_thread_num());
}

#else

typedef struct thread_start {
    parallel_work *work;
    unsigned worker;
} thread_start;

static void *run_thread(void *argument)
{
    const thread_start *start = argument;
    run_worker(start->work, start->worker);
    return NULL;
}

/* If a thread cannot be created, the other threads do its share. */
static void run_threads(parallel_work *work, unsigned thread_count)
{
    pthread_t thread[THREADS_MAX];
    thread_start start[THREADS_MAX];
    unsigned started = 1;
    while (started < thread_count) {
        start[started] = (thread_start){work, started};
        if (pthread_create(&thread[started], NULL, run_thread, &start[started]) != 0) break;
        ++started;
    }
    run_worker(work, 0);
    for (unsigned worker = 1; worker < started; ++worker) pthread_join(thread[worker], NULL);
}

#endif

void mcd_parallel_for(const mcd_parallel *parallel, size_t count, mcd_task task, void *argument)
{
    const unsigned thread_count = parallel->thread_count < count
                                      ? parallel->thread_count
                                      : (unsigned)count; /* count < thread_count fits */
    if (thread_count <= 1) {
        for (size_t index = 0; index < count; ++index) task(argument, index, 0);
    } else if (parallel->executor) {
        parallel->executor->run(parallel->executor->context, count, task, argument);
    } else {
        parallel_work work = {.task = task, .argument = argument, .count = count};
        run_threads(&work, thread_count);
    }
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

macadam_status mcd_parallel_steps(const mcd_parallel *parallel, const mcd_step *step, size_t count,
                                  void *context, macadam_error *error)
{
    step_run run = {.step = step, .context = context};
    mcd_parallel_for(parallel, count, do_step, &run);
    for (size_t i = 0; i < count; ++i) {
        if (!run.status[i]) continue;
        if (error) *error = run.error[i];
        return run.status[i];
    }
    return MACADAM_OK;
}
