/* tag_number.h - tag values that are numbers with a unit, whatever the locale. 0 stands for what is none. */
#ifndef MCD_IMPORTERS_OSM_RULES_TAG_NUMBER_H
#define MCD_IMPORTERS_OSM_RULES_TAG_NUMBER_H

/* Digits with an optional decimal point; *end is what follows, `value` itself if there are none. */
double mcd_tag_decimal(const char *value, const char **end);

/* km/h of "50", "50 km/h", "30 mph", "10 knots"; 0 if it is something else. */
double mcd_tag_speed(const char *value);

/* Metres of "3.5", "3.5 m", "350 cm", "12 ft", "12'6\""; 0 if it is something else. */
double mcd_tag_length(const char *value);

/* Tonnes of "7.5", "7.5 t", "7500 kg", "16000 lbs", "8 st"; 0 if it is something else. */
double mcd_tag_mass(const char *value);

/* Seconds of "HH:MM", "HH:MM:SS", "MM" or ISO 8601's "PT1H30M"; 0 if it is something else. */
double mcd_tag_duration(const char *value);

#endif
