/* pattern_set.c - see pattern_set.h. */
#include "engine/map/pattern_set.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"

#include <assert.h>

static uint64_t hash(const uint8_t *pattern, size_t slot_count)
{
    uint64_t sum = 0, word;
    for (size_t i = 0; i + sizeof word <= slot_count; i += sizeof word) { /* weeks are whole words */
        memcpy(&word, pattern + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}
static_assert(MCD_PATTERN_SLOTS % sizeof(uint64_t) == 0, "slots are hashed by words");

/* Returns the bucket of a pattern, or the empty one where it belongs. */
static uint32_t *find(const mcd_pattern_set *set, const uint8_t *pattern)
{
    size_t at = hash(pattern, set->slot_count) & (set->bucket_count - 1);
    while (set->bucket[at] &&
           memcmp(set->value + (set->bucket[at] - 1) * set->slot_count, pattern, set->slot_count) != 0)
        at = (at + 1) & (set->bucket_count - 1);
    return &set->bucket[at];
}

static macadam_status grow(mcd_pattern_set *set, macadam_error *error)
{
    enum { BUCKETS_LEAST = 256 };
    if (2 * set->count < set->bucket_count) return MACADAM_OK;
    const size_t count = set->bucket_count ? 2 * set->bucket_count : BUCKETS_LEAST;
    uint32_t *bucket;
    MCD_TRY(MCD_NEW_ZEROED(bucket, count, error));
    mcd_free(set->bucket);
    set->bucket = bucket, set->bucket_count = count;
    for (uint32_t i = 0; i < set->count; ++i) *find(set, set->value + i * set->slot_count) = i + 1;
    return MACADAM_OK;
}

macadam_status mcd_pattern_set_add(mcd_pattern_set *set, const uint8_t *pattern, uint32_t *number,
                                   macadam_error *error)
{
    MCD_TRY(grow(set, error));
    uint32_t *const bucket = find(set, pattern);
    if (!*bucket) {
        MCD_TRY(MCD_GROW(set->value, set->capacity, (set->count + 1) * set->slot_count, error));
        memcpy(set->value + set->count * set->slot_count, pattern, set->slot_count);
        *bucket = (uint32_t)++set->count;
    }
    *number = *bucket - 1;
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_pattern_set_free, mcd_pattern_set, it->value, it->bucket)
