/* test_cuda_frontiers.c - methods without a hierarchy of the CUDA backend give what plain searches give:
 * on hostile graphs, on random ones, and on kinds that papers measure. */
#include "tests/support/frontier_scene.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Levels by the thousand take the emulator minutes. */
#ifdef MCD_CUDA_EMULATED
enum { RANDOM_GRAPHS = 10, DIVIDED_GRAPHS = 6, PARTITIONED_GRAPHS = 3, LARGE = 1000, LARGE_IN_PARTS = 40 };
#else
enum {
    RANDOM_GRAPHS = 1000,
    DIVIDED_GRAPHS = 60,
    PARTITIONED_GRAPHS = 60,
    LARGE = INT32_MAX,
    LARGE_IN_PARTS = 20000
};
#endif

enum {
    MORE_THAN_HELD = 30000,   /* pairs in the shared memory of a block */
    SEVERAL_EACH = 12000,     /* frontier_check_many */
    SEVERAL_SEGMENTS = 40000, /* couples.h */
    IN_ROWS = 1 << 13,        /* nodes with many arcs: many lanes are searched as rows */
    IN_ROWS_CORE_BITS = 8,
    THREADS = 2,
    SEED = 3
};

typedef void (*frontier_check)(const frontier_scene *scene, const frontier_asked *asked);

/* memory: bytes that calls and arcs may take on each device; 0: all */
static void check_within(const test_graph *graph, const char *device_name, uint64_t memory,
                         frontier_check claim, uint64_t seed)
{
    const mcd_backend *cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    mcd_device *device;
    macadam_error error;
    frontier_scene scene;
    cr_assert_eq(cuda->device->open(&device, device_name, memory, &error), MACADAM_OK, "%s", error.message);
    frontier_scene_make(&scene, graph, cuda->device, device);
    claim(&scene, &(frontier_asked){cuda, THREADS, seed});
    frontier_scene_free(&scene);
    cuda->device->close(device);
}

static void check(const test_graph *graph, const char *device_name, frontier_check claim, uint64_t seed)
{
    check_within(graph, device_name, 0, claim, seed);
}

static void check_kind(const generate_graph *how, const char *name, const char *device, frontier_check claim)
{
    SCOPED(test_graph_free) test_graph graph = frontier_generated_graph(how, name);
    check(&graph, device, claim, SEED);
}

static void check_kinds(const char *device, frontier_check claim)
{
    const generate_graph rmat = generate_rmat(10, 16, 0.57, 0.19, 0.19, SEED),
                         grid = generate_grid(30, 20, 1, SEED),
                         scale_free = generate_scale_free(1200, 4, SEED);
    check_kind(&rmat, "RMAT", device, claim);
    check_kind(&grid, "grid", device, claim);
    check_kind(&scale_free, "scale-free", device, claim);
}

static void check_everywhere(frontier_check claim)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        test_graph graph = graphs_make(g);
        if (graph.node_count < LARGE) check(&graph, g % 3 == 0 ? "cuda:all" : "cuda", claim, g);
        test_graph_free(&graph);
    }
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; ++seed) {
        test_graph graph = frontier_random_graph(seed);
        check(&graph, "cuda", claim, seed);
        test_graph_free(&graph);
    }
    check_kinds("cuda", claim);
}

Test(cuda_frontiers, hops_and_their_parents_are_those_of_a_plain_search)
{
    check_everywhere(frontier_check_hops);
}

/* Uses the emulated devices of that name; a real machine keeps its own number. */
static void check_divided(const char *devices)
{
    setenv("MCD_EMULATED_DEVICES", devices, 1);
    for (size_t g = 0; g < graphs_count(); ++g) {
        test_graph graph = graphs_make(g);
        if (graph.node_count < LARGE) check(&graph, "cuda:all", frontier_check_divided_hops, g);
        test_graph_free(&graph);
    }
    for (uint64_t seed = 0; seed < DIVIDED_GRAPHS; ++seed) {
        const generate_graph uniform = generate_uniform(1 + seed * 13, 1 + seed % 11, seed);
        test_graph graph =
            seed % 3 ? frontier_generated_graph(&uniform, "uniform") : frontier_random_graph(seed);
        check(&graph, "cuda:all", frontier_check_divided_hops, seed);
        test_graph_free(&graph);
    }
    check_kinds("cuda:all", frontier_check_divided_hops);
}

Test(cuda_frontiers, hops_of_nodes_divided_among_two_devices_are_those_of_a_plain_search)
{
    check_divided("2");
}

Test(cuda_frontiers, hops_of_nodes_divided_among_three_devices_are_those_of_a_plain_search)
{
    check_divided("3");
}

Test(cuda_frontiers, hops_of_nodes_divided_among_four_devices_are_those_of_a_plain_search)
{
    check_divided("4");
}

Test(cuda_frontiers, hops_of_divided_nodes_are_the_same_where_devices_cannot_reach_each_other)
{
    setenv("MCD_EMULATED_PEERS", "0", 1);
    check_divided("3");
}

/* On the emulated `devices`, none of which has room for all arcs. A GPU that is the only one has room. */
static void check_partitioned(const char *devices, frontier_check claim)
{
    setenv("MCD_EMULATED_DEVICES", devices, 1);
    const bool in_parts = mcd_cuda_module(MCD_MODULE_VERSION, NULL)->device->list(NULL, 0) > 1;
    const size_t fixed = graphs_count();
    for (size_t g = 0; g < fixed + PARTITIONED_GRAPHS; ++g) {
        const generate_graph uniform = generate_uniform(1 + g * 29, 1 + g % 11, g);
        SCOPED(test_graph_free)
        test_graph graph = g < fixed    ? graphs_make(g)
                           : g % 3 == 0 ? frontier_random_graph(g)
                                        : frontier_generated_graph(&uniform, "uniform");
        if (graph.node_count < LARGE_IN_PARTS)
            check_within(&graph, "cuda:all", in_parts ? frontier_memory_for_parts(&graph) : 0, claim, g);
    }
}

Test(cuda_frontiers, hops_are_those_of_a_plain_search_where_neither_of_two_devices_has_all_arcs)
{
    check_partitioned("2", frontier_check_divided_hops);
}

Test(cuda_frontiers, hops_are_those_of_a_plain_search_where_none_of_five_devices_has_all_arcs)
{
    check_partitioned("5", frontier_check_divided_hops);
}

Test(cuda_frontiers, connections_are_right_where_no_device_has_all_arcs)
{
    check_partitioned("3", frontier_check_connect);
}

Test(cuda_frontiers, near_far_trees_are_the_oracles_where_no_device_has_all_arcs)
{
    check_partitioned("4", frontier_check_near_far);
}

Test(cuda_frontiers, bellman_ford_trees_are_the_oracles_where_no_device_has_all_arcs)
{
    check_partitioned("2", frontier_check_bellman_ford);
}

Test(cuda_frontiers, partitioned_answers_are_the_same_where_devices_cannot_reach_each_other)
{
    setenv("MCD_EMULATED_PEERS", "0", 1);
    check_partitioned("3", frontier_check_divided_hops);
    check_partitioned("3", frontier_check_near_far);
}

Test(cuda_frontiers, connections_have_the_fewest_hops_and_the_path_of_the_parents)
{
    check_everywhere(frontier_check_connect);
}

Test(cuda_frontiers, near_far_trees_are_the_oracles)
{
    check_everywhere(frontier_check_near_far);
}

Test(cuda_frontiers, near_far_trees_are_the_oracles_where_a_block_holds_no_costs)
{
    const generate_graph uniform = generate_uniform(MORE_THAN_HELD, 3, SEED);
    check_kind(&uniform, "uniform", "cuda", frontier_check_near_far);
}

Test(cuda_frontiers, near_far_trees_are_the_oracles_however_many)
{
    const generate_graph uniform = generate_uniform(SEVERAL_EACH, 3, SEED);
    check_kind(&uniform, "uniform", "cuda", frontier_check_many);
}

/* Nodes that only lead to a small core of an RMAT graph: a search takes the emulator seconds, not minutes. */
static test_graph make_core_graph(void)
{
    test_rng rng = {SEED};
    const generate_graph core = generate_rmat(IN_ROWS_CORE_BITS, 16, 0.57, 0.19, 0.19, SEED);
    test_graph graph = frontier_generated_graph(&core, "core");
    graph.node_count = IN_ROWS;
    for (uint32_t tail = core.node_count; tail < IN_ROWS; ++tail)
        for (int i = 0; i < 9; ++i)
            test_graph_add(&graph, tail, rng_below(&rng, core.node_count), rng_below(&rng, 60), i);
    return graph;
}

Test(cuda_frontiers, near_far_trees_are_the_oracles_where_an_arc_is_read_for_many)
{
    SCOPED(test_graph_free) test_graph graph = make_core_graph();
    check(&graph, "cuda", frontier_check_many, SEED);
    if ((int)LARGE > (int)IN_ROWS) check(&graph, "cuda", frontier_check_near_far, SEED);
}

Test(cuda_frontiers, bellman_ford_trees_are_the_oracles)
{
    check_everywhere(frontier_check_bellman_ford);
}

Test(cuda_frontiers, bellman_ford_trees_are_the_oracles_where_nodes_are_in_several_segments)
{
    const generate_graph uniform = generate_uniform(SEVERAL_SEGMENTS, 2, SEED);
    check_kind(&uniform, "uniform", "cuda", frontier_check_bellman_ford);
}
