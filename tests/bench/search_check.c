/* search_check.c - see search_check.h. */
#include "tests/bench/search_check.h"

#include "tests/support/checked.h"

#include <string.h>

void search_hops(const mcd_graph *graph, mcd_node source, uint32_t *hops)
{
    FREED mcd_node *const queue = checked_allocate(graph->node_count, sizeof *queue);
    size_t count = 1;
    memset(hops, 0xff, graph->node_count * sizeof *hops);
    hops[source] = 0;
    queue[0] = source;
    for (size_t i = 0; i < count; ++i) {
        const mcd_node tail = queue[i];
        for (mcd_arc arc = graph->first_out[tail]; arc < graph->first_out[tail + 1]; ++arc) {
            const mcd_node head = graph->head[arc];
            if (hops[head] != UINT32_MAX) continue;
            hops[head] = hops[tail] + 1;
            queue[count++] = head;
        }
    }
}

/* Costs from 0 at the source that no arc lowers and that each reached node has from some arc. */
bool search_costs_are_right(const mcd_arcs *arcs, mcd_node source, const uint32_t *cost)
{
    const mcd_graph *graph = arcs->graph;
    if (cost[source] != 0) return false;
    for (mcd_node head = 0; head < graph->node_count; ++head) {
        uint64_t best = head == source ? 0 : UINT32_MAX;
        for (mcd_arc arc = graph->first_in[head]; arc < graph->first_in[head + 1]; ++arc) {
            const uint64_t tail = cost[graph->tail[arc]];
            if (tail == UINT32_MAX) continue;
            if (tail + arcs->objective[1][arc] < best) best = tail + arcs->objective[1][arc];
        }
        if (best != cost[head]) return false;
    }
    return true;
}

bool search_parents_are_right(const mcd_graph *graph, const uint32_t *hops, const mcd_node *parent)
{
    for (mcd_node node = 0; node < graph->node_count; ++node) {
        mcd_node right = MCD_NODE_NONE;
        for (mcd_arc arc = graph->first_in[node]; arc < graph->first_in[node + 1] && right == MCD_NODE_NONE;
             ++arc)
            if (hops[node] != UINT32_MAX && hops[node] > 0 && hops[graph->tail[arc]] == hops[node] - 1)
                right = graph->tail[arc];
        if (parent[node] != right) return false;
    }
    return true;
}
