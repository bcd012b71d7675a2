/* gpu_backend.h - the backend of the module macadam_cuda, if it is found. */
#ifndef MCD_TESTS_BENCH_GPU_BACKEND_H
#define MCD_TESTS_BENCH_GPU_BACKEND_H

#include "kernels/backend.h"

/* NULL: no module, or one of another version. */
const mcd_backend *gpu_backend(void);

#endif
