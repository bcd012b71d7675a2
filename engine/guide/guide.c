/* guide.c - see guide.h. */
#include "engine/guide/guide.h"
#include "engine/guide/sign.h"

#include <math.h>
#include <string.h>

double mcd_guide_metres(const mcd_guide *guide, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end && sum <= MCD_GUIDE_NEAR_M; ++i)
        sum += mcd_arc_metres(guide->source.roads, guide->arc[i].arc) * guide->arc[i].share;
    return sum;
}

/* Keeps the branches of a junction that was read into a buffer. */
static macadam_status keep(mcd_guide *guide, mcd_junction *junction, macadam_error *error)
{
    mcd_branch *kept;
    MCD_TRY(MCD_ARENA_NEW(guide->arena, kept, junction->count, error));
    if (junction->count) memcpy(kept, junction->branch, junction->count * sizeof *kept);
    junction->branch = kept;
    return MACADAM_OK;
}

/* A leg that begins or ends within a road has only that road there. */
static macadam_status read_junction(mcd_guide *guide, size_t i, bool at_node, macadam_error *error)
{
    mcd_branch branch[MCD_BRANCHES_MAX];
    mcd_maneuver *const maneuver = &guide->maneuver[i];
    const uint32_t from = i > 0 ? guide->arc[i - 1].arc : MCD_ROAD_NONE;
    const uint32_t to = i < guide->arc_count ? guide->arc[i].arc : MCD_ROAD_NONE;
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
    return keep(guide, junction, error);
}

macadam_status mcd_guide_leg(mcd_guide *guide, bool starts, bool ends, macadam_error *error)
{
    const size_t count = guide->arc_count;
    MCD_TRY(MCD_ARENA_NEW(guide->arena, guide->maneuver, count + 1, error));
    for (size_t i = 0; i <= count; ++i) {
        guide->maneuver[i] = (mcd_maneuver){0};
        const bool at_node = i == 0 ? starts : i == count ? ends : true;
        MCD_TRY(read_junction(guide, i, at_node, error));
    }
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
