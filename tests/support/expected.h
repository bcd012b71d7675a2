/* expected.h - the oracle's trees of many sources, laid out like the answers that are compared with them. */
#ifndef MCD_TESTS_SUPPORT_EXPECTED_H
#define MCD_TESTS_SUPPORT_EXPECTED_H

#include "tests/support/fixture.h"

/* value[quantity][source * node_count + node]; sources are drawn from the seed and repeat. */
typedef struct expected_trees {
    size_t node_count, source_count;
    uint32_t *source, *value[2];
} expected_trees;

/* If the companion is not requested, only the objective counts, and value[companion] is NULL. */
expected_trees expected_new(const test_graph *graph, const fixture_asked *asked, bool reverse, uint32_t limit,
                            size_t source_count, uint64_t seed);
void expected_free(expected_trees *trees);

/* The asked quantity of an answer's column. */
static inline const uint32_t *expected_column(const expected_trees *trees, const fixture_asked *asked,
                                              size_t column)
{
    return trees->value[asked->quantity_count > 0 ? asked->quantity[column] : asked->metric];
}

/* Places of the first `count` sources; freed with free(). */
macadam_place *expected_places(const expected_trees *trees, size_t count);

#endif
