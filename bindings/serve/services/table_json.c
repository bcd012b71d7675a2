/* table_json.c - see table_json.h. Three digits at a time come from a table. */
#include "bindings/serve/services/table_json.h"

#include <pthread.h>
#include <string.h>

/* For each number below 1000 its three digits, and its decimals without zeros at their end. */
static struct {
    char digits[4], decimals[4]; /* ".5" of 500 */
    unsigned char first,
        size; /* the first digit that is not zero (at most 2); how many decimals, with the point */
} table[1000];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
    for (int i = 0; i < 1000; ++i) {
        const char digits[3] = {(char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10)};
        memcpy(table[i].digits, digits, 3);
        table[i].decimals[0] = '.';
        memcpy(table[i].decimals + 1, digits, 3);
        table[i].first = (unsigned char)(i >= 100 ? 0 : i >= 10 ? 1 : 2);
        table[i].size = (unsigned char)(i == 0 ? 0 : i % 100 == 0 ? 2 : i % 10 == 0 ? 3 : 4);
    }
}

static char *write_first(char *to, uint32_t below_1000)
{
    const unsigned first = table[below_1000].first;
    memcpy(to, table[below_1000].digits + first, 3); /* what is too much is overwritten */
    return to + 3 - first;
}

static char *write_next(char *to, uint32_t below_1000)
{
    memcpy(to, table[below_1000].digits, 3);
    return to + 3;
}

static char *write_whole(char *to, uint32_t value)
{
    if (value < 1000) return write_first(to, value);
    if (value < 1000000) return write_next(write_first(to, value / 1000), value % 1000);
    if (value < 1000000000) return write_next(write_whole(to, value / 1000), value % 1000);
    *to = (char)('0' + value / 1000000000);
    value %= 1000000000;
    return write_next(write_next(write_next(to + 1, value / 1000000), value / 1000 % 1000), value % 1000);
}

static char *write_cell(char *to, uint32_t value, uint32_t per_unit, bool is_signed)
{
    if (macadam_cost(value, is_signed) == MACADAM_COST_NONE) return memcpy(to, "null", 4), to + 4;
    if (is_signed && (int32_t)value < 0) {
        *to++ = '-';
        value = 0 - value;
    }
    if (per_unit == 1) return write_whole(to, value);
    const uint32_t thousandths = per_unit == 1000 ? value % 1000 : value % per_unit * (1000 / per_unit);
    to = write_whole(to, per_unit == 1000 ? value / 1000 : value / per_unit);
    memcpy(to, table[thousandths].decimals, 4);
    return to + table[thousandths].size;
}

void serve_table_json_write(mcd_text *text, const uint32_t *value, size_t rows, size_t columns,
                            uint32_t per_unit, bool is_signed)
{
    pthread_once(&once, fill);
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
