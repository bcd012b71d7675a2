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

void mcd_cuda_sign(const mcd_sign_job *job)
{
    static const char what[] = "making costs signed";
    const size_t bytes = (job->rows + job->columns) * sizeof(int32_t);
    if (job->rows == 0 || job->columns == 0) return;
    gpu_share share;
    gpu_call call(gpu_of_memory(job->device, job->value));
    share.take(call, bytes, bytes, what);
    gpu_array<int32_t> row(call, job->row, job->rows, what), column(call, job->column, job->columns, what);
    call.run(what, one_thread_each((uint64_t)job->rows * job->columns), sign, job->value, job->rows,
             job->columns, job->stride, row.get(), column.get(), job->reverse);
    call.synchronize();
}
