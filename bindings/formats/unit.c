/* unit.c - see unit.h. */
#include "bindings/formats/unit.h"
#include "bindings/formats/scan.h"

#include <math.h>
#include <string.h>

static const mcd_unit known[] = {
    {"ms", "ms", 1, NULL, NULL},     {"s", "ms", 1e3, "ms, s, min or h", "300s or 5min"},
    {"min", "ms", 60e3, NULL, NULL}, {"h", "ms", 3600e3, NULL, NULL},
    {"cm", "cm", 1, NULL, NULL},     {"m", "cm", 1e2, "cm, m or km", "3000m or 3km"},
    {"km", "cm", 1e5, NULL, NULL},   {"mWh", "mWh", 1, NULL, NULL},
    {"kWh", "mWh", 1e6, NULL, NULL}, {"Wh", "mWh", 1e3, "mWh, Wh or kWh", "300Wh or 20kWh"},
    {"kg", "kg", 1, NULL, NULL},     {"t", "kg", 1e3, NULL, NULL},
    {"m/s", "m/s", 1, NULL, NULL},   {"km/h", "m/s", 1 / 3.6, NULL, NULL},
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* The bytes before the unit. */
static size_t number_bytes(const char *text, size_t bytes)
{
    while (bytes > 0 && ((text[bytes - 1] >= 'a' && text[bytes - 1] <= 'z') || strchr("W/", text[bytes - 1])))
        --bytes;
    return bytes;
}

/* Returns the unit of this name and base (NULL: of any), or NULL. */
static const mcd_unit *find(const char *name, size_t bytes, const char *base)
{
    for (size_t i = 0; i < KNOWN; ++i)
        if (strlen(known[i].name) == bytes && memcmp(known[i].name, name, bytes) == 0 &&
            (!base || strcmp(known[i].base, base) == 0))
            return &known[i];
    return NULL;
}

const mcd_unit *mcd_unit_of_answers(const char *base)
{
    for (size_t i = 0; i < KNOWN; ++i)
        if (known[i].words && strcmp(known[i].base, base) == 0) return &known[i];
    return NULL;
}

uint32_t mcd_unit_scale(const char *base)
{
    const mcd_unit *const unit = mcd_unit_of_answers(base);
    return unit ? (uint32_t)unit->bases : 1;
}

mcd_unit_result mcd_unit_cost(const char *text, size_t bytes, const char *unit, uint64_t *out)
{
    const size_t digits = number_bytes(text, bytes);
    double number;
    if (digits == bytes)
        return mcd_number_unsigned(text, bytes, UINT64_MAX, out) ? MCD_UNIT_OK : MCD_UNIT_NO_NUMBER;
    if (!mcd_number_decimal(text, digits, &number) || number < 0) return MCD_UNIT_NO_NUMBER;
    const mcd_unit *const given = find(text + digits, bytes - digits, unit);
    if (!given) return MCD_UNIT_UNKNOWN;
    if (number * given->bases > (double)(1ull << 53)) return MCD_UNIT_TOO_LARGE;
    *out = (uint64_t)llround(number * given->bases);
    return MCD_UNIT_OK;
}

bool mcd_unit_read(const char *text, const char *unit, double *out)
{
    const size_t bytes = strlen(text), digits = number_bytes(text, bytes);
    const mcd_unit *const to = find(unit, strlen(unit), NULL);
    const mcd_unit *const from = digits == bytes ? to : find(text + digits, bytes - digits, to->base);
    if (!from || !mcd_number_decimal(text, digits, out)) return false;
    const double ratio = from->bases / to->bases;
    *out = ratio < 1 ? *out / (to->bases / from->bases) : *out * ratio;
    return true;
}
