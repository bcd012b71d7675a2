/* unit.h - units: those in which files have their quantities, and numbers with units as people write them: 5min, 2km. */
#ifndef MCD_BINDINGS_FORMATS_UNIT_H
#define MCD_BINDINGS_FORMATS_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mcd_unit {
    const char *name, *base; /* the unit in which files have it */
    double bases;            /* in one of this unit */
    const char *words,
        *example; /* of the unit of answers (s, m, Wh): all units of its base, and how people write costs */
} mcd_unit;

/* Returns the unit of answers for costs that a file has in `base`, or NULL. */
const mcd_unit *mcd_unit_of_answers(const char *base);
/* Returns by what costs of a unit are divided to be in the unit of answers: a power of ten. */
uint32_t mcd_unit_scale(const char *base);

typedef enum mcd_unit_result {
    MCD_UNIT_OK,
    MCD_UNIT_NO_NUMBER,
    MCD_UNIT_UNKNOWN, /* no such unit, or not one of this quantity */
    MCD_UNIT_TOO_LARGE
} mcd_unit_result;

/* Reads a cost of a quantity that the map measures in `unit` ("ms", "cm", "mWh", or "": not known): a whole
 * number of that, or a decimal number with a unit: ms, s, min, h, or cm, m, km, or mWh, Wh, kWh. Rounded to the nearest. */
mcd_unit_result mcd_unit_cost(const char *text, size_t bytes, const char *unit, uint64_t *out);

/* Reads a decimal number of `unit`, such as m, or one with another unit of the same kind, such as cm or km. */
bool mcd_unit_read(const char *text, const char *unit, double *out);

#endif
