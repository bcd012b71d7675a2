/* test_component.c - strongly connected components agree with reachability. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/graphs.h"
#include "tests/support/rng.h"

#include "engine/map/component.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { NODES = 24 };

static mcd_graph *graph;
static macadam_error error;

static void tear_down(void)
{
    mcd_graph_free(graph);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(component, .init = allocator_install, .fini = tear_down);

/* They do not depend on how many threads find them. */
static void expect_same_on_threads(const mcd_components *components)
{
    const mcd_parallel parallel = {.thread_count = 3};
    mcd_components again;
    cr_assert_eq(mcd_components_new(&again, graph, &parallel, NULL, &error), MACADAM_OK);
    cr_assert_eq(again.count, components->count);
    cr_assert_arr_eq(again.component, components->component, graph->node_count * sizeof *again.component);
    cr_assert_arr_eq(again.size, components->size, again.count * sizeof *again.size);
    mcd_components_free(&again);
}

static mcd_components components_of(const test_graph *input)
{
    uint32_t *map_arc;
    mcd_components out;
    mcd_node *same = checked_allocate(input->node_count, sizeof *same);
    for (mcd_node v = 0; v < input->node_count; ++v) same[v] = v;
    mcd_graph_free(graph);
    cr_assert_eq(mcd_graph_new(&graph, &map_arc, (mcd_node)input->node_count, input->tail, input->head,
                               input->arc_count, same, NULL, NULL, &error),
                 MACADAM_OK);
    mcd_free(map_arc);
    free(same);
    cr_assert_eq(mcd_components_new(&out, graph, NULL, NULL, &error), MACADAM_OK);
    expect_same_on_threads(&out);
    return out;
}

/* By Warshall. */
static void find_reach(const test_graph *input, bool reach[NODES][NODES])
{
    memset(reach, 0, sizeof(bool[NODES][NODES]));
    for (size_t i = 0; i < NODES; ++i) reach[i][i] = true;
    for (size_t arc = 0; arc < input->arc_count; ++arc) reach[input->tail[arc]][input->head[arc]] = true;
    for (size_t k = 0; k < NODES; ++k)
        for (size_t i = 0; i < NODES; ++i)
            for (size_t j = 0; j < NODES; ++j) reach[i][j] |= reach[i][k] && reach[k][j];
}

Test(component, nodes_share_one_if_each_reaches_the_other)
{
    static bool reach[NODES][NODES];
    for (uint64_t seed = 0; seed < 200; ++seed) {
        test_rng rng = {seed};
        SCOPED(test_graph_free) test_graph input = {.node_count = NODES};
        for (uint32_t i = 0; i < seed % 60; ++i)
            test_graph_add(&input, rng_below(&rng, NODES), rng_below(&rng, NODES), 1, 1);
        SCOPED(mcd_components_free) mcd_components found = components_of(&input);
        find_reach(&input, reach);
        for (size_t i = 0; i < NODES; ++i)
            for (size_t j = 0; j < NODES; ++j)
                cr_assert_eq(found.component[i] == found.component[j], reach[i][j] && reach[j][i],
                             "seed %d: %zu and %zu", (int)seed, i, j);
    }
}

/* Also on a path of 20,000 nodes, which no recursion would survive on a small stack. */
Test(component, they_are_numbered_by_their_smallest_nodes_and_counted)
{
    for (size_t index = 0; index < graphs_count(); ++index) {
        SCOPED(test_graph_free) test_graph input = graphs_make(index);
        SCOPED(mcd_components_free) mcd_components found = components_of(&input);
        FREED uint32_t *count = checked_zeroed(found.count, sizeof *count);
        mcd_node next = 0;
        for (size_t v = 0; v < input.node_count; ++v) {
            cr_assert_leq(found.component[v], next, "%s: node %zu", input.name, v);
            next += found.component[v] == next;
            ++count[found.component[v]];
        }
        cr_assert_eq(next, found.count, "%s", input.name);
        for (mcd_node c = 0; c < found.count; ++c) cr_assert_eq(found.size[c], count[c], "%s", input.name);
    }
}
