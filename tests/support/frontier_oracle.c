/* frontier_oracle.c - see frontier_oracle.h. */
#include "tests/support/frontier_oracle.h"

#include "tests/support/checked.h"

#include <string.h>

/* Arc i as the search meets it. */
static uint32_t from_of(const oracle_arcs *arcs, size_t i, bool reverse)
{
    return reverse ? arcs->head[i] : arcs->tail[i];
}

static uint32_t to_of(const oracle_arcs *arcs, size_t i, bool reverse)
{
    return reverse ? arcs->tail[i] : arcs->head[i];
}

/* ---- hops ---- */

void frontier_oracle_hops(const oracle_arcs *arcs, uint32_t source, bool reverse, uint32_t *hops)
{
    size_t *first = checked_zeroed(arcs->node_count + 2, sizeof *first), end = 1;
    FREED uint32_t *neighbour = checked_allocate(arcs->arc_count, sizeof *neighbour);
    FREED uint32_t *queue = checked_allocate(arcs->node_count, sizeof *queue);
    for (size_t i = 0; i < arcs->arc_count; ++i) ++first[from_of(arcs, i, reverse) + 2];
    for (size_t x = 0; x < arcs->node_count; ++x) first[x + 2] += first[x + 1];
    for (size_t i = 0; i < arcs->arc_count; ++i)
        neighbour[first[from_of(arcs, i, reverse) + 1]++] = to_of(arcs, i, reverse);
    for (size_t x = 0; x < arcs->node_count; ++x) hops[x] = ORACLE_UNREACHED;
    hops[source] = 0;
    queue[0] = source;
    for (size_t next = 0; next < end; ++next)
        for (size_t i = first[queue[next]]; i < first[queue[next] + 1]; ++i) {
            if (hops[neighbour[i]] != ORACLE_UNREACHED) continue;
            hops[neighbour[i]] = hops[queue[next]] + 1;
            queue[end++] = neighbour[i];
        }
    free(first);
}

void frontier_oracle_hop_parents(const oracle_arcs *arcs, const uint32_t *hops, bool reverse,
                                 uint32_t *parent)
{
    memset(parent, 0xff, arcs->node_count * sizeof *parent);
    for (size_t i = 0; i < arcs->arc_count; ++i) {
        const uint32_t x = from_of(arcs, i, reverse), y = to_of(arcs, i, reverse);
        if (hops[x] != ORACLE_UNREACHED && hops[x] + 1 == hops[y] && x < parent[y]) parent[y] = x;
    }
}

/* ---- trees ---- */

/* A node more, from which an arc leads to each seed. */
void frontier_oracle_tree(const oracle_arcs *arcs, const oracle_seed *seed, size_t seed_count, bool reverse,
                          uint32_t limit, uint32_t *objective, uint32_t *companion)
{
    const size_t count = arcs->arc_count + seed_count, node_count = arcs->node_count + 1;
    const uint32_t start = (uint32_t)arcs->node_count;
    uint32_t *column[4], *cost[2];
    for (int i = 0; i < 4; ++i) column[i] = checked_zeroed(count, sizeof *column[i]);
    for (int i = 0; i < 2; ++i) cost[i] = checked_allocate(node_count, sizeof *cost[i]);
    const uint32_t *const from[4] = {arcs->tail, arcs->head, arcs->objective, arcs->companion};
    for (int i = 0; i < 4; ++i)
        if (from[i] && arcs->arc_count) memcpy(column[i], from[i], arcs->arc_count * sizeof *column[i]);
    for (size_t s = 0; s < seed_count; ++s) {
        column[reverse ? 1 : 0][arcs->arc_count + s] = start;
        column[reverse ? 0 : 1][arcs->arc_count + s] = seed[s].node;
        column[2][arcs->arc_count + s] = seed[s].objective;
        column[3][arcs->arc_count + s] = seed[s].companion;
    }
    const oracle_arcs all = {node_count, count, column[0], column[1], column[2], column[3]};
    test_oracle *oracle = oracle_new(&all, reverse);
    oracle_tree(oracle, start, limit, cost[0], companion ? cost[1] : NULL);
    memcpy(objective, cost[0], arcs->node_count * sizeof *objective);
    if (companion) memcpy(companion, cost[1], arcs->node_count * sizeof *companion);
    oracle_free(oracle);
    for (int i = 0; i < 4; ++i) free(column[i]);
    for (int i = 0; i < 2; ++i) free(cost[i]);
}

/* ---- parents of trees ---- */

typedef struct tree_costs {
    const oracle_arcs *arcs;
    bool reverse;
    const uint32_t *objective, *companion;
} tree_costs;

static bool is_reached(const tree_costs *tree, uint32_t node)
{
    return tree->objective[node] != ORACLE_UNREACHED;
}

static uint64_t cost_of(const tree_costs *tree, uint32_t node)
{
    return (uint64_t)tree->objective[node] << 32 | (tree->companion ? tree->companion[node] : 0);
}

static bool is_closed(const tree_costs *tree, size_t arc)
{
    const oracle_arcs *arcs = tree->arcs;
    return arcs->objective[arc] >= ORACLE_COST_END ||
           (arcs->companion && arcs->companion[arc] >= ORACLE_COST_END);
}

static bool is_tight(const tree_costs *tree, size_t arc)
{
    const oracle_arcs *arcs = tree->arcs;
    const uint32_t x = from_of(arcs, arc, tree->reverse), y = to_of(arcs, arc, tree->reverse);
    if (is_closed(tree, arc) || !is_reached(tree, x) || !is_reached(tree, y)) return false;
    if ((uint64_t)tree->objective[x] + arcs->objective[arc] != tree->objective[y]) return false;
    return !tree->companion || (uint64_t)tree->companion[x] + arcs->companion[arc] == tree->companion[y];
}

/* Lowers ranks along tight arcs of weight 0 until none changes. */
static void rank_nodes(const tree_costs *tree, uint32_t *rank)
{
    const oracle_arcs *arcs = tree->arcs;
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < arcs->arc_count; ++i) {
            const uint32_t x = from_of(arcs, i, tree->reverse), y = to_of(arcs, i, tree->reverse);
            if (!is_tight(tree, i) || cost_of(tree, x) != cost_of(tree, y)) continue;
            if (rank[x] == UINT32_MAX || rank[y] <= rank[x] + 1) continue;
            rank[y] = rank[x] + 1;
            changed = true;
        }
    }
}

void frontier_oracle_parents(const oracle_arcs *arcs, const oracle_seed *seed, size_t seed_count,
                             bool reverse, const uint32_t *objective, const uint32_t *companion,
                             uint32_t *parent)
{
    const tree_costs tree = {arcs, reverse, objective, companion};
    FREED uint32_t *rank = checked_allocate(arcs->node_count, sizeof *rank);
    memset(rank, 0xff, arcs->node_count * sizeof *rank);
    memset(parent, 0xff, arcs->node_count * sizeof *parent);
    for (size_t i = 0; i < arcs->arc_count; ++i) {
        const uint32_t y = to_of(arcs, i, reverse);
        if (is_tight(&tree, i) && cost_of(&tree, from_of(arcs, i, reverse)) != cost_of(&tree, y)) rank[y] = 0;
    }
    FREED bool *is_seed = checked_zeroed(arcs->node_count, sizeof *is_seed);
    for (size_t s = 0; s < seed_count; ++s)
        if (seed[s].objective == objective[seed[s].node] &&
            (!companion || seed[s].companion == companion[seed[s].node]))
            is_seed[seed[s].node] = true, rank[seed[s].node] = 0;
    rank_nodes(&tree, rank);
    for (size_t i = 0; i < arcs->arc_count; ++i) {
        const uint32_t x = from_of(arcs, i, reverse), y = to_of(arcs, i, reverse);
        if (!is_tight(&tree, i) || is_seed[y] || x >= parent[y]) continue;
        const uint64_t from = cost_of(&tree, x), to = cost_of(&tree, y);
        if (from < to || (from == to && rank[x] < rank[y])) parent[y] = x;
    }
}
