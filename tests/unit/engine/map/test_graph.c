/* test_graph.c - the input arcs by tail and by head, and the pairs of neighbours. */
#include "tests/support/leak.h"
#include "tests/support/checked.h"
#include "tests/support/graphs.h"
#include "tests/support/rng.h"

#include "engine/map/graph.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>

static test_graph input;
static mcd_node *id_of;
static mcd_graph *graph;
static uint32_t *map_arc;
static macadam_error error;

TestSuite(graph, .init = allocator_install, .fini = leak_expect_none);

/* Renumbers by a random permutation. */
static void build(size_t index, unsigned threads)
{
    test_rng rng = {index};
    input = graphs_make(index);
    id_of = checked_allocate(input.node_count, sizeof *id_of);
    for (mcd_node v = 0; v < input.node_count; ++v) {
        const mcd_node other = rng_below(&rng, v + 1);
        id_of[v] = id_of[other], id_of[other] = v;
    }
    cr_assert_eq(mcd_graph_new(&graph, &map_arc, (mcd_node)input.node_count, input.tail, input.head,
                               input.arc_count, id_of, &(mcd_parallel){.thread_count = threads}, NULL,
                               &error),
                 MACADAM_OK);
}

static void drop(void)
{
    mcd_graph_free(graph);
    mcd_free(map_arc);
    free(id_of);
    test_graph_free(&input);
}

static void for_all(void (*claim)(void))
{
    for (size_t i = 0; i < 2 * graphs_count(); ++i) {
        build(i / 2, i % 2 ? 3 : 1);
        claim();
        drop();
    }
}

static void same_arcs(void)
{
    FREED bool *seen = checked_zeroed(input.arc_count, sizeof *seen);
    cr_assert_eq(graph->arc_count, input.arc_count);
    cr_assert_eq(graph->first_out[0], 0);
    cr_assert_eq(graph->first_out[graph->node_count], input.arc_count);
    for (mcd_node x = 0; x < graph->node_count; ++x)
        for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) {
            cr_assert(!seen[map_arc[xy]], "%s", input.name);
            seen[map_arc[xy]] = true;
            cr_assert_eq(id_of[input.tail[map_arc[xy]]], x, "%s", input.name);
            cr_assert_eq(id_of[input.head[map_arc[xy]]], graph->head[xy], "%s", input.name);
        }
}

Test(graph, every_arc_of_the_map_stands_at_its_tail_once)
{
    for_all(same_arcs);
}

static void sorted(void)
{
    for (mcd_node x = 0; x < graph->node_count; ++x)
        for (mcd_arc xy = graph->first_out[x] + 1; xy < graph->first_out[x + 1]; ++xy) {
            cr_assert_leq(graph->head[xy - 1], graph->head[xy]);
            if (graph->head[xy - 1] == graph->head[xy]) cr_assert_lt(map_arc[xy - 1], map_arc[xy]);
        }
}

Test(graph, heads_ascend_and_parallel_arcs_keep_the_maps_order)
{
    for_all(sorted);
}

static void reverse(void)
{
    FREED bool *seen = checked_zeroed(input.arc_count, sizeof *seen);
    cr_assert_eq(graph->first_in[0], 0);
    cr_assert_eq(graph->first_in[graph->node_count], input.arc_count);
    for (mcd_node y = 0; y < graph->node_count; ++y)
        for (mcd_arc i = graph->first_in[y]; i < graph->first_in[y + 1]; ++i) {
            const uint32_t arc = graph->in_arc[i];
            cr_assert(!seen[arc] && graph->head[arc] == y, "%s", input.name);
            seen[arc] = true;
            cr_assert(graph->first_out[graph->tail[i]] <= arc && arc < graph->first_out[graph->tail[i] + 1]);
            if (i > graph->first_in[y]) cr_assert_lt(graph->in_arc[i - 1], arc);
        }
}

Test(graph, every_arc_stands_at_its_head_once)
{
    for_all(reverse);
}

Test(graph, arcs_that_no_index_can_count_are_refused)
{
    cr_assert_eq(mcd_graph_new(&graph, &map_arc, 0, NULL, NULL, UINT32_MAX, NULL, NULL, NULL, &error),
                 MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "4294967295 arcs are more than the 4294967294 that a map may have");
    cr_assert_null(graph);
    cr_assert_null(map_arc);
}

/* ---- pairs ---- */

static bool is_before(const mcd_couples *pairs, size_t i, size_t j)
{
    const mcd_node a = pairs->high[i] / MCD_COUPLE_SEGMENT, b = pairs->high[j] / MCD_COUPLE_SEGMENT;
    if (a != b) return a < b;
    return pairs->low[i] != pairs->low[j] ? pairs->low[i] < pairs->low[j] : pairs->high[i] < pairs->high[j];
}

static void pairs_sorted(void)
{
    SCOPED(mcd_couples_free) mcd_couples pairs;
    cr_assert_eq(mcd_couples_new(&pairs, graph, &error), MACADAM_OK);
    for (size_t i = 0; i < pairs.count; ++i) {
        cr_assert_gt(pairs.high[i], pairs.low[i]);
        if (i > 0) cr_assert(is_before(&pairs, i - 1, i), "%s: pair %zu", input.name, i);
    }
}

Test(graph, pairs_are_sorted_by_segment_and_none_comes_twice)
{
    for_all(pairs_sorted);
}

/* Where the pair of two nodes stands; the count if nowhere. */
static size_t find_pair(const mcd_couples *pairs, mcd_node a, mcd_node b)
{
    mcd_node high = a > b ? a : b, low = a > b ? b : a;
    const mcd_couples wanted = {1, &high, &low};
    size_t first = 0, end = pairs->count;
    while (first < end) {
        const size_t middle = (first + end) / 2;
        const mcd_couples both = {2, (mcd_node[]){pairs->high[middle], wanted.high[0]},
                                  (mcd_node[]){pairs->low[middle], wanted.low[0]}};
        if (is_before(&both, 0, 1))
            first = middle + 1;
        else
            end = middle;
    }
    return first < pairs->count && pairs->high[first] == high && pairs->low[first] == low ? first
                                                                                          : pairs->count;
}

static void couples(void)
{
    SCOPED(mcd_couples_free) mcd_couples pairs;
    cr_assert_eq(mcd_couples_new(&pairs, graph, &error), MACADAM_OK);
    FREED bool *const found = checked_zeroed(pairs.count, sizeof *found);
    for (size_t arc = 0; arc < input.arc_count; ++arc) {
        const mcd_node x = id_of[input.tail[map_arc[arc]]], y = graph->head[arc];
        const size_t pair = find_pair(&pairs, x, y);
        cr_assert_eq(pair == pairs.count, x == y, "%s: a pair is missing, or a loop is one", input.name);
        if (x != y) found[pair] = true;
    }
    for (size_t i = 0; i < pairs.count; ++i) cr_assert(found[i], "%s: pair %zu has no arc", input.name, i);
}

Test(graph, couples_are_the_ends_of_arcs)
{
    for_all(couples);
}
