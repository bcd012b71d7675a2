/* unit.c - numbers with units, as people write them. */
#include "bindings/cli/input/unit.h"
#include "bindings/cli/input/number.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *base; /* what the map measures in */
    double bases;            /* in one of them */
} known[] = {
    {"ms", "ms", 1},    {"s", "ms", 1e3},    {"min", "ms", 60e3}, {"h", "ms", 3600e3},
    {"cm", "cm", 1},    {"m", "cm", 1e2},    {"km", "cm", 1e5},   {"mWh", "mWh", 1},
    {"Wh", "mWh", 1e3}, {"kWh", "mWh", 1e6}, {"kg", "kg", 1},     {"t", "kg", 1e3},
};
enum { KNOWN_COUNT = sizeof known / sizeof known[0] };

/* The bytes before the unit. */
static size_t number_bytes(const char *text, size_t bytes)
{
    while (bytes > 0 && ((text[bytes - 1] >= 'a' && text[bytes - 1] <= 'z') || text[bytes - 1] == 'W'))
        --bytes;
    return bytes;
}

/* The known unit of this name and base (NULL: of any), or KNOWN_COUNT. */
static size_t find_unit(const char *name, size_t bytes, const char *base)
{
    size_t i = 0;
    while (i < KNOWN_COUNT && (strlen(known[i].name) != bytes || memcmp(known[i].name, name, bytes) != 0 ||
                               (base && strcmp(known[i].base, base) != 0)))
        ++i;
    return i;
}

cli_unit_result cli_unit_cost(const char *text, size_t bytes, const char *unit, uint64_t *out)
{
    const size_t digits = number_bytes(text, bytes);
    double number;
    if (digits == bytes)
        return cli_number_unsigned(text, bytes, UINT64_MAX, out) ? CLI_UNIT_OK : CLI_UNIT_NO_NUMBER;
    if (!cli_number_decimal(text, digits, &number) || number < 0) return CLI_UNIT_NO_NUMBER;
    const size_t i = find_unit(text + digits, bytes - digits, unit);
    if (i == KNOWN_COUNT) return CLI_UNIT_UNKNOWN;
    if (number * known[i].bases > (double)(1ull << 53)) return CLI_UNIT_TOO_LARGE;
    *out = (uint64_t)llround(number * known[i].bases);
    return CLI_UNIT_OK;
}

bool cli_unit_read(const char *text, const char *unit, double *out)
{
    const size_t bytes = strlen(text), digits = number_bytes(text, bytes);
    const size_t to = find_unit(unit, strlen(unit), NULL);
    const size_t from = digits == bytes ? to : find_unit(text + digits, bytes - digits, known[to].base);
    if (from == KNOWN_COUNT || !cli_number_decimal(text, digits, out)) return false;
    const double ratio = known[from].bases / known[to].bases;
    *out = ratio < 1 ? *out / (known[to].bases / known[from].bases) : *out * ratio;
    return true;
}
