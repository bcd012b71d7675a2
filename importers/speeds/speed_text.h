/* speed_text.h - the words of files with speeds: numbers, days and clock times. Each function reads at *at, moves it
 * past what it has read, and returns whether it found that. A leaf. */
#ifndef MCD_IMPORTERS_SPEEDS_SPEED_TEXT_H
#define MCD_IMPORTERS_SPEEDS_SPEED_TEXT_H

#include "importers/speeds/speed_table.h"

bool mcd_speed_take(const char **at, char letter);
/* A whole number. */
bool mcd_speed_take_id(const char **at, int64_t *id);
/* A decimal number from 0 to `most`, in thousandths; more decimals are cut off. */
bool mcd_speed_take_number(const char **at, uint32_t most, uint32_t *number_e3);
/* "Mo-Fr", "Sa", "Mo,We-Fr", "Sa,PH"; nothing: Monday to Sunday. */
bool mcd_speed_take_days(const char **at, uint8_t *days);
/* "07:30", in steps of a day; "24:00" at most. */
bool mcd_speed_take_time(const char **at, uint16_t *step);

/* Makes a time range from a first and an end step of a day: an end that is not later is one of the next day. */
static inline void mcd_speed_range(mcd_speed_row *row, uint16_t first, uint16_t end)
{
    row->first = first;
    row->end = end > first ? end : (uint16_t)(end + MCD_SPEED_DAY_STEPS);
}

#endif
