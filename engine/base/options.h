/* options.h - option and request structures of any version of the caller. A leaf. */
#ifndef MCD_ENGINE_BASE_OPTIONS_H
#define MCD_ENGINE_BASE_OPTIONS_H

#include "engine/base/status.h"

/* Copies a structure that begins with its size, as the caller's version of the library knew it, over `own`,
 * which holds the defaults of what the caller does not know. `what` names it in messages. Returns MACADAM_OK
 * or E_INVALID: NULL, or a size that no _INIT sets. */
macadam_status mcd_options_adopt(void *own, size_t own_size, const void *given, const char *what,
                                 macadam_error *error);

#endif
