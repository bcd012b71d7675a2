/* junction.h - the roads that meet where a route passes, as one who arrives sees them. */
#ifndef MCD_ENGINE_GUIDE_JUNCTION_H
#define MCD_ENGINE_GUIDE_JUNCTION_H

#include "engine/guide/junctions.h"
#include "engine/include/macadam.h"

typedef struct mcd_branch {
    mcd_road_end end;
    float turn; /* in degrees to the right of straight on: -180 < turn <= 180 */
    bool entry; /* one who arrives as the route does may leave by it */
} mcd_branch;

#define MCD_BRANCH_NONE UINT32_MAX

typedef struct mcd_junction {
    mcd_branch *branch;      /* [count] by ascending bearing */
    uint32_t count, in, out; /* which of them the route comes and goes by, or MCD_BRANCH_NONE */
} mcd_junction;

/* What junctions are read from. */
typedef struct mcd_junction_source {
    const mcd_roads *roads;
    const mcd_junctions *junctions;
    const mcd_weights *weights; /* tell which arcs are open; NULL: all are */
} mcd_junction_source;

/* Reads the junction between two arcs of a route, either of which may be MCD_ROAD_NONE, into `branch`. Roads
 * that are closed are left out. */
void mcd_junction_read(mcd_junction *out, mcd_branch *branch, const mcd_junction_source *source,
                       uint32_t from, uint32_t to);

/* Returns how many branches a junction has at most, at the end of `from` or, if there is none, the beginning of
 * `to`; and lets the processor fetch them, because they are read next. */
uint32_t mcd_junction_size(const mcd_junction_source *source, uint32_t from, uint32_t to);

#endif
