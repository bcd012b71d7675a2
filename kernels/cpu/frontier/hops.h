/* hops.h - breadth-first search. */
#ifndef MCD_KERNELS_CPU_FRONTIER_HOPS_H
#define MCD_KERNELS_CPU_FRONTIER_HOPS_H

#include "kernels/backend.h"

macadam_status mcd_cpu_hops(const mcd_hops_job *job, macadam_error *error);
size_t mcd_cpu_hops_scratch(const mcd_hops_job *job);

#endif
