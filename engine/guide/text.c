/* text.c - a step as a sentence (macadam_step_text).
 *
 * A language is a file of lines "KEY = SENTENCE" (engine/guide/language/). The key of a step is its type and modifier,
 * or only its type. In a sentence, {slot} is replaced, and [one|other] by its first part whose slots all have a
 * value, or by nothing. */
#include "engine/base/status.h"
#include "engine/guide/languages.h"

#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 48, WORD_BYTES = 16, POINTS = 8, WHOLE = 360 };

/* A part of a text, without NUL. */
typedef struct span {
    const char *at;
    size_t length;
} span;

typedef struct sentence_writer {
    const char *language; /* its file */
    const macadam_step *step;
    char number[WORD_BYTES];
    char *out;
    size_t used, capacity;
} sentence_writer;

/* ---- the file ---- */

/* Returns what stands after "KEY = ", with a NULL pointer if there is no such line. */
static span find_line(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, key, length) == 0 && strncmp(line + length, " = ", 3) == 0)
            return (span){line + length + 3, strcspn(line + length + 3, "\n")};
    return (span){0};
}

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

static span side_of(const sentence_writer *sentence)
{
    const macadam_modifier modifier = sentence->step->modifier;
    const bool right = modifier >= MACADAM_MODIFIER_SHARP_RIGHT && modifier <= MACADAM_MODIFIER_SLIGHT_RIGHT;
    return find_line(sentence->language, right ? "right side" : "left side");
}

static span nth_of(sentence_writer *sentence)
{
    const uint32_t exit = sentence->step->exit;
    if (exit == 0) return (span){"", 0};
    const span word = find_word(find_line(sentence->language, "ordinals"), exit - 1);
    if (word.length) return word;
    snprintf(sentence->number, sizeof sentence->number, "%u.", exit);
    return text_span(sentence->number);
}

static span direction_of(const sentence_writer *sentence)
{
    const unsigned point = (sentence->step->bearing_after + WHOLE / POINTS / 2) % WHOLE / (WHOLE / POINTS);
    return find_word(find_line(sentence->language, "directions"), point);
}

static span slot_value(sentence_writer *sentence, span slot)
{
    const macadam_road_facts *const facts = sentence->step->facts;
    const struct {
        const char *name;
        const char *text;
    } row[] = {
        {"name", *facts->name ? facts->name : facts->ref},
        {"destination", facts->destination},
        {"sign", facts->exit},
        {"rotary", sentence->step->rotary_name},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
        if (strlen(row[i].name) == slot.length && strncmp(row[i].name, slot.at, slot.length) == 0)
            return text_span(row[i].text);
    if (strncmp(slot.at, "nth", slot.length) == 0) return nth_of(sentence);
    if (strncmp(slot.at, "side", slot.length) == 0) return side_of(sentence);
    if (strncmp(slot.at, "direction", slot.length) == 0) return direction_of(sentence);
    return find_line(sentence->language, macadam_modifier_name(sentence->step->modifier));
}

/* ---- sentences ---- */

static void append(sentence_writer *sentence, span text)
{
    for (size_t i = 0; i < text.length && sentence->used + 1 < sentence->capacity; ++i)
        sentence->out[sentence->used++] = text.at[i];
}

/* Appends `part`; where `writes` is false, only looks. Returns whether all of its slots have a value. */
static bool fill_slots(sentence_writer *sentence, span part, bool writes)
{
    bool full = true;
    for (size_t i = 0; i < part.length; ++i) {
        span text = {part.at + i, 1};
        if (part.at[i] == '{') {
            const span slot = {part.at + i + 1, strcspn(part.at + i + 1, "}")};
            text = slot_value(sentence, slot);
            full = full && text.length > 0;
            i += slot.length + 1;
        }
        if (writes) append(sentence, text);
    }
    return full;
}

/* Appends the first part of "one|other" that can be said. */
static void fill_choice(sentence_writer *sentence, span choice)
{
    const char *const end = choice.at + choice.length;
    for (const char *at = choice.at; at <= end;) {
        const char *last = memchr(at, '|', (size_t)(end - at));
        if (!last) last = end;
        const span part = {at, (size_t)(last - at)};
        if (fill_slots(sentence, part, false)) {
            fill_slots(sentence, part, true);
            return;
        }
        at = last + 1;
    }
}

static void fill(sentence_writer *sentence, span line)
{
    const char *const end = line.at + line.length;
    for (const char *at = line.at; at < end;) {
        const char *const open = memchr(at, '[', (size_t)(end - at));
        const char *const plain_end = open ? open : end;
        fill_slots(sentence, (span){at, (size_t)(plain_end - at)}, true);
        if (!open) return;
        const char *const close = memchr(open, ']', (size_t)(end - open));
        const char *const choice_end = close ? close : end;
        fill_choice(sentence, (span){open + 1, (size_t)(choice_end - open - 1)});
        at = choice_end + 1;
    }
}

static span find_sentence(const sentence_writer *sentence)
{
    static const char *const mode[] = {"profile", "ferry", "train", "pushing"};
    const macadam_step *const step = sentence->step;
    const bool changes_mode = step->type == MACADAM_MANEUVER_NOTIFICATION;
    const char *const type = changes_mode ? mode[step->mode] : macadam_maneuver_type_name(step->type);
    char key[KEY_BYTES];
    snprintf(key, sizeof key, "%s %s", type, macadam_modifier_name(step->modifier));
    const span own = find_line(sentence->language, key);
    return own.at ? own : find_line(sentence->language, type);
}

/* Returns how many of the bytes are whole characters of UTF-8. */
static size_t whole_characters(const char *text, size_t bytes)
{
    size_t last = bytes;
    while (last > 0 && ((unsigned char)text[last - 1] & 0xc0) == 0x80) --last;
    if (last == 0) return bytes;
    const unsigned char lead = (unsigned char)text[last - 1];
    const size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return bytes - (last - 1) < length ? last - 1 : bytes;
}

/* ---- the public calls ---- */

const char *macadam_language_name(size_t index)
{
    size_t i = 0;
    while (i < index && mcd_language_texts[i].name) ++i;
    return mcd_language_texts[i].name;
}

macadam_status macadam_step_text(const macadam_step *step, const char *language, char *text, size_t capacity,
                                 macadam_error *error)
{
    const mcd_language_text *row = mcd_language_texts;
    const char *const name = language ? language : "en";
    if (!step || !text || capacity == 0)
        return mcd_fail(error, MACADAM_E_INVALID, "no step, or no room for its text");
    text[0] = '\0';
    while (row->name && strcmp(row->name, name) != 0) ++row;
    if (!row->name) return mcd_fail(error, MACADAM_E_INVALID, "language \"%.16s\": not known", name);
    sentence_writer sentence = {.language = row->text, .step = step, .out = text, .capacity = capacity};
    fill(&sentence, find_sentence(&sentence));
    text[whole_characters(text, sentence.used)] = '\0';
    return MACADAM_OK;
}
