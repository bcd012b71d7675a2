/* sort.h - sorts large arrays by counting. A leaf. */
#ifndef MCD_ENGINE_BASE_SORT_H
#define MCD_ENGINE_BASE_SORT_H

#include "engine/base/watch.h"

/* Returns how many bits a number has: 0 for 0. */
static inline unsigned mcd_bits_of(uint64_t number)
{
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* Sorts item[count] by the bits from `first` to below `end` (at most 64). The sort is stable. `scratch`:
 * [count]. Returns MACADAM_OK or E_CANCELLED. */
macadam_status mcd_sort_bits(uint64_t *item, uint64_t *scratch, size_t count, unsigned first, unsigned end,
                             mcd_watch *watch, macadam_error *error);

/* The same on all threads. */
macadam_status mcd_sort_bits_on(const mcd_parallel *parallel, uint64_t *item, uint64_t *scratch, size_t count,
                                unsigned first, unsigned end, mcd_watch *watch, macadam_error *error);

/* Sorts item[count], of `size` bytes each, as qsort does, and asks the watch. Returns MACADAM_OK, E_CANCELLED
 * or E_MEMORY. */
macadam_status mcd_sort(void *item, size_t count, size_t size, int (*compare)(const void *, const void *),
                        mcd_watch *watch, macadam_error *error);
/* The same on all threads. */
macadam_status mcd_sort_on(const mcd_parallel *parallel, void *item, size_t count, size_t size,
                           int (*compare)(const void *, const void *), mcd_watch *watch,
                           macadam_error *error);

/* Defines a function for qsort and mcd_sort that orders elements by one member, those of which it is the same by another. */
#define MCD_DEFINE_COMPARE_TWO(name, type, first, second)                                                    \
    static int name(const void *a, const void *b)                                                            \
    {                                                                                                        \
        const type *const x = (const type *)a, *const y = (const type *)b;                                   \
        if (x->first != y->first) return x->first < y->first ? -1 : 1;                                       \
        return (x->second > y->second) - (x->second < y->second);                                            \
    }

#endif
