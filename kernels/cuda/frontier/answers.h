/* answers.h - answers by column, from costs by node. */
#ifndef MCD_KERNELS_CUDA_FRONTIER_ANSWERS_H
#define MCD_KERNELS_CUDA_FRONTIER_ANSWERS_H

#include "kernels/cuda/device/gpu.h"

/* Where answers go, by column: value[i * stride]; either may be NULL. */
struct answer_arrays {
    uint32_t *objective, *companion;
    size_t stride;
};

/* One thread per column. column: NULL: column i is node i. */
template <class Cost>
static __global__ void answer_columns(const Cost *__restrict__ dist, const mcd_node *__restrict__ column,
                                      size_t count, mcd_weight limit, bool raw, answer_arrays to)
{
    const size_t i = thread_index();
    if (i < count)
        answer_cost(dist[column ? column[i] : i], limit, raw,
                    to.objective ? to.objective + i * to.stride : nullptr,
                    to.companion ? to.companion + i * to.stride : nullptr);
}

/* Enqueues. */
template <class Cost>
inline macadam_status enqueue_answers(gpu_call &call, const Cost *dist, const mcd_node *column, size_t count,
                                      mcd_weight limit, bool raw, const answer_arrays &to)
{
    return call.run("answering from costs", one_thread_each(count), answer_columns<Cost>, dist, column, count,
                    limit, raw, to);
}

#endif
