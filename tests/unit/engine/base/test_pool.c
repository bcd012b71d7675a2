/* test_pool.c - the threads that callers share. */
#include "engine/base/pool.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3 };

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

/* ---- tasks that need each other ---- */

/* Each task waits until all have begun, so each needs a thread of its own. */
static void meet(void *argument, size_t index, unsigned worker)
{
    atomic_uint *const begun = argument;
    (void)index, (void)worker;
    atomic_fetch_add(begun, 1);
    while (atomic_load(begun) < THREADS) pause_ms(1);
}

static void expect_threads_meet(void)
{
    atomic_uint begun = 0;
    mcd_pool_run(THREADS, THREADS, meet, &begun, NULL);
}

Test(pool, each_task_may_have_a_thread)
{
    for (int i = 0; i < 100; ++i) expect_threads_meet();
}

static void meet_in_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        expect_threads_meet();
        _exit(0);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "the child's own threads do not meet");
}

Test(pool, child_after_fork_has_its_own_threads)
{
    meet_in_child(); /* before the parent has any */
    expect_threads_meet();
    meet_in_child();
    expect_threads_meet();
}

/* ---- tasks within tasks ---- */

static void expect_caller(void *argument, size_t index, unsigned worker)
{
    (void)index;
    cr_assert(pthread_equal(*(pthread_t *)argument, pthread_self()) && worker == 0);
}

static void run_inner(void *argument, size_t index, unsigned worker)
{
    pthread_t self = pthread_self();
    (void)argument, (void)index, (void)worker;
    mcd_pool_run(THREADS, 10, expect_caller, &self, NULL);
}

Test(pool, task_runs_its_inner_tasks_itself)
{
    mcd_pool_run(THREADS, 100, run_inner, NULL, NULL);
}

/* ---- several callers ---- */

enum { CALLERS = 2, PROCESSORS = 3, TASKS = 60, LATE_MAX = CALLERS * CALLERS * (PROCESSORS - 1) };

static atomic_uint callers_begun /* a bit each */, tasks_running, late;
static atomic_bool are_busy; /* a task has run on every processor at the same time */
static atomic_uint done[CALLERS][TASKS];

/* Once all callers have begun, counts how many tasks run at the same time, until all processors have one. A helper that the
 * system lets wait is late: so are callers beside it, who never leave. Helpers must not begin another task then. */
static void note_running(void *argument, size_t index, unsigned worker)
{
    atomic_uint *const mine = argument;
    if (worker == 0) atomic_fetch_or(&callers_begun, mine == done[0] ? 1 : 2);
    while (atomic_load(&callers_begun) != 3) pause_ms(1);
    const unsigned running = atomic_fetch_add(&tasks_running, 1) + 1;
    if (running >= PROCESSORS) are_busy = true;
    if (running > PROCESSORS && worker != 0) atomic_fetch_add(&late, 1);
    while (!are_busy) pause_ms(1);
    atomic_fetch_sub(&tasks_running, 1);
    atomic_fetch_add(&mine[index], 1);
}

static void *run_caller(void *argument)
{
    mcd_pool_run(PROCESSORS, TASKS, note_running, argument, NULL);
    return NULL;
}

/* Helpers and callers may have begun their next tasks just before another caller came. */
Test(pool, callers_share_the_processors)
{
    pthread_t thread[CALLERS];
    mcd_pool_limit(PROCESSORS);
    for (int i = 0; i < CALLERS; ++i) cr_assert_eq(pthread_create(&thread[i], NULL, run_caller, done[i]), 0);
    for (int i = 0; i < CALLERS; ++i) pthread_join(thread[i], NULL);
    for (int i = 0; i < CALLERS; ++i)
        for (size_t t = 0; t < TASKS; ++t) cr_assert_eq(done[i][t], 1, "task %zu of caller %d", t, i);
    cr_expect_leq(late, LATE_MAX); /* each helper once a caller that comes */
}

/* ---- rest ---- */

static void do_nothing(void *argument, size_t index, unsigned worker)
{
    (void)argument, (void)index, (void)worker;
}

/* Whether another thread of the process runs or wants to. */
static bool is_any_awake(void)
{
    bool out = false;
    DIR *const threads = opendir("/proc/self/task");
    cr_assert_not_null(threads);
    for (const struct dirent *entry; (entry = readdir(threads));) {
        char path[300], state = 'S';
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        FILE *const stat = fopen(path, "r");
        if (stat && fscanf(stat, "%*d (%*[^)]) %c", &state) != 1) state = 'S';
        if (stat) fclose(stat);
        out |= state == 'R' && atol(entry->d_name) != syscall(SYS_gettid);
    }
    closedir(threads);
    return out;
}

Test(pool, idle_threads_sleep)
{
    expect_threads_meet();
    for (int i = 0; i < 10; ++i) {
        mcd_pool_run(THREADS, THREADS, do_nothing, NULL, NULL);
        while (is_any_awake()) pause_ms(1);
    }
}
