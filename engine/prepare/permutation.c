/* permutation.c - see permutation.h. */
#include "engine/prepare/permutation.h"

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

/* Moves items of several elements each. */
static void move_runs(const mcd_permutation *run, const mcd_column *of, size_t first, size_t end)
{
    for (size_t i = first; i < end; ++i) {
        const uint64_t from = run->first[run->item[i]], to = run->moved_first[i];
        memcpy((char *)of->moved + to * of->size, (const char *)of->data + from * of->size,
               (run->moved_first[i + 1] - to) * of->size);
    }
}

static void move_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    const mcd_permutation *const run = argument;
    const mcd_column *const of = &run->column[run->at];
    const size_t first = mcd_part_first(run->count, part, MCD_MOVE_PARTS),
                 end = mcd_part_first(run->count, part + 1, MCD_MOVE_PARTS);
    if (run->first)
        move_runs(run, of, first, end);
    else
        move_column(of, run->item, first, end);
}

macadam_status mcd_permute(mcd_permutation *permutation, const mcd_parallel *parallel, mcd_watch *watch,
                           macadam_error *error)
{
    const size_t count =
        permutation->first ? permutation->moved_first[permutation->count] : permutation->count;
    for (permutation->at = 0; permutation->at < permutation->column_count; ++permutation->at) {
        mcd_column *const moving = &permutation->column[permutation->at];
        MCD_OWNED void *moved = moving->moved = mcd_allocate(count, moving->size);
        if (!moved) return mcd_fail_memory(error, count * moving->size);
        MCD_TRY(mcd_watch_for(watch, parallel, MCD_MOVE_PARTS, move_part, permutation, error));
        memcpy(moving->slot, &moved, sizeof moved);
        moved = (void *)moving->data; /* which is freed */
    }
    return MACADAM_OK;
}
