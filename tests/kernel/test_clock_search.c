/* test_clock_search.c - trees with a clock, of every backend of this build that this processor runs, on 1 to 3 threads,
 * are those of Dijkstra with an arithmetic of its own: on random graphs with harsh patterns, and where buckets overflow. */
#include "tests/support/backends.h"
#include "tests/support/checked.h"
#include "tests/support/clock_scene.h"

#include <criterion/criterion.h>

enum { RANDOM_GRAPHS = 1000 };

TestSuite(clock_search, .init = backends_set_up, .fini = leak_expect_none);

static void check_scene(const clock_scene *scene, uint64_t seed)
{
    for (size_t b = 0; b < backend_count; ++b)
        clock_check(scene, backend[b], 1 + (unsigned)(seed + b) % BACKEND_THREADS_MAX, seed);
}

Test(clock_search, trees_are_the_oracles_on_random_graphs)
{
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; ++seed) {
        SCOPED(test_graph_free) test_graph graph = clock_random_graph(seed);
        SCOPED(clock_scene_free) clock_scene scene;
        clock_scene_make(&scene, &graph, seed);
        check_scene(&scene, seed);
    }
}

/* Leaves the patterns and prices out. `own_mean` is that by which searches choose how wide their buckets are. */
static void check_plain(const test_graph *graph, mcd_weight own_mean)
{
    SCOPED(clock_scene_free) clock_scene scene;
    clock_scene_make(&scene, graph, 1);
    for (size_t arc = 0; arc < graph->arc_count; ++arc) {
        scene.pattern[arc] = scene.price[arc] = 0;
        for (int direction = 0; direction < 2; ++direction)
            scene.record[direction][arc].pattern = scene.record[direction][arc].price = 0;
    }
    scene.arcs.own_mean = own_mean;
    check_scene(&scene, 1);
}

/* A line of nodes, each with arcs to all of a row, so that the row's costs fall again and again into earlier buckets:
 * more entries than buckets have room for. Then each leads to a way of its own, of which there is one entry. */
Test(clock_search, buckets_that_are_full_lose_no_node)
{
    enum { LINE = 400, ROW = 600, STEP = 1024 };
    SCOPED(test_graph_free) test_graph graph = {.name = "falling", .node_count = LINE + ROW + 2 * LINE};
    for (uint32_t i = 0; i < LINE; ++i) {
        if (i + 1 < LINE) test_graph_add(&graph, i, i + 1, STEP, 1);
        for (uint32_t to = 0; to < ROW; ++to) test_graph_add(&graph, i, LINE + to, (LINE - i) * 2 * STEP, 1);
        test_graph_add(&graph, i, LINE + ROW + i, 5 * STEP, 1);
        test_graph_add(&graph, LINE + ROW + i, LINE + ROW + LINE + i, 1, 1);
    }
    check_plain(&graph, STEP);
}

/* Short arcs, and some of minutes between: most nodes wait beyond the ring of buckets. */
Test(clock_search, nodes_beyond_the_buckets_are_found_again)
{
    enum { NODES = 3000 };
    SCOPED(test_graph_free) test_graph graph = {.name = "leaping", .node_count = NODES};
    for (uint32_t i = 0; i + 1 < NODES; ++i) {
        test_graph_add(&graph, i, i + 1, 20, 1);
        if (i % 100 == 0) test_graph_add(&graph, i, NODES - 1 - i, 500000, 1);
    }
    check_plain(&graph, 20);
}
