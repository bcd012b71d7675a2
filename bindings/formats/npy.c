/* npy.c - see npy.h. Format version 1.0: magic, version, length of the header, and a dictionary of Python, padded with
 * blanks so that the numbers are aligned. */
#include "bindings/formats/npy.h"

#include <stdio.h>

enum { ALIGNMENT = 64, PREFIX_BYTES = 10, HEADER_BYTES = 256 };

void mcd_npy_header(mcd_text *text, const char *type, const char *shape)
{
    char header[HEADER_BYTES] = "\x93NUMPY\x01";
    int bytes = PREFIX_BYTES;
    bytes += snprintf(header + bytes, HEADER_BYTES / 2,
                      "{'descr': '%s', 'fortran_order': False, 'shape': %s}", type, shape);
    while ((bytes + 1) % ALIGNMENT > 0) header[bytes++] = ' ';
    header[bytes++] = '\n';
    header[PREFIX_BYTES - 2] = (char)(bytes - PREFIX_BYTES);
    mcd_text_bytes(text, header, (size_t)bytes);
}
