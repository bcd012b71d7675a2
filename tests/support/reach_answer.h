/* reach_answer.h - room for the answers of reach, the right answers, and their comparison. */
#ifndef MCD_TESTS_SUPPORT_REACH_ANSWER_H
#define MCD_TESTS_SUPPORT_REACH_ANSWER_H

#include "engine/include/macadam.h"

/* Room for what `request` can be asked: counts if it has limits, sums if it has values too, the nearest if it
 * has a nearest_count, and what needs neither if `nodes`. Guarded and filled with what no answer is. */
macadam_reach reach_answer_new(const macadam_reach_request *request, bool nodes);
void reach_answer_free(macadam_reach *answer);

/* The right answer for one source, from its costs: of all columns, the i-th with the value value[i] ... */
void reach_answer_sum(macadam_reach *answer, const macadam_reach_request *request, size_t source,
                      const uint32_t *cost, size_t column_count);
/* ... and of the targets, the t-th at column[t] (UINT32_MAX: it failed). */
void reach_answer_list(macadam_reach *answer, const macadam_reach_request *request, size_t source,
                       const uint32_t *cost, const uint32_t *column);

/* Fills the nearest_... of `found` by prepared targets. Returns what the calls return. */
macadam_status reach_answer_prepare(macadam_engine *engine, const macadam_query *query,
                                    const macadam_reach_request *request, const macadam_reach *found,
                                    macadam_place_status *status, macadam_error *error);

/* Asserts that both are equal, guards too; `where` for messages. */
void reach_answer_compare(const macadam_reach *found, const macadam_reach *right,
                          const macadam_reach_request *request, const char *where);

#endif
