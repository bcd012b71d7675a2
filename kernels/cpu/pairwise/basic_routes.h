/* basic_routes.h - costs and paths of pairs over basic weights: no perfect customization is needed. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_BASIC_ROUTES_H
#define MCD_KERNELS_CPU_PAIRWISE_BASIC_ROUTES_H

#include "kernels/backend.h"

/* Answers a route job whose weights have no kept arcs, only basic weights. The answers are those over kept
 * arcs, to the bit. Time: a few times that of a route over kept arcs. */
macadam_status mcd_cpu_basic_routes(const mcd_route_job *job, macadam_error *error);

#endif
