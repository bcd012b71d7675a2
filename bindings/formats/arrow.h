/* arrow.h - tables as a stream of Apache Arrow: a column a quantity, each of whose values is a row of the table. */
#ifndef MCD_BINDINGS_FORMATS_ARROW_H
#define MCD_BINDINGS_FORMATS_ARROW_H

#include "bindings/formats/text.h"

/* Says what the columns are: lists of `width` uint32, or int32 if signed. */
void mcd_arrow_schema(mcd_text *text, const char *const *name, const bool *is_signed, size_t column_count,
                      size_t width);
/* Says that `rows` rows follow: of each column the values, then zeros up to a multiple of 8 bytes. */
void mcd_arrow_batch(mcd_text *text, size_t column_count, size_t width, size_t rows);
void mcd_arrow_end(mcd_text *text);

#endif
