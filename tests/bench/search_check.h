/* search_check.h - what is right of searches in large graphs: plain ones, and looks at every arc. Shares no
 * code with what it checks. */
#ifndef MCD_TESTS_BENCH_SEARCH_CHECK_H
#define MCD_TESTS_BENCH_SEARCH_CHECK_H

#include "kernels/views.h"

/* Into hops[node]; UINT32_MAX: unreached. */
void search_hops(const mcd_graph *graph, mcd_node source, uint32_t *hops);
/* Whether cost[node] are the least costs from the source, UINT32_MAX: unreached, if every weight is above
 * 0. */
bool search_costs_are_right(const mcd_arcs *arcs, mcd_node source, const uint32_t *cost);
/* Whether every node that is reached has the smallest of the nodes one hop nearer with an arc to it. */
bool search_parents_are_right(const mcd_graph *graph, const uint32_t *hops, const mcd_node *parent);

#endif
