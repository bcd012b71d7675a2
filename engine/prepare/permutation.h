/* permutation.h - arrays of a map brought into another order, in place of the old ones. */
#ifndef MCD_ENGINE_PREPARE_PERMUTATION_H
#define MCD_ENGINE_PREPARE_PERMUTATION_H

#include "engine/file/catalogue.h"

enum { MCD_MOVE_PARTS = 64 /* into which loops over arrays are divided */ };

/* An array, to be replaced by its permutation. */
typedef struct mcd_column {
    void *slot;  /* the address of a T *, which a void ** must not alias */
    size_t size; /* of an element: 1, 2, 4 or 8 bytes */
    const void *data;
    void *moved;
} mcd_column;

/* Columns that are permuted together: in each, element item[i] becomes the i-th. Begin with `item` and `count`; if an item is
 * several elements, also with where those of each are, and where they will be. */
typedef struct mcd_permutation {
    mcd_column column[MCD_QUANTITY_MAX + MCD_MAP_ARRAYS_MAX];
    size_t column_count;
    size_t at; /* the column that is moved now */
    const uint32_t *item;
    size_t count;
    const uint64_t *first,
        *moved_first; /* [count + 1] by old and by new items; NULL: an item is one element */
} mcd_permutation;

/* Adds the array at a slot; a missing array stays missing. */
void mcd_permutation_add(mcd_permutation *permutation, void *slot, size_t size);

/* Replaces the arrays, one after the other, so that no more than one of them is in memory twice. Returns E_MEMORY or
 * E_CANCELLED: then some are replaced. */
macadam_status mcd_permute(mcd_permutation *permutation, const mcd_parallel *parallel, mcd_watch *watch,
                           macadam_error *error);

#endif
