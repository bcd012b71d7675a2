/* test_road_dissection.c - maps with split junctions get permutations, the same on any number of threads,
 * whose trees are as shallow as cuts through roads make them. */
#include "tests/support/leak.h"
#include "tests/support/checked.h"
#include "tests/support/graphs.h"
#include "tests/support/import_fixture.h"

#include "engine/base/memory.h"
#include "importers/order/neighbours.h"
#include "importers/order/nested_dissection.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(road_dissection, .init = import_fixture_open, .fini = import_fixture_close);

static mcd_node *order_of(const test_graph *graph, const uint32_t *junction, uint32_t junction_count,
                          unsigned threads)
{
    mcd_node *order;
    const mcd_parallel parallel = {.thread_count = threads};
    mcd_road_graph roads = {.node_count = graph->node_count,
                            .arc_count = graph->arc_count,
                            .tail = graph->tail,
                            .head = graph->head,
                            .junction = junction,
                            .junction_count = junction_count};
    cr_assert_eq(mcd_nested_dissection(&order, &roads, &parallel, NULL, &import_error), MACADAM_OK, "%s: %s",
                 graph->name, import_error.message);
    return order;
}

/* The order, which is a permutation on any number of threads. */
static mcd_node *checked_order(const test_graph *graph, const uint32_t *junction, uint32_t junction_count)
{
    mcd_node *const order = order_of(graph, junction, junction_count, 1);
    mcd_node *const other = order_of(graph, junction, junction_count, 3);
    FREED bool *const seen = checked_zeroed(graph->node_count, sizeof *seen);
    cr_assert_eq(memcmp(order, other, graph->node_count * sizeof *order), 0, "%s", graph->name);
    for (size_t rank = 0; rank < graph->node_count; ++rank) {
        cr_assert_lt(order[rank], graph->node_count, "%s", graph->name);
        cr_assert_not(seen[order[rank]], "%s: node %u twice", graph->name, order[rank]);
        seen[order[rank]] = true;
    }
    mcd_free(other);
    return order;
}

/* Junctions have nothing to do with these graphs' arcs: that is legal too. */
Test(road_dissection, hostile_graphs_are_ordered)
{
    for (size_t i = 0; i < graphs_count(); ++i) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(i);
        FREED uint32_t *const junction = checked_allocate(graph.node_count + 1, sizeof *junction);
        for (uint32_t node = 0; node < graph.node_count; ++node) junction[node] = node / 2;
        mcd_free(checked_order(&graph, junction, (graph.node_count + 1) / 2));
    }
}

/* A node for each way out of a junction of a grid, to the right, up, left, down: from there it goes on to any
 * but the one it came by. */
enum { WIDTH = 40, WAYS = 4, NODES = WIDTH * WIDTH * WAYS };

static bool way_out(uint32_t junction, uint32_t way, uint32_t *head)
{
    static const int right[WAYS] = {1, 0, -1, 0}, up[WAYS] = {0, 1, 0, -1};
    const int x = (int)(junction % WIDTH) + right[way], y = (int)(junction / WIDTH) + up[way];
    *head = (uint32_t)(y * WIDTH + x);
    return x >= 0 && x < WIDTH && y >= 0 && y < WIDTH;
}

static test_graph split_grid(uint32_t junction[NODES])
{
    test_graph graph = {.name = "split grid", .node_count = NODES};
    for (uint32_t node = 0; node < NODES; ++node) {
        uint32_t head, next;
        junction[node] = node / WAYS;
        if (!way_out(node / WAYS, node % WAYS, &head)) continue;
        junction[node] = head;
        for (uint32_t way = 0; way < WAYS; ++way)
            if (way != (node + 2) % WAYS && way_out(head, way, &next))
                test_graph_add(&graph, node, head * WAYS + way, 1, 1);
    }
    return graph;
}

/* The height of the elimination tree: each node adopts the roots of the trees with a neighbour of it. */
static uint32_t height_of(const test_graph *graph, const mcd_node *order)
{
    const uint32_t count = graph->node_count;
    uint32_t *const rank = checked_allocate(count, sizeof *rank), *const root =
                                                                      checked_allocate(count, sizeof *root);
    uint32_t *const height = checked_zeroed(count, sizeof *height), top = 0;
    mcd_neighbours neighbours;
    cr_assert_eq(mcd_neighbours_new(&neighbours, count, NULL, graph->tail, graph->head, graph->arc_count,
                                    NULL, &import_error),
                 MACADAM_OK);
    for (uint32_t r = 0; r < count; ++r) rank[order[r]] = r;
    for (uint32_t r = 0; r < count; ++r) {
        root[r] = r;
        height[r] = 1;
        for (uint32_t k = neighbours.first[order[r]]; k < neighbours.first[order[r] + 1]; ++k) {
            uint32_t low = rank[neighbours.neighbour[k]];
            if (low > r) continue;
            while (root[low] != low) low = root[low];
            root[low] = r;
            if (low != r && height[r] <= height[low]) height[r] = height[low] + 1;
        }
        top = height[r] > top ? height[r] : top;
    }
    mcd_neighbours_free(&neighbours);
    free(rank), free(root), free(height);
    return top;
}

/* A cut through the grid crosses 40 roads of 2 nodes; those of its halves 20, those of its quarters 20, and
 * so on: 80 + 2 * (40 + 20 + ...) = 240 at best. Whole junctions of 4 nodes would be twice as many. */
Test(road_dissection, roads_are_cut_and_not_junctions)
{
    static uint32_t junction[NODES];
    SCOPED(test_graph_free) test_graph graph = split_grid(junction);
    mcd_node *const order = checked_order(&graph, junction, WIDTH * WIDTH);
    cr_assert_leq(height_of(&graph, order), 400);
    mcd_free(order);
}

Test(road_dissection, many_small_components_are_ordered)
{
    enum { COUNT = 3000, SIZE = 4 }; /* circles of two junctions */
    SCOPED(test_graph_free) test_graph graph = {.name = "circles", .node_count = COUNT * SIZE};
    FREED uint32_t *const junction = checked_allocate(COUNT * SIZE, sizeof *junction);
    for (uint32_t node = 0; node < COUNT * SIZE; ++node) {
        junction[node] = node / 2;
        test_graph_add(&graph, node, node / SIZE * SIZE + (node + 1) % SIZE, 1, 1);
    }
    mcd_free(checked_order(&graph, junction, COUNT * SIZE / 2));
}

Test(road_dissection, large_star_is_ordered_quickly)
{
    enum { LEAVES = 50000 }; /* each of them is two nodes, there and back */
    SCOPED(test_graph_free) test_graph graph = {.name = "split star", .node_count = 2 * LEAVES + 1};
    FREED uint32_t *const junction = checked_allocate(2 * LEAVES + 1, sizeof *junction);
    junction[2 * LEAVES] = LEAVES;
    for (uint32_t leaf = 0; leaf < LEAVES; ++leaf) {
        junction[2 * leaf] = junction[2 * leaf + 1] = leaf;
        test_graph_add(&graph, 2 * LEAVES, 2 * leaf, 1, 1);
        test_graph_add(&graph, 2 * leaf + 1, 2 * LEAVES, 1, 1);
        test_graph_add(&graph, 2 * leaf, 2 * leaf + 1, 1, 1);
    }
    mcd_free(checked_order(&graph, junction, LEAVES + 1));
}

Test(road_dissection, every_failed_allocation_is_an_error)
{
    static uint32_t junction[NODES];
    SCOPED(test_graph_free) test_graph graph = split_grid(junction);
    const mcd_parallel one_thread = {.thread_count = 1};
    mcd_road_graph roads = {.node_count = NODES,
                            .arc_count = graph.arc_count,
                            .tail = graph.tail,
                            .head = graph.head,
                            .junction = junction,
                            .junction_count = WIDTH * WIDTH};
    for (size_t nth = 1;; ++nth) {
        mcd_node *order;
        allocator_fail(nth);
        const macadam_status status = mcd_nested_dissection(&order, &roads, &one_thread, NULL, &import_error);
        mcd_free(order);
        if (!leak_expect_failed(nth, status)) break;
    }
}
