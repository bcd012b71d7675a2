/* grow.h - arrays that grow as an importer reads. */
#ifndef MCD_IMPORTERS_BASE_GROW_H
#define MCD_IMPORTERS_BASE_GROW_H

#include "engine/base/status.h"

/* Makes room for `need` elements of `size` bytes in the array whose address stands at `slot`; twice the old
 * capacity at least. On failure the array stays as it was. */
macadam_status mcd_grow(void *slot, size_t *capacity, size_t need, size_t size, const char *what,
                        macadam_error *error);

#define MCD_GROW(array, capacity, need, error)                                                               \
    mcd_grow(&(array), &(capacity), (need), sizeof *(array), #array, (error))

#endif
