/* text_hash.h - hashes of texts, for tables. A leaf. */
#ifndef MCD_IMPORTERS_OSM_RULES_TEXT_HASH_H
#define MCD_IMPORTERS_OSM_RULES_TEXT_HASH_H

#include <stdint.h>

/* FNV-1a. */
static inline uint32_t mcd_text_hash(const char *text)
{
    uint32_t value = 2166136261u;
    while (*text) value = (value ^ (unsigned char)*text++) * 16777619u;
    return value;
}

#endif
