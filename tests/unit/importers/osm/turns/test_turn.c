/* test_turn.c - maps split for forbidden turns: no path makes one, and every other path stays. */
#include "tests/support/checked.h"
#include "tests/support/leak.h"
#include "tests/support/import_fixture.h"
#include "tests/support/rule_oracle.h"

#include "importers/osm/turns/turn.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

static mcd_turns turns;
static const mcd_parallel parallel = {.thread_count = 2};

static void tear_down(void)
{
    mcd_turns_free(&turns);
    import_fixture_close();
}

TestSuite(turn, .init = import_fixture_open, .fini = tear_down);

static void forbid(mcd_arc from, mcd_arc to)
{
    cr_assert_eq(mcd_turns_forbid(&turns, (const mcd_arc[]){from, to}, 2, &import_error), MACADAM_OK);
}

static void apply(void)
{
    mcd_copier copier = mcd_copier_of(&import_map);
    cr_assert_eq(mcd_turns_apply(&copier, &turns, &parallel, NULL, &import_error), MACADAM_OK, "%s",
                 import_error.message);
    cr_assert_eq(mcd_copier_arrivals(&copier, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
    mcd_copier_free(&copier);
    cr_assert_eq(mcd_map_check(&import_map, NULL, &import_error), MACADAM_OK, "%s", import_error.message);
}

/*            40          arcs: 0: 10 -> 20 (1), 1: 20 -> 30 (2), 2: 20 -> 40 (4), 3: 40 -> 20 (8),
 *            ^|                4: 20 -> 10 (16)
 *            |v
 *   10 <---> 20 ---> 30 */
static void make_crossing(void)
{
    static const uint32_t arc[][3] = {{0, 1, 1}, {1, 2, 2}, {1, 3, 4}, {3, 1, 8}, {1, 0, 16}};
    import_map_of(4, arc, 5);
}

Test(turn, price_is_paid_by_those_who_turn_and_by_those_who_arrive)
{
    make_crossing();
    cr_assert_eq(mcd_turns_charge(&turns, 0, 1, 100, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_turns_charge(&turns, 0, MCD_ARC_NONE, 9, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_turns_charge(&turns, 3, 1, -2, &import_error), MACADAM_OK);
    apply();
    cr_expect_eq(import_cost(10, 20), 1 + 9);
    cr_expect_eq(import_cost(10, 30), 1 + 4 + 8 + 2 - 2, "by way of 40");
    cr_expect_eq(import_cost(40, 20), 8);
    cr_expect_eq(import_cost(20, 30), 2);
}

Test(turn, map_without_forbidden_turns_stays)
{
    make_crossing();
    apply();
    cr_assert_eq(import_map.node_count, 4);
    cr_assert_eq(import_map.arc_count, 5);
}

Test(turn, arrival_leads_nowhere)
{
    make_crossing();
    forbid(0, 1);
    apply();
    const mcd_node arrive = import_map.arrive[mcd_map_find_id(&import_map, 20)];
    cr_assert_neq(arrive, import_map.depart[mcd_map_find_id(&import_map, 20)]);
    for (size_t arc = 0; arc < import_map.arc_count; ++arc) cr_assert_neq(import_map.tail[arc], arrive);
}

Test(turn, arcs_that_forbid_the_same_turns_share_a_copy)
{
    make_crossing();
    forbid(0, 1);
    forbid(3, 1);
    forbid(3, 1);
    apply();
    cr_assert_eq(import_map.node_count, 4 + 2, "one copy, one arrival");
    cr_assert_eq(import_map.head[0], import_map.head[3]);
}

Test(turn, copies_keep_the_numbers_of_their_arcs)
{
    make_crossing();
    forbid(0, 1);
    apply();
    cr_assert_eq(import_arc_count(20, 40), 2);
    for (size_t arc = 5; arc < import_map.arc_count; ++arc)
        if (import_map.node_id[import_map.head[arc]] == 40) cr_assert_eq(import_map.arc_number[arc], 3);
}

Test(turn, arcs_that_do_not_meet_are_refused)
{
    make_crossing();
    forbid(0, 3);
    mcd_copier copier = mcd_copier_of(&import_map);
    import_expect(mcd_turns_apply(&copier, &turns, &parallel, NULL, &import_error), MACADAM_E_INVALID, NULL,
                  "a turn from arc 0 into arc 3, which do not meet");
    mcd_copier_free(&copier);
}

Test(turn, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        make_crossing();
        allocator_fail(nth);
        mcd_copier copier = mcd_copier_of(&import_map);
        macadam_status status = mcd_turns_forbid(&turns, (const mcd_arc[]){0, 1}, 2, &import_error);
        if (status == MACADAM_OK)
            status = mcd_turns_forbid(&turns, (const mcd_arc[]){0, 2, 3}, 3, &import_error);
        if (status == MACADAM_OK) status = mcd_turns_apply(&copier, &turns, &parallel, NULL, &import_error);
        if (status == MACADAM_OK) status = mcd_copier_arrivals(&copier, NULL, &import_error);
        mcd_copier_free(&copier);
        mcd_turns_free(&turns);
        mcd_map_free(&import_map);
        if (!leak_expect_failed(nth, status)) break;
    }
}

/* turn.c once more, compiled so that every basic block calls the function below: tests/CMakeLists.txt. */
macadam_status counted_turns_apply(mcd_copier *copier, mcd_turns *turns, const mcd_parallel *parallel,
                                   mcd_watch *watch, macadam_error *error);
void __sanitizer_cov_trace_pc(void);

static atomic_size_t blocks_run;

void __sanitizer_cov_trace_pc(void)
{
    ++blocks_run;
}

/* Splits a junction of `arrivals` ways in. Each has a price of its own, so that no two share a copy. Returns how many
 * basic blocks were run. */
static size_t split_junction(uint32_t arrivals)
{
    uint32_t(*const arc)[3] = checked_allocate(arrivals + 1, sizeof *arc);
    for (uint32_t i = 0; i < arrivals; ++i) arc[i][0] = i + 2, arc[i][1] = 0, arc[i][2] = 1;
    memcpy(arc[arrivals], (const uint32_t[]){0, 1, 1}, sizeof arc[arrivals]);
    import_map_of(arrivals + 2, (const uint32_t(*)[3])arc, arrivals + 1);
    free(arc);
    for (mcd_arc i = 0; i < arrivals; ++i)
        cr_assert_eq(mcd_turns_charge(&turns, i, arrivals, (mcd_price)i + 1, &import_error), MACADAM_OK);
    mcd_copier copier = mcd_copier_of(&import_map);
    blocks_run = 0;
    cr_assert_eq(counted_turns_apply(&copier, &turns, &parallel, NULL, &import_error), MACADAM_OK);
    const size_t taken = blocks_run;
    cr_expect_gt(import_map.node_count, 2 * arrivals);
    mcd_copier_free(&copier);
    mcd_map_free(&import_map);
    mcd_turns_free(&turns);
    return taken;
}

/* Comparing each with each would take TIMES * TIMES as many. */
Test(turn, work_for_a_junction_grows_about_linearly)
{
    enum { FEW = 500, TIMES = 16 };
    const size_t few = split_junction(FEW), many = split_junction(TIMES * FEW);
    cr_expect_gt(few, FEW);
    cr_expect_lt(many, 2 * TIMES * few, "%zu and %zu", few, many);
}

/* ---- against walks that remember ---- */

enum { NODES = 5, ARCS = 12, PATHS = 14, TRIALS = 300 };

static void take_rules(const rule_set *drawn)
{
    uint32_t arc[ARCS][3];
    for (size_t a = 0; a < ARCS; ++a)
        memcpy(arc[a], (const uint32_t[]){drawn->arc[a].tail, drawn->arc[a].head, drawn->arc[a].weight},
               sizeof arc[a]);
    import_map_of(NODES, arc, ARCS);
    for (size_t p = 0; p < drawn->path_count; ++p) {
        mcd_arc path[RULE_PATH_ARCS];
        for (size_t i = 0; i < drawn->path[p].count; ++i) path[i] = drawn->path[p].arc[i];
        cr_assert_eq(mcd_turns_forbid(&turns, path, drawn->path[p].count, &import_error), MACADAM_OK);
    }
    for (size_t a = 0; a < ARCS; ++a)
        for (size_t b = 0; b < ARCS; ++b)
            if (drawn->price[a][b])
                cr_assert_eq(mcd_turns_charge(&turns, a, b, drawn->price[a][b], &import_error), MACADAM_OK);
}

Test(turn, costs_are_those_of_the_permitted_walks)
{
    test_rng rng = {1};
    for (size_t trial = 0; trial < TRIALS; ++trial) {
        rule_set drawn;
        rules_draw(&drawn, &rng, NODES, ARCS, 0, rng_below(&rng, PATHS), trial % 2);
        take_rules(&drawn);
        apply();
        for (uint32_t source = 0; source < NODES; ++source) {
            uint32_t cost[NODES];
            rule_oracle_tree(&drawn, source, cost, NODES);
            for (uint32_t target = 0; target < NODES; ++target)
                cr_assert_eq(import_cost(10 * (source + 1), 10 * (target + 1)), cost[target],
                             "trial %zu, %u to %u", trial, source, target);
        }
        mcd_map_free(&import_map);
        mcd_turns_free(&turns);
    }
}
