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

/* Copies the weights; the caller changes and frees them. */
static macadam_status copy_weights(void **out, const mcd_array *array, macadam_error *error)
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
    const size_t words = array->words, step = array->is_spread ? array->count : 1;
    if (is_free) last->owned = NULL;
    if (next && array->changed_count == MCD_ARRAY_ALL)
        memcpy(next, array->weight, array->count * words * sizeof *next);
    else
        for (size_t i = 0; i < array->changed_count && next; ++i) {
            const size_t first = array->is_spread ? array->changed[i] : array->changed[i] * words;
            for (size_t word = 0; word < words; ++word)
                next[first + word * step] = array->weight[first + word * step];
        }
    mcd_array_forget_last(array);
    *out = next;
    return next ? MACADAM_OK : copy_weights(out, array, error);
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

static macadam_status new_basic(mcd_basic **out, mcd_array *cost, const mcd_weights *weights,
                                atomic_uint *alive, macadam_error *error)
{
    mcd_basic *basic;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(basic, 1, error));
    atomic_init(&basic->users, 1);
    atomic_init(&basic->arrays, NULL);
    atomic_fetch_add(alive, 1);
    basic->alive = alive;
    basic->cost = mcd_array_use(cost);
    basic->weights = *weights;
    basic->weights.basic = cost->weight;
    *out = basic;
    return MACADAM_OK;
}

macadam_status mcd_basic_new(mcd_basic **out, void *cost, const mcd_weights *weights, atomic_uint *alive,
                             macadam_error *error)
{
    mcd_array *array;
    *out = NULL;
    MCD_TRY(mcd_array_new(&array, cost, cost, mcd_basic_arcs(weights), mcd_basic_words(weights), error));
    const macadam_status status = new_basic(out, array, weights, alive, error);
    mcd_array_leave(array);
    return status;
}

macadam_status mcd_basic_without_arrays(mcd_basic **out, const mcd_basic *basic, macadam_error *error)
{
    return new_basic(out, basic->cost, &basic->weights, basic->alive, error);
}

mcd_basic *mcd_basic_use(mcd_basic *basic)
{
    if (basic) atomic_fetch_add(&basic->users, 1);
    return basic;
}

void mcd_basic_leave(mcd_basic *basic)
{
    if (!basic || atomic_fetch_sub(&basic->users, 1) > 1) return;
    mcd_array_leave(basic->cost);
    mcd_array_leave(basic->arrays);
    atomic_fetch_sub(basic->alive, 1);
    mcd_free(basic);
}

/* Takes over `arrays`. */
static macadam_status take_arrays(mcd_basic *basic, void *arrays, macadam_error *error)
{
    mcd_array *array;
    MCD_TRY(mcd_array_new(&array, arrays, arrays, basic->cost->count, basic->cost->words, error));
    array->is_spread = true;
    basic->searched = basic->weights;
    mcd_basic_search(&basic->searched, arrays);
    basic->arrays = array;
    return MACADAM_OK;
}

macadam_status mcd_basic_add_arrays(mcd_basic *basic, const mcd_parallel *parallel, macadam_error *error)
{
    mcd_weight *arrays;
    if (basic->arrays) return MACADAM_OK;
    MCD_TRY(MCD_NEW(arrays, basic->cost->count * basic->cost->words, error));
    mcd_basic_spread(arrays, &basic->weights, NULL, 0, parallel);
    return take_arrays(basic, arrays, error);
}

/* Puts the costs that a repair has found into an array of `weights`. */
static void put_found(void *cost, const mcd_weights *weights, const mcd_recustomized *found)
{
    const size_t bytes = mcd_basic_words(weights) * sizeof(mcd_weight);
    for (size_t i = 0; i < found->count; ++i)
        memcpy((char *)cost + found->up[i] * bytes, (const char *)found->cost + i * bytes, bytes);
}

macadam_status mcd_basic_copy(mcd_basic **out, const mcd_basic *from, const mcd_weights *weights,
                              const mcd_recustomized *found, macadam_error *error)
{
    void *cost;
    *out = NULL;
    MCD_TRY(copy_weights(&cost, from->cost, error));
    put_found(cost, weights, found);
    return mcd_basic_new(out, cost, weights, from->alive, error);
}

macadam_status mcd_basic_next(mcd_basic **out, const mcd_basic *from, const mcd_weights *weights,
                              const mcd_recustomized *found, const mcd_parallel *parallel,
                              macadam_error *error)
{
    void *cost, *arrays;
    *out = NULL;
    MCD_TRY(mcd_array_next(&cost, from->cost, error));
    put_found(cost, weights, found);
    MCD_TRY(mcd_basic_new(out, cost, weights, from->alive, error));
    if (!from->arrays) return MACADAM_OK;
    MCD_TRY(mcd_array_next(&arrays, from->arrays, error));
    if (found->count > 0) mcd_basic_spread(arrays, &(*out)->weights, found->up, found->count, parallel);
    return take_arrays(*out, arrays, error);
}

bool mcd_basic_is_free(const mcd_basic *basic)
{
    return atomic_load(&basic->users) == 1 && atomic_load(&basic->cost->users) == 1;
}

static void change_weights(mcd_weights *of, const mcd_weights *to)
{
    of->objective = to->objective, of->companion = to->companion, of->has_zero = to->has_zero;
}

void mcd_basic_change(mcd_basic *basic, const mcd_weights *weights, const mcd_recustomized *found,
                      const mcd_parallel *parallel)
{
    mcd_array *const arrays = basic->arrays;
    put_found(basic->cost->owned, weights, found);
    change_weights(&basic->weights, weights);
    mcd_array_forget_last(basic->cost); /* it lacks these changes */
    if (!arrays) return;
    if (found->count > 0) mcd_basic_spread(arrays->owned, &basic->weights, found->up, found->count, parallel);
    change_weights(&basic->searched, weights);
    mcd_array_forget_last(arrays);
}

void mcd_basic_keep_last(const mcd_basic *basic, const mcd_basic *last, const mcd_recustomized *found)
{
    const size_t count = found->is_complete ? found->count : MCD_ARRAY_ALL;
    mcd_array_keep_last(basic->cost, last->cost, found->up, count);
    if (basic->arrays && last->arrays) mcd_array_keep_last(basic->arrays, last->arrays, found->up, count);
}
