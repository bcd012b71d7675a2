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
    double before;           /* the direction of travel on arrival, in degrees */
} mcd_junction;

/* Returns by how much a road is to the right of straight on, in degrees: -180 < turn <= 180. */
static inline double mcd_junction_turn(const mcd_junction *junction, const mcd_road_end *end)
{
    return (float)mcd_turn(junction->before, end->bearing);
}

static inline bool mcd_junction_enters(const mcd_junction *junction, const mcd_road_end *end)
{
    return junction->entry >> (end - junction->end) & 1;
}

/* What junctions are read from. */
typedef struct mcd_junction_source {
    const mcd_roads *roads;
    const mcd_junctions *junctions;
    const mcd_weights *weights; /* tell which arcs are open; NULL: all are */
    const uint64_t *closed; /* of these weights, from mcd_junctions_closed; NULL: any road may be closed */
} mcd_junction_source;

/* Reads the junction between two arcs of a route, either of which may be MCD_ROAD_NONE. Roads that are closed are
 * left out: the others are then in `room`, for mcd_junction_room roads. */
void mcd_junction_read(mcd_junction *out, mcd_road_end *room, const mcd_junction_source *source,
                       uint32_t from, uint32_t to);

/* Returns how many roads need room, at the end of `from` or, if there is none, the beginning of `to`: none, unless one
 * is closed. Lets the processor fetch them, because they are read next. */
uint32_t mcd_junction_room(const mcd_junction_source *source, uint32_t from, uint32_t to);

#endif
