/* barrier.c - see barrier.h. */
#include "importers/osm/turns/barrier.h"

/* Turning back along the same road is always permitted. */
static bool is_closed(const mcd_segments *segments, uint8_t state, mcd_arc from, mcd_arc to)
{
    const bool excused =
        state & MCD_POINT_DESTINATION_ONLY &&
        (segments->use[from] == MCD_ROAD_DESTINATION_ONLY || segments->use[to] == MCD_ROAD_DESTINATION_ONLY);
    return segments->of_arc[from] != segments->of_arc[to] && !excused;
}

/* Whether one may cross another road along the arc's. */
static bool is_walkway(const mcd_map *map, mcd_arc arc)
{
    return mcd_tag_is_one_of(map->names + map->kind[map->arc_kind[arc]].text[MCD_KIND_CLASS],
                             "footway|path|cycleway|pedestrian|steps|bridleway");
}

/* Forbids to pass the node; with `crossing`, only from or to a walkway. */
static macadam_status close_node(const mcd_map *map, const mcd_segments *segments, mcd_node node,
                                 uint8_t state, bool crossing, mcd_turns *turns, macadam_error *error)
{
    const mcd_incidence *const in = &segments->in, *const out = &segments->out;
    if (in->first[node] == in->first[node + 1]) return MACADAM_OK;
    MCD_TRY(mcd_turns_check_node(map, node, in->first[node + 1] - in->first[node],
                                 out->first[node + 1] - out->first[node], in->arc[in->first[node]], error));
    for (mcd_arc i = in->first[node]; i < in->first[node + 1]; ++i)
        for (mcd_arc j = out->first[node]; j < out->first[node + 1]; ++j)
            if (is_closed(segments, state, in->arc[i], out->arc[j]) &&
                (!crossing || is_walkway(map, in->arc[i]) || is_walkway(map, out->arc[j])))
                MCD_TRY(mcd_turns_forbid(turns, (const mcd_arc[]){in->arc[i], out->arc[j]}, 2, error));
    return MACADAM_OK;
}

macadam_status mcd_barriers_forbid(const mcd_points *points, mcd_map *map, const mcd_segments *segments,
                                   mcd_turns *turns, mcd_watch *watch, macadam_error *error)
{
    size_t point = 0; /* nodes are points, and both ascend by id */
    for (mcd_node node = 0; node < map->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, map->node_count, error));
        while (points->id[point] != map->node_id[node]) ++point;
        const mcd_limited_point *const limited = mcd_points_limited(points, (uint32_t)point);
        const mcd_node_times *const times = limited ? &limited->times : NULL;
        for (size_t i = 0; times && i < times->count; ++i) {
            MCD_TRY(mcd_turns_time(turns, map, &times->period[i], i == 0 && times->opens ? MCD_WHEN_OPENS : 0,
                                   error));
            MCD_TRY(close_node(map, segments, node, MCD_POINT_BLOCKED, false, turns, error));
        }
        turns->when = 0;
        if (limited && limited->crossing)
            MCD_TRY(close_node(map, segments, node, MCD_POINT_BLOCKED, true, turns, error));
        const unsigned usual = times && times->count && times->opens ? 0 : MCD_POINT_BLOCKED;
        if (points->state[point] & (usual | MCD_POINT_DESTINATION_ONLY))
            MCD_TRY(close_node(map, segments, node, points->state[point], false, turns, error));
    }
    return MACADAM_OK;
}
