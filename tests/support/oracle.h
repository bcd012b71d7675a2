/* oracle.h - the oracle: plain Dijkstra with a binary heap over the input arcs. It shares no code with the
 * engine.
 *
 * It finds the path that is minimal in (objective, companion). Sums are 64-bit and never wrap. A path whose
 * objective reaches ORACLE_COST_END does not exist; if the companion is requested, neither is one whose
 * companion reaches it. */
#ifndef MCD_TESTS_SUPPORT_ORACLE_H
#define MCD_TESTS_SUPPORT_ORACLE_H

#include "tests/support/scoped.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORACLE_UNREACHED UINT32_C(0xffffffff) /* in results */
#define ORACLE_COST_END                                                                                      \
    UINT32_C(                                                                                                \
        0x7fffffff) /* the first cost that is none; an arc of it or more is closed                      \
                          */

/* Borrowed. `companion` may be NULL: all zero. */
typedef struct oracle_arcs {
    size_t node_count, arc_count;
    const uint32_t *tail, *head, *objective, *companion;
} oracle_arcs;

typedef struct test_oracle test_oracle;

/* Copies the arcs; `reverse`: trees hold the costs to the source. */
test_oracle *oracle_new(const oracle_arcs *arcs, bool reverse);
void oracle_free(test_oracle *oracle);
SCOPED_POINTER(test_oracle, oracle_free)

/* The costs of all nodes from `source`; objectives above `limit` (0: none) are unreached. With `companion`
 * NULL only the objective counts, else both arrays hold the pair. */
void oracle_tree(test_oracle *oracle, uint32_t source, uint32_t limit, uint32_t *objective,
                 uint32_t *companion);

#endif
