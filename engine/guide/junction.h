/* junction.h - the roads that meet where a route passes, as one who arrives sees them. */
#ifndef MCD_ENGINE_GUIDE_JUNCTION_H
#define MCD_ENGINE_GUIDE_JUNCTION_H

#include "engine/guide/bearing.h"
#include "engine/guide/junctions.h"
#include "engine/include/macadam.h"

#define MCD_BRANCH_NONE UINT32_MAX

typedef struct mcd_junction {
    const mcd_road_end *end; /* [count] by ascending bearing */
    uint32_t count, in, out; /* which of them the route comes and goes by, or MCD_BRANCH_NONE */
    uint32_t entry;          /* bit i: one who arrives as the route does may leave by end[i] */
    double before;           /* the direction of travel on arrival, in degrees: 0 to 360 */
} mcd_junction;

/* What junctions are read from. */
typedef struct mcd_junction_source {
    const mcd_roads *roads;
    const mcd_junctions *junctions;
    const mcd_weights *weights; /* tell which arcs are open; NULL: all are */
    const uint64_t *closed; /* of these weights, from mcd_junctions_closed; NULL: any road may be closed */
} mcd_junction_source;

/* Returns whether a road may be closed there: mcd_junction_read then needs room for meeting->count roads. */
static inline bool mcd_junction_may_close(const mcd_junction_source *source, const mcd_meeting *meeting)
{
    if (!source->weights) return false;
    return !source->closed || source->closed[meeting->first / 64] >> meeting->first % 64 & 1;
}

/* Reads the junction between two arcs of a route, either of which may be MCD_ROAD_NONE. Roads that are closed are
 * left out: the others are then in `room`. */
void mcd_junction_read(mcd_junction *out, mcd_road_end *room, const mcd_junction_source *source,
                       uint32_t from, uint32_t to);

#endif
