/* test_nested_dissection.c - orders are permutations, the same every time, and shallow. */
#include "tests/support/leak.h"
#include "tests/support/checked.h"
#include "tests/support/graphs.h"
#include "tests/support/import_fixture.h"

#include "engine/base/memory.h"
#include "importers/order/nested_dissection.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(nested_dissection, .init = import_fixture_open, .fini = import_fixture_close);

static const mcd_parallel two_threads = {.thread_count = 2};

static mcd_node *order_of(const test_graph *graph)
{
    mcd_node *order;
    mcd_road_graph roads = {.node_count = graph->node_count,
                            .arc_count = graph->arc_count,
                            .tail = graph->tail,
                            .head = graph->head};
    cr_assert_eq(mcd_nested_dissection(&order, &roads, &two_threads, NULL, &import_error), MACADAM_OK,
                 "%s: %s", graph->name, import_error.message);
    return order;
}

static void expect_permutation(const mcd_node *order, size_t count, const char *name)
{
    FREED bool *const seen = checked_zeroed(count, sizeof *seen);
    for (size_t rank = 0; rank < count; ++rank) {
        cr_assert_lt(order[rank], count, "%s", name);
        cr_assert_not(seen[order[rank]], "%s: node %u twice", name, order[rank]);
        seen[order[rank]] = true;
    }
}

static void expect_order(test_graph *graph)
{
    mcd_node *const order = order_of(graph), *const again = order_of(graph);
    expect_permutation(order, graph->node_count, graph->name);
    cr_assert_eq(memcmp(order, again, graph->node_count * sizeof *order), 0, "%s", graph->name);
    mcd_free(order);
    mcd_free(again);
    test_graph_free(graph);
}

Test(nested_dissection, hostile_graphs_are_ordered)
{
    for (size_t i = 0; i < graphs_count(); ++i) {
        test_graph graph = graphs_make(i);
        expect_order(&graph);
    }
}

Test(nested_dissection, many_small_components_are_ordered)
{
    enum { CLIQUES = 2000, SIZE = 5 }; /* of degree 4: none is eliminated before the core */
    test_graph graph = {.name = "cliques", .node_count = CLIQUES * SIZE};
    for (uint32_t clique = 0; clique < CLIQUES; ++clique)
        for (uint32_t a = 0; a < SIZE; ++a)
            for (uint32_t b = 0; b < a; ++b)
                test_graph_add(&graph, clique * SIZE + a, clique * SIZE + b, 1, 1);
    expect_order(&graph);
}

Test(nested_dissection, large_star_is_ordered_quickly)
{
    enum { LEAVES = 300000 };
    test_graph graph = {.name = "star", .node_count = LEAVES + 1};
    for (uint32_t leaf = 1; leaf <= LEAVES; ++leaf) test_graph_add(&graph, 0, leaf, 1, 1);
    expect_order(&graph);
}

Test(nested_dissection, two_hubs_with_common_neighbours_are_ordered_quickly)
{
    enum { NEIGHBOURS = 30000 };
    test_graph graph = {.name = "two hubs", .node_count = NEIGHBOURS + 2};
    for (uint32_t node = 2; node < NEIGHBOURS + 2; ++node) {
        test_graph_add(&graph, 0, node, 1, 1);
        test_graph_add(&graph, node, 1, 1, 1);
    }
    expect_order(&graph);
}

/* Eliminating a path's nodes in this order, each leaves one arc between the two that are left beside it: the
 * height of the tree that they form is what sweeps and labels pay for. */
static uint32_t height_on_path(const mcd_node *order, uint32_t count)
{
    FREED uint32_t *const left = checked_allocate(count, sizeof *left), *const right = checked_allocate(
                                                                            count, sizeof *right);
    uint32_t *const height = checked_zeroed(count, sizeof *height), top = 0;
    for (uint32_t node = 0; node < count; ++node) {
        left[node] = node - 1; /* wraps to a number that no node has */
        right[node] = node + 1;
    }
    for (uint32_t rank = 0; rank < count; ++rank) {
        const uint32_t node = order[rank], a = left[node], b = right[node], above = ++height[node];
        top = above > top ? above : top;
        if (a < count) {
            right[a] = b;
            height[a] = height[a] > above ? height[a] : above;
        }
        if (b < count) {
            left[b] = a;
            height[b] = height[b] > above ? height[b] : above;
        }
    }
    free(height);
    return top;
}

Test(nested_dissection, path_becomes_a_shallow_tree)
{
    enum { LENGTH = 100000 };
    SCOPED(test_graph_free) test_graph graph = {.name = "path", .node_count = LENGTH};
    for (uint32_t node = 1; node < LENGTH; ++node) test_graph_add(&graph, node - 1, node, 1, 1);
    mcd_node *const order = order_of(&graph);
    cr_assert_leq(height_on_path(order, LENGTH), 40);
    mcd_free(order);
}

Test(nested_dissection, graph_beyond_32_bits_is_refused)
{
    mcd_node *order;
    mcd_road_graph roads = {.node_count = 5, .arc_count = (size_t)1 << 31};
    import_expect(
        mcd_nested_dissection(&order, &roads, &two_threads, NULL, &import_error), MACADAM_E_INVALID, NULL,
        "a graph of 5 nodes and 2147483648 arcs is too large for an order with 32-bit indices: give one");
    cr_assert_null(order);
}

Test(nested_dissection, every_failed_allocation_is_an_error)
{
    static mcd_node tail[] = {0, 0, 0, 1, 1, 2}, head[] = {1, 2, 3, 2, 3, 3};
    mcd_road_graph roads = {.node_count = 4, .arc_count = 6, .tail = tail, .head = head};
    for (size_t nth = 1;; ++nth) {
        mcd_node *order;
        allocator_fail(nth);
        const macadam_status status =
            mcd_nested_dissection(&order, &roads, &two_threads, NULL, &import_error);
        mcd_free(order);
        if (!leak_expect_failed(nth, status)) break;
    }
}
