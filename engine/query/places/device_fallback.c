/* device_fallback.c - see device_fallback.h. */
#include "engine/query/places/device_fallback.h"

#include "engine/query/places/dispatch.h"

/* Returns the backend that tries first. Only for the processor it looks at the answers' memory: that is a system call. */
static const mcd_backend *choose(mcd_query *query, const mcd_work *work)
{
    macadam_engine *const engine = query->engine;
    if (work->amount.rated == MCD_RATED_NONE || !mcd_engine_may_choose(engine)) return work->backend;
    const mcd_backend *const chosen = mcd_engine_choose(engine, query->version, &work->amount, work->backend);
    if (chosen->device) return chosen;
    query->reaches_values = mcd_query_reaches(query, work->value);
    return query->reaches_values ? chosen : mcd_engine_backend(engine);
}

/* *backend: NULL in the first try, which chooses it. */
static macadam_status begin(mcd_query *out, macadam_engine *engine, const mcd_work *work,
                            const macadam_query *given, const mcd_backend **backend, macadam_error *error)
{
    if (work->takes_clock && mcd_query_has_clock(given)) {
        if (!*backend) *backend = work->backend;
        return mcd_query_begin_clock(out, engine, work->clock_on_device ? *backend : engine->host, given,
                                     NULL, error);
    }
    MCD_TRY(mcd_query_begin_version(out, engine, given, !work->no_weights, error));
    if (!*backend) *backend = choose(out, work);
    const mcd_backend *const with = work->on_host ? engine->host : *backend;
    MCD_TRY(work->searches ? mcd_query_prepare_arcs(out, with, !work->no_weights, work->need, error)
                           : mcd_query_prepare(out, with, (mcd_need)work->need, &work->amount, error));
    out->backend = *backend;
    return MACADAM_OK;
}

static macadam_status answer(mcd_device_fallback attempt, void *run, mcd_query *query, macadam_error *error)
{
    atomic_uint *const calls = query->backend->device ? &query->engine->dispatch.device_calls : NULL;
    if (calls) atomic_fetch_add(calls, 1);
    const macadam_status status = attempt(run, query, error);
    if (calls) atomic_fetch_sub(calls, 1);
    return status;
}

macadam_status mcd_query_with_fallback(macadam_engine *engine, const mcd_work *work,
                                       const macadam_query *given, mcd_device_fallback attempt, void *run,
                                       macadam_error *error)
{
    const mcd_backend *backend = NULL;
    mcd_query query;
    mcd_version *version = NULL; /* of the weights that the first try uses; NULL until it has begun */
    const mcd_arcs *arcs = NULL; /* likewise, for searches; the version's */
    macadam_status status;
    do {
        status = version ? mcd_query_begin_again(&query, engine, given, version, arcs, work->need, error)
                         : begin(&query, engine, work, given, &backend, error);
        if (!status && !version) version = mcd_version_use(query.version), arcs = query.arcs;
        if (!status) status = answer(attempt, run, &query, error);
        mcd_query_end(&query);
    } while (mcd_query_falls_back(&query, work->value, &backend, status, error));
    mcd_version_leave(version);
    return status;
}
