/* attempt.h - a query that is tried on the device and, if the device fails, answered by the processor: from
 * where the device stopped, with the weights that the call began with. */
#ifndef MCD_ENGINE_QUERY_ATTEMPT_H
#define MCD_ENGINE_QUERY_ATTEMPT_H

#include "engine/query/query.h"

/* The data that a query works on, and who begins. */
typedef struct mcd_work {
    const mcd_backend *backend; /* begins: mcd_work_backend, or the processor's */
    bool searches;              /* over the input arcs; else over the hierarchy */
    bool on_host;               /* searches: a device's backend is handed the host's arrays, too */
    bool no_weights;            /* searches: over the graph only */
    unsigned need;              /* mcd_need; of searches: mcd_arc_need */
    uint32_t *const *value;     /* the caller's arrays for answers; NULL: none */
} mcd_work;

/* One try of a call: answers `run` by the query, which has begun. What it takes for this try, it gives back. A
 * second try finds `run` as the first one left it, and goes on where that one stopped. */
typedef macadam_status (*mcd_attempt)(void *run, mcd_query *query, macadam_error *error);

/* Begins the query, tries, and ends the query. If a device's backend fails with E_DEVICE, this happens once more
 * with the processor's, unless the processor cannot write work->value. Both tries use the same version of the
 * weights, whatever updates come between them. Returns what the last try returned. `given` may be NULL. */
macadam_status mcd_query_attempt(macadam_engine *engine, const mcd_work *work, const macadam_query *given,
                                 mcd_attempt attempt, void *run, macadam_error *error);

#endif
