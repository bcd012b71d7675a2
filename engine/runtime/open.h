/* open.h - opening an engine: macadam_engine_open, and what the library itself opens. */
#ifndef MCD_ENGINE_RUNTIME_OPEN_H
#define MCD_ENGINE_RUNTIME_OPEN_H

#include "engine/runtime/engine.h"

/* A second engine over the file of `engine`, which must outlive it: on the CPU, trusting nothing, without
 * updates. */
macadam_status mcd_engine_open_again(macadam_engine **out, const macadam_engine *engine,
                                     macadam_error *error);

#endif
