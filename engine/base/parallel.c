/* parallel.c - see parallel.h. */
#include "engine/base/parallel.h"

#include "engine/base/system/platform.h"
#include "engine/base/types.h"

mcd_parallel mcd_parallel_of(unsigned threads, const macadam_executor *executor)
{
    if (executor) return (mcd_parallel){executor->thread_count ? executor->thread_count : 1, executor};
    const unsigned processors = mcd_platform_processors();
    mcd_pool_limit(processors);
    if (threads == 0) threads = processors;
    return (mcd_parallel){threads < MCD_THREADS_MAX ? threads : MCD_THREADS_MAX, NULL};
}

void mcd_parallel_for_asking(const mcd_parallel *parallel, size_t count, mcd_task task, void *argument,
                             mcd_pool_ask ask)
{
    if (parallel->executor && parallel->thread_count > 1 && count > 1)
        parallel->executor->run(parallel->executor->context, count, task, argument);
    else
        mcd_pool_run(parallel->thread_count, count, task, argument, ask);
}

void mcd_parallel_for(const mcd_parallel *parallel, size_t count, mcd_task task, void *argument)
{
    mcd_parallel_for_asking(parallel, count, task, argument, NULL);
}

void mcd_ranges_do(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const mcd_ranges *const ranges = argument;
    const size_t first = index * ranges->length;
    ranges->task(ranges->argument, first, mcd_size_min(first + ranges->length, ranges->count));
}

void mcd_parallel_for_ranges(const mcd_parallel *parallel, size_t count, size_t length, mcd_range_task task,
                             void *argument)
{
    mcd_ranges ranges = {count, length, task, argument};
    mcd_parallel_for(parallel, mcd_ranges_count(&ranges), mcd_ranges_do, &ranges);
}
