/* clock_oracle.h - the oracle of searches with a clock: the integral of the speed by sums over the week, its inverse by
 * bisection, and Dijkstra with a binary heap. It shares no code with the engine. */
#ifndef MCD_TESTS_SUPPORT_CLOCK_ORACLE_H
#define MCD_TESTS_SUPPORT_CLOCK_ORACLE_H

#include "tests/support/frontier_oracle.h"

/* The rates of a week's slots; pattern 0 is 255 at all times. */
typedef struct clock_oracle_week {
    uint32_t pattern_count, slot_count;
    const uint8_t *rate; /* [(pattern - 1) * slot_count + slot]; borrowed */
    uint64_t
        *integral; /* [(pattern - 1) * (slot_count + 1) + slot]: from Monday on to the slot's beginning */
} clock_oracle_week;

clock_oracle_week clock_oracle_week_make(const uint8_t *rate, uint32_t pattern_count, uint32_t slot_count);
void clock_oracle_week_free(clock_oracle_week *week);

/* The least t + d, d >= 0, at which an arc that is entered at t is left; as d. ORACLE_COST_END: that or more. */
uint32_t clock_oracle_leave(const clock_oracle_week *week, uint32_t pattern, uint64_t t, uint32_t own);
/* The greatest t - d at which an arc that is left by t may be entered; as d. */
uint32_t clock_oracle_enter(const clock_oracle_week *week, uint32_t pattern, uint64_t t, uint32_t own);

/* Borrowed. own: ORACLE_COST_END or more is closed. */
typedef struct clock_oracle_arcs {
    size_t node_count, arc_count;
    const uint32_t *tail, *head, *own, *price, *pattern, *companion;
} clock_oracle_arcs;

/* The costs from the seeds at `instant` (`reverse`: to them by then) to all nodes, and of the earliest (latest) ways the
 * least companion. Above `limit`: unreached. `companion` may be NULL; else saturated ones are unreached. */
void clock_oracle_tree(const clock_oracle_arcs *arcs, const clock_oracle_week *week, const oracle_seed *seed,
                       size_t seed_count, uint64_t instant, bool reverse, uint32_t limit, uint32_t *objective,
                       uint32_t *companion);

/* The weight of each arc for a search that comes to its tail (`reverse`: its head) at that node's cost;
 * ORACLE_COST_END: closed, or the node is unreached. */
void clock_oracle_weights(const clock_oracle_arcs *arcs, const clock_oracle_week *week,
                          const uint32_t *objective, uint64_t instant, bool reverse, uint32_t *weight);

#endif
