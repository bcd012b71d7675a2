/* profile_file.c - see profile_file.h. Tables hold the meanings of settings and of the rows of sections. */
#include "importers/osm/rules/profile_file.h"
#include "engine/base/grow.h"
#include "importers/base/lines.h"
#include "importers/osm/rules/tag_number.h"
#include "importers/osm/rules/profiles.h"
#include "engine/base/memory.h"
#include "engine/base/utf8.h"

#include <math.h>
#include <stdio.h>

enum {
    LINE_BYTES = 512,
    TEXT_BYTES = 1 << 16,  /* of all strings of a profile */
    SPEED_MOST_KMH = 1000, /* more is a mistake */
    MEASURE_MOST = 1000,   /* metres, tonnes, times as long */
    DEPTH_MOST = 4,        /* profiles that are like each other */
};

typedef struct profile_reader {
    mcd_profile *profile;
    mcd_lines lines;
    char line[LINE_BYTES]; /* a copy of the current one, cut into words */
    char *rest;            /* of the line: what no word was taken from yet */
    const char *section;   /* of rows; NULL before the first section */
    bool in_turns;         /* the setting before this one was a turn, too */
    bool begun;            /* a setting or a section has been read */
    unsigned depth;        /* how many profiles are like this one so far */
    const char *key;       /* of the section */
    mcd_profile_table table;
    unsigned list; /* of the keys that are added: a table's, or one of mcd_profile_list */
} profile_reader;
/* Fails with the present line of the file. */
#define fail(reader, ...) mcd_lines_fail(&(reader)->lines, __VA_ARGS__)

/* ---- words ---- */

static macadam_status copy_line(profile_reader *reader, const char *line, macadam_error *error)
{
    const size_t length = strcspn(line, "#");
    if (length >= LINE_BYTES) return fail(reader, error, "more than %d characters", LINE_BYTES - 1);
    memcpy(reader->line, line, length);
    reader->line[length] = '\0';
    reader->rest = reader->line + strspn(reader->line, " \t");
    return MACADAM_OK;
}

static macadam_status need_word(profile_reader *reader, const char **word, const char *what,
                                macadam_error *error)
{
    *word = mcd_lines_word(&reader->rest);
    return *word ? MACADAM_OK : fail(reader, error, "%s is missing", what);
}

static macadam_status expect_end(profile_reader *reader, macadam_error *error)
{
    const char *const word = mcd_lines_word(&reader->rest);
    return word ? fail(reader, error, "\"%s\" is too much", word) : MACADAM_OK;
}

/* A copy that lives as long as the profile; NULL if there is no room. */
static macadam_status keep_word(profile_reader *reader, const char *word, const char **kept,
                                macadam_error *error)
{
    mcd_profile *const profile = reader->profile;
    const size_t bytes = strlen(word) + 1;
    if (bytes > TEXT_BYTES - profile->text_bytes)
        return fail(reader, error, "a profile of more than %d characters", TEXT_BYTES);
    *kept = memcpy(profile->text + profile->text_bytes, word, bytes);
    profile->text_bytes += bytes;
    return MACADAM_OK;
}

/* Above 0, or 0 where `zero` is allowed. */
static macadam_status parse_number(profile_reader *reader, const char *word, bool zero, double most,
                                   double *number, macadam_error *error)
{
    const char *end;
    *number = mcd_tag_decimal(word, &end);
    if (end == word || *end) return fail(reader, error, "\"%s\" is not a number", word);
    if (*number > most || (*number == 0 && !zero))
        return fail(reader, error, "%s is not between 0 and %g", word, most);
    return MACADAM_OK;
}

static macadam_status need_number(profile_reader *reader, const char *what, bool zero, double most,
                                  double *number, macadam_error *error)
{
    const char *word;
    MCD_TRY(need_word(reader, &word, what, error));
    return parse_number(reader, word, zero, most, number, error);
}

/* The place of `word` in a list that ends with NULL. */
static macadam_status parse_choice(profile_reader *reader, const char *word, const char *const *choice,
                                   unsigned *place, macadam_error *error)
{
    for (*place = 0; choice[*place]; ++*place)
        if (strcmp(choice[*place], word) == 0) return MACADAM_OK;
    return fail(reader, error, "\"%s\" is not known here", word);
}

/* ---- settings ---- */

static macadam_status set_name(profile_reader *reader, macadam_error *error)
{
    const char *word;
    MCD_TRY(need_word(reader, &word, "the name", error));
    if (mcd_utf8_length(word, strlen(word) + 1) <= strlen(word))
        return fail(reader, error, "the name is not UTF-8");
    return keep_word(reader, word, &reader->profile->name, error);
}

static macadam_status read_modes(profile_reader *reader, const char **mode, macadam_error *error)
{
    const char *word;
    MCD_TRY(need_word(reader, &word, "an access key", error));
    for (size_t count = 0; word; word = mcd_lines_word(&reader->rest)) {
        if (count == MCD_PROFILE_MODES) return fail(reader, error, "more than %d modes", MCD_PROFILE_MODES);
        MCD_TRY(keep_word(reader, word, &mode[count], error));
        mode[++count] = NULL;
    }
    return MACADAM_OK;
}

static macadam_status set_modes(profile_reader *reader, macadam_error *error)
{
    return read_modes(reader, reader->profile->mode, error);
}

static macadam_status set_pushed(profile_reader *reader, macadam_error *error)
{
    MCD_TRY(need_number(reader, "the speed", false, SPEED_MOST_KMH, &reader->profile->push_kmh, error));
    return read_modes(reader, reader->profile->push_mode, error);
}

static macadam_status set_turn(profile_reader *reader, macadam_error *error)
{
    static const char *const what[] = {"the angle", "the time to the near side", "the time across"};
    mcd_profile *const profile = reader->profile;
    double number[3];
    if (!reader->in_turns) profile->turn_count = 0;
    for (size_t i = 0; i < 3; ++i)
        MCD_TRY(need_number(reader, what[i], i > 0, i > 0 ? MCD_PROFILE_WAIT_MAX : 180, &number[i], error));
    if (profile->turn_count == MCD_PROFILE_TURNS)
        return fail(reader, error, "more than %d turns", MCD_PROFILE_TURNS);
    if (profile->turn_count && profile->turn[profile->turn_count - 1].degrees >= number[0])
        return fail(reader, error, "%g degrees do not ascend", number[0]);
    profile->turn[profile->turn_count++] = (mcd_profile_turn){number[0], number[1], number[2]};
    return MACADAM_OK;
}

static macadam_status set_slopes(profile_reader *reader, macadam_error *error)
{
    enum { MOST = 10000 };
    static const char *const choice[] = {"ignored", "walked", "ridden", NULL};
    mcd_profile_rider *const rider = &reader->profile->rider;
    double *const number[] = {&rider->power_w, &rider->mass_kg, &rider->drag_m2, &rider->fastest};
    static const char *const what[] = {"the power in watts", "the mass in kg", "the drag area in m2",
                                       "the multiple of the level speed"};
    const char *word;
    MCD_TRY(need_word(reader, &word, "the choice", error));
    MCD_TRY(parse_choice(reader, word, choice, &reader->profile->slopes, error));
    for (size_t i = 0; i < 4 && reader->profile->slopes == MCD_SLOPES_RIDDEN; ++i)
        MCD_TRY(need_number(reader, what[i], false, MOST, number[i], error));
    return MACADAM_OK;
}

static const mcd_profile_text *find_text(const char *name)
{
    const mcd_profile_text *text = mcd_profile_texts;
    while (text->name && strcmp(text->name, name) != 0) ++text;
    return text->name ? text : NULL;
}

static macadam_status read_text(profile_reader *reader, const char *name_or_path, macadam_error *error);

/* Takes over what another profile says, except for its name. Rows of this profile then replace the other's. */
static macadam_status set_like(profile_reader *reader, macadam_error *error)
{
    const char *word;
    mcd_profile *const profile = reader->profile;
    if (reader->begun) return fail(reader, error, "this line must be the first one");
    MCD_TRY(need_word(reader, &word, "the name of a profile", error));
    if (!find_text(word) && !strpbrk(word, "/."))
        return fail(reader, error, "there is no profile \"%s\"", word);
    if (reader->depth == DEPTH_MOST)
        return fail(reader, error, "more than %d profiles are like each other", DEPTH_MOST);
    profile_reader other = {.profile = profile, .depth = reader->depth + 1};
    MCD_TRY(read_text(&other, word, error));
    for (size_t table = 0; table < MCD_PROFILE_TABLES; ++table)
        for (size_t i = 0; i < profile->table[table].count; ++i)
            profile->table[table].row[i].inherited = true;
    profile->name = NULL;
    return MACADAM_OK;
}

/* A setting is a choice of words or a number, or has a function of its own. */
typedef struct setting {
    const char *name;
    macadam_status (*set)(profile_reader *reader, macadam_error *error);
    size_t offset;         /* of the unsigned that holds the choice, or of the double */
    const char *choice[4]; /* of a number: its name */
    double most;           /* of a number; it may be 0 unless it is a speed */
} setting;

#define OWN(function)              function, 0, {NULL}, 0
#define CHOICE(member, ...)        NULL, offsetof(mcd_profile, member), {__VA_ARGS__, NULL}, 0
#define NUMBER(member, what, most) NULL, offsetof(mcd_profile, member), {what}, most
static const setting settings[] = {
    {"like", OWN(set_like)},
    {"name", OWN(set_name)},
    {"modes", OWN(set_modes)},
    {"pushed", OWN(set_pushed)},
    {"speed_max", NUMBER(speed_max_kmh, "the speed", SPEED_MOST_KMH)},
    {"boarding", NUMBER(boarding_s, "the time", MCD_PROFILE_WAIT_MAX)},
    {"maxspeed", CHOICE(maxspeed, "replaces", "caps", "ignored")},
    {"oneway", CHOICE(ignores_oneway, "obeyed", "ignored")},
    {"restrictions", CHOICE(own_restrictions, "all", "own")},
    {"give_way", NUMBER(give_way_s, "the time", MCD_PROFILE_WAIT_MAX)},
    {"turn", OWN(set_turn)},
    {"slopes", OWN(set_slopes)},
    {"times", CHOICE(ignores_times, "kept", "ignored")},
    {"traffic", CHOICE(traffic, "map", "right", "left")},
    {"u_turns", CHOICE(avoids_u_turns, "anywhere", "dead_ends")},
    {"areas", CHOICE(areas, "skipped", "outline", "crossed")},
};
#undef OWN
#undef CHOICE
#undef NUMBER
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static macadam_status choose(profile_reader *reader, const setting *setting_of_line, macadam_error *error)
{
    char *const slot = (char *)reader->profile + setting_of_line->offset;
    const double most = setting_of_line->most;
    const char *word;
    if (most > 0)
        return need_number(reader, setting_of_line->choice[0], most != SPEED_MOST_KMH, most, (double *)slot,
                           error);
    MCD_TRY(need_word(reader, &word, "the choice", error));
    return parse_choice(reader, word, setting_of_line->choice, (unsigned *)slot, error);
}

static macadam_status read_setting(profile_reader *reader, const char *name, macadam_error *error)
{
    const setting *found = settings;
    while (found < settings + SETTINGS && strcmp(found->name, name) != 0) ++found;
    if (found == settings + SETTINGS) return fail(reader, error, "there is no setting \"%s\"", name);
    MCD_TRY(found->set ? found->set(reader, error) : choose(reader, found, error));
    reader->in_turns = found->set == set_turn;
    return MACADAM_OK;
}

/* ---- sections and rows ---- */

enum {
    WAY_FLAGS = MCD_PROFILE_ONEWAY | MCD_PROFILE_PERMIT | MCD_PROFILE_FERRY | MCD_PROFILE_RIDDEN |
                MCD_PROFILE_NAMED | MCD_PROFILE_OWN,
    BARRIER_FLAGS = MCD_PROFILE_ALWAYS | MCD_PROFILE_LOCKABLE,
    CLOSED_FLAGS =
        MCD_PROFILE_NAMED | MCD_PROFILE_OWN | MCD_PROFILE_NODE | MCD_PROFILE_WAY | MCD_PROFILE_REPORTED,
};

typedef enum number_use { NO_NUMBER, NUMBER, OPTIONAL_NUMBER } number_use;

static const struct {
    const char *name;
    bool keyed, access; /* the section has a key; its rows have an access word */
    unsigned flags;     /* that its rows may have */
    number_use number;
    double most;
} sections[MCD_PROFILE_TABLES] = {
    [MCD_PROFILE_WAYS] = {"way", true, false, WAY_FLAGS, NUMBER, SPEED_MOST_KMH},
    [MCD_PROFILE_ACCESS] = {"access", false, true, 0, OPTIONAL_NUMBER, SPEED_MOST_KMH},
    [MCD_PROFILE_BARRIERS] = {"barrier", false, true, BARRIER_FLAGS, OPTIONAL_NUMBER, MCD_PROFILE_WAIT_MAX},
    [MCD_PROFILE_WAITS] = {"wait", true, false, MCD_PROFILE_SIGN, NUMBER, MCD_PROFILE_WAIT_MAX},
    [MCD_PROFILE_MAXSPEEDS] = {"maxspeed", false, false, 0, NUMBER, SPEED_MOST_KMH},
    [MCD_PROFILE_SPEEDS] = {"speed", true, false, MCD_PROFILE_PATH, NUMBER, SPEED_MOST_KMH},
    [MCD_PROFILE_SLOWER] = {"slower", true, false, MCD_PROFILE_TWO_WAY, NUMBER, MEASURE_MOST},
    [MCD_PROFILE_PREFERENCE] = {"preference", true, false, MCD_PROFILE_TWO_WAY, NUMBER, MEASURE_MOST},
    [MCD_PROFILE_CLOSED] = {"closed", true, false, CLOSED_FLAGS, NO_NUMBER, 0},
    [MCD_PROFILE_LIMITS] = {"limit", true, false, 0, NUMBER, MEASURE_MOST},
    [MCD_PROFILE_UNREAD] = {"unread", true, false, 0, NUMBER, MEASURE_MOST},
    [MCD_PROFILE_CONTRAFLOW] = {"contraflow", true, false, 0, NO_NUMBER, 0},
};

/* "[NAME]" or "[NAME KEY]", whole in the line. */
static macadam_status read_section(profile_reader *reader, macadam_error *error)
{
    char *const close = strchr(reader->rest, ']');
    if (!close || close[1 + strspn(close + 1, " \t")])
        return fail(reader, error, "a section's name does not end with ']'");
    *close = '\0';
    ++reader->rest;
    const char *name, *key = "";
    MCD_TRY(need_word(reader, &name, "the section's name", error));
    size_t table = 0;
    while (table < MCD_PROFILE_TABLES && strcmp(sections[table].name, name) != 0) ++table;
    if (table == MCD_PROFILE_TABLES) return fail(reader, error, "there is no section \"%s\"", name);
    reader->table = (mcd_profile_table)table;
    reader->section = sections[table].name;
    if (sections[table].keyed) MCD_TRY(need_word(reader, &key, "the section's key", error));
    if ((table == MCD_PROFILE_LIMITS || table == MCD_PROFILE_UNREAD) && strcmp(key, "m") != 0 &&
        strcmp(key, "t") != 0)
        return fail(reader, error, "\"%s\" is neither m nor t", key);
    MCD_TRY(keep_word(reader, key, &reader->key, error));
    return expect_end(reader, error);
}

static macadam_status read_row_number(profile_reader *reader, mcd_profile_row *row, macadam_error *error)
{
    const number_use use = sections[reader->table].number;
    const bool seconds = reader->table == MCD_PROFILE_BARRIERS || reader->table == MCD_PROFILE_WAITS;
    const bool zero = seconds || reader->table == MCD_PROFILE_MAXSPEEDS;
    const bool flag = sections[reader->table].flags && strchr("0123456789", *reader->rest) == NULL;
    if (use == NO_NUMBER || (use == OPTIONAL_NUMBER && (flag || !*reader->rest))) return MACADAM_OK;
    const char *word;
    MCD_TRY(need_word(reader, &word, "a number", error));
    MCD_TRY(parse_number(reader, word, zero, sections[reader->table].most, &row->number, error));
    if (seconds && row->number != floor(row->number))
        return fail(reader, error, "%s is not a whole number of seconds", word);
    return MACADAM_OK;
}

static macadam_status read_flags(profile_reader *reader, mcd_profile_row *row, macadam_error *error)
{
    static const char *const flag[] = {"oneway",  "permit", "ferry",    "sign",     "always",
                                       "two_way", "ridden", "named",    "lockable", "own",
                                       "node",    "way",    "reported", "path",     NULL};
    for (const char *word; (word = mcd_lines_word(&reader->rest));) {
        unsigned place;
        MCD_TRY(parse_choice(reader, word, flag, &place, error));
        if (!(sections[reader->table].flags & 1u << place))
            return fail(reader, error, "\"%s\" is not known here", word);
        row->flags |= 1u << place;
    }
    return MACADAM_OK;
}

/* Returns where the row of a value stands in its table, or the number of rows. */
static size_t find_value(const mcd_profile_rows *rows, const char *key, const char *value)
{
    size_t i = 0;
    while (i < rows->count && (strcmp(rows->row[i].value, value) != 0 || strcmp(rows->row[i].key, key) != 0))
        ++i;
    return i;
}

/* Takes away the row that "!VALUE" names. */
static macadam_status remove_row(profile_reader *reader, const char *value, macadam_error *error)
{
    mcd_profile_rows *const rows = &reader->profile->table[reader->table];
    const size_t at = find_value(rows, reader->key, value);
    if (at == rows->count || !rows->row[at].inherited)
        return fail(reader, error, "the other profile says nothing of \"%s\"", value);
    memmove(&rows->row[at], &rows->row[at + 1], (--rows->count - at) * sizeof *rows->row);
    return expect_end(reader, error);
}

/* Puts a row, and takes away the other profile's that it replaces, after its own profile's rows of the key and before
 * the other profile's. */
static macadam_status put_row(profile_reader *reader, mcd_profile_row row, macadam_error *error)
{
    mcd_profile_rows *const rows = &reader->profile->table[reader->table];
    size_t at = find_value(rows, row.key, row.value);
    if (at < rows->count) {
        if (!rows->row[at].inherited) return fail(reader, error, "\"%s\" is said twice", row.value);
        row.key = rows->row[at].key;
        MCD_TRY(remove_row(reader, row.value, error));
    }
    for (size_t i = 0; i < rows->count; ++i) {
        if (strcmp(rows->row[i].key, row.key) != 0) continue;
        row.key = rows->row[i].key;
        at = rows->row[i].inherited ? i : i + 1;
        if (rows->row[i].inherited) break;
    }
    MCD_TRY(MCD_GROW(rows->row, rows->capacity, rows->count + 1, error));
    memmove(&rows->row[at + 1], &rows->row[at], (rows->count++ - at) * sizeof *rows->row);
    rows->row[at] = row;
    return MACADAM_OK;
}

static macadam_status read_row(profile_reader *reader, const char *value, macadam_error *error)
{
    static const char *const access[] = {"open", "destination", "closed", NULL};
    static const char *const measure[] = {"mheight", "mwidth", "mlength", "tweight", "tload"};
    const mcd_profile_table table = reader->table;
    const bool limit = table == MCD_PROFILE_LIMITS || table == MCD_PROFILE_UNREAD;
    const bool compared = table >= MCD_PROFILE_SPEEDS && table <= MCD_PROFILE_CLOSED;
    mcd_profile_row row = {.key = reader->key, .pattern = strchr("*<>~", *value) != NULL};
    if (*value == '!') return remove_row(reader, value + 1, error);
    if (row.pattern && (strcmp(value, "*") == 0 ? limit : !compared || !value[1] || *value == '*'))
        return fail(reader, error, "\"%s\" is not a pattern here", value);
    for (size_t i = 0; i < sizeof measure / sizeof *measure && limit; ++i)
        if (*measure[i] != *row.key && strstr(value, measure[i] + 1))
            return fail(reader, error, "\"%s\" is measured in %c", value, *measure[i]);
    if (table == MCD_PROFILE_LIMITS && strncmp(value, "max", 3) != 0) reader->profile->other_limits = true;
    MCD_TRY(keep_word(reader, value, &row.value, error));
    if (*value == '<' || *value == '>')
        MCD_TRY(parse_number(reader, value + 1, *value == '>', MEASURE_MOST, &row.bound, error));
    if (sections[reader->table].access) {
        const char *word;
        unsigned place;
        MCD_TRY(need_word(reader, &word, "open, destination or closed", error));
        MCD_TRY(parse_choice(reader, word, access, &place, error));
        row.access = (mcd_access)place;
    }
    MCD_TRY(read_row_number(reader, &row, error));
    if (sections[reader->table].flags) MCD_TRY(read_flags(reader, &row, error));
    MCD_TRY(expect_end(reader, error));
    return put_row(reader, row, error);
}

/* ---- keys ---- */

/* The place of "FIRST:SECOND:THIRD", or of less where one is NULL. */
static macadam_status add_key(profile_reader *reader, mcd_key *place, const char *first, const char *second,
                              const char *third, macadam_error *error)
{
    char joined[3 * LINE_BYTES];
    snprintf(joined, sizeof joined, "%s%s%s%s%s", first, second ? ":" : "", second ? second : "",
             third ? ":" : "", third ? third : "");
    const char *text = NULL;
    mcd_keys *const all = &reader->profile->keys.all;
    *place = mcd_keys_find(all, joined);
    if (!*place) {
        MCD_TRY(keep_word(reader, joined, &text, error));
        *place = mcd_keys_add(all, text);
    }
    all->lists[*place] |= UINT32_C(1) << reader->list;
    return *place ? MACADAM_OK
                  : mcd_fail(error, MACADAM_E_FILE, "%s: the profile has too many keys of tags",
                             reader->lines.path);
}

/* The last one: a node has none. */
static const char *const direction_name[MCD_DIRECTIONS + 1] = {"forward", "backward", NULL};

/* The most specific mode that says something decides; of one mode MODE:DIRECTION comes before MODE, and this
 * before the lanes. */
static macadam_status add_access_keys(profile_reader *reader, const char *const *mode,
                                      mcd_profile_access_key *next, int direction, macadam_error *error)
{
    const char *const name = direction_name[direction];
    for (const char *const *const first = mode; *mode; ++mode) {
        mcd_profile_access_key *const own = next;
        if (name) MCD_TRY(add_key(reader, &next++->key, *mode, name, NULL, error));
        MCD_TRY(add_key(reader, &next++->key, *mode, NULL, NULL, error));
        mcd_profile_access_key *const lanes = next;
        if (name) MCD_TRY(add_key(reader, &next++->key, *mode, "lanes", name, error));
        MCD_TRY(add_key(reader, &next++->key, *mode, "lanes", NULL, error));
        for (mcd_profile_access_key *key = lanes; key < next; ++key) key->lanes = true;
        for (mcd_profile_access_key *key = own; key < next; ++key)
            key->own = mode == first, key->general = mode > first && !mode[1];
    }
    return MACADAM_OK;
}

/* FIRST:MODE of each mode, then FIRST; of each, that of the direction comes first. */
static macadam_status add_mode_keys(profile_reader *reader, mcd_key **next, const char *first, int direction,
                                    macadam_error *error)
{
    const char *const name = direction_name[direction];
    for (const char *const *mode = reader->profile->mode; *mode; ++mode) {
        if (name) MCD_TRY(add_key(reader, (*next)++, first, *mode, name, error));
        MCD_TRY(add_key(reader, (*next)++, first, *mode, NULL, error));
    }
    if (name) MCD_TRY(add_key(reader, (*next)++, first, name, NULL, error));
    return add_key(reader, (*next)++, first, NULL, NULL, error);
}

/* Of a mode, of the direction, of all, of the fastest lane. */
static macadam_status add_maxspeed_keys(profile_reader *reader, int direction, macadam_error *error)
{
    const char *const name = direction_name[direction];
    mcd_key *next = reader->profile->keys.maxspeed[direction];
    MCD_TRY(add_mode_keys(reader, &next, "maxspeed", direction, error));
    MCD_TRY(add_key(reader, next++, "maxspeed", "lanes", name, error));
    mcd_key *const advisory = reader->profile->keys.advisory[direction];
    MCD_TRY(add_key(reader, &advisory[0], "maxspeed", "advisory", name, error));
    MCD_TRY(add_key(reader, &advisory[1], "maxspeed", "advisory", NULL, error));
    return add_key(reader, next, "maxspeed", "lanes", NULL, error);
}

static macadam_status add_oneway_keys(profile_reader *reader, macadam_error *error)
{
    const mcd_profile *const profile = reader->profile;
    mcd_key *next = reader->profile->keys.oneway;
    for (const char *const *mode = profile->mode; *mode; ++mode)
        MCD_TRY(add_key(reader, next++, "oneway", *mode, NULL, error));
    mcd_key *pushed = reader->profile->keys.push_oneway;
    for (const char *const *mode = profile->push_mode; *mode; ++mode)
        MCD_TRY(add_key(reader, pushed++, "oneway", *mode, NULL, error));
    return profile->ignores_oneway ? MACADAM_OK : add_key(reader, next, "oneway", NULL, NULL, error);
}

/* The rows of a section share its key; those of limits have one each. */
static macadam_status add_table_keys(profile_reader *reader, mcd_profile_table table, macadam_error *error)
{
    const mcd_profile_rows *const rows = &reader->profile->table[table];
    const bool shared = table != MCD_PROFILE_LIMITS;
    for (size_t i = rows->count; i-- > 0 && sections[table].keyed;) {
        mcd_profile_row *const row = &rows->row[i];
        const bool last = i + 1 == rows->count || row[1].key != row->key;
        row->behind = last ? i + 1 : row[1].behind;
        if (shared && !last)
            row->place = row[1].place;
        else
            MCD_TRY(add_key(reader, &row->place, shared ? row->key : row->value, NULL, NULL, error));
    }
    return MACADAM_OK;
}

static macadam_status add_list(profile_reader *reader, mcd_key *place, const char *const *text,
                               macadam_error *error)
{
    for (; *text; ++text) MCD_TRY(add_key(reader, place++, *text, NULL, NULL, error));
    return MACADAM_OK;
}

/* All keys that are looked up, so that tags are read once. */
static macadam_status add_keys(profile_reader *reader, macadam_error *error)
{
    static const char *const node_kind[MCD_NODE_KEYS + 1] = {"highway", "railway",  "public_transport",
                                                             "amenity", "entrance", "door"};
    static const char *const maxspeed_kind[] = {"maxspeed:type", "source:maxspeed", "zone:maxspeed",
                                                "zone:traffic", NULL};
    mcd_profile_keys *const keys = &reader->profile->keys;
    reader->list = MCD_LIST_OTHER;
    MCD_TRY(add_key(reader, &keys->area, "area", NULL, NULL, error));
    MCD_TRY(add_key(reader, &keys->barrier, "barrier", NULL, NULL, error));
    MCD_TRY(add_key(reader, &keys->conveying, "conveying", NULL, NULL, error));
    MCD_TRY(add_key(reader, &keys->duration, "duration", NULL, NULL, error));
    MCD_TRY(add_key(reader, &keys->ford, "ford", NULL, NULL, error));
    MCD_TRY(add_key(reader, &keys->junction, "junction", NULL, NULL, error));
    MCD_TRY(add_key(reader, &keys->locked, "locked", NULL, NULL, error));
    MCD_TRY(add_list(reader, keys->node_kind, node_kind, error));
    const mcd_profile *const profile = reader->profile;
    MCD_TRY(add_oneway_keys(reader, error));
    for (int direction = 0; direction <= MCD_DIRECTIONS; ++direction) {
        reader->list = MCD_LIST_ACCESS;
        MCD_TRY(add_access_keys(reader, profile->mode, keys->access[direction], direction, error));
        MCD_TRY(add_access_keys(reader, profile->push_mode, keys->push_access[direction], direction, error));
        reader->list = MCD_LIST_TOLL;
        mcd_key *toll = keys->toll[direction];
        MCD_TRY(add_mode_keys(reader, &toll, "toll", direction, error));
    }
    reader->list = MCD_LIST_SPEED;
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction)
        MCD_TRY(add_maxspeed_keys(reader, direction, error));
    MCD_TRY(add_list(reader, keys->maxspeed_kind, maxspeed_kind, error));
    for (reader->list = 0; reader->list < MCD_PROFILE_TABLES; ++reader->list)
        MCD_TRY(add_table_keys(reader, (mcd_profile_table)reader->list, error));
    return MACADAM_OK;
}

/* ---- files ---- */

static macadam_status read_line(profile_reader *reader, const char *line, macadam_error *error)
{
    MCD_TRY(copy_line(reader, line, error));
    const char *word = NULL;
    if (*reader->rest == '[')
        MCD_TRY(read_section(reader, error));
    else if (!(word = mcd_lines_word(&reader->rest)))
        return MACADAM_OK;
    else if (reader->section)
        return read_row(reader, word, error);
    else
        MCD_TRY(read_setting(reader, word, error));
    reader->begun = true;
    return word ? expect_end(reader, error) : MACADAM_OK;
}

static macadam_status check_whole(const mcd_profile *profile, const char *path, macadam_error *error)
{
    const char *const missing = !profile->name                            ? "name"
                                : !profile->mode[0]                       ? "modes"
                                : profile->speed_max_kmh == 0             ? "speed_max"
                                : !profile->table[MCD_PROFILE_WAYS].count ? "[way KEY]"
                                                                          : NULL;
    return missing ? mcd_fail(error, MACADAM_E_FILE, "%s: the profile has no %s", path, missing) : MACADAM_OK;
}

static macadam_status read_lines(profile_reader *reader, macadam_error *error)
{
    for (;;) {
        char *line;
        MCD_TRY(mcd_lines_next(&reader->lines, &line, error));
        if (!line) break;
        const uLong sum = crc32(reader->profile->crc32, (const Bytef *)line, (uInt)strlen(line) + 1);
        reader->profile->crc32 = (uint32_t)sum;
        MCD_TRY(read_line(reader, line, error));
    }
    MCD_TRY(check_whole(reader->profile, reader->lines.path, error));
    return reader->depth == 0 ? add_keys(reader, error) : MACADAM_OK;
}

static macadam_status fail_unknown(const char *name, macadam_error *error)
{
    char known[256] = "";
    for (const mcd_profile_text *text = mcd_profile_texts; text->name; ++text)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "", text->name);
    return mcd_fail_invalid(
        error, "the profile \"%s\" is unknown: there are %s, and it is not a path (with a '/' or '.')", name,
        known);
}

/* Reads the profile of ours that has this name, or else the file at this path. */
static macadam_status read_text(profile_reader *reader, const char *name_or_path, macadam_error *error)
{
    const mcd_profile_text *const own = find_text(name_or_path);
    if (!own && !strpbrk(name_or_path, "/.")) return fail_unknown(name_or_path, error);
    macadam_status status = own ? mcd_lines_open_text(&reader->lines, own->name, own->text, error)
                                : mcd_lines_open(&reader->lines, name_or_path, error);
    if (status == MACADAM_OK) status = read_lines(reader, error);
    mcd_lines_close(&reader->lines);
    return status;
}

macadam_status mcd_profile_read(mcd_profile *out, const char *name_or_path, macadam_error *error)
{
    *out = (mcd_profile){0};
    profile_reader reader = {.profile = out};
    macadam_status status = MCD_NEW(out->text, TEXT_BYTES, error);
    if (status == MACADAM_OK) status = read_text(&reader, name_or_path, error);
    if (status != MACADAM_OK) mcd_profile_free(out);
    return status;
}

void mcd_profile_free(mcd_profile *profile)
{
    for (size_t table = 0; table < MCD_PROFILE_TABLES; ++table) mcd_free(profile->table[table].row);
    mcd_free(profile->text);
    *profile = (mcd_profile){0};
}
