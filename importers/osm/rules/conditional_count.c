/* conditional_count.c - see conditional_count.h. */
#include "importers/osm/rules/conditional_count.h"

#include "importers/osm/rules/opening_hours.h"
#include "engine/base/letters.h"

/* The kind of a key whose first word, before the first ':', is `length` long. */
static mcd_report_kind kind_of(const char *key, size_t length)
{
    static const char *const traveller[] = {
        "access",  "vehicle",   "motor_vehicle", "motorcar", "motorcycle", "moped", "mofa",
        "bicycle", "foot",      "horse",         "hgv",      "goods",      "bus",   "psv",
        "taxi",    "emergency", "wheelchair",    "hov",      "hazmat"};
    if (length == 6 && strncmp(key, "oneway", 6) == 0) return MCD_REPORT_CONDITIONAL_ONEWAY;
    if (length >= 8 && strncmp(key, "maxspeed", 8) == 0) return MCD_REPORT_CONDITIONAL_SPEED;
    if (strncmp(key, "max", 3) == 0) return MCD_REPORT_CONDITIONAL_LIMIT;
    for (size_t i = 0; i < sizeof traveller / sizeof traveller[0]; ++i)
        if (strlen(traveller[i]) == length && strncmp(key, traveller[i], length) == 0)
            return MCD_REPORT_CONDITIONAL_ACCESS;
    return MCD_REPORT_CONDITIONAL_OTHER;
}

void mcd_conditional_counts_count(mcd_report *report, mcd_report_kind object, const mcd_tags *tags)
{
    bool any = false;
    for (size_t i = 0; i < tags->count; ++i) {
        const char *const key = tags->tag[i].key, *const colon = strchr(key, ':');
        if (!colon || !strstr(colon, ":conditional")) continue;
        mcd_report_count(report, kind_of(key, (size_t)(colon - key)), 1);
        any = true;
    }
    if (any) mcd_report_count(report, object, 1);
}

mcd_report_kind mcd_conditional_counts_kind(const char *text, size_t length)
{
    static const struct {
        mcd_report_kind kind;
        const char *words;
    } row[] = {
        {MCD_REPORT_CONDITIONS_SEASON,
         " jan feb mar apr may jun jul aug sep oct nov dec week easter summer winter "},
        {MCD_REPORT_CONDITIONS_MEASURE, " axles trailer wheels hazmat "},
        {MCD_REPORT_CONDITIONS_SUN, " sunrise sunset dawn dusk "},
        {MCD_REPORT_CONDITIONS_WEATHER, " wet dry snow ice rain fog wind flood "},
        {MCD_REPORT_CONDITIONS_PURPOSE,
         " destination delivery customers residents private permit disabled loading "},
    };
    char word[32] = " ";
    for (size_t i = 0, used = 1; i <= length; ++i) {
        if (i < length && mcd_letter_is(text[i]) && used + 2 < sizeof word) {
            word[used++] = mcd_letter_lower(text[i]);
            continue;
        }
        memcpy(word + used, " ", 2);
        for (size_t k = 0; used > 1 && k < sizeof row / sizeof row[0]; ++k)
            if (strstr(row[k].words, word)) return row[k].kind;
        used = 1;
    }
    if (memchr(text, '<', length) || memchr(text, '>', length)) return MCD_REPORT_CONDITIONS_MEASURE;
    return memchr(text, ':', length) ? MCD_REPORT_CONDITIONS_HOURS : MCD_REPORT_CONDITIONS_ODD;
}

void mcd_conditional_counts_holidays(mcd_report *report, unsigned holidays)
{
    mcd_report_add_if(report, MCD_REPORT_HOLIDAYS, holidays != 0);
    mcd_report_add_if(report, MCD_REPORT_HOLIDAYS_PUBLIC, holidays & MCD_HOLIDAYS_PUBLIC);
    mcd_report_add_if(report, MCD_REPORT_HOLIDAYS_SCHOOL, holidays & MCD_HOLIDAYS_SCHOOL);
}
