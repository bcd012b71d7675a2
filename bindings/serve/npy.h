/* npy.h - arrays of 32-bit numbers as NumPy stores them. */
#ifndef MCD_BINDINGS_SERVE_NPY_H
#define MCD_BINDINGS_SERVE_NPY_H

#include "bindings/formats/text.h"

/* Writes the header of an array of uint32 of that shape; its numbers follow, the last index first. */
void serve_npy_write_header(mcd_text *text, const size_t *shape, size_t dimension_count);

#endif
