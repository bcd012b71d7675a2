/* tag_number.c - see tag_number.h. */
#include "importers/osm/rules/tag_number.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

double mcd_tag_decimal(const char *value, const char **end)
{
    const char *at = value;
    double number = 0, place = 1;
    while (*at >= '0' && *at <= '9') number = number * 10 + (*at++ - '0');
    if (*at == '.')
        for (++at; *at >= '0' && *at <= '9'; ++at) number += (*at - '0') * (place /= 10);
    *end = at;
    return number;
}

typedef struct unit {
    const char *name; /* "" is the first one's */
    double factor;
} unit;

/* Whether the text is the name, in letters of any case and with or without blanks after it. */
static bool is_unit(const char *text, const char *name)
{
    const size_t length = strlen(name);
    return strncasecmp(text, name, length) == 0 && text[length + strspn(text + length, " ")] == '\0';
}

/* A number and one of the units, with blanks around them or not; the last unit's name is NULL. */
static double parse_with_unit(const char *value, const unit *units)
{
    const char *end;
    value += strspn(value, " ");
    const double number = mcd_tag_decimal(value, &end);
    if (end == value) return 0;
    while (*end == ' ') ++end;
    for (; units->name; ++units)
        if (is_unit(end, units->name)) return number * units->factor;
    return 0;
}

double mcd_tag_speed(const char *value)
{
    static const unit units[] = {
        {"", 1},           {"km/h", 1},        {"kmh", 1},       {"kph", 1},    {"kmph", 1},
        {"mph", 1.609344}, {"mp/h", 1.609344}, {"knots", 1.852}, {"kn", 1.852}, {NULL, 0},
    };
    return parse_with_unit(value, units);
}

/* Metres of "12'6\"" or "12'"; 0 if it is something else. */
static double parse_feet(const char *value)
{
    const char *end;
    const double feet = mcd_tag_decimal(value, &end);
    if (end == value || *end != '\'') return 0;
    const char *const behind = end + 1 + strspn(end + 1, " ");
    const double inches = mcd_tag_decimal(behind, &end);
    if (*behind && (end == behind || strcmp(end, "\"") != 0)) return 0;
    return (feet * 12 + inches) * 0.0254;
}

double mcd_tag_length(const char *value)
{
    static const unit units[] = {{"", 1}, {"m", 1}, {"cm", 0.01}, {"ft", 0.3048}, {NULL, 0}};
    const double metres = parse_with_unit(value, units);
    return metres > 0 ? metres : parse_feet(value);
}

double mcd_tag_mass(const char *value)
{
    static const unit units[] = {
        {"", 1}, {"t", 1}, {"kg", 0.001}, {"lbs", 0.00045359237}, {"st", 0.90718474}, {NULL, 0},
    };
    return parse_with_unit(value, units);
}

/* ---- duration ---- */

/* Up to four digits; *end is what follows, `at` itself if there are none. */
static unsigned parse_digits(const char *at, const char **end)
{
    const char *const first = at;
    unsigned number = 0;
    while (*at >= '0' && *at <= '9' && at - first < 4) number = number * 10 + (unsigned)(*at++ - '0');
    *end = at;
    return number;
}

/* Reads the text after the 'P' of ISO 8601: weeks and days, then after a 'T' hours, minutes and seconds, each
 * at most once and in this order. 0 if it is something else. */
static double parse_iso_period(const char *at)
{
    static const char letter[] = "WDTHMS";
    static const double seconds_of[] = {604800, 86400, 0, 3600, 60, 1};
    enum { TIME = 2 };
    double seconds = 0;
    for (size_t next = 0; *at;) {
        if (*at == 'T' && next <= TIME && at[1]) {
            next = TIME + 1;
            ++at;
            continue;
        }
        const char *end;
        const double number = mcd_tag_decimal(at, &end);
        const size_t last = next <= TIME ? TIME : sizeof letter - 1;
        while (next < last && letter[next] != *end) ++next;
        if (end == at || next == last) return 0;
        seconds += number * seconds_of[next++];
        at = end + 1;
    }
    return seconds;
}

double mcd_tag_duration(const char *value)
{
    if (*value == 'P') return parse_iso_period(value + 1);
    unsigned part[3] = {0};
    size_t count = 0;
    for (;; ++value) {
        const char *end;
        part[count++] = parse_digits(value, &end);
        if (end == value) return 0;
        value = end;
        if (*value != ':' || count == 3) break;
    }
    if (*value) return 0;
    return count == 1 ? part[0] * 60.0 : part[0] * 3600.0 + part[1] * 60.0 + part[2];
}
