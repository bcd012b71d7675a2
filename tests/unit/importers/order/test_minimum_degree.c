/* test_minimum_degree.c - the node that costs most to eliminate comes last in its block, and only blocks
 * change. */
#include "tests/support/checked.h"
#include "tests/support/import_fixture.h"

#include "engine/base/memory.h"
#include "importers/order/minimum_degree.h"

#include <criterion/criterion.h>

TestSuite(minimum_degree, .init = import_fixture_open, .fini = import_fixture_close);

static mcd_watch nobody;
static const mcd_parallel two_threads = {.thread_count = 2};

static void reorder(mcd_node *order, uint32_t node_count, const mcd_node *tail, const mcd_node *head,
                    size_t arc_count)
{
    mcd_neighbours graph;
    cr_assert_eq(mcd_neighbours_new(&graph, node_count, NULL, tail, head, arc_count, NULL, &import_error),
                 MACADAM_OK);
    uint32_t *block_end;
    SCOPED(mcd_arena_free) mcd_arena arena = {0};
    cr_assert_eq(MCD_NEW(block_end, node_count, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_find_blocks(order, block_end, &graph, &arena, NULL, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_minimum_degree(order, block_end, &graph, &two_threads, &nobody, &import_error),
                 MACADAM_OK);
    mcd_neighbours_free(&graph);
    mcd_free(block_end);
}

/* 0 is joined to all others and comes first: they would become a clique. */
Test(minimum_degree, hub_goes_behind_its_leaves)
{
    enum { LEAVES = 100 };
    mcd_node tail[LEAVES], head[LEAVES], order[LEAVES + 1];
    for (mcd_node leaf = 0; leaf <= LEAVES; ++leaf) order[leaf] = leaf;
    for (mcd_node leaf = 0; leaf < LEAVES; ++leaf) tail[leaf] = leaf + 1, head[leaf] = 0;
    reorder(order, LEAVES + 1, tail, head, LEAVES);
    for (uint32_t rank = 0; rank + 2 < LEAVES + 1; ++rank) cr_assert_neq(order[rank], 0, "rank %u", rank);
}

/* Two such stars, and a path of 200 nodes between their hubs that comes last: it is above the blocks.
 *
 *     \|/                \|/
 *    --0-- 2 --- ... ---- --1--
 *     /|\                /|\                 */
Test(minimum_degree, what_is_above_the_blocks_stays)
{
    enum { LEAVES = 50, BRIDGE = 200, NODES = 2 + BRIDGE + 2 * LEAVES, FIRST_LEAF = 2 + BRIDGE };
    mcd_node tail[NODES], head[NODES], order[NODES];
    size_t arc_count = 0;
    for (mcd_node node = 2; node <= 2 + BRIDGE; ++node, ++arc_count) {
        tail[arc_count] = node == 2 ? 0 : node - 1;
        head[arc_count] = node == 2 + BRIDGE ? 1 : node;
    }
    for (mcd_node leaf = FIRST_LEAF; leaf < NODES; ++leaf, ++arc_count) {
        tail[arc_count] = leaf;
        head[arc_count] = leaf < FIRST_LEAF + LEAVES ? 0 : 1;
    }
    uint32_t rank = 0;
    order[rank++] = 0, order[rank++] = 1;
    for (mcd_node leaf = FIRST_LEAF; leaf < NODES; ++leaf) order[rank++] = leaf;
    for (mcd_node node = 2; node < 2 + BRIDGE; ++node) order[rank++] = node;
    reorder(order, NODES, tail, head, arc_count);
    for (uint32_t last = NODES - 50; last < NODES; ++last)
        cr_assert_eq(order[last], 2 + BRIDGE - (NODES - last), "rank %u", last);
    for (uint32_t first = 0; first < 40; ++first) cr_assert_gt(order[first], 1, "rank %u", first);
}

/* A block of 0 and 1, where 0 is joined to 1 and to `rim` nodes around the block, which hash alike. */
static void expect_first(mcd_node expected, uint32_t rim)
{
    enum { BETWEEN = 1024 };
    const uint32_t node_count = (rim + 1) * BETWEEN;
    mcd_node *const tail = checked_allocate(rim + 1, sizeof *tail), *const head =
                                                                        checked_zeroed(rim + 1, sizeof *head);
    mcd_node *const order = checked_allocate(node_count, sizeof *order);
    uint32_t *const block_end = checked_zeroed(node_count, sizeof *block_end);
    mcd_neighbours graph;
    for (mcd_node node = 0; node < node_count; ++node) order[node] = node;
    tail[0] = 1;
    for (uint32_t i = 1; i <= rim; ++i) tail[i] = i * BETWEEN;
    block_end[0] = 2;
    cr_assert_eq(mcd_neighbours_new(&graph, node_count, NULL, tail, head, rim + 1, NULL, &import_error),
                 MACADAM_OK);
    cr_assert_eq(mcd_minimum_degree(order, block_end, &graph, &two_threads, &nobody, &import_error),
                 MACADAM_OK);
    cr_assert_eq(order[0], expected, "%u nodes around the block", rim);
    cr_assert_eq(order[1], 1 - expected);
    for (mcd_node node = 2; node < node_count; ++node) cr_assert_eq(order[node], node);
    mcd_neighbours_free(&graph);
    free(tail), free(head), free(order), free(block_end);
}

Test(minimum_degree, blocks_in_larger_surroundings_stay)
{
    expect_first(1, 4);
    expect_first(1, 512);
    expect_first(0, 513);
}
