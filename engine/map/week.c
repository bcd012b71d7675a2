/* week.c - see week.h. */
#include "engine/map/week.h"

#include <string.h>

size_t mcd_week_day(const char *letters)
{
    static const char day[7][3] = {"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"};
    for (size_t i = 0; i < 7; ++i)
        if (strncmp(letters, day[i], 2) == 0) return i;
    return 7;
}

static bool is_digit(char c)
{
    return '0' <= c && c <= '9';
}

size_t mcd_week_slot(const char *text)
{
    if (strlen(text) != 7) return MCD_WEEK_SLOTS;
    const size_t day = mcd_week_day(text);
    const char *const time = text + 2;
    if (day == 7 || !is_digit(time[0]) || !is_digit(time[1]) || time[2] != ':' || !is_digit(time[3]) ||
        !is_digit(time[4]))
        return MCD_WEEK_SLOTS;
    const size_t hour = (size_t)(10 * (time[0] - '0') + time[1] - '0');
    const size_t minute = (size_t)(10 * (time[3] - '0') + time[4] - '0');
    if (hour > 23 || minute > 59) return MCD_WEEK_SLOTS;
    return day * MCD_DAY_SLOTS + (60 * hour + minute) / MCD_SLOT_MINUTES;
}
