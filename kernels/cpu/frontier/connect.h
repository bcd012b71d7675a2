/* connect.h - whether a path leads from one node to another, and one of the fewest hops. */
#ifndef MCD_KERNELS_CPU_FRONTIER_CONNECT_H
#define MCD_KERNELS_CPU_FRONTIER_CONNECT_H

#include "kernels/backend.h"

macadam_status mcd_cpu_connect(const mcd_connect_job *job, macadam_error *error);
size_t mcd_cpu_connect_scratch(const mcd_connect_job *job);

#endif
