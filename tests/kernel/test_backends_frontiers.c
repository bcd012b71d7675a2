/* test_backends_frontiers.c - methods without a hierarchy, of every backend of this build that this processor
 * runs, on 1 to 3 threads, give what plain searches give: on hostile graphs, on random ones, and on kinds
 * that papers measure. */
#include "tests/support/backends.h"
#include "tests/support/checked.h"
#include "tests/support/frontier_scene.h"

#include <criterion/criterion.h>

enum { LARGE = 1000, RANDOM_GRAPHS = 1000, KINDS = 5, SEED = 3 };

TestSuite(frontiers, .init = backends_set_up, .fini = leak_expect_none);

typedef void (*frontier_check)(const frontier_scene *scene, const frontier_asked *asked);

static void check_on_all(const test_graph *graph, frontier_check check, uint64_t seed)
{
    SCOPED(frontier_scene_free) frontier_scene scene;
    frontier_scene_make(&scene, graph, NULL, NULL);
    for (size_t b = 0; b < backend_count; ++b)
        for (unsigned threads = 1; threads <= BACKEND_THREADS_MAX; ++threads)
            if (graph->node_count < LARGE || threads == b + 1)
                check(&scene, &(frontier_asked){backend[b], threads, seed + threads});
}

/* One of the kinds that papers measure, large enough for wide levels. */
static test_graph make_kind(int kind)
{
    const generate_graph how[KINDS] = {
        generate_uniform(3000, 8, SEED), generate_rmat(11, 16, 0.57, 0.19, 0.19, SEED),
        generate_scale_free(3000, 4, SEED), generate_grid(50, 40, 1, SEED), generate_grid(12, 13, 14, SEED)};
    static const char *const name[KINDS] = {"uniform", "RMAT", "scale-free", "grid 2D", "grid 3D"};
    return frontier_generated_graph(&how[kind], name[kind]);
}

static void check_everywhere(frontier_check check)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        test_graph graph = graphs_make(g);
        check_on_all(&graph, check, g);
        test_graph_free(&graph);
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        test_graph graph = make_kind(kind);
        check_on_all(&graph, check, SEED);
        test_graph_free(&graph);
    }
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; ++seed) {
        test_graph graph = frontier_random_graph(seed);
        frontier_scene scene;
        frontier_scene_make(&scene, &graph, NULL, NULL);
        check(&scene, &(frontier_asked){backend[seed % backend_count], 1 + seed % BACKEND_THREADS_MAX, seed});
        frontier_scene_free(&scene);
        test_graph_free(&graph);
    }
}

Test(frontiers, hops_and_their_parents_are_those_of_a_plain_search)
{
    check_everywhere(frontier_check_hops);
}

Test(frontiers, connections_have_the_fewest_hops_and_the_path_of_the_parents)
{
    check_everywhere(frontier_check_connect);
}

Test(frontiers, near_far_trees_are_the_oracles)
{
    check_everywhere(frontier_check_near_far);
}

Test(frontiers, bellman_ford_trees_are_the_oracles)
{
    check_everywhere(frontier_check_bellman_ford);
}

Test(frontiers, dijkstra_trees_are_the_oracles)
{
    check_everywhere(frontier_check_dijkstra);
}
