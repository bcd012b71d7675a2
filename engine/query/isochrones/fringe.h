/* fringe.h - the roads beside a reached area that are not reached: the area ends half-way to them. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_FRINGE_H
#define MCD_ENGINE_QUERY_ISOCHRONES_FRINGE_H

#include "engine/query/isochrones/dots.h"

typedef struct mcd_node_list {
    mcd_node *node;
    size_t count, capacity;
    uint64_t *has; /* [node_count / 64 + 1] a bit per node of the map; zeroed at first */
} mcd_node_list;

typedef struct mcd_fringe {
    mcd_node_list seed; /* each once: mcd_fringe_seed */
    /* of one limit: first those of the seeds that are reached, then nodes that are not, but felt */
    mcd_node_list near;
} mcd_fringe;

/* Empties `seed`, of one place, for the next one. */
void mcd_fringe_begin(mcd_fringe *fringe);

/* Lists, for the id of a node, the node at which its cost is. Forward, the nodes have to be given where arcs
 * are entered that the first limit does not reach as a whole; backward, all nodes of the range. */
macadam_status mcd_fringe_seed(mcd_fringe *fringe, const mcd_reached_search *search, mcd_node node);

/* Empties `out`, which is as large as `reached`, and draws there what is not reached within `limit` of the open roads
 * that are connected with reached ones, as far as these are felt: `reached` has the dots of the limit. `search` has
 * grown at least as far. The dots were begun; the grid is theirs. Limits have to ascend: a seed is dropped once all of its
 * roads are reached. */
macadam_status mcd_fringe_draw(mcd_fringe *fringe, const mcd_reached_search *search, uint32_t limit,
                               mcd_dots *dots, const mcd_dots_grid *grid, const mcd_field *reached,
                               mcd_field *out);

#endif
