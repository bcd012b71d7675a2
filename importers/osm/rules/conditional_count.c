/* conditional_count.c - see conditional_count.h. */
#include "importers/osm/rules/conditional_count.h"

#include "importers/osm/rules/opening_hours.h"

/* The kind of a key whose first word, before the first ':', is `length` long. */
static mcd_conditional_kind kind_of(const char *key, size_t length)
{
    static const char *const traveller[] = {
        "access",  "vehicle",   "motor_vehicle", "motorcar", "motorcycle", "moped", "mofa",
        "bicycle", "foot",      "horse",         "hgv",      "goods",      "bus",   "psv",
        "taxi",    "emergency", "wheelchair",    "hov",      "hazmat"};
    if (length == 6 && strncmp(key, "oneway", 6) == 0) return MCD_CONDITIONAL_ONEWAY;
    if (length >= 8 && strncmp(key, "maxspeed", 8) == 0) return MCD_CONDITIONAL_SPEED;
    if (strncmp(key, "max", 3) == 0) return MCD_CONDITIONAL_LIMIT;
    for (size_t i = 0; i < sizeof traveller / sizeof traveller[0]; ++i)
        if (strlen(traveller[i]) == length && strncmp(key, traveller[i], length) == 0)
            return MCD_CONDITIONAL_ACCESS;
    return MCD_CONDITIONAL_OTHER;
}

void mcd_conditional_counts_count(mcd_conditional_counts *conditions, const mcd_tags *tags)
{
    bool any = false;
    for (size_t i = 0; i < tags->count; ++i) {
        const char *const key = tags->tag[i].key, *const colon = strchr(key, ':');
        if (!colon || !strstr(colon, ":conditional")) continue;
        ++conditions->tag_count[kind_of(key, (size_t)(colon - key))];
        any = true;
    }
    conditions->object_count += any;
}

void mcd_conditional_counts_holidays(mcd_conditional_counts *conditions, unsigned holidays)
{
    conditions->holiday_count += holidays != 0;
    conditions->public_count += (holidays & MCD_HOLIDAYS_PUBLIC) != 0;
    conditions->school_count += (holidays & MCD_HOLIDAYS_SCHOOL) != 0;
}

void mcd_conditional_counts_add(mcd_conditional_counts *sum, const mcd_conditional_counts *part)
{
    uint64_t *const to = (uint64_t *)sum;
    const uint64_t *const from = (const uint64_t *)part;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; ++i) to[i] += from[i];
}
