/* route_check.h - whether a list of arcs is a path. */
#ifndef MCD_TESTS_SUPPORT_ROUTE_CHECK_H
#define MCD_TESTS_SUPPORT_ROUTE_CHECK_H

#include "tests/support/graphs.h"

/* Checks that arcs of the graph, given by number (counted from 1), lead from `source` to `target`, none
 * closed, no node visited twice; adds their weights up in sum[quantity]. Returns NULL, or static text that
 * says what is wrong. */
const char *route_check_path(const test_graph *graph, uint32_t source, uint32_t target, const uint64_t *arc,
                             size_t arc_count, uint64_t sum[2]);

#endif
