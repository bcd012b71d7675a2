/* table_json.c - see table_json.h. */
#include "bindings/serve/services/table_json.h"
#include "bindings/formats/digits.h"

static char *write_cell(char *to, uint32_t value, uint32_t per_unit, bool is_signed)
{
    if (macadam_cost(value, is_signed) == MACADAM_COST_NONE) return memcpy(to, "null", 4), to + 4;
    if (is_signed && (int32_t)value < 0) {
        *to++ = '-';
        value = 0 - value;
    }
    if (per_unit == 1) return mcd_digits_write(to, value);
    const uint32_t thousandths = per_unit == 1000 ? value % 1000 : value % per_unit * (1000 / per_unit);
    to = mcd_digits_write(to, per_unit == 1000 ? value / 1000 : value / per_unit);
    return mcd_digits_decimals(to, thousandths);
}

static void write_rows(mcd_text *text, const uint32_t *value, size_t rows, size_t columns, uint32_t per_unit,
                       bool is_signed)
{
    mcd_text_add(text, "[");
    for (size_t row = 0; row < rows; ++row) {
        mcd_text_comma(text);
        char *const begin = mcd_text_room(text, (columns + 1) * SERVE_CELL_BYTES), *to = begin;
        if (!begin) return;
        *to++ = '[';
        for (size_t column = 0; column < columns; ++column) {
            to = write_cell(to, value[row * columns + column], per_unit, is_signed);
            *to++ = ',';
        }
        to[-1] = ']';
        text->size += (size_t)(to - begin);
    }
    mcd_text_add(text, "]");
}

void serve_table_json_write(mcd_text *text, const uint32_t *value, size_t parts, size_t rows, size_t columns,
                            uint32_t per_unit, bool is_signed)
{
    if (parts == 0) write_rows(text, value, rows, columns, per_unit, is_signed);
    for (size_t part = 0; part < parts; ++part) {
        mcd_text_add(text, part ? "," : "[");
        write_rows(text, value + part * rows * columns, rows, columns, per_unit, is_signed);
    }
    if (parts > 0) mcd_text_add(text, "]");
}
