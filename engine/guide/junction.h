/* junction.h - the roads that meet where a route passes, as one who arrives sees them. */
#ifndef MCD_ENGINE_GUIDE_JUNCTION_H
#define MCD_ENGINE_GUIDE_JUNCTION_H

#include "engine/guide/bearing.h"
#include "engine/guide/junctions.h"

enum { MCD_BRANCH_NONE = MCD_BRANCHES_MAX };

typedef struct mcd_junction {
    const mcd_road_end *end; /* [count] by ascending bearing */
    double before;           /* the direction of travel on arrival, in degrees: 0 to 360 */
    uint32_t entry;          /* bit i: one who arrives as the route does may leave by end[i] */
    uint8_t count, in, out;  /* which of them the route comes and goes by, or MCD_BRANCH_NONE */
    bool is_cut;             /* roads may be missing that are closed */
} mcd_junction;

/* The arrays from which junctions are read. */
typedef struct mcd_junction_source {
    const mcd_roads *roads;
    mcd_junctions *junctions;
    const mcd_weights *weights; /* say which arcs are open; NULL: all are */
    _Atomic uint64_t *closed; /* of these weights, from mcd_junctions_closed; NULL: any road may be closed */
} mcd_junction_source;

/* Returns whether a road may be closed there. */
static inline bool mcd_junction_may_close(const mcd_junction_source *source, mcd_node node)
{
    const uint32_t bit = source->roads->places->node_place[node];
    if (!source->weights || !source->closed) return source->weights;
    return atomic_load_explicit(&source->closed[bit / 64], memory_order_relaxed) >> bit % 64 & 1;
}

/* Leaves out the roads that are closed, where one arrives at `node`: the others are then in `room`, which has room for
 * all. */
void mcd_junction_cut(mcd_junction *junction, mcd_road_end *room, const mcd_junction_source *source,
                      mcd_node node);

/* Reads the junction at `node`, the copy at which a route arrives by the arc `from`; `to` is the arc by which it goes on.
 * Either may be MCD_ROAD_NONE. All roads are there, open or not. The rest of *out is zeroed. */
static inline void mcd_junction_read(mcd_junction *out, const mcd_junction_source *source, mcd_node node,
                                     uint32_t from, uint32_t to)
{
    mcd_junctions *const junctions = source->junctions;
    const mcd_meeting *const meeting = mcd_junctions_at(junctions, node);
    out->end = mcd_junctions_roads(junctions, meeting);
    out->count = meeting->count;
    out->entry = meeting->entry;
    out->in = from != MCD_ROAD_NONE ? mcd_junctions_road(junctions, meeting, from, false) : MCD_BRANCH_NONE;
    out->out = to != MCD_ROAD_NONE ? mcd_junctions_road(junctions, meeting, to, true) : MCD_BRANCH_NONE;
    if (out->in != MCD_BRANCH_NONE)
        out->before = out->end[out->in].bearing + 180;
    else if (from != MCD_ROAD_NONE)
        out->before = mcd_bearing_before(source->roads, from);
    if (out->before >= 360) out->before -= 360;
}

#endif
