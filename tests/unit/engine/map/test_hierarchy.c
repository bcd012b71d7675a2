/* test_hierarchy.c - elimination tree, upward arcs and parts, against a plain elimination game. */
#include "tests/support/leak.h"
#include "tests/support/checked.h"
#include "tests/support/kernel_map.h"
#include "tests/support/rng.h"

#include "engine/map/hierarchy.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

static const mcd_parallel two_threads = {.thread_count = 2};

enum { NODES_MAX = 40, SMALL_GRAPHS = 60 };

TestSuite(hierarchy, .init = allocator_install, .fini = leak_expect_none);

/* From a forest of single nodes to something near a clique. */
static void make_small(kernel_map *out, uint32_t seed)
{
    test_rng rng = {seed};
    SCOPED(test_graph_free)
    test_graph graph = {.name = "small", .node_count = 1 + rng_below(&rng, NODES_MAX)};
    const uint32_t arc_count = rng_below(&rng, 5 * NODES_MAX) >> seed % 4;
    for (uint32_t i = 0; i < arc_count; ++i)
        test_graph_add(&graph, rng_below(&rng, (uint32_t)graph.node_count),
                       rng_below(&rng, (uint32_t)graph.node_count), 1, 1);
    kernel_map_make(out, &graph, seed % 3 * 5);
}

/* Eliminates the nodes, the largest id first: its remaining neighbours become a clique. */
static void play_game(const kernel_map *map, bool joined[NODES_MAX][NODES_MAX])
{
    const mcd_node node_count = map->graph->node_count;
    memset(joined, 0, sizeof(bool[NODES_MAX][NODES_MAX]));
    for (size_t arc = 0; arc < map->graph->arc_count; ++arc) {
        const mcd_node x = map->tail[arc], y = map->graph->head[arc];
        joined[x][y] = joined[y][x] = true;
    }
    for (mcd_node v = node_count; v-- > 0;)
        for (mcd_node a = 0; a < v; ++a)
            for (mcd_node b = 0; b < v; ++b)
                if (joined[v][a] && joined[v][b]) joined[a][b] = true;
}

Test(hierarchy, upward_arcs_are_those_of_the_elimination_game)
{
    static bool joined[NODES_MAX][NODES_MAX];
    for (uint32_t seed = 0; seed < SMALL_GRAPHS; ++seed) {
        SCOPED(kernel_map_free) kernel_map map;
        make_small(&map, seed);
        play_game(&map, joined);
        const mcd_hierarchy *h = map.hierarchy;
        for (mcd_node v = 0; v < h->node_count; ++v) {
            mcd_arc next = h->first_up[v];
            for (mcd_node w = 0; w < v; ++w)
                if (joined[v][w])
                    cr_assert(next < h->first_up[v + 1] && h->up_head[next++] == w, "graph %u: %u -> %u",
                              seed, v, w);
            cr_assert_eq(next, h->first_up[v + 1], "graph %u: node %u has more", seed, v);
        }
    }
}

/* Checks a claim on small graphs, and on maps with a top. */
static void for_all(void (*claim)(const mcd_hierarchy *hierarchy))
{
    for (size_t i = 0; i < SMALL_GRAPHS + kernel_maps_count(); ++i) {
        SCOPED(kernel_map_free) kernel_map map;
        if (i < SMALL_GRAPHS)
            make_small(&map, (uint32_t)i);
        else
            kernel_maps_make(&map, i - SMALL_GRAPHS);
        claim(map.hierarchy);
    }
}

static void parents(const mcd_hierarchy *h)
{
    for (mcd_node v = 0; v < h->node_count; ++v) {
        const bool is_root = h->first_up[v] == h->first_up[v + 1];
        cr_assert_eq(h->parent[v], is_root ? MCD_NODE_NONE : h->up_head[h->first_up[v + 1] - 1]);
    }
}

Test(hierarchy, parent_is_the_lowest_upward_neighbour)
{
    for_all(parents);
}

/* A preorder: the parent of v is v - 1 or one of its ancestors. */
static void preorder(const mcd_hierarchy *h)
{
    for (mcd_node v = 1; v < h->node_count; ++v) {
        mcd_node ancestor = v - 1;
        while (ancestor != MCD_NODE_NONE && ancestor != h->parent[v]) ancestor = h->parent[ancestor];
        cr_assert_eq(ancestor, h->parent[v], "node %u", v);
    }
}

Test(hierarchy, ids_are_a_preorder)
{
    for_all(preorder);
}

static void subtrees(const mcd_hierarchy *h)
{
    FREED mcd_node *size = checked_zeroed(h->node_count, sizeof *size);
    for (mcd_node v = h->node_count; v-- > 0;) {
        ++size[v];
        cr_assert_eq(h->subtree_end[v], v + size[v], "node %u", v);
        if (h->parent[v] != MCD_NODE_NONE) size[h->parent[v]] += size[v];
    }
}

Test(hierarchy, subtree_ends_after_its_nodes)
{
    for_all(subtrees);
}

static void levels(const mcd_hierarchy *h)
{
    uint32_t *highest = checked_zeroed(h->node_count, sizeof *highest), height = 0; /* 1 + of the children */
    for (mcd_node v = h->node_count; v-- > 0;) {
        const mcd_node p = h->parent[v];
        cr_assert_eq(h->level[v], highest[v], "level of node %u", v);
        if (p != MCD_NODE_NONE && highest[p] < highest[v] + 1) highest[p] = highest[v] + 1;
    }
    for (mcd_node v = 0; v < h->node_count; ++v) {
        const uint32_t depth = h->parent[v] == MCD_NODE_NONE ? 0 : h->depth[h->parent[v]] + 1;
        cr_assert_eq(h->depth[v], depth, "depth of node %u", v);
        if (height < depth + 1) height = depth + 1;
    }
    cr_assert_eq(h->height, height);
    free(highest);
}

Test(hierarchy, depths_count_from_roots_and_levels_from_leaves)
{
    for_all(levels);
}

/* Within a supernode each node continues the one before: its upward neighbours are that one and all of
 * its. */
static bool continues(const mcd_hierarchy *h, mcd_node v)
{
    const mcd_arc count = h->first_up[v] - h->first_up[v - 1];
    return h->first_up[v + 1] - h->first_up[v] == count + 1 && h->up_head[h->first_up[v] + count] == v - 1 &&
           memcmp(h->up_head + h->first_up[v], h->up_head + h->first_up[v - 1], count * sizeof(mcd_node)) ==
               0;
}

static void supernodes(const mcd_hierarchy *h)
{
    mcd_node s = 0;
    cr_assert_eq(h->supernode_first[h->supernode_count], h->node_count);
    for (mcd_node v = 0; v < h->node_count; ++v) {
        const bool begins = s < h->supernode_count && h->supernode_first[s] == v;
        cr_assert_eq(begins, v == 0 || !continues(h, v), "node %u", v);
        s += begins;
    }
    cr_assert_eq(s, h->supernode_count);
}

Test(hierarchy, supernodes_are_the_longest_runs_of_nested_lists)
{
    for_all(supernodes);
}

static void bottom(const mcd_hierarchy *h)
{
    mcd_node b = 0, covered = 0; /* ids below it are in a bottom subtree, or have more nodes than one */
    for (mcd_node v = 0; v < h->node_count; ++v) {
        const bool is_small = h->subtree_end[v] - v <= MCD_BOTTOM_NODES, is_root = is_small && v >= covered;
        cr_assert_eq(b < h->bottom_count && h->bottom_root[b] == v, is_root, "node %u", v);
        if (!is_root) continue;
        covered = h->subtree_end[v];
        ++b;
    }
    cr_assert_eq(b, h->bottom_count);
}

Test(hierarchy, bottom_subtrees_are_the_largest_of_their_size_and_disjoint)
{
    for_all(bottom);
}

static bool never(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(hierarchy, cancelled_work_leaves_nothing)
{
    static const mcd_node tail[] = {0}, head[] = {1}, order[] = {0, 1};
    const mcd_progress progress = {never, NULL};
    mcd_watch watch = mcd_watch_of(&progress, "elimination tree");
    macadam_error error;
    mcd_node *id_of;
    mcd_fill fill;
    cr_assert_eq(
        mcd_hierarchy_preorder(&id_of, &fill, NULL, 2, tail, head, 1, order, &two_threads, &watch, &error),
        MACADAM_E_CANCELLED);
    cr_assert_null(id_of);
}

/* A clique of 40 nodes has as many triangles as it has triples. */
Test(hierarchy, triangles_are_counted_up_to_the_limit)
{
    enum { NODES = 40, ARCS = NODES * (NODES - 1) / 2, TRIPLES = NODES * (NODES - 1) * (NODES - 2) / 6 };
    mcd_node tail[ARCS], head[ARCS], order[NODES], *id_of;
    size_t arc_count = 0;
    for (mcd_node x = 0; x < NODES; ++x) {
        order[x] = x;
        for (mcd_node y = 0; y < x; ++y, ++arc_count) tail[arc_count] = x, head[arc_count] = y;
    }
    macadam_error error;
    mcd_fill fill;
    const mcd_fill exact = {.up_count = ARCS, .triangle_count = TRIPLES},
                   low = {.up_count = ARCS, .triangle_count = TRIPLES - 1};
    cr_assert_eq(mcd_hierarchy_preorder(&id_of, &fill, &exact, NODES, tail, head, arc_count, order,
                                        &two_threads, NULL, &error),
                 MACADAM_OK);
    cr_expect_eq(fill.up_count, ARCS);
    cr_expect_eq(fill.triangle_count, TRIPLES);
    cr_expect_eq(fill.height, NODES);
    cr_assert_not_null(id_of);
    mcd_free(id_of);
    cr_assert_eq(mcd_hierarchy_preorder(&id_of, &fill, &low, NODES, tail, head, arc_count, order,
                                        &two_threads, NULL, &error),
                 MACADAM_OK);
    cr_expect_null(id_of);
}

/* A planet's 837 million nodes and 2 billion arcs. */
Test(hierarchy, more_upward_arcs_than_32_bits_count_are_refused)
{
    cr_expect_lt(mcd_hierarchy_limit(837000000, 2000000000).up_count, UINT32_MAX);
    cr_expect_gt(mcd_hierarchy_limit(837000000, 2000000000).up_count, UINT64_C(4000000000));
}
