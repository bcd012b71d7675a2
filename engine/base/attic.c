/* attic.c - see attic.h. Each slot has its own room in the file, which it uses again. */
#include "engine/base/attic.h"

#include "engine/base/memory.h"
#include "engine/base/system/platform.h"
#include "engine/base/types.h"

#include <string.h>

enum { STEP_BYTES = 1 << 22 /* between two questions whether to go on */ };

typedef struct attic_room {
    const void *slot;
    uint64_t offset;
    size_t bytes, capacity;
    bool is_full;
} attic_room;

struct mcd_attic {
    mcd_output file;
    uint64_t bytes;
    size_t room_count;
    attic_room room[MCD_ATTIC_SLOTS];
};

macadam_status mcd_attic_new(mcd_attic **out, const char *path, macadam_error *error)
{
    *out = NULL;
    mcd_attic *attic;
    MCD_TRY(MCD_NEW_ZEROED(attic, 1, error));
    const macadam_status status = mcd_platform_create(&attic->file, path, error);
    attic->file.is_cached = true; /* what is written is read again soon */
    if (status)
        mcd_free(attic);
    else
        *out = attic;
    return status;
}

/* Slots hold the address of a T *, which a void ** must not alias. */
static void *array_in(const void *slot)
{
    void *array;
    memcpy(&array, slot, sizeof array);
    return array;
}

static void set_array(void *slot, void *array)
{
    memcpy(slot, &array, sizeof array);
}

static attic_room *find_room(mcd_attic *attic, const void *slot)
{
    for (size_t i = 0; i < attic->room_count; ++i)
        if (attic->room[i].slot == slot) return &attic->room[i];
    return NULL;
}

/* Returns the room of a slot, with space for so many bytes; NULL: there are too many slots. */
static attic_room *make_room(mcd_attic *attic, const void *slot, size_t bytes)
{
    attic_room *room = find_room(attic, slot);
    if (!room && attic->room_count == MCD_ATTIC_SLOTS) return NULL;
    if (!room) *(room = &attic->room[attic->room_count++]) = (attic_room){.slot = slot};
    if (room->capacity < bytes) {
        room->offset = attic->bytes;
        room->capacity = bytes;
        attic->bytes += bytes;
    }
    room->bytes = bytes;
    return room;
}

/* Moves an array to its room or back. */
static macadam_status move(mcd_attic *attic, const attic_room *room, char *array, bool back, mcd_watch *watch,
                           macadam_error *error)
{
    for (size_t at = 0; at < room->bytes; at += STEP_BYTES) {
        const size_t bytes = mcd_size_min(room->bytes - at, STEP_BYTES);
        MCD_TRY(mcd_watch_step(watch, at, room->bytes, error));
        MCD_TRY(back ? mcd_platform_read_output(&attic->file, array + at, bytes, room->offset + at, error)
                     : mcd_platform_write(&attic->file, array + at, bytes, room->offset + at, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_attic_put(mcd_attic *attic, void *slot, size_t bytes, mcd_watch *watch,
                             macadam_error *error)
{
    void *const array = array_in(slot);
    if (!attic || !array) return MACADAM_OK;
    attic_room *const room = make_room(attic, slot, bytes);
    if (!room)
        return mcd_fail(error, MACADAM_E_INVALID, "more than %d arrays wait on the disk", MCD_ATTIC_SLOTS);
    MCD_TRY(move(attic, room, array, false, watch, error));
    mcd_free(array);
    set_array(slot, NULL);
    room->is_full = true;
    return MACADAM_OK;
}

macadam_status mcd_attic_get(mcd_attic *attic, void *slot, mcd_watch *watch, macadam_error *error)
{
    attic_room *const room = attic ? find_room(attic, slot) : NULL;
    if (!room || !room->is_full) return MACADAM_OK;
    char *array;
    MCD_TRY(MCD_NEW(array, room->bytes, error));
    const macadam_status status = move(attic, room, array, true, watch, error);
    if (status) {
        mcd_free(array);
        return status;
    }
    set_array(slot, array);
    room->is_full = false;
    return MACADAM_OK;
}

void mcd_attic_free(mcd_attic *attic)
{
    if (!attic) return;
    mcd_platform_discard(&attic->file);
    mcd_free(attic);
}
