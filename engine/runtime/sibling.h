/* sibling.h - the engines of a file's other profiles. The engine that the caller opened is the eldest: it opens the others
 * when they are first needed, on the same bytes and device, and closes them with itself. */
#ifndef MCD_ENGINE_RUNTIME_SIBLING_H
#define MCD_ENGINE_RUNTIME_SIBLING_H

#include "engine/runtime/engine.h"

/* Returns the engine that the caller opened. */
static inline macadam_engine *mcd_engine_eldest(macadam_engine *engine)
{
    return engine->eldest ? engine->eldest : engine;
}

/* Finds the engine of the file's profile number `profile`, and opens it if need be. */
macadam_status mcd_engine_sibling(macadam_engine *engine, size_t profile, macadam_engine **out,
                                  macadam_error *error);

/* Returns the engine of a profile if it is open, else NULL. */
macadam_engine *mcd_engine_open_sibling(macadam_engine *engine, size_t profile);

/* Replaces an engine by that of the profile that a query names, if it names one. Both may be NULL. */
macadam_status mcd_engine_of_query(macadam_engine **engine, const macadam_query *query, macadam_error *error);

/* Closes all but the eldest. */
void mcd_engine_close_siblings(macadam_engine *engine);

#endif
