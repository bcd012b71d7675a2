/* basic_routes.h - routes over basic weights: no perfect customization is needed. route.c searches them. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_BASIC_ROUTES_H
#define MCD_KERNELS_CPU_PAIRWISE_BASIC_ROUTES_H

#include "kernels/backend.h"

/* Unpacks `count` paths, as mcd_unpack does, whose chains are upward arcs. *needs_kept becomes true if a path is very
 * long, which cycles of weight 0 can cause: the pairs must then be answered over kept arcs. Time: a few times that of
 * mcd_unpack. */
macadam_status mcd_basic_unpack(mcd_path *const *path, const uint64_t *chain, const size_t *first,
                                size_t count, const mcd_weights *weights, bool *needs_kept,
                                macadam_error *error);

/* Answers the pairs from `first` on over kept arcs, which it makes. They decide the paths whose companion is
 * saturated, too: an arc that is not kept may tie there. */
macadam_status mcd_route_over_kept(const mcd_route_job *job, size_t first, macadam_error *error);

#endif
