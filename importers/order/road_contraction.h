/* road_contraction.h - the graph that is dissected: its vertices stand for connected nodes of a map. */
#ifndef MCD_IMPORTERS_ORDER_ROAD_CONTRACTION_H
#define MCD_IMPORTERS_ORDER_ROAD_CONTRACTION_H

#include "engine/base/arena.h"
#include "importers/order/flow_graph.h"
#include "importers/order/neighbours.h"
#include "importers/order/road_graph.h"

typedef struct mcd_contraction {
    const mcd_road_graph *map; /* NULL: each node is its own vertex */
    size_t node_count;
    uint32_t vertex_count, arc_count;
    mcd_flow_graph graph[2]; /* the first one is the graph; the second one has room for as much */
    mcd_arena arena;         /* of the arrays below */
    uint32_t *cell;          /* [node_count] the vertex that stands for each node */
    uint32_t *first;  /* [vertex_count + 1] a cell's nodes are member[first[cell] .. first[cell + 1]) */
    mcd_node *member; /* [node_count] */
    mcd_watch *watch; /* while it is made; may be NULL */
} mcd_contraction;

/* The junctions of a map whose junctions are split, without blind alleys and chains. The map must not
 * change until the contraction is freed. Memory: 16 bytes per arc, 17 per node, 45 per junction and 24 per
 * road and direction. If `roads` is NULL: each of the nodes, whose neighbours are given, as a vertex of
 * its own. Memory: 24 bytes per pair of neighbours and direction, 53 per node. On failure, which is
 * E_MEMORY, `out` is left for mcd_contraction_free. */
macadam_status mcd_contraction_new(mcd_contraction *out, const mcd_road_graph *roads,
                                   const mcd_neighbours *nodes, mcd_watch *watch, macadam_error *error);

void mcd_contraction_free(mcd_contraction *contraction);

#endif
