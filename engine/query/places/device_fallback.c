/* device_fallback.c - see device_fallback.h. */
#include "engine/query/places/device_fallback.h"

static macadam_status begin(mcd_query *out, macadam_engine *engine, const mcd_work *work,
                            const mcd_backend *backend, const macadam_query *given, macadam_error *error)
{
    const mcd_backend *const with = work->on_host ? engine->host : backend;
    if (work->takes_clock && mcd_query_has_clock(given))
        return mcd_query_begin_clock(out, engine, work->clock_on_device ? backend : engine->host, given, NULL,
                                     error);
    MCD_TRY(work->searches
                ? mcd_query_begin_arcs(out, engine, with, given, !work->no_weights, work->need, error)
                : mcd_query_begin(out, engine, with, given, work->need, error));
    out->backend = backend;
    return MACADAM_OK;
}

macadam_status mcd_query_with_fallback(macadam_engine *engine, const mcd_work *work,
                                       const macadam_query *given, mcd_device_fallback attempt, void *run,
                                       macadam_error *error)
{
    const mcd_backend *backend = work->backend;
    mcd_query query;
    mcd_version *version = NULL; /* of the weights that the first try uses; NULL until it has begun */
    const mcd_arcs *arcs = NULL; /* likewise, for searches; the version's */
    macadam_status status;
    do {
        status = version ? mcd_query_begin_again(&query, engine, given, version, arcs, work->need, error)
                         : begin(&query, engine, work, backend, given, error);
        if (!status && !version) version = mcd_version_use(query.version), arcs = query.arcs;
        if (!status) status = attempt(run, &query, error);
        mcd_query_end(&query);
    } while (mcd_query_falls_back(&query, work->value, &backend, status, error));
    mcd_version_leave(version);
    return status;
}
