/* open.h - how engines are opened: by macadam_engine_open, and by the library itself. */
#ifndef MCD_ENGINE_RUNTIME_OPEN_H
#define MCD_ENGINE_RUNTIME_OPEN_H

#include "engine/runtime/engine.h"

/* Opens a second engine on the file of `engine`, which must outlive it: on the CPU, with all checks, without
 * updates. */
macadam_status mcd_engine_open_again(macadam_engine **out, const macadam_engine *engine,
                                     macadam_error *error);

#endif
