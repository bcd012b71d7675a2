/* engine_arcs.c - see engine_arcs.h. */
#include "tests/support/engine_arcs.h"

#include "engine/runtime/engine.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"

/* Makes the engine load the names of roads. */
static void load_roads(macadam_engine *engine)
{
    const macadam_place nowhere = {.kind = MACADAM_PLACE_POINT};
    macadam_snap snap;
    FIXTURE_CALL(macadam_snap_find, &snap, engine, NULL, &nowhere, 1);
}

size_t engine_arcs(macadam_engine *engine, engine_arc **out)
{
    load_roads(engine);
    const mcd_graph *graph = &engine->graph;
    const mcd_arc_facts *facts = &engine->facts;
    size_t count = 0;
    *out = checked_allocate(graph->arc_count, sizeof **out);
    for (mcd_node tail = 0; tail < graph->node_count; ++tail)
        for (mcd_arc arc = graph->first_out[tail]; arc < graph->first_out[tail + 1]; ++arc) {
            if (!mcd_road_departs(&engine->roads, tail, (uint32_t)arc)) continue;
            const mcd_point second = mcd_road_point(&engine->roads, tail, (uint32_t)arc, 1);
            (*out)[count++] = (engine_arc){mcd_arc_number(facts, (uint32_t)arc),
                                           mcd_arc_way(facts, (uint32_t)arc),
                                           mcd_place_id_of(&engine->places, tail),
                                           mcd_place_id_of(&engine->places, graph->head[arc]),
                                           second.lon_e7,
                                           second.lat_e7};
        }
    return count;
}

void engine_positions(macadam_engine *engine, const macadam_place *place, size_t count, bool nearest,
                      engine_position *out)
{
    load_roads(engine);
    FREED mcd_position *position = checked_allocate(count, sizeof *position);
    const mcd_locator locator = {.places = &engine->places,
                                 .roads = &engine->roads,
                                 .snap = &engine->snap,
                                 .any_component = nearest,
                                 .drives_left = engine->metadata->drives_left};
    mcd_locate(&locator, &engine->parallel, &(mcd_locate_list){place, count, position, {0}}, 1, NULL);
    for (size_t p = 0; p < count; ++p) {
        const size_t id = position[p].id;
        out[p] = (engine_position){.junction = id == MCD_PLACE_NONE ? 0 : engine->places.id[id]};
        for (int i = 0; i < 2; ++i) {
            const uint32_t arc = position[p].arc[i];
            out[p].number[i] = arc == MCD_ROAD_NONE ? 0 : mcd_arc_number(&engine->facts, arc);
            out[p].before[i] = position[p].before[i];
        }
    }
}
