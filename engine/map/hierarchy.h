/* hierarchy.h - the elimination tree and the chordal supergraph of a map: everything that does not depend on
 * weights.
 *
 * Method. Eliminating the nodes in `order` one by one, each joining its remaining neighbours to a clique,
 * adds the shortcuts of a chordal supergraph; the lowest of a node's remaining neighbours is its parent in
 * the elimination tree (Schreiber 1982; Liu 1990), and all of them are its ancestors. Nodes are then
 * renumbered by a preorder of that tree: parents before children, subtrees contiguous, and the child that
 * continues its parent's supernode first, so that supernodes are contiguous too. A node's upward neighbours
 * thus have smaller ids than it, and the largest of them is its parent. (Dibbelt, Strasser, Wagner 2016,
 * Customizable Contraction Hierarchies) */
#ifndef MCD_ENGINE_MAP_HIERARCHY_H
#define MCD_ENGINE_MAP_HIERARCHY_H

#include "engine/map/graph.h"

/* The tuning number of the bottom cut: the largest subtrees with at most this many nodes are swept without
 * synchronisation (tests/bench: values from 256 to 2048 make no difference on CPUs). */
enum { MCD_BOTTOM_NODES = 512 };

/* How large a hierarchy is: its upward arcs, its lower triangles, from which metrics are customized, and the
 * nodes on the longest path of its elimination tree. */
typedef struct mcd_fill {
    uint64_t up_count, triangle_count;
    uint32_t height;
} mcd_fill;

/* Computes the elimination tree's preorder: id_of[node] for the map's nodes. order[rank] = node, a
 * permutation. Also counts the fill. Counting stops when it passes `limit` (NULL: no limit); *id_of is then
 * NULL. `watch` may be NULL. Time: nearly linear in arcs plus fill. */
macadam_status mcd_hierarchy_preorder(mcd_node **id_of, mcd_fill *fill, const mcd_fill *limit,
                                      mcd_node node_count, const mcd_node *tail, const mcd_node *head,
                                      size_t arc_count, const mcd_node *order, const mcd_parallel *parallel,
                                      mcd_watch *watch, macadam_error *error);

/* Indices of upward arcs have 32 bits where there are many of them. */
#define MCD_UP_COUNT_MAX (UINT32_MAX - UINT64_C(1))

/* A graph whose hierarchy has more arcs or triangles than this is not a road network, or too large. */
mcd_fill mcd_hierarchy_limit(uint64_t node_count, uint64_t arc_count);

/* Makes the hierarchy of `graph`, whose ids are a preorder as above. If they are not, the parents and the upward arcs are still
 * those of the ids' order, but mcd_check_tree refuses the ends of subtrees. The hierarchy owns its arrays; free it with
 * mcd_hierarchy_free. It is the same for any number of threads. `watch` may be NULL. Returns E_MEMORY, E_CANCELLED or E_INVALID
 * (beyond mcd_hierarchy_limit). */
macadam_status mcd_hierarchy_new(mcd_hierarchy **out, const mcd_graph *graph, const mcd_parallel *parallel,
                                 mcd_watch *watch, macadam_error *error);
void mcd_hierarchy_free(mcd_hierarchy *hierarchy);

#endif
