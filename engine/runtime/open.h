/* open.h - how engines are opened: by macadam_engine_open, and by the library itself. */
#ifndef MCD_ENGINE_RUNTIME_OPEN_H
#define MCD_ENGINE_RUNTIME_OPEN_H

#include "engine/runtime/engine.h"

/* Opens an engine for another profile of the same file, with the options of `engine`, its eldest. */
macadam_status mcd_engine_open_profile(macadam_engine **out, macadam_engine *engine, const char *profile,
                                       macadam_error *error);
/* Closes an engine, siblings too: macadam_engine_close does not close a sibling, because its eldest does. */
void mcd_engine_close_sibling(macadam_engine *engine);

/* Opens a second engine on the file of `engine`, which must outlive it, for a profile: on the CPU, with all
 * checks, without updates. */
macadam_status mcd_engine_open_again(macadam_engine **out, const macadam_engine *engine, const char *profile,
                                     macadam_error *error);

#endif
