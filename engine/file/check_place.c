/* check_place.c - see check.h: the rules of coordinates and of the snap index. */
#include "engine/file/check_rule.h"

macadam_status mcd_check_coordinates(const mcd_check *check, const mcd_place_index *index)
{
    MCD_TRY(mcd_check_range(check, "lon_e7", index->lon_e7, index->node_count, MCD_LON_MAX_E7));
    return mcd_check_range(check, "lat_e7", index->lat_e7, index->node_count, MCD_LAT_MAX_E7);
}

/* The snap index and the roads that it indexes. */
typedef struct snap_rules {
    const mcd_roads *roads;
    const mcd_snap_index *index;
    size_t level_first[MCD_SNAP_LEVELS_MAX + 1];
} snap_rules;

static bool is_point(mcd_point a, mcd_point b)
{
    return a.lon_e7 == b.lon_e7 && a.lat_e7 == b.lat_e7;
}

static bool is_within(const mcd_snap_box *inner, const mcd_snap_box *outer)
{
    return inner->west_e7 >= outer->west_e7 && inner->east_e7 <= outer->east_e7 &&
           inner->south_e7 >= outer->south_e7 && inner->north_e7 <= outer->north_e7;
}

static bool piece_rule(const void *argument, size_t i, mcd_finding *out)
{
    const snap_rules *rules = argument;
    const mcd_roads *roads = rules->roads;
    const uint32_t arc = rules->index->arc[i], piece = rules->index->piece[i] / 2;
    if (arc >= roads->graph->arc_count) return mcd_broken(out, "snap_arc", i, arc, "no arc");
    const mcd_node tail = mcd_road_tail(roads->graph, arc);
    if (!mcd_road_departs(roads, tail, arc))
        return mcd_broken(out, "snap_arc", i, arc, "an arc that no departure uses");
    if ((size_t)piece + 2 > mcd_road_point_count(roads, arc))
        return mcd_broken(out, "snap_piece", i, rules->index->piece[i], "no piece of its arc");
    const mcd_snap_line *line = &rules->index->line[i];
    if (!is_point(line->from, mcd_road_point(roads, tail, arc, piece)) ||
        !is_point(line->to, mcd_road_point(roads, tail, arc, piece + 1)))
        return mcd_broken(out, "snap_line", 4 * i, (uint32_t)line->from.lon_e7, "not where its arc lies");
    const mcd_snap_box box = mcd_snap_box_of(line);
    if (!is_within(&box, &rules->index->box[i / MCD_SNAP_FANOUT]))
        return mcd_broken(out, "snap_box", 4 * (i / MCD_SNAP_FANOUT), i, "a box that a piece of it leaves");
    return false;
}
MCD_SCAN_OF(piece_rule)

/* Checks that the box above encloses box i, which is below the last one. */
static bool box_rule(const void *argument, size_t i, mcd_finding *out)
{
    const snap_rules *rules = argument;
    const size_t *const first = rules->level_first;
    size_t level = 0;
    while (i >= first[level + 1]) ++level;
    const size_t above = first[level + 1] + (i - first[level]) / MCD_SNAP_FANOUT;
    if (is_within(&rules->index->box[i], &rules->index->box[above])) return false;
    return mcd_broken(out, "snap_box", 4 * above, i, "a box that a box of it leaves");
}
MCD_SCAN_OF(box_rule)

macadam_status mcd_check_snap(const mcd_check *check, const mcd_roads *roads, const mcd_snap_index *index)
{
    snap_rules rules = {.roads = roads, .index = index};
    const size_t level_count = mcd_snap_levels(index->piece_count, rules.level_first);
    MCD_TRY(MCD_CHECK_RULE(check, "", piece_rule, &rules, index->piece_count));
    return MCD_CHECK_RULE(check, "", box_rule, &rules, rules.level_first[level_count - 1]);
}
