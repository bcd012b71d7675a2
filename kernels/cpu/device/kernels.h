/* kernels.h - the phases of one instruction set and lane width. */
#ifndef MCD_KERNELS_CPU_DEVICE_KERNELS_H
#define MCD_KERNELS_CPU_DEVICE_KERNELS_H

#include "kernels/backend.h"

typedef struct mcd_cpu_kernels {
    macadam_status (*customize)(mcd_custom *out, const mcd_customize_job *job, macadam_error *error);
    macadam_status (*recustomize)(mcd_recustomized *out, const mcd_recustomize_job *job,
                                  macadam_error *error);
    macadam_status (*prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                            macadam_error *error);
    macadam_status (*name_children)(mcd_kept *kept, const mcd_custom *custom, const mcd_customize_job *job,
                                    macadam_error *error);
    macadam_status (*tree)(const mcd_tree_job *job, macadam_error *error);
    size_t (*tree_scratch)(const mcd_tree_job *job);
    macadam_status (*reach)(const mcd_reach_job *job, macadam_error *error); /* only with 32-bit lanes */
    size_t (*reach_scratch)(const mcd_reach_job *job);
    macadam_status (*sssp)(const mcd_sssp_job *job, macadam_error *error);
    size_t (*sssp_scratch)(const mcd_sssp_job *job);
    macadam_status (*matrices)(const mcd_matrices_job *job, macadam_error *error);
    macadam_status (*matrix_targets_new)(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                         macadam_error *error);
    macadam_status (*matrix_rows)(const mcd_rows_job *job, macadam_error *error);
    size_t (*matrix_scratch)(const mcd_weights *weights, size_t target_count, size_t source_count,
                             size_t workers);
} mcd_cpu_kernels;

#endif
