/* week.c - see week.h. */
#include "engine/map/week.h"

#include <string.h>

const char mcd_week_days[7][3] = {"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"};

size_t mcd_week_day(const char *letters)
{
    for (size_t i = 0; i < 7; ++i)
        if (strncmp(letters, mcd_week_days[i], 2) == 0) return i;
    return 7;
}
