/* pattern.h - speed patterns: how fast roads are over the week, in 255ths of the fastest speed. */
#ifndef MCD_ENGINE_MAP_PATTERN_H
#define MCD_ENGINE_MAP_PATTERN_H

#include "engine/base/status.h"
#include "engine/map/week.h"

/* A pattern has a byte for each slot of the week, Monday 00:00 first: slots of 15 minutes or of 5. A second week may follow,
 * of which each day is a public holiday. At least one byte is MCD_PATTERN_FASTEST. Arcs name patterns by their number + 1;
 * 0: the speed never changes. */
enum {
    MCD_PATTERN_FASTEST = 255,
    MCD_PATTERNS_MAX = UINT16_MAX,
    MCD_PATTERN_SLOTS = MCD_WEEK_SLOTS,
    MCD_PATTERN_FINE_SLOTS = 3 * MCD_WEEK_SLOTS,
    MCD_PATTERN_SLOTS_MAX = 2 * MCD_PATTERN_FINE_SLOTS,
};

/* The patterns of a map, one after the other. */
typedef struct mcd_pattern_table {
    const uint8_t *value; /* [count * slot_count] */
    size_t count, slot_count;
} mcd_pattern_table;

/* Returns the slots of one of the weeks of a pattern. */
static inline size_t mcd_pattern_week_slots(size_t slot_count)
{
    return slot_count && slot_count % MCD_PATTERN_FINE_SLOTS == 0 ? MCD_PATTERN_FINE_SLOTS
                                                                  : MCD_PATTERN_SLOTS;
}

static inline bool mcd_pattern_has_slots(uint64_t slot_count)
{
    const size_t week = mcd_pattern_week_slots(slot_count);
    return slot_count == week || slot_count == 2 * week;
}

/* Returns a speed in 255ths of the fastest, rounded; only a standstill becomes 0. `fastest` is not 0. */
static inline uint8_t mcd_pattern_rate(uint64_t speed, uint64_t fastest)
{
    const uint64_t rate = (speed * MCD_PATTERN_FASTEST + fastest / 2) / fastest;
    return (uint8_t)(rate || !speed ? rate : 1);
}

/* Returns E_INVALID if there are more than MCD_PATTERNS_MAX patterns, or if neither a week nor two have
 * that number of slots. */
macadam_status mcd_pattern_check_size(size_t count, size_t slot_count, macadam_error *error);

/* Returns the first pattern that is nowhere MCD_PATTERN_FASTEST, or the count. */
size_t mcd_pattern_find_slow(const mcd_pattern_table *table);

/* Returns the first of `count` arcs that names a pattern which is not in the table, or `count`. */
size_t mcd_pattern_find_unknown(const mcd_pattern_table *table, const uint16_t *arc_pattern, size_t count);

#endif
