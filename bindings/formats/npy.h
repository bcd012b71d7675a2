/* npy.h - the header of an array as NumPy stores it. */
#ifndef MCD_BINDINGS_FORMATS_NPY_H
#define MCD_BINDINGS_FORMATS_NPY_H

#include "bindings/formats/text.h"

/* Writes the header of an array of `type`, such as "<u4", with the shape as Python writes it, such as "(2, 3)"; its
 * numbers follow, the last index first. */
void mcd_npy_header(mcd_text *text, const char *type, const char *shape);

#endif
