/* names.h - road names, each stored once, known by its offset. */
#ifndef MCD_IMPORTERS_OSM_ROADS_NAMES_H
#define MCD_IMPORTERS_OSM_ROADS_NAMES_H

#include "engine/base/status.h"

typedef struct mcd_names {
    char *text; /* NUL-terminated strings, the first one empty */
    size_t bytes, text_capacity;
    uint32_t *slot; /* [slot_count] hash table with linear probing: offset of a name; 0 = free */
    size_t slot_count, name_count;
} mcd_names;

/* Finds or adds `name` and stores its offset. A name that is not UTF-8 is repaired first
 * (engine/base/utf8.h), so that no edge file holds a broken one. `names` begins zeroed; names.text exists
 * after the first call. Returns E_MEMORY, E_INVALID (more than 4 GiB of names). */
macadam_status mcd_names_add(mcd_names *names, const char *name, uint32_t *offset, macadam_error *error);

void mcd_names_free(mcd_names *names);

#endif
