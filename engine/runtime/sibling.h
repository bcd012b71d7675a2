/* sibling.h - the engines of a file's other profiles. The engine that the caller opened is the eldest: it opens the others
 * when they are first needed, on the same bytes and device, and closes them with itself. */
#ifndef MCD_ENGINE_RUNTIME_SIBLING_H
#define MCD_ENGINE_RUNTIME_SIBLING_H

#include "engine/runtime/engine.h"

/* Finds the engine of the file's profile number `profile`, and opens it if need be. */
macadam_status mcd_engine_sibling(macadam_engine *engine, size_t profile, macadam_engine **out,
                                  macadam_error *error);

/* Replaces an engine by that of the profile that a query names, if it names one. Both may be NULL. */
macadam_status mcd_engine_of_query(macadam_engine **engine, const macadam_query *query, macadam_error *error);

#endif
