/* parallel.c - see parallel.h. */
#include "engine/base/parallel.h"

#include "engine/base/platform.h"

mcd_parallel mcd_parallel_of(unsigned threads, const macadam_executor *executor)
{
    if (executor) return (mcd_parallel){executor->thread_count ? executor->thread_count : 1, executor};
    const unsigned processors = mcd_platform_processors();
    mcd_pool_limit(processors);
    if (threads == 0) threads = processors;
    return (mcd_parallel){threads < MCD_THREADS_MAX ? threads : MCD_THREADS_MAX, NULL};
}

void mcd_parallel_for(const mcd_parallel *parallel, size_t count, mcd_task task, void *argument)
{
    if (parallel->executor && parallel->thread_count > 1 && count > 1)
        parallel->executor->run(parallel->executor->context, count, task, argument);
    else
        mcd_pool_run(parallel->thread_count, count, task, argument);
}

/* ---- steps ---- */

typedef struct step_run {
    const mcd_step *step;
    void *context;
    macadam_status status[MCD_STEPS_MAX];
    macadam_error error[MCD_STEPS_MAX];
} step_run;

static void do_step(void *argument, size_t index, unsigned worker)
{
    step_run *const run = argument;
    (void)worker;
    run->status[index] = run->step[index](run->context, &run->error[index]);
}

macadam_status mcd_parallel_steps(const mcd_parallel *parallel, const mcd_step *step, size_t count,
                                  void *context, macadam_error *error)
{
    step_run run = {.step = step, .context = context};
    mcd_parallel_for(parallel, count, do_step, &run);
    for (size_t i = 0; i < count; ++i) {
        if (!run.status[i]) continue;
        if (error) *error = run.error[i];
        return run.status[i];
    }
    return MACADAM_OK;
}
