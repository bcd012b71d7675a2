/* grow.h - arrays that grow while their size is not known. */
#ifndef MCD_ENGINE_BASE_GROW_H
#define MCD_ENGINE_BASE_GROW_H

#include "engine/base/status.h"

/* Makes room for `need` elements of `size` bytes in the array whose address is stored at `slot`; the capacity
 * at least doubles. On failure the array stays as it was. */
macadam_status mcd_grow(void *slot, size_t *capacity, size_t need, size_t size, macadam_error *error);

/* Moves the array's first `count` elements to a block of `capacity` elements. On failure the array stays as it was. */
macadam_status mcd_resize(void *slot, size_t count, size_t capacity, size_t size, macadam_error *error);

#define MCD_GROW(array, capacity, need, error)                                                               \
    mcd_grow(&(array), &(capacity), (need), sizeof *(array), (error))
/* Gives back what the array's first `count` elements do not need. */
#define MCD_SHRINK(array, count, error) mcd_resize(&(array), (count), (count), sizeof *(array), (error))

#endif
