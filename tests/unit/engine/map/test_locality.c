/* test_locality.c - the numbering of nodes for files without a hierarchy. */
#include "tests/support/leak.h"
#include "tests/support/checked.h"
#include "tests/support/graphs.h"
#include "tests/support/rng.h"

#include "engine/map/locality.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SIDE = 64 };

static int32_t lon_e7[SIDE * SIDE], lat_e7[SIDE * SIDE];
static mcd_node node_at[SIDE * SIDE];
static macadam_error error;

TestSuite(locality, .init = allocator_install, .fini = leak_expect_none);

/* Asserts a permutation; the caller frees. */
static mcd_node *order_of(const mcd_map *map)
{
    mcd_node *id_of;
    FREED bool *taken = checked_zeroed(map->node_count, sizeof *taken);
    cr_assert_eq(mcd_locality_order(&id_of, map, NULL, &error), MACADAM_OK);
    for (size_t v = 0; v < map->node_count; ++v) {
        cr_assert(id_of[v] < map->node_count && !taken[id_of[v]], "node %zu", v);
        taken[id_of[v]] = true;
    }
    return id_of;
}

static mcd_map map_of(const test_graph *graph)
{
    return (mcd_map){.node_count = graph->node_count,
                     .arc_count = graph->arc_count,
                     .tail = graph->tail,
                     .head = graph->head};
}

Test(locality, every_graph_is_permuted)
{
    for (size_t index = 0; index < graphs_count(); ++index) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(index);
        const mcd_map map = map_of(&graph);
        mcd_free(order_of(&map));
    }
}

Test(locality, without_coordinates_a_node_comes_soon_after_its_neighbours)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("path both ways");
    const mcd_map map = map_of(&graph);
    mcd_node *id_of = order_of(&map);
    for (size_t v = 0; v < graph.node_count; ++v) cr_assert_eq(id_of[v], v); /* from its end, one by one */
    mcd_free(id_of);
}

Test(locality, extreme_coordinates_are_permuted)
{
    static const int32_t lon[] = {-1800000000, 1800000000, 0, 1800000000, -1800000000, 0, 0};
    static const int32_t lat[] = {-900000000, 900000000, 0, -900000000, 900000000, 0, 0};
    const mcd_map map = {.node_count = 7, .lon_e7 = (int32_t *)lon, .lat_e7 = (int32_t *)lat};
    mcd_free(order_of(&map));
}

/* A Hilbert curve over the world visits the cells of a power-of-two grid one neighbour after the other. */
Test(locality, curve_goes_from_cell_to_neighbouring_cell)
{
    test_rng rng = {1};
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const int j = (int)rng_below(&rng, (uint32_t)i + 1);
        node_at[i] = node_at[j], node_at[j] = (mcd_node)i;
    }
    for (int cell = 0; cell < SIDE * SIDE; ++cell) {
        lon_e7[node_at[cell]] = (int32_t)((2LL * (cell % SIDE) + 1) * 1800000000 / SIDE - 1800000000);
        lat_e7[node_at[cell]] = (int32_t)((2LL * (cell / SIDE) + 1) * 900000000 / SIDE - 900000000);
    }
    const mcd_map map = {.node_count = SIDE * SIDE, .lon_e7 = lon_e7, .lat_e7 = lat_e7};
    mcd_node *id_of = order_of(&map);
    static int cell_of[SIDE * SIDE];
    for (int cell = 0; cell < SIDE * SIDE; ++cell) cell_of[id_of[node_at[cell]]] = cell;
    for (int i = 1; i < SIDE * SIDE; ++i)
        cr_assert_eq(abs(cell_of[i] % SIDE - cell_of[i - 1] % SIDE) +
                         abs(cell_of[i] / SIDE - cell_of[i - 1] / SIDE),
                     1, "from %d to %d", cell_of[i - 1], cell_of[i]);
    mcd_free(id_of);
}
