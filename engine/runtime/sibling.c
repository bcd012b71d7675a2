/* sibling.c - see sibling.h. */
#include "engine/runtime/sibling.h"

#include "engine/base/options.h"
#include "engine/runtime/open.h"

macadam_status mcd_engine_sibling(macadam_engine *engine, size_t profile, macadam_engine **out,
                                  macadam_error *error)
{
    macadam_engine *const eldest = mcd_engine_eldest(engine);
    *out = eldest;
    if (profile == mcd_edge_file_profile(eldest->file)) return MACADAM_OK;
    pthread_mutex_lock(&eldest->sibling_lock);
    const macadam_status status = eldest->sibling[profile]
                                      ? MACADAM_OK
                                      : mcd_engine_open_profile(&eldest->sibling[profile], eldest,
                                                                eldest->profile_name[profile], error);
    *out = eldest->sibling[profile];
    pthread_mutex_unlock(&eldest->sibling_lock);
    return status;
}

macadam_status macadam_engine_of_profile(macadam_engine *engine, const char *profile, macadam_engine **out,
                                         macadam_error *error)
{
    size_t index;
    if (!out) return mcd_fail(error, MACADAM_E_INVALID, "no place for the engine");
    *out = NULL;
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    if (!profile) return mcd_fail(error, MACADAM_E_INVALID, "no profile is named");
    MCD_TRY(mcd_engine_find_profile(engine, profile, &index, error));
    return mcd_engine_sibling(engine, index, out, error);
}

macadam_status mcd_engine_of_query(macadam_engine **engine, const macadam_query *query, macadam_error *error)
{
    macadam_query own = MACADAM_QUERY_INIT;
    if (!*engine || !query) return MACADAM_OK;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, query, "query", error));
    return own.profile ? macadam_engine_of_profile(*engine, own.profile, engine, error) : MACADAM_OK;
}
