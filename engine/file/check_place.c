/* check_place.c - see check.h: the rules of the snap index. */
#include "engine/file/check_rule.h"

/* The snap index and the roads that it indexes. */
typedef struct snap_rules {
    const mcd_roads *roads;
    const mcd_node *tail;
    const mcd_snap_index *index;
} snap_rules;

static bool piece_rule(const void *argument, size_t i, mcd_finding *out)
{
    const snap_rules *rules = argument;
    const mcd_roads *roads = rules->roads;
    const uint32_t arc = rules->index->arc[i], piece = rules->index->piece[i] / 2;
    if (arc >= roads->graph->arc_count) return mcd_broken(out, "snap_arc", i, arc, "no arc");
    if (rules->tail && rules->tail[arc] == MCD_NODE_NONE)
        return mcd_broken(out, "snap_arc", i, arc, "an arc that no departure uses");
    if ((size_t)piece + 2 > mcd_road_point_count(roads, arc))
        return mcd_broken(out, "snap_piece", i, rules->index->piece[i], "no piece of its arc");
    return false;
}
MCD_SCAN_OF(piece_rule)

macadam_status mcd_check_snap(mcd_check check, const mcd_roads *roads, const mcd_node *tail,
                              const mcd_snap_index *index)
{
    const snap_rules rules = {roads, tail, index};
    return MCD_CHECK_RULE(check, "", piece_rule, &rules, index->piece_count);
}
