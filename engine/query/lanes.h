/* lanes.h - places on their way to the kernels: where a search starts from each, or ends at it.
 *
 * A place at a junction is one node. A place within a road is left by the heads of its arcs, each with what
 * of the arc lies after the place; it is reached from their tails, each with what lies before it, and where
 * the tail is split, from every copy that the arc leaves. Nodes that are on one root path (without a
 * hierarchy: any) make one lane (kernels/views.h): a place has one lane or several, and the best of them is
 * its answer. What leads from one place to another on the same road without leaving it is no path of nodes:
 * mcd_lanes_direct. */
#ifndef MCD_ENGINE_QUERY_LANES_H
#define MCD_ENGINE_QUERY_LANES_H

#include "engine/map/locate.h"
#include "kernels/views.h"

/* What a place is used for: a lane departs from it, or arrives at it. */
typedef enum mcd_end { MCD_DEPART, MCD_ARRIVE } mcd_end;

typedef struct mcd_lanes {
    mcd_end end;
    const mcd_roads *roads;     /* NULL: no place is within a road */
    const mcd_weights *weights; /* likewise */
    size_t place_count, count;
    mcd_lane *lane; /* [count] */
    /* [place_count + 1]: place i has the lanes first[i] <= l < first[i + 1], at least one, without seeds if
     * it failed; NULL: every place has one. */
    size_t *first;
    mcd_position *position; /* [place_count]; NULL: no place is within a road */
} mcd_lanes;

/* Takes over `position` (of `place_count` places), on failure too; mcd_lanes_free. `roads` may be NULL if all
 * are junctions. */
macadam_status mcd_lanes_new(mcd_lanes *out, const mcd_place_index *places, const mcd_roads *roads,
                             const mcd_weights *weights, const mcd_parallel *parallel, mcd_position *position,
                             size_t place_count, mcd_end end, macadam_error *error);
/* Of places none of which is a point, in one pass. status (may be NULL): what became of each. */
macadam_status mcd_lanes_of_ids(mcd_lanes *out, const mcd_place_index *places, const mcd_parallel *parallel,
                                const macadam_place *place, size_t place_count, mcd_end end,
                                macadam_place_status *status, macadam_error *error);
void mcd_lanes_free(mcd_lanes *lanes);

static inline size_t mcd_lanes_first(const mcd_lanes *lanes, size_t place)
{
    return lanes->first ? lanes->first[place] : place;
}

/* The most lanes that so many places have which follow each other. */
size_t mcd_lanes_most(const mcd_lanes *lanes, size_t place_count);

/* A road's arc, or the part of it that is travelled. */
typedef struct mcd_road_part {
    uint32_t arc;         /* MCD_ROAD_NONE: none */
    mcd_weight objective; /* both MCD_UNREACHED if there is none */
    mcd_weight companion; /* 0 without one */
    uint64_t from, to;    /* 2^-32ths of the arc */
} mcd_road_part;

/* The part by which a search that starts or ends with `node` leaves or reaches the place; none at a
 * junction. */
mcd_road_part mcd_lanes_part(const mcd_lanes *lanes, size_t place, mcd_node node);

/* The way from a place of `source` to one of `target` along the i-th arcs of both, if those are one. */
mcd_road_part mcd_lanes_along(const mcd_lanes *source, size_t s, const mcd_lanes *target, size_t t, int i);

/* The way from a place of `source` to one of `target` along their road, if they share one; of two the
 * better. */
mcd_road_part mcd_lanes_direct(const mcd_lanes *source, size_t s, const mcd_lanes *target, size_t t);

#endif
