/* cuda_module.c - the CUDA backend of tests that run on a real device: that of the module, loaded. */
#include "kernels/cuda/device/module.h"

#include "engine/base/system/platform.h"

#include <criterion/criterion.h>
#include <string.h>

const mcd_backend *mcd_cuda_module(const char *version, const macadam_allocator *allocator)
{
    mcd_module_function function;
    void *const symbol =
        mcd_platform_module_symbol("macadam_cuda", "MACADAM_CUDA_MODULE", MCD_MODULE_SYMBOL, NULL);
    cr_assert(symbol, "the module macadam_cuda is not there");
    memcpy(&function, &symbol, sizeof function);
    return function(version, allocator);
}
