/* same_road.h - finds the sources and targets that lie on one road, so that the direct way along the road
 * competes. */
#ifndef MCD_ENGINE_QUERY_PLACES_SAME_ROAD_H
#define MCD_ENGINE_QUERY_PLACES_SAME_ROAD_H

#include "engine/query/places/cells.h"
#include "engine/query/places/lanes.h"
#include "kernels/backend.h"

/* Which arcs may be in a set: a bit for each value of a hash. */
typedef struct mcd_arc_mask {
    uint64_t *bit;
    unsigned shift;
} mcd_arc_mask;

/* The targets by their arcs: of known sources, those whose arcs a source may be on. Zeroed = empty. */
typedef struct mcd_same_road {
    const mcd_lanes *source, *target;
    mcd_arc_mask mask; /* of the targets' arcs */
    uint64_t *entry;   /* [count] ascending: a target on an arc: arc << 32 | target */
    size_t count;
} mcd_same_road;

static inline uint32_t mcd_same_road_arc(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}

/* Returns the first entry that is not before arc << 32 | target. */
size_t mcd_same_road_find(const mcd_same_road *direct, uint32_t arc, size_t target);

/* Both must outlive *out; free it with mcd_same_road_free, on failure too. Empty if no source (NULL: not known) is on an arc of a
 * target. Time: a pass over the places, and sorts the targets that are listed. */
macadam_status mcd_same_road_new(mcd_same_road *out, const mcd_lanes *source, const mcd_lanes *target,
                                 const mcd_parallel *parallel, macadam_error *error);
void mcd_same_road_free(mcd_same_road *direct);

/* The ways along roads within a rectangle, for jobs. Zeroed = empty. */
typedef struct mcd_way_list {
    mcd_road_way *way; /* [count] ascending by row; rows and columns count from the rectangle's first */
    size_t count, capacity;
    size_t rows; /* whose ways are listed */
} mcd_way_list;

/* Lists the ways of a rectangle's first rows, about a million; of all rows, if `all`. */
macadam_status mcd_same_road_list(mcd_way_list *out, const mcd_same_road *direct, const mcd_cells *cells,
                                  bool all, const mcd_parallel *parallel, macadam_error *error);
void mcd_way_list_free(mcd_way_list *ways);

/* Replaces costs by those of the ways along roads where these are better. */
macadam_status mcd_same_road_apply(const mcd_same_road *direct, const mcd_cells *cells,
                                   const mcd_parallel *parallel, macadam_error *error);

#endif
