/* legs.h - the paths of trips by the clock, with what each arc takes. */
#ifndef MCD_ENGINE_QUERY_CLOCK_LEGS_H
#define MCD_ENGINE_QUERY_CLOCK_LEGS_H

#include "engine/query/places/trip_search.h"

/* The path of a trip. Zeroed = empty; mcd_clock_leg_free. */
typedef struct mcd_clock_leg {
    uint32_t objective, companion; /* both MACADAM_UNREACHED if there is no path */
    mcd_path path;
    mcd_weight *duration; /* [path.count] of its arcs, with what is paid before them */
    mcd_road_part before,
        behind; /* the parts before and after its arcs; a way along a road is all `before` */
} mcd_clock_leg;

/* The memory of searches, for one leg after the other. Zeroed = empty; mcd_clock_tree_free. */
typedef struct mcd_clock_tree {
    mcd_trip_search trip; /* its steps are those of either search */
    /* Of a search to all nodes, which answers while there are no bounds for the trip. */
    uint32_t *objective, *companion;
    mcd_node *parent;
    void *scratch;
} mcd_clock_tree;

/* Finds the path of a pair, number i of the sources and targets: of the least companion, if the metric has one, among those of the least duration whose arcs
 * are each entered as early as can be (MCD_BACKWARD: left as late). *leg is empty, or of another trip. */
macadam_status mcd_clock_leg_find(mcd_clock_leg *leg, mcd_clock_tree *tree, const mcd_query *query,
                                  const mcd_lanes *source, const mcd_lanes *target, size_t i,
                                  macadam_error *error);
void mcd_clock_leg_free(mcd_clock_leg *leg);
void mcd_clock_tree_free(mcd_clock_tree *tree);

#endif
