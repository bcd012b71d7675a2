/* clock_scene.h - a graph with harsh speed patterns, and a check of a backend's searches with a clock. */
#ifndef MCD_TESTS_SUPPORT_CLOCK_SCENE_H
#define MCD_TESTS_SUPPORT_CLOCK_SCENE_H

#include "tests/support/clock_oracle.h"
#include "tests/support/graphs.h"

#include "kernels/backend.h"

typedef struct clock_scene {
    mcd_graph *graph;
    mcd_node *tail;                              /* [arc_count], as graph->head */
    uint32_t *own, *price, *pattern, *companion; /* [arc_count] */
    uint8_t *rate;
    clock_oracle_week week;
    mcd_clock_arc *record[2];
    mcd_weight *companion_in;
    mcd_clock_arcs arcs;
} clock_scene;

/* A random graph: loops, parallel and closed arcs, weights from 0 to days, prices, standstill, single open slots. */
test_graph clock_random_graph(uint64_t seed);
/* Gives the graph's arcs patterns and prices; its weights are durations at the fastest and companions. */
void clock_scene_make(clock_scene *out, const test_graph *graph, uint64_t seed);
void clock_scene_free(clock_scene *scene);

/* Trees in both directions: objectives and pairs, several seeds, limits, columns, lanes, parents. */
void clock_check(const clock_scene *scene, const mcd_backend *backend, unsigned threads, uint64_t seed);

#endif
