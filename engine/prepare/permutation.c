/* permutation.c - see permutation.h. */
#include "engine/prepare/permutation.h"

#include "engine/base/memory.h"

#include <string.h>

void mcd_permutation_add(mcd_permutation *permutation, void *slot, size_t size)
{
    void *data;
    memcpy(&data, slot, sizeof data);
    if (data) permutation->column[permutation->column_count++] = (mcd_column){slot, size, data, NULL};
}

#define MOVE(type)                                                                                           \
    for (size_t i = first; i < end; ++i) ((type *)of->moved)[i] = ((const type *)of->data)[item[i]]

static void move_column(const mcd_column *of, const uint32_t *item, size_t first, size_t end)
{
    switch (of->size) {
    case 1:
        MOVE(uint8_t);
        break;
    case 2:
        MOVE(uint16_t);
        break;
    case 4:
        MOVE(uint32_t);
        break;
    default:
        MOVE(uint64_t);
    }
}

static void move_part(void *argument, size_t part, unsigned worker)
{
    const mcd_permutation *const run = argument;
    (void)worker;
    move_column(&run->column[run->at], run->item, mcd_part_first(run->count, part, MCD_MOVE_PARTS),
                mcd_part_first(run->count, part + 1, MCD_MOVE_PARTS));
}

macadam_status mcd_permute(mcd_permutation *permutation, const mcd_parallel *parallel, mcd_watch *watch,
                           macadam_error *error)
{
    for (permutation->at = 0; permutation->at < permutation->column_count; ++permutation->at) {
        mcd_column *const moving = &permutation->column[permutation->at];
        moving->moved = mcd_allocate(permutation->count, moving->size);
        if (!moving->moved)
            return mcd_fail_memory(error, permutation->count * moving->size, "a map in the file's order");
        const macadam_status status =
            mcd_watch_for(watch, parallel, MCD_MOVE_PARTS, move_part, permutation, error);
        if (status) {
            mcd_free(moving->moved);
            return status;
        }
        mcd_free((void *)moving->data);
        memcpy(moving->slot, &moving->moved, sizeof moving->moved);
    }
    return MACADAM_OK;
}
