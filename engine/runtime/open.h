/* open.h - how engines are opened: by macadam_engine_open, and by the library itself. The engine that the caller opened
 * is the eldest: it opens those of the file's other profiles, its siblings, when they are first needed, on the same bytes
 * and device, and closes them with itself. */
#ifndef MCD_ENGINE_RUNTIME_OPEN_H
#define MCD_ENGINE_RUNTIME_OPEN_H

#include "engine/runtime/engine.h"

/* Opens a second engine on the file of `engine`, which must outlive it, for a profile: on the CPU, with all
 * checks, without updates. */
macadam_status mcd_engine_open_again(macadam_engine **out, const macadam_engine *engine, const char *profile,
                                     macadam_error *error);

/* Finds the engine of the file's profile number `profile`, and opens it if need be. */
macadam_status mcd_engine_sibling(macadam_engine *engine, size_t profile, macadam_engine **out,
                                  macadam_error *error);
/* Replaces an engine by that of the profile that a query names, if it names one. Refuses a call without an engine. `query` may be NULL. */
macadam_status mcd_engine_of_query(macadam_engine **engine, const macadam_query *query, macadam_error *error);
/* Returns whether a query has a clock. It may be NULL, or of an older version of the library. */
bool mcd_query_has_clock(const macadam_query *given);
/* Returns E_UNSUPPORTED if it has one: "a hops request takes no clock: ...". */
macadam_status mcd_query_refuse_clock(const macadam_query *given, const char *question, const char *reason,
                                      macadam_error *error);
/* Does as mcd_engine_of_query, and copies `request` over `own`: mcd_options_adopt. */
macadam_status mcd_request_begin(macadam_engine **engine, const macadam_query *query, void *own,
                                 size_t own_size, const void *request, const char *what,
                                 macadam_error *error);

#endif
