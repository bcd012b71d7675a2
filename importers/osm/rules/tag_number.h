/* tag_number.h - tag values that are numbers with a unit, as people spell them, whatever the locale: with a decimal
 * comma, signs of feet and inches, several units, words before and after. 0 stands for what cannot be read.
 * Units: https://wiki.openstreetmap.org/wiki/Map_features/Units */
#ifndef MCD_IMPORTERS_OSM_RULES_TAG_NUMBER_H
#define MCD_IMPORTERS_OSM_RULES_TAG_NUMBER_H

#include <stdbool.h>

/* Digits with an optional decimal point; *end is what follows, `value` itself if there are none. */
double mcd_tag_decimal(const char *value, const char **end);

/* km/h of "50", "50 km/h", "30 mph", "10 knots"; of several values the least. */
double mcd_tag_speed(const char *value);

/* Metres of "3.5", "3,5 m", "350", "350 cm", "12 ft 6 in", "12'6\""; of several values ("3.5;4.2") the least. */
double mcd_tag_length(const char *value);

/* Likewise; of "12-6" also 12 ft 6 in. */
double mcd_tag_height(const char *value);

/* Tonnes of "7.5", "7,5 t", "7500", "7,500 kg", "16000 lbs", "8 st"; of several values the least. */
double mcd_tag_mass(const char *value);

/* Seconds of "HH:MM", "HH:MM:SS", "MM", "1 h 30 min", "1h30" or ISO 8601's "PT1H30M"; of several values the greatest. */
double mcd_tag_duration(const char *value);

/* Whether a text is one length or one mass, and nothing else: "7,5 t", "12 ft 6 in". */
bool mcd_tag_is_measure(const char *value);

/* Of an incline the percent, up or down, of "10", "-10%", "8 ‰", "10°", "1:10", "1 in 10", else the metres of a length or
 * a number ("3+", "S2"); of several values the greatest; below 0: none can be read. */
double mcd_tag_greatest(const char *value, const char *key);

/* Whether a value says that there is no limit, or nothing in numbers: "none", "default", "unsigned", "up", "". */
bool mcd_tag_is_unlimited(const char *value);

#endif
