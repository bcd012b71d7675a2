/* text.c - a step as a sentence (macadam_step_text, macadam_route_text).
 *
 * A language is a file of lines "KEY = SENTENCE" (engine/guide/language/). The key of a step is its type and modifier,
 * its type and side (left, right), or only its type. In a sentence, {slot} is replaced, and [one|other] by its first
 * part whose slots all have a value, or by nothing. A slot's value may be a line of the language with slots of its
 * own: "name and ref", "in" around a sentence. The first letter of the whole becomes a capital. */
#include "engine/base/options.h"
#include "engine/base/utf8.h"
#include "engine/guide/bearing.h"
#include "engine/guide/languages.h"

#include <stdio.h>
#include <string.h>

enum {
    KEY_BYTES = 48,
    WORD_BYTES = 16,
    POINTS = 8,
    WHOLE = 360,
    LINES = 3,
    PLACES = 2,
    ORDINALS = 10,
    SMALL_MAX = 975,
    DISTANCE_MAX_M = 100000000
};

/* A part of a text, without NUL. */
typedef struct span {
    const char *at;
    size_t length;
} span;

typedef struct sentence_writer {
    span language; /* its file */
    const macadam_step *step;
    size_t stop;      /* the number of the waypoint of an arrival; 0: not said */
    bool is_entered;  /* the step before said which exit of the roundabout is taken */
    bool is_renamed;  /* the step before did not say the road's name */
    bool is_quoted;   /* the road's name stands between quotation marks */
    span lanes;       /* which to use; empty: not said */
    const char *unit; /* the key of the distance's unit; NULL: no distance is said */
    span line[LINES]; /* the sentence, and what it is said in, from the outside in */
    size_t line_count, next_line;
    char number[WORD_BYTES], exit[WORD_BYTES];
    char *out;
    size_t used, capacity;
} sentence_writer;

/* ---- the file ---- */

/* Returns the i-th word of a list "one, other"; empty if there are fewer. */
static span find_word(span list, size_t i)
{
    const char *at = list.at, *const end = list.at + list.length;
    for (; i > 0 && at < end; --i) {
        while (at < end && *at != ',') ++at;
        while (at < end && (*at == ',' || *at == ' ')) ++at;
    }
    const char *last = at;
    while (last < end && *last != ',') ++last;
    return (span){at, (size_t)(last - at)};
}

/* ---- slots ---- */

static span text_span(const char *text)
{
    return (span){text, strlen(text)};
}

/* Returns what follows "KEY = " in the sentence's language; empty if there is no such line. */
static span line_of(const sentence_writer *sentence, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = sentence->language.at; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, key, length) == 0 && strncmp(line + length, " = ", 3) == 0)
            return (span){line + length + 3, strcspn(line + length + 3, "\n")};
    return (span){"", 0};
}

/* Returns the side of the step's direction: "left", "right", or "". */
static const char *side_of(const macadam_step *step)
{
    static const char *const side[] = {"left", "", "right"};
    return side[mcd_modifier_side(step->modifier) + 1];
}

/* The first of a road's names or numbers "A;B": signs show it first. */
static span first_of(const char *list)
{
    return (span){list, strcspn(list, ";")};
}

/* Returns whether a name has the number in it, with or without spaces. */
static bool has_ref(const char *name, span ref)
{
    for (; *name; ++name) {
        size_t i = 0;
        for (const char *at = name; i < ref.length && (ref.at[i] == ' ' || *at == ref.at[i] || *at == ' ');)
            if (ref.at[i] == ' ')
                ++i;
            else
                i += *at++ == ref.at[i];
        if (i == ref.length) return true;
    }
    return false;
}

/* Returns the first places of "A 4, E 64: Milano, Torino". */
static span first_places(const char *sign)
{
    const char *const after = strstr(sign, ": "), *const first = after ? after + 2 : sign, *end = first;
    for (int i = 0; i < PLACES && *end; ++i) end += (i > 0) + strcspn(end + (i > 0), ",");
    return (span){first, (size_t)(end - first)};
}

/* Returns whether the first of a name's words is in a list "One, Other". */
static bool starts_with(const char *name, span list)
{
    const size_t length = strcspn(name, " ");
    const char *at = list.at, *const end = list.at + list.length;
    for (; at < end && name[length]; at += strcspn(at, ",\n"), at += strspn(at, ", "))
        if (strcspn(at, ",\n") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

/* Returns whether a sign shows first the number of the road that the sentence names: ramps are not named beside it. */
static bool repeats_ref(const macadam_step *step)
{
    const span ref = first_of(step->facts->ref);
    const char *const sign = step->facts->destination;
    return step->type != MACADAM_MANEUVER_ON_RAMP && step->type != MACADAM_MANEUVER_OFF_RAMP && ref.length &&
           strncmp(sign, ref.at, ref.length) == 0 && strchr(",:", sign[ref.length]);
}

/* A slot holds the line of a key or, if `word` is not 0, a word of that list; without a key, the text. */
typedef struct slot_row {
    const char *name;
    span text;
    const char *key;
    size_t word;
} slot_row;

static span slot_value(sentence_writer *sentence, span slot)
{
    const macadam_step *const step = sentence->step;
    const macadam_road_facts *const facts = step->facts;
    const span none = {"", 0}, ref = first_of(facts->ref), street = first_of(facts->name);
    const bool has_places = strstr(facts->destination, ": "), repeats = repeats_ref(step);
    const span places = repeats && !has_places ? none : first_places(facts->destination);
    const span route =
        has_places && !repeats ? (span){facts->destination, strcspn(facts->destination, ",:")} : none;
    const char *const side = side_of(step), *const usual = step->drives_left ? "left" : "right";
    const char *const quoted = sentence->is_quoted ? "quoted" : NULL;
    const char *const both =
        street.length && ref.length && !has_ref(facts->name, ref) ? "name and ref" : quoted;
    const unsigned point = (step->bearing_after + WHOLE / POINTS / 2) % WHOLE / (WHOLE / POINTS);
    const bool right = *side == 'r', odd = *side && strcmp(side, usual) != 0,
               counts = step->exit && !sentence->is_entered;
    const char *const ordinal = step->exit > ORDINALS ? "ordinal" : "ordinals", *const on_side =
                                                                                    right ? "on the right"
                                                                                          : "on the left";
    const slot_row row[] = {
        {"name", street.length ? street : ref, both, 0},
        {"named", street, both, 0},
        {"numbered", street.length ? none : ref, NULL, 0},
        {"street", street, quoted, 0},
        {"words", street, NULL, 0},
        {"ref", ref, NULL, 0},
        {"destination", places, route.length ? "destination" : NULL, 0},
        {"route", route, NULL, 0},
        {"places", places, NULL, 0},
        {"sign", text_span(facts->exit), NULL, 0},
        {"rotary", text_span(step->rotary_name), NULL, 0},
        {"nth", none, counts ? ordinal : NULL, step->exit},
        {"exit", text_span(sentence->exit), NULL, 0},
        {"stop", none, sentence->stop ? "stops" : NULL, sentence->stop},
        {"direction", none, "directions", point + 1},
        {"go", none, "go", step->walks + (size_t)1},
        {"modifier", none, macadam_modifier_name(step->modifier), 0},
        {"side", none, right ? "right side" : "left side", 0},
        {"odd side", none, odd ? on_side : NULL, 0},
        {"lanes", sentence->lanes, NULL, 0},
        {"distance", none, sentence->unit, 0},
        {"number", text_span(sentence->number), NULL, 0},
    };
    for (const slot_row *at = row; at < row + sizeof row / sizeof *row; ++at) {
        if (strlen(at->name) != slot.length || strncmp(at->name, slot.at, slot.length) != 0) continue;
        const span line = at->key ? line_of(sentence, at->key) : at->text;
        return at->word && memchr(line.at, ',', line.length) ? find_word(line, at->word - 1) : line;
    }
    /* {sentence} */
    return sentence->next_line <= sentence->line_count ? sentence->line[sentence->next_line++] : none;
}

/* ---- sentences ---- */

/* Appends a sentence, a part of one, or a value: only text of the language has slots. Returns whether all slots outside
 * brackets have a value. */
static bool fill(sentence_writer *sentence, span text)
{
    const span *const language = &sentence->language;
    const bool is_plain = text.at < language->at || text.at >= language->at + language->length;
    bool full = true, said;
    for (const char *at = text.at, *const end = at + text.length; at < end; ++at) {
        if (*at == '{' && !is_plain) {
            const span slot = {at + 1, strcspn(at + 1, "}")}, value = slot_value(sentence, slot);
            fill(sentence, value);
            full = full && value.length > 0;
            at += slot.length + 1;
        } else if (*at == '[' && !is_plain) { /* the first part that can be said */
            for (said = false; *at != ']'; at = at + 1 + strcspn(at + 1, "|]")) {
                const size_t used = sentence->used;
                said = said || fill(sentence, (span){at + 1, strcspn(at + 1, "|]")});
                if (!said) sentence->used = used;
            }
        } else if (sentence->used + 1 < sentence->capacity) {
            sentence->out[sentence->used++] = *at;
        }
    }
    return full;
}

static span find_sentence(const sentence_writer *sentence)
{
    static const char *const mode[] = {"profile", "ferry", "train", "pushing"};
    const macadam_step *const step = sentence->step;
    const bool changes_mode = step->type == MACADAM_MANEUVER_NOTIFICATION;
    const bool arrives = step->type == MACADAM_MANEUVER_ARRIVE && sentence->unit;
    const bool stays = step->type != MACADAM_MANEUVER_CONTINUE || !sentence->is_renamed;
    const char *const type = changes_mode ? mode[step->mode]
                             : arrives
                                 ? "arriving"
                                 : macadam_maneuver_type_name(stays ? step->type : MACADAM_MANEUVER_TURN);
    const char *const direction[] = {macadam_modifier_name(step->modifier), side_of(step)};
    span line = {"", 0};
    for (size_t i = 0; i < 2 && !line.length; ++i) {
        char key[KEY_BYTES];
        snprintf(key, sizeof key, "%s %s", type, direction[i]);
        line = line_of(sentence, key);
    }
    return line.length ? line : line_of(sentence, type);
}

/* Makes the first letter a capital. */
static void capitalize(char *text)
{
    unsigned char *const first = (unsigned char *)text;
    if (*first >= 'a' && *first <= 'z') *first -= 'a' - 'A';
    if (*first == 0xc3 && first[1] >= 0xa0) first[1] -= 'a' - 'A'; /* "à" to "þ" */
}

/* ---- the public calls ---- */

const char *macadam_language_name(size_t index)
{
    size_t i = 0;
    while (i < index && mcd_language_texts[i].name) ++i;
    return mcd_language_texts[i].name;
}

static macadam_status begin(sentence_writer *out, const char *language, char *text, size_t capacity,
                            macadam_error *error)
{
    const mcd_language_text *row = mcd_language_texts;
    const char *const name = language ? language : "en";
    if (!text || capacity == 0) return mcd_fail_invalid(error, "no step, or no room for its text");
    text[0] = '\0';
    while (row->name && strcmp(row->name, name) != 0) ++row;
    if (!row->name) return mcd_fail_invalid(error, "language \"%.16s\": not known", name);
    *out = (sentence_writer){.language = text_span(row->text), .out = text, .capacity = capacity};
    return MACADAM_OK;
}

static void write_sentence(sentence_writer *sentence)
{
    const bool travels = sentence->step->type > MACADAM_MANEUVER_ARRIVE;
    if (sentence->unit) sentence->line[sentence->line_count++] = line_of(sentence, "in");
    if (sentence->lanes.length && travels)
        sentence->line[sentence->line_count++] = line_of(sentence, "lanes");
    sentence->line[sentence->line_count] = find_sentence(sentence);
    snprintf(sentence->exit, sizeof sentence->exit, "%u", sentence->step->exit);
    sentence->is_quoted = starts_with(sentence->step->facts->name, line_of(sentence, "quoted words"));
    fill(sentence, sentence->line[sentence->next_line++]);
    sentence->out[sentence->used] = '\0';
    sentence->out[mcd_utf8_length(sentence->out, sentence->used)] = '\0'; /* no part of a character */
    capitalize(sentence->out);
}

macadam_status macadam_step_text(char *text, size_t capacity, const macadam_step *step, const char *language,
                                 macadam_error *error)
{
    sentence_writer sentence;
    MCD_TRY(begin(&sentence, language, step ? text : NULL, capacity, error));
    sentence.step = step;
    write_sentence(&sentence);
    return MACADAM_OK;
}

/* ---- steps of a route ---- */

static mcd_point point_of(const macadam_route *route, size_t i)
{
    return (mcd_point){(int32_t)lround(route->lon[i] * 1e7), (int32_t)lround(route->lat[i] * 1e7)};
}

/* Returns the distance from the step before. */
static double metres_from_before(const macadam_step *step, const macadam_route *route)
{
    const macadam_step *const before = step - 1;
    double metres = 0;
    for (size_t i = before->first_shape + 1; i < before->end_shape; ++i)
        metres += mcd_road_length(point_of(route, i - 1), point_of(route, i));
    return metres;
}

/* Notes a distance as a person would say it. */
static void measure(sentence_writer *sentence, double metres, bool imperial)
{
    const double small = imperial ? metres / 0.3048 : metres,
                 large = imperial ? metres / 1609.344 : metres / 1000;
    const double grain = small < 100 ? 10 : 50; /* of metres and feet */
    const bool is_large = small >= SMALL_MAX;
    sentence->unit = is_large ? imperial ? "miles" : "kilometres" : imperial ? "feet" : "metres";
    if (is_large && large < 9.95) {
        const long tenths = lround(large * 10);
        const span point = line_of(sentence, "decimal point");
        snprintf(sentence->number, sizeof sentence->number, tenths % 10 ? "%ld%.*s%ld" : "%ld", tenths / 10,
                 (int)point.length, point.at, tenths % 10);
    } else {
        const double most = fmax(round((is_large ? large : small) / (is_large ? 1 : grain)), 1);
        snprintf(sentence->number, sizeof sentence->number, "%.0f", most * (is_large ? 1 : grain));
    }
}

/* Returns whether two steps go by roads of one name, or of one number without a name. */
static bool repeats_name(const macadam_step *before, const macadam_step *step)
{
    const macadam_road_facts *const one = before->facts, *const other = step->facts;
    return strcmp(one->name, other->name) == 0 && (*one->name || strcmp(one->ref, other->ref) == 0);
}

/* Returns the words for the lanes that lead on, if they are adjacent and there are others; else nothing. */
static span lanes_of(const sentence_writer *sentence, const macadam_route *route)
{
    const macadam_intersection *const at = &route->intersection[sentence->step->first_intersection];
    size_t first = at->first_lane, end = at->end_lane;
    while (first < end && !route->lane[first].valid) ++first;
    while (end > first && !route->lane[end - 1].valid) --end;
    for (size_t i = first; i < end; ++i)
        if (!route->lane[i].valid) return (span){"", 0};
    const size_t left = first - at->first_lane, right = at->end_lane - end;
    if (first == end || left + right == 0 || (left && right && left != right)) return (span){"", 0};
    return find_word(line_of(sentence, !left    ? "left lanes"
                                       : !right ? "right lanes"
                                                : "middle lanes"),
                     end - first - 1);
}

macadam_status macadam_route_text(char *text, size_t capacity, const macadam_route *route, size_t step,
                                  const macadam_text_options *options, macadam_error *error)
{
    macadam_text_options own = MACADAM_TEXT_OPTIONS_INIT;
    sentence_writer sentence;
    size_t leg = 0;
    if (options) MCD_TRY(mcd_options_adopt(&own, sizeof own, options, "text options", error));
    if ((unsigned)own.units > MACADAM_UNITS_IMPERIAL)
        return mcd_fail_invalid(error, "%d is not a macadam_units", (int)own.units);
    if (!(own.distance_m >= 0 && own.distance_m <= DISTANCE_MAX_M))
        return mcd_fail_invalid(error, "distance_m %g is not from 0 to %d", own.distance_m, DISTANCE_MAX_M);
    if (!route || step >= route->step_count)
        return mcd_fail_invalid(error, "the route has no step %zu", step);
    MCD_TRY(begin(&sentence, own.language, text, capacity, error));
    while (route->leg[leg].end_step <= step) ++leg;
    sentence.step = &route->step[step];
    if (sentence.step->type == MACADAM_MANEUVER_ARRIVE && leg + 1 < route->leg_count) sentence.stop = leg + 1;
    if (own.units && step > route->leg[leg].first_step)
        measure(&sentence, own.distance_m > 0 ? own.distance_m : metres_from_before(sentence.step, route),
                own.units == MACADAM_UNITS_IMPERIAL);
    const macadam_maneuver_type before = step > 0 ? sentence.step[-1].type : MACADAM_MANEUVER_DEPART;
    sentence.is_entered = sentence.step->type >= MACADAM_MANEUVER_EXIT_ROUNDABOUT &&
                          (before == MACADAM_MANEUVER_ROUNDABOUT || before == MACADAM_MANEUVER_ROTARY);
    sentence.is_renamed = step > 0 && !repeats_name(&route->step[step - 1], sentence.step);
    if (own.lanes) sentence.lanes = lanes_of(&sentence, route);
    write_sentence(&sentence);
    return MACADAM_OK;
}
