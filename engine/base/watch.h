/* watch.h - long work that asks the caller every 20 ms whether to go on. A leaf.
 *
 * Only the thread that began the work calls the callback. */
#ifndef MCD_ENGINE_BASE_WATCH_H
#define MCD_ENGINE_BASE_WATCH_H

#include "engine/base/parallel.h"
#include "engine/base/progress.h"

/* When a phase asks next. Each phase has one watch. */
typedef struct mcd_watch {
    const mcd_progress *progress; /* NULL, or without a call: there is nobody to ask */
    const char *phase;
    uint64_t next_ns;
    struct mcd_watched *work; /* the mcd_watch_for that runs now */
} mcd_watch;

static inline mcd_watch mcd_watch_of(const mcd_progress *progress, const char *phase)
{
    return (mcd_watch){progress, phase, 0, NULL};
}

/* Returns nanoseconds since some moment; UINT64_MAX if the system has no such clock. */
uint64_t mcd_watch_now_ns(void);

/* If 20 ms have passed, reports and asks whether to go on. Cheap enough to call every 10 us. Returns
 * MACADAM_OK or E_CANCELLED. */
macadam_status mcd_watch_step(mcd_watch *watch, uint64_t done, uint64_t total, macadam_error *error);

/* An mcd_parallel_for that asks between tasks. After E_CANCELLED some tasks have not run: do not read their
 * results. Each task takes a few milliseconds at most, or asks mcd_watch_goes_on. A call within a task of the
 * same watch only divides its work; it returns E_CANCELLED if the outer call was stopped. */
macadam_status mcd_watch_for(mcd_watch *watch, const mcd_parallel *parallel, size_t count, mcd_task task,
                             void *argument, macadam_error *error);

/* For long tasks of an mcd_watch_for: returns false if they are to return, whatever they have done. Cheap
 * enough to call every 10 us, on any thread. */
bool mcd_watch_goes_on(const mcd_watch *watch);

#endif
