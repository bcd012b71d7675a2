/* kernels.c - the phases of one instruction set that depend on the lane width. */
#include "kernels/cpu/customize/customize.h"
#include "kernels/cpu/pairwise/matrices.h"
#include "kernels/cpu/pairwise/matrix.h"
#include "kernels/cpu/customize/prune.h"
#include "kernels/cpu/customize/recustomize.h"
#include "kernels/cpu/sweep/reach.h"
#include "kernels/cpu/frontier/sssp.h"
#include "kernels/cpu/sweep/tree.h"

extern const mcd_backend MCD_KERNEL(kernels);

const mcd_backend MCD_KERNEL(kernels) = {
    .customize = MCD_KERNEL(customize),
    .recustomize = MCD_KERNEL(recustomize),
    .prune = MCD_KERNEL(prune),
    .name_children = MCD_KERNEL(name_children),
    .tree = MCD_KERNEL(tree),
    .tree_scratch = MCD_KERNEL(tree_scratch),
#if MCD_LANE_BITS == 32
    .reach = MCD_KERNEL(reach),
    .reach_scratch = MCD_KERNEL(reach_scratch),
#endif
    .sssp = MCD_KERNEL(sssp),
    .sssp_scratch = MCD_KERNEL(sssp_scratch),
    .matrices = MCD_KERNEL(matrices),
    .matrix_targets_new = MCD_KERNEL(matrix_targets_new),
    .matrix_rows = MCD_KERNEL(matrix_rows),
    .matrix_scratch = MCD_KERNEL(matrix_scratch),
};
