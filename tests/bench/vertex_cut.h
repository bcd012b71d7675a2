/* vertex_cut.h - the fewest nodes whose removal separates two sets of nodes of an undirected graph. */
#ifndef MCD_TESTS_BENCH_VERTEX_CUT_H
#define MCD_TESTS_BENCH_VERTEX_CUT_H

#include <stddef.h>
#include <stdint.h>

enum { SIDE_FIRST, SIDE_LAST, SIDE_CUT };

/* Writes side[node]: SIDE_CUT for the nodes to remove, else the side a node is on; no edge (end[0][i],
 * end[1][i]) leads from one side to the other. Members of `first` and `last` may be removed too. Returns how
 * many are removed. Time: one breadth-first search per removed node (Menger; Ford and Fulkerson). */
size_t vertex_cut(size_t node_count, size_t edge_count, const uint32_t *const end[2], size_t first_count,
                  const uint32_t *first, size_t last_count, const uint32_t *last, uint8_t *side);

#endif
