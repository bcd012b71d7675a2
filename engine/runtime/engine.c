/* engine.c - see engine.h: finds the quantities and metrics of an engine's file by name. */
#include "engine/runtime/engine.h"

#include <stdio.h>

/* Fails with a message that lists the known names. */
static macadam_status find_name(const char *kind, const char *const *known, size_t count, const char *name,
                                size_t *out, macadam_error *error)
{
    for (*out = 0; *out < count; ++*out)
        if (strcmp(known[*out], name) == 0) return MACADAM_OK;
    char list[256] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
    return mcd_fail(error, MACADAM_E_NOT_FOUND, "unknown %s \"%s\"; the file has %s", kind, name, list);
}

macadam_engine *mcd_engine_open_sibling(macadam_engine *engine, size_t profile)
{
    macadam_engine *const eldest = mcd_engine_eldest(engine);
    if (profile == eldest->file->profile) return eldest;
    MCD_HOLD(&eldest->sibling_lock);
    return eldest->sibling[profile];
}

#define DEFINE_FIND(kind, count)                                                                             \
    macadam_status mcd_engine_find_##kind(const macadam_engine *engine, const char *name, size_t *out,       \
                                          macadam_error *error)                                              \
    {                                                                                                        \
        return find_name(#kind, engine->kind##_name, engine->count, name, out, error);                       \
    }
DEFINE_FIND(profile, profile_count)
DEFINE_FIND(quantity, metadata->n_quantity)
DEFINE_FIND(metric, metadata->n_metric)

/* The metadata is checked: it has every quantity that a metric names. */
static size_t find_known(const macadam_engine *engine, const char *name)
{
    size_t quantity = SIZE_MAX;
    if (name) (void)mcd_engine_find_quantity(engine, name, &quantity, NULL);
    return quantity;
}

size_t mcd_engine_objective(const macadam_engine *engine, size_t metric)
{
    return find_known(engine, engine->metric_name[metric]);
}

size_t mcd_engine_companion(const macadam_engine *engine, size_t metric)
{
    return find_known(engine, engine->metric_companion[metric]);
}

mcd_progress mcd_engine_progress(const macadam_engine *engine, macadam_progress call, void *context)
{
    return call ? (mcd_progress){call, context} : engine->progress;
}
