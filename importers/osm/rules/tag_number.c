/* tag_number.c - see tag_number.h. */
#include "importers/osm/rules/tag_number.h"

#include "engine/base/letters.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 64 };

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

static bool is_letter(char letter)
{
    return mcd_letter_is(letter) || (unsigned char)letter >= 0x80;
}

static bool is_number(const char *at)
{
    return isdigit((unsigned char)at[*at == '.']);
}

/* Copies a value, with a point for a decimal comma, a bracket for words that begin a remark after a number, and ASCII for
 * the signs that people write in its place; "" if it is longer than any value that we know. */
static void copy_plain(char text[TEXT_BYTES], const char *value)
{
    static const char *const sign[][2] = {
        {"′", "'"},      {"’", "'"},      {"‘", "'"},       {"´", "'"},        {"″", "\""},
        {"”", "\""},     {"“", "\""},     {"–", "-"},       {"—", "-"},        {"−", "-"},
        {"º", "°"},      {"½", ".5"},     {"¼", ".25"},     {"¾", ".75"},      {"·", "."},
        {"≤", "<"},      {"\u00a0", " "}, {"\u202f", " "},  {"\u2009", " "},   {" 1/2", ".5"},
        {" 1/4", ".25"}, {" 3/4", ".75"}, {"1/2 h", ".5h"}, {"3/4 h", ".75h"}, {"1/2 i", ".5i"},
        {"_", " "},      {"-f", " f"},    {" to ", " ("},   {" or ", " ("},    {" oder ", " ("},
        {" ou ", " ("},  {" bis ", " ("}, {" at ", " ("},   {" max", " ("},    {" in the ", " ("},
    };
    enum { SIGNS = sizeof sign / sizeof sign[0] };
    const char *const point = strchr(value, '.');
    const bool comma = !point || !isdigit((unsigned char)point[1]);
    size_t used = 0;
    while (*value && used + 4 < TEXT_BYTES) {
        size_t i =
            used && !isdigit((unsigned char)text[used - 1]) && (unsigned char)*value < 0x80 ? SIGNS : 0;
        while (i < SIGNS && strncmp(value, sign[i][0], strlen(sign[i][0])) != 0) ++i;
        const char letter[] = {comma && *value == ',' && isdigit((unsigned char)value[1]) ? '.' : *value,
                               '\0'};
        strcpy(text + used, i < SIGNS ? sign[i][1] : letter);
        used += strlen(text + used);
        value += i < SIGNS ? strlen(sign[i][0]) : 1;
    }
    text[*value ? 0 : used] = '\0';
}

/* ---- units ---- */

typedef enum quantity { SPEED, LENGTH, MASS, SLOPE, DURATION, NO_LIMIT } quantity;

typedef struct unit {
    quantity quantity;
    const char *names; /* '|' separates them; "" is that of a number without a unit */
    double factor;     /* 0: degrees, of which the tangent counts */
    double rest;       /* the factor of a number without a unit that follows, as in 12'6 */
    double from;       /* the least number of this unit: 350 is not a height in metres */
} unit;

/* Those with "" are the last ones of their quantity. Tons without an adjective are short, as on signs of the United
 * States; "dt" is in ISO 8601's P1DT2H. */
static const unit units[] = {
    {SPEED, "km/h|kmh|kph|kmph|km/hr|km/u|km|км/ч|", 1, 0, 0},
    {SPEED, "mph|mp/h|mi/h|miles per hour|mi", 1.609344, 0, 0},
    {SPEED, "knots|knot|kn|kt|kts", 1.852, 0, 0},
    {LENGTH, "dm|decimeter|decimetre", 0.1, 0, 0},
    {LENGTH, "cm|centimeter|centimeters|centimetre|centimetres|см", 0.01, 0, 0},
    {LENGTH, "mm|millimeter|millimeters|millimetre|millimetres|мм", 0.001, 0, 0},
    {LENGTH, "in|ins|inch|inches|\"|''", 0.0254, 0, 0},
    {LENGTH, "ft|feet|foot|'", 0.3048, 0.0254, 0},
    {LENGTH, "yd|yds|yard|yards", 0.9144, 0.3048, 0},
    {LENGTH, "", 0.001, 0, 1000},
    {LENGTH, "", 0.01, 0, 100},
    {LENGTH, "m|meter|meters|metre|metres|mètres|métres|metrów|metri|metros|mt|mts|mtr|м|", 1, 0.01, 0},
    {MASS, "st|short ton|short tons|tons|us ton|us tons", 0.90718474, 0, 0},
    {MASS, "lt|long ton|long tons", 1.0160469088, 0, 0},
    {MASS, "kg|kgs|kilo|kilos|kilogram|kilograms|кг", 0.001, 0, 0},
    {MASS, "k lbs|k lb|klbs|klb|kips|kip", 0.45359237, 0, 0},
    {MASS, "lbs|lb|pound|pounds|#", 0.00045359237, 0, 0},
    {MASS, "cwt", 0.05080234544, 0, 0},
    {MASS, "kn", 0.10197162, 0, 0},
    {MASS, "", 0.001, 0, 500},
    {MASS, "t/axle|t/achse|tn|tm|tonn|tonneau|tonneaux|тонна|тонны|тонн", 1, 0, 0},
    {MASS, "t|to|ton|tonne|tonnes|tonnen|tonnellate|toneladas|mt|metric ton|metric tons|т|", 1, 0, 0},
    {SLOPE, "°|deg|degree|degrees|grad", 0, 0, 0},
    {SLOPE, "%%|%|percent|pct|prozent|up|down|", 1, 0, 0},
    {SLOPE, "‰|promille", 0.1, 0, 0},
    {DURATION, "w|week|weeks", 604800, 86400, 0},
    {DURATION, "d|dt|day|days|tag|tage|dia|dias|día|días|jour|jours", 86400, 3600, 0},
    {DURATION, "h|hr|hrs|hour|hours|std|stunde|stunden|ora|ore|heure|heures|uur|ч", 3600, 60, 0},
    {DURATION, "hora|horas|timme|timmar|час|часа|часов", 3600, 60, 0},
    {DURATION, "s|sec|secs|second|seconds|\"", 1, 0, 0},
    {DURATION, "min|mins|minute|minutes|minuten|minuti|minut|minuter|minutos|mn|m|'|мин|минут|", 60, 1, 0},
    {NO_LIMIT, "none|default|unsigned|no_sign|nosign|no_indications|no_indication|", 0, 0, 0},
    {NO_LIMIT, "unlimited|unrestricted|no_limit|no limit|n/a|no|up|down|up/down", 0, 0, 0},
};
enum { UNITS = sizeof units / sizeof units[0] };

/* Returns the unit that the text begins with, and what follows it; NULL: it is none of them. */
static const unit *find_unit(quantity of, const char *text, double number, const char **end)
{
    for (const unit *at = units; at < units + UNITS; ++at) {
        if (at->quantity != of || number < at->from) continue;
        for (const char *name = at->names, *next;; name = next + 1) {
            next = name + strcspn(name, "|");
            *end = text + (next - name);
            const bool same = (*text || next == name) && mcd_letters_match(text, name, (size_t)(next - name));
            if (same && !is_letter(**end)) return at;
            if (!*next) break;
        }
    }
    return NULL;
}

/* Reads the percent of "1:5", "1/5" or "1 in 5"; 0: it is none of these. */
static double read_gradient(const char **at)
{
    unsigned rise = 0, run = 0;
    char sign[3] = "";
    int end = 0;
    sscanf(*at, "%3u %2[:/INin] %3u%n", &rise, sign, &run, &end);
    if (run == 0 || (*sign == '/' && (run <= rise || (*at)[end + strspn(*at + end, " ")] == '%'))) return 0;
    *at += end + strspn(*at + end, ".0123456789");
    return 100.0 * rise / run;
}

/* Reads the seconds of "HH:MM" or "HH:MM:SS"; 0: it is neither. */
static double read_clock(const char **at)
{
    unsigned hours, minutes, seconds = 0;
    int end = 0;
    const size_t clock = strspn(*at, "0123456789:");
    const int count = sscanf(*at, "%4u:%4u%n:%4u%n", &hours, &minutes, &end, &seconds, &end);
    *at += clock + strspn(*at + clock, " ");
    return count >= 2 && (size_t)end == clock && **at != 'm' ? hours * 3600.0 + minutes * 60.0 + seconds : 0;
}

/* Reads one value, such as "12 ft 6 in"; 0 if its unit is unknown. A point, a comma, a blank or an apostrophe before three
 * digits sets thousands of small units apart. */
static double read_value(quantity of, const char **at)
{
    const char *end, *behind;
    double sum = of == SLOPE ? read_gradient(at) : 0, rest = 0, most = INFINITY;
    if (of == DURATION && (*at)[strspn(*at, "0123456789")] == ':') return read_clock(at);
    for (const char *next = *at; is_number(next);) { /* not after a gradient */
        double number = mcd_tag_decimal(next, &end);
        const char *const point = memchr(next, '.', (size_t)(end - next));
        const bool thousands = point && end - point == 4;
        if (!point && (*end == ' ' || *end == '\'') && strspn(end + 1, "0123456789") == 3)
            number = number * 1000 + mcd_tag_decimal(end + 1, &end);
        end += strspn(end, " ");
        if (rest == 0 && mcd_letters_match(end, "in ", 3) && is_letter(end[3])) break; /* of a remark */
        const unit *const found = find_unit(of, end, number, &behind);
        const double factor = !found ? INFINITY : behind == end && rest > 0 ? rest : found->factor;
        const double measure = factor == 0 ? 100 * tan(fmin(number, 89) * 0.017453292519943295)
                                           : number * factor * (thousands && factor <= 0.001 ? 1000 : 1);
        if (!found || measure >= most) break; /* it is another value */
        sum += measure;
        most = found->factor;
        rest = behind == end ? 0 : found->rest;
        *at = behind + (behind > end && *behind == '.');
        if (rest == 0) break;
        next = *at + strspn(*at, " -,&_");
        if (strncmp(next, "and ", 4) == 0) next += 4;
    }
    return sum;
}

#define SEPARATORS ";/|-,&"

/* Returns the least of the values that a text names, or the greatest; 0 if one cannot be read. */
static double read_values(quantity of, const char *value, bool greatest)
{
    char text[TEXT_BYTES];
    const char *at, *end;
    double found = mcd_tag_decimal(value, &at);
    if (at > value && !*at && found < 100 && of != DURATION) return found; /* most are so */
    copy_plain(text, value);
    at = text + strspn(text, " ");
    found = 0;
    if (*at == '-' && of != SLOPE) return 0;
    for (;;) {
        const char *const item = at += strspn(at, SEPARATORS " ");
        while (*at && *at != ';' && *at != '|' && !is_number(at)) ++at;
        if (at == item && !*at) return found;
        if (at > item && find_unit(NO_LIMIT, item, 0, &end) && end == at) continue;
        const double measure = read_value(of, &at);
        at += strspn(at, " +");
        const bool remark = *at == '(' || *at == ')' || is_letter(*at);
        if (measure == 0 || (*at && !remark && !strchr(SEPARATORS, *at) && !isdigit((unsigned char)*at)))
            return 0;
        if (found == 0 || (measure < found) != greatest) found = measure;
        if (remark) at += strcspn(at, of == SPEED ? "" : ";|0123456789");
    }
}

/* ---- quantities ---- */

double mcd_tag_speed(const char *value)
{
    return is_number(value + strspn(value, " <>=~")) ? read_values(SPEED, value, false) : 0;
}

double mcd_tag_length(const char *value)
{
    return read_values(LENGTH, value, false);
}

double mcd_tag_height(const char *value)
{
    unsigned feet, inches;
    int end = 0;
    const double height = mcd_tag_length(value);
    const bool two = sscanf(value, "%2u - %2u %n", &feet, &inches, &end) == 2 && !value[end] && inches < 12;
    return two ? fmin(height, feet * 0.3048 + inches * 0.0254) : height;
}

double mcd_tag_mass(const char *value)
{
    return read_values(MASS, value, false);
}

double mcd_tag_duration(const char *value)
{
    return read_values(DURATION, value, true);
}

double mcd_tag_greatest(const char *value, const char *key)
{
    const bool slope = strstr(key, "incline") != NULL;
    const double measure = read_values(slope ? SLOPE : LENGTH, value, true);
    double most = -1;
    while ((value = strpbrk(value, "0123456789"))) most = fmax(most, mcd_tag_decimal(value, &value));
    return measure > 0 ? measure : slope && most > 0 ? -1 : most;
}

bool mcd_tag_is_measure(const char *value)
{
    char text[TEXT_BYTES];
    copy_plain(text, value);
    const char *length = text, *mass = text;
    return (read_value(LENGTH, &length) > 0 && !*length) || (read_value(MASS, &mass) > 0 && !*mass);
}

bool mcd_tag_is_unlimited(const char *value)
{
    const char *end;
    return find_unit(NO_LIMIT, value, 0, &end) && !*end;
}
