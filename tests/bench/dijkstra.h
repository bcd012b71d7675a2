/* dijkstra.h - the baseline of the speed figures: the fastest plain one-to-all Dijkstra that we know how
 * to write. */
#ifndef MCD_TESTS_BENCH_DIJKSTRA_H
#define MCD_TESTS_BENCH_DIJKSTRA_H

#include "tests/support/oracle.h"

typedef struct bench_dijkstra bench_dijkstra;

/* Copies the arcs and their objectives; closed arcs are left out. */
bench_dijkstra *dijkstra_new(const oracle_arcs *arcs);
void dijkstra_free(bench_dijkstra *dijkstra);

/* The costs of all nodes from `source`; borrowed until the next call; ORACLE_COST_END or more = unreached. */
const uint32_t *dijkstra_tree(bench_dijkstra *dijkstra, uint32_t source);

#endif
