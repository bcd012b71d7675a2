/* npy.h - a NumPy array in its own file, written through a mapping; it may be larger than memory. */
#ifndef MCD_ENGINE_FILE_NPY_H
#define MCD_ENGINE_FILE_NPY_H

#include "engine/base/system/platform.h"

typedef struct mcd_npy {
    mcd_output output;
    void *mapping, *data; /* data: all zero at first, aligned to 64 bytes */
    size_t bytes;         /* of the mapping */
} mcd_npy;

/* Begins a file that will be at `path`. `type`: "<u4" or "|u1"; `item_bytes`: the size of one item. Returns
 * MACADAM_OK, E_IO, E_MEMORY, or E_LIMIT for more bytes than can be mapped. */
macadam_status mcd_npy_new(mcd_npy *out, const char *path, const char *type, size_t item_bytes,
                           const uint64_t *shape, size_t dimensions, macadam_error *error);
/* Ends the file: puts it at its path if `status` is MACADAM_OK, else removes it. Returns `status`, or its own
 * failure. A zeroed one is fine. */
macadam_status mcd_npy_end(mcd_npy *npy, macadam_status status, macadam_error *error);

#endif
