/* progress.h - how long work reports its progress and asks whether to go on. A leaf. */
#ifndef MCD_ENGINE_BASE_PROGRESS_H
#define MCD_ENGINE_BASE_PROGRESS_H

#include "engine/base/status.h"

typedef struct mcd_progress {
    macadam_progress call; /* may be NULL */
    void *context;
} mcd_progress;

/* Reports; returns MACADAM_E_CANCELLED if the caller wants to stop. `progress` may be NULL. */
static inline macadam_status mcd_progress_step(const mcd_progress *progress, const char *phase, uint64_t done,
                                               uint64_t total, macadam_error *error)
{
    if (!progress || !progress->call || progress->call(progress->context, phase, done, total))
        return MACADAM_OK;
    return mcd_fail_cancelled(error, phase);
}

#endif
