/* sign.c - makes costs signed on the processor (mcd_sign_job describes it). A task takes some rows, or a part of a long one. */
#include "kernels/cpu/device/cpu.h"

enum { CELLS_PER_TASK = 1 << 14 };

typedef struct sign_work {
    const mcd_sign_job *job;
    size_t rows_of_task, tasks_of_row;
} sign_work;

static void sign_task(void *argument, size_t index, unsigned worker)
{
    const sign_work *const work = argument;
    const mcd_sign_job *const job = work->job;
    const size_t first_row = index / work->tasks_of_row * work->rows_of_task,
                 end_row = mcd_size_min(first_row + work->rows_of_task, job->rows),
                 first = index % work->tasks_of_row * CELLS_PER_TASK,
                 end = mcd_size_min(first + CELLS_PER_TASK, job->columns);
    (void)worker;
    for (size_t r = first_row; r < end_row; ++r)
        for (size_t c = first; c < end; ++c) {
            uint32_t *const value = &job->value[r * job->stride + c];
            *value = mcd_signed_cost(*value, mcd_sign_rise(job->row[r], job->column[c], job->reverse));
        }
}

macadam_status mcd_cpu_sign(const mcd_sign_job *job, macadam_error *error)
{
    sign_work work = {job, 1, (job->columns + CELLS_PER_TASK - 1) / CELLS_PER_TASK};
    (void)error;
    if (job->rows == 0 || job->columns == 0) return MACADAM_OK;
    work.rows_of_task = mcd_size_max(1, CELLS_PER_TASK / job->columns);
    mcd_parallel_for(&job->parallel,
                     (job->rows + work.rows_of_task - 1) / work.rows_of_task * work.tasks_of_row, sign_task,
                     &work);
    return MACADAM_OK;
}
