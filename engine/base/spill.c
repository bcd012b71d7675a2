/* spill.c - see spill.h. Each slot has its own room in the file, which it uses again. */
#include "engine/base/spill.h"

#include "engine/base/system/platform.h"
#include "engine/base/types.h"

enum { STEP_BYTES = 1 << 22 /* between two questions whether to go on */ };

typedef struct spill_room {
    const void *slot;
    uint64_t offset;
    size_t bytes, capacity;
    bool is_full;
} spill_room;

struct mcd_spill {
    mcd_output file;
    uint64_t bytes;
    size_t room_count;
    spill_room room[MCD_SPILL_SLOTS];
};

macadam_status mcd_spill_new(mcd_spill **out, const char *path, macadam_error *error)
{
    *out = NULL;
    MCD_OWNED mcd_spill *spill = NULL;
    MCD_TRY(MCD_NEW_ZEROED(spill, 1, error));
    MCD_TRY(mcd_platform_create(&spill->file, path, error));
    spill->file.is_cached = true; /* what is written is read again soon */
    return MCD_MOVE(*out, spill);
}

/* Slots hold the address of a T *, which a void ** must not alias. */
static void set_array(void *slot, void *array)
{
    memcpy(slot, &array, sizeof array);
}

static spill_room *find_room(mcd_spill *spill, const void *slot)
{
    for (size_t i = 0; spill && i < spill->room_count; ++i)
        if (spill->room[i].slot == slot) return &spill->room[i];
    return NULL;
}

/* Returns the room of a slot, with space for `bytes` bytes; NULL: there are too many slots. */
static spill_room *make_room(mcd_spill *spill, const void *slot, size_t bytes)
{
    spill_room *room = find_room(spill, slot);
    if (!room && spill->room_count == MCD_SPILL_SLOTS) return NULL;
    if (!room) *(room = &spill->room[spill->room_count++]) = (spill_room){.slot = slot};
    if (room->capacity < bytes) {
        room->offset = spill->bytes;
        room->capacity = bytes;
        spill->bytes += bytes;
    }
    room->bytes = bytes;
    return room;
}

/* Moves an array to its room or back. */
static macadam_status move(mcd_spill *spill, const spill_room *room, char *array, bool back, mcd_watch *watch,
                           macadam_error *error)
{
    for (size_t at = 0; at < room->bytes; at += STEP_BYTES) {
        const size_t bytes = mcd_size_min(room->bytes - at, STEP_BYTES);
        MCD_TRY(mcd_watch_step(watch, at, room->bytes, error));
        MCD_TRY(back ? mcd_platform_read_output(&spill->file, array + at, bytes, room->offset + at, error)
                     : mcd_platform_write(&spill->file, array + at, bytes, room->offset + at, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_spill_put(mcd_spill *spill, void *slot, size_t bytes, mcd_watch *watch,
                             macadam_error *error)
{
    void *array;
    memcpy(&array, slot, sizeof array);
    if (!spill || !array) return MACADAM_OK;
    spill_room *const room = make_room(spill, slot, bytes);
    if (!room) return mcd_fail_invalid(error, "more than %d arrays wait on the disk", MCD_SPILL_SLOTS);
    MCD_TRY(move(spill, room, array, false, watch, error));
    mcd_free(array);
    set_array(slot, NULL);
    room->is_full = true;
    return MACADAM_OK;
}

macadam_status mcd_spill_get(mcd_spill *spill, void *slot, mcd_watch *watch, macadam_error *error)
{
    spill_room *const room = find_room(spill, slot);
    if (!room || !room->is_full) return MACADAM_OK;
    MCD_OWNED char *array = NULL;
    MCD_TRY(MCD_NEW(array, room->bytes, error));
    MCD_TRY(move(spill, room, array, true, watch, error));
    set_array(slot, array);
    array = NULL; /* it is the slot's */
    room->is_full = false;
    return MACADAM_OK;
}

bool mcd_spill_has(const mcd_spill *spill, const void *slot, size_t *bytes)
{
    const spill_room *const room = find_room((mcd_spill *)spill, slot);
    if (!room || !room->is_full) return false;
    *bytes = room->bytes;
    return true;
}

void mcd_spill_free(mcd_spill *spill)
{
    if (!spill) return;
    mcd_platform_discard(&spill->file);
    mcd_free(spill);
}
