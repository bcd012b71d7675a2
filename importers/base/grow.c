/* grow.c - see grow.h. */
#include "importers/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/types.h"

#include <string.h>

enum { CAPACITY_MIN = 64 };

macadam_status mcd_grow(void *slot, size_t *capacity, size_t need, size_t size, const char *what,
                        macadam_error *error)
{
    if (need <= *capacity) return MACADAM_OK;
    const size_t grown = mcd_size_max(mcd_size_max(need, 2 * *capacity), CAPACITY_MIN);
    void *array; /* slot holds the address of a T *, which a void ** must not alias */
    memcpy(&array, slot, sizeof array);
    array = mcd_reallocate(array, *capacity, grown, size);
    if (!array) return mcd_fail_memory(error, grown * size, what);
    memcpy(slot, &array, sizeof array);
    *capacity = grown;
    return MACADAM_OK;
}
