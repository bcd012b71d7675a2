/* matrix_targets.h - the prepared targets of a matrix, and the sorted places that both sides are made of. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_MATRIX_TARGETS_H
#define MCD_KERNELS_CPU_PAIRWISE_MATRIX_TARGETS_H

#include "kernels/backend.h"

/* The lanes of one side that have a node, by ascending node. */
typedef struct sorted_lanes {
    size_t count;     /* places that did not fail */
    uint32_t *origin; /* [all lanes]: the caller's index of each; failed places last */
    mcd_lane *lane;   /* [count] */
} sorted_lanes;

macadam_status mcd_sorted_lanes_new(sorted_lanes *out, const mcd_lane *lane, size_t count,
                                    macadam_error *error);
void mcd_sorted_lanes_free(sorted_lanes *lanes);

struct mcd_matrix_targets {
    mcd_matrix_job job;
    sorted_lanes sorted;
    uint32_t *slot;     /* [target_count]: the position of the caller's target in a sorted row */
    size_t group_count; /* groups of 16 sorted targets */
    size_t *first_row;  /* [group_count + 1]: the group's first row of `label` */
    void *label;        /* rows of 16 costs, by depth within a group */
    void *panel;        /* [group_count] panels (product.h) of those labels */
};

void mcd_matrix_targets_free(mcd_matrix_targets *targets);

#endif
