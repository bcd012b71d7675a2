/* opening_hours.h - when a condition holds: the part of OpenStreetMap's opening_hours that a week can
 * express. */
#ifndef MCD_IMPORTERS_OSM_RULES_OPENING_HOURS_H
#define MCD_IMPORTERS_OSM_RULES_OPENING_HOURS_H

#include "engine/map/week.h"

/* Reads rules such as "Mo-Fr 07:00-09:00,16:00-18:30; Sa 22:00-06:00; Su off" or "24/7": days of the week and times,
 * with "off" and "closed". A rule after ';' replaces those before it on the days that it names, one after ',' adds to
 * them. A slot belongs to a time if it begins within it. A day of the week is also one of out[1], the week of public
 * holidays; "PH" is each day of that one only. School holidays are left out; *holidays names both kinds. A last ";" is
 * allowed. Returns false if the text says anything else: months, dates, weeks of the year, sunset, open ends, words. */
enum { MCD_HOLIDAYS_PUBLIC = 1 /* PH */, MCD_HOLIDAYS_SCHOOL = 2 /* SH */ };
bool mcd_opening_hours_read(mcd_week out[MCD_WEEKS], unsigned *holidays, const char *text, size_t length);

#endif
