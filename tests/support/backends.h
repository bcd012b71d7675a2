/* backends.h - every backend of this build that this processor runs, for tests that ask all of them. */
#ifndef MCD_TESTS_SUPPORT_BACKENDS_H
#define MCD_TESTS_SUPPORT_BACKENDS_H

#include "tests/support/leak.h"

#include "kernels/backend.h"

enum { BACKENDS_MAX = 8, BACKEND_THREADS_MAX = 3 /* each is tested on 1, 2 and 3 */ };

extern const mcd_backend *backend[BACKENDS_MAX];
extern size_t backend_count;

/* Begins a suite that ends with leak_expect_none. */
void backends_set_up(void);

#endif
