/* attempt.c - see attempt.h. */
#include "engine/query/places/attempt.h"

/* The state of a query from its first try to its last. */
typedef struct tried_query {
    const mcd_work *work;
    const macadam_query *given;
    mcd_query query;
    mcd_version *version; /* of the weights that the first try used; NULL until it has begun */
    const mcd_arcs *arcs; /* likewise, for searches; the version's */
} tried_query;

static macadam_status begin_first(tried_query *tried, macadam_engine *engine, const mcd_backend *backend,
                                  macadam_error *error)
{
    const mcd_work *work = tried->work;
    mcd_query *query = &tried->query;
    const mcd_backend *with = work->on_host ? engine->host : backend;
    MCD_TRY(work->searches ? mcd_query_begin_arcs(query, engine, with, tried->given, !work->no_weights,
                                                  work->need, error)
                           : mcd_query_begin(query, engine, with, tried->given, work->need, error));
    query->backend = backend;
    tried->version = mcd_version_use(query->version);
    tried->arcs = query->arcs;
    return MACADAM_OK;
}

static macadam_status begin(tried_query *tried, macadam_engine *engine, const mcd_backend *backend,
                            macadam_error *error)
{
    return tried->version ? mcd_query_begin_again(&tried->query, engine, tried->given, tried->version,
                                                  tried->arcs, tried->work->need, error)
                          : begin_first(tried, engine, backend, error);
}

macadam_status mcd_query_attempt(macadam_engine *engine, const mcd_work *work, const macadam_query *given,
                                 mcd_attempt attempt, void *run, macadam_error *error)
{
    tried_query tried = {.work = work, .given = given};
    const mcd_backend *backend = work->backend;
    macadam_status status;
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    do {
        status = begin(&tried, engine, backend, error);
        if (!status) status = attempt(run, &tried.query, error);
        mcd_query_end(&tried.query);
    } while (mcd_query_falls_back(&tried.query, work->value, &backend, status, error));
    mcd_version_leave(tried.version);
    return status;
}
