/* watch.h - long work that asks the caller every 20 ms whether to go on. A leaf.
 *
 * Only the thread that began the work calls the callback. A watch that is NULL is the thread's own, if the
 * thread has entered one (mcd_watch_enter); else the work cannot be cancelled. */
#ifndef MCD_ENGINE_BASE_WATCH_H
#define MCD_ENGINE_BASE_WATCH_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/base/progress.h"

#include <pthread.h>

/* When a phase asks next. Each phase has one watch. */
typedef struct mcd_watch {
    const mcd_progress *progress; /* NULL, or without a call: the work cannot be cancelled */
    const char *phase;
    uint64_t next_ns;
    struct mcd_watched *work; /* the mcd_watch_for that runs now */
    bool refused;             /* the caller has cancelled and is not called again */
} mcd_watch;

static inline mcd_watch mcd_watch_of(const mcd_progress *progress, const char *phase)
{
    return (mcd_watch){progress, phase, 0, NULL, false};
}

/* Makes `watch` the thread's own. Functions called on this thread with a NULL watch use this one; tasks on
 * other threads do not. So a map that is loaded deep within a call can still be cancelled. Returns the
 * thread's watch so far, which the caller enters again before it returns. `watch` may be NULL: the work
 * cannot be cancelled. */
mcd_watch *mcd_watch_enter(mcd_watch *watch);
/* Enters the watch at `slot` again; MCD_WATCHED does so at the end of the scope that it declares a watch in. */
static inline void mcd_watch_return(mcd_watch **slot)
{
    mcd_watch_enter(*slot);
}

/* Declares a watch of this name, which is the thread's own until the scope ends. */
#define MCD_WATCHED(watch, progress, phase)                                                                  \
    mcd_watch watch = mcd_watch_of((progress), (phase));                                                     \
    MCD_FREED_BY(mcd_watch_return) mcd_watch *outer_##watch = mcd_watch_enter(&watch)

/* Returns the watch that a function with this one asks, for its tasks on other threads; NULL: the work cannot be
 * cancelled. */
mcd_watch *mcd_watch_find(const mcd_watch *given);

/* Returns what the thread's own watch asks, for jobs that have watches of their own; else no callback. */
mcd_progress mcd_watch_progress(void);

/* Locks the mutex, and asks the thread's own watch while another thread holds it. Returns MACADAM_OK, or
 * E_CANCELLED without the lock. */
macadam_status mcd_watch_lock(pthread_mutex_t *mutex, macadam_error *error);
static inline void mcd_unlock_at(pthread_mutex_t **slot)
{
    pthread_mutex_unlock(*slot);
}
/* Holds the mutex until the scope ends; a scope holds one. MCD_WATCH_HOLD locks it by mcd_watch_lock, and returns a failure
 * of that. */
#define MCD_HELD(mutex) MCD_FREED_BY(mcd_unlock_at) pthread_mutex_t *mcd_held_mutex = (mutex)
#define MCD_HOLD(mutex)                                                                                      \
    pthread_mutex_lock(mutex);                                                                               \
    MCD_HELD(mutex)
#define MCD_WATCH_HOLD(mutex, error)                                                                         \
    MCD_TRY(mcd_watch_lock((mutex), (error)));                                                               \
    MCD_HELD(mutex)

/* Returns nanoseconds since some moment; UINT64_MAX if the system has no such clock. */
uint64_t mcd_watch_now_ns(void);

/* For tests: from now on watches look at this clock to see whether it is time; NULL: at mcd_watch_now_ns. Any thread
 * reads it. */
typedef uint64_t (*mcd_watch_clock)(void);
void mcd_watch_set_clock(mcd_watch_clock now_ns);

/* If 20 ms have passed, reports and asks whether to go on. Cheap enough to call every 10 us. Within a task of
 * the watch, any thread may call it: the task's own numbers are then not reported. Returns MACADAM_OK or
 * E_CANCELLED. */
macadam_status mcd_watch_step(mcd_watch *watch, uint64_t done, uint64_t total, macadam_error *error);

/* For loops over `count` items, of which each takes a microsecond at most: calls mcd_watch_step at every
 * MCD_WATCH_ITEMS-th item. */
enum { MCD_WATCH_ITEMS = 1 << 13 };
static inline macadam_status mcd_watch_item(mcd_watch *watch, size_t item, size_t count, macadam_error *error)
{
    return item % MCD_WATCH_ITEMS ? MACADAM_OK : mcd_watch_step(watch, item, count, error);
}

/* An mcd_parallel_for that asks between tasks. After E_CANCELLED some tasks have not run: do not read their
 * results. Each task takes a few milliseconds at most, or asks mcd_watch_goes_on. A call within a task of the
 * same watch asks between its tasks, too; it returns E_CANCELLED if the outer call was stopped. */
macadam_status mcd_watch_for(mcd_watch *watch, const mcd_parallel *parallel, size_t count, mcd_task task,
                             void *argument, macadam_error *error);

/* The same for ranges (parallel.h), by the thread's own watch. */
macadam_status mcd_watch_for_ranges(const mcd_parallel *parallel, size_t count, size_t length,
                                    mcd_range_task task, void *argument, macadam_error *error);

/* For long tasks of an mcd_watch_for: returns false if they are to return, whatever they have done. Cheap
 * enough to call every 10 us, on any thread. */
bool mcd_watch_goes_on(const mcd_watch *watch);

/* One of several steps that run concurrently, all with the same context. */
typedef macadam_status (*mcd_step)(void *context, macadam_error *error);
enum { MCD_STEPS_MAX = 8 };

/* Runs step[0 .. count) concurrently; `count` is at most MCD_STEPS_MAX. If several steps fail, the failure of
 * the first one in the array is returned, whatever the number of threads. Each step runs on one thread and
 * does not divide its work further. Steps ask the watch themselves; while the calling thread waits for the
 * last of them, it asks too. */
macadam_status mcd_watch_steps(mcd_watch *watch, const mcd_parallel *parallel, const mcd_step *step,
                               size_t count, void *context, macadam_error *error);

#endif
