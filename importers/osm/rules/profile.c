/* profile.c - see profile.h. How a profile's tables are applied to tags. */
#include "importers/osm/rules/profile.h"
#include "importers/osm/rules/tag_number.h"
#include "engine/base/letters.h"

enum {
    SPEED_MIN_KMH = 1, /* less is a mistake */
    ITEM_BYTES = 32,
    ROAD_PERMITS = MCD_PROFILE_PERMIT | MCD_PROFILE_NAMED | MCD_PROFILE_OWN | MCD_PROFILE_RIDDEN,
};

/* A way's or a node's tags, as the profile knows them (keys.h). */
typedef struct tag_values {
    const char *at[MCD_KEYS_MAX]; /* the values at the places of their keys */
    uint32_t lists;               /* the lists that have one of the keys: most have none */
} tag_values;

static bool equals(const char *value, const char *other)
{
    return value && *value == *other && strcmp(value, other) == 0;
}

/* Whether the value is one of those that the row's pattern stands for. */
static bool fits(const mcd_profile_row *row, const char *value)
{
    const double length = *row->value == '<' ? mcd_tag_length(value) : 0;
    switch (*row->value) {
    case '<':
        return length > 0 && length < row->bound;
    case '>':
        return mcd_tag_greatest(value, row->key) > row->bound; /* up or down */
    case '~':
        while (*value && !mcd_letters_match(value, row->value + 1, strlen(row->value + 1))) ++value;
        return *value != '\0';
    default:
        return row->value[1] == '\0'; /* "*" */
    }
}

static const tag_values *read_tags(const mcd_profile *profile, const mcd_tags *tags, tag_values *values)
{
    values->lists = mcd_keys_read(&profile->keys.all, tags, values->at);
    return values;
}

/* Whether a way or a node has a key of a table, or of one of mcd_profile_list. */
static bool has_key(const tag_values *values, unsigned list)
{
    return values->lists >> list & 1;
}

static bool is_for(const mcd_profile_row *row, const char *value)
{
    return row->pattern ? fits(row, value) : equals(value, row->value);
}

/* ---- tables ---- */

/* The row of `value` in a table without keys; NULL if the table does not say. */
static const mcd_profile_row *find_row(const mcd_profile *profile, mcd_profile_table table, const char *value)
{
    const mcd_profile_rows *const rows = &profile->table[table];
    for (size_t i = 0; value && i < rows->count; ++i)
        if (is_for(&rows->row[i], value)) return &rows->row[i];
    return NULL;
}

/* The row for `value` among the rows that share the key of row `first`, which is the first of these; NULL if none is. */
static const mcd_profile_row *find_tagged(const mcd_profile_rows *rows, size_t first, const char *value)
{
    const mcd_profile_row *const row = rows->row;
    for (size_t i = first; i < row[first].behind; ++i)
        if (is_for(&row[i], value)) return &row[i];
    return NULL;
}

/* The rows of a table whose tags are there, one for each key: the next one after *at, which begins with 0;
 * NULL after the last one. */
static const mcd_profile_row *next_tagged(const mcd_profile *profile, mcd_profile_table table,
                                          const tag_values *values, size_t *at)
{
    const mcd_profile_rows *const rows = &profile->table[table];
    const mcd_profile_row *found = NULL;
    if (!has_key(values, table)) return NULL;
    for (; *at < rows->count && !found; *at = rows->row[*at].behind) {
        const char *const value = values->at[rows->row[*at].place];
        if (value) found = find_tagged(rows, *at, value);
    }
    return found;
}

/* The first key of the table that the way has decides. If it makes the way a road, but a later one makes it a
 * ferry, it is a ferry for those who need no permission to use the road. Returns false if it is neither. */
static bool find_road(const mcd_profile *profile, const tag_values *values, mcd_profile_row *road)
{
    const mcd_profile_rows *const rows = &profile->table[MCD_PROFILE_WAYS];
    const mcd_profile_row *first = NULL;
    if (!has_key(values, MCD_PROFILE_WAYS)) return false;
    for (size_t at = 0; at < rows->count; at = rows->row[at].behind) {
        const char *const value = values->at[rows->row[at].place];
        const mcd_profile_row *const row = value ? find_tagged(rows, at, value) : NULL;
        if (value && !first && !row) return false;
        if (row && (!first || row->flags & MCD_PROFILE_FERRY)) {
            *road = *row;
            if (first) road->flags |= first->flags & ROAD_PERMITS;
            first = row;
        }
    }
    return first != NULL;
}

/* ---- lists ---- */

/* Copies the first item of a list ("no||yes" has three, one of which says nothing), without blanks before it; "" if
 * it is longer than any value that we know. Returns the list after it; NULL if there is no other one. */
static const char *take_item(const char *list, char separator, char item[ITEM_BYTES])
{
    list += strspn(list, " ");
    const char *const end = strchr(list, separator);
    const size_t length = end ? (size_t)(end - list) : strlen(list), kept = length < ITEM_BYTES ? length : 0;
    memcpy(item, list, kept);
    item[kept] = '\0';
    return end ? end + 1 : NULL;
}

/* ---- access ---- */

/* The most open row of the items of a list; NULL if the table knows none or, with `all`, not each. */
static const mcd_profile_row *find_most_open(const mcd_profile *profile, const char *list, char separator,
                                             bool all)
{
    const mcd_profile_row *best = NULL;
    char item[ITEM_BYTES];
    while (list) {
        list = take_item(list, separator, item);
        const mcd_profile_row *const access = find_row(profile, MCD_PROFILE_ACCESS, item);
        if (!access && all) return NULL;
        if (access && (!best || access->access < best->access)) best = access;
    }
    return best;
}

/* The row of the value of a key: of lanes ("no|yes|designated") the most open one, if all are known; else
 * the value's own row, or the most open one of a list ("forestry;destination"). NULL if the table does not
 * say. */
static const mcd_profile_row *find_access(const mcd_profile *profile, const char *value, bool lanes)
{
    if (lanes) return find_most_open(profile, value, '|', true);
    const mcd_profile_row *const own = find_row(profile, MCD_PROFILE_ACCESS, value);
    return own || !strchr(value, ';') ? own : find_most_open(profile, value, ';', false);
}

uint64_t mcd_profile_closed_lanes(const mcd_profile *profile, const mcd_tags *tags, const char *direction,
                                  size_t count)
{
    static const char *const other[] = {"bus", "psv", "taxi", "bicycle", NULL};
    uint64_t known = 0, closed = 0;
    char item[ITEM_BYTES];
    for (int is_other = 0; is_other < 2; ++is_other)
        for (const char *const *mode = is_other ? other : profile->mode; *mode; ++mode) {
            const char *list = mcd_tags_get_joined(tags, *mode, "lanes", direction);
            if (!list) list = mcd_tags_get_joined(tags, *mode, "lanes", NULL);
            size_t bars = 0;
            for (const char *at = list; at && (at = strchr(at, '|')); ++at) ++bars;
            for (uint64_t lane = bars + 1 == count; list && lane; lane <<= 1) {
                list = take_item(list, '|', item);
                const mcd_profile_row *const access = find_row(profile, MCD_PROFILE_ACCESS, item);
                if (known & lane || !(is_other ? equals(item, "designated") : access != NULL)) continue;
                known |= lane;
                if (is_other || access->access == MCD_ACCESS_CLOSED) closed |= lane;
            }
        }
    return closed;
}

/* The most specific access tag decides. NULL: the tags do not say. With MCD_PROFILE_NAMED those for all modes do
 * not count, with MCD_PROFILE_OWN only those of the first mode do. */
static const mcd_profile_row *decide_access(const mcd_profile *profile, const tag_values *values,
                                            const mcd_profile_access_key *asked, unsigned named)
{
    const mcd_profile_row *access = NULL;
    if (!has_key(values, MCD_LIST_ACCESS)) return NULL;
    for (; asked->key && !access; ++asked) {
        if ((named & MCD_PROFILE_NAMED && asked->general) || (named & MCD_PROFILE_OWN && !asked->own)) break;
        if (values->at[asked->key]) access = find_access(profile, values->at[asked->key], asked->lanes);
    }
    return access;
}

/* Whether a tag closes the way or the node to all; *named: the flags of those that close it to travellers who are
 * not named, and MCD_PROFILE_REPORTED. */
static bool is_closed(const mcd_profile *profile, const tag_values *values, bool node, unsigned *named)
{
    const mcd_profile_row *row;
    bool closed = false;
    for (size_t at = 0; (row = next_tagged(profile, MCD_PROFILE_CLOSED, values, &at));) {
        const unsigned flags = row->flags & (MCD_PROFILE_NAMED | MCD_PROFILE_OWN | MCD_PROFILE_REPORTED);
        if (row->flags & (node ? MCD_PROFILE_WAY : MCD_PROFILE_NODE)) continue;
        closed = closed || !flags;
        *named |= flags;
    }
    return closed;
}

/* The first of the keys' values that is there; NULL: none. */
static const char *first_value(const mcd_key *asked, const tag_values *values)
{
    while (*asked && !values->at[*asked]) ++asked;
    return values->at[*asked];
}

/* Whether the most specific toll tag charges this traveller: its value may be a mode ("hgv"). */
static bool charges(const mcd_profile *profile, const tag_values *values, int direction)
{
    if (!has_key(values, MCD_LIST_TOLL)) return false;
    const char *const toll = first_value(profile->keys.toll[direction], values);
    if (!toll || equals(toll, "no")) return false;
    const mcd_profile_row *const access = find_access(profile, toll, false);
    return !access || access->access != MCD_ACCESS_CLOSED;
}

/* ---- nodes ---- */

/* Whether a place that collects a toll does so from this traveller. If its tags name only others, these pay. */
static bool collects(const mcd_profile *profile, const tag_values *values, const mcd_tags *tags)
{
    bool from_others = false;
    if (first_value(profile->keys.toll[MCD_DIRECTIONS], values))
        return charges(profile, values, MCD_DIRECTIONS);
    for (size_t i = 0; i < tags->count && !from_others; ++i)
        from_others = strncmp(tags->tag[i].key, "toll:", 5) == 0 && !equals(tags->tag[i].value, "no") &&
                      find_row(profile, MCD_PROFILE_ACCESS, tags->tag[i].key + 5);
    return !from_others;
}

/* Whether a [closed KEY] row closes the node. */
static bool is_closed_stop(const mcd_profile *profile, const tag_values *values)
{
    unsigned named = 0;
    if (is_closed(profile, values, true, &named)) return true;
    if (!(named & ~(unsigned)MCD_PROFILE_REPORTED)) return false;
    const mcd_profile_row *const access =
        decide_access(profile, values, profile->keys.access[MCD_DIRECTIONS], named);
    return !access || access->access == MCD_ACCESS_CLOSED;
}

/* The flags of the roads on which the node is. */
static uint32_t stop_flags(const mcd_profile *profile, const tag_values *values, const mcd_tags *tags)
{
    const char *const highway = values->at[profile->keys.node_kind[MCD_NODE_HIGHWAY]];
    const char *const ford = values->at[profile->keys.ford];
    const bool booth =
        equals(values->at[profile->keys.barrier], "toll_booth") || equals(highway, "toll_gantry");
    const bool toll = booth ? collects(profile, values, tags) : charges(profile, values, MCD_DIRECTIONS);
    const bool wet = (ford && !equals(ford, "no")) || equals(highway, "ford");
    return (toll ? MACADAM_ROAD_TOLL : 0) | (wet ? MACADAM_ROAD_FORD : 0);
}

/* VALUE:direction or else direction names the directions that wait. If no direction is named, both wait, or
 * the one that the sign's place suggests. */
static void choose_waits(const mcd_tags *tags, const mcd_profile_row *wait, mcd_stop *stop)
{
    const char *named = mcd_tags_get_joined(tags, wait->value, "direction", NULL);
    if (!named) named = mcd_tags_get(tags, "direction");
    const bool forward = equals(named, "forward"), backward = equals(named, "backward");
    stop->waits[MCD_FORWARD] = !backward;
    stop->waits[MCD_BACKWARD] = !forward;
    if (!(wait->flags & MCD_PROFILE_SIGN)) return;
    stop->sign = !forward && !backward && !equals(named, "both");
    stop->minor = equals(mcd_tags_get(tags, wait->value), "minor");
}

/* The row of "bollard:rising" for barrier=bollard with bollard=rising, else that of "bollard"; NULL if the
 * table does not say. */
static const mcd_profile_row *find_barrier(const mcd_profile *profile, const mcd_tags *tags,
                                           const char *barrier)
{
    const char *const kind = barrier ? mcd_tags_get(tags, barrier) : NULL;
    char joined[2 * ITEM_BYTES];
    const mcd_profile_row *row = NULL;
    if (kind && strlen(barrier) + strlen(kind) + 2 <= sizeof joined) {
        strcat(strcat(strcpy(joined, barrier), ":"), kind);
        row = find_row(profile, MCD_PROFILE_BARRIERS, joined);
    }
    return row ? row : find_row(profile, MCD_PROFILE_BARRIERS, barrier);
}

/* Whether the node's access tags speak of those who pass it along the road: not those of a crossing, or of nothing but a
 * stop, a signal or a parking place, which is beside the road or across it. */
static bool is_of_road(const mcd_profile *profile, const tag_values *values)
{
    static const char *const passed[MCD_NODE_KEYS] = {
        [MCD_NODE_HIGHWAY] = "elevator|ford|turning_circle|turning_loop|mini_roundabout",
        [MCD_NODE_RAILWAY] = "level_crossing|crossing|tram_level_crossing|tram_crossing|subway_entrance|"
                             "train_station_entrance",
        [MCD_NODE_PUBLIC_TRANSPORT] = "entrance",
        [MCD_NODE_AMENITY] = "parking_entrance",
    };
    bool beside = false, along = false;
    for (mcd_node_key key = 0; key < MCD_NODE_KEYS; ++key) {
        const char *const value = values->at[profile->keys.node_kind[key]];
        const bool is_passed = value && (!passed[key] || mcd_tag_is_one_of(value, passed[key]));
        along = along || is_passed;
        beside = beside || (value && !is_passed);
    }
    if (equals(values->at[profile->keys.node_kind[MCD_NODE_HIGHWAY]], "crossing")) along = false;
    return values->at[profile->keys.barrier] || along || !beside;
}

/* Whether the node's tags speak of those who cross the road. */
static bool is_crossing(const mcd_profile *profile, const tag_values *values, const mcd_tags *tags)
{
    const char *const highway = values->at[profile->keys.node_kind[MCD_NODE_HIGHWAY]];
    return equals(highway, "crossing") ||
           (equals(highway, "traffic_signals") && mcd_tags_get(tags, "crossing"));
}

/* The rule of the barrier's row, or of the access tags if they count. Where riding is forbidden but walking is
 * not, the access tags for walkers. */
static mcd_access stop_access(const mcd_profile *profile, const tag_values *values,
                              const mcd_profile_row *barrier, bool counts)
{
    const mcd_profile_row *access = NULL;
    if (!(barrier && barrier->flags & MCD_PROFILE_ALWAYS) && counts)
        access = decide_access(profile, values, profile->keys.access[MCD_DIRECTIONS], false);
    const bool open = barrier ? barrier->access != MCD_ACCESS_CLOSED : !values->at[profile->keys.barrier];
    if (access && access->access == MCD_ACCESS_CLOSED && profile->push_kmh > 0 && open)
        access = decide_access(profile, values, profile->keys.push_access[MCD_DIRECTIONS], false);
    if (access) return access->access;
    if (!barrier) return values->at[profile->keys.barrier] ? MCD_ACCESS_CLOSED : MCD_ACCESS_OPEN;
    const bool locked =
        barrier->flags & MCD_PROFILE_LOCKABLE && equals(values->at[profile->keys.locked], "yes");
    return locked && barrier->access == MCD_ACCESS_OPEN ? MCD_ACCESS_DESTINATION_ONLY : barrier->access;
}

mcd_stop mcd_profile_stop(const mcd_profile *profile, const mcd_tags *tags)
{
    mcd_stop stop = {.access = MCD_ACCESS_OPEN, .waits = {true, true}};
    if (tags->count == 0) return stop;
    tag_values read;
    const tag_values *const values = read_tags(profile, tags, &read);
    const mcd_profile_row *const barrier = find_barrier(profile, tags, values->at[profile->keys.barrier]);
    const bool closed = is_closed_stop(profile, values), says = closed || has_key(values, MCD_LIST_ACCESS);
    const bool of_road = !says || is_of_road(profile, values);
    const bool crossing = !of_road && is_crossing(profile, values, tags);
    stop.access = stop_access(profile, values, barrier, of_road);
    stop.crossing = crossing && (closed || stop_access(profile, values, NULL, true) == MCD_ACCESS_CLOSED);
    stop.flags = stop_flags(profile, values, tags);
    mcd_profile_limits(&stop.limits, profile, tags);
    const bool too_small = stop.limits.too_small[MCD_FORWARD] || stop.limits.too_small[MCD_BACKWARD];
    if (too_small || (closed && !crossing)) stop.access = MCD_ACCESS_CLOSED;
    if (barrier) stop.wait_s = (uint16_t)barrier->number;
    size_t at = 0;
    const mcd_profile_row *const wait = next_tagged(profile, MCD_PROFILE_WAITS, values, &at);
    if (!wait) return stop;
    stop.wait_s = (uint16_t)(stop.wait_s + wait->number);
    choose_waits(tags, wait, &stop);
    return stop;
}

/* ---- one-way ---- */

typedef struct directions {
    bool open[MCD_DIRECTIONS];
} directions;

/* Reads the value of a oneway tag; returns false if it has no meaning. Reversible roads change over hours, so that no
 * route can rely on them; alternating ones change over minutes. */
static bool read_oneway(const char *oneway, directions *out)
{
    static const struct {
        const char *values;
        directions open;
    } meaning[] = {
        {"yes|true|1", {{true, false}}},
        {"-1|reverse", {{false, true}}},
        {"no|false|0|alternating", {{true, true}}},
        {"reversible", {{false, false}}},
    };
    for (size_t i = 0; oneway && i < sizeof meaning / sizeof meaning[0]; ++i)
        if (mcd_tag_is_one_of(oneway, meaning[i].values)) return *out = meaning[i].open, true;
    return false;
}

/* The first of these keys' values that has a meaning; `otherwise` if there is none. */
static directions find_oneway(const mcd_key *asked, const tag_values *values, directions otherwise)
{
    while (*asked && !read_oneway(values->at[*asked], &otherwise)) ++asked;
    return otherwise;
}

/* Escalators and moving walks carry people one way. Those that change their direction start for those who come
 * first; of others a plain oneway tag may say more. */
static directions conveyed(const mcd_profile *profile, const tag_values *values, const mcd_tags *tags)
{
    const char *const conveying = values->at[profile->keys.conveying];
    directions out = {{!equals(conveying, "backward"), !equals(conveying, "forward")}};
    if (equals(conveying, "yes")) (void)read_oneway(mcd_tags_get(tags, "oneway"), &out);
    return out;
}

static directions open_directions(const mcd_profile *profile, const tag_values *values, const mcd_tags *tags,
                                  const mcd_profile_row *road)
{
    directions out = conveyed(profile, values, tags);
    const bool circle = mcd_tag_is_one_of(values->at[profile->keys.junction], "roundabout|circular");
    if (!profile->ignores_oneway && (circle || road->flags & MCD_PROFILE_ONEWAY))
        out.open[MCD_BACKWARD] = false;
    out = find_oneway(profile->keys.oneway, values, out);
    size_t at = 0;
    if (out.open[MCD_FORWARD] != out.open[MCD_BACKWARD] &&
        next_tagged(profile, MCD_PROFILE_CONTRAFLOW, values, &at))
        out = (directions){{true, true}};
    return out;
}

/* ---- speed ---- */

/* One direction of a way. */
typedef struct way_side {
    const mcd_profile_row *road;
    const tag_values *values;
    int direction;
    bool two_way;   /* the other one is open, too */
    unsigned named; /* flags of the tags that close it to those whom no access tag names */
} way_side;

/* km/h of a number, a zone, or what follows the last ':' of "DE:urban" or "DE:zone:30"; 0: it does not give a speed.
 * Negative: it means nothing to us. */
static double read_maxspeed(const mcd_profile *profile, const char *value)
{
    const mcd_profile_rows *const rows = &profile->table[MCD_PROFILE_MAXSPEEDS];
    for (const char *part = value, *colon; part; part = colon ? colon + 1 : NULL) {
        const double speed = mcd_tag_speed(part);
        if (speed > 0) return speed;
        for (size_t i = 0; i < rows->count; ++i)
            if (mcd_letters_match(rows->row[i].value, part, SIZE_MAX)) return rows->row[i].number;
        colon = strrchr(part, ':');
    }
    return -1;
}

/* Of the fastest lane of "50|80", or the least that "80;50" names; negative if something is not said. */
static double read_maxspeeds(const mcd_profile *profile, const char *list, char separator)
{
    double found = -1;
    char item[ITEM_BYTES];
    while (list) {
        list = take_item(list, separator, item);
        const double speed = read_maxspeed(profile, item);
        if (speed < SPEED_MIN_KMH) return speed == 0 ? 0 : -1;
        if (found < 0 || (separator == '|' ? speed > found : speed < found)) found = speed;
    }
    return found;
}

bool mcd_profile_knows(const mcd_profile *profile, const mcd_tag *tag)
{
    const mcd_keys *const keys = &profile->keys.all;
    const uint32_t lists = keys->lists[mcd_keys_find(keys, tag->key)];
    const bool lanes = strchr(tag->value, '|') != NULL;
    directions open;
    if (lists >> MCD_LIST_SPEED & 1) return read_maxspeeds(profile, tag->value, lanes ? '|' : ';') >= 0;
    if (strncmp(tag->key, "oneway", 6) == 0) return read_oneway(tag->value, &open);
    return !(lists >> MCD_LIST_ACCESS & 1) || find_access(profile, tag->value, lanes);
}

/* The first of these keys' values that gives a speed; 0 if there is none. *odd: one before means nothing. */
static double find_speed(const mcd_profile *profile, const tag_values *values, const mcd_key *asked,
                         bool *odd)
{
    for (const char *value; *asked; ++asked) {
        if (!(value = values->at[*asked])) continue;
        const double speed = read_maxspeeds(profile, value, strchr(value, '|') ? '|' : ';');
        if (speed > 0) return speed;
        if (speed < 0) *odd = true;
    }
    return 0;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Of the class, or what signs say instead: the least of what is permitted and what is recommended. */
static double signed_speed(const mcd_profile *profile, const tag_values *values, int direction,
                           double class_kmh, bool *odd)
{
    if (profile->maxspeed == MCD_MAXSPEED_IGNORED || !has_key(values, MCD_LIST_SPEED)) return class_kmh;
    bool odd_kind; /* of road that the law takes it for; "sign" is one too */
    double maxspeed = find_speed(profile, values, profile->keys.maxspeed[direction], odd);
    if (maxspeed == 0) maxspeed = find_speed(profile, values, profile->keys.maxspeed_kind, &odd_kind);
    const double advice = find_speed(profile, values, profile->keys.advisory[direction], odd);
    double speed = maxspeed > 0 ? maxspeed : class_kmh;
    if (advice > 0) speed = maxspeed > 0 ? least(maxspeed, advice) : advice;
    return profile->maxspeed == MCD_MAXSPEED_CAPS ? least(class_kmh, speed) : speed;
}

static bool is_slow(const mcd_profile *profile, const way_side *side, const mcd_profile_row *row)
{
    return !(row->flags & MCD_PROFILE_PATH) ||
           (equals(side->road->value, "path") &&
            !decide_access(profile, side->values, profile->keys.access[side->direction], MCD_PROFILE_OWN));
}

/* `cap_kmh` 0: there is none. */
static double choose_speed(const mcd_profile *profile, const way_side *side, double cap_kmh, bool *odd)
{
    const mcd_profile_row *row = side->road;
    if (row->flags & MCD_PROFILE_FERRY) return row->number;
    double speed = signed_speed(profile, side->values, side->direction, row->number, odd);
    if (cap_kmh > 0) speed = least(speed, cap_kmh);
    for (size_t at = 0; (row = next_tagged(profile, MCD_PROFILE_SPEEDS, side->values, &at));)
        if (is_slow(profile, side, row)) speed = least(speed, row->number);
    speed = least(speed, profile->speed_max_kmh);
    for (size_t at = 0; (row = next_tagged(profile, MCD_PROFILE_SLOWER, side->values, &at));)
        if (side->two_way || !(row->flags & MCD_PROFILE_TWO_WAY)) speed /= row->number;
    return speed;
}

static float choose_preference(const mcd_profile *profile, const way_side *side)
{
    const mcd_profile_row *row;
    double factor = 1;
    for (size_t at = 0; (row = next_tagged(profile, MCD_PROFILE_PREFERENCE, side->values, &at));)
        if (side->two_way || !(row->flags & MCD_PROFILE_TWO_WAY)) factor *= row->number;
    return (float)factor;
}

/* ---- ways ---- */

/* Takes over what an access row says of a direction that is open; NULL: there is none. */
static void set_access(mcd_passage *out, int direction, const mcd_profile_row *access)
{
    out->destination_only[direction] = access && access->access == MCD_ACCESS_DESTINATION_ONLY;
    if (access && equals(access->value, "private")) out->flags[direction] |= MACADAM_ROAD_PRIVATE;
}

/* By the traveller's own means, if that is open. */
static bool ride(const mcd_profile *profile, const way_side *side, mcd_passage *out)
{
    const int direction = side->direction;
    const unsigned named = side->named | (side->road->flags & (MCD_PROFILE_NAMED | MCD_PROFILE_OWN));
    const mcd_profile_row *const access =
        decide_access(profile, side->values, profile->keys.access[direction], named);
    if (access ? access->access == MCD_ACCESS_CLOSED : named || side->road->flags & MCD_PROFILE_PERMIT)
        return false;
    set_access(out, direction, access);
    out->speed_kmh[direction] = choose_speed(profile, side, access ? access->number : 0, &out->odd_speed);
    return true;
}

/* As one who walks and pushes, if the profile says that its traveller may, and walking is open. */
static void push(const mcd_profile *profile, const way_side *side, mcd_passage *out)
{
    const int direction = side->direction;
    const bool named = side->named || side->road->flags & MCD_PROFILE_RIDDEN;
    const mcd_profile_row *const access = decide_access(
        profile, side->values, profile->keys.push_access[direction], named ? MCD_PROFILE_NAMED : 0);
    const bool ferry = side->road->flags & MCD_PROFILE_FERRY;
    if (profile->push_kmh == 0) return;
    if (ferry && (!(side->road->flags & MCD_PROFILE_NAMED) ||
                  decide_access(profile, side->values, profile->keys.access[direction], MCD_PROFILE_NAMED)))
        return; /* it does not take what one rides */
    if (access ? access->access == MCD_ACCESS_CLOSED : named) return;
    set_access(out, direction, access);
    out->speed_kmh[direction] = choose_speed(profile, side, profile->push_kmh, &out->odd_speed);
    out->pushed[direction] = true;
}

/* Whether a measure that could close the way cannot be read. */
static bool is_unread(const mcd_profile *profile, const tag_values *values)
{
    const mcd_profile_rows *const rows = &profile->table[MCD_PROFILE_CLOSED];
    bool unread = false;
    if (!has_key(values, MCD_PROFILE_CLOSED)) return false;
    for (const mcd_profile_row *row = rows->row; row < rows->row + rows->count && !unread; ++row) {
        const char *const value = row->bound > 0 ? values->at[row->place] : NULL;
        unread = value && !mcd_tag_is_unlimited(value) &&
                 (*row->value == '<' ? mcd_tag_length(value) == 0 : mcd_tag_greatest(value, row->key) < 0);
    }
    return unread;
}

/* Whether an access tag, but not of lanes, or a one-way tag that means nothing is more specific than those that decide. */
static bool has_odd_access(const mcd_profile *profile, const tag_values *values)
{
    const char *value = NULL;
    directions open;
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction)
        for (const mcd_profile_access_key *at = profile->keys.access[direction]; at->key; ++at) {
            if (!(value = values->at[at->key])) continue;
            if (find_access(profile, value, at->lanes)) break;
            if (!at->lanes) return true;
        }
    value = first_value(profile->keys.oneway, values);
    return value && !read_oneway(value, &open);
}

mcd_way_use mcd_profile_way(const mcd_profile *profile, const mcd_tags *tags, mcd_passage *out,
                            mcd_limits *limits)
{
    *out = (mcd_passage){0};
    tag_values read;
    const tag_values *const values = read_tags(profile, tags, &read);
    mcd_profile_row road;
    if (!find_road(profile, values, &road)) return MCD_WAY_NO_ROAD;
    const bool area = equals(values->at[profile->keys.area], "yes");
    if (area && profile->areas == MCD_AREAS_SKIPPED) return MCD_WAY_AREA;
    unsigned named = 0;
    mcd_profile_limits(limits, profile, tags);
    if (!(road.flags & MCD_PROFILE_FERRY) && is_closed(profile, values, false, &named)) return MCD_WAY_CLOSED;
    const directions open = open_directions(profile, values, tags, &road);
    /* One-way rules are for vehicles, except around a roundabout. */
    const bool around = equals(values->at[profile->keys.junction], "roundabout");
    const directions walked =
        find_oneway(profile->keys.push_oneway, values, around ? open : (directions){{true, true}});
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction) {
        if (limits->too_small[direction]) continue;
        const bool two_way = open.open[MCD_FORWARD] && open.open[MCD_BACKWARD];
        const way_side side = {&road, values, direction, two_way, named & ~(unsigned)MCD_PROFILE_REPORTED};
        const bool rides = open.open[direction] && ride(profile, &side, out);
        if (!rides && walked.open[direction]) push(profile, &side, out);
        out->preference[direction] = choose_preference(profile, &side);
        if (charges(profile, values, direction)) out->flags[direction] |= MACADAM_ROAD_TOLL;
    }
    if (out->speed_kmh[MCD_FORWARD] == 0 && out->speed_kmh[MCD_BACKWARD] == 0) return MCD_WAY_CLOSED;
    out->ferry = (road.flags & MCD_PROFILE_FERRY) != 0;
    out->area = area && profile->areas == MCD_AREAS_CROSSED;
    out->class_kmh = road.number;
    const char *const duration = values->at[profile->keys.duration];
    if (duration && (out->ferry || mcd_tags_has(tags, "bridge", "movable")))
        out->duration_s = mcd_tag_duration(duration);
    out->odd_access = has_odd_access(profile, values);
    out->odd_measure = is_unread(profile, values) || named & MCD_PROFILE_REPORTED ||
                       (out->ferry && duration && out->duration_s == 0);
    return MCD_WAY_OPEN;
}

/* ---- turn restrictions ---- */

/* Whether `list` ("bus;bicycle") names one of the profile's modes. */
static bool names_mode(const mcd_profile *profile, const char *list)
{
    while (*list) {
        const size_t length = strcspn(list, ";, ");
        for (const char *const *mode = profile->mode; *mode; ++mode)
            if (strlen(*mode) == length && strncmp(*mode, list, length) == 0) return true;
        list += length;
        list += strspn(list, ";, ");
    }
    return false;
}

bool mcd_profile_is_excepted(const mcd_profile *profile, const mcd_tags *tags)
{
    const char *const except = mcd_tags_get(tags, "except");
    return except && names_mode(profile, except);
}

const char *mcd_profile_restriction(const mcd_profile *profile, const mcd_tags *tags, const char *mode,
                                    const char *suffix)
{
    const char *const type = mcd_tags_get(tags, "type"), *const of_mode = type ? strchr(type, ':') : NULL;
    if (mode) return mcd_tags_get_joined(tags, "restriction", mode, suffix);
    const bool binds = of_mode ? names_mode(profile, of_mode + 1) : !profile->own_restrictions;
    if (!binds) return NULL;
    return suffix ? mcd_tags_get_joined(tags, "restriction", suffix, NULL)
                  : mcd_tags_get(tags, "restriction");
}
