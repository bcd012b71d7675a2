/* neighbours.h - the neighbours of each node of a graph, whatever the directions of its arcs. */
#ifndef MCD_IMPORTERS_ORDER_NEIGHBOURS_H
#define MCD_IMPORTERS_ORDER_NEIGHBOURS_H

#include "engine/base/types.h"
#include "engine/base/watch.h"

/* A node's neighbours, each once and without itself, are neighbour[first[node] .. first[node + 1]). */
typedef struct mcd_neighbours {
    size_t node_count;
    uint32_t *first, *neighbour;
} mcd_neighbours;

/* The graph has at most INT32_MAX nodes and arcs. node_of[end] is the node of each end of an arc; NULL: the end is the
 * node. On failure, free `out` with mcd_neighbours_free too. */
macadam_status mcd_neighbours_new(mcd_neighbours *out, size_t node_count, const uint32_t *node_of,
                                  const mcd_node *tail, const mcd_node *head, size_t arc_count,
                                  mcd_watch *watch, macadam_error *error);

void mcd_neighbours_free(mcd_neighbours *neighbours);

#endif
