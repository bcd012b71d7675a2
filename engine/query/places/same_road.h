/* same_road.h - finds the sources and targets that lie on one road, so that the direct way along the road
 * competes. */
#ifndef MCD_ENGINE_QUERY_PLACES_SAME_ROAD_H
#define MCD_ENGINE_QUERY_PLACES_SAME_ROAD_H

#include "engine/query/places/cells.h"
#include "engine/query/places/lanes.h"

/* A target on an arc. */
typedef struct mcd_same_road_entry {
    uint32_t arc, target;
} mcd_same_road_entry;

/* The targets by their arcs. Zeroed = empty. */
typedef struct mcd_same_road {
    const mcd_lanes *source, *target;
    mcd_same_road_entry *entry; /* [count] ascending */
    size_t count;
} mcd_same_road;

/* Returns the first entry that is not before (arc, target). */
size_t mcd_same_road_find(const mcd_same_road *direct, uint32_t arc, size_t target);

/* Both must outlive *out; free it with mcd_same_road_free. Empty if no source (NULL: not known) is on an arc of a target. Time:
 * sorts the targets that are within roads. */
macadam_status mcd_same_road_new(mcd_same_road *out, const mcd_lanes *source, const mcd_lanes *target,
                                 macadam_error *error);
void mcd_same_road_free(mcd_same_road *direct);

/* Replaces costs by those of the ways along roads where these are better. */
void mcd_same_road_apply(const mcd_same_road *direct, const mcd_cells *cells, const mcd_parallel *parallel);

#endif
