/* sort.h - sorting by counting, for what is large. A leaf. */
#ifndef MCD_SORT_H
#define MCD_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts item[count] by their upper 32 bits, equal ones as they stood. `scratch`: [count]. */
void mcd_sort_upper(uint64_t *item, uint64_t *scratch, size_t count);

#endif
