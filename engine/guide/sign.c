/* sign.c - see sign.h. */
#include "engine/guide/sign.h"
#include "engine/base/memory.h"

#include <ctype.h>
#include <stdio.h>

enum { COMPARED = 4096 /* pairs of names that are remembered */, WORDS_MAX = 24 /* of a name */ };

static bool starts_with(const char *text, const char *start)
{
    return *text == *start && strncmp(text, start, strlen(start)) == 0; /* most begin otherwise */
}

/* ---- names ---- */

typedef struct word {
    const char *at;
    size_t length;
} word;

static bool is_compass(word own)
{
    static const char points[] =
        " N E S W NE NW SE SW North East South West Northeast Northwest Southeast Southwest ";
    char padded[16]; /* longer than all of them */
    const size_t length = own.length < sizeof padded ? own.length : sizeof padded;
    snprintf(padded, sizeof padded, " %.*s ", (int)length, own.at);
    return strstr(points, padded);
}

/* Splits a name, without the words at its ends that say only which part of a road it is: "West 42nd Street". */
static size_t split(word out[WORDS_MAX], const char *name)
{
    size_t count = 0;
    for (name += strspn(name, " "); *name && count < WORDS_MAX; name += strspn(name, " ")) {
        out[count] = (word){name, strcspn(name, " ")};
        name += out[count++].length;
    }
    if (count > 1 && is_compass(out[count - 1])) --count;
    if (count > 1 && is_compass(out[0])) memmove(out, out + 1, --count * sizeof *out);
    return count;
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Returns whether a letter of two bytes is `plain` with a diacritic. */
static bool is_accented(const char *letter, char plain)
{
    /* of U+00C0 to U+017F; a space: no single letter */
    static const char bare[] = "aaaaaa ceeeeiiiidnooooo ouuuuy  aaaaaa ceeeeiiiidnooooo ouuuuy y"
                               "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii  jjkkklllllll"
                               "lllnnnnnnnnnoooooo  rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
    const unsigned first = (unsigned char)letter[0], second = (unsigned char)letter[1];
    return first >= 0xc3 && first <= 0xc5 && bare[(first - 0xc3) * 64 + second % 64] == lower(plain);
}

/* Returns whether a word stands for longer ones ("Str."); the number of an order ("1.") does not. */
static bool is_abbreviation(word own)
{
    return own.length > 1 && own.at[own.length - 1] == '.' && !isdigit((unsigned char)own.at[own.length - 2]);
}

/* Returns whether two words are one, but for capitals, diacritics that one has, an abbreviation ("Str.") or, if `spans`,
 * more letters at the end ("Hauptstraßenbrücke"). */
static bool is_one_word(word a, word b, bool spans)
{
    const bool is_short = is_abbreviation(a), is_other_short = is_abbreviation(b);
    const char *x = a.at, *y = b.at;
    const char *const x_end = x + a.length - is_short, *const y_end = y + b.length - is_other_short;
    for (; x < x_end && y < y_end; ++x, ++y) {
        const bool x_accented = is_accented(x, *y), y_accented = is_accented(y, *x);
        if (lower(*x) != lower(*y) && !x_accented && !y_accented) return false;
        x += x_accented;
        y += y_accented;
    }
    return (x == x_end || is_other_short || spans) && (y == y_end || is_short || spans);
}

/* Returns whether two names are one, but for their spelling, for words before or after it ("Main Street", "Old Main
 * Street") and for one word in it ("Via Marconi", "Via Guglielmo Marconi"). */
static bool is_one_name(const char *one, const char *other, bool spans)
{
    word a[WORDS_MAX], b[WORDS_MAX];
    const size_t count = split(a, one), other_count = split(b, other);
    const size_t least = count < other_count ? count : other_count;
    const bool is_generic = least == 1 && strchr(count == 1 ? one : other, ' ');
    size_t first = 0, last = 0;
    if (count != other_count && is_generic) return false; /* the "Street" of "West Street" */
    while (first < least && is_one_word(a[first], b[first], spans)) ++first;
    while (first + last < least && is_one_word(a[count - 1 - last], b[other_count - 1 - last], false)) ++last;
    const bool is_within = first < least && last < least;
    return least > 0 && first + last == least && (!is_within || count + other_count == 2 * least + 1);
}

/* Returns the length of the first name or ref of a list, without the point of the compass at its end: "I 80 West". */
static size_t item_length(const char *list)
{
    const size_t length = strcspn(list, ";");
    size_t last = length;
    while (last > 0 && list[last - 1] != ' ') --last;
    return last > 1 && is_compass((word){list + last, length - last}) ? last - 1 : length;
}

#define FOR_EACH_ITEM(at, list)                                                                              \
    for (const char *at = (list); *at; at += strcspn(at, ";"), at += strspn(at, "; "))

/* Returns whether two lists of names or refs have one in common. */
static bool share_item(const char *one, const char *other)
{
    FOR_EACH_ITEM(item, one)
    FOR_EACH_ITEM(at, other)
    if (item_length(at) == item_length(item) && strncmp(at, item, item_length(item)) == 0) return true;
    return false;
}

/* Text is compared once for two names, and then known. */
bool mcd_sign_agree(const mcd_signs *signs, const mcd_kind *from, const mcd_kind *to, mcd_kind_text text)
{
    const uint32_t a = from->text[text], b = to->text[text], low = a < b ? a : b, high = a < b ? b : a;
    const uint64_t yes = (uint64_t)low << 32 | high, no = (uint64_t)high << 32 | low;
    _Atomic uint64_t *const pair = &signs->compared[(low * 0x9e3779b1u ^ high * 0x85ebca6bu) % COMPARED];
    const bool spans = (from->flags | to->flags) & (MACADAM_ROAD_BRIDGE | MACADAM_ROAD_TUNNEL);
    const bool keeps = text == MCD_KIND_NAME && !spans;
    const uint64_t known = keeps ? atomic_load_explicit(pair, memory_order_relaxed) : 0;
    if (known == yes || known == no) return known == yes;
    const char *const one = mcd_sign_text(signs->facts, from, text);
    const char *const other = mcd_sign_text(signs->facts, to, text);
    const bool agree = share_item(one, other) || (text == MCD_KIND_NAME && is_one_name(one, other, spans));
    if (keeps) atomic_store_explicit(pair, agree ? yes : no, memory_order_relaxed);
    return agree;
}

bool mcd_sign_changes(const mcd_signs *signs, const mcd_kind *from, const mcd_kind *to)
{
    const bool named = from->text[MCD_KIND_NAME], numbered = from->text[MCD_KIND_REF];
    if (mcd_sign_stays(signs, from, to)) return false;
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

static macadam_mode mode_of(const mcd_kind *kind)
{
    if (kind->flags & MACADAM_ROAD_FERRY) return MACADAM_MODE_FERRY;
    if (kind->flags & MACADAM_ROAD_TRAIN) return MACADAM_MODE_TRAIN;
    return kind->flags & MACADAM_ROAD_PUSHED ? MACADAM_MODE_PUSHING : MACADAM_MODE_PROFILE;
}

static mcd_sign read_sign(const mcd_signs *signs, const mcd_kind *kind)
{
    const char *const name = mcd_sign_text(signs->facts, kind, MCD_KIND_CLASS);
    const bool is_link = kind->flags & MACADAM_ROAD_LINK,
               is_major = starts_with(name, "motorway") || starts_with(name, "trunk");
    return (mcd_sign){.rank = (uint8_t)rank_of(name, is_link),
                      .mode = (uint8_t)mode_of(kind),
                      .is_ramp = is_link && is_major,
                      .is_motorway = !is_link && (is_major || kind->flags & MACADAM_ROAD_MOTORWAY)};
}

macadam_status mcd_signs_new(mcd_signs *out, const mcd_roads *roads, macadam_error *error)
{
    MCD_FREED_BY(mcd_signs_free) mcd_signs made = {.facts = roads->facts};
    const size_t count = roads->facts->kind_count;
    *out = (mcd_signs){0};
    MCD_TRY(MCD_NEW_ZEROED(made.compared, COMPARED, error));
    MCD_TRY(MCD_NEW(made.of_kind, count, error));
    for (size_t kind = 0; kind < count; ++kind)
        made.of_kind[kind] = read_sign(&made, &roads->facts->kind[kind]);
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_signs_free, mcd_signs, it->of_kind, it->compared)
