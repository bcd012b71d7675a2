/* junction.c - see junction.h. The roads that may be entered follow from the copy of the node at which the
 * route arrives. */
#include "engine/guide/junction.h"

static bool is_open(const mcd_junction_source *source, uint32_t arc)
{
    return arc != MCD_ROAD_NONE && mcd_arc_is_open(source->weights, arc);
}

void mcd_junction_cut(mcd_junction *junction, mcd_road_end *room, const mcd_junction_source *source,
                      mcd_node node)
{
    const mcd_junction all = *junction;
    /* The roads by which one leaves who is at a copy of the node. */
    const mcd_graph *const graph = source->roads->graph;
    const mcd_meeting *const meeting = mcd_junctions_at(source->junctions, node);
    uint32_t entry = 0;
    for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc)
        if (is_open(source, (uint32_t)arc))
            entry |= UINT32_C(1) << mcd_junctions_road(source->junctions, meeting, (uint32_t)arc, true);
    *junction = (mcd_junction){
        .end = room, .in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE, .is_cut = true, .before = all.before};
    for (uint32_t i = 0; i < all.count; ++i) {
        /* The route's own roads stay: it may use copies of their arcs that are open where these are not. */
        const bool stays = i == all.in || i == all.out || is_open(source, all.end[i].arc);
        if (!stays && !is_open(source, all.end[i].back)) continue;
        if (i == all.in) junction->in = junction->count;
        if (i == all.out) junction->out = junction->count;
        junction->entry |= (entry >> i & 1) << junction->count;
        room[junction->count++] = all.end[i];
    }
}
