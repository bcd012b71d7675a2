/* parallel.h - the one parallel-for: on the host's executor, else on the threads of the pool. A leaf. */
#ifndef MCD_ENGINE_BASE_PARALLEL_H
#define MCD_ENGINE_BASE_PARALLEL_H

#include "engine/base/pool.h"
#include "engine/base/status.h"

/* How a call may run: on `thread_count` threads of its own or the host's executor. */
typedef struct mcd_parallel {
    unsigned thread_count;
    const macadam_executor *executor;
} mcd_parallel;

/* If `threads` is 0, uses one thread per processor that this process may use. An executor's thread count
 * wins. */
mcd_parallel mcd_parallel_of(unsigned threads, const macadam_executor *executor);

/* Calls task(argument, index, worker) for every index below `count`, dynamically scheduled in ascending
 * order, and returns after all calls have returned. worker < thread_count, and without a host's executor also
 * worker < count; calls that overlap have different workers. Tasks cannot return a failure: a task that can
 * fail records its status in `argument`. With one thread or one task, and within a task of the pool,
 * everything runs in the calling thread. */
void mcd_parallel_for(const mcd_parallel *parallel, size_t count, mcd_task task, void *argument);

/* Calls task(argument, first, end) for ranges of `length` of `count` items, as mcd_parallel_for does; the last
 * range may have fewer items. */
typedef void (*mcd_range_task)(void *argument, size_t first, size_t end);
void mcd_parallel_for_ranges(const mcd_parallel *parallel, size_t count, size_t length, mcd_range_task task,
                             void *argument);

/* Does the same as mcd_parallel_for, and calls ask(argument) every MCD_POOL_ASK_MS while the calling thread only
 * waits for others. A host's executor waits without asking. */
void mcd_parallel_for_asking(const mcd_parallel *parallel, size_t count, mcd_task task, void *argument,
                             mcd_pool_ask ask);

/* Ranges as mcd_parallel_for_ranges has them: task number `index` of mcd_ranges_count. */
typedef struct mcd_ranges {
    size_t count, length;
    mcd_range_task task;
    void *argument;
} mcd_ranges;

static inline size_t mcd_ranges_count(const mcd_ranges *ranges)
{
    return (ranges->count + ranges->length - 1) / ranges->length;
}

void mcd_ranges_do(void *ranges, size_t index, unsigned worker);

/* Returns the length of ranges of `count` items, `least` or more, of which each thread gets several; one thread gets one range. */
static inline size_t mcd_range_length(const mcd_parallel *parallel, size_t count, size_t least)
{
    const size_t ranges = parallel->thread_count > 1 ? 8 * (size_t)parallel->thread_count : 1;
    return count / ranges < least ? least : count / ranges + 1;
}

/* Returns the first of the `total` items that belong to part `index` of `count` equal parts. */
static inline size_t mcd_part_first(size_t total, size_t index, size_t count)
{
    return total / count * index + (total % count < index ? total % count : index);
}

#endif
