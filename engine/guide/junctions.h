/* junctions.h - the roads that meet at each id of a map, and their directions: made once, when steps are
 * first requested. */
#ifndef MCD_ENGINE_GUIDE_JUNCTIONS_H
#define MCD_ENGINE_GUIDE_JUNCTIONS_H

#include "engine/base/parallel.h"
#include "engine/guide/sign.h"

enum { MCD_BRANCHES_MAX = 24 }; /* further roads of a junction are left out */

/* A road at a junction: an arc that leaves it, an arc that comes, or both. */
typedef struct mcd_road_end {
    uint32_t arc;      /* by which one leaves, or MCD_ROAD_NONE */
    uint32_t back;     /* by which one comes, or MCD_ROAD_NONE */
    uint32_t original; /* of `arc`, or MCD_ROAD_NONE: by these, copies of an arc are known */
    uint32_t original_back;
    uint32_t kind; /* of the road */
    float bearing; /* in degrees clockwise from north, as it leaves: 0 <= bearing < 360 */
} mcd_road_end;

/* Returns bit i for an end[i] that leads away by the original, which may be MCD_ROAD_NONE. */
static inline uint32_t mcd_road_ends_find(const mcd_road_end *end, uint32_t count, uint32_t original)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && original != MCD_ROAD_NONE; ++i)
        found |= (uint32_t)(end[i].original == original) << i;
    return found;
}

/* What one meets who arrives at a node. */
typedef struct mcd_meeting {
    uint32_t first;                    /* end[first .. first + count): the roads of the node's id */
    uint32_t count : 8;                /* at most MCD_BRANCHES_MAX */
    uint32_t entry : MCD_BRANCHES_MAX; /* bit i: end[first + i] leads away from this copy of the node */
} mcd_meeting;

typedef struct mcd_junctions {
    mcd_meeting *of_node; /* [node_count] */
    mcd_road_end *end;    /* [end_count] of each id by ascending bearing */
    mcd_sign *sign;       /* of each kind of road on the map */
    uint32_t end_count;
} mcd_junctions;

/* The map must have coordinates. Returns E_MEMORY. Time: two looks at every arc. */
macadam_status mcd_junctions_new(mcd_junctions *out, const mcd_roads *roads, const mcd_parallel *parallel,
                                 macadam_error *error);
/* Makes bits, by mcd_meeting.first, of the junctions at which some road is closed; the caller frees *out with mcd_free. */
macadam_status mcd_junctions_closed(uint64_t **out, const mcd_junctions *junctions,
                                    const mcd_weights *weights, macadam_error *error);
void mcd_junctions_free(mcd_junctions *junctions);

#endif
