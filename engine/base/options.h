/* options.h - reads option and request structures from callers of any version. A leaf. */
#ifndef MCD_ENGINE_BASE_OPTIONS_H
#define MCD_ENGINE_BASE_OPTIONS_H

#include "engine/base/status.h"

/* Copies `given` over `own`. `given` begins with its size, which depends on the caller's version of the
 * library; `own` holds the defaults for members that the caller's version lacks. `what` names the structure
 * in messages. Returns MACADAM_OK, or E_INVALID for NULL and for a size that no _INIT sets. */
macadam_status mcd_options_adopt(void *own, size_t own_size, const void *given, const char *what,
                                 macadam_error *error);

/* Clears the pointer at `out`, where a call puts its answer. Returns E_INVALID, which names `what`, if out is NULL. */
macadam_status mcd_answer_clear(void *out, const char *what, macadam_error *error);

#endif
