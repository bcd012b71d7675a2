/* incidence.h - the arcs at each node, by their tails or by their heads. */
#ifndef MCD_IMPORTERS_BASE_INCIDENCE_H
#define MCD_IMPORTERS_BASE_INCIDENCE_H

#include "engine/base/arena.h"
#include "engine/base/types.h"
#include "engine/base/watch.h"

/* The arcs at a node are arc[first[node] .. first[node + 1]), ascending. */
typedef struct mcd_incidence {
    mcd_arc *first, *arc;
} mcd_incidence;

/* `end` is each arc's tail or head; `parallel` (one thread) and `watch` may be NULL. The arrays are the arena's. */
macadam_status mcd_incidence_new(mcd_incidence *out, mcd_arena *arena, size_t node_count, const mcd_node *end,
                                 size_t arc_count, const mcd_parallel *parallel, mcd_watch *watch,
                                 macadam_error *error);

#endif
