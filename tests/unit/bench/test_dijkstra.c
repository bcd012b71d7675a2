/* test_dijkstra.c - the baseline of the speed figures gives right answers. */
#include "tests/bench/dijkstra.h"
#include "tests/support/checked.h"
#include "tests/support/graphs.h"

#include <criterion/criterion.h>

Test(dijkstra, equals_the_oracle_on_every_graph)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        const oracle_arcs arcs = test_graph_arcs(&graph, 0);
        SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, false);
        bench_dijkstra *dijkstra = dijkstra_new(&arcs);
        FREED uint32_t *expected = checked_allocate(graph.node_count, sizeof *expected);
        for (uint32_t source = 0; source < graph.node_count && source < 50; ++source) {
            oracle_tree(oracle, source, 0, expected, NULL);
            const uint32_t *dist = dijkstra_tree(dijkstra, source);
            for (size_t x = 0; x < graph.node_count; ++x)
                cr_assert_eq(dist[x] < ORACLE_COST_END ? dist[x] : ORACLE_UNREACHED, expected[x],
                             "%s: %u to %zu", graph.name, source, x);
        }
        dijkstra_free(dijkstra);
    }
}
