/* parallel.c - see parallel.h. */
#include "engine/base/parallel.h"

#include "engine/base/system/platform.h"

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
