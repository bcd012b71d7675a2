/* npy.c - see npy.h. The format, version 1.0: magic, version, length of the header, and the header as a
 * Python dictionary. */
#include "engine/file/npy.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 128, PREFIX_BYTES = 10 };

macadam_status mcd_npy_new(mcd_npy *out, const char *path, const char *type, size_t item_bytes,
                           const uint64_t *shape, size_t dimensions, macadam_error *error)
{
    *out = (mcd_npy){0};
    size_t bytes = item_bytes;
    for (size_t d = 0; d < dimensions; ++d)
        if (__builtin_mul_overflow(bytes, shape[d], &bytes) || bytes > PTRDIFF_MAX - HEADER_BYTES)
            return mcd_fail(error, MACADAM_E_LIMIT, "'%s' would have more bytes than can be mapped", path);
    MCD_TRY(mcd_platform_create(&out->output, path, error));
    const macadam_status status =
        mcd_platform_map_output(&out->mapping, &out->output, bytes + HEADER_BYTES, error);
    if (status) {
        mcd_platform_discard(&out->output);
        return status;
    }
    out->bytes = bytes + HEADER_BYTES;
    out->data = (char *)out->mapping + HEADER_BYTES;
    /* The header; spaces extend it to the length that the longest shape needs. */
    char *const to = out->mapping;
    char text[HEADER_BYTES];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (size_t d = 0; d < dimensions; ++d)
        length += snprintf(text + length, sizeof text - (size_t)length, "%llu%s",
                           (unsigned long long)shape[d], d + 1 < dimensions ? ", " : "), }");
    memset(to, ' ', HEADER_BYTES);
    memcpy(to, "\x93NUMPY\x01\x00", PREFIX_BYTES - 2);
    to[PREFIX_BYTES - 2] = HEADER_BYTES - PREFIX_BYTES, to[PREFIX_BYTES - 1] = 0;
    memcpy(to + PREFIX_BYTES, text, (size_t)length);
    to[HEADER_BYTES - 1] = '\n';
    return MACADAM_OK;
}

macadam_status mcd_npy_end(mcd_npy *npy, macadam_status status, macadam_error *error)
{
    if (!npy->mapping) return status;
    mcd_platform_unmap_output(npy->mapping, npy->bytes);
    if (status)
        mcd_platform_discard(&npy->output);
    else
        status = mcd_platform_commit(&npy->output, error);
    *npy = (mcd_npy){0};
    return status;
}
