/* digits.c - see digits.h. */
#include "bindings/formats/digits.h"

/* clang-format off */
#define TEN(t) "." t "0." t "1." t "2." t "3." t "4." t "5." t "6." t "7." t "8." t "9"
#define HUNDRED(h) TEN(h "0") TEN(h "1") TEN(h "2") TEN(h "3") TEN(h "4") \
                   TEN(h "5") TEN(h "6") TEN(h "7") TEN(h "8") TEN(h "9")
const char mcd_digits[] = HUNDRED("0") HUNDRED("1") HUNDRED("2") HUNDRED("3") HUNDRED("4")
                          HUNDRED("5") HUNDRED("6") HUNDRED("7") HUNDRED("8") HUNDRED("9");
/* clang-format on */

char *mcd_digits_many(char *to, uint64_t value)
{
    if (value >= 1000000000)
        return mcd_digits_three(mcd_digits_many(to, value / 1000), (uint32_t)(value % 1000));
    const uint32_t low = (uint32_t)value;
    return mcd_digits_three(mcd_digits_three(mcd_digits_few(to, low / 1000000), low / 1000 % 1000),
                            low % 1000);
}
