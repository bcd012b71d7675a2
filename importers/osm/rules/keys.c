/* keys.c - see keys.h. */
#include "importers/osm/rules/keys.h"
#include "importers/osm/rules/text_hash.h"

/* The slot that holds `text`, or the free one where it belongs. */
static size_t find_slot(const mcd_keys *keys, const char *text)
{
    const uint32_t hash = mcd_text_hash(text);
    size_t slot = (hash ^ hash >> 16) % MCD_KEY_SLOTS;
    while (keys->slot[slot] && strcmp(keys->text[keys->slot[slot]], text) != 0)
        slot = (slot + 1) % MCD_KEY_SLOTS;
    return slot;
}

mcd_key mcd_keys_find(const mcd_keys *keys, const char *text)
{
    return keys->slot[find_slot(keys, text)];
}

mcd_key mcd_keys_add(mcd_keys *keys, const char *text)
{
    if (keys->count == 0) ++keys->count;
    const size_t slot = find_slot(keys, text);
    if (!keys->slot[slot] && keys->count < MCD_KEYS_MAX) {
        keys->slot[slot] = (mcd_key)keys->count;
        keys->text[keys->count++] = text;
    }
    return keys->slot[slot];
}

uint32_t mcd_keys_read(const mcd_keys *keys, const mcd_tags *tags, const char *value[MCD_KEYS_MAX])
{
    uint32_t lists = 0;
    value[0] = NULL;
    for (size_t key = 1; key < keys->count; ++key) value[key] = NULL;
    for (size_t i = 0; i < tags->count; ++i) {
        const mcd_key key = mcd_keys_find(keys, tags->tag[i].key);
        if (key && !value[key]) value[key] = tags->tag[i].value;
        lists |= keys->lists[key];
    }
    return lists;
}
