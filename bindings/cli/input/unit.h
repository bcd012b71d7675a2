/* unit.h - numbers with units, as people write them: 5min, 300s, 2km. */
#ifndef MCD_BINDINGS_CLI_INPUT_UNIT_H
#define MCD_BINDINGS_CLI_INPUT_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cli_unit_result {
    CLI_UNIT_OK,
    CLI_UNIT_NO_NUMBER,
    CLI_UNIT_UNKNOWN, /* no such unit, or not one of this quantity */
    CLI_UNIT_TOO_LARGE
} cli_unit_result;

/* Reads a cost of a quantity that the map measures in `unit` ("ms", "cm", "mWh", or "": not known): a whole
 * number of that, or a decimal number with a unit: ms, s, min, h, or cm, m, km, or mWh, Wh, kWh. Rounded to the nearest. */
cli_unit_result cli_unit_cost(const char *text, size_t bytes, const char *unit, uint64_t *out);

/* Reads a decimal number of `unit`, such as m, or one with another unit of the same kind, such as cm or km. */
bool cli_unit_read(const char *text, const char *unit, double *out);

#endif
