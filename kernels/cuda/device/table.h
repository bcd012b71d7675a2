/* table.h - the phases of the CUDA backend, one file each; module.cu makes the table from them. */
#ifndef MCD_KERNELS_CUDA_DEVICE_TABLE_H
#define MCD_KERNELS_CUDA_DEVICE_TABLE_H

#include "kernels/cuda/device/image.h"

/* tree.cu, reach.cu, route.cu, matrix.cu, matrices.cu, renew.cu: mcd_backend and mcd_device_table describe them. */
macadam_status mcd_cuda_tree(const mcd_tree_job *job, macadam_error *error);
macadam_status mcd_cuda_reach(const mcd_reach_job *job, macadam_error *error);
macadam_status mcd_cuda_route(const mcd_route_job *job, macadam_error *error);
/* Does the same on the first GPU, within a call that holds scratch there. */
macadam_status tree_within(const mcd_tree_job *job, macadam_error *error);
macadam_status mcd_cuda_matrix_targets_new(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                           macadam_error *error);
macadam_status mcd_cuda_matrix_rows(const mcd_rows_job *job, macadam_error *error);
void mcd_cuda_matrix_targets_free(mcd_matrix_targets *targets);
macadam_status mcd_cuda_matrices(const mcd_matrices_job *job, macadam_error *error);
macadam_status mcd_cuda_weights_renew(mcd_device_weights **out, mcd_device_map *map, const mcd_renew_job *job,
                                      macadam_error *error);

/* floyd_warshall.cu, closure.cu */
macadam_status mcd_cuda_floyd_warshall(const mcd_dense_job *job, macadam_error *error);
macadam_status mcd_cuda_closure(const mcd_closure_job *job, macadam_error *error);

/* sign.cu */
macadam_status mcd_cuda_sign(const mcd_sign_job *job, macadam_error *error);

/* hops.cu, connect.cu, sssp.cu */
macadam_status mcd_cuda_hops(const mcd_hops_job *job, macadam_error *error);
macadam_status mcd_cuda_connect(const mcd_connect_job *job, macadam_error *error);
macadam_status mcd_cuda_sssp(const mcd_sssp_job *job, macadam_error *error);

#endif
