/* expected.c - see expected.h. */
#include "tests/support/expected.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

expected_trees expected_new(const test_graph *graph, const fixture_asked *asked, bool reverse, uint32_t limit,
                            size_t source_count, uint64_t seed)
{
    const bool with_companion = fixture_asks_companion(asked);
    const oracle_arcs arcs = test_graph_arcs(graph, asked->metric);
    const size_t node_count = graph->node_count;
    expected_trees trees = {.node_count = node_count, .source_count = source_count};
    test_rng rng = {seed};
    SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, reverse);
    trees.source = checked_allocate(source_count, sizeof *trees.source);
    for (size_t q = 0; q < 2; ++q)
        if (q == asked->metric || with_companion)
            trees.value[q] = checked_allocate(source_count * node_count, sizeof *trees.value[q]);
    for (size_t i = 0; i < source_count; ++i) {
        trees.source[i] = rng_below(&rng, (uint32_t)node_count);
        uint32_t *companion = with_companion ? trees.value[1 - asked->metric] + i * node_count : NULL;
        oracle_tree(oracle, trees.source[i], limit, trees.value[asked->metric] + i * node_count, companion);
    }
    return trees;
}

void expected_free(expected_trees *trees)
{
    free(trees->source);
    free(trees->value[0]);
    free(trees->value[1]);
}

macadam_place *expected_places(const expected_trees *trees, size_t count)
{
    macadam_place *place = checked_allocate(count, sizeof *place);
    for (size_t i = 0; i < count; ++i) place[i] = fixture_place(trees->source[i]);
    return place;
}
