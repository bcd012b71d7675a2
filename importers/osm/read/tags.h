/* tags.h - the tags of an OpenStreetMap object. A leaf. */
#ifndef MCD_IMPORTERS_OSM_READ_TAGS_H
#define MCD_IMPORTERS_OSM_READ_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct mcd_tag {
    const char *key, *value;
} mcd_tag;

typedef struct mcd_tags {
    const mcd_tag *tag;
    size_t count;
    /* bits of initials (below) that no key has: most keys that are looked up are not there */
    uint64_t absent;
} mcd_tags;

/* The bit of a key's first two letters. */
static inline uint64_t mcd_initials(char first, char second)
{
    return UINT64_C(1) << ((first + 5 * second) & 63);
}

static inline uint64_t mcd_key_initials(const char *key)
{
    return mcd_initials(*key, *key ? key[1] : '\0');
}

/* The value of `key`, or NULL. */
static inline const char *mcd_tags_get(const mcd_tags *tags, const char *key)
{
    if (tags->absent & mcd_key_initials(key)) return NULL;
    for (size_t i = 0; i < tags->count; ++i)
        if (*tags->tag[i].key == *key && strcmp(tags->tag[i].key, key) == 0) return tags->tag[i].value;
    return NULL;
}

/* Whether `key` has this value. */
static inline bool mcd_tags_has(const mcd_tags *tags, const char *key, const char *value)
{
    const char *const found = mcd_tags_get(tags, key);
    return found && strcmp(found, value) == 0;
}

/* Whether a value, which may be NULL, is one of the words of a list: "a|b|c". */
static inline bool mcd_tag_is_one_of(const char *value, const char *list)
{
    const size_t length = value ? strlen(value) : 0;
    for (const char *at = list; length && (at = strstr(at, value)); at += length)
        if ((at == list || at[-1] == '|') && (!at[length] || at[length] == '|')) return true;
    return false;
}

/* The value of the key "FIRST:SECOND" or, unless `third` is NULL, "FIRST:SECOND:THIRD". FIRST is not empty. */
static inline const char *mcd_tags_get_joined(const mcd_tags *tags, const char *first, const char *second,
                                              const char *third)
{
    if (tags->absent & mcd_initials(*first, first[1] ? first[1] : ':')) return NULL;
    const size_t first_length = strlen(first), second_length = strlen(second);
    for (size_t i = 0; i < tags->count; ++i) {
        const char *at = tags->tag[i].key;
        if (*at != *first || strncmp(at, first, first_length) != 0 || at[first_length] != ':') continue;
        at += first_length + 1;
        if (strncmp(at, second, second_length) != 0) continue;
        at += second_length;
        const bool found = third ? *at == ':' && strcmp(at + 1, third) == 0 : *at == '\0';
        if (found) return tags->tag[i].value;
    }
    return NULL;
}

#endif
