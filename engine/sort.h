/* sort.h - sorting by counting, for what is large. A leaf. */
#ifndef MCD_SORT_H
#define MCD_SORT_H

#include <stddef.h>
#include <stdint.h>

/* How many bits a number has: 0 for 0. */
static inline unsigned mcd_bits_of(uint64_t number)
{
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* Sorts item[count] by the bits from `first` to below `end` (at most 64), equal ones as they stood.
 * `scratch`: [count]. */
void mcd_sort_bits(uint64_t *item, uint64_t *scratch, size_t count, unsigned first, unsigned end);

#endif
