/* frontier_oracle.h - the oracle of methods without a hierarchy: plain breadth-first search with a queue,
 * and parents by their definition. It shares no code with the engine. */
#ifndef MCD_TESTS_SUPPORT_FRONTIER_ORACLE_H
#define MCD_TESTS_SUPPORT_FRONTIER_ORACLE_H

#include "tests/support/oracle.h"

/* The fewest arcs, whatever their weights, from `source` to each node (`reverse`: back to it);
 * ORACLE_UNREACHED. */
void frontier_oracle_hops(const oracle_arcs *arcs, uint32_t source, bool reverse, uint32_t *hops);

/* The smallest node one hop nearer with an arc between; ORACLE_UNREACHED where there is none. */
void frontier_oracle_hop_parents(const oracle_arcs *arcs, const uint32_t *hops, bool reverse,
                                 uint32_t *parent);

/* Where a search begins: a cost that a node has by itself. */
typedef struct oracle_seed {
    uint32_t node, objective, companion;
} oracle_seed;

/* oracle_tree from several seeds together. */
void frontier_oracle_tree(const oracle_arcs *arcs, const oracle_seed *seed, size_t seed_count, bool reverse,
                          uint32_t limit, uint32_t *objective, uint32_t *companion);

/* The parents of such a tree: the least neighbour u with a tight arc and (cost, rank) less than the node's. A
 * rank is the fewest tight arcs of weight 0 from a node whose cost is a seed's or that has a tight arc of
 * another weight. ORACLE_UNREACHED: none. `companion` may be NULL. */
void frontier_oracle_parents(const oracle_arcs *arcs, const oracle_seed *seed, size_t seed_count,
                             bool reverse, const uint32_t *objective, const uint32_t *companion,
                             uint32_t *parent);

#endif
