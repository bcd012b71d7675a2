/* road_shape.c - see road_shape.h. */
#include "engine/query/places/road_shape.h"

#include "engine/runtime/load.h"

size_t mcd_road_shape_point_count(const macadam_engine *engine, uint32_t arc)
{
    return engine->places.lon_e7 ? mcd_road_point_count(&engine->roads, arc) : 0;
}

macadam_status mcd_shape_new(mcd_shape *out, mcd_arena *arena, size_t capacity, macadam_error *error)
{
    *out = (mcd_shape){.capacity = capacity, .lengths.arc = MCD_ROAD_NONE};
    MCD_TRY(MCD_ARENA_NEW(arena, out->lon, capacity, error));
    return MCD_ARENA_NEW(arena, out->lat, capacity, error);
}

static void append_point(mcd_shape *shape, int32_t lon_e7, int32_t lat_e7)
{
    shape->lon[shape->count] = lon_e7 / 1e7;
    shape->lat[shape->count++] = lat_e7 / 1e7;
}

static void append_points(mcd_shape *shape, const macadam_engine *engine, uint32_t arc, mcd_node tail)
{
    const mcd_place_index *const places = &engine->places;
    if (!places->lon_e7) return;
    const mcd_arc_points inner = mcd_arc_shape(&engine->facts, arc);
    const mcd_node head = engine->graph.head[arc];
    const size_t count = 2 + inner.end - inner.first;
    assert(shape->count + count <= shape->capacity);
    for (size_t i = 0; shape->height_m && i < count; ++i)
        shape->height_m[shape->count + i] = mcd_road_height(&engine->roads, tail, arc, i) / 10.0;
    append_point(shape, places->lon_e7[tail], places->lat_e7[tail]);
    for (uint64_t i = inner.first; i < inner.end; ++i)
        append_point(shape, engine->facts.shape_lon_e7[i], engine->facts.shape_lat_e7[i]);
    append_point(shape, places->lon_e7[head], places->lat_e7[head]);
}

macadam_road mcd_road_shape_describe(const macadam_engine *engine, uint32_t arc, mcd_node tail, uint64_t from,
                                     uint64_t to, mcd_shape *shape)
{
    const mcd_arc_facts *facts = &engine->facts;
    macadam_road road = {
        .tail = mcd_place_id_of(&engine->places, tail),
        .head = mcd_place_id_of(&engine->places, engine->graph.head[arc]),
        .arc = mcd_arc_number(facts, arc),
        .way = mcd_arc_way(facts, arc),
        .name = mcd_arc_name(facts, arc),
        .facts = engine->road_facts ? mcd_engine_road_facts(engine, mcd_arc_kind(facts, arc)) : NULL,
        .first_shape = shape->count,
    };
    if (from == 0 && to == MCD_ROAD_WHOLE)
        append_points(shape, engine, arc, tail);
    else if (engine->places.lon_e7) {
        assert(shape->count + mcd_road_shape_point_count(engine, arc) <= shape->capacity);
        shape->count +=
            mcd_road_cut(&engine->roads, arc, from, to, shape->lon + shape->count, shape->lat + shape->count,
                         shape->height_m ? shape->height_m + shape->count : NULL, &shape->lengths);
    }
    road.end_shape = shape->count;
    return road;
}
