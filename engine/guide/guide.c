/* guide.c - see guide.h. */
#include "engine/guide/guide.h"

#include <string.h>

double mcd_guide_metres(const mcd_guide *guide, size_t first, size_t end)
{
    const mcd_roads *const roads = guide->source.roads;
    double sum = 0;
    for (size_t i = first; i < end && sum <= MCD_GUIDE_NEAR_M; ++i) {
        const uint32_t arc = guide->arc[i].arc;
        const mcd_node tail =
            i > 0 ? roads->graph->head[guide->arc[i - 1].arc] /* or a copy, at the same place */
                  : mcd_road_tail(roads->graph, arc);
        sum += mcd_arc_metres(roads, tail, arc) * guide->arc[i].share;
    }
    return sum;
}

static uint32_t from_of(const mcd_guide *guide, size_t i)
{
    return i > 0 ? guide->arc[i - 1].arc : MCD_ROAD_NONE;
}

static uint32_t to_of(const mcd_guide *guide, size_t i)
{
    return i < guide->arc_count ? guide->arc[i].arc : MCD_ROAD_NONE;
}

/* Reads a junction. A leg that begins or ends within a road has only that road there. */
static void read_junction(mcd_guide *guide, size_t i, bool at_node, mcd_road_end *room)
{
    mcd_maneuver *const maneuver = &guide->maneuver[i];
    const uint32_t from = from_of(guide, i), to = to_of(guide, i);
    mcd_junction *const junction = &maneuver->junction;
    *junction = (mcd_junction){.in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE};
    if (at_node)
        mcd_junction_read(junction, room, &guide->source, from, to);
    else if (from != MCD_ROAD_NONE)
        junction->before = mcd_bearing_before(guide->source.roads, from);
    maneuver->before = junction->before < 360 ? junction->before : junction->before - 360;
    if (junction->out != MCD_BRANCH_NONE)
        maneuver->after = junction->end[junction->out].bearing;
    else if (to != MCD_ROAD_NONE)
        maneuver->after = mcd_bearing_after(guide->source.roads, to);
}

static macadam_status read_junctions(mcd_guide *guide, bool starts, bool ends, macadam_error *error)
{
    const size_t count = guide->arc_count;
    mcd_road_end *room;
    size_t size = 0;
    for (size_t i = 0; i <= count; ++i)
        size += mcd_junction_room(&guide->source, from_of(guide, i), to_of(guide, i));
    MCD_TRY(MCD_ARENA_NEW(guide->arena, room, size, error));
    memset(guide->maneuver, 0, (count + 1) * sizeof *guide->maneuver);
    for (size_t i = 0; i <= count; ++i) {
        read_junction(guide, i, i == 0 ? starts : i == count ? ends : true, room);
        if (guide->maneuver[i].junction.end == room) room += guide->maneuver[i].junction.count;
    }
    return MACADAM_OK;
}

macadam_status mcd_guide_leg(mcd_guide *guide, bool starts, bool ends, macadam_error *error)
{
    const size_t count = guide->arc_count;
    MCD_TRY(MCD_ARENA_NEW(guide->arena, guide->maneuver, count + 1, error));
    MCD_TRY(read_junctions(guide, starts, ends, error));
    guide->maneuver[0].told = guide->maneuver[count].told = true;
    guide->maneuver[0].type = MACADAM_MANEUVER_DEPART;
    guide->maneuver[count].type = MACADAM_MANEUVER_ARRIVE;
    guide->maneuver[0].kind = guide->arc[0].kind;
    guide->maneuver[count].kind = guide->arc[count - 1].kind;
    mcd_guide_turns(guide);
    mcd_guide_roundabouts(guide);
    mcd_guide_collapse(guide);
    return mcd_guide_lanes(guide, error);
}
