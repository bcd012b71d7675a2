/* mask.h - the vertex-mask methods of Harish and Narayanan (2007), which benchmarks compare with: each round
 * passes over all nodes, those in the mask look at their arcs, and a second pass makes the next mask. */
#ifndef BENCH_MASK_H
#define BENCH_MASK_H

#include "kernels/views.h"

/* Memory for one search of `graph`. */
typedef struct bench_mask bench_mask;
bench_mask *mask_new(const mcd_graph *graph);
void mask_free(bench_mask *mask);

/* hops[node]; UINT32_MAX: unreached. */
void mask_hops(bench_mask *mask, mcd_node source, uint32_t *hops);
/* The fewest hops from source to target, UINT32_MAX if there is no way: from both ends. */
uint32_t mask_connect(bench_mask *mask, mcd_node source, mcd_node target);
/* cost[node] by weight[arc] of the graph's arcs; UINT32_MAX: unreached. */
void mask_costs(bench_mask *mask, const mcd_weight *weight, mcd_node source, uint32_t *cost);

#endif
