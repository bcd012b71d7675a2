/* idle.c - see idle.h. All idles share one lock, which fork() takes, so that a child process never finds it
 * held by a thread that it lacks; fork() also waits until none of them works, since that holds locks of an engine. */
#include "engine/runtime/idle.h"

#include "engine/base/system/platform.h"
#include "engine/base/system/system.h"
#include "engine/base/watch.h"

enum { AFTER_MS = 10000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static atomic_uint forks; /* of this process's parents, and so on up */
static unsigned working;  /* under the lock: threads that work now, which may hold other locks */
static pthread_cond_t done = PTHREAD_COND_INITIALIZER; /* one has worked */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    while (working > 0) pthread_cond_wait(&done, &lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void begin_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&done, NULL);
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    mcd_platform_at_fork(before_fork, after_fork, begin_child);
}

static uint64_t now_ms(void)
{
    return mcd_watch_now_ns() / 1000000;
}

void mcd_idle_init(mcd_idle *idle)
{
    pthread_once(&fork_once, watch_forks);
    *idle = (mcd_idle){.after_ms = AFTER_MS, .forks = forks};
    mcd_system_condition_init(&idle->ended);
}

void mcd_idle_use(mcd_idle *idle)
{
    const uint64_t now = now_ms(); /* many threads that store the same would wait for each other */
    if (atomic_load_explicit(&idle->used_ms, memory_order_relaxed) != now)
        atomic_store_explicit(&idle->used_ms, now, memory_order_relaxed);
}

/* Under the lock: waits until it is idle; returns false if it ends before. */
static bool wait_until_idle(mcd_idle *idle)
{
    while (!idle->is_ending) {
        const uint64_t due = idle->used_ms + idle->after_ms, now = now_ms();
        if (now >= due) return true;
        mcd_system_condition_wait(&idle->ended, &lock, due - now);
    }
    return false;
}

/* Works once more if it was used meanwhile, since that may have left something to do. */
static void *watch(void *argument)
{
    mcd_idle *const idle = argument;
    uint64_t done_ms;
    pthread_mutex_lock(&lock);
    do {
        if (!wait_until_idle(idle)) break;
        done_ms = idle->used_ms;
        ++working;
        pthread_mutex_unlock(&lock);
        idle->work(idle->context);
        pthread_mutex_lock(&lock);
        --working;
        pthread_cond_broadcast(&done);
    } while (idle->used_ms != done_ms);
    idle->is_watched = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Whether this is the process in which the thread runs: a forked child does not have it. */
static bool is_at_home(const mcd_idle *idle)
{
    return atomic_load_explicit(&idle->forks, memory_order_relaxed) ==
           atomic_load_explicit(&forks, memory_order_relaxed);
}

static bool is_watched(const mcd_idle *idle)
{
    return atomic_load_explicit(&idle->is_watched, memory_order_relaxed) && is_at_home(idle);
}

/* Under the lock. */
static bool start(mcd_idle *idle)
{
    if (!is_at_home(idle))
        mcd_system_condition_init(&idle->ended);
    else if (idle->has_thread)
        pthread_join(idle->thread, NULL); /* it is ending */
    idle->forks = forks;
    idle->is_watched = true;
    idle->has_thread = mcd_platform_start_thread(&idle->thread, watch, idle);
    if (!idle->has_thread) idle->is_watched = false;
    return idle->has_thread;
}

bool mcd_idle_watch(mcd_idle *idle, mcd_idle_work work, void *context)
{
    if (is_watched(idle)) return true;
    pthread_mutex_lock(&lock);
    bool has_thread = is_watched(idle);
    if (!has_thread) {
        idle->work = work;
        idle->context = context;
        has_thread = start(idle);
    }
    pthread_mutex_unlock(&lock);
    return has_thread;
}

void mcd_idle_end(mcd_idle *idle)
{
    if (!is_at_home(idle)) return; /* no thread waits for the condition */
    pthread_mutex_lock(&lock);
    idle->is_ending = true;
    pthread_cond_signal(&idle->ended);
    pthread_mutex_unlock(&lock);
    if (idle->has_thread) pthread_join(idle->thread, NULL);
    pthread_cond_destroy(&idle->ended);
}
