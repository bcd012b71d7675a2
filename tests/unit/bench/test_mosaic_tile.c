/* test_mosaic_tile.c - the cuts and the order of a mosaic's tile. */
#include "tests/bench/mosaic_tile.h"
#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>

enum { SIDE = 45 };
static mosaic_tile tile;

static void set_up(void)
{
    test_graph graph = graphs_make_named("town");
    int32_t *lon_e6 = checked_allocate(graph.node_count, sizeof *lon_e6);
    int32_t *lat_e6 = checked_allocate(graph.node_count, sizeof *lat_e6);
    test_rng rng = {41};
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        lon_e6[node] = (int32_t)(node % SIDE * 1000 + rng_below(&rng, 400));
        lat_e6[node] = (int32_t)(node / SIDE * 1000 + rng_below(&rng, 400));
    }
    cr_assert(mosaic_tile_new(&tile, graph, 2, lon_e6, lat_e6, (const size_t[2]){2, 2}));
}

static void tear_down(void)
{
    mosaic_tile_free(&tile);
}

TestSuite(mosaic_tile, .init = set_up, .fini = tear_down);

Test(mosaic_tile, joins_run_from_the_far_end_to_the_near_end)
{
    for (size_t along = 0; along < 2; ++along) {
        const int32_t *coordinate = along == COLUMN ? tile.lon_e6 : tile.lat_e6;
        cr_assert(tile.join_count[along] > 20 && tile.join_count[along] <= BORDER_BINS);
        for (size_t i = 0; i < tile.join_count[along]; ++i) {
            const mosaic_join *join = &tile.join[along][i];
            cr_assert_gt(coordinate[join->node] - tile.origin_e6[along], tile.extent_e6[along] / 2);
            cr_assert_lt(coordinate[join->next_node] - tile.origin_e6[along], tile.extent_e6[along] / 2);
            for (size_t q = 0; q < 2; ++q) cr_assert(join->weight[q] >= 1 && join->weight[q] <= 0x7ffffffe);
        }
    }
}

static bool is_crossed(size_t along, uint32_t x, uint32_t y)
{
    const uint8_t *side = tile.side[along];
    return side[x] != SIDE_CUT && side[y] != SIDE_CUT && side[x] != side[y];
}

Test(mosaic_tile, no_arc_crosses_a_cut_also_around_the_borders)
{
    for (size_t along = 0; along < 2; ++along) {
        size_t cut_count = 0;
        for (size_t node = 0; node < tile.graph.node_count; ++node)
            cut_count += tile.side[along][node] == SIDE_CUT;
        cr_assert_eq(cut_count, tile.cut_count[along]);
        cr_assert_leq(cut_count, tile.join_count[along]);
        for (size_t i = 0; i < tile.graph.arc_count; ++i)
            cr_assert_not(is_crossed(along, tile.graph.tail[i], tile.graph.head[i]));
        for (size_t i = 0; i < tile.join_count[1 - along]; ++i)
            cr_assert_not(is_crossed(along, tile.join[1 - along][i].node, tile.join[1 - along][i].next_node));
        for (size_t i = 0; i < tile.join_count[along]; ++i) {
            cr_assert_neq(tile.side[along][tile.join[along][i].node], SIDE_FIRST);
            cr_assert_neq(tile.side[along][tile.join[along][i].next_node], SIDE_LAST);
        }
    }
}

Test(mosaic_tile, order_holds_every_node_in_no_cut_once)
{
    FREED uint8_t *seen = checked_zeroed(tile.graph.node_count, 1);
    for (size_t i = 0; i < tile.order_count; ++i) cr_assert_eq(seen[tile.order[i]]++, 0);
    for (size_t node = 0; node < tile.graph.node_count; ++node)
        cr_assert_eq(seen[node], tile.side[COLUMN][node] != SIDE_CUT && tile.side[ROW][node] != SIDE_CUT);
}

/*  0 - 1 - 2
 *      |   |      two disjoint ways from {0, 3} to {2, 5} through 1 and 4
 *  3 - 4 - 5   */
Test(vertex_cut, removes_as_few_nodes_as_there_are_disjoint_paths)
{
    const uint32_t ends[2][6] = {{0, 1, 3, 4, 1, 2}, {1, 2, 4, 5, 4, 5}}, *const end[2] = {ends[0], ends[1]};
    const uint32_t first[] = {0, 3}, last[] = {2, 5};
    uint8_t side[6];
    cr_assert_eq(vertex_cut(6, 6, end, 2, first, 2, last, side), 2);
    for (size_t i = 0; i < 6; ++i)
        cr_assert(side[end[0][i]] == SIDE_CUT || side[end[1][i]] == SIDE_CUT ||
                  side[end[0][i]] == side[end[1][i]]);
    cr_assert_eq(vertex_cut(6, 6, end, 1, first, 1, last, side), 1);
    cr_assert_eq(vertex_cut(6, 0, end, 2, first, 2, last, side), 0);
}
