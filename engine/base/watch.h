/* watch.h - long work that asks the caller every 20 ms whether to go on. A leaf.
 *
 * The callback is only called by the thread that began the work. */
#ifndef MCD_ENGINE_BASE_WATCH_H
#define MCD_ENGINE_BASE_WATCH_H

#include "engine/base/parallel.h"
#include "engine/base/progress.h"

/* When a phase asks next. One phase has one watch. */
typedef struct mcd_watch {
    const mcd_progress *progress; /* NULL, or without a call: nobody is asked */
    const char *phase;
    uint64_t next_ns;
} mcd_watch;

static inline mcd_watch mcd_watch_of(const mcd_progress *progress, const char *phase)
{
    return (mcd_watch){progress, phase, 0};
}

/* Reports, and asks whether to go on, if 20 ms are over: cheap enough for every step of 10 us. Returns
 * MACADAM_OK or E_CANCELLED. */
macadam_status mcd_watch_step(mcd_watch *watch, uint64_t done, uint64_t total, macadam_error *error);

/* mcd_parallel_for that asks between tasks. After E_CANCELLED some tasks have not been done: what they make
 * must not be read. Tasks take some milliseconds at most. */
macadam_status mcd_watch_for(mcd_watch *watch, const mcd_parallel *parallel, size_t count, mcd_task task,
                             void *argument, macadam_error *error);

#endif
