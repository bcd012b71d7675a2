/* module.h - the interface of the runtime and its CUDA module. kernels/cuda is built as its own library,
 * loaded if it is present: the runtime needs neither the module nor a driver. */
#ifndef MCD_KERNELS_CUDA_DEVICE_MODULE_H
#define MCD_KERNELS_CUDA_DEVICE_MODULE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/backend.h"

/* The version of the tables that both sides were compiled with: change it with backend.h or views.h. */
#define MCD_MODULE_VERSION "0.1.0/28"
#define MCD_MODULE_SYMBOL  "mcd_cuda_module"

/* Returns the module's table; NULL if `version` is not its own. `allocator`: the host's hook; NULL means
 * malloc. */
typedef const mcd_backend *(*mcd_module_function)(const char *version, const macadam_allocator *allocator);
MACADAM_API const mcd_backend *mcd_cuda_module(const char *version, const macadam_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
