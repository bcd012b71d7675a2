/* junction.c - see junction.h. What one may enter follows from the copy of the node at which the route
 * arrives. */
#include "engine/guide/junction.h"
#include "engine/guide/bearing.h"

static bool is_open(const mcd_junction_source *source, uint32_t arc)
{
    return arc != MCD_ROAD_NONE && source->objective[arc] <= MCD_WEIGHT_MAX;
}

static bool is_same(const mcd_junction_source *source, uint32_t arc, uint32_t other)
{
    const mcd_arc_facts *const facts = source->roads->facts;
    return arc != MCD_ROAD_NONE && mcd_arc_number(facts, arc) == mcd_arc_number(facts, other);
}

/* Marks the roads that leave the copy at which one arrives. */
static void mark_entries(mcd_junction *out, const mcd_junction_source *source, mcd_node node)
{
    const mcd_graph *const graph = source->roads->graph;
    for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc)
        for (uint32_t i = 0; i < out->count; ++i)
            if (is_same(source, out->branch[i].end.arc, (uint32_t)arc)) out->branch[i].entry = true;
}

static void add_roads(mcd_junction *out, const mcd_junction_source *source, size_t id, uint32_t from,
                      uint32_t to)
{
    const mcd_junctions *const junctions = source->junctions;
    for (uint32_t i = junctions->first[id]; i < junctions->first[id + 1]; ++i) {
        const mcd_road_end *const end = &junctions->end[i];
        if (!is_open(source, end->arc) && !is_open(source, end->back)) continue;
        if (from != MCD_ROAD_NONE && is_same(source, end->back, from)) out->in = out->count;
        if (to != MCD_ROAD_NONE && is_same(source, end->arc, to)) out->out = out->count;
        out->branch[out->count++] = (mcd_branch){.end = *end};
    }
}

void mcd_junction_read(mcd_junction *out, mcd_branch branch[MCD_BRANCHES_MAX],
                       const mcd_junction_source *source, uint32_t from, uint32_t to)
{
    const mcd_roads *const roads = source->roads;
    *out = (mcd_junction){.branch = branch, .in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE};
    const mcd_node node = from != MCD_ROAD_NONE ? roads->graph->head[from] : mcd_road_tail(roads->graph, to);
    const size_t id = source->junctions->of_node[node];
    add_roads(out, source, id, from, to);
    mark_entries(out, source, from != MCD_ROAD_NONE ? node : roads->places->depart[id]);
    if (from == MCD_ROAD_NONE) return;
    const double before =
        out->in != MCD_BRANCH_NONE ? branch[out->in].end.bearing + 180 : mcd_bearing_before(roads, from);
    for (uint32_t i = 0; i < out->count; ++i) branch[i].turn = (float)mcd_turn(before, branch[i].end.bearing);
}
