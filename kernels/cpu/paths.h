/* paths.h - costs and paths of many pairs. */
#ifndef MCD_CPU_PATHS_H
#define MCD_CPU_PATHS_H

#include "kernels/backend.h"

/* A route job with job->path. */
macadam_status mcd_cpu_paths(const mcd_route_job *job, macadam_error *error);

#endif
