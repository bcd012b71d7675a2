/* prune.h - the arcs that are kept after perfect customization, and their children. */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_PRUNE_H
#define MCD_KERNELS_CPU_CUSTOMIZE_PRUNE_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

macadam_status MCD_KERNEL(prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                                 macadam_error *error);
macadam_status MCD_KERNEL(name_children)(mcd_kept *kept, const mcd_custom *custom,
                                         const mcd_customize_job *job, macadam_error *error);

#endif
