/* sign.c - makes costs signed on the processor (mcd_sign_job describes it). A task takes some cells, row by row. */
#include "kernels/cpu/device/cpu.h"

enum { CELLS_PER_TASK = 1 << 14 };

static void sign_cells(void *argument, size_t first, size_t end)
{
    const mcd_sign_job *const job = argument;
    for (size_t cell = first; cell < end;) {
        const size_t row = cell / job->columns, row_end = mcd_size_min((row + 1) * job->columns, end);
        for (size_t column = cell % job->columns; cell < row_end; ++cell, ++column) {
            uint32_t *const value = &job->value[row * job->stride + column];
            *value = mcd_signed_cost(*value, mcd_sign_rise(job->row[row], job->column[column], job->reverse));
        }
    }
}

macadam_status mcd_cpu_sign(const mcd_sign_job *job, MCD_UNUSED macadam_error *error)
{
    mcd_sign_job own = *job;
    mcd_parallel_for_ranges(&job->parallel, job->rows * job->columns, CELLS_PER_TASK, sign_cells, &own);
    return MACADAM_OK;
}
