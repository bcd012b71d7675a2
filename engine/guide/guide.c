/* guide.c - see guide.h. */
#include "engine/guide/guide.h"

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
    *maneuver = (mcd_maneuver){.junction = {.in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE}};
    if (at_node)
        mcd_junction_read(junction, room, &guide->source, from, to);
    else if (from != MCD_ROAD_NONE)
        junction->before = mcd_bearing_before(guide->source.roads, from);
    if (junction->out != MCD_BRANCH_NONE)
        maneuver->after = junction->end[junction->out].bearing;
    else if (to != MCD_ROAD_NONE)
        maneuver->after = mcd_bearing_after(guide->source.roads, to);
}

/* Returns how many roads need room because one may be closed; the leg's first junction may be any. Lets the processor
 * fetch the roads, because they are read next. */
static size_t count_room(const mcd_guide *guide)
{
    const mcd_junctions *const junctions = guide->source.junctions;
    size_t count = MCD_BRANCHES_MAX;
    for (size_t i = 0; i < guide->arc_count; ++i) {
        const mcd_meeting *const meeting = &junctions->of_node[guide->arc[i].head];
        __builtin_prefetch(&junctions->end[meeting->first]);
        if (mcd_junction_may_close(&guide->source, meeting)) count += meeting->count;
    }
    return count;
}

static macadam_status read_junctions(mcd_guide *guide, bool starts, bool ends, macadam_error *error)
{
    const size_t count = guide->arc_count;
    mcd_road_end *room;
    MCD_TRY(MCD_ARENA_NEW(guide->arena, room, count_room(guide), error));
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
