/* check_place.c - see check.h: the rules of places and of the snap index. */
#include "engine/file/check_rule.h"

/* ---- places ---- */

/* Nodes of ids: those from which they depart, or those at which they arrive. */
typedef struct node_rules {
    const char *section;
    const mcd_node *of_id;
    const uint32_t *node_place;
} node_rules;

static bool node_rule(const void *argument, size_t i, mcd_finding *out)
{
    const node_rules *const rules = argument;
    const mcd_node node = rules->of_id[i];
    return rules->node_place[node] != i && mcd_broken(out, rules->section, i, node, "a node of another id");
}
MCD_SCAN_OF(node_rule)

macadam_status mcd_check_places(mcd_check check, const mcd_place_index *places)
{
    const size_t ids = places->id_count, nodes = places->node_count;
    MCD_TRY(mcd_check_limit(check, "", "node_place", places->node_place, nodes, (uint32_t)ids, "no id"));
    const node_rules rules[] = {{"depart", places->depart, places->node_place},
                                {"arrive", places->arrive, places->node_place}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        MCD_TRY(
            mcd_check_limit(check, "", rules[i].section, rules[i].of_id, ids, (uint32_t)nodes, "no node"));
        MCD_TRY(MCD_CHECK_RULE(check, "", node_rule, &rules[i], ids));
    }
    return MACADAM_OK;
}

/* ---- the snap index ---- */

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
    if (rules->tail[arc] == MCD_NODE_NONE)
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

typedef struct unindexed_rules {
    const mcd_roads *roads;
    const uint32_t *arc;
} unindexed_rules;

static bool unindexed_rule(const void *argument, size_t i, mcd_finding *out)
{
    const unindexed_rules *const rules = argument;
    const mcd_roads *const roads = rules->roads;
    const uint32_t arc = rules->arc[i];
    if (arc >= roads->graph->arc_count) return mcd_broken(out, "unindexed_arc", i, arc, "no arc");
    return !mcd_road_departs(roads, mcd_road_tail(roads->graph, arc), arc) &&
           mcd_broken(out, "unindexed_arc", i, arc, "an arc that no departure uses");
}
MCD_SCAN_OF(unindexed_rule)

macadam_status mcd_check_unindexed(mcd_check check, const mcd_roads *roads, const uint32_t *arc, size_t count)
{
    return MCD_CHECK_RULE(check, "", unindexed_rule, (&(unindexed_rules){roads, arc}), count);
}
