/* rounds.h - a job's tasks, perhaps in rounds: they report as one job, and ask between tasks. */
#ifndef MCD_ENGINE_BASE_ROUNDS_H
#define MCD_ENGINE_BASE_ROUNDS_H

#include "engine/base/watch.h"

/* A job of `total` items, of which a round does first <= i < first + count. Do not copy it. */
typedef struct mcd_rounds {
    mcd_progress whole; /* the job's */
    size_t first, count, total;
    mcd_progress progress; /* the watch's: asks `whole` */
    mcd_watch watch;
} mcd_rounds;

static inline bool mcd_rounds_report(void *context, const char *phase, uint64_t done, uint64_t total)
{
    const mcd_rounds *const rounds = (const mcd_rounds *)context;
    const uint64_t part = total == 0 ? 0 : done < total ? done * rounds->count / total : rounds->count;
    return rounds->whole.call(rounds->whole.context, phase, rounds->first + part, rounds->total);
}

static inline void mcd_rounds_begin(mcd_rounds *rounds, const mcd_progress *whole, const char *phase,
                                    size_t total)
{
    *rounds = (mcd_rounds){.whole = *whole, .count = total, .total = total};
    rounds->progress = (mcd_progress){whole->call ? mcd_rounds_report : NULL, rounds};
    rounds->watch = mcd_watch_of(&rounds->progress, phase);
}

/* Does `task_count` tasks for the items from `first` on. Returns MACADAM_OK or E_CANCELLED. Long tasks ask
 * whether mcd_watch_goes_on(&rounds->watch). */
static inline macadam_status mcd_rounds_for(mcd_rounds *rounds, size_t first, size_t count,
                                            const mcd_parallel *parallel, size_t task_count, mcd_task task,
                                            void *argument, macadam_error *error)
{
    rounds->first = first;
    rounds->count = count;
    return mcd_watch_for(&rounds->watch, parallel, task_count, task, argument, error);
}

#endif
