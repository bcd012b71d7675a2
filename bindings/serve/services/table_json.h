/* table_json.h - the numbers of a table as JSON: the fastest writer there is here, for millions of them. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_TABLE_JSON_H
#define MCD_BINDINGS_SERVE_SERVICES_TABLE_JSON_H

#include "bindings/formats/text.h"

/* Writes [[...],...]: value[row * columns + column] / per_unit, null where it is unreached. parts > 0: writes an array of
 * `parts` such arrays, each of `rows` rows. per_unit is 1, 10, 100 or 1000. */
void serve_table_json_write(mcd_text *text, const uint32_t *value, size_t parts, size_t rows, size_t columns,
                            uint32_t per_unit, bool is_signed);

/* The most bytes that a cell needs. */
enum { SERVE_CELL_BYTES = 13 };

#endif
