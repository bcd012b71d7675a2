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
    mcd_array_forget_last(array);
    if (!array->copied.data) mcd_free(array->owned);
    mcd_platform_unmap(&array->copied);
    mcd_free(array);
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

static size_t bytes_of(const mcd_array *array)
{
    return array->count * array->words * sizeof *array->weight;
}

/* Makes an array of the same kind, without memory. */
static macadam_status new_alike(mcd_array **out, const mcd_array *array, macadam_error *error)
{
    MCD_TRY(mcd_array_new(out, NULL, NULL, array->count, array->words, error));
    atomic_store(&(*out)->zero_count, atomic_load(&array->zero_count));
    atomic_store(&(*out)->closed_count, atomic_load(&array->closed_count));
    return MACADAM_OK;
}

static macadam_status copy_weights(mcd_array *next, const mcd_array *array, macadam_error *error)
{
    char *copy;
    MCD_TRY(MCD_NEW(copy, bytes_of(array), error));
    next->weight = next->owned = memcpy(copy, array->weight, bytes_of(array));
    return MACADAM_OK;
}

/* Copies what differs between an array and the one that it replaced, whose memory `next` has. */
static void copy_changed(mcd_array *next, const mcd_array *array)
{
    mcd_weight *const to = next->owned;
    if (array->changed_count == MCD_ARRAY_ALL) memcpy(to, array->weight, bytes_of(array));
    for (size_t i = 0; i < array->changed_count && array->changed_count != MCD_ARRAY_ALL; ++i)
        for (size_t word = 0; word < array->words; ++word)
            to[word * array->count + array->changed[i]] =
                array->weight[word * array->count + array->changed[i]];
}

static void take_memory(mcd_array *next, mcd_array *last)
{
    next->weight = next->owned = last->owned, next->copied = last->copied;
    last->owned = NULL, last->copied = (mcd_mapping){.data = NULL};
}

/* Returns whether a file has the weights, of which pages are copied when they change. */
static bool map_copy(mcd_array *next, const mcd_array *of)
{
    if (!of->file || !mcd_platform_map_copy(&next->copied, &next->owned, of->file, of->weight, bytes_of(of)))
        return false;
    next->weight = next->owned;
    return true;
}

macadam_status mcd_array_next(mcd_array **out, mcd_array *array, bool is_few, macadam_error *error)
{
    mcd_array *const last = array->last;
    MCD_TRY(new_alike(out, array, error));
    if (last && last->owned && atomic_load(&last->users) == 1) take_memory(*out, last);
    const bool is_last =
        (*out)->owned || (is_few && last && array->changed_count != MCD_ARRAY_ALL && map_copy(*out, last));
    if (is_last) copy_changed(*out, array);
    mcd_array_forget_last(array);
    if (is_last || (is_few && map_copy(*out, array))) return MACADAM_OK;
    const macadam_status status = copy_weights(*out, array, error);
    if (status) mcd_array_leave(*out), *out = NULL;
    return status;
}

/* Adds modulo 2^64; SIZE_MAX stays: not counted. */
static void count(atomic_size_t *of, size_t more)
{
    const size_t before = atomic_load(of);
    if (before != SIZE_MAX) atomic_store(of, before + more);
}

bool mcd_array_set(mcd_array *array, uint32_t arc, mcd_weight weight)
{
    mcd_weight *const to = (mcd_weight *)array->owned + arc;
    const mcd_weight before = *to;
    if (before == weight) return false;
    if ((weight == 0) != (before == 0)) count(&array->zero_count, weight == 0 ? 1 : SIZE_MAX);
    const bool is_closed = weight >= MCD_UNREACHED;
    if (is_closed != (before >= MCD_UNREACHED)) count(&array->closed_count, is_closed ? 1 : SIZE_MAX);
    *to = weight;
    return true;
}

void mcd_array_forget_last(mcd_array *array)
{
    mcd_array_leave(array->last);
    mcd_free(array->changed);
    array->last = NULL;
    array->changed = NULL;
}

void mcd_array_keep_last(mcd_array *array, mcd_array *last, const uint32_t *changed, size_t count)
{
    uint32_t *const own = count > 0 && count != MCD_ARRAY_ALL ? mcd_allocate(count, sizeof *own) : NULL;
    if (own) memcpy(own, changed, count * sizeof *own);
    mcd_array_forget_last(array);
    array->last = mcd_array_use(last);
    array->changed = own;
    array->changed_count = own || count == 0 ? count : MCD_ARRAY_ALL;
}

/* ---- basic weights ---- */

/* Takes over a user of `arrays`. */
static macadam_status new_basic(mcd_basic **out, mcd_array *arrays, const mcd_weights *weights,
                                atomic_uint *alive, macadam_error *error)
{
    mcd_basic *basic;
    const macadam_status status = MCD_NEW_ZEROED(basic, 1, error);
    *out = NULL;
    if (status) mcd_array_leave(arrays);
    MCD_TRY(status);
    atomic_init(&basic->users, 1);
    atomic_fetch_add(alive, 1);
    basic->alive = alive;
    basic->arrays = arrays;
    basic->weights = *weights;
    mcd_basic_search(&basic->weights, arrays->weight);
    *out = basic;
    return MACADAM_OK;
}

macadam_status mcd_basic_new(mcd_basic **out, const void *arrays, void *owned, const mcd_mapping *file,
                             const mcd_weights *weights, atomic_uint *alive, macadam_error *error)
{
    mcd_array *array;
    *out = NULL;
    MCD_TRY(mcd_array_new(&array, arrays, owned, mcd_basic_arcs(weights), mcd_basic_words(weights), error));
    array->file = file;
    return new_basic(out, array, weights, alive, error);
}

mcd_basic *mcd_basic_use(mcd_basic *basic)
{
    if (basic) atomic_fetch_add(&basic->users, 1);
    return basic;
}

void mcd_basic_leave(mcd_basic *basic)
{
    if (!basic || atomic_fetch_sub(&basic->users, 1) > 1) return;
    mcd_array_leave(basic->arrays);
    atomic_fetch_sub(basic->alive, 1);
    mcd_free(basic);
}

static void put_found(mcd_array *arrays, const mcd_weights *weights, const mcd_recustomized *found,
                      const mcd_parallel *parallel)
{
    if (found->count > 0)
        mcd_basic_spread(arrays->owned, weights, found->cost, found->up, found->count, parallel);
}

/* Takes over `arrays`, in which it puts what a repair has found. */
static macadam_status vary(mcd_basic **out, mcd_array *arrays, const mcd_basic *from,
                           const mcd_weights *weights, const mcd_recustomized *found,
                           const mcd_parallel *parallel, macadam_error *error)
{
    put_found(arrays, weights, found, parallel);
    return new_basic(out, arrays, weights, from->alive, error);
}

macadam_status mcd_basic_copy(mcd_basic **out, const mcd_basic *from, const mcd_weights *weights,
                              const mcd_recustomized *found, const mcd_parallel *parallel,
                              macadam_error *error)
{
    mcd_array *arrays;
    *out = NULL;
    MCD_TRY(new_alike(&arrays, from->arrays, error));
    const macadam_status status =
        map_copy(arrays, from->arrays) ? MACADAM_OK : copy_weights(arrays, from->arrays, error);
    if (!status) return vary(out, arrays, from, weights, found, parallel, error);
    mcd_array_leave(arrays);
    return status;
}

macadam_status mcd_basic_next(mcd_basic **out, const mcd_basic *from, const mcd_weights *weights,
                              const mcd_recustomized *found, const mcd_parallel *parallel,
                              macadam_error *error)
{
    mcd_array *arrays;
    *out = NULL;
    MCD_TRY(mcd_array_next(&arrays, from->arrays, true, error));
    return vary(out, arrays, from, weights, found, parallel, error);
}

bool mcd_basic_is_free(const mcd_basic *basic)
{
    return atomic_load(&basic->users) == 1 && atomic_load(&basic->arrays->users) == 1 && basic->arrays->owned;
}

void mcd_basic_change(mcd_basic *basic, const mcd_weights *weights, const mcd_recustomized *found,
                      const mcd_parallel *parallel)
{
    put_found(basic->arrays, weights, found, parallel);
    basic->weights.objective = weights->objective, basic->weights.companion = weights->companion;
    basic->weights.has_zero = weights->has_zero;
    mcd_array_forget_last(basic->arrays); /* it lacks these changes */
}

void mcd_basic_keep_last(const mcd_basic *basic, const mcd_basic *last, const mcd_recustomized *found)
{
    mcd_array_keep_last(basic->arrays, last->arrays, found->up,
                        found->is_complete ? found->count : MCD_ARRAY_ALL);
}
