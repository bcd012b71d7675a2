/* check_number.c - checks that each of the source data's arc numbers names one arc: see check.h.
 *
 * The arc of a number leaves the node from which its id departs. Only copies of the arc, between nodes of the
 * same two ids, repeat the number. */
#include "engine/file/check_rule.h"
#include "engine/base/memory.h"

enum { NO_ARC = UINT32_MAX };

typedef struct numbering {
    const mcd_graph *graph;
    const mcd_place_index *places;
    const uint64_t *number;
    uint32_t *arc_of; /* [arc_count] for each number - 1, the arc that leaves a departure node, or NO_ARC */
} numbering;

static mcd_node tail_of(const mcd_graph *graph, size_t arc)
{
    mcd_node low = 0, high = graph->node_count;
    while (high - low > 1) {
        const mcd_node middle = low + (high - low) / 2;
        if (graph->first_out[middle] <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool departs(const mcd_place_index *places, mcd_node node)
{
    return places->depart[mcd_place_find_id(places, places->node_id[node])] == node;
}

static macadam_status fail_number(const mcd_check *check, const numbering *all, size_t arc, const char *why)
{
    const mcd_finding found = {"arc_number", arc, all->number[arc], false, why};
    return mcd_check_fail(check, "", &found);
}

static macadam_status list_departing(const mcd_check *check, const numbering *all)
{
    const mcd_graph *const graph = all->graph;
    for (size_t i = 0; i < graph->arc_count; ++i) all->arc_of[i] = NO_ARC;
    for (mcd_node x = 0; x < graph->node_count; ++x) {
        const bool original = departs(all->places, x);
        for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) {
            const uint64_t number = all->number[xy];
            if (number == MCD_ARC_NONE) continue;
            if (number == 0 || number > graph->arc_count)
                return fail_number(check, all, xy, "no arc's number");
            if (!original) continue;
            if (all->arc_of[number - 1] != NO_ARC)
                return fail_number(check, all, xy, "the number of another arc too");
            all->arc_of[number - 1] = (uint32_t)xy;
        }
    }
    return MACADAM_OK;
}

static inline bool copy_rule(const void *argument, size_t x, mcd_finding *out)
{
    const numbering *all = argument;
    const mcd_graph *const graph = all->graph;
    const int64_t *const id = all->places->node_id;
    for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) {
        const uint64_t number = all->number[xy];
        if (number == MCD_ARC_NONE) {
            if (id[x] != id[graph->head[xy]])
                return mcd_broken(out, "arc_number", xy, number, "only arcs within a junction have none");
            continue;
        }
        const uint32_t original = all->arc_of[number - 1];
        if (original == NO_ARC || id[graph->head[original]] != id[graph->head[xy]] ||
            id[tail_of(graph, original)] != id[x])
            return mcd_broken(out, "arc_number", xy, number, "not a copy of the arc of this number");
    }
    return false;
}
MCD_SCAN_OF(copy_rule)

macadam_status mcd_check_numbers(const mcd_check *check, const mcd_graph *graph,
                                 const mcd_place_index *places, const uint64_t *number)
{
    numbering all = {.graph = graph, .places = places, .number = number};
    MCD_TRY(MCD_NEW(all.arc_of, graph->arc_count, check->error));
    macadam_status status = list_departing(check, &all);
    if (!status) status = MCD_CHECK_RULE(check, "", copy_rule, &all, graph->node_count);
    mcd_free(all.arc_of);
    return status;
}
