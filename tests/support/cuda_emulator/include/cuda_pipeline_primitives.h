/* cuda_pipeline_primitives.h - asynchronous copies to shared memory. A copy happens at the wait for it and
 * not before: until then its target holds a pattern. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_CUDA_PIPELINE_PRIMITIVES_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_CUDA_PIPELINE_PRIMITIVES_H

#include "emulated/language.h"

#include <cstddef>

/* `bytes` is 4, 8 or 16, and what both ends are aligned to; the last `zero_bytes` are zero instead of
 * copied. */
void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zero_bytes = 0,
                             mcd_emulated_site site = mcd_emulated_site::here());
void __pipeline_commit();
/* Waits for all committed batches of this thread but the `prior` latest. */
void __pipeline_wait_prior(size_t prior);

#endif
