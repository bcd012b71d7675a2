/* matrix.h - many-to-many costs: labels and their min-plus product. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_MATRIX_H
#define MCD_KERNELS_CPU_PAIRWISE_MATRIX_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(matrix_targets_new)(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                              macadam_error *error);
macadam_status MCD_KERNEL(matrix_rows)(const mcd_rows_job *job, macadam_error *error);
size_t MCD_KERNEL(matrix_scratch)(const mcd_weights *weights, size_t target_count, size_t source_count,
                                  size_t workers, bool joint);

#endif
