/* phases.h - the phases of a backend that are compiled for each instruction set, and perhaps lane width: one file
 * each, of the phase's name or of what it makes. mcd_backend describes them. */
#ifndef MCD_KERNELS_CPU_DEVICE_PHASES_H
#define MCD_KERNELS_CPU_DEVICE_PHASES_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* Declares a function of the type of this member of mcd_backend. */
#define MCD_PHASE(name) __typeof__(*((const mcd_backend *)NULL)->name) MCD_KERNEL(name)

MCD_PHASE(customize);
MCD_PHASE(recustomize);
MCD_PHASE(prune);
MCD_PHASE(name_children);
MCD_PHASE(tree);
MCD_PHASE(tree_scratch);
MCD_PHASE(matrices);
MCD_PHASE(matrix_targets_new);
MCD_PHASE(matrix_rows);
MCD_PHASE(matrix_scratch);
MCD_PHASE(sssp);
MCD_PHASE(sssp_scratch);
MCD_PHASE(clock);
MCD_PHASE(clock_scratch);

/* Only 32-bit lanes; routes also if companions are requested. */
MCD_PHASE(reach);
MCD_PHASE(reach_scratch);
MCD_PHASE(minima_new);
MCD_PHASE(minima_find);
MCD_PHASE(minima_free);
MCD_PHASE(route);
MCD_PHASE(top_labels_new);
MCD_PHASE(clock_samples);
MCD_PHASE(clock_table);
MCD_PHASE(closure);
MCD_PHASE(floyd_warshall); /* also 16-bit lanes: for narrow jobs */

#endif
