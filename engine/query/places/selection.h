/* selection.h - the part of a hierarchy that a sweep to given targets needs: the targets and their
 * ancestors. */
#ifndef MCD_ENGINE_QUERY_PLACES_SELECTION_H
#define MCD_ENGINE_QUERY_PLACES_SELECTION_H

#include "engine/query/places/lanes.h"

typedef struct mcd_selection {
    mcd_node *node; /* [count] ascending, closed under ancestors */
    size_t count;
    mcd_node *column; /* [target_count]: the index of each in `node`; MCD_NODE_NONE for a target that
                       * failed */
} mcd_selection;

/* Estimates, from a sample, the mean depth of the targets and the mean number of depths that a source and a
 * target share. */
void mcd_selection_depths(const mcd_hierarchy *hierarchy, const mcd_lanes *source, const mcd_lanes *target,
                          double *depth, double *common);

/* Selects for targets that have one seed of cost 0. If there are more than `most` nodes, the count exceeds `most`, and there
 * are no arrays. Time: one pass over a bit per node, and over the ancestors; with too many, less. */
macadam_status mcd_selection_new(mcd_selection *out, const mcd_hierarchy *hierarchy, const mcd_lane *target,
                                 size_t target_count, size_t most, macadam_error *error);
void mcd_selection_free(mcd_selection *selection);

#endif
