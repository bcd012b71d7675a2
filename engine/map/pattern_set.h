/* pattern_set.h - distinct patterns of speed, or other records of one size, found by their bytes. */
#ifndef MCD_ENGINE_MAP_PATTERN_SET_H
#define MCD_ENGINE_MAP_PATTERN_SET_H

#include "engine/map/pattern.h"

/* Distinct patterns. Begins zeroed, but for slot_count: a multiple of 8. */
typedef struct mcd_pattern_set {
    uint8_t *value; /* [count * slot_count] */
    size_t count, capacity, slot_count;
    uint32_t *bucket; /* [bucket_count] a pattern, plus 1; 0: empty */
    size_t bucket_count;
} mcd_pattern_set;

/* Finds or adds a pattern: *number counts from 0. Returns E_MEMORY. */
macadam_status mcd_pattern_set_add(mcd_pattern_set *set, const uint8_t *pattern, uint32_t *number,
                                   macadam_error *error);
void mcd_pattern_set_free(mcd_pattern_set *set);

#endif
