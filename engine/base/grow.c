/* grow.c - see grow.h. */
#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/types.h"

enum { CAPACITY_MIN = 64 };

macadam_status mcd_resize(void *slot, size_t count, size_t capacity, size_t size, macadam_error *error)
{
    void *array; /* slot holds the address of a T *, which a void ** must not alias */
    memcpy(&array, slot, sizeof array);
    array = mcd_reallocate(array, count, capacity, size);
    if (!array) return mcd_fail_memory(error, capacity * size);
    memcpy(slot, &array, sizeof array);
    return MACADAM_OK;
}

macadam_status mcd_grow(void *slot, size_t *capacity, size_t need, size_t size, macadam_error *error)
{
    if (need <= *capacity) return MACADAM_OK;
    const size_t grown = mcd_size_max(mcd_size_max(need, 2 * *capacity), CAPACITY_MIN);
    MCD_TRY(mcd_resize(slot, *capacity, grown, size, error));
    *capacity = grown;
    return MACADAM_OK;
}
