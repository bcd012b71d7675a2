/* test_turn.c - maps split for forbidden turns: no path makes one, and every other path stays. */
#include "tests/support/allocator.h"
#include "tests/support/import_fixture.h"
#include "tests/support/rng.h"

#include "importers/turn.h"

#include <criterion/criterion.h>
#include <string.h>

static mcd_turns turns;

static void tear_down(void)
{
    mcd_turns_free(&turns);
    import_fixture_close();
}

TestSuite(turn, .init = import_fixture_open, .fini = tear_down);

static void forbid(mcd_arc from, mcd_arc to)
{
    cr_assert_eq(mcd_turns_forbid(&turns, from, to, &import_error), MACADAM_OK);
}

static void apply(void)
{
    cr_assert_eq(mcd_turns_apply(&import_map, &turns, &import_error), MACADAM_OK, "%s", import_error.message);
    cr_assert_eq(mcd_map_check(&import_map, &import_error), MACADAM_OK, "%s", import_error.message);
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

Test(turn, map_without_forbidden_turns_stays)
{
    make_crossing();
    apply();
    cr_assert_eq(import_map.node_count, 4);
    cr_assert_eq(import_map.arc_count, 5);
}

Test(turn, forbidden_turn_is_not_made)
{
    make_crossing();
    forbid(0, 1);
    apply();
    cr_assert_eq(import_cost(10, 30), 1 + 4 + 8 + 2, "by way of 40");
}

Test(turn, other_turns_from_the_same_arc_stay)
{
    make_crossing();
    forbid(0, 1);
    apply();
    cr_assert_eq(import_cost(10, 40), 1 + 4);
    cr_assert_eq(import_cost(10, 20), 1);
}

Test(turn, same_turn_from_other_arcs_stays)
{
    make_crossing();
    forbid(0, 1);
    apply();
    cr_assert_eq(import_cost(40, 30), 8 + 2);
}

Test(turn, departing_at_the_node_is_free_of_its_restrictions)
{
    make_crossing();
    forbid(0, 1);
    forbid(3, 1);
    apply();
    cr_assert_eq(import_cost(20, 30), 2);
    cr_assert_eq(import_cost(20, 20), 0);
    cr_assert_eq(import_cost(10, 30), MACADAM_UNREACHED);
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

Test(turn, arc_with_all_turns_forbidden_still_arrives)
{
    make_crossing();
    forbid(0, 1);
    forbid(0, 2);
    forbid(0, 4);
    apply();
    cr_assert_eq(import_cost(10, 20), 1);
    cr_assert_eq(import_cost(10, 40), MACADAM_UNREACHED);
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
    import_expect(mcd_turns_apply(&import_map, &turns, &import_error), MACADAM_E_INVALID, NULL,
                  "a turn from arc 0 into arc 3, which do not meet");
}

Test(turn, every_failed_allocation_is_an_error)
{
    for (size_t nth = 1;; ++nth) {
        make_crossing();
        allocator_fail(nth);
        macadam_status status = mcd_turns_forbid(&turns, 0, 1, &import_error);
        if (status == MACADAM_OK) status = mcd_turns_apply(&import_map, &turns, &import_error);
        const bool failed = allocator_has_failed();
        allocator_fail(0);
        mcd_turns_free(&turns);
        mcd_map_free(&import_map);
        cr_assert_eq(status, failed ? MACADAM_E_MEMORY : MACADAM_OK, "allocation %zu", nth);
        cr_assert_eq(allocator_live_count(), 0, "allocation %zu", nth);
        if (!failed) break;
    }
}

/* ---- against paths over arcs ---- */

enum { NODES = 5, ARCS = 12, TURNS = 16, TRIALS = 400 };

/* The least cost by Bellman and Ford over arcs instead of nodes: dist[arc] is that of a path that ends with
 * it. */
static uint32_t cost_by_arcs(const uint32_t arc[][3], bool forbidden[ARCS][ARCS], uint32_t source,
                             uint32_t target)
{
    uint32_t dist[ARCS], best = source == target ? 0 : MACADAM_UNREACHED;
    for (size_t a = 0; a < ARCS; ++a) dist[a] = arc[a][0] == source ? arc[a][2] : MACADAM_UNREACHED;
    for (size_t round = 0; round < ARCS; ++round)
        for (size_t a = 0; a < ARCS; ++a)
            for (size_t b = 0; b < ARCS; ++b)
                if (dist[a] != MACADAM_UNREACHED && arc[a][1] == arc[b][0] && !forbidden[a][b] &&
                    dist[a] + arc[b][2] < dist[b])
                    dist[b] = dist[a] + arc[b][2];
    for (size_t a = 0; a < ARCS; ++a)
        if (arc[a][1] == target && dist[a] < best) best = dist[a];
    return best;
}

static void draw_turns(test_rng *rng, const uint32_t arc[][3], bool forbidden[ARCS][ARCS])
{
    memset(forbidden, 0, ARCS * sizeof forbidden[0]);
    for (size_t i = 0; i < TURNS; ++i) {
        const uint32_t from = rng_below(rng, ARCS), to = rng_below(rng, ARCS);
        if (arc[from][1] != arc[to][0]) continue;
        forbidden[from][to] = true;
        forbid(from, to);
    }
}

Test(turn, costs_are_those_of_the_permitted_paths)
{
    test_rng rng = {1};
    for (size_t trial = 0; trial < TRIALS; ++trial) {
        uint32_t arc[ARCS][3];
        bool forbidden[ARCS][ARCS];
        for (size_t a = 0; a < ARCS; ++a) {
            arc[a][0] = rng_below(&rng, NODES); /* loops and parallel arcs too */
            arc[a][1] = rng_below(&rng, NODES);
            arc[a][2] = rng_below(&rng, 5);
        }
        import_map_of(NODES, arc, ARCS);
        draw_turns(&rng, arc, forbidden);
        apply();
        for (uint32_t source = 0; source < NODES; ++source)
            for (uint32_t target = 0; target < NODES; ++target)
                cr_assert_eq(import_cost(10 * (source + 1), 10 * (target + 1)),
                             cost_by_arcs(arc, forbidden, source, target), "trial %zu, %u to %u", trial,
                             source, target);
        mcd_map_free(&import_map);
        mcd_turns_free(&turns);
    }
}
