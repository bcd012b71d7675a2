/* test_cuda_clock.c - trees with a clock of the CUDA backend are those of Dijkstra with an arithmetic of its own: on random
 * graphs with harsh patterns, where lists are full, and on several devices. */
#include "tests/support/clock_scene.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>

#ifdef MCD_CUDA_EMULATED
enum { RANDOM_GRAPHS = 40 };
#else
enum { RANDOM_GRAPHS = 1000 };
#endif

enum { THREADS = 2 };

/* own_mean: by which searches choose the width of a step; 0: the true one. memory: as open() takes it. */
static void check(test_graph graph, const char *device_name, uint64_t memory, mcd_weight own_mean,
                  uint64_t seed)
{
    const mcd_backend *cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    SCOPED(clock_scene_free) clock_scene scene;
    mcd_device *device;
    macadam_error error;
    clock_scene_make(&scene, &graph, seed);
    if (own_mean) scene.arcs.own_mean = own_mean;
    cr_assert_eq(cuda->device->open(&device, device_name, memory, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(cuda->device->clock_new(&scene.arcs.device, device, &scene.arcs, &error), MACADAM_OK, "%s",
                 error.message);
    clock_check(&scene, cuda, THREADS, seed);
    cuda->device->clock_free(scene.arcs.device);
    cuda->device->close(device);
    test_graph_free(&graph);
}

Test(cuda_clock, trees_are_the_oracles_on_random_graphs)
{
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; ++seed)
        check(clock_random_graph(seed), seed % 3 == 0 ? "cuda:all" : "cuda", 0, 0, seed);
}

/* A line of nodes, each with arcs to all of a row: the row's costs fall again and again. */
static test_graph falling_graph(uint32_t line, uint32_t row)
{
    enum { STEP = 1000 };
    test_graph graph = {.name = "falling", .node_count = line + row};
    for (uint32_t i = 0; i < line; ++i) {
        if (i + 1 < line) test_graph_add(&graph, i, i + 1, STEP, 1);
        for (uint32_t to = 0; to < row; ++to) test_graph_add(&graph, i, line + to, (line - i) * 2 * STEP, 1);
    }
    return graph;
}

Test(cuda_clock, lists_that_are_full_lose_no_node)
{
    enum { LINE = 60, ROW = 4200, STEP = 1000 }; /* more than a list holds: clock.cu */
    check(falling_graph(LINE, ROW), "cuda", 0, STEP, 1);
    check(falling_graph(LINE, ROW), "cuda", 0, LINE * STEP, 2);
}

Test(cuda_clock, little_memory_makes_more_batches)
{
    enum { BYTES = 1 << 20 };
    for (uint64_t seed = 0; seed < 3; ++seed) check(clock_random_graph(seed), "cuda", BYTES, 0, seed);
}
