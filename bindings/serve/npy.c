/* npy.c - see npy.h. */
#include "bindings/serve/npy.h"

#include <stdlib.h>

enum { ALIGNMENT = 64, PREFIX_BYTES = 10 };

void serve_npy_write_header(mcd_text *text, const size_t *shape, size_t dimension_count)
{
    mcd_text header = {0};
    mcd_text_add(&header, "{'descr': '<u4', 'fortran_order': False, 'shape': (");
    for (size_t i = 0; i < dimension_count; ++i) {
        mcd_text_integer(&header, (int64_t)shape[i]);
        mcd_text_add(&header, ",");
    }
    mcd_text_add(&header, ")}");
    while ((PREFIX_BYTES + header.size + 1) % ALIGNMENT > 0 && !header.failed) mcd_text_add(&header, " ");
    mcd_text_add(&header, "\n");
    const char size[] = {(char)(header.size & 255), (char)(header.size >> 8)};
    mcd_text_bytes(text, "\x93NUMPY\x01\x00", 8);
    mcd_text_bytes(text, size, sizeof size);
    if (header.failed)
        text->failed = true;
    else
        mcd_text_bytes(text, header.data, header.size);
    free(header.data);
}
