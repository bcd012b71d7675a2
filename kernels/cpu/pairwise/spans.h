/* spans.h - the input arcs of kept arcs, stored. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_SPANS_H
#define MCD_KERNELS_CPU_PAIRWISE_SPANS_H

#include "kernels/backend.h"

/* See kernels/backend.h. */
macadam_status mcd_cpu_spans_new(mcd_spans **out, const mcd_weights *weights, const mcd_parallel *parallel,
                                 macadam_error *error);

#endif
