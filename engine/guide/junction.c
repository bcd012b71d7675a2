/* junction.c - see junction.h. What one may enter follows from the copy of the node at which the route
 * arrives. */
#include "engine/guide/junction.h"

static bool is_open(const mcd_junction_source *source, uint32_t arc)
{
    return arc != MCD_ROAD_NONE && mcd_arc_is_open(source->weights, arc);
}

/* Returns the roads by which one leaves who is at a copy of the node. */
static uint32_t open_entries(const mcd_junction_source *source, mcd_node node)
{
    const mcd_graph *const graph = source->roads->graph;
    uint32_t entry = 0;
    for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc)
        if (is_open(source, (uint32_t)arc)) entry |= UINT32_C(1) << source->junctions->of_arc[arc].at_tail;
    return entry;
}

/* Leaves out the roads that are closed. */
static void keep_open(mcd_junction *junction, mcd_road_end *room, const mcd_junction_source *source,
                      mcd_node node)
{
    const mcd_junction all = *junction;
    const uint32_t entry = open_entries(source, node);
    *junction = (mcd_junction){.end = room, .in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE};
    for (uint32_t i = 0; i < all.count; ++i) {
        if (!is_open(source, all.end[i].arc) && !is_open(source, all.end[i].back)) continue;
        if (i == all.in) junction->in = junction->count;
        if (i == all.out) junction->out = junction->count;
        junction->entry |= (entry >> i & 1) << junction->count;
        room[junction->count++] = all.end[i];
    }
}

/* Returns the copy at which the route arrives; where it begins, the one from which departures lead. */
static mcd_node node_between(const mcd_roads *roads, uint32_t from, uint32_t to)
{
    if (from != MCD_ROAD_NONE) return roads->graph->head[from];
    return roads->places->depart[roads->places->node_place[mcd_road_tail(roads->graph, to)]];
}

/* Returns which road of its junction an arc is, given by its number there. */
static uint32_t branch_of(uint8_t number)
{
    return number < MCD_BRANCHES_MAX ? number : MCD_BRANCH_NONE;
}

void mcd_junction_read(mcd_junction *out, mcd_road_end *room, const mcd_junction_source *source,
                       uint32_t from, uint32_t to)
{
    const mcd_junctions *const junctions = source->junctions;
    const mcd_node node = node_between(source->roads, from, to);
    const mcd_meeting *const meeting = &junctions->of_node[node];
    out->end = junctions->end + meeting->first;
    out->count = meeting->count;
    out->entry = meeting->entry;
    out->in = from != MCD_ROAD_NONE ? branch_of(junctions->of_arc[from].at_head) : MCD_BRANCH_NONE;
    out->out = to != MCD_ROAD_NONE ? branch_of(junctions->of_arc[to].at_tail) : MCD_BRANCH_NONE;
    out->before = 0;
    if (mcd_junction_may_close(source, meeting)) keep_open(out, room, source, node);
    if (out->in != MCD_BRANCH_NONE)
        out->before = out->end[out->in].bearing + 180;
    else if (from != MCD_ROAD_NONE)
        out->before = mcd_bearing_before(source->roads, from);
    if (out->before >= 360) out->before -= 360;
}
