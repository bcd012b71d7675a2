/* junctions.h - the roads that meet at each id of a map, and their directions: made once, when steps are
 * first requested. */
#ifndef MCD_ENGINE_GUIDE_JUNCTIONS_H
#define MCD_ENGINE_GUIDE_JUNCTIONS_H

#include "engine/base/parallel.h"
#include "engine/map/road.h"

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

typedef struct mcd_junctions {
    uint32_t *of_node; /* [node_count] the index of a node's id */
    uint32_t *first;   /* [id_count + 1] */
    mcd_road_end *end; /* [first[id_count]] of each id by ascending bearing; at most MCD_BRANCHES_MAX */
    uint8_t *rank;     /* [kind_count] mcd_sign_rank of each kind of road that an end has */
    uint32_t kind_count;
} mcd_junctions;

/* The map must have coordinates. Returns E_MEMORY. Time: two looks at every arc. */
macadam_status mcd_junctions_new(mcd_junctions *out, const mcd_roads *roads, const mcd_parallel *parallel,
                                 macadam_error *error);
void mcd_junctions_free(mcd_junctions *junctions);

#endif
