/* test_access_zone.c - roads that only begin or end routes, by themselves and together with forbidden turns. */
#include "tests/support/fixture.h"
#include "tests/support/import_fixture.h"
#include "tests/support/rule_oracle.h"

#include "importers/osm/roads/access_zone.h"
#include "importers/osm/turns/turn.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(layer, .init = import_fixture_open, .fini = import_fixture_close);

enum { NODES = 6, ARCS = 12, PATHS = 8, TRIALS = 400 };

static void make(const rule_set *drawn)
{
    uint32_t arc[ARCS][3];
    uint8_t use[ARCS];
    for (size_t a = 0; a < drawn->arc_count; ++a) {
        const uint32_t row[] = {drawn->arc[a].tail, drawn->arc[a].head, drawn->arc[a].weight};
        memcpy(arc[a], row, sizeof row);
        use[a] =
            (uint8_t)(drawn->arc[a].no_exit * MCD_ROAD_NO_EXIT | drawn->arc[a].no_entry * MCD_ROAD_NO_ENTRY);
        if (drawn->arc[a].ends) use[a] = MCD_ROAD_DESTINATION_ONLY;
    }
    import_map_of(NODES, arc, drawn->arc_count);
    const mcd_parallel parallel = {.thread_count = 2};
    mcd_turns turns = {0};
    for (size_t p = 0; p < drawn->path_count; ++p) {
        mcd_arc path[RULE_PATH_ARCS];
        for (size_t i = 0; i < drawn->path[p].count; ++i) path[i] = drawn->path[p].arc[i];
        cr_assert_eq(mcd_turns_forbid(&turns, path, drawn->path[p].count, &import_error), MACADAM_OK);
    }
    mcd_copier copier = mcd_copier_of(&import_map);
    FIXTURE_CALL(mcd_turns_apply, &copier, &turns, &parallel, NULL);
    FIXTURE_CALL(mcd_access_zones_apply, &copier, use, &parallel, NULL);
    FIXTURE_CALL(mcd_copier_arrivals, &copier, NULL);
    mcd_copier_free(&copier);
    FIXTURE_CALL(mcd_map_check, &import_map, NULL);
    mcd_turns_free(&turns);
}

Test(layer, map_without_such_roads_stays)
{
    const rule_set street = {.arc_count = 2, .arc = {{0, 1, 1, false}, {1, 0, 1, false}}};
    make(&street);
    cr_expect_eq(import_map.node_count, NODES);
    cr_expect_eq(import_map.arc_count, 2);
}

/*   10 --> 20 ==> 30 --> 40     ==> for ends: a node that no arc for ends touches stays one */
Test(layer, only_nodes_at_such_roads_are_split)
{
    const rule_set street = {.arc_count = 3, .arc = {{0, 1, 1, false}, {1, 2, 2, true}, {2, 3, 4, false}}};
    make(&street);
    cr_expect_eq(import_cost(10, 40), MACADAM_UNREACHED);
    cr_expect_eq(import_cost(10, 30), 3);
    cr_expect_eq(import_cost(20, 40), 6);
    cr_expect_eq(import_map.depart[0], import_map.arrive[0]);
    cr_expect_eq(import_map.depart[3], import_map.arrive[3]);
    cr_expect_neq(import_map.depart[1], import_map.arrive[1]);
}

Test(layer, first_arc_of_a_number_is_the_departing_one)
{
    const rule_set street = {.arc_count = 3, .arc = {{0, 1, 1, false}, {1, 2, 2, true}, {2, 3, 4, false}}};
    make(&street);
    cr_expect_eq(import_map.tail[1], import_map.depart[1]);
    cr_expect_eq(import_map.head[1], import_map.depart[2], "from where the way goes on to 40");
}

static void expect_oracle(const rule_set *drawn, size_t trial)
{
    for (uint32_t source = 0; source < NODES; ++source) {
        uint32_t cost[NODES];
        rule_oracle_tree(drawn, source, cost, NODES);
        for (uint32_t target = 0; target < NODES; ++target)
            cr_assert_eq(import_cost(10 * (source + 1), 10 * (target + 1)), cost[target],
                         "trial %zu, %u to %u", trial, source, target);
    }
}

Test(layer, costs_are_those_of_the_permitted_walks)
{
    test_rng rng = {2};
    for (size_t trial = 0; trial < TRIALS; ++trial) {
        rule_set drawn;
        rules_draw(&drawn, &rng, NODES, ARCS, 2 + trial % 3, trial % 2 ? PATHS : 0, false);
        for (size_t a = 0; trial % 4 > 1 && a < ARCS; ++a) {
            drawn.arc[a].no_exit = !drawn.arc[a].ends && rng_below(&rng, 2) == 0;
            drawn.arc[a].no_entry = !drawn.arc[a].ends && rng_below(&rng, 2) == 0;
        }
        make(&drawn);
        expect_oracle(&drawn, trial);
        mcd_map_free(&import_map);
    }
}
