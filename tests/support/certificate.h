/* certificate.h - checks whether the objectives of a tree are right, from the arcs alone and without
 * computing a tree.
 *
 * dist[source] = 0. No arc is over-tight (dist[head] > dist[tail] + weight). Tight arcs lead from the source
 * to every reached node. No arc leads from a reached to an unreached node unless the sum passes the limit. */
#ifndef MCD_TESTS_SUPPORT_CERTIFICATE_H
#define MCD_TESTS_SUPPORT_CERTIFICATE_H

#include "tests/support/oracle.h"

/* `dist`: per node, ORACLE_UNREACHED where there is no path within `limit` (0: none). `reverse`: costs to the
 * source. Only the objective counts. Returns NULL, or static text that says what is wrong. */
const char *certificate_check(const oracle_arcs *arcs, uint32_t source, bool reverse, uint32_t limit,
                              const uint32_t *dist);

#endif
