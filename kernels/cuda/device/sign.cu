/* sign.cu - makes costs in a GPU's memory signed. CPU twin: kernels/cpu/device/sign.c.
 *
 * In/out  value[r * stride + c], each cell by one thread; neighbours have neighbouring columns.
 * In      row[r], column[c]: potentials, copied from the host.
 * Races   none. */
#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/table.h"

static __global__ void sign(uint32_t *value, uint64_t rows, uint64_t columns, uint64_t stride,
                            const int32_t *__restrict__ row, const int32_t *__restrict__ column, bool reverse)
{
    const uint64_t cell = thread_index(), r = cell / columns, c = cell % columns;
    if (r >= rows) return;
    uint32_t *const it = &value[r * stride + c];
    *it = mcd_signed_cost(*it, mcd_sign_rise(row[r], column[c], reverse));
}

macadam_status mcd_cuda_sign(const mcd_sign_job *job, macadam_error *error)
{
    static const char what[] = "making costs signed";
    const size_t bytes = (job->rows + job->columns) * sizeof(int32_t);
    mcd_gpu *gpu;
    if (job->rows == 0 || job->columns == 0) return MACADAM_OK;
    MCD_TRY(gpu_of_memory(job->device, job->value, &gpu, error));
    gpu_share share;
    gpu_call call(gpu, error);
    gpu_array<int32_t> row, column;
    MCD_TRY(call.begin());
    MCD_TRY(share.take(call, bytes, bytes, what));
    MCD_TRY(row.copy(call, job->row, job->rows, what));
    MCD_TRY(column.copy(call, job->column, job->columns, what));
    MCD_TRY(call.run(what, one_thread_each((uint64_t)job->rows * job->columns), sign, job->value, job->rows,
                     job->columns, job->stride, row.get(), column.get(), job->reverse));
    return call.synchronize();
}
