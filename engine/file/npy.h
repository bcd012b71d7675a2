/* npy.h - a NumPy array in a file of its own, written by whoever has it mapped: larger than memory, if need
 * be. */
#ifndef MCD_ENGINE_FILE_NPY_H
#define MCD_ENGINE_FILE_NPY_H

#include "engine/base/platform.h"

typedef struct mcd_npy {
    mcd_output output;
    void *mapping, *data; /* data: all zero at first, aligned to 64 bytes */
    size_t bytes;         /* of the mapping */
} mcd_npy;

enum { MCD_NPY_DIMENSIONS_MAX = 3 };

/* Begins a file that will be at `path`. `type`: "<u4", "|u1"; `item_bytes`: of one. Returns MACADAM_OK, E_IO,
 * E_MEMORY, or E_LIMIT for more bytes than can be mapped. */
macadam_status mcd_npy_new(mcd_npy *out, const char *path, const char *type, size_t item_bytes,
                           const uint64_t *shape, size_t dimensions, macadam_error *error);
/* Ends it: at its path if all went well so far, else removed. Returns `status`, or what fails. A zeroed one
 * is fine. */
macadam_status mcd_npy_end(mcd_npy *npy, macadam_status status, macadam_error *error);

#endif
