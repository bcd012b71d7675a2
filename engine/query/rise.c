/* rise.c - see rise.h. */
#include "engine/query/rise.h"

#include "engine/base/memory.h"

int32_t mcd_rise_at(const mcd_query *query, const mcd_lanes *lanes, size_t place)
{
    const macadam_engine *const engine = query->engine;
    const int32_t *const potential = mcd_query_objective_potential(query);
    if (!potential) return 0;
    for (int i = 0; lanes->position && i < 2; ++i) {
        const uint32_t arc = lanes->position[place].arc[i];
        if (arc != MCD_ROAD_NONE)
            return mcd_road_potential(&engine->roads, mcd_road_tail(&engine->graph, arc), arc,
                                      lanes->position[place].before[i], potential);
    }
    const mcd_node node = mcd_lanes_at(lanes, mcd_lanes_first(lanes, place)).seed[0].node;
    return node == MCD_NODE_NONE ? 0 : potential[engine->places.node_place[node]];
}

macadam_status mcd_rise_new(mcd_rise *out, const mcd_query *query, const mcd_lanes *lanes,
                            macadam_error *error)
{
    *out = (mcd_rise){.potential = mcd_query_objective_potential(query),
                      .reverse = lanes->end == MCD_ARRIVE,
                      .least = UINT32_MAX};
    if (!out->potential) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->base, lanes->place_count, error));
    for (size_t i = 0; i < lanes->place_count; ++i)
        out->base[i] = mcd_rise_lift(0, mcd_rise_at(query, lanes, i), out->reverse);
    for (size_t i = 0; i < query->engine->places.id_count; ++i) {
        const uint32_t lift = mcd_rise_lift(0, out->potential[i], out->reverse);
        if (lift < out->least) out->least = lift;
    }
    return MACADAM_OK;
}

void mcd_rise_free(mcd_rise *rise)
{
    mcd_free(rise->base);
    rise->base = NULL;
}
