/* frontier_scene.h - a graph as methods without a hierarchy see it, and checks of a backend's answers. */
#ifndef MCD_TESTS_SUPPORT_FRONTIER_SCENE_H
#define MCD_TESTS_SUPPORT_FRONTIER_SCENE_H

#include "tests/support/generate.h"
#include "tests/support/graphs.h"

#include "engine/runtime/arc_weights.h"
#include "engine/map/graph.h"

typedef struct frontier_scene {
    const char *name; /* static */
    mcd_graph *graph; /* nodes keep their numbers */
    mcd_node *tail;   /* [arc_count] by the graph's arc, as graph->head */
    mcd_weight *weight[2];
    mcd_weight *closed[2]; /* the quantities with every arc that is closed for one closed for both */
    mcd_couples pairs;
    mcd_arc_weights metric[2]; /* only of the first quantity; with the other one as its companion */
} frontier_scene;

/* The settings of a check: `backend`, and the number of threads. */
typedef struct frontier_asked {
    const mcd_backend *backend;
    unsigned threads;
    uint64_t seed; /* places are drawn from it */
} frontier_asked;

/* `device` (NULL: none) gets its copy of the arcs from the table. */
void frontier_scene_make(frontier_scene *out, const test_graph *graph, const mcd_device_table *table,
                         mcd_device *device);
void frontier_scene_free(frontier_scene *scene);

/* Hops and parents of every strategy, forward and backward, all columns and some, with limits and without. */
void frontier_check_hops(const frontier_scene *scene, const frontier_asked *asked);
/* The same of MCD_HOPS_DIVIDED alone. */
void frontier_check_divided_hops(const frontier_scene *scene, const frontier_asked *asked);
/* Some pairs of nodes: hops, and the path that the parents of hops give. */
void frontier_check_connect(const frontier_scene *scene, const frontier_asked *asked);
/* Trees by one method: objectives alone and pairs, several seeds, limits, columns, lanes, parents. */
void frontier_check_near_far(const frontier_scene *scene, const frontier_asked *asked);
void frontier_check_bellman_ford(const frontier_scene *scene, const frontier_asked *asked);
void frontier_check_dijkstra(const frontier_scene *scene, const frontier_asked *asked);
/* Near-far, rows with more lanes than a device has blocks where there are 12,000
 * nodes or more. */
void frontier_check_many(const frontier_scene *scene, const frontier_asked *asked);

/* Bytes of each device with which no device has room for all arcs, but each for its part. */
uint64_t frontier_memory_for_parts(const test_graph *graph);

/* The generator's graph, with companions. */
test_graph frontier_generated_graph(const generate_graph *how, const char *name);
/* A random graph: loops, parallel and closed arcs, weights 0 and near the limit. */
test_graph frontier_random_graph(uint64_t seed);

#endif
