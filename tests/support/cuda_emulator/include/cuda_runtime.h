/* cuda_runtime.h - the part of CUDA that the kernels and their host code use, for a compiler of plain C++:
 * found before the real one, it makes kernels/cuda run on the processor. Device names take the same types as
 * CUDA's, no more, so that what compiles here compiles there.  Differences from a device: see
 * cuda_emulator.h. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_CUDA_RUNTIME_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_CUDA_RUNTIME_H

#include "emulated/language.h"
#include "emulated/vectors.h"
#include "emulated/integers.h"
#include "emulated/atomics.h"
#include "emulated/loads.h"
#include "emulated/warp.h"
#include "emulated/driver_types.h"
#include "emulated/runtime_api.h"

#endif
