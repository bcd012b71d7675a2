/* graphs.c - see graphs.h. Weights are asymmetric where the shape allows it: a mixed-up direction shows. */
#include "tests/support/graphs.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <string.h>

enum { WEIGHT_LAST = 0x7ffffffe }; /* the largest weight and the largest cost */

void test_graph_free(test_graph *graph)
{
    free(graph->tail);
    free(graph->head);
    free(graph->weight[0]);
    free(graph->weight[1]);
    memset(graph, 0, sizeof *graph);
}

void test_graph_add(test_graph *graph, uint32_t tail, uint32_t head, uint32_t weight, uint32_t other_weight)
{
    if (graph->arc_count == graph->arc_capacity) {
        const size_t capacity = graph->arc_capacity = 2 * graph->arc_capacity + 16;
        graph->tail = checked_reallocate(graph->tail, capacity, sizeof *graph->tail);
        graph->head = checked_reallocate(graph->head, capacity, sizeof *graph->head);
        for (size_t q = 0; q < 2; ++q)
            graph->weight[q] = checked_reallocate(graph->weight[q], capacity, sizeof *graph->weight[q]);
    }
    const size_t i = graph->arc_count++;
    graph->tail[i] = tail;
    graph->head[i] = head;
    graph->weight[0][i] = weight;
    graph->weight[1][i] = other_weight;
}

test_graph test_graph_copy(const test_graph *graph)
{
    test_graph copy = {.name = graph->name, .node_count = graph->node_count};
    for (size_t i = 0; i < graph->arc_count; ++i)
        test_graph_add(&copy, graph->tail[i], graph->head[i], graph->weight[0][i], graph->weight[1][i]);
    return copy;
}

oracle_arcs test_graph_arcs(const test_graph *graph, size_t metric)
{
    return (oracle_arcs){graph->node_count, graph->arc_count,      graph->tail,
                         graph->head,       graph->weight[metric], graph->weight[1 - metric]};
}

/* An arc each way, each with weights of its own in first..last. */
static void add_both(test_graph *graph, test_rng *rng, uint32_t x, uint32_t y, uint32_t first, uint32_t last)
{
    for (int way = 0; way < 2; ++way) {
        const uint32_t weight = first + rng_below(rng, last - first + 1);
        test_graph_add(graph, way ? y : x, way ? x : y, weight, first + rng_below(rng, last - first + 1));
    }
}

static void no_node(test_graph *graph)
{
    graph->node_count = 0;
}

static void one_node(test_graph *graph)
{
    graph->node_count = 1;
}

static void one_node_with_loops(test_graph *graph)
{
    graph->node_count = 1;
    test_graph_add(graph, 0, 0, 5, 6);
    test_graph_add(graph, 0, 0, 0, 0);
}

static void no_arc(test_graph *graph)
{
    graph->node_count = 40;
}

static void one_arc(test_graph *graph)
{
    graph->node_count = 2;
    test_graph_add(graph, 0, 1, 7, 9);
}

static void path_one_way(test_graph *graph)
{
    graph->node_count = 90;
    for (uint32_t x = 0; x + 1 < 90; ++x) test_graph_add(graph, x, x + 1, x % 7 + 1, x % 5 + 1);
}

static void path_both_ways(test_graph *graph)
{
    test_rng rng = {11};
    graph->node_count = 90;
    for (uint32_t x = 0; x + 1 < 90; ++x) add_both(graph, &rng, x, x + 1, 1, 100);
}

static void long_path(test_graph *graph)
{
    test_rng rng = {12};
    graph->node_count = 6000;
    for (uint32_t x = 0; x + 1 < 6000; ++x) add_both(graph, &rng, x, x + 1, 1, 100);
}

static void cycle_one_way(test_graph *graph)
{
    graph->node_count = 64;
    for (uint32_t x = 0; x < 64; ++x) test_graph_add(graph, x, (x + 1) % 64, x % 9 + 1, x % 4 + 1);
}

static void star(test_graph *graph)
{
    test_rng rng = {13};
    graph->node_count = 110;
    for (uint32_t x = 1; x < 110; ++x) add_both(graph, &rng, 0, x, 1, 1000);
}

static void star_outwards(test_graph *graph)
{
    graph->node_count = 100;
    for (uint32_t x = 0; x < 99; ++x) test_graph_add(graph, 99, x, 3 * x + 1, 100 - x);
}

static void binary_tree(test_graph *graph)
{
    test_rng rng = {14};
    graph->node_count = 127;
    for (uint32_t x = 1; x < 127; ++x) add_both(graph, &rng, (x - 1) / 2, x, 1, 1000);
}

/* A spine of 30 nodes with four legs at each. */
static void caterpillar(test_graph *graph)
{
    test_rng rng = {15};
    graph->node_count = 150;
    for (uint32_t x = 0; x + 1 < 30; ++x) add_both(graph, &rng, x, x + 1, 1, 50);
    for (uint32_t x = 30; x < 150; ++x) add_both(graph, &rng, x % 30, x, 1, 50);
}

static void add_grid(test_graph *graph, test_rng *rng, uint32_t first_node, uint32_t columns, uint32_t rows,
                     uint32_t last)
{
    for (uint32_t y = 0; y < rows; ++y)
        for (uint32_t x = 0; x < columns; ++x) {
            const uint32_t node = first_node + y * columns + x;
            if (x + 1 < columns) add_both(graph, rng, node, node + 1, 1, last);
            if (y + 1 < rows) add_both(graph, rng, node, node + columns, 1, last);
        }
}

static void grid(test_graph *graph)
{
    test_rng rng = {16};
    graph->node_count = 20 * 21;
    add_grid(graph, &rng, 0, 20, 21, 1000);
}

/* Weights 1 and 2: many equally short paths, told apart by the companion. */
static void grid_of_ties(test_graph *graph)
{
    test_rng rng = {17};
    graph->node_count = 12 * 12;
    add_grid(graph, &rng, 0, 12, 12, 2);
}

static void clique(test_graph *graph)
{
    test_rng rng = {18};
    graph->node_count = 40;
    for (uint32_t x = 0; x < 40; ++x)
        for (uint32_t y = x + 1; y < 40; ++y) add_both(graph, &rng, x, y, 1, 10000);
}

/* Two grids, a clique of one-way arcs and nodes on their own. */
static void islands(test_graph *graph)
{
    test_rng rng = {19};
    graph->node_count = 49 + 36 + 10 + 20;
    add_grid(graph, &rng, 0, 7, 7, 100);
    add_grid(graph, &rng, 49, 6, 6, 100);
    for (uint32_t x = 85; x < 95; ++x)
        for (uint32_t y = x + 1; y < 95; ++y)
            test_graph_add(graph, x, y, rng_below(&rng, 100), rng_below(&rng, 100));
}

/* Up to four arcs per pair and a loop at every third node: the least counts, ties by the companion. */
static void parallel_arcs_and_loops(test_graph *graph)
{
    test_rng rng = {20};
    graph->node_count = 60;
    for (uint32_t x = 0; x < 60; ++x) {
        for (uint32_t copy = 0; copy < 1 + x % 4; ++copy) {
            add_both(graph, &rng, x, (x + 1) % 60, 1, 4);
            add_both(graph, &rng, x, (x + 7) % 60, 1, 9);
        }
        if (x % 3 == 0) test_graph_add(graph, x, x, x % 2, 1);
    }
}

static void zero_weights(test_graph *graph)
{
    graph->node_count = 100;
    for (uint32_t x = 0; x < 100; ++x) {
        test_graph_add(graph, x, (x + 1) % 100, 0, 0);
        test_graph_add(graph, x, (x * 7 + 3) % 100, 0, x % 2);
    }
}

/* A grid in which most arcs weigh nothing in both directions. */
static void zero_weight_cycles(test_graph *graph)
{
    test_rng rng = {21};
    graph->node_count = 12 * 12;
    add_grid(graph, &rng, 0, 12, 12, 5);
    for (size_t i = 0; i < graph->arc_count; ++i)
        for (size_t q = 0; q < 2; ++q) graph->weight[q][i] = graph->weight[q][i] < 5 ? 0 : 3;
}

/* Paths whose sums are the largest cost (0 to 3), one more (4 to 7), and single arcs of the largest weight.
 */
static void sums_at_the_limit(test_graph *graph)
{
    graph->node_count = 14;
    for (uint32_t first = 0; first < 8; first += 4) {
        test_graph_add(graph, first, first + 1, WEIGHT_LAST - 10, 1);
        test_graph_add(graph, first + 1, first + 2, 4, 1);
        test_graph_add(graph, first + 2, first + 3, first ? 7 : 6, 1);
    }
    test_graph_add(graph, 8, 9, WEIGHT_LAST, WEIGHT_LAST);
    test_graph_add(graph, 9, 10, 0, 0);
    test_graph_add(graph, 10, 11, WEIGHT_LAST, WEIGHT_LAST);
    test_graph_add(graph, 11, 12, 1, 0);
    test_graph_add(graph, 8, 13, WEIGHT_LAST, 0);
    test_graph_add(graph, 13, 12, 0, WEIGHT_LAST);
}

/* Chains of three arcs between all pairs of 8 nodes, whose sums just miss, reach or pass the end of costs:
 * each chain becomes a shortcut. */
static void shortcuts_at_the_limit(test_graph *graph)
{
    graph->node_count = 8;
    for (uint32_t x = 0; x < 8; ++x)
        for (uint32_t y = 0; y < 8; ++y) {
            if (x == y) continue;
            const uint32_t first = (uint32_t)graph->node_count, less = (x + y) % 3,
                           other_less = (x + 2 * y) % 3;
            graph->node_count += 2;
            test_graph_add(graph, x, first, WEIGHT_LAST - 100, 50);
            test_graph_add(graph, first, first + 1, 60, WEIGHT_LAST - 100);
            test_graph_add(graph, first + 1, y, 41 - less, 51 - other_less);
        }
}

/* The best path's companion reaches (0 -> 2) or just misses (3 -> 5) the end of costs, and a worse path's
 * does not. */
static void companion_overflow(test_graph *graph)
{
    graph->node_count = 8;
    for (uint32_t first = 0; first < 6; first += 3) {
        test_graph_add(graph, first, first + 1, 1, WEIGHT_LAST - 5);
        test_graph_add(graph, first + 1, first + 2, 1, first ? 5 : 6);
        test_graph_add(graph, first, first + 2, 3, 1);
    }
    test_graph_add(graph, 2, 6, 1, 1);
    test_graph_add(graph, 5, 7, 1, 1);
    test_graph_add(graph, 7, 5, 1, WEIGHT_LAST);
}

static void weights_near_the_limit(test_graph *graph)
{
    test_rng rng = {22};
    graph->node_count = 80;
    for (int i = 0; i < 300; ++i) {
        const uint32_t shift = rng_below(&rng, 31), other_shift = rng_below(&rng, 31);
        test_graph_add(graph, rng_below(&rng, 80), rng_below(&rng, 80), WEIGHT_LAST >> shift,
                       WEIGHT_LAST >> other_shift);
    }
}

static void add_random(test_graph *graph, uint64_t seed, uint32_t node_count, uint32_t arc_count,
                       uint32_t last)
{
    test_rng rng = {seed};
    graph->node_count = node_count;
    for (uint32_t i = 0; i < arc_count; ++i) {
        const uint32_t tail = rng_below(&rng, node_count), head = rng_below(&rng, node_count);
        const uint32_t weight = rng_below(&rng, last + 1);
        test_graph_add(graph, tail, head, weight, rng_below(&rng, last + 1));
    }
}

static void random_scattered(test_graph *graph)
{
    add_random(graph, 23, 200, 150, 1000);
}

static void random_sparse(test_graph *graph)
{
    add_random(graph, 24, 180, 420, 100000);
}

static void random_middling(test_graph *graph)
{
    add_random(graph, 25, 200, 1200, 1000);
}

static void random_dense(test_graph *graph)
{
    add_random(graph, 26, 70, 2500, 10000);
}

/* Small weights with zeros among them. */
static void random_ties(test_graph *graph)
{
    add_random(graph, 27, 100, 460, 3);
}

/* A 45 x 45 grid like a town: some streets missing, some one-way, weights by length with a detour, main roads
 * fast. */
static void town(test_graph *graph)
{
    enum { SIDE = 45 };
    test_rng rng = {28};
    graph->node_count = SIDE * SIDE;
    for (uint32_t node = 0; node < SIDE * SIDE; ++node)
        for (uint32_t way = 0; way < 2; ++way) {
            const uint32_t along = way ? node / SIDE : node % SIDE, across = way ? node % SIDE : node / SIDE;
            const uint32_t chance = rng_below(&rng, 100), distance = 800 + rng_below(&rng, 1500);
            const uint32_t other = node + (way ? SIDE : 1), factor = across % 9 == 4 ? 3 : 8;
            if (along + 1 == SIDE || chance < 18) continue;
            if (chance < 92) test_graph_add(graph, node, other, distance * factor, distance);
            if (chance >= 26)
                test_graph_add(graph, other, node, distance * factor + rng_below(&rng, 999), distance + 1);
        }
}

static const struct {
    const char *name;
    void (*fill)(test_graph *graph);
} recipes[] = {
    {"no node", no_node},
    {"one node", one_node},
    {"one node with loops", one_node_with_loops},
    {"no arc", no_arc},
    {"one arc", one_arc},
    {"path one way", path_one_way},
    {"path both ways", path_both_ways},
    {"long path", long_path},
    {"cycle one way", cycle_one_way},
    {"star", star},
    {"star outwards", star_outwards},
    {"binary tree", binary_tree},
    {"caterpillar", caterpillar},
    {"grid", grid},
    {"grid of ties", grid_of_ties},
    {"clique", clique},
    {"islands", islands},
    {"parallel arcs and loops", parallel_arcs_and_loops},
    {"zero weights", zero_weights},
    {"zero-weight cycles", zero_weight_cycles},
    {"sums at the limit", sums_at_the_limit},
    {"shortcuts at the limit", shortcuts_at_the_limit},
    {"companion overflow", companion_overflow},
    {"weights near the limit", weights_near_the_limit},
    {"random scattered", random_scattered},
    {"random sparse", random_sparse},
    {"random middling", random_middling},
    {"random dense", random_dense},
    {"random ties", random_ties},
    {"town", town},
};

size_t graphs_count(void)
{
    return sizeof recipes / sizeof *recipes;
}

test_graph graphs_make(size_t index)
{
    test_graph graph = {.name = recipes[index].name};
    recipes[index].fill(&graph);
    return graph;
}

test_graph graphs_make_named(const char *name)
{
    for (size_t index = 0; index < graphs_count(); ++index)
        if (strcmp(recipes[index].name, name) == 0) return graphs_make(index);
    fprintf(stderr, "no test graph is named %s\n", name);
    abort();
}
