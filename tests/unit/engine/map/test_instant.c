/* test_instant.c - texts of times become milliseconds of the week, and these become texts again. */
#include "engine/map/instant.h"
#include "engine/map/week.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HOUR_MS = 60 * MCD_MINUTE_MS, DAY_MS = 24 * HOUR_MS, QUARTER = 8 * HOUR_MS + 15 * MCD_MINUTE_MS };

/* Reads a text that is an instant. */
static uint32_t instant_of(const char *text, int32_t utc_minutes)
{
    uint32_t out;
    macadam_error error;
    cr_assert_eq(mcd_instant_read(&out, text, utc_minutes, &error), MACADAM_OK, "%s", error.message);
    cr_assert_lt(out, 2 * MCD_WEEK_MS, "%s", text);
    return out;
}

Test(instant, texts_are_milliseconds_of_the_week)
{
    static const struct {
        const char *text;
        int32_t utc_minutes;
        uint32_t instant;
    } row[] = {
        {"Mo00:00", 0, 0},
        {"Mo08:15", 0, QUARTER},
        {"Mo08:15", 60, QUARTER}, /* local time already */
        {"Mo08:15:30", 0, QUARTER + 30000},
        {"Mo08:15:30.250", 0, QUARTER + 30250},
        {"Mo08:15:30.25", 0, QUARTER + 30250},
        {"Mo08:15:30.2509", 0, QUARTER + 30250},
        {"Mo08:15:30.999999999", 0, QUARTER + 30999},
        {"Tu08:15", 0, DAY_MS + QUARTER},
        {"Su23:59:59.999", 0, MCD_WEEK_MS - 1},
        {"PH08:15", 60, MCD_WEEK_MS + 6 * DAY_MS + QUARTER}, /* a Sunday */
        {"PHTu08:15:30.25", 0, MCD_WEEK_MS + DAY_MS + QUARTER + 30250},
        {"PH2026-11-30T08:15Z", 60, MCD_WEEK_MS + QUARTER + HOUR_MS},
        {"2026-11-30T08:15", 60, QUARTER},
        {"2026-11-30T08:15:30.250", -300, QUARTER + 30250},
        {"2026-11-30T08:15Z", 0, QUARTER},
        {"2026-11-30T08:15Z", 60, QUARTER + HOUR_MS},
        {"2026-11-30T08:15+01:00", 60, QUARTER},
        {"2026-11-30T08:15+0100", 60, QUARTER},
        {"2026-11-30T08:15+01", 60, QUARTER},
        {"2026-11-30T08:15:00.5+05:30", 60, QUARTER - 4 * HOUR_MS - 30 * MCD_MINUTE_MS + 500},
        {"2026-11-30T08:15-05:00", 60, QUARTER + 6 * HOUR_MS},
        {"2026-11-30T00:15+01:00", 0, MCD_WEEK_MS - 45 * MCD_MINUTE_MS}, /* the week wraps */
        {"2026-11-29T23:30Z", 60, 30 * MCD_MINUTE_MS},
        {"2026-11-29T12:00-23:59", 10079, DAY_MS / 2 - 2 * MCD_MINUTE_MS},
        {"2024-02-29T00:00", 0, 3 * DAY_MS},
        {"2000-02-29T00:00", 0, DAY_MS},
        {"1970-01-01T00:00", 0, 3 * DAY_MS},
        {"0001-01-01T00:00", 0, 0},
        {"9999-12-31T23:59:59.999", 0, 5 * DAY_MS - 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i)
        cr_expect_eq(instant_of(row[i].text, row[i].utc_minutes), row[i].instant, "%s: %u, not %u",
                     row[i].text, instant_of(row[i].text, row[i].utc_minutes), row[i].instant);
}

Test(instant, other_texts_are_named)
{
    static const char *const text[] = {
        "",
        "Mo",
        "08:15",
        "Mi08:15",
        "mo08:15",
        "Mo8:15",
        "Mo08",
        "Mo08:1",
        "Mo08:60",
        "Mo24:00",
        "Mo08:15:",
        "Mo08:15:60",
        "Mo08:15:3",
        "Mo08:15:30.",
        "Mo08:15:30,5",
        "Mo08:15:30.1234567890",
        "Mo08:15.5",
        "Mo08:15 ",
        " Mo08:15",
        "Mo 08:15",
        "Mo08:15Z",
        "Mo08:15+01:00",
        "2026-11-30",
        "2026-11-30T",
        "2026-11-30T08",
        "2026-11-30 08:15",
        "2026-11-30t08:15",
        "26-11-30T08:15",
        "2026-1-30T08:15",
        "2026-11-30T08:15z",
        "2026-11-30T08:15ZZ",
        "2026-11-30T08:15+",
        "2026-11-30T08:15+1",
        "2026-11-30T08:15+01:",
        "2026-11-30T08:15+01:0",
        "2026-11-30T08:15+01:60",
        "2026-11-30T08:15+24:00",
        "2026-11-30T08:15+01:00:00",
        "20261130T0815",
        "+2026-11-30T08:15",
        "-026-11-30T08:15",
        "1764486900",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i) {
        uint32_t out = 1;
        macadam_error error;
        char named[64];
        snprintf(named, sizeof named, "\"%s\" is not like", text[i]);
        cr_expect_eq(mcd_instant_read(&out, text[i], 0, &error), MACADAM_E_INVALID, "%s", text[i]);
        cr_expect(strstr(error.message, named) && out == 0, "%s: %s", text[i], error.message);
    }
}

Test(instant, dates_are_those_of_the_calendar)
{
    static const char *const text[] = {"2026-02-29T08:15",  "2026-00-01T08:15", "2026-13-01T08:15",
                                       "2026-01-00T08:15",  "2026-01-32T08:15", "2026-04-31T08:15",
                                       "1900-02-29T08:15",  "2100-02-29T08:15", "2024-02-30T08:15",
                                       "0000-01-01T08:15Z", "2026-99-99T08:15"};
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i) {
        uint32_t out;
        macadam_error error;
        cr_expect_eq(mcd_instant_read(&out, text[i], 0, &error), MACADAM_E_INVALID, "%s", text[i]);
        cr_expect(strstr(error.message, text[i]) && strstr(error.message, "does not exist"), "%s",
                  error.message);
    }
}

/* Every quarter of an hour of 2000 to 2100 that `step` meets, against the C library's calendar. */
Test(instant, days_are_those_of_the_c_library)
{
    const time_t step = 86400 * 3 + 15 * 60, end = 4102444800;
    for (time_t at = 946684800; at < end; at += step) {
        struct tm date;
        char text[32];
        gmtime_r(&at, &date);
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
        const uint32_t day = (uint32_t)(date.tm_wday + 6) % 7;
        const uint32_t right = day * DAY_MS + (uint32_t)(at % 86400) * 1000;
        cr_assert_eq(instant_of(text, 0), right, "%s", text);
    }
}

/* The shortest text that means the instant, which is below MCD_WEEK_MS. */
static void write_instant(char out[sizeof "Mo08:15:30.250"], uint32_t instant)
{
    const uint32_t ms = instant % MCD_MINUTE_MS, minute = instant / MCD_MINUTE_MS;
    int bytes = sprintf(out, "%s%02u:%02u", mcd_week_days[minute / 60 / 24], minute / 60 % 24, minute % 60);
    if (ms) bytes += sprintf(out + bytes, ":%02u", ms / 1000);
    if (ms % 1000) sprintf(out + bytes, ".%03u", ms % 1000);
}

Test(instant, what_is_written_reads_as_the_same)
{
    static const char *const shortest[] = {"Mo00:00", "Mo08:15", "We08:15:30", "Su23:59:59.999",
                                           "Sa00:00:00.250"};
    char text[sizeof "Mo08:15:30.250"];
    for (size_t i = 0; i < sizeof shortest / sizeof *shortest; ++i) {
        write_instant(text, instant_of(shortest[i], 0));
        cr_expect_str_eq(text, shortest[i]);
    }
    for (uint32_t instant = 0; instant < MCD_WEEK_MS;
         instant += 997) { /* a prime: all seconds and milliseconds */
        write_instant(text, instant);
        cr_assert_eq(instant_of(text, 777), instant, "%s", text);
    }
}

Test(instant, slots_are_days_and_quarters_of_hours)
{
    cr_expect_eq(mcd_instant_slot("Mo00:00", MCD_WEEK_SLOTS), 0);
    cr_expect_eq(mcd_instant_slot("Mo08:29", MCD_WEEK_SLOTS), 33);
    cr_expect_eq(mcd_instant_slot("Su23:59", MCD_WEEK_SLOTS), MCD_WEEK_SLOTS - 1);
    cr_expect_eq(mcd_instant_slot("Mo08:29", 3 * MCD_WEEK_SLOTS), 101);
    cr_expect_eq(mcd_instant_slot("PHMo08:29", MCD_WEEK_SLOTS), MCD_WEEK_SLOTS + 33);
    cr_expect_eq(mcd_instant_slot("PH23:59", 3 * MCD_WEEK_SLOTS), 6 * MCD_WEEK_SLOTS - 1);
    static const char *const other[] = {"",        "Mo8:155", "Mo08:15:30", "2026-11-30T08:15",
                                        "Mo24:00", "PH",      "PH8:15",     "PH08:15:30"};
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i)
        cr_expect_eq(mcd_instant_slot(other[i], MCD_WEEK_SLOTS), 2 * MCD_WEEK_SLOTS, "%s", other[i]);
}

Test(instant, users_give_local_times)
{
    static const char *const zoned[] = {"2026-11-30T08:15Z", "2026-11-30T08:15+00:00", "2026-11-30T08:15+01"};
    uint32_t out;
    macadam_error error;
    cr_assert_eq(macadam_instant_read(&out, "Mo08:15:30.250", NULL, &error), MACADAM_OK);
    cr_expect_eq(out, QUARTER + 30250);
    cr_assert_eq(macadam_instant_read(&out, "2026-11-30T08:15", NULL, &error), MACADAM_OK);
    cr_expect_eq(out, QUARTER);
    for (size_t i = 0; i < sizeof zoned / sizeof *zoned; ++i) {
        cr_expect_eq(macadam_instant_read(&out, zoned[i], NULL, &error), MACADAM_E_UNSUPPORTED);
        cr_expect(out == 0 && strstr(error.message, zoned[i]) && strstr(error.message, "utc_offset"), "%s",
                  error.message);
    }
    cr_expect_eq(macadam_instant_read(&out, "8:15", NULL, &error), MACADAM_E_INVALID);
    cr_expect_eq(macadam_instant_read(&out, NULL, NULL, NULL), MACADAM_E_INVALID);
}

Test(instant, an_offset_makes_zones_local_times)
{
    static const struct {
        const char *text, *utc_offset;
        uint32_t instant;
    } row[] = {
        {"2026-11-30T08:15:00+01:00", "+01:00", QUARTER},
        {"2026-11-30T07:15Z", "+01:00", QUARTER},
        {"2026-11-30T07:15Z", "+0100", QUARTER},
        {"2026-11-30T13:45:30+05:30", "Z", QUARTER + 30000},
        {"2026-11-30T01:00Z", "-05:00", MCD_WEEK_MS - 4 * HOUR_MS}, /* Sunday there */
        {"2026-11-29T23:30-00:30", "+14", 14 * HOUR_MS},
        {"2026-11-30T08:15", "+01:00", QUARTER}, /* local times stay */
        {"Mo08:15", "-12:00", QUARTER},
    };
    static const char *const wrong[] = {"",       "1",       "01:00", "+1",  "+24:00",
                                        "+01:60", "+01:00 ", "ZZ",    "UTC", "+01:00:00"};
    uint32_t out;
    macadam_error error;
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        cr_assert_eq(macadam_instant_read(&out, row[i].text, row[i].utc_offset, &error), MACADAM_OK);
        cr_expect_eq(out, row[i].instant, "%s at %s: %u", row[i].text, row[i].utc_offset, out);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char named[64];
        snprintf(named, sizeof named, "the utc_offset \"%s\" is not like", wrong[i]);
        cr_expect_eq(macadam_instant_read(&out, "Mo08:15", wrong[i], &error), MACADAM_E_INVALID);
        cr_expect(out == 0 && strstr(error.message, named), "%s", error.message);
    }
}
