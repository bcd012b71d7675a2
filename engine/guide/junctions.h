/* junctions.h - the roads that meet at each id of a map, and their directions: read when a route first comes there. */
#ifndef MCD_ENGINE_GUIDE_JUNCTIONS_H
#define MCD_ENGINE_GUIDE_JUNCTIONS_H

#include "engine/guide/sign.h"

#include <pthread.h>

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
    _Atomic uint32_t first; /* end[first .. first + count): the roads of the node's id; 0: not read */
    uint32_t count : 8;     /* at most MCD_BRANCHES_MAX */
    uint32_t entry : MCD_BRANCHES_MAX; /* bit i: end[first + i] leads away from this copy of the node */
} mcd_meeting;

enum { MCD_KNOWN_RING = MCD_BRANCHES_MAX, MCD_KNOWN_MEDIAN = MCD_KNOWN_RING + 3 };

/* Which roads an arc is at its ends: 1 + numbers from the first road of the junction; 0: not looked up. And what routes
 * found there where no road is closed: most of them come by roads that others came by. */
typedef struct mcd_arc_ends {
    /* Bit i: a driver who comes by the arc and leaves by road i needs no instruction. The bits from these numbers on are
     * those of roundabouts.c and of collapse.c. */
    _Atomic uint32_t known;
    _Atomic uint16_t told; /* of turns.c: the last instruction that one needed, or 0 */
    _Atomic uint8_t at_tail, at_head;
    _Atomic float metres; /* its length, to half a percent; 0: not measured */
} mcd_arc_ends;

typedef struct mcd_junctions {
    const mcd_roads *roads;
    mcd_meeting *of_node;     /* [node_count] */
    mcd_arc_ends *of_arc;     /* [arc_count] */
    mcd_road_end *end;        /* from 1 on; of each id by ascending bearing */
    uint32_t end_count, room; /* how many there are, and how many there may be; under `lock` */
    pthread_mutex_t lock;
    mcd_signs signs;
} mcd_junctions;

/* The map must have coordinates. Returns E_MEMORY. Time: one look at every original. */
macadam_status mcd_junctions_new(mcd_junctions *out, const mcd_roads *roads, macadam_error *error);
/* Makes bits of the ids at which some road is closed, and after them a bit for each arc, for roundabouts.c; the caller frees
 * *out with mcd_free. */
macadam_status mcd_junctions_closed(_Atomic uint64_t **out, const mcd_roads *roads,
                                    const mcd_weights *weights, macadam_error *error);
/* Makes those of weights that differ in the arcs changed[0 .. count) from the weights of the bits `before`, likewise. An id whose
 * roads have all opened keeps its bit. */
macadam_status mcd_junctions_closed_next(_Atomic uint64_t **out, const _Atomic uint64_t *before,
                                         const mcd_roads *roads, const mcd_weights *weights,
                                         const uint32_t *changed, size_t count, macadam_error *error);

/* Read a junction, find which road there an arc is that leaves it or comes to it (MCD_BRANCHES_MAX: none), and measure an
 * arc. */
const mcd_meeting *mcd_junctions_read(mcd_junctions *junctions, mcd_node node);
uint8_t mcd_junctions_find(const mcd_junctions *junctions, const mcd_meeting *meeting, uint32_t arc,
                           bool leaves);
float mcd_junctions_measure(const mcd_junctions *junctions, uint32_t arc);

/* The same, but for what was read, found or measured before. */
static inline const mcd_meeting *mcd_junctions_at(mcd_junctions *junctions, mcd_node node)
{
    const mcd_meeting *const at = &junctions->of_node[node];
    return atomic_load_explicit(&at->first, memory_order_acquire) ? at : mcd_junctions_read(junctions, node);
}

static inline const mcd_road_end *mcd_junctions_roads(const mcd_junctions *junctions,
                                                      const mcd_meeting *meeting)
{
    return junctions->end + atomic_load_explicit(&meeting->first, memory_order_relaxed);
}

static inline uint8_t mcd_junctions_road(const mcd_junctions *junctions, const mcd_meeting *meeting,
                                         uint32_t arc, bool leaves)
{
    mcd_arc_ends *const ends = &junctions->of_arc[arc];
    const uint8_t known =
        atomic_load_explicit(leaves ? &ends->at_tail : &ends->at_head, memory_order_relaxed);
    return known ? known - 1 : mcd_junctions_find(junctions, meeting, arc, leaves);
}

static inline float mcd_junctions_metres(const mcd_junctions *junctions, uint32_t arc)
{
    const float known = atomic_load_explicit(&junctions->of_arc[arc].metres, memory_order_relaxed);
    return known != 0 ? known : mcd_junctions_measure(junctions, arc);
}

/* Returns where a road leads, through nodes where only two roads meet: the first node at which more do, or none. */
mcd_node mcd_junctions_far(mcd_junctions *junctions, const mcd_road_end *end);
void mcd_junctions_free(mcd_junctions *junctions);

#endif
