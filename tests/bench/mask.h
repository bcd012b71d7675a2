/* mask.h - the vertex-mask methods of Harish and Narayanan (2007), which benchmarks compare with: each round
 * passes over all nodes, those in the mask look at their arcs, and a second pass makes the next mask. */
#ifndef MCD_TESTS_BENCH_MASK_H
#define MCD_TESTS_BENCH_MASK_H

#include "kernels/views.h"

/* Memory for one search of `graph`. */
typedef struct bench_mask bench_mask;
bench_mask *mask_new(const mcd_graph *graph);
void mask_free(bench_mask *mask);

/* Each is false, and its answer undefined, if it has not ended by `end` (bench_seconds_now): rounds over all
 * nodes are as many as levels. */

/* hops[node]; UINT32_MAX: unreached. */
bool mask_hops(bench_mask *mask, mcd_node source, double end, uint32_t *hops);
/* *hops: the fewest from source to target, UINT32_MAX if there is no way: from both ends. */
bool mask_connect(bench_mask *mask, mcd_node source, mcd_node target, double end, uint32_t *hops);
/* cost[node] by weight[arc] of the graph's arcs; UINT32_MAX: unreached. */
bool mask_costs(bench_mask *mask, const mcd_weight *weight, mcd_node source, double end, uint32_t *cost);

#endif
