/* array.c - see array.h. */
#include "engine/runtime/array.h"

#include "engine/base/memory.h"

macadam_status mcd_array_new(mcd_array **out, const void *weight, void *owned, size_t count, size_t words,
                             macadam_error *error)
{
    MCD_OWNED void *memory = owned;
    mcd_array *array;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(array, 1, error));
    atomic_init(&array->users, 1);
    atomic_init(&array->zero_count, SIZE_MAX);
    atomic_init(&array->closed_count, SIZE_MAX);
    array->weight = weight;
    array->count = count;
    array->words = words;
    *out = array;
    return MCD_MOVE(array->owned, memory);
}

mcd_array *mcd_array_use(mcd_array *array)
{
    if (array) atomic_fetch_add(&array->users, 1);
    return array;
}

void mcd_array_leave(mcd_array *array)
{
    if (!array || atomic_fetch_sub(&array->users, 1) > 1) return;
    mcd_array_keep_last(array, NULL, NULL, 0);
    MCD_FREE_ALL(array->owned, array);
}

size_t mcd_array_zeros(mcd_array *array)
{
    size_t count = atomic_load(&array->zero_count);
    if (count != SIZE_MAX) return count;
    count = 0;
    for (size_t arc = 0; arc < array->count; ++arc) count += array->weight[arc] == 0;
    atomic_store(&array->zero_count, count);
    return count;
}

size_t mcd_array_closed(mcd_array *array)
{
    size_t count = atomic_load(&array->closed_count);
    if (count != SIZE_MAX) return count;
    count = 0;
    for (size_t arc = 0; arc < array->count; ++arc) count += array->weight[arc] >= MCD_UNREACHED;
    atomic_store(&array->closed_count, count);
    return count;
}

macadam_status mcd_array_copy(void **out, const mcd_array *array, macadam_error *error)
{
    const size_t bytes = array->count * array->words * sizeof *array->weight;
    char *copy;
    *out = NULL;
    MCD_TRY(MCD_NEW(copy, bytes, error));
    *out = memcpy(copy, array->weight, bytes);
    return MACADAM_OK;
}

macadam_status mcd_array_next(void **out, mcd_array *array, macadam_error *error)
{
    mcd_array *const last = array->last;
    const bool is_free = last && atomic_load(&last->users) == 1;
    mcd_weight *const next = is_free ? last->owned : NULL;
    const size_t words = array->words;
    if (is_free) last->owned = NULL;
    if (next && array->changed_count == MCD_ARRAY_ALL)
        memcpy(next, array->weight, array->count * words * sizeof *next);
    else
        for (size_t i = 0; i < array->changed_count && next; ++i) {
            const size_t first = array->changed[i] * words;
            memcpy(next + first, array->weight + first, words * sizeof *next);
        }
    mcd_array_keep_last(array, NULL, NULL, 0);
    *out = next;
    return next ? MACADAM_OK : mcd_array_copy(out, array, error);
}

void mcd_array_keep_last(mcd_array *array, mcd_array *last, uint32_t *changed, size_t changed_count)
{
    mcd_array_leave(array->last);
    mcd_free(array->changed);
    array->last = last;
    array->changed = changed;
    array->changed_count = changed_count;
}
