/* array.h - weights in memory with counted users: the file's, or those that an update or conditions made; and the basic
 * weights of a version. */
#ifndef MCD_ENGINE_RUNTIME_ARRAY_H
#define MCD_ENGINE_RUNTIME_ARRAY_H

#include "engine/base/status.h"
#include "engine/base/system/platform.h"
#include "engine/base/types.h"
#include "kernels/backend.h"
#include "kernels/basic.h"

#include <stdatomic.h>

#define MCD_ARRAY_ALL SIZE_MAX

/* The weights of the input arcs by one quantity, or basic weights of the upward arcs. They are constant while they
 * are in use. */
typedef struct mcd_array {
    atomic_uint users;
    const mcd_weight *weight; /* [count * words] */
    void *owned;              /* the same memory; NULL: the file's */
    const mcd_mapping *file;  /* that has the weights; NULL: not as they are */
    mcd_mapping copied;       /* has the owned memory, if pages of a file are copied when they change */
    size_t count, words;      /* elements, and the words of each, which are `count` words apart */
    atomic_size_t zero_count, closed_count; /* of input arcs: SIZE_MAX: not counted yet */
    struct mcd_array
        *last; /* the array that this one replaced, for mcd_array_next; under update_lock, as is `changed` */
    uint32_t *changed;    /* [changed_count] the elements in which they may differ */
    size_t changed_count; /* MCD_ARRAY_ALL: they may differ in all */
} mcd_array;

/* Makes one with one user. Takes over `owned`, on failure too; NULL: the memory must outlive the array. */
macadam_status mcd_array_new(mcd_array **out, const void *weight, void *owned, size_t count, size_t words,
                             macadam_error *error);
mcd_array *mcd_array_use(mcd_array *array);
/* The last user frees it. NULL is fine. */
void mcd_array_leave(mcd_array *array);

/* Returns how many weights of input arcs are 0; counts them the first time. */
size_t mcd_array_zeros(mcd_array *array);
/* Returns how many of them close their arc, likewise. */
size_t mcd_array_closed(mcd_array *array);

/* Makes an array of the same weights for an update, which changes them (mcd_array_set). If no user of the array that this one
 * replaced is left, takes its memory, and copies only what differs; that array is then gone. If few are to change, those of a
 * file are copied page by page, when they do. */
macadam_status mcd_array_next(mcd_array **out, mcd_array *array, bool is_few, macadam_error *error);
/* Changes the weight of an input arc. Returns whether it differed. */
bool mcd_array_set(mcd_array *array, uint32_t arc, mcd_weight weight);
/* Keeps the array that `array` replaced; they differ at most in the elements changed[0 .. count), or if `count` is
 * MCD_ARRAY_ALL, or without memory for the list, in all. */
void mcd_array_keep_last(mcd_array *array, mcd_array *last, const uint32_t *changed, size_t count);
void mcd_array_forget_last(mcd_array *array);

/* ---- basic weights ---- */

/* The basic weights of all upward arcs: they answer every question. Constant. */
typedef struct mcd_basic {
    atomic_uint users;
    atomic_uint *alive; /* counts those for which the schedule is kept */
    mcd_array *arrays;  /* kernels/basic.h */
    mcd_weights weights;
} mcd_basic;

/* Makes one with one user. Takes over `owned`, on failure too; NULL: `arrays` (kernels/basic.h) are those of `file`, and outlive
 * it. `weights` has all but the searches. */
macadam_status mcd_basic_new(mcd_basic **out, const void *arrays, void *owned, const mcd_mapping *file,
                             const mcd_weights *weights, atomic_uint *alive, macadam_error *error);
/* Makes one of `weights`, which differ from `from` by what a repair has found. A copy, for conditions; for an update, in the memory
 * of the last one if no call uses it. Pages of a file are copied when they change. Under update_lock. */
macadam_status mcd_basic_copy(mcd_basic **out, const mcd_basic *from, const mcd_weights *weights,
                              const mcd_recustomized *found, const mcd_parallel *parallel,
                              macadam_error *error);
macadam_status mcd_basic_next(mcd_basic **out, const mcd_basic *from, const mcd_weights *weights,
                              const mcd_recustomized *found, const mcd_parallel *parallel,
                              macadam_error *error);
/* Returns whether only its holder uses it, and may change it. */
bool mcd_basic_is_free(const mcd_basic *basic);
/* Makes it that of `weights`, where it is. It must be free, and no call may begin to use it. */
void mcd_basic_change(mcd_basic *basic, const mcd_weights *weights, const mcd_recustomized *found,
                      const mcd_parallel *parallel);
/* Keeps the one that `basic` replaced for the next update; they differ by what a repair has found, if it is
 * complete. */
void mcd_basic_keep_last(const mcd_basic *basic, const mcd_basic *last, const mcd_recustomized *found);
mcd_basic *mcd_basic_use(mcd_basic *basic);
/* The last user frees it. NULL is fine. */
void mcd_basic_leave(mcd_basic *basic);

#endif
