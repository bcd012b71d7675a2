/* phases.h - the phases of a backend that are compiled for each instruction set, and perhaps lane width: one file
 * each, of the phase's name or of what it makes. mcd_backend describes them. */
#ifndef MCD_KERNELS_CPU_DEVICE_PHASES_H
#define MCD_KERNELS_CPU_DEVICE_PHASES_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* clang-format off */
/* With lanes of 32 bits, and of 64 for joint costs. */
#define MCD_PHASES_OF_LANES(DO) \
    DO(customize) DO(recustomize) DO(prune) DO(name_children) DO(tree) DO(tree_scratch) DO(sssp) \
    DO(sssp_scratch) DO(clock) DO(clock_scratch) DO(matrices) DO(matrix_targets_new) DO(matrix_rows) \
    DO(matrix_scratch)
/* Only with lanes of 32 bits; routes also if companions are requested. */
#define MCD_PHASES_OF_SETS(DO) \
    DO(reach) DO(reach_scratch) DO(minima_new) DO(minima_find) DO(minima_free) DO(route) DO(top_labels_new) \
    DO(clock_samples) DO(clock_table) DO(closure)
/* clang-format on */

/* Declares a function of the type of this member of mcd_backend. */
#define MCD_PHASE(name) __typeof__(*((const mcd_backend *)NULL)->name) MCD_KERNEL(name);
MCD_PHASES_OF_LANES(MCD_PHASE)
MCD_PHASES_OF_SETS(MCD_PHASE)
MCD_PHASE(floyd_warshall) /* of 32 bits, and of 16 for narrow jobs */

#endif
