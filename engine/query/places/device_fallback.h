/* device_fallback.h - a query that is tried on the device. If the device fails, the processor goes on where the
 * device stopped, with the weights that the call began with. */
#ifndef MCD_ENGINE_QUERY_PLACES_DEVICE_FALLBACK_H
#define MCD_ENGINE_QUERY_PLACES_DEVICE_FALLBACK_H

#include "engine/query/places/query.h"

/* The data that a query works on, and the backend that tries first. */
typedef struct mcd_work {
    const mcd_backend
        *backend;           /* tries first unless `amount` is rated: mcd_engine_backend, or the processor's */
    mcd_amount amount;      /* lets mcd_engine_choose decide, unless the answers lie in a device's memory */
    bool searches;          /* over the input arcs; else over the hierarchy */
    bool on_host;           /* searches: a device's backend also receives the host's arrays */
    bool no_weights;        /* searches: over the graph only */
    bool takes_clock;       /* the question can be answered with a clock, ... */
    bool clock_on_device;   /* ... and `backend` does so; else the processor's */
    unsigned need;          /* mcd_need; of searches: mcd_arc_need */
    uint32_t *const *value; /* the caller's arrays for answers; NULL: none */
} mcd_work;

/* One try of a call: answers `run` with the query, which has begun, and releases everything that it takes for
 * this try. A second try finds `run` as the first one left it, and goes on where the first one stopped. */
typedef macadam_status (*mcd_device_fallback)(void *run, mcd_query *query, macadam_error *error);

/* Begins the query, tries, and ends the query. If a device's backend fails with E_DEVICE, repeats this once
 * with the processor's backend, unless the processor cannot write work->value. Both tries use the same
 * version of the weights, even if updates come between them. Returns the status of the last try. `given` may
 * be NULL. */
macadam_status mcd_query_with_fallback(macadam_engine *engine, const mcd_work *work,
                                       const macadam_query *given, mcd_device_fallback attempt, void *run,
                                       macadam_error *error);

#endif
