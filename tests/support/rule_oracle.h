/* rule_oracle.h - the oracle of the rules of the road: the least cost among all walks that keep them, with a
 * label for every memory that a walk may have. It shares no code with the importer. For small maps. */
#ifndef MCD_TESTS_SUPPORT_RULE_ORACLE_H
#define MCD_TESTS_SUPPORT_RULE_ORACLE_H

#include "tests/support/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RULE_UNREACHED UINT32_C(0xffffffff)
enum { RULE_ARCS = 20, RULE_PATH_ARCS = 4, RULE_PATHS = 16 };

typedef struct rule_arc {
    uint32_t tail, head, weight;
    bool ends;              /* only before all arcs that are not, or behind all of them */
    bool no_exit, no_entry; /* also before arcs for ends at the start; also after them at the end */
} rule_arc;

/* No walk holds these arcs one after the other. */
typedef struct rule_path {
    size_t count; /* 2 to RULE_PATH_ARCS */
    uint32_t arc[RULE_PATH_ARCS];
} rule_path;

typedef struct rule_set {
    size_t arc_count, path_count;
    rule_arc arc[RULE_ARCS];
    rule_path path[RULE_PATHS];
    uint32_t price[RULE_ARCS][RULE_ARCS]; /* of the second arc straight behind the first */
} rule_set;

/* From `source` to each of `node_count` nodes; RULE_UNREACHED where no walk keeps the rules. */
void rule_oracle_tree(const rule_set *rules, uint32_t source, uint32_t *cost, size_t node_count);

/* Draws what RULE_PATH_ARCS and RULE_PATHS leave room for: `arc_count` arcs between `node_count` nodes,
 * loops and parallel ones too, one in `ends_share` (0: none) for ends only; `path_count` forbidden walks,
 * and prices of turns if `priced`. */
void rules_draw(rule_set *out, test_rng *rng, uint32_t node_count, size_t arc_count, uint32_t ends_share,
                size_t path_count, bool priced);

#endif
