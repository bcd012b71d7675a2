/* gpu_backend.c - see gpu_backend.h. */
#include "tests/bench/gpu_backend.h"

#include "engine/base/system/platform.h"
#include "kernels/cuda/device/module.h"

#include <string.h>

const mcd_backend *gpu_backend(void)
{
    mcd_module_function function;
    void *const symbol =
        mcd_platform_module_symbol("macadam_cuda", "MACADAM_CUDA_MODULE", MCD_MODULE_SYMBOL, NULL);
    if (!symbol) return NULL;
    memcpy(&function, &symbol, sizeof function); /* ISO C knows no other way from data to functions */
    return function(MCD_MODULE_VERSION, NULL);
}
