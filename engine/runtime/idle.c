/* idle.c - see idle.h. */
#include "engine/runtime/idle.h"

#include "engine/base/system.h"
#include "engine/base/watch.h"

#include <signal.h>
#include <unistd.h>

enum { AFTER_MS = 10000 };

static uint64_t now_ms(void)
{
    return mcd_watch_now_ns() / 1000000;
}

void mcd_idle_init(mcd_idle *idle)
{
    *idle = (mcd_idle){.after_ms = AFTER_MS};
    pthread_mutex_init(&idle->lock, NULL);
    mcd_system_condition_init(&idle->ended);
}

void mcd_idle_use(mcd_idle *idle)
{
    atomic_store_explicit(&idle->used_ms, now_ms(), memory_order_relaxed);
}

/* Under the lock: waits until it is idle; returns false if it ends before. */
static bool wait_until_idle(mcd_idle *idle)
{
    while (!idle->is_ending) {
        const uint64_t due = idle->used_ms + idle->after_ms, now = now_ms();
        if (now >= due) return true;
        mcd_system_condition_wait(&idle->ended, &idle->lock, due - now);
    }
    return false;
}

/* Works once more if it was used meanwhile, since that may have left something to do. */
static void *watch(void *argument)
{
    mcd_idle *const idle = argument;
    uint64_t done_ms;
    pthread_mutex_lock(&idle->lock);
    do {
        if (!wait_until_idle(idle)) break;
        done_ms = idle->used_ms;
        pthread_mutex_unlock(&idle->lock);
        idle->work(idle->context);
        pthread_mutex_lock(&idle->lock);
    } while (idle->used_ms != done_ms);
    idle->is_watched = false;
    pthread_mutex_unlock(&idle->lock);
    return NULL;
}

/* Under the lock. The host's signals are none of the thread's business. */
static bool start(mcd_idle *idle)
{
    sigset_t all, before;
    if (idle->has_thread && idle->process == getpid()) pthread_join(idle->thread, NULL); /* it is ending */
    idle->process = getpid();
    idle->is_watched = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    idle->has_thread = pthread_create(&idle->thread, NULL, watch, idle) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!idle->has_thread) idle->is_watched = false;
    return idle->has_thread;
}

bool mcd_idle_watch(mcd_idle *idle, mcd_idle_work work, void *context)
{
    bool is_watched = atomic_load_explicit(&idle->is_watched, memory_order_relaxed);
    if (is_watched) return true;
    pthread_mutex_lock(&idle->lock);
    is_watched = idle->is_watched;
    if (!is_watched) {
        idle->work = work;
        idle->context = context;
        is_watched = start(idle);
    }
    pthread_mutex_unlock(&idle->lock);
    return is_watched;
}

void mcd_idle_end(mcd_idle *idle)
{
    pthread_mutex_lock(&idle->lock);
    idle->is_ending = true;
    pthread_cond_signal(&idle->ended);
    pthread_mutex_unlock(&idle->lock);
    if (idle->has_thread && idle->process == getpid()) pthread_join(idle->thread, NULL);
    pthread_cond_destroy(&idle->ended);
    pthread_mutex_destroy(&idle->lock);
}
