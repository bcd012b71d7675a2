/* guide.c - see guide.h. */
#include "engine/guide/guide.h"

/* Reads a junction. A leg that begins, ends or turns back within a road has only that road there. */
static inline macadam_status read_junction(mcd_guide *guide, size_t i, bool at_node, macadam_error *error)
{
    const mcd_roads *const roads = guide->source.roads;
    const mcd_guide_arc *const arc = guide->arc;
    const uint32_t from = i > 0 ? arc[i - 1].arc : MCD_ROAD_NONE,
                   to = i < guide->arc_count ? arc[i].arc : MCD_ROAD_NONE;
    mcd_maneuver *const maneuver = &guide->maneuver[i];
    mcd_junction *const junction = &maneuver->junction;
    *maneuver = (mcd_maneuver){.junction = {.in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE},
                               .kind = arc[i < guide->arc_count ? i : i - 1].kind};
    if (at_node) {
        /* or the copy from which departures lead along the arc */
        const mcd_node node =
            i > 0 ? arc[i - 1].head
                  : roads->places->depart[roads->places->node_place[mcd_road_tail(roads->graph, to)]];
        mcd_junction_read(junction, &guide->source, node, from, to);
        if (mcd_junction_may_close(&guide->source, node)) {
            mcd_road_end *room;
            MCD_TRY(MCD_ARENA_NEW(guide->arena, room, junction->count, error));
            mcd_junction_cut(junction, room, &guide->source, node);
        }
    } else if (from != MCD_ROAD_NONE) { /* the end of the leg says something else later */
        junction->before = mcd_bearing_before(roads, from);
        maneuver->type = MACADAM_MANEUVER_CONTINUE;
        maneuver->modifier = MACADAM_MODIFIER_UTURN;
        maneuver->told = maneuver->is_said = true;
    }
    if (junction->out != MCD_BRANCH_NONE)
        maneuver->after = junction->end[junction->out].bearing;
    else if (to != MCD_ROAD_NONE)
        maneuver->after = mcd_bearing_after(roads, to);
    return MACADAM_OK;
}

macadam_status mcd_guide_leg(mcd_guide *guide, bool starts, macadam_error *error)
{
    const size_t count = guide->arc_count;
    const mcd_junctions *const junctions = guide->source.junctions;
    MCD_TRY(MCD_ARENA_NEW(guide->arena, guide->maneuver, count + 1, error));
    for (size_t i = 0; i < count; ++i) /* the processor fetches them while it reads others */
        __builtin_prefetch(mcd_junctions_roads(junctions, &junctions->of_node[guide->arc[i].head]));
    for (size_t i = 0; i <= count; ++i)
        MCD_TRY(read_junction(guide, i, i == 0 ? starts : !guide->arc[i - 1].ends_within, error));
    guide->maneuver[0].told = guide->maneuver[count].told = true;
    guide->maneuver[0].type = MACADAM_MANEUVER_DEPART;
    guide->maneuver[count].type = MACADAM_MANEUVER_ARRIVE;
    mcd_guide_turns(guide);
    mcd_guide_roundabouts(guide);
    mcd_guide_relations(guide);
    mcd_guide_collapse(guide);
    mcd_guide_names(guide);
    return mcd_guide_lanes(guide, error);
}
