/* ends.c - see ends.h. */
#include "engine/query/places/ends.h"

#include "engine/base/memory.h"

static macadam_status list_within(mcd_ends *out, const mcd_lanes *lanes, macadam_error *error)
{
    MCD_TRY(MCD_NEW(out->first, lanes->place_count + 1, error));
    MCD_TRY(MCD_NEW(out->within, lanes->place_count, error));
    MCD_TRY(MCD_NEW(out->node, lanes->count * MCD_SEEDS_MAX, error));
    for (size_t i = 0; i < lanes->place_count; ++i) {
        const mcd_position *const position = &lanes->position[i];
        out->first[i] = out->count;
        out->within[i] = position->arc[0] != MCD_ROAD_NONE || position->arc[1] != MCD_ROAD_NONE;
        for (size_t l = mcd_lanes_first(lanes, i); l < mcd_lanes_first(lanes, i + 1); ++l) {
            const size_t seeds = mcd_lane_seed_count(&lanes->lane[l]);
            for (size_t s = 0; s < (seeds ? seeds : 1); ++s)
                out->node[out->count++] = lanes->lane[l].seed[s].node;
        }
    }
    out->first[lanes->place_count] = out->count;
    return MACADAM_OK;
}

macadam_status mcd_ends_new(mcd_ends *out, const mcd_lanes *lanes, macadam_error *error)
{
    *out = (mcd_ends){.count = 0};
    if (lanes->position) return list_within(out, lanes, error);
    out->count = lanes->count;
    MCD_TRY(MCD_NEW(out->node, lanes->count, error));
    for (size_t i = 0; i < lanes->count; ++i) out->node[i] = mcd_lanes_at(lanes, i).seed[0].node;
    return MACADAM_OK;
}

void mcd_ends_free(mcd_ends *ends)
{
    mcd_free(ends->node);
    mcd_free(ends->first);
    mcd_free(ends->within);
    *ends = (mcd_ends){.count = 0};
}
