/* profile.c - see profile.h. How a profile's tables are applied to tags. */
#include "importers/profile.h"
#include "importers/profile_car.h"

#include <stdio.h>

enum { SPEED_MIN_KMH = 1 }; /* less is a mistake */

const mcd_profile *mcd_profile_find(const char *name)
{
    static const mcd_profile *const profile[] = {&mcd_profile_car};
    for (size_t i = 0; i < sizeof profile / sizeof profile[0]; ++i)
        if (strcmp(profile[i]->name, name) == 0) return profile[i];
    return NULL;
}

static bool equals(const char *value, const char *other)
{
    return value && strcmp(value, other) == 0;
}

/* ---- access ---- */

/* What `value` means, or NULL if the table does not say. */
static const mcd_profile_access *find_access(const mcd_profile_access *table, const char *value)
{
    for (; value && table->value; ++table)
        if (strcmp(table->value, value) == 0) return table;
    return NULL;
}

/* The most specific access tag decides; in a direction ("forward" or "backward"; may be NULL), MODE:DIRECTION
 * comes before MODE. NULL: the tags do not say. */
static const mcd_profile_access *decide_access(const mcd_profile *profile, const mcd_tags *tags,
                                               const char *direction)
{
    for (const char *const *mode = profile->mode; *mode; ++mode) {
        const mcd_profile_access *access = NULL;
        if (direction) {
            char key[64];
            snprintf(key, sizeof key, "%s:%s", *mode, direction);
            access = find_access(profile->access, mcd_tags_get(tags, key));
        }
        if (!access) access = find_access(profile->access, mcd_tags_get(tags, *mode));
        if (access) return access;
    }
    return NULL;
}

static bool is_open(const mcd_profile *profile, const mcd_tags *tags, const char *direction)
{
    const mcd_profile_access *const access = decide_access(profile, tags, direction);
    return !access || access->open;
}

bool mcd_profile_blocks(const mcd_profile *profile, const mcd_tags *tags)
{
    const char *const value = mcd_tags_get(tags, "barrier");
    if (!value) return false;
    const mcd_profile_access *rule = decide_access(profile, tags, NULL);
    if (!rule) rule = find_access(profile->barrier, value);
    return !rule || !rule->open;
}

/* ---- one-way --------------------------------------------------------------------------------------- */

typedef struct directions {
    bool forward, backward;
} directions;

static directions open_directions(const mcd_tags *tags, const mcd_profile_road *road)
{
    static const struct {
        const char *value;
        directions open;
    } meaning[] = {
        {"yes", {true, false}},          {"true", {true, false}},    {"1", {true, false}},
        {"-1", {false, true}},           {"reverse", {false, true}}, {"no", {true, true}},
        {"false", {true, true}},         {"0", {true, true}},        {"reversible", {false, false}},
        {"alternating", {false, false}},
    };
    const char *const oneway = mcd_tags_get(tags, "oneway"), *const junction = mcd_tags_get(tags, "junction");
    for (size_t i = 0; oneway && i < sizeof meaning / sizeof meaning[0]; ++i)
        if (strcmp(meaning[i].value, oneway) == 0) return meaning[i].open;
    const bool implied = road->oneway || equals(junction, "roundabout") || equals(junction, "circular");
    return (directions){true, !implied};
}

/* ---- speed ---- */

/* Digits with an optional decimal point, whatever the locale; *end is what follows. */
static double parse_decimal(const char *value, const char **end)
{
    double number = 0, place = 1;
    while (*value >= '0' && *value <= '9') number = number * 10 + (*value++ - '0');
    if (*value == '.')
        for (++value; *value >= '0' && *value <= '9'; ++value) number += (*value - '0') * (place /= 10);
    *end = value;
    return number;
}

/* "50", "50 km/h", "30 mph", "10 knots"; 0 if it is something else. */
static double parse_speed(const char *value)
{
    static const mcd_profile_speed unit[] = {
        {"", 1}, {"km/h", 1}, {"kmh", 1}, {"kph", 1}, {"mph", 1.609344}, {"knots", 1.852},
    };
    const char *end;
    const double speed = parse_decimal(value, &end);
    if (end == value) return 0;
    while (*end == ' ') ++end;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; ++i)
        if (strcmp(end, unit[i].value) == 0) return speed * unit[i].speed_kmh;
    return 0;
}

static double find_zone(const mcd_profile *profile, const char *value)
{
    for (const mcd_profile_speed *zone = profile->zone; zone->value; ++zone)
        if (strcmp(zone->value, value) == 0) return zone->speed_kmh;
    return 0;
}

/* A number, a zone, or what follows the last ':' of "DE:urban" or "DE:zone:30"; 0 if it means nothing. */
static double read_speed(const mcd_profile *profile, const char *value)
{
    double speed = parse_speed(value);
    if (speed == 0) speed = find_zone(profile, value);
    const char *const colon = strrchr(value, ':');
    if (speed == 0 && colon) speed = parse_speed(colon + 1);
    if (speed == 0 && colon) speed = find_zone(profile, colon + 1);
    return speed < profile->speed_max_kmh ? speed : profile->speed_max_kmh;
}

/* The speed in a direction: maxspeed:DIRECTION, else maxspeed, else the class's. */
static double choose_speed(const mcd_profile *profile, const mcd_tags *tags, const char *directed_key,
                           const mcd_profile_road *road, bool *odd)
{
    const char *const key[] = {directed_key, "maxspeed"};
    for (size_t i = 0; i < 2; ++i) {
        const char *const value = mcd_tags_get(tags, key[i]);
        if (!value) continue;
        const double speed = read_speed(profile, value);
        if (speed >= SPEED_MIN_KMH) return speed;
        *odd = true;
    }
    return road->speed_kmh;
}

/* ---- duration ---- */

/* Seconds of "HH:MM", "HH:MM:SS" or "MM"; 0 if it is something else. */
static double parse_duration(const char *value)
{
    unsigned part[3] = {0};
    size_t count = 0;
    for (;; ++value) {
        const char *const first = value;
        while (*value >= '0' && *value <= '9' && value - first < 4)
            part[count] = part[count] * 10 + (*value++ - '0');
        if (value == first) return 0;
        ++count;
        if (*value != ':' || count == 3) break;
    }
    if (*value) return 0;
    return count == 1 ? part[0] * 60.0 : part[0] * 3600.0 + part[1] * 60.0 + part[2];
}

/* ---- ways ---- */

static const mcd_profile_road *find_road(const mcd_profile_road *table, const char *value)
{
    for (; value && table->value; ++table)
        if (strcmp(table->value, value) == 0) return table;
    return NULL;
}

mcd_way_use mcd_profile_way(const mcd_profile *profile, const mcd_tags *tags, mcd_passage *out)
{
    *out = (mcd_passage){0};
    const char *const highway = mcd_tags_get(tags, "highway"), *const duration =
                                                                   mcd_tags_get(tags, "duration");
    const bool by_ferry = !highway;
    const mcd_profile_road *const road = by_ferry ? find_road(profile->route, mcd_tags_get(tags, "route"))
                                                  : find_road(profile->highway, highway);
    if (!road) return MCD_WAY_NO_ROAD;
    if (equals(mcd_tags_get(tags, "area"), "yes")) return MCD_WAY_AREA;
    directions open = open_directions(tags, road);
    open.forward = open.forward && is_open(profile, tags, "forward");
    open.backward = open.backward && is_open(profile, tags, "backward");
    if (!open.forward && !open.backward) return MCD_WAY_CLOSED;
    if (open.forward)
        out->forward_kmh = choose_speed(profile, tags, "maxspeed:forward", road, &out->odd_speed);
    if (open.backward)
        out->backward_kmh = choose_speed(profile, tags, "maxspeed:backward", road, &out->odd_speed);
    if (by_ferry && duration) out->duration_s = parse_duration(duration);
    return MCD_WAY_OPEN;
}

/* ---- turn restrictions ---- */

/* Whether `list` ("bus;bicycle") names one of the profile's modes. */
static bool names_mode(const mcd_profile *profile, const char *list)
{
    while (*list) {
        const size_t length = strcspn(list, "; ");
        for (const char *const *mode = profile->mode; *mode; ++mode)
            if (strlen(*mode) == length && strncmp(*mode, list, length) == 0) return true;
        list += length;
        list += strspn(list, "; ");
    }
    return false;
}

const char *mcd_profile_restriction(const mcd_profile *profile, const mcd_tags *tags, bool *excepted)
{
    const char *const except = mcd_tags_get(tags, "except");
    *excepted = except && names_mode(profile, except);
    if (*excepted) return NULL;
    for (const char *const *mode = profile->mode; *mode; ++mode) {
        char key[64];
        snprintf(key, sizeof key, "restriction:%s", *mode);
        const char *const value = mcd_tags_get(tags, key);
        if (value) return value;
    }
    return mcd_tags_get(tags, "restriction");
}
