/* sort.c - see sort.h. A radix sort, least significant digit first. */
#include "engine/base/sort.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };

typedef struct digit {
    unsigned shift;
    uint64_t mask;
} digit;

static size_t value_of(const digit *by, uint64_t item)
{
    return item >> by->shift & by->mask;
}

/* Returns false if all items have the same digit; nothing is moved then. */
static bool sort_by(const digit *by, const uint64_t *from, uint64_t *to, size_t count)
{
    size_t first[DIGIT_VALUES + 1] = {0};
    for (size_t i = 0; i < count; ++i) ++first[value_of(by, from[i]) + 1];
    if (first[value_of(by, from[0]) + 1] == count) return false;
    for (size_t value = 0; value < DIGIT_VALUES; ++value) first[value + 1] += first[value];
    for (size_t i = 0; i < count; ++i) to[first[value_of(by, from[i])]++] = from[i];
    return true;
}

void mcd_sort_bits(uint64_t *item, uint64_t *scratch, size_t count, unsigned first, unsigned end)
{
    uint64_t *from = item, *to = scratch;
    for (unsigned shift = first; shift < end && count > 0; shift += DIGIT_BITS) {
        const unsigned bits = end - shift < DIGIT_BITS ? end - shift : DIGIT_BITS;
        const digit by = {shift, (UINT64_C(1) << bits) - 1};
        if (!sort_by(&by, from, to, count)) continue;
        uint64_t *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != item) memcpy(item, from, count * sizeof *item);
}
