/* graphs.h - named graphs made to break a routing engine, as arc lists. */
#ifndef MCD_TESTS_SUPPORT_GRAPHS_H
#define MCD_TESTS_SUPPORT_GRAPHS_H

#include "tests/support/oracle.h"

/* Two quantities an arc; freed with test_graph_free. */
typedef struct test_graph {
    const char *name; /* static */
    size_t node_count, arc_count, arc_capacity;
    uint32_t *tail, *head, *weight[2];
} test_graph;

void test_graph_free(test_graph *graph);
void test_graph_add(test_graph *graph, uint32_t tail, uint32_t head, uint32_t weight, uint32_t other_weight);
/* A copy that shares nothing. */
test_graph test_graph_copy(const test_graph *graph);

/* The arcs with weight[metric] as the objective and the other quantity as the companion; borrowed from the
 * graph. */
oracle_arcs test_graph_arcs(const test_graph *graph, size_t metric);

/* The hostile graphs, by index below graphs_count(): each the same in every run. */
size_t graphs_count(void);
test_graph graphs_make(size_t index);
/* By name; aborts on an unknown one. */
test_graph graphs_make_named(const char *name);

#endif
