/* speed_patterns.c - see speed_patterns.h. */
#include "importers/speeds/speed_patterns.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"

#include <string.h>

/* ---- distinct patterns ---- */

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

void mcd_pattern_set_free(mcd_pattern_set *set)
{
    MCD_FREE_ALL(set->value, set->bucket);
    *set = (mcd_pattern_set){0};
}

/* ---- times ---- */

/* Returns the nearest of the steps down from the fastest, each at least 1 and a share of the one above it. */
static uint8_t coarsen(unsigned speed, unsigned coarseness)
{
    unsigned above = MCD_PATTERN_FASTEST, below = above;
    while (below > speed) {
        above = below;
        const unsigned step = (below << coarseness) / 256;
        below -= step ? step : 1;
    }
    if (below == 0) return 1;
    return (uint8_t)(above - speed < speed - below ? above : below);
}

static uint8_t speed_at(uint64_t time, uint64_t least, unsigned coarseness)
{
    if (time == MCD_TIME_STILL) return 0;
    if (time == least) return MCD_PATTERN_FASTEST;
    const uint64_t speed = (MCD_PATTERN_FASTEST * least + time / 2) / time;
    if (speed == 0) return 1;
    return coarseness ? coarsen((unsigned)speed, coarseness) : (uint8_t)speed;
}

static uint64_t error_ppm(uint8_t speed, uint64_t time, uint64_t least)
{
    if (speed == 0 || least == 0) return 0;
    const double given = (double)least / (double)time, kept = (double)speed / MCD_PATTERN_FASTEST;
    return (uint64_t)(MCD_PPM * (kept > given ? kept - given : given - kept) / given + 0.5);
}

uint64_t mcd_pattern_of_times(uint8_t *pattern, const uint64_t *time, size_t slot_count, unsigned coarseness,
                              mcd_pattern_errors *errors)
{
    uint64_t least = MCD_TIME_STILL, ppm = 0;
    for (size_t i = 0; i < slot_count; ++i)
        if (time[i] < least) least = time[i];
    for (size_t i = 0; i < slot_count; ++i) {
        const bool is_new = i == 0 || time[i] != time[i - 1]; /* speeds change seldom */
        pattern[i] = is_new ? speed_at(time[i], least, coarseness) : pattern[i - 1];
        if (is_new) ppm = error_ppm(pattern[i], time[i], least);
        errors->sum_ppm += ppm;
        if (ppm > errors->worst_ppm) errors->worst_ppm = ppm;
    }
    errors->slots += slot_count;
    return least;
}
