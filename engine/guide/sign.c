/* sign.c - see sign.h. */
#include "engine/guide/sign.h"

#include <string.h>

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- names ---- */

/* Returns whether one name is the other with a word before or after it: "Main Street", "Main Street
 * North". */
static bool is_extended(const char *one, const char *other)
{
    const size_t a = strlen(one), b = strlen(other);
    const char *const large = a > b ? one : other, *const small = a > b ? other : one;
    const size_t more = a > b ? a - b : b - a;
    if (strlen(small) == 0 || more < 2) return false;
    return (starts_with(large, small) && large[strlen(small)] == ' ') ||
           (strcmp(large + more, small) == 0 && large[more - 1] == ' ');
}

/* Skips the words at the start of a name, or at its end, that say only which part of a road it is. */
static const char *skip_compass(const char *name, size_t *length)
{
    static const char *const word[] = {"N",         "E",         "S",         "W",        "NE",    "NW",
                                       "SE",        "SW",        "North",     "East",     "South", "West",
                                       "Northeast", "Northwest", "Southeast", "Southwest"};
    *length = strlen(name);
    for (size_t i = 0; i < sizeof word / sizeof word[0]; ++i) {
        const size_t letters = strlen(word[i]);
        if (*length <= letters + 1) continue;
        const char *const last = name + *length - letters;
        if (starts_with(name, word[i]) && name[letters] == ' ')
            name += letters + 1, *length -= letters + 1;
        else if (last[-1] == ' ' && strncmp(last, word[i], letters) == 0)
            *length -= letters + 1;
    }
    return name;
}

/* Returns whether names differ only by the part of the road: "West 42nd Street", "East 42nd Street". */
static bool is_same_road(const char *one, const char *other)
{
    size_t length, other_length;
    one = skip_compass(one, &length), other = skip_compass(other, &other_length);
    return length == other_length && strncmp(one, other, length) == 0;
}

/* Returns whether two lists of refs have one in common. */
static bool share_ref(const char *one, const char *other)
{
    while (*one) {
        const size_t length = strcspn(one, ";");
        for (const char *at = other; *at; at += strcspn(at, ";"), at += strspn(at, "; "))
            if (strcspn(at, ";") == length && strncmp(at, one, length) == 0) return true;
        one += length;
        one += strspn(one, "; ");
    }
    return false;
}

bool mcd_sign_agree(const mcd_arc_facts *facts, const mcd_kind *from, const mcd_kind *to, mcd_kind_text text)
{
    const char *const one = mcd_sign_text(facts, from, text), *const other = mcd_sign_text(facts, to, text);
    if (text == MCD_KIND_REF) return share_ref(one, other);
    const bool spans = (from->flags | to->flags) & (MACADAM_ROAD_BRIDGE | MACADAM_ROAD_TUNNEL);
    return is_extended(one, other) || is_same_road(one, other) ||
           (spans && (starts_with(one, other) || starts_with(other, one))); /* "Highstreetbridge" */
}

bool mcd_sign_changes(const mcd_arc_facts *facts, const mcd_kind *from, const mcd_kind *to)
{
    const bool named = from->text[MCD_KIND_NAME], numbered = from->text[MCD_KIND_REF];
    if (mcd_sign_stays(facts, from, to)) return false;
    if (to->text[MCD_KIND_NAME]) return true;
    return to->text[MCD_KIND_REF] && (numbered || !named); /* a name does not end where a number comes */
}

/* ---- classes ---- */

/* The classes of OpenStreetMap's roads, by rank. */
static const struct {
    const char *name;
    int rank;
} class[] = {
    {"motorway", 0},
    {"trunk", 2},
    {"primary", 4},
    {"secondary", 6},
    {"tertiary", 8},
    {"unclassified", 10},
    {"residential", 10},
    {"road", 10},
    {"living_street", 11},
    {"ferry", 10},
    {"train", 10},
    {"busway", 12},
    {"service", MCD_RANK_SERVICE},
    {"track", 16},
};
enum { CLASSES = sizeof class / sizeof class[0] };

static int rank_of(const char *name, bool is_link)
{
    for (size_t i = 0; i < CLASSES; ++i)
        if (starts_with(name, class[i].name)) return class[i].rank + is_link;
    return MCD_RANK_PATH;
}

bool mcd_sign_is_class(const char *name)
{
    static const char *const path[] = {"bridleway", "corridor", "cycleway",   "elevator",
                                       "footway",   "path",     "pedestrian", "steps"};
    for (size_t i = 0; i < CLASSES; ++i) {
        const char *const more = name + strlen(class[i].name);
        if (starts_with(name, class[i].name) && (!*more || strcmp(more, "_link") == 0)) return true;
    }
    for (size_t i = 0; i < sizeof path / sizeof path[0]; ++i)
        if (strcmp(path[i], name) == 0) return true;
    return false;
}

mcd_sign mcd_sign_of(const mcd_arc_facts *facts, const mcd_kind *kind)
{
    const char *const name = mcd_sign_text(facts, kind, MCD_KIND_CLASS);
    const bool is_link = kind->flags & MACADAM_ROAD_LINK,
               is_major = starts_with(name, "motorway") || starts_with(name, "trunk");
    return (mcd_sign){.rank = (uint8_t)rank_of(name, is_link),
                      .is_ramp = is_link && is_major,
                      .is_motorway = !is_link && (is_major || kind->flags & MACADAM_ROAD_MOTORWAY)};
}
