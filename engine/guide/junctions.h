/* junctions.h - the roads that meet at each id of a map, and their directions: made once, when steps are
 * first requested. */
#ifndef MCD_ENGINE_GUIDE_JUNCTIONS_H
#define MCD_ENGINE_GUIDE_JUNCTIONS_H

#include "engine/base/parallel.h"
#include "engine/guide/sign.h"

#include <stdatomic.h>

enum { MCD_BRANCHES_MAX = 24 }; /* further roads of a junction are left out */

/* A road at a junction: an arc that leaves it, an arc that comes, or both. */
typedef struct mcd_road_end {
    uint32_t arc;  /* by which one leaves, or MCD_ROAD_NONE; copies of it do so, too */
    uint32_t back; /* by which the route arrives, or MCD_ROAD_NONE; likewise */
    uint32_t kind; /* of the road */
    float bearing; /* in degrees clockwise from north, as it leaves: 0 <= bearing < 360 */
} mcd_road_end;

/* The roads at a node where the route arrives. */
typedef struct mcd_meeting {
    uint32_t first;                    /* end[first .. first + count): the roads of the node's id */
    uint32_t count : 8;                /* at most MCD_BRANCHES_MAX */
    uint32_t entry : MCD_BRANCHES_MAX; /* bit i: end[first + i] leads away from this copy of the node */
} mcd_meeting;

enum { MCD_KNOWN_RING = MCD_BRANCHES_MAX, MCD_KNOWN_MEDIAN = MCD_KNOWN_RING + 3 };

/* Which roads an arc is at its ends: numbers from the first road of the junction; MCD_BRANCHES_MAX: none. And what routes
 * found there where no road is closed: most of them come by roads that others came by. */
typedef struct mcd_arc_ends {
    /* Bit i: a driver who comes by the arc and leaves by road i needs no instruction. The bits from these numbers on are
     * those of roundabouts.c and of collapse.c. */
    _Atomic uint32_t known;
    _Atomic uint16_t told; /* of turns.c: the last instruction that one needed, or 0 */
    uint8_t at_tail, at_head;
    float metres; /* its length, to half a percent */
} mcd_arc_ends;

typedef struct mcd_junctions {
    mcd_meeting *of_node; /* [node_count] */
    mcd_road_end *end;    /* [end_count] of each id by ascending bearing */
    mcd_arc_ends *of_arc; /* [arc_count] */
    mcd_signs signs;
    uint32_t end_count;
} mcd_junctions;

/* The map must have coordinates. Returns E_MEMORY. Time: two looks at every arc. */
macadam_status mcd_junctions_new(mcd_junctions *out, const mcd_roads *roads, const mcd_parallel *parallel,
                                 macadam_error *error);
/* Makes bits, by mcd_meeting.first, of the junctions at which some road is closed, and as many, by numbers of roads, for
 * roundabouts.c; the caller frees *out with mcd_free. */
macadam_status mcd_junctions_closed(_Atomic uint64_t **out, const mcd_junctions *junctions,
                                    const mcd_weights *weights, macadam_error *error);
/* Returns where a road leads, through nodes where only two roads meet: the first node at which more do, or none. */
mcd_node mcd_junctions_far(const mcd_junctions *junctions, const mcd_graph *graph, const mcd_road_end *end);
void mcd_junctions_free(mcd_junctions *junctions);

#endif
