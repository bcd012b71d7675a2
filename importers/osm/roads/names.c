/* names.c - see names.h. */
#include "importers/osm/roads/names.h"
#include "engine/base/grow.h"
#include "importers/osm/rules/text_hash.h"
#include "engine/base/memory.h"
#include "engine/base/utf8.h"

enum { SLOTS_MIN = 1024 };

/* The slot that holds `name`, or the free one where it belongs. */
static size_t find_slot(const mcd_names *names, const char *name)
{
    size_t slot = mcd_text_hash(name) & (names->slot_count - 1);
    while (names->slot[slot] && strcmp(names->text + names->slot[slot], name) != 0)
        slot = (slot + 1) & (names->slot_count - 1);
    return slot;
}

static macadam_status resize(mcd_names *names, macadam_error *error)
{
    mcd_names resized = *names;
    resized.slot_count = names->slot_count ? 2 * names->slot_count : SLOTS_MIN;
    MCD_TRY(MCD_NEW_ZEROED(resized.slot, resized.slot_count, error));
    for (size_t i = 0; i < names->slot_count; ++i)
        if (names->slot[i]) resized.slot[find_slot(&resized, names->text + names->slot[i])] = names->slot[i];
    mcd_free(names->slot);
    *names = resized;
    return MACADAM_OK;
}

static macadam_status append(mcd_names *names, const char *name, macadam_error *error)
{
    const size_t bytes = strlen(name) + 1;
    if (bytes > UINT32_MAX - names->bytes) return mcd_fail_invalid(error, "more than 4 GiB of road names");
    MCD_TRY(MCD_GROW(names->text, names->text_capacity, names->bytes + bytes, error));
    memcpy(names->text + names->bytes, name, bytes);
    names->bytes += bytes;
    return MACADAM_OK;
}

macadam_status mcd_names_add(mcd_names *names, const char *name, uint32_t *offset, macadam_error *error)
{
    *offset = 0;
    if (names->bytes == 0) MCD_TRY(append(names, "", error));
    if (!*name) return MACADAM_OK;
    if (2 * names->name_count >= names->slot_count) MCD_TRY(resize(names, error));
    const uint32_t added = (uint32_t)names->bytes;
    MCD_TRY(append(names, name, error));
    mcd_utf8_repair(names->text + added); /* the copy: `name` is not ours */
    const size_t slot = find_slot(names, names->text + added);
    if (names->slot[slot]) {
        names->bytes = added; /* the name was there before */
    } else {
        names->slot[slot] = added;
        ++names->name_count;
    }
    *offset = names->slot[slot];
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_names_free, mcd_names, it->text, it->slot)
