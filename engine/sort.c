/* sort.c - see sort.h. By digits, the least significant first. */
#include "engine/sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 3, DIGIT_VALUES = 1 << DIGIT_BITS };

static unsigned digit_of(uint64_t item, int digit)
{
    return (unsigned)(item >> (32 + digit * DIGIT_BITS)) % DIGIT_VALUES;
}

static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t count, int digit, size_t *first)
{
    size_t sum = 0;
    for (int value = 0; value < DIGIT_VALUES; ++value) {
        const size_t of_value = first[value];
        first[value] = sum;
        sum += of_value;
    }
    for (size_t i = 0; i < count; ++i) to[first[digit_of(from[i], digit)]++] = from[i];
}

void mcd_sort_upper(uint64_t *item, uint64_t *scratch, size_t count)
{
    size_t counts[DIGITS][DIGIT_VALUES] = {{0}};
    uint64_t *from = item, *to = scratch;
    if (count == 0) return;
    for (size_t i = 0; i < count; ++i)
        for (int digit = 0; digit < DIGITS; ++digit) ++counts[digit][digit_of(item[i], digit)];
    for (int digit = 0; digit < DIGITS; ++digit) {
        if (counts[digit][digit_of(item[0], digit)] == count) continue; /* all have the same */
        sort_by_digit(from, to, count, digit, counts[digit]);
        uint64_t *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != item) memcpy(item, from, count * sizeof *item);
}
