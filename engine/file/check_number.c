/* check_number.c - checks that each of the source data's arc numbers names one arc: see check.h. */
#include "engine/file/check_rule.h"

typedef struct numbering {
    const mcd_roads *roads;
    mcd_node *head; /* [original_count] the place to which each original leads */
} numbering;

static macadam_status check_distinct(mcd_check check, const uint64_t *number, size_t original_count)
{
    MCD_OWNED bool *known = NULL;
    MCD_TRY(MCD_NEW_ZEROED(known, original_count, check.error));
    for (size_t i = 0; i < original_count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, original_count, check.error));
        const bool is_one = number[i] != 0 && number[i] <= original_count;
        const mcd_finding found = {"arc_number", i, number[i], false,
                                   is_one ? "the number of another arc too" : "no arc's number"};
        if (!is_one || known[number[i] - 1]) return mcd_check_fail(check, "", &found);
        known[number[i] - 1] = true;
    }
    return MACADAM_OK;
}

static inline bool copy_rule(const void *argument, size_t x, mcd_finding *out)
{
    const numbering *all = argument;
    const mcd_graph *const graph = all->roads->graph;
    const uint32_t *const place = all->roads->places->node_place;
    for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) {
        const uint32_t original = mcd_arc_original(all->roads->facts, (uint32_t)xy);
        const uint32_t leads_to = original == MCD_ROAD_NONE ? place[x] : all->head[original];
        if (leads_to != place[graph->head[xy]])
            return mcd_broken(out, "arc_copy", xy, original,
                              original == MCD_ROAD_NONE ? "an arrival arc that leaves the junction"
                                                        : "its original leads elsewhere");
    }
    return false;
}
MCD_SCAN_OF(copy_rule)

macadam_status mcd_check_numbers(mcd_check check, const mcd_roads *roads)
{
    MCD_OWNED uint32_t *head = NULL;
    MCD_TRY(check_distinct(check, roads->facts->number, roads->original_count));
    MCD_TRY(MCD_NEW(head, roads->original_count, check.error));
    numbering all = {.roads = roads, .head = head};
    const mcd_graph *const graph = roads->graph;
    const mcd_place_index *const places = roads->places;
    for (size_t i = 0; i < places->id_count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, places->id_count, check.error));
        for (mcd_arc arc = graph->first_out[places->depart[i]]; arc < graph->first_out[places->depart[i] + 1];
             ++arc) {
            const uint32_t original = mcd_arc_original(roads->facts, (uint32_t)arc);
            if (original != MCD_ROAD_NONE) head[original] = places->node_place[graph->head[arc]];
        }
    }
    return MCD_CHECK_RULE(check, "", copy_rule, &all, roads->graph->node_count);
}
