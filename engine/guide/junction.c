/* junction.c - see junction.h. What one may enter follows from the copy of the node at which the route
 * arrives. */
#include "engine/guide/junction.h"
#include "engine/guide/bearing.h"

static bool is_open(const mcd_junction_source *source, uint32_t arc)
{
    return arc != MCD_ROAD_NONE && (!source->weights || mcd_arc_is_open(source->weights, arc));
}

/* Marks the roads that leave a copy of the node from which fewer roads may lead than from the node itself. */
static void mark_entries(mcd_junction *out, const mcd_junction_source *source, mcd_node node)
{
    const mcd_graph *const graph = source->roads->graph;
    for (uint32_t i = 0; i < out->count; ++i) out->branch[i].entry = false;
    for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc) {
        const uint32_t original = mcd_arc_original(source->roads->facts, (uint32_t)arc);
        for (uint32_t i = 0; i < out->count && original != MCD_ROAD_NONE; ++i)
            if (out->branch[i].end.original == original)
                out->branch[i].entry = is_open(source, (uint32_t)arc);
    }
}

static uint32_t original_of(const mcd_junction_source *source, uint32_t arc)
{
    return arc != MCD_ROAD_NONE ? mcd_arc_original(source->roads->facts, arc) : MCD_ROAD_NONE;
}

static void add_roads(mcd_junction *out, const mcd_junction_source *source, size_t id, uint32_t from,
                      uint32_t to)
{
    const mcd_junctions *const junctions = source->junctions;
    const uint32_t original_from = original_of(source, from), original_to = original_of(source, to);
    for (uint32_t i = junctions->first[id]; i < junctions->first[id + 1]; ++i) {
        const mcd_road_end *const end = &junctions->end[i];
        const bool leads_away = is_open(source, end->arc);
        if (!leads_away && !is_open(source, end->back)) continue;
        if (from != MCD_ROAD_NONE && end->original_back == original_from) out->in = out->count;
        if (to != MCD_ROAD_NONE && end->original == original_to) out->out = out->count;
        out->branch[out->count++] = (mcd_branch){.end = *end, .entry = leads_away};
    }
}

static mcd_node node_between(const mcd_graph *graph, uint32_t from, uint32_t to)
{
    return from != MCD_ROAD_NONE ? graph->head[from] : mcd_road_tail(graph, to);
}

uint32_t mcd_junction_size(const mcd_junction_source *source, uint32_t from, uint32_t to)
{
    const mcd_junctions *const junctions = source->junctions;
    const mcd_node node = node_between(source->roads->graph, from, to);
    const size_t id = junctions->of_node[node];
    const uint32_t first = junctions->first[id], end = junctions->first[id + 1];
    __builtin_prefetch(&junctions->end[first]);
    if (end > first) __builtin_prefetch(&junctions->end[end - 1]);
    __builtin_prefetch(&source->roads->graph->first_out[node]);
    __builtin_prefetch(&source->roads->places->depart[id]);
    return end - first;
}

void mcd_junction_read(mcd_junction *out, mcd_branch *branch, const mcd_junction_source *source,
                       uint32_t from, uint32_t to)
{
    const mcd_roads *const roads = source->roads;
    *out = (mcd_junction){.branch = branch, .in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE};
    const mcd_node node = node_between(roads->graph, from, to);
    const size_t id = source->junctions->of_node[node];
    add_roads(out, source, id, from, to);
    if (from == MCD_ROAD_NONE) return;
    if (node != roads->places->depart[id]) mark_entries(out, source, node);
    const double before =
        out->in != MCD_BRANCH_NONE ? branch[out->in].end.bearing + 180 : mcd_bearing_before(roads, from);
    for (uint32_t i = 0; i < out->count; ++i) branch[i].turn = (float)mcd_turn(before, branch[i].end.bearing);
}
