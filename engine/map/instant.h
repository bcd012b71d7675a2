/* instant.h - moments of a week: milliseconds since Monday 00:00, local time. */
#ifndef MCD_ENGINE_MAP_INSTANT_H
#define MCD_ENGINE_MAP_INSTANT_H

#include "engine/base/status.h"

enum {
    MCD_MINUTE_MS = 60 * 1000,
    MCD_WEEK_MINUTES = 7 * 24 * 60,
    MCD_WEEK_MS = MCD_WEEK_MINUTES * MCD_MINUTE_MS,
};

/* Reads a day and a time, "Mo08:15", or a date and a time as ISO 8601 writes them, "2026-11-30T08:15". Seconds may follow,
 * ":30", with up to nine decimals, ":30.25"; what is less than a millisecond does not count. A date may end with a zone: "Z",
 * "+01:00", "+0100" or "+01". Without one it is local time, as are days. "PH" before it makes it a public holiday:
 * "PHMo08:15", or without a day "PH08:15", a Sunday. `utc_minutes`: local time less UTC, by less than a week. *out is below
 * MCD_WEEK_MS, or on holidays a week later. Returns E_INVALID for other texts, and for dates that the calendar does not
 * have. */
macadam_status mcd_instant_read(uint32_t *out, const char *text, int32_t utc_minutes, macadam_error *error);

/* Returns the slot of "Mo08:15" in a week of `slot_count`, or of "PH08:15" in the week after it; 2 * slot_count if it is not
 * a day, an hour and a minute. */
size_t mcd_instant_slot(const char *text, size_t slot_count);

#endif
