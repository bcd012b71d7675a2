/* tags.h - the tags of an OpenStreetMap object. A leaf. */
#ifndef MCD_TAGS_H
#define MCD_TAGS_H

#include <stddef.h>
#include <string.h>

typedef struct mcd_tag {
    const char *key, *value;
} mcd_tag;

typedef struct mcd_tags {
    const mcd_tag *tag;
    size_t count;
} mcd_tags;

/* The value of `key`, or NULL. */
static inline const char *mcd_tags_get(const mcd_tags *tags, const char *key)
{
    for (size_t i = 0; i < tags->count; ++i)
        if (strcmp(tags->tag[i].key, key) == 0) return tags->tag[i].value;
    return NULL;
}

#endif
