/* junction.c - see junction.h. What one may enter follows from the copy of the node at which the route
 * arrives. */
#include "engine/guide/junction.h"

static bool is_open(const mcd_junction_source *source, uint32_t arc)
{
    return arc != MCD_ROAD_NONE && mcd_arc_is_open(source->weights, arc);
}

/* Returns the roads by which one leaves who is at a copy of the node. */
static uint32_t open_entries(const mcd_junction *junction, const mcd_junction_source *source, mcd_node node)
{
    const mcd_graph *const graph = source->roads->graph;
    uint32_t entry = 0;
    for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc)
        if (is_open(source, (uint32_t)arc))
            entry |= mcd_road_ends_find(junction->end, junction->count,
                                        mcd_arc_original(source->roads->facts, (uint32_t)arc));
    return entry;
}

/* Leaves out the roads that are closed. */
static void keep_open(mcd_junction *junction, mcd_road_end *room, const mcd_junction_source *source)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < junction->count; ++i)
        if (is_open(source, junction->end[i].arc) || is_open(source, junction->end[i].back))
            room[count++] = junction->end[i];
    junction->end = room;
    junction->count = count;
}

/* Returns the copy at which the route arrives; where it begins, the one from which departures lead. */
static mcd_node node_between(const mcd_roads *roads, uint32_t from, uint32_t to)
{
    if (from != MCD_ROAD_NONE) return roads->graph->head[from];
    return roads->places->depart[roads->places->node_place[mcd_road_tail(roads->graph, to)]];
}

/* Returns whether a road may be closed there. */
static bool may_be_closed(const mcd_junction_source *source, const mcd_meeting *meeting)
{
    if (!source->weights) return false;
    return !source->closed || source->closed[meeting->first / 64] >> meeting->first % 64 & 1;
}

uint32_t mcd_junction_room(const mcd_junction_source *source, uint32_t from, uint32_t to)
{
    const mcd_meeting *const meeting = &source->junctions->of_node[node_between(source->roads, from, to)];
    const mcd_road_end *const end = source->junctions->end + meeting->first;
    __builtin_prefetch(end);
    __builtin_prefetch(end + 2);
    return may_be_closed(source, meeting) ? meeting->count : 0;
}

void mcd_junction_read(mcd_junction *out, mcd_road_end *room, const mcd_junction_source *source,
                       uint32_t from, uint32_t to)
{
    const mcd_roads *const roads = source->roads;
    const mcd_node node = node_between(roads, from, to);
    const mcd_meeting *const meeting = &source->junctions->of_node[node];
    mcd_junction junction = {.end = source->junctions->end + meeting->first,
                             .count = meeting->count,
                             .in = MCD_BRANCH_NONE,
                             .out = MCD_BRANCH_NONE,
                             .entry = meeting->entry};
    const bool is_cut = may_be_closed(source, meeting);
    if (is_cut) keep_open(&junction, room, source);
    if (is_cut) junction.entry = open_entries(&junction, source, node);
    const uint32_t original_from = from != MCD_ROAD_NONE ? mcd_arc_original(roads->facts, from) : from,
                   original_to = to != MCD_ROAD_NONE ? mcd_arc_original(roads->facts, to) : to;
    for (uint32_t i = 0; i < junction.count; ++i) {
        if (from != MCD_ROAD_NONE && junction.end[i].original_back == original_from) junction.in = i;
        if (to != MCD_ROAD_NONE && junction.end[i].original == original_to) junction.out = i;
    }
    if (from != MCD_ROAD_NONE)
        junction.before = junction.in != MCD_BRANCH_NONE ? junction.end[junction.in].bearing + 180
                                                         : mcd_bearing_before(roads, from);
    *out = junction;
}
