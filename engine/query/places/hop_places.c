/* hop_places.c - see hop_places.h. */
#include "engine/query/places/hop_places.h"

#include "engine/base/memory.h"

static void add_lane(mcd_hop_places *out, const mcd_lane *lane, bool within)
{
    const size_t seeds = mcd_lane_seed_count(lane);
    for (size_t s = 0; s < (seeds ? seeds : 1); ++s) {
        out->within[out->count] = within;
        out->node[out->count++] = lane->seed[s].node;
    }
}

static macadam_status list_within(mcd_hop_places *out, const mcd_lanes *lanes, macadam_error *error)
{
    MCD_TRY(MCD_NEW(out->first, lanes->place_count + 1, error));
    MCD_TRY(MCD_NEW(out->inner, lanes->place_count, error));
    MCD_TRY(MCD_NEW(out->within, lanes->count * MCD_SEEDS_MAX, error));
    MCD_TRY(MCD_NEW(out->node, lanes->count * MCD_SEEDS_MAX, error));
    for (size_t i = 0; i < lanes->place_count; ++i) {
        size_t l = mcd_lanes_first(lanes, i);
        out->first[i] = out->count;
        for (; l < mcd_lanes_inner(lanes, i); ++l)
            add_lane(out, &lanes->lane[l], mcd_position_is_within(&lanes->position[i]));
        out->inner[i] = out->count;
        for (; l < mcd_lanes_first(lanes, i + 1); ++l)
            add_lane(out, &lanes->lane[l], mcd_position_is_within(&lanes->second[i]));
    }
    out->first[lanes->place_count] = out->count;
    return MACADAM_OK;
}

macadam_status mcd_hop_places_new(mcd_hop_places *out, const mcd_lanes *lanes, macadam_error *error)
{
    *out = (mcd_hop_places){.count = 0};
    if (lanes->position) return list_within(out, lanes, error);
    out->count = lanes->count;
    MCD_TRY(MCD_NEW(out->node, lanes->count, error));
    for (size_t i = 0; i < lanes->count; ++i) out->node[i] = mcd_lanes_at(lanes, i).seed[0].node;
    return MACADAM_OK;
}

void mcd_hop_places_free(mcd_hop_places *ends)
{
    mcd_free(ends->node);
    mcd_free(ends->first);
    mcd_free(ends->inner);
    mcd_free(ends->within);
    *ends = (mcd_hop_places){.count = 0};
}
