/* signed_graph.h - random graphs whose arcs may have negative costs, without negative circles, and an oracle for them. */
#ifndef MCD_TESTS_SUPPORT_SIGNED_GRAPH_H
#define MCD_TESTS_SUPPORT_SIGNED_GRAPH_H

#include "engine/include/macadam.h"
#include "tests/support/rng.h"

enum { SIGNED_NODES_MAX = 30, SIGNED_ARCS_MAX = 120 };
#define SIGNED_NO_WAY MACADAM_COST_NONE

typedef struct signed_arcs {
    size_t node_count, arc_count;
    const uint32_t *tail, *head;
    const int64_t *cost; /* SIGNED_NO_WAY: the arc is open only at times */
} signed_arcs;

/* Bellman and Ford: rounds over all arcs until nothing changes. cost[node]: from the source, or to it. */
void signed_bellman_ford(const signed_arcs *arcs, uint32_t source, bool reverse, int64_t *cost);

/* Node i has the id 1000 - 3 i: ids descend. */
typedef struct signed_graph {
    size_t node_count, arc_count;
    int64_t id[SIGNED_NODES_MAX];
    uint32_t tail[SIGNED_ARCS_MAX], head[SIGNED_ARCS_MAX], duration[SIGNED_ARCS_MAX];
    int32_t energy[SIGNED_ARCS_MAX], potential[SIGNED_NODES_MAX];
    int32_t lon_e7[SIGNED_NODES_MAX], lat_e7[SIGNED_NODES_MAX];
    int64_t cost[SIGNED_ARCS_MAX];
    signed_arcs arcs;
} signed_graph;

void signed_graph_draw(signed_graph *out, test_rng *rng);
/* The quantities are "energy", which is signed, and "duration". */
macadam_status signed_graph_import(const signed_graph *graph, const char *path, bool hierarchy,
                                   macadam_error *error);
macadam_place signed_graph_place(const signed_graph *graph, size_t node);
/* Returns a node's position among the ids, which ascend as the nodes descend. */
size_t signed_graph_position(const signed_graph *graph, size_t node);

#endif
