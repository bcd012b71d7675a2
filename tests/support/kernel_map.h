/* kernel_map.h - a test graph as kernels see it: graph, hierarchy and weights, without a file. */
#ifndef MCD_TESTS_SUPPORT_KERNEL_MAP_H
#define MCD_TESTS_SUPPORT_KERNEL_MAP_H

#include "tests/support/graphs.h"
#include "tests/support/rng.h"

#include "kernels/backend.h"

typedef struct kernel_map {
    const char *name; /* static */
    mcd_graph *graph;
    mcd_hierarchy *hierarchy;
    mcd_node *tail;        /* [arc_count] by the graph's arc, as graph->head */
    mcd_weight *weight[2]; /* likewise: objective, companion */
} kernel_map;

/* Eliminates the nodes in the order of their numbers (columns = 0), or as a grid of `columns` columns: the
 * lines that divide it come last. */
void kernel_map_make(kernel_map *out, const test_graph *graph, uint32_t columns);
/* The hostile graphs, then some of this file's own whose hierarchies have a top above the bottom subtrees. */
size_t kernel_maps_count(void);
void kernel_maps_make(kernel_map *out, size_t index);
void kernel_map_free(kernel_map *map);

/* Its arcs by node ids of the file; borrowed. */
oracle_arcs kernel_map_arcs(const kernel_map *map);

/* The index-th of many ways to begin or to end: a node, a node with costs, several nodes on one root path,
 * or (rarely, and on maps without nodes) nothing. */
mcd_lane kernel_map_lane(const kernel_map *map, test_rng *rng, size_t index);

/* The basic costs and witnesses that `backend` makes of a map; mcd_custom_free. `pair`: with the
 * companion. */
mcd_custom kernel_map_customize(const kernel_map *map, const mcd_backend *backend, unsigned thread_count,
                                bool joint);

/* The weights that `backend` makes of a map; `pair`: with the companion. */
typedef struct kernel_metric {
    mcd_weights weights;
    mcd_kept kept;
} kernel_metric;

void kernel_metric_make(kernel_metric *out, const kernel_map *map, const mcd_backend *backend,
                        unsigned thread_count, bool joint);
void kernel_metric_free(kernel_metric *metric);

#endif
