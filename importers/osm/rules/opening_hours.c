/* opening_hours.c - see opening_hours.h. */
#include "importers/osm/rules/opening_hours.h"

#include <string.h>

enum { DAYS = 7, WEEKS_DAYS = DAYS * MCD_WEEKS, ALL_DAYS = (1 << WEEKS_DAYS) - 1, MINUTES_MAX = 48 * 60 };

/* The rest of the text, and the slots that each day's rules have given so far: up to the end of the next
 * day. The days of the week of holidays come last. */
typedef struct hours_reader {
    const char *at, *end;
    bool slot[WEEKS_DAYS][2 * MCD_DAY_SLOTS];
    unsigned holidays;
} hours_reader;

static void skip_spaces(hours_reader *reader)
{
    while (reader->at < reader->end && *reader->at == ' ') ++reader->at;
}

static bool take(hours_reader *reader, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) return false;
    reader->at += length;
    return true;
}

/* ---- days ---- */

static bool take_day(hours_reader *reader, size_t *day)
{
    *day = reader->end - reader->at < 2 ? DAYS : mcd_week_day(reader->at);
    if (*day == DAYS) return false;
    reader->at += 2;
    return true;
}

/* One day, a range of days, or holidays. Returns false if it is none of these. */
static bool take_days(hours_reader *reader, unsigned *days)
{
    size_t first, last;
    const unsigned holidays = take(reader, "PH")   ? MCD_HOLIDAYS_PUBLIC
                              : take(reader, "SH") ? MCD_HOLIDAYS_SCHOOL
                                                   : 0;
    reader->holidays |= holidays;
    if (holidays & MCD_HOLIDAYS_PUBLIC) *days |= ALL_DAYS ^ (ALL_DAYS >> DAYS);
    if (holidays) return true;
    if (!take_day(reader, &first)) return false;
    last = first;
    if (take(reader, "-") && !take_day(reader, &last)) return false;
    for (size_t day = first;; day = (day + 1) % DAYS) {
        *days |= 1u << day | 1u << (day + DAYS);
        if (day == last) return true;
    }
}

/* "Mo-Fr,Su": *days is what they are; *any is false if there are none. A comma that no day follows is left. */
static bool take_day_list(hours_reader *reader, unsigned *days, bool *any)
{
    *any = false;
    *days = 0;
    while (take_days(reader, days)) {
        const char *const behind = reader->at;
        *any = true;
        skip_spaces(reader);
        if (!take(reader, ",")) {
            reader->at = behind;
            return true;
        }
        skip_spaces(reader);
        size_t day;
        hours_reader ahead = {.at = reader->at, .end = reader->end};
        if (!take_day(&ahead, &day) && !take(&ahead, "PH") && !take(&ahead, "SH")) {
            reader->at = behind;
            return true;
        }
    }
    return !*any; /* a comma, or a '-', that leads nowhere */
}

/* ---- times ---- */

static bool take_number(hours_reader *reader, unsigned *out)
{
    const char *const first = reader->at;
    for (*out = 0; reader->at < reader->end && '0' <= *reader->at && *reader->at <= '9'; ++reader->at)
        if (reader->at - first < 2) *out = 10 * *out + (unsigned)(*reader->at - '0');
    return reader->at > first && reader->at - first <= 2;
}

static bool take_time(hours_reader *reader, unsigned *minutes)
{
    unsigned hour, minute;
    if (!take_number(reader, &hour) || !take(reader, ":") || !take_number(reader, &minute)) return false;
    *minutes = 60 * hour + minute;
    return minute < 60 && *minutes <= MINUTES_MAX;
}

typedef struct day_slots {
    bool slot[2 * MCD_DAY_SLOTS];
} day_slots;

/* "22:00-06:00": up to the next day. */
static bool take_range(hours_reader *reader, day_slots *out)
{
    unsigned from, until;
    if (!take_time(reader, &from)) return false;
    skip_spaces(reader);
    if (!take(reader, "-")) return false;
    skip_spaces(reader);
    if (!take_time(reader, &until) || from > 24 * 60) return false;
    if (until <= from) until += 24 * 60;
    for (unsigned minute = 0, slot = 0; slot < 2 * MCD_DAY_SLOTS; ++slot, minute += MCD_SLOT_MINUTES)
        if (from <= minute && minute < until) out->slot[slot] = true;
    return until <= MINUTES_MAX;
}

static bool is_time_next(const hours_reader *reader)
{
    return reader->at < reader->end && '0' <= *reader->at && *reader->at <= '9';
}

/* "07:00-09:00,16:00-18:00". A comma that no time follows is left. */
static bool take_range_list(hours_reader *reader, day_slots *out)
{
    for (;;) {
        if (!take_range(reader, out)) return false;
        const char *const behind = reader->at;
        skip_spaces(reader);
        const bool comma = take(reader, ",");
        skip_spaces(reader);
        if (comma && is_time_next(reader)) continue;
        reader->at = behind;
        return true;
    }
}

/* ---- rules ---- */

/* `adds`: to the rules before it, which it replaces otherwise. */
static void apply(hours_reader *reader, unsigned days, const day_slots *times, bool whole_day, bool off,
                  bool adds)
{
    for (size_t day = 0; day < WEEKS_DAYS; ++day) {
        if (!(days >> day & 1)) continue;
        bool *const slot = reader->slot[day];
        for (size_t i = 0; i < 2 * MCD_DAY_SLOTS; ++i) {
            const bool named = whole_day ? i < MCD_DAY_SLOTS : times->slot[i];
            if (off)
                slot[i] = slot[i] && !named && !(whole_day && i >= MCD_DAY_SLOTS);
            else
                slot[i] = named || (adds && slot[i]);
        }
    }
}

static bool take_rule(hours_reader *reader, bool adds)
{
    unsigned days;
    bool any;
    day_slots times = {{false}};
    const bool always = take(reader, "24/7");
    if (!take_day_list(reader, &days, &any)) return false;
    if (any && take(reader, ":")) any = true;
    skip_spaces(reader);
    const bool timed = is_time_next(reader);
    if (timed && !take_range_list(reader, &times)) return false;
    skip_spaces(reader);
    const bool off = take(reader, "off") || take(reader, "closed");
    if (!off && !take(reader, "open")) (void)take(reader, "on");
    skip_spaces(reader);
    if (!always && !any && !timed) return false;
    apply(reader, any ? days : ALL_DAYS, &times, !timed, off, adds);
    return true;
}

bool mcd_opening_hours_read(mcd_week out[MCD_WEEKS], unsigned *holidays, const char *text, size_t length)
{
    /* the last rule may end as the others do */
    while (length > 0 && strchr("; ", text[length - 1])) --length;
    hours_reader reader = {.at = text, .end = text + length};
    bool adds = true;
    out[0] = out[1] = (mcd_week){{0}};
    do {
        skip_spaces(&reader);
        if (!take_rule(&reader, adds)) return false;
        adds = !take(&reader, ";");
    } while (!adds || take(&reader, ","));
    *holidays |= reader.holidays;
    for (size_t day = 0; day < WEEKS_DAYS; ++day)
        for (size_t i = 0; i < 2 * MCD_DAY_SLOTS; ++i)
            if (reader.slot[day][i])
                mcd_week_add(&out[day / DAYS], (day * MCD_DAY_SLOTS + i) % MCD_WEEK_SLOTS);
    return reader.at == reader.end;
}
