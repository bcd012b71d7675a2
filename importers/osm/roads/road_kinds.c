/* road_kinds.c - see road_kinds.h. */
#include "importers/osm/roads/road_kinds.h"
#include "engine/base/grow.h"
#include "importers/osm/rules/tag_number.h"
#include "engine/base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* OpenStreetMap's texts have at most 255 characters; a sign is two of them. */
enum { TEXT_BYTES = 1 << 12, LANES_MAX = 64 };

/* ---- the table ---- */

/* A kind as bytes, by which it is found. */
typedef struct kind_record {
    mcd_kind kind;
    mcd_kind_limits limits;
    uint16_t unused; /* 0 */
    uint32_t pronunciation;
} kind_record;
static_assert(sizeof(kind_record) % sizeof(uint64_t) == 0, "patterns are hashed by words");

static const mcd_kind no_kind;
static const mcd_kind_limits no_limits;

static macadam_status append(mcd_kinds *kinds, const mcd_kind *kind, const mcd_kind_limits *limits,
                             uint32_t pronunciation, macadam_error *error)
{
    MCD_TRY(MCD_GROW(kinds->kind, kinds->capacity, kinds->count + 2, error));
    MCD_TRY(MCD_GROW(kinds->limits, kinds->limits_capacity, kinds->count + 2, error));
    MCD_TRY(MCD_GROW(kinds->pronunciation, kinds->pronunciation_capacity, kinds->count + 2, error));
    kinds->kind[kinds->count] = *kind;
    kinds->pronunciation[kinds->count] = pronunciation;
    kinds->limits[kinds->count++] = *limits;
    kinds->has_pronunciations = kinds->has_pronunciations || pronunciation > 0;
    kinds->has_limits = kinds->has_limits || memcmp(limits, &no_limits, sizeof no_limits) != 0;
    return MACADAM_OK;
}

macadam_status mcd_kinds_add(mcd_kinds *kinds, const mcd_kind *kind, const mcd_kind_limits *limits,
                             uint32_t pronunciation, uint32_t *number, macadam_error *error)
{
    const kind_record none = {0}, record = {*kind, *limits, 0, pronunciation};
    *number = 0;
    if (kinds->count == 0) {
        kinds->record.slot_count = sizeof record;
        MCD_TRY(mcd_pattern_set_add(&kinds->record, (const uint8_t *)&none, number, error));
        MCD_TRY(append(kinds, &no_kind, &no_limits, 0, error));
    }
    if (memcmp(kind, &no_kind, sizeof no_kind) == 0 && memcmp(limits, &no_limits, sizeof no_limits) == 0)
        return MACADAM_OK;
    MCD_TRY(mcd_pattern_set_add(&kinds->record, (const uint8_t *)&record, number, error));
    return *number < kinds->count ? MACADAM_OK : append(kinds, kind, limits, pronunciation, error);
}

MCD_DEFINE_FREE(mcd_kinds_free, mcd_kinds, it->kind, it->limits, it->pronunciation, it->record.value,
                it->record.bucket)

/* ---- tags ---- */

static const char *const suffix[MCD_DIRECTIONS] = {[MCD_FORWARD] = "forward", [MCD_BACKWARD] = "backward"};

/* KEY:forward (or KEY:backward), else KEY; "" if there is neither. */
static const char *get(const mcd_tags *tags, const char *key, int direction)
{
    const char *value = mcd_tags_get_joined(tags, key, suffix[direction], NULL);
    if (!value) value = mcd_tags_get(tags, key);
    return value ? value : "";
}

static bool says(const mcd_tags *tags, const char *key)
{
    const char *const value = mcd_tags_get(tags, key);
    return value && strcmp(value, "no") != 0;
}

/* Appends a list "a;b" as "a; b" or "a, b". Empty items are left out, and those for which there is no more room. */
static size_t copy_list(char out[TEXT_BYTES], size_t used, const char *list, char separator)
{
    const size_t first = used;
    for (; *list; list += strcspn(list, ";")) {
        list += strspn(list, "; ");
        size_t length = strcspn(list, ";");
        while (length > 0 && list[length - 1] == ' ') --length;
        if (length == 0 || used + 2 + length >= TEXT_BYTES) continue;
        if (used > first) out[used++] = separator, out[used++] = ' ';
        memcpy(out + used, list, length);
        used += length;
    }
    out[used] = '\0';
    return used;
}

/* Returns destination=, or destination:MORE=, of a direction: on a two-way road only tags that name the direction count. */
static const char *get_sign(const mcd_tags *tags, const char *more, int direction, bool is_one_way)
{
    const char *const value = mcd_tags_get_joined(tags, "destination", *more ? more : suffix[direction],
                                                  *more ? suffix[direction] : NULL);
    if (value) return value;
    const char *const any = !is_one_way ? NULL
                            : *more     ? mcd_tags_get_joined(tags, "destination", more, NULL)
                                        : mcd_tags_get(tags, "destination");
    return any ? any : "";
}

/* "A 4, E 64: Milano, Torino" */
static void read_destination(char out[TEXT_BYTES], const mcd_tags *tags, int direction, bool is_one_way)
{
    const char *places = get_sign(tags, "", direction, is_one_way);
    if (!*places) places = get_sign(tags, "street", direction, is_one_way);
    const size_t refs = copy_list(out, 0, get_sign(tags, "ref", direction, is_one_way), ',');
    const size_t first = refs > 0 && refs + 2 < TEXT_BYTES ? refs + (size_t)sprintf(out + refs, ": ") : refs;
    if (copy_list(out, first, places, ',') == first) out[refs] = '\0';
}

static const char *class_of(const mcd_tags *tags, bool ferry)
{
    const char *const highway = mcd_tags_get(tags, "highway");
    if (!ferry) return highway ? highway : "";
    return mcd_tags_has(tags, "route", "ferry") || mcd_tags_has(tags, "highway", "ferry") ? "ferry"
           : mcd_tags_get(tags, "railway") || mcd_tags_has(tags, "route", "train") ||
                   mcd_tags_has(tags, "route", "shuttle_train")
               ? "train"
               : "";
}

/* The flags that hold in both directions, for all travellers. */
static uint32_t read_flags(const mcd_tags *tags, const char *class_name)
{
    static const char loose[] = "unpaved|gravel|fine_gravel|dirt|earth|ground|grass|sand|mud|pebblestone|"
                                "compacted|rock|woodchips|snow|ice|salt";
    const size_t length = strlen(class_name);
    const bool link = length > 5 && strcmp(class_name + length - 5, "_link") == 0;
    const struct {
        bool holds;
        macadam_road_flag flag;
    } row[] = {
        {mcd_tags_has(tags, "junction", "roundabout"), MACADAM_ROAD_ROUNDABOUT},
        {mcd_tags_has(tags, "junction", "circular"), MACADAM_ROAD_CIRCULAR},
        {link, MACADAM_ROAD_LINK},
        {strncmp(class_name, "motorway", 8) == 0 || mcd_tags_has(tags, "motorroad", "yes"),
         MACADAM_ROAD_MOTORWAY},
        {strcmp(class_name, "ferry") == 0, MACADAM_ROAD_FERRY},
        {strcmp(class_name, "train") == 0, MACADAM_ROAD_TRAIN},
        {says(tags, "tunnel"), MACADAM_ROAD_TUNNEL},
        {says(tags, "bridge"), MACADAM_ROAD_BRIDGE},
        {says(tags, "ford"), MACADAM_ROAD_FORD},
        {mcd_tag_is_one_of(mcd_tags_get(tags, "surface"), loose), MACADAM_ROAD_UNPAVED},
    };
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) flags |= row[i].holds ? row[i].flag : 0;
    return flags;
}

/* lanes:forward, or lanes of a one-way road, or half of them. */
static uint16_t read_lanes(const mcd_tags *tags, const mcd_passage *passage, int direction)
{
    const char *const own = mcd_tags_get_joined(tags, "lanes", suffix[direction], NULL);
    const char *const all = own ? own : mcd_tags_get(tags, "lanes");
    const long count = all ? strtol(all, NULL, 10) : 0;
    const bool both = !own && passage->speed_kmh[MCD_FORWARD] > 0 && passage->speed_kmh[MCD_BACKWARD] > 0;
    if (count <= 0 || count > LANES_MAX) return 0;
    return (uint16_t)(both ? (count + 1) / 2 : count);
}

/* Returns how many lanes are for buses; 0 to a bus. On a two-way road only tags that name the direction count. */
static long bus_lanes(const mcd_tags *tags, const mcd_profile *profile, int direction, bool is_one_way)
{
    static const char *const mode[] = {"psv", "bus"};
    const char *count = NULL;
    for (size_t i = 0; i < sizeof mode / sizeof *mode; ++i) {
        for (const char *const *own = profile->mode; *own; ++own)
            if (strcmp(*own, mode[i]) == 0) return 0;
        if (!count) count = mcd_tags_get_joined(tags, "lanes", mode[i], suffix[direction]);
        if (!count && is_one_way) count = mcd_tags_get_joined(tags, "lanes", mode[i], NULL);
    }
    return count ? strtol(count, NULL, 10) : 0;
}

/* Words of a lane that is closed only where traffic keeps left, or right: see mcd_lanes_drive(). */
#define CLOSED "closed"
static const char closed_left[] = "\1" CLOSED, closed_right[] = "\2" CLOSED;

/* Notes turn:lanes, where a lane that the profile does not admit has the word "closed": "left|through;closed". As many
 * lanes without arrows at the outer edge of the road are closed as are for buses. */
static macadam_status read_turn_lanes(mcd_kind *out, mcd_names *names, const mcd_tags *tags,
                                      const mcd_profile *profile, int direction, bool is_one_way,
                                      macadam_error *error)
{
    const char *lanes = get(tags, "turn:lanes", direction);
    const size_t bytes = strlen(lanes);
    size_t count = bytes > 0, left = 0, right = 0, used = 0;
    for (const char *at = lanes; (at = strchr(at, '|')); ++at) ++count;
    if (count == 0 || count > LANES_MAX) return MACADAM_OK;
    const uint64_t closed = mcd_profile_closed_lanes(profile, tags, suffix[direction], count);
    const long buses = bus_lanes(tags, profile, direction, is_one_way);
    while ((long)left < buses && left + 1 < count && lanes[left] == '|') ++left;
    while ((long)right < buses && right + 1 < count && lanes[bytes - 1 - right] == '|') ++right;
    MCD_OWNED char *text = NULL;
    MCD_TRY(MCD_NEW(text, bytes + count * sizeof closed_left + 1, error));
    for (size_t i = 0; i < count; ++i, ++lanes) {
        const size_t length = strcspn(lanes, "|");
        const bool is_left = i < left, is_right = i >= count - right;
        const char *const word = closed >> i & 1 || (is_left && is_right) ? CLOSED
                                 : is_left                                ? closed_left
                                 : is_right                               ? closed_right
                                                                          : "";
        used += (size_t)sprintf(text + used, "%s%.*s%s%s", i ? "|" : "", (int)length, lanes,
                                length && *word ? ";" : "", word);
        lanes += length;
    }
    return mcd_names_add(names, text, &out->text[MCD_KIND_TURN_LANES], error);
}

void mcd_lanes_drive(char *lanes, bool left)
{
    char *out = lanes;
    while (*lanes) {
        const bool is_left = strncmp(lanes, closed_left, sizeof closed_left - 1) == 0,
                   is_right = strncmp(lanes, closed_right, sizeof closed_right - 1) == 0;
        if (is_left || is_right)
            lanes += is_left == left ? 1 : sizeof closed_left - 1;
        else
            *out++ = *lanes++;
    }
    *out = '\0';
}

/* Returns whether some tag may speak of one direction only. */
static bool is_directed(const mcd_tags *tags)
{
    for (size_t i = 0; i < tags->count; ++i)
        if (strstr(tags->tag[i].key, "ward")) return true;
    return false;
}

/* The facts that both directions share: name, class, ref and most flags. */
static macadam_status read_common(mcd_kind *out, mcd_names *names, const mcd_tags *tags, bool ferry,
                                  macadam_error *error)
{
    char ref[TEXT_BYTES];
    const char *const name = mcd_tags_get(tags, "name"), *const class_name = class_of(tags, ferry);
    const char *const own_ref = mcd_tags_get(tags, "ref");
    copy_list(ref, 0, own_ref ? own_ref : "", ';');
    *out = (mcd_kind){.flags = read_flags(tags, class_name)};
    MCD_TRY(mcd_names_add(names, name ? name : "", &out->text[MCD_KIND_NAME], error));
    MCD_TRY(mcd_names_add(names, class_name, &out->text[MCD_KIND_CLASS], error));
    return mcd_names_add(names, ref, &out->text[MCD_KIND_REF], error);
}

macadam_status mcd_kind_set_exit(mcd_kind *kind, mcd_names *names, const char *exit, macadam_error *error)
{
    char list[TEXT_BYTES];
    copy_list(list, 0, exit, ';');
    return mcd_names_add(names, list, &kind->text[MCD_KIND_EXIT], error);
}

static macadam_status read_direction(mcd_kind *out, mcd_names *names, const mcd_tags *tags,
                                     const mcd_profile *profile, const mcd_passage *passage, int direction,
                                     macadam_error *error)
{
    char destination[TEXT_BYTES];
    const char *const oneway = mcd_tags_get(tags, "oneway");
    const bool is_one_way = passage->speed_kmh[MCD_BACKWARD - direction] == 0 ||
                            mcd_tag_is_one_of(oneway, direction == MCD_FORWARD ? "yes|true|1" : "-1|reverse");
    read_destination(destination, tags, direction, is_one_way);
    out->speed_kmh = (uint16_t)fmin(mcd_tag_speed(get(tags, "maxspeed", direction)), UINT16_MAX);
    out->lanes = read_lanes(tags, passage, direction);
    MCD_TRY(mcd_names_add(names, destination, &out->text[MCD_KIND_DESTINATION], error));
    MCD_TRY(mcd_kind_set_exit(out, names, get(tags, "junction:ref", direction), error));
    return read_turn_lanes(out, names, tags, profile, direction, is_one_way, error);
}

macadam_status mcd_kinds_read(mcd_kind out[MCD_DIRECTIONS], mcd_names *names, const mcd_tags *tags,
                              const mcd_profile *profile, const mcd_passage *passage, macadam_error *error)
{
    mcd_kind *const there = &out[MCD_FORWARD], *const back = &out[MCD_BACKWARD];
    MCD_TRY(read_common(there, names, tags, passage->ferry, error));
    *back = *there;
    MCD_TRY(read_direction(there, names, tags, profile, passage, MCD_FORWARD, error));
    if (is_directed(tags) || mcd_tags_get(tags, "oneway"))
        MCD_TRY(read_direction(back, names, tags, profile, passage, MCD_BACKWARD, error));
    else
        *back = *there;
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction) {
        out[direction].flags |= passage->flags[direction];
        if (passage->destination_only[direction]) out[direction].flags |= MACADAM_ROAD_DESTINATION_ONLY;
        if (passage->pushed[direction]) out[direction].flags |= MACADAM_ROAD_PUSHED;
    }
    return MACADAM_OK;
}

void mcd_kinds_tighten(mcd_kind_limits *limits, const mcd_kind_limits *more)
{
    for (int i = 0; i < MCD_LIMITS; ++i)
        if (limits->most[i] == 0 || (more->most[i] > 0 && more->most[i] < limits->most[i]))
            limits->most[i] = more->most[i];
}
