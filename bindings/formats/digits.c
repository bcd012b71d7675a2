/* digits.c - see digits.h. */
#include "bindings/formats/digits.h"

#define TEN(tens) tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"
#define HUNDRED(hundreds)                                                                                    \
    TEN(hundreds "0")                                                                                        \
    TEN(hundreds "1")                                                                                        \
    TEN(hundreds "2")                                                                                        \
    TEN(hundreds "3")                                                                                        \
    TEN(hundreds "4")                                                                                        \
    TEN(hundreds "5") TEN(hundreds "6") TEN(hundreds "7") TEN(hundreds "8") TEN(hundreds "9")
const char mcd_digits[] = HUNDRED("0") HUNDRED("1") HUNDRED("2") HUNDRED("3") HUNDRED("4") HUNDRED("5")
    HUNDRED("6") HUNDRED("7") HUNDRED("8") HUNDRED("9");

char *mcd_digits_many(char *to, uint64_t value)
{
    if (value >= 1000000000)
        return mcd_digits_three(mcd_digits_many(to, value / 1000), (uint32_t)(value % 1000));
    const uint32_t low = (uint32_t)value;
    return mcd_digits_three(mcd_digits_three(mcd_digits_few(to, low / 1000000), low / 1000 % 1000),
                            low % 1000);
}
