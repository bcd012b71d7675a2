/* table.h - the phases of the CUDA backend, one file each; module.cu makes the table from them. */
#ifndef MCD_KERNELS_CUDA_DEVICE_TABLE_H
#define MCD_KERNELS_CUDA_DEVICE_TABLE_H

#include "kernels/cuda/device/image.h"

/* tree.cu, reach.cu, route.cu, matrix.cu, matrices.cu, renew.cu: mcd_backend and mcd_device_table describe them. */
void mcd_cuda_tree(const mcd_tree_job *job);
void mcd_cuda_reach(const mcd_reach_job *job);
void mcd_cuda_route(const mcd_route_job *job);
/* Does the same on the first GPU, within a call that holds scratch there. */
void tree_within(const mcd_tree_job *job);
mcd_matrix_targets *mcd_cuda_matrix_targets_new(const mcd_matrix_job *job);
void mcd_cuda_matrix_rows(const mcd_rows_job *job);
void mcd_cuda_matrix_targets_free(mcd_matrix_targets *targets);
void mcd_cuda_matrices(const mcd_matrices_job *job);
mcd_device_weights *mcd_cuda_weights_renew(mcd_device_map *map, const mcd_renew_job *job);

/* floyd_warshall.cu, closure.cu */
void mcd_cuda_floyd_warshall(const mcd_dense_job *job);
void mcd_cuda_closure(const mcd_closure_job *job);

/* sign.cu, snap.cu, road_lanes.cu */
void mcd_cuda_sign(const mcd_sign_job *job);
mcd_device_snap *mcd_cuda_snap_new(mcd_device *device, const mcd_snap_tree *tree);
void mcd_cuda_snap_free(mcd_device_snap *snap);
void mcd_cuda_nearest_roads(const mcd_nearest_job *job);
void mcd_cuda_count_lanes(const mcd_lane_count_job *job);

/* hops.cu, connect.cu, sssp.cu, clock.cu */
void mcd_cuda_hops(const mcd_hops_job *job);
void mcd_cuda_connect(const mcd_connect_job *job);
void mcd_cuda_sssp(const mcd_sssp_job *job);
void mcd_cuda_clock(const mcd_clock_job *job);

#endif
