/* conditions.h - the versions of weights under the conditions of a query, which are kept so that the next query with the
 * same conditions is as fast as one without. */
#ifndef MCD_ENGINE_RUNTIME_CONDITIONS_H
#define MCD_ENGINE_RUNTIME_CONDITIONS_H

#include "engine/runtime/engine.h"
#include "engine/runtime/version.h"

/* The use of weights in a query. */
typedef enum mcd_use {
    MCD_USE_PATHS,    /* to find paths */
    MCD_USE_REPORTED, /* to sum them up: factors and slower times do not count, as for a companion */
    MCD_USE_GRAPH,    /* only to know which arcs are open */
    MCD_USE_CLOCK,    /* to find paths along which the clock moves: the version has a clock */
    MCD_USE_HOLIDAY   /* likewise, on public holidays */
} mcd_use;

/* Finds or makes the version of a metric under conditions, with one more user; without conditions, or if they change
 * nothing and weights are used, the one in use. Time: the first time under conditions one look at every arc; the
 * customization follows when costs are requested. */
macadam_status mcd_engine_use_version(mcd_version **out, macadam_engine *engine, size_t metric,
                                      const macadam_conditions *given, mcd_use use, macadam_error *error);

/* Forgets all versions under conditions: they are outdated, or their memory is wanted. Users keep theirs. */
void mcd_engine_forget_versions(macadam_engine *engine);
/* Under the lock: empties their list. The caller then leaves those that were in it: mcd_versions_leave. */
mcd_version *mcd_engine_take_versions(macadam_engine *engine);
void mcd_versions_leave(mcd_version *version);

#endif
