/* test_idle.c - a thread works once an engine was not used for a while, in a forked child as well. */
#include "engine/runtime/idle.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NEVER_MS = 1000000000 };

static atomic_uint works;

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static void work(void *context)
{
    (void)context;
    atomic_fetch_add(&works, 1);
}

/* It is not idle before has_worked(). */
static mcd_idle begin(void)
{
    mcd_idle idle;
    mcd_idle_init(&idle);
    idle.after_ms = NEVER_MS;
    mcd_idle_use(&idle);
    return idle;
}

/* Wakes the thread, which may not wait yet, until it has worked. */
static bool has_worked(mcd_idle *idle, unsigned times)
{
    idle->after_ms = 0;
    while (works < times) {
        pthread_cond_signal(&idle->ended);
        pause_ms(1);
    }
    return works == times;
}

Test(idle, work_is_done_again_after_each_use)
{
    mcd_idle idle = begin();
    for (unsigned times = 1; times <= 2; ++times) {
        pause_ms(2); /* uses differ by their milliseconds */
        idle.after_ms = NEVER_MS;
        mcd_idle_use(&idle);
        cr_assert(mcd_idle_watch(&idle, work, NULL));
        cr_assert(mcd_idle_watch(&idle, work, NULL), "one thread serves");
        cr_assert(has_worked(&idle, times));
    }
    mcd_idle_end(&idle);
}

Test(idle, an_end_comes_before_the_work)
{
    mcd_idle idle = begin();
    cr_assert(mcd_idle_watch(&idle, work, NULL));
    mcd_idle_end(&idle);
    cr_assert_eq(works, 0);
}

/* The parent's thread waits for longer than the test takes. */
Test(idle, a_forked_child_has_a_thread_of_its_own)
{
    mcd_idle idle = begin();
    cr_assert(mcd_idle_watch(&idle, work, NULL));
    const pid_t child = fork();
    if (child == 0) {
        const bool worked = mcd_idle_watch(&idle, work, NULL) && has_worked(&idle, 1);
        mcd_idle_end(&idle);
        _exit(worked ? 0 : 1);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    mcd_idle_end(&idle);
    cr_expect_eq(works, 0);
}

Test(idle, a_forked_child_ends_what_it_never_used)
{
    mcd_idle idle = begin();
    cr_assert(mcd_idle_watch(&idle, work, NULL));
    const pid_t child = fork();
    if (child == 0) {
        mcd_idle_end(&idle);
        _exit(0);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    mcd_idle_end(&idle);
}
