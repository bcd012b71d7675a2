/* route_writer.c - see route_writer.h. */
#include "engine/query/routes/route_writer.h"

/* The wait before one arrives at a split node counts with the arc that leads there. */
static void add_arrival(mcd_route_writer *writer, const mcd_road_part *part)
{
    if (writer->route->arc_count == 0) return;
    macadam_route_arc *const last = &writer->arc[writer->route->arc_count - 1];
    for (size_t q = 0; q < writer->query->quantity_count; ++q) {
        const mcd_weight wait = writer->query->is_companion[q] ? part->companion : part->objective;
        last->value[q] += wait;
        last->price[q] += (int32_t)wait;
    }
}

/* Returns what a part of an arc from `tail` costs in a quantity that has potentials. */
static uint32_t signed_cost(const mcd_route_writer *writer, mcd_node tail, const mcd_road_part *part,
                            size_t q, uint32_t cost)
{
    const mcd_roads *const roads = &writer->query->engine->roads;
    const int32_t *const of_id = writer->query->potential[q];
    const int64_t from = mcd_road_potential(roads, tail, part->arc, part->from, of_id),
                  to = mcd_road_potential(roads, tail, part->arc, part->to, of_id);
    return mcd_signed_cost(cost, to - from);
}

/* Makes one part of `part` and of the part before it, which is taken back, if the route goes on along the same road. */
static void join_part(mcd_route_writer *writer, mcd_road_part *part)
{
    const mcd_arc_facts *const facts = &writer->query->engine->facts;
    const mcd_road_part *const last = &writer->last; /* may be on a copy of the arc */
    if (!writer->goes_on || writer->route->arc_count == 0 || last->to != part->from ||
        mcd_arc_number(facts, last->arc) != mcd_arc_number(facts, part->arc)) {
        writer->entered = part->arc;
        return;
    }
    part->from = last->from;
    part->objective += last->objective;
    part->companion += last->companion;
    writer->shape.count = writer->arc[--writer->route->arc_count].first_shape;
}

/* Appends an arc from `tail`, or a part of it. Arcs that join copies of split nodes are not roads and are
 * skipped. */
static void append_part(mcd_route_writer *writer, mcd_node tail, const mcd_road_part *given)
{
    const macadam_engine *engine = writer->query->engine;
    mcd_road_part own = *given, *const part = &own;
    if (writer->total) mcd_route_total_add(writer->total, tail, part);
    if (!mcd_arc_is_road(engine, part->arc)) {
        add_arrival(writer, part);
        return;
    }
    join_part(writer, part);
    writer->last = *part;
    writer->goes_on = false;
    const macadam_road road =
        mcd_road_shape_describe(engine, part->arc, tail, part->from, part->to, &writer->shape);
    writer->file_arc[writer->route->arc_count] = part->arc;
    macadam_route_arc *out = &writer->arc[writer->route->arc_count++];
    *out = (macadam_route_arc){
        .tail = road.tail,
        .head = road.head,
        .arc = road.arc,
        .way = road.way,
        .name = road.name,
        .facts = road.facts,
        .first_shape = road.first_shape,
        .end_shape = road.end_shape,
        .from = (double)part->from / MCD_ROAD_WHOLE,
        .to = (double)part->to / MCD_ROAD_WHOLE,
    };
    const mcd_weights *const weights = writer->query->weights;
    const uint32_t original = mcd_road_original(&engine->roads, tail, part->arc);
    const mcd_clock_arcs *const clock = writer->query->timing.arcs;
    const mcd_clock_arc *const timed = clock ? &clock->arc[MCD_FORWARD][writer->entered] : NULL;
    for (size_t q = 0; q < writer->query->quantity_count; ++q) {
        const bool is_companion = writer->query->is_companion[q];
        const mcd_weight weight = (is_companion ? weights->companion : weights->objective)[original],
                         cost = is_companion ? part->companion : part->objective;
        out->value[q] = writer->query->potential[q] ? signed_cost(writer, tail, part, q, cost) : cost;
        out->price[q] = (int32_t)(cost - mcd_road_share(weight, part->from, part->to));
        if (timed && timed->pattern && !is_companion)
            out->price[q] = part->from == 0 ? (int32_t)timed->price : 0;
    }
}

void mcd_route_writer_end(mcd_route_writer *writer, const mcd_road_part *part)
{
    if (part->arc == MCD_ROAD_NONE) return;
    append_part(writer, mcd_road_tail(&writer->query->engine->graph, part->arc), part);
}

void mcd_route_writer_path(mcd_route_writer *writer, const mcd_path *path, const mcd_weight *duration)
{
    const mcd_graph *graph = &writer->query->engine->graph;
    const mcd_weights *weights = writer->query->weights;
    mcd_node tail = path->count > 0 ? mcd_road_tail(graph, path->arc[0]) : MCD_NODE_NONE;
    for (size_t i = 0; i < path->count; tail = graph->head[path->arc[i++]]) {
        const uint32_t arc = path->arc[i];
        const mcd_road_part whole = {arc, duration ? duration[i] : weights->objective[arc],
                                     weights->companion ? weights->companion[arc] : 0, 0, MCD_ROAD_WHOLE};
        append_part(writer, tail, &whole);
    }
}
