/* access_oracle.h - accessibility as macadam.h defines it, of costs that are given one by one. The oracle sorts nothing: it
 * sums up, for each cost, what is within it. */
#ifndef MCD_TESTS_SUPPORT_ACCESS_ORACLE_H
#define MCD_TESTS_SUPPORT_ACCESS_ORACLE_H

#include "tests/support/rng.h"

#include "engine/include/macadam.h"

enum {
    ACCESS_ORACLE_DECAYS = 7,
    ACCESS_ORACLE_POINTS = 5,
    ACCESS_ORACLE_WHY = 256,
    ACCESS_ORACLE_OPPORTUNITIES = 4096
};

/* A decay with room for a table. */
typedef struct access_decay {
    macadam_decay decay;
    double cost[ACCESS_ORACLE_POINTS], weight[ACCESS_ORACLE_POINTS];
    const macadam_decay *given; /* NULL: none */
} access_decay;

/* Draws a decay of the kind number `which` of ACCESS_ORACLE_DECAYS, near the cost `near`. `out` must stay where it is. */
void access_decay_draw(access_decay *out, size_t which, double near, test_rng *rng);

/* An amount is a whole number below 2^20, in a unit that is drawn too: 1, a fraction, a huge or a tiny one. */
void access_amounts_draw(double *out, size_t count, test_rng *rng);

/* Compares what was found for a source with the oracle's answers from its costs cost[request->opportunity_count], where
 * MACADAM_COST_NONE is unreached. Returns false, and why, if they differ. */
bool access_oracle_agrees(const macadam_reach_request *request, const macadam_reach *found, size_t source,
                          const int64_t *cost, bool is_signed, char why[ACCESS_ORACLE_WHY]);

#endif
