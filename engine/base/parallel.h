/* parallel.h - the one parallel-for: the host's executor, else OpenMP, else pthreads. A leaf. */
#ifndef MCD_ENGINE_BASE_PARALLEL_H
#define MCD_ENGINE_BASE_PARALLEL_H

#include "engine/base/status.h"

/* How a call may run: on `thread_count` threads of its own or the host's executor. */
typedef struct mcd_parallel {
    unsigned thread_count;
    const macadam_executor *executor;
} mcd_parallel;

/* `threads` = 0: one per processor that this process may use. An executor's thread count wins. */
mcd_parallel mcd_parallel_of(unsigned threads, const macadam_executor *executor);

typedef void (*mcd_task)(void *argument, size_t index, unsigned worker);

/* Calls task(argument, index, worker) for every index below `count`, dynamically scheduled in ascending
 * order, and returns when all have returned. worker < thread_count, and calls that overlap have different
 * workers. Tasks cannot fail: one that can records its status in `argument`. With one thread or one task: in
 * the calling thread. */
void mcd_parallel_for(const mcd_parallel *parallel, size_t count, mcd_task task, void *argument);

/* One of several things to do at once, all with the same context. */
typedef macadam_status (*mcd_step)(void *context, macadam_error *error);
enum { MCD_STEPS_MAX = 8 };

/* Does step[0 .. count), MCD_STEPS_MAX at most, at once. If several fail, the first of them is told, however
 * many threads there are. A step has one thread: it does not divide its work further. */
macadam_status mcd_parallel_steps(const mcd_parallel *parallel, const mcd_step *step, size_t count,
                                  void *context, macadam_error *error);

/* The range of `total` items that the index-th of `count` equal parts holds. */
static inline size_t mcd_part_first(size_t total, size_t index, size_t count)
{
    return total / count * index + (total % count < index ? total % count : index);
}

#endif
