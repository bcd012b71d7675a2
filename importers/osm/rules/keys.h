/* keys.h - the keys of tags that the importer looks up, each known by its place. */
#ifndef MCD_IMPORTERS_OSM_RULES_KEYS_H
#define MCD_IMPORTERS_OSM_RULES_KEYS_H

#include "importers/osm/read/tags.h"

enum {
    MCD_KEYS_MAX = 1024,
    MCD_KEY_SLOTS = 4 * MCD_KEYS_MAX, /* a power of two; sparse, as most keys that come are none of them */
};

typedef uint16_t mcd_key; /* the place of a key; [0] is not a key and has no value */

typedef struct mcd_keys {
    const char *text[MCD_KEYS_MAX];
    uint32_t lists[MCD_KEYS_MAX]; /* bits: what the key is in; the caller's */
    mcd_key slot[MCD_KEY_SLOTS];  /* hash table with linear probing; 0 = free */
    size_t count;                 /* with [0]; 0: none was added yet */
} mcd_keys;

/* The place of a key; 0: it is none of them. */
mcd_key mcd_keys_find(const mcd_keys *keys, const char *text);

/* The place of `text`, which must outlive the keys; 0 if they are full. `keys` begins zeroed. */
mcd_key mcd_keys_add(mcd_keys *keys, const char *text);

/* The value of each key at its place, NULL where the tags do not have it; of several tags of one key the
 * first one counts. [keys->count] are written, and [0]. Returns the lists of all keys that are there. Time: one pass
 * over the tags. */
uint32_t mcd_keys_read(const mcd_keys *keys, const mcd_tags *tags, const char *value[MCD_KEYS_MAX]);

#endif
