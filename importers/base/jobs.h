/* jobs.h - the same work for each of several profiles, at the same time. A leaf. */
#ifndef MCD_IMPORTERS_BASE_JOBS_H
#define MCD_IMPORTERS_BASE_JOBS_H

#include "engine/base/parallel.h"
#include "engine/base/progress.h"

enum { MCD_JOBS_MAX = 8 };

/* The resources that a job may use while it runs. */
typedef struct mcd_job {
    size_t index;
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_job;

typedef macadam_status (*mcd_do_job)(void *context, const mcd_job *job, macadam_error *error);

/* Returns how many of `count` jobs run together: one for each thread, or one if the host has an executor. */
size_t mcd_jobs_at_once(const mcd_parallel *parallel, size_t count);

/* Does the jobs 0 .. count - 1 (at most MCD_JOBS_MAX), each on a thread of its own and with its share of the others, and
 * begins them in this order. The caller's progress is called only on the calling thread: about that thread's job, and once
 * there is none left for it, about the others' jobs. A job that fails stops those that come after it. Returns the failure of the first
 * that failed, whatever the number of threads, or E_CANCELLED. */
macadam_status mcd_jobs_do(size_t count, const mcd_parallel *parallel, mcd_do_job job, void *context,
                           const mcd_progress *progress, macadam_error *error);

#endif
