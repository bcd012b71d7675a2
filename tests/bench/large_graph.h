/* large_graph.h - generated graphs, and those of edge files, as kernels see them: made by all threads, in
 * memory. */
#ifndef MCD_TESTS_BENCH_LARGE_GRAPH_H
#define MCD_TESTS_BENCH_LARGE_GRAPH_H

#include "tests/support/generate.h"

#include "engine/base/parallel.h"
#include "kernels/views.h"

/* All arrays are its own. It stays where it was made: the arcs point to the graph. */
typedef struct large_graph {
    mcd_graph graph;   /* without in_arc */
    mcd_arcs arcs;     /* objectives, and pairs once large_graph_pair has made them */
    mcd_arcs unsorted; /* the same with the pairs in no order, once large_graph_shuffle has made them */
} large_graph;

/* `undirected`: each arc back too, with the same weight. */
void large_graph_generate(large_graph *out, const generate_graph *generated, bool undirected,
                          const mcd_parallel *parallel);
/* By name: FILE.mcd (the first metric's objective; exits with the message if it cannot be read), rmat:BITS:DEGREE
 * (rmat45: 0.45, 0.15, 0.15; kron: each arc there and back), uniform:NODES:DEGREE, scale-free:NODES:DEGREE,
 * grid:X:Y[:Z]. */
void large_graph_make(large_graph *out, const char *name, const mcd_parallel *parallel);
/* Makes the pairs of neighbours. */
void large_graph_pair(large_graph *graph, const mcd_parallel *parallel);
/* Makes the unsorted ones of them. */
void large_graph_shuffle(large_graph *graph, const mcd_parallel *parallel);
void large_graph_free(large_graph *graph);

#endif
