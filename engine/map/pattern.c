/* pattern.c - see pattern.h. */
#include "engine/map/pattern.h"

#include <string.h>

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
