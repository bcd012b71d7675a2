/* timestamp.c - see timestamp.h. */
#include "bindings/cli/input/timestamp.h"

#include <stdio.h>
#include <string.h>

enum { BYTES_MAX = 63, MINUTE = 60, HOUR = 3600, DAY = 86400 };

/* Days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that leap days end them. */
static long days_of(int year, int month, int day)
{
    const int moved = month > 2 ? month - 3 : month + 9;
    const long y = year - (month <= 2);
    return y * 365 + y / 4 - y / 100 + y / 400 + (153 * moved + 2) / 5 + day - 1 - 719468;
}

/* Z, +hh:mm or +hhmm; nothing is UTC. */
static bool read_offset(const char *text, long *seconds)
{
    unsigned hours, minutes;
    int end = 0;
    *seconds = 0;
    if (text[0] == '\0' || strcmp(text, "Z") == 0 || strcmp(text, "z") == 0) return true;
    if (text[0] != '+' && text[0] != '-') return false;
    const char *const format = strlen(text) == 5 ? "%2u%2u%n" : "%2u:%2u%n";
    if (sscanf(text + 1, format, &hours, &minutes, &end) != 2 || text[1 + end] || hours > 23 || minutes > 59)
        return false;
    *seconds = (long)(hours * HOUR + minutes * MINUTE) * (text[0] == '-' ? -1 : 1);
    return true;
}

static bool read_fraction(const char **text, double *out)
{
    double unit = 1;
    *out = 0;
    if (**text != '.' && **text != ',') return true;
    const char *digit = *text + 1;
    for (; *digit >= '0' && *digit <= '9'; ++digit) *out += (unit /= 10) * (*digit - '0');
    const bool has_digits = digit > *text + 1;
    *text = digit;
    return has_digits;
}

bool cli_timestamp_read(const char *text, size_t bytes, double *out)
{
    static const char digits[] = "dddd-dd-ddTdd:dd:dd";
    char copy[BYTES_MAX + 1];
    int year, month, day, hour, minute, second;
    double fraction;
    long offset;
    if (bytes < sizeof digits - 1 || bytes > BYTES_MAX) return false;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    if (copy[10] == ' ' || copy[10] == 't') copy[10] = 'T';
    for (size_t i = 0; i < sizeof digits - 1; ++i)
        if (digits[i] == 'd' ? copy[i] < '0' || copy[i] > '9' : copy[i] != digits[i]) return false;
    sscanf(copy, "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute, &second);
    const char *rest = copy + sizeof digits - 1;
    if (month < 1 || month > 12 || day < 1 ||
        days_of(year, month, day) >= days_of(year + month / 12, month % 12 + 1, 1) || hour > 24 ||
        minute > 59 || second > 60 || !read_fraction(&rest, &fraction) || !read_offset(rest, &offset))
        return false;
    *out = (double)(days_of(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second - offset) +
           fraction;
    return true;
}
