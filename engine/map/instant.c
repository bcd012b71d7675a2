/* instant.c - see instant.h. */
#include "engine/map/instant.h"

#include "engine/map/week.h"

#include <string.h>

enum { DAY_MINUTES = 24 * 60 };

static bool take(const char **at, char c)
{
    if (**at != c) return false;
    ++*at;
    return true;
}

/* Takes a number of exactly `digits` digits. */
static bool take_digits(const char **at, int digits, uint32_t *out)
{
    for (*out = 0; digits > 0; --digits, ++*at) {
        if (**at < '0' || **at > '9') return false;
        *out = 10 * *out + (uint32_t)(**at - '0');
    }
    return true;
}

/* Takes two digits below `end`. */
static bool take_pair(const char **at, uint32_t end, uint32_t *out)
{
    return take_digits(at, 2, out) && *out < end;
}

/* "08:15", "08:15:30" or "08:15:30.25" */
static bool take_clock(const char **at, uint32_t *minute, uint32_t *ms)
{
    uint32_t hour, second, digit;
    *ms = 0;
    if (!take_pair(at, 24, &hour) || !take(at, ':') || !take_pair(at, 60, minute)) return false;
    *minute += 60 * hour;
    if (!take(at, ':')) return true;
    if (!take_pair(at, 60, &second)) return false;
    *ms = 1000 * second;
    if (!take(at, '.')) return true;
    const char *const first = *at;
    for (uint32_t unit = 100; *at < first + 9 && take_digits(at, 1, &digit); unit /= 10) *ms += digit * unit;
    return *at > first;
}

/* "2026-11-30T"; *day: of the week, 7 for a date that the calendar does not have. January 1 of year 1 is a Monday. */
static bool take_date(const char **at, uint32_t *day)
{
    static const uint16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    uint32_t year, month, of_month;
    if (!take_digits(at, 4, &year) || !take(at, '-') || !take_digits(at, 2, &month) || !take(at, '-') ||
        !take_digits(at, 2, &of_month) || !take(at, 'T'))
        return false;
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    *day = 7;
    if (year == 0 || month - 1 >= 12 ||
        of_month - 1 >= before[month] - before[month - 1] + (uint32_t)(is_leap && month == 2))
        return true;
    const uint32_t years = year - 1,
                   leap_days = years / 4 - years / 100 + years / 400 + (is_leap && month > 2);
    *day = (365 * years + leap_days + before[month - 1] + of_month - 1) % 7;
    return true;
}

/* "Z", "+01:00", "+0100", "+01" or nothing; *minutes: local time less UTC, kept if there is no zone. */
static bool take_zone(const char **at, int32_t *minutes)
{
    const char sign = **at;
    uint32_t hour = 0, minute = 0;
    if (!sign) return true;
    ++*at;
    if (sign == '+' || sign == '-') {
        if (!take_pair(at, 24, &hour) || ((take(at, ':') || **at) && !take_pair(at, 60, &minute)))
            return false;
    } else if (sign != 'Z') {
        return false;
    }
    *minutes = (int32_t)(60 * hour + minute) * (sign == '-' ? -1 : 1);
    return true;
}

macadam_status mcd_instant_read(uint32_t *out, const char *text, int32_t utc_minutes, macadam_error *error)
{
    const bool is_holiday = text[0] == 'P' && text[1] == 'H';
    const char *at = is_holiday ? text + 2 : text;
    uint32_t day = (uint32_t)mcd_week_day(at), minute, ms;
    int32_t zone = utc_minutes;
    if (day < 7)
        at += 2;
    else if (is_holiday && at[0] && at[1] && at[2] == ':')
        day = 6;
    const bool has_date = day == 7;
    *out = 0;
    if ((has_date && !take_date(&at, &day)) || !take_clock(&at, &minute, &ms) ||
        (has_date && !take_zone(&at, &zone)) || *at)
        return mcd_fail_invalid(
            error, "the time \"%s\" is not like Mo08:15, Mo08:15:30.250 or 2026-11-30T08:15:00+01:00", text);
    if (day == 7) return mcd_fail_invalid(error, "the time \"%s\" has a date that does not exist", text);
    const int32_t local = (int32_t)(day * DAY_MINUTES + minute) + utc_minutes - zone;
    *out = (uint32_t)((local + 2 * MCD_WEEK_MINUTES) % MCD_WEEK_MINUTES) * MCD_MINUTE_MS + ms +
           (is_holiday ? MCD_WEEK_MS : 0);
    return MACADAM_OK;
}

macadam_status macadam_instant_read(uint32_t *out, const char *text, const char *utc_offset,
                                    macadam_error *error)
{
    const char *at = utc_offset;
    int32_t minutes = 0;
    uint32_t later;
    if (!out) return mcd_fail_invalid(error, "no place for the instant");
    *out = 0;
    if (!text) return mcd_fail_invalid(error, "no text of a time");
    if (at && (!*at || !take_zone(&at, &minutes) || *at))
        return mcd_fail_invalid(error, "the utc_offset \"%s\" is not like +01:00 or Z", utc_offset);
    MCD_TRY(mcd_instant_read(&later, text, minutes + 1, error)); /* another, if the time has a zone */
    MCD_TRY(mcd_instant_read(out, text, minutes, error));
    if (utc_offset || later == *out) return MACADAM_OK;
    *out = 0;
    return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                    "the time \"%s\" has a zone: give the map's utc_offset (--utc-offset), or the local time",
                    text);
}

size_t mcd_instant_slot(const char *text, size_t slot_count)
{
    uint32_t instant;
    if (strlen(text) > strlen("PHMo08:15") || mcd_instant_read(&instant, text, 0, NULL) != MACADAM_OK)
        return 2 * slot_count;
    return instant / (MCD_WEEK_MS / slot_count);
}
