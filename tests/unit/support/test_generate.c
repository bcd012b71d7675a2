/* test_generate.c - generated graphs: the same whichever thread makes them, and of the shape that their names
 * promise. */
#include "tests/support/checked.h"
#include "tests/support/generate.h"

#include <criterion/criterion.h>
#include <string.h>

enum { KINDS = 5, SEED = 7 };

static generate_graph make(int kind)
{
    switch (kind) {
    case 0:
        return generate_uniform(3000, 6, SEED);
    case 1:
        return generate_rmat(12, 16, 0.57, 0.19, 0.19, SEED);
    case 2:
        return generate_scale_free(50000, 6, SEED);
    case 3:
        return generate_grid(40, 25, 1, SEED);
    default:
        return generate_grid(9, 11, 13, SEED);
    }
}

/* Out-degrees; freed with free(). */
static uint32_t *degrees_of(const generate_graph *graph)
{
    uint32_t *degree = checked_zeroed(graph->node_count, sizeof *degree);
    for (uint64_t i = 0; i < graph->arc_count; ++i) ++degree[generate_arc_at(graph, i).tail];
    return degree;
}

Test(generate, arcs_are_in_range_and_the_same_on_any_number_of_threads)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        const generate_graph graph = make(kind);
        uint32_t *array[2][3];
        for (unsigned threads = 1; threads <= 2; ++threads) {
            uint32_t **to = array[threads - 1];
            for (int i = 0; i < 3; ++i) to[i] = checked_allocate(graph.arc_count, sizeof *to[i]);
            generate_arcs(&graph, to[0], to[1], to[2], 2 * threads - 1);
        }
        for (uint64_t i = 0; i < graph.arc_count; ++i) {
            cr_assert_lt(array[0][0][i], graph.node_count);
            cr_assert_lt(array[0][1][i], graph.node_count);
            cr_assert(array[0][2][i] >= 1 && array[0][2][i] <= graph.weight_max);
        }
        for (int i = 0; i < 3; ++i) {
            cr_assert_eq(memcmp(array[0][i], array[1][i], graph.arc_count * sizeof *array[0][i]), 0);
            free(array[0][i]);
            free(array[1][i]);
        }
    }
}

Test(generate, other_seed_gives_another_graph)
{
    const generate_graph one = generate_uniform(1000, 8, 1), other = generate_uniform(1000, 8, 2);
    uint64_t same = 0;
    for (uint64_t i = 0; i < one.arc_count; ++i)
        same += generate_arc_at(&one, i).head == generate_arc_at(&other, i).head;
    cr_assert_lt(same, one.arc_count / 100);
}

Test(generate, ends_of_uniform_arcs_are_spread_evenly)
{
    const generate_graph graph = generate_uniform(1000, 100, SEED);
    FREED uint32_t *degree = degrees_of(&graph);
    for (uint32_t v = 0; v < graph.node_count; ++v)
        cr_assert(degree[v] > 50 && degree[v] < 160, "%u", degree[v]);
}

Test(generate, rmat_has_hubs_that_are_not_neighbours_by_id)
{
    const generate_graph graph = make(1);
    uint32_t *degree = degrees_of(&graph), hubs = 0, lower_hubs = 0;
    for (uint32_t v = 0; v < graph.node_count; ++v) {
        hubs += degree[v] > 200;
        lower_hubs += degree[v] > 200 && v < graph.node_count / 2;
    }
    cr_assert_gt(hubs, 20);
    cr_assert(lower_hubs > hubs / 4 && lower_hubs < 3 * hubs / 4, "%u of %u", lower_hubs, hubs);
    free(degree);
}

Test(generate, scale_free_degrees_rise_to_a_thousand_at_one_node_in_a_thousand)
{
    const generate_graph graph = make(2);
    uint32_t *degree = degrees_of(&graph), most = 0;
    for (uint32_t v = 0; v < graph.node_count; ++v) {
        if (v % GENERATE_HUB_EVERY) cr_assert_eq(degree[v], graph.degree);
        if (degree[v] > most) most = degree[v];
    }
    cr_assert(most > 850 && most < 1150, "%u", most);
    free(degree);
}

/* A neighbour differs by one along one axis. */
static bool are_neighbours(const generate_graph *graph, uint32_t x, uint32_t y)
{
    uint32_t distance = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t a = x % graph->side[axis], b = y % graph->side[axis];
        distance += a < b ? b - a : a - b;
        x /= graph->side[axis];
        y /= graph->side[axis];
    }
    return distance == 1;
}

Test(generate, grid_has_an_arc_to_each_neighbour_and_back)
{
    for (int kind = 3; kind < KINDS; ++kind) {
        const generate_graph graph = make(kind);
        uint64_t expected = 0;
        FREED char *seen = checked_zeroed((size_t)graph.node_count * graph.node_count, 1);
        for (uint64_t i = 0; i < graph.arc_count; ++i) {
            const generate_arc arc = generate_arc_at(&graph, i);
            char *at = &seen[(size_t)arc.tail * graph.node_count + arc.head];
            cr_assert(are_neighbours(&graph, arc.tail, arc.head));
            cr_assert_eq(*at, 0, "an arc comes twice");
            *at = 1;
        }
        for (uint32_t x = 0; x < graph.node_count; ++x)
            for (uint32_t y = 0; y < graph.node_count; ++y) expected += are_neighbours(&graph, x, y);
        cr_assert_eq(graph.arc_count, expected);
    }
}
