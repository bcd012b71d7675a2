/* warm.c - the weights under a query's conditions, computed before a query needs them. */
#include "engine/query/places/device_fallback.h"

/* All the work is done when the query has begun. */
static macadam_status attempt(MCD_UNUSED void *run, MCD_UNUSED mcd_query *query,
                              MCD_UNUSED macadam_error *error)
{
    return MACADAM_OK;
}

macadam_status macadam_conditions_warm(macadam_engine *engine, const macadam_query *given,
                                       macadam_error *error)
{
    MCD_TRY(mcd_engine_of_query(&engine, given, error));
    const mcd_work work = {.backend = mcd_engine_backend(engine), .need = MCD_NEED_PATHS | MCD_NEED_KEPT};
    return mcd_query_with_fallback(engine, &work, given, attempt, NULL, error);
}
