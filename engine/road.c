/* road.c - see road.h. */
#include "engine/road.h"

size_t mcd_road_points(const macadam_engine *engine, uint32_t arc)
{
    const uint64_t *first_shape = engine->facts.first_shape;
    if (!engine->places.lon_e7) return 0;
    return 2 + (first_shape ? first_shape[arc + 1] - first_shape[arc] : 0);
}

macadam_status mcd_shape_new(mcd_shape *out, mcd_arena *arena, size_t capacity, macadam_error *error)
{
    *out = (mcd_shape){.capacity = capacity};
    MCD_TRY(MCD_ARENA_NEW(arena, out->lon, capacity, error));
    return MCD_ARENA_NEW(arena, out->lat, capacity, error);
}

static void append_point(mcd_shape *shape, int32_t lon_e7, int32_t lat_e7)
{
    assert(shape->count < shape->capacity);
    shape->lon[shape->count] = lon_e7 / 1e7;
    shape->lat[shape->count++] = lat_e7 / 1e7;
}

static void append_points(const macadam_engine *engine, uint32_t arc, mcd_node tail, mcd_shape *shape)
{
    const mcd_place_index *places = &engine->places;
    const mcd_arc_facts *facts = &engine->facts;
    const mcd_node head = engine->graph.head[arc];
    append_point(shape, places->lon_e7[tail], places->lat_e7[tail]);
    for (uint64_t i = facts->first_shape ? facts->first_shape[arc] : 0;
         facts->first_shape && i < facts->first_shape[arc + 1]; ++i)
        append_point(shape, facts->shape_lon_e7[i], facts->shape_lat_e7[i]);
    append_point(shape, places->lon_e7[head], places->lat_e7[head]);
}

macadam_road mcd_road_describe(const macadam_engine *engine, uint32_t arc, mcd_node tail, mcd_shape *shape)
{
    const mcd_arc_facts *facts = &engine->facts;
    macadam_road road = {
        .tail = engine->places.node_id[tail],
        .head = engine->places.node_id[engine->graph.head[arc]],
        .arc = facts->arc_number[arc],
        .way = facts->arc_way ? facts->arc_way[arc] : 0,
        .name = facts->arc_name ? facts->names + facts->arc_name[arc] : "",
        .first_shape = shape->count,
    };
    if (engine->places.lon_e7) append_points(engine, arc, tail, shape);
    road.last_shape = shape->count;
    return road;
}
