/* guide.c - see guide.h. */
#include "engine/guide/guide.h"
#include "engine/guide/sign.h"

#include <math.h>

double mcd_guide_metres(const mcd_guide *guide, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end && sum <= MCD_GUIDE_NEAR_M; ++i)
        sum +=
            mcd_arc_metres(guide->source.roads, guide->arc[i].tail, guide->arc[i].arc) * guide->arc[i].share;
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

/* Reads a junction into `branch`. A leg that begins or ends within a road has only that road there. */
static void read_junction(mcd_guide *guide, size_t i, bool at_node, mcd_branch *branch)
{
    mcd_maneuver *const maneuver = &guide->maneuver[i];
    const uint32_t from = from_of(guide, i), to = to_of(guide, i);
    mcd_junction *const junction = &maneuver->junction;
    *junction = (mcd_junction){.branch = branch, .in = MCD_BRANCH_NONE, .out = MCD_BRANCH_NONE};
    if (at_node) mcd_junction_read(junction, branch, &guide->source, from, to);
    if (junction->in != MCD_BRANCH_NONE)
        maneuver->before = fmod(branch[junction->in].end.bearing + 180, 360);
    else if (from != MCD_ROAD_NONE)
        maneuver->before = mcd_bearing_before(guide->source.roads, from);
    if (junction->out != MCD_BRANCH_NONE)
        maneuver->after = branch[junction->out].end.bearing;
    else if (to != MCD_ROAD_NONE)
        maneuver->after = mcd_bearing_after(guide->source.roads, to);
}

static macadam_status read_junctions(mcd_guide *guide, bool starts, bool ends, macadam_error *error)
{
    const size_t count = guide->arc_count;
    mcd_branch *branch;
    size_t size = 0;
    for (size_t i = 0; i <= count; ++i)
        size += mcd_junction_size(&guide->source, from_of(guide, i), to_of(guide, i));
    MCD_TRY(MCD_ARENA_NEW(guide->arena, branch, size, error));
    for (size_t i = 0; i <= count; ++i) {
        guide->maneuver[i] = (mcd_maneuver){0};
        read_junction(guide, i, i == 0 ? starts : i == count ? ends : true, branch);
        branch += guide->maneuver[i].junction.count;
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
