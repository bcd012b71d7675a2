/* digits.h - whole numbers as digits, three at a time from a table. */
#ifndef MCD_BINDINGS_FORMATS_DIGITS_H
#define MCD_BINDINGS_FORMATS_DIGITS_H

#include <stdint.h>
#include <string.h>

extern const char mcd_digits[]; /* of each number below 1000: a point and three digits */

/* Each writes at `to` and returns where it ends. */
static inline char *mcd_digits_three(char *to, uint32_t below_1000)
{
    memcpy(to, mcd_digits + 4 * below_1000 + 1, 3);
    return to + 3;
}

static inline char *mcd_digits_few(char *to, uint32_t below_1000)
{
    const unsigned zeros = (below_1000 < 100) + (below_1000 < 10);
    memcpy(to, mcd_digits + 4 * below_1000 + 1 + zeros, 3); /* a digit too much is overwritten */
    return to + 3 - zeros;
}

/* A point and decimals, of which the last is not 0; nothing for 0. */
static inline char *mcd_digits_decimals(char *to, uint32_t thousandths)
{
    memcpy(to, mcd_digits + 4 * thousandths, 4);
    return thousandths == 0 ? to : to + 4 - (thousandths % 10 == 0) - (thousandths % 100 == 0);
}

char *mcd_digits_many(char *to, uint64_t value);

/* Needs room for three digits more than the number has. */
static inline char *mcd_digits_write(char *to, uint64_t value)
{
    const uint32_t low = (uint32_t)value;
    if (value < 1000) return mcd_digits_few(to, low);
    if (value < 1000000) return mcd_digits_three(mcd_digits_few(to, low / 1000), low % 1000);
    return mcd_digits_many(to, value);
}

#endif
