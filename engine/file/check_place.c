/* check_place.c - see check.h: the rules of places, of the originals of arcs and of the snap index. */
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

/* ---- originals ---- */

typedef struct original_range {
    uint32_t first, end;
} original_range;

typedef struct original_rules {
    const uint32_t *original;
    const mcd_graph *graph;
    const mcd_place_index *places;
    const original_range *range; /* [id_count] of the arcs that leave the id */
} original_rules;

static bool original_rule(const void *argument, size_t v, mcd_finding *out)
{
    const original_rules *const rules = argument;
    const mcd_arc *const first_out = rules->graph->first_out;
    const original_range range = rules->range[rules->places->node_place[v]];
    bool is_bad = false;
    for (mcd_arc arc = first_out[v]; arc < first_out[v + 1]; ++arc) {
        const uint32_t original = rules->original[arc];
        is_bad |= (original - range.first >= range.end - range.first) & (original != MCD_ROAD_NONE);
    }
    if (!is_bad) return false;
    mcd_arc arc = first_out[v];
    while (rules->original[arc] == MCD_ROAD_NONE ||
           (rules->original[arc] >= range.first && rules->original[arc] < range.end))
        ++arc;
    return mcd_broken(out, "arc_original", arc, rules->original[arc], "no such arc leaves the junction");
}
MCD_SCAN_OF(original_rule)

macadam_status mcd_check_copies(mcd_check check, const uint32_t *original, size_t original_count,
                                const mcd_graph *graph, const mcd_place_index *places)
{
    MCD_OWNED original_range *range = NULL;
    uint32_t count = 0;
    mcd_finding found;
    MCD_TRY(MCD_NEW(range, places->id_count, check.error));
    for (mcd_node v = 0; v < graph->node_count; ++v) {
        const uint32_t place = places->node_place[v];
        MCD_TRY(mcd_watch_item(NULL, v, graph->node_count, check.error));
        if (places->depart[place] != v) continue;
        range[place].first = count;
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc)
            if (original[arc] != MCD_ROAD_NONE && original[arc] != count++ &&
                mcd_broken(&found, "arc_original", arc, original[arc], "originals are not in their order"))
                return mcd_check_fail(check, "", &found);
        range[place].end = count;
    }
    if (count != original_count)
        return mcd_fail(check.error, MACADAM_E_FILE,
                        "%s: section 'arc_original': %u originals, but there are numbers of %zu", check.file,
                        count, original_count);
    const original_rules rules = {original, graph, places, range};
    return MCD_CHECK_RULE(check, "", original_rule, &rules, graph->node_count);
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
