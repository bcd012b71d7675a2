/* limit.c - the limits of size and weight: mcd_profile_limits of profile.h.
 * (https://wiki.openstreetmap.org/wiki/Key:maxheight and its siblings) */
#include "importers/osm/rules/profile.h"
#include "importers/osm/rules/tag_number.h"

#include <math.h>
#include <stdio.h>

enum { KEYS_MOST = 5, LANE_BYTES = 64 };

/* The limits of queries, whatever the profile's own vehicle. */
static const char *const known[MCD_LIMITS][KEYS_MOST] = {
    [MCD_LIMIT_HEIGHT] = {"maxheight", "maxheight:physical"},
    [MCD_LIMIT_WIDTH] = {"maxwidth", "maxwidth:physical"},
    [MCD_LIMIT_LENGTH] = {"maxlength", "maxlength:physical"},
    [MCD_LIMIT_WEIGHT] = {"maxweight", "maxweightrating", "maxgcweight", "maxgcweightrating"},
    [MCD_LIMIT_AXLE_LOAD] = {"maxaxleload", "maxbogieweight"},
};

/* Returns the value of the most specific of KEY:MODE:DIRECTION, KEY:MODE, KEY:DIRECTION and KEY, else of the lanes; NULL
 * if there is none. */
static const char *find_value(const mcd_profile *profile, const mcd_tags *tags, const char *key,
                              int direction, bool *lanes)
{
    static const char *const name[MCD_DIRECTIONS] = {"forward", "backward"};
    const char *value = NULL;
    for (const char *const *mode = profile->mode; *mode && !value; ++mode)
        if (!(value = mcd_tags_get_joined(tags, key, *mode, name[direction])))
            value = mcd_tags_get_joined(tags, key, *mode, NULL);
    if (!value) value = mcd_tags_get_joined(tags, key, name[direction], NULL);
    if (!value) value = mcd_tags_get(tags, key);
    *lanes = !value;
    if (!value) value = mcd_tags_get_joined(tags, key, "lanes", name[direction]);
    return value ? value : mcd_tags_get_joined(tags, key, "lanes", NULL);
}

/* Reads a value or, of a list of lanes, the least strict one. INFINITY: it says that there is no limit; 0: it cannot be
 * read. */
static double read_value(const char *value, bool lanes, double (*read)(const char *))
{
    char lane[LANE_BYTES];
    double most = 0;
    for (size_t length;; value += length + 1) {
        length = strcspn(value, lanes ? "|" : "");
        snprintf(lane, sizeof lane, "%.*s", (int)length, value);
        const double limit = read(lane);
        if (limit == 0 && mcd_tag_is_unlimited(lane)) return INFINITY;
        most = fmax(most, limit);
        if (limit == 0 || !value[length]) return limit > 0 ? most : 0;
    }
}

/* Metres or tonnes. A value that cannot be read stands for the number in the profile's row or, without one, closes the
 * road to vehicles larger than a car. */
static double find_limit(mcd_limits *out, const mcd_profile *profile, const mcd_tags *tags, const char *key,
                         bool metres, int direction)
{
    bool lanes;
    size_t i = 0;
    while (i < tags->count && strncmp(tags->tag[i].key, key, strlen(key)) != 0) ++i;
    if (i == tags->count) return INFINITY;
    const char *const value = find_value(profile, tags, key, direction, &lanes);
    const bool height = strncmp(key, "maxheight", 9) == 0;
    double (*const read)(const char *) = !metres ? mcd_tag_mass : height ? mcd_tag_height : mcd_tag_length;
    const double limit = value ? read_value(value, lanes, read) : INFINITY;
    if (limit > 0) return limit;
    const mcd_profile_rows *const rows = &profile->table[MCD_PROFILE_UNREAD];
    out->unread = true;
    for (i = 0; i < rows->count; ++i)
        if (strcmp(rows->row[i].value, key) == 0) return rows->row[i].number;
    return !metres ? 3 : strncmp(key, "maxlength", 9) == 0 ? 6 : 2;
}

void mcd_profile_limits(mcd_limits *out, const mcd_profile *profile, const mcd_tags *tags)
{
    const mcd_profile_rows *const rows = &profile->table[MCD_PROFILE_LIMITS];
    bool any = profile->other_limits;
    *out = (mcd_limits){.unread = false};
    for (size_t i = 0; i < tags->count && !any; ++i) /* of those that begin so, most are maxspeed */
        any = strncmp(tags->tag[i].key, "max", 3) == 0 && tags->tag[i].key[3] != 's';
    for (int side = 0; side < MCD_DIRECTIONS && any; ++side) {
        for (size_t i = 0; i < rows->count; ++i) {
            const mcd_profile_row *const row = &rows->row[i];
            if (find_limit(out, profile, tags, row->value, *row->key == 'm', side) < row->number)
                out->too_small[side] = true;
        }
        for (size_t i = 0; i < MCD_LIMITS; ++i) {
            double most = INFINITY;
            for (const char *const *key = known[i]; *key; ++key)
                most = fmin(most, find_limit(out, profile, tags, *key, i < MCD_LIMIT_WEIGHT, side));
            if (most < INFINITY)
                out->most[side].most[i] = (uint16_t)lround(fmax(1, fmin(100 * most, UINT16_MAX)));
        }
    }
}
