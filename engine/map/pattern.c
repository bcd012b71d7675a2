/* pattern.c - see pattern.h. */
#include "engine/map/pattern.h"

#include <string.h>

macadam_status mcd_pattern_check_size(size_t count, size_t slot_count, macadam_error *error)
{
    if (count <= MCD_PATTERNS_MAX && mcd_pattern_has_slots(slot_count)) return MACADAM_OK;
    return mcd_fail_invalid(
        error,
        "%zu patterns of %zu slots: the limit is %d, and a week has %d slots or %d, or with "
        "holidays twice as many",
        count, slot_count, MCD_PATTERNS_MAX, MCD_PATTERN_SLOTS, MCD_PATTERN_FINE_SLOTS);
}

size_t mcd_pattern_find_slow(const mcd_pattern_table *table)
{
    size_t pattern = 0;
    while (pattern < table->count &&
           memchr(table->value + pattern * table->slot_count, MCD_PATTERN_FASTEST, table->slot_count))
        ++pattern;
    return pattern;
}

size_t mcd_pattern_find_unknown(const mcd_pattern_table *table, const uint16_t *arc_pattern, size_t count)
{
    size_t arc = 0;
    while (arc < count && arc_pattern[arc] <= table->count) ++arc;
    return arc;
}
