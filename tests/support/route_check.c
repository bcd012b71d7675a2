/* route_check.c - see route_check.h. */
#include "tests/support/route_check.h"

#include "tests/support/checked.h"

static const char *walk(const test_graph *graph, uint32_t *node, uint64_t number, bool *seen, uint64_t sum[2])
{
    if (number < 1 || number > graph->arc_count) return "there is no such arc";
    const size_t arc = number - 1;
    if (graph->tail[arc] != *node) return "an arc does not begin where the last one ended";
    *node = graph->head[arc];
    if (seen[*node]) return "a node is visited twice";
    seen[*node] = true;
    for (size_t q = 0; q < 2; ++q) {
        if (!graph->weight[q]) continue;
        if (graph->weight[q][arc] >= ORACLE_COST_END) return "an arc is closed";
        sum[q] += graph->weight[q][arc];
    }
    return NULL;
}

const char *route_check_path(const test_graph *graph, uint32_t source, uint32_t target, const uint64_t *arc,
                             size_t arc_count, uint64_t sum[2])
{
    bool *seen = checked_zeroed(graph->node_count, sizeof *seen);
    const char *fault = NULL;
    uint32_t node = source;
    sum[0] = sum[1] = 0;
    seen[source] = true;
    for (size_t i = 0; i < arc_count && !fault; ++i) fault = walk(graph, &node, arc[i], seen, sum);
    free(seen);
    if (fault) return fault;
    return node == target ? NULL : "the path does not end at the target";
}
