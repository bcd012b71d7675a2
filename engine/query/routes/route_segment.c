/* route_segment.c - see route_segment.h. */
#include "engine/query/routes/route_segment.h"

enum { E7 = 10000000 };

/* The segments of a route while they are appended. */
typedef struct segment_writer {
    const mcd_query *query;
    const macadam_route *route;
    macadam_segment *segment;
    size_t count;
} segment_writer;

static double length_at(const macadam_route *route, size_t i)
{
    const mcd_point from = {(int32_t)lrint(route->lon[i] * E7), (int32_t)lrint(route->lat[i] * E7)};
    const mcd_point to = {(int32_t)lrint(route->lon[i + 1] * E7), (int32_t)lrint(route->lat[i + 1] * E7)};
    return mcd_road_length(from, to);
}

/* Divides the costs of an arc among its `count` segments, whose lengths are set. */
static void divide(const segment_writer *writer, const macadam_route_arc *arc, macadam_segment *segment,
                   size_t count)
{
    double whole = 0, until = 0;
    int64_t spent[MACADAM_QUANTITIES_MAX] = {0};
    for (size_t i = 0; i < count; ++i) whole += segment[i].length_m;
    for (size_t i = 0; i < count; ++i) {
        until += segment[i].length_m;
        const double share = i + 1 == count ? 1 : whole > 0 ? until / whole : 0;
        segment[i].speed_kmh = NAN;
        for (size_t q = 0; q < writer->query->quantity_count; ++q) {
            const int64_t value = macadam_cost(arc->value[q], writer->query->potential[q]),
                          cost = llround(share * (double)value);
            segment[i].value[q] = (uint32_t)(cost - spent[q]);
            spent[q] = cost;
            if (writer->query->is_duration[q] && value > 0)
                segment[i].speed_kmh = 3600 * whole / (double)value;
        }
    }
}

static void append_arc(segment_writer *writer, size_t index, macadam_route_arc *arc, uint32_t file_arc)
{
    const mcd_roads *const roads = &writer->query->engine->roads;
    const mcd_arc_facts *const facts = &writer->query->engine->facts;
    const size_t count = arc->end_shape - arc->first_shape - 1;
    macadam_segment *const segment = writer->segment + writer->count;
    const uint64_t from = (uint64_t)(arc->from * MCD_ROAD_WHOLE);
    const size_t piece =
        from ? mcd_road_piece(roads, mcd_road_tail(roads->graph, file_arc), file_arc, from) : 0;
    arc->first_segment = writer->count;
    for (size_t i = 0; i < count; ++i)
        segment[i] =
            (macadam_segment){.arc = index,
                              .from = mcd_arc_point_id(facts, file_arc, piece + i, arc->tail, arc->head),
                              .to = mcd_arc_point_id(facts, file_arc, piece + i + 1, arc->tail, arc->head),
                              .length_m = length_at(writer->route, arc->first_shape + i)};
    divide(writer, arc, segment, count);
    writer->count += count;
}

macadam_status mcd_route_segments_new(macadam_route *route, macadam_route_arc *arc, const uint32_t *file_arc,
                                      const mcd_query *query, mcd_arena *arena, macadam_error *error)
{
    segment_writer writer = {.query = query, .route = route};
    MCD_TRY(MCD_ARENA_NEW(arena, writer.segment, route->shape_count - route->arc_count, error));
    for (size_t i = 0; i < route->arc_count; ++i) append_arc(&writer, i, &arc[i], file_arc[i]);
    route->segment = writer.segment;
    route->segment_count = writer.count;
    return MACADAM_OK;
}
