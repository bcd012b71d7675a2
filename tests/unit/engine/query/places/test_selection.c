/* test_selection.c - the targets and their ancestors. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/kernel_map.h"
#include "tests/support/rng.h"

#include "engine/query/places/selection.h"

#include <criterion/criterion.h>

enum { TARGETS = 70 };

static kernel_map map;
static mcd_lane target[TARGETS];
static mcd_selection selection;
static macadam_error error;

static void set_up(void)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    allocator_install();
    kernel_map_make(&map, &graph, 45);
}

static void tear_down(void)
{
    kernel_map_free(&map);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
}

TestSuite(selection, .init = set_up, .fini = tear_down);

/* Some targets failed, some come twice. */
static void restrict_to(size_t count, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t t = 0; t < count; ++t) {
        target[t] = mcd_lane_of(rng_below(&rng, map.graph->node_count));
        if (t % 7 == 3) target[t].seed[0].node = MCD_NODE_NONE;
        if (t % 7 == 5) target[t] = target[t - 1];
    }
    cr_assert_eq(mcd_selection_new(&selection, map.hierarchy, target, count, SIZE_MAX, &error), MACADAM_OK);
}

static void for_all(void (*claim)(size_t count))
{
    for (size_t count = 0; count <= TARGETS; ++count) {
        restrict_to(count, count);
        claim(count);
        mcd_selection_free(&selection);
    }
}

static void targets_and_ancestors(size_t count)
{
    const mcd_node node_count = map.graph->node_count;
    FREED bool *wanted = checked_zeroed(node_count, sizeof *wanted);
    size_t next = 0;
    for (size_t t = 0; t < count; ++t)
        for (mcd_node v = target[t].seed[0].node; v != MCD_NODE_NONE; v = map.hierarchy->parent[v])
            wanted[v] = true;
    for (mcd_node v = 0; v < node_count; ++v)
        if (wanted[v]) cr_assert(next < selection.count && selection.node[next++] == v, "node %u", v);
    cr_assert_eq(next, selection.count);
}

Test(selection, holds_the_targets_and_their_ancestors_ascending)
{
    for_all(targets_and_ancestors);
}

static void column_is_place(size_t count)
{
    for (size_t t = 0; t < count; ++t) {
        const mcd_node node = target[t].seed[0].node, column = selection.column[t];
        cr_assert_eq(column == MCD_NODE_NONE, node == MCD_NODE_NONE, "target %zu", t);
        if (node != MCD_NODE_NONE)
            cr_assert(column < selection.count && selection.node[column] == node, "target %zu", t);
    }
}

Test(selection, columns_say_where_targets_stand)
{
    for_all(column_is_place);
}

Test(selection, more_nodes_than_allowed_leave_none)
{
    restrict_to(TARGETS, TARGETS);
    const size_t count = selection.count;
    mcd_selection_free(&selection);
    for (size_t most = count - 1; most <= count; ++most) {
        cr_assert_eq(mcd_selection_new(&selection, map.hierarchy, target, TARGETS, most, &error), MACADAM_OK);
        cr_assert_eq(selection.count > most, most < count);
        cr_assert_eq(selection.node != NULL, most >= count);
        cr_assert_eq(selection.column != NULL, most >= count);
        mcd_selection_free(&selection);
    }
}

Test(selection, failed_allocation_leaves_nothing)
{
    for (size_t nth = 1;; ++nth) {
        const size_t live = allocator_live_count();
        allocator_fail(nth);
        target[0] = mcd_lane_of(5);
        const macadam_status status =
            mcd_selection_new(&selection, map.hierarchy, target, 1, SIZE_MAX, &error);
        const bool has_failed = allocator_has_failed();
        allocator_fail(0);
        cr_assert_eq(status, has_failed ? MACADAM_E_MEMORY : MACADAM_OK);
        if (has_failed) cr_assert_eq(allocator_live_count(), live);
        mcd_selection_free(&selection);
        if (!has_failed) break;
    }
}
