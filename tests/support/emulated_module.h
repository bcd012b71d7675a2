/* emulated_module.h - the module that the runtime loads, with emulated devices in it. cuda_emulator.h
 * controls these. */
#ifndef MCD_TESTS_SUPPORT_EMULATED_MODULE_H
#define MCD_TESTS_SUPPORT_EMULATED_MODULE_H

#include "engine/include/macadam.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"

/* Lets the runtime find it, and by "auto" give it every question whose time is estimated; before anything else. The module that MACADAM_TEST_MODULE names takes its place:
 * tests that use no controls run on a real device with it (tests/gpu.sh). */
void emulated_module_install(void);

/* Opens `path` on the device with `threads` threads (0: all); aborts with the message if that fails. */
macadam_engine *emulated_module_open(const char *path, const char *device, unsigned threads);

/* Aborts if memory or a handle of a device is left. */
void emulated_module_expect_nothing_left(void);

#endif
