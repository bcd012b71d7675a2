/* transpose.h - brings answers by node and lane into the caller's order. */
#ifndef MCD_KERNELS_CPU_SWEEP_TRANSPOSE_H
#define MCD_KERNELS_CPU_SWEEP_TRANSPOSE_H

#include "kernels/cpu/device/simd.h"

/* value[node * stride + lane] for lane < lane_count; the stride is a multiple of 16. */
typedef struct mcd_transpose {
    const uint32_t *value;
    size_t stride, lane_count;
} mcd_transpose;

/* to[lane * row_length + i] = line of column[i] (NULL: node i) for first <= i < end. */
void MCD_KERNEL(transpose_rows)(const mcd_transpose *lines, const mcd_node *column, size_t first, size_t end,
                                uint32_t *to, size_t row_length);

/* to[node * to_stride + lane] for first <= node < end. */
void MCD_KERNEL(transpose_copy)(const mcd_transpose *lines, size_t first, size_t end, uint32_t *to,
                                size_t to_stride);

#endif
