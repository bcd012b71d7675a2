/* timing.c - see timing.h. A tag holds clauses, "VALUE @ (TIMES)". In a slot, the last clause that holds gives the tag
 * its value. Slots in which the same clauses give values are alike: the profile reads the tags once for all of them. */
#include "importers/osm/timing.h"
#include "importers/base/grow.h"
#include "importers/osm/opening_hours.h"
#include "engine/base/memory.h"

enum { CLAUSES_MAX = 32, TEXT_BYTES = 2048 };

typedef struct clause {
    mcd_tag tag; /* in force */
    mcd_week week;
    bool same_tag; /* as the clause before it */
} clause;

typedef struct clause_reader {
    clause clause[CLAUSES_MAX];
    size_t count;
    char text[TEXT_BYTES]; /* keys and values */
    size_t used;
    mcd_conditions *conditions;
} clause_reader;

/* ---- clauses ---- */

/* Keeps a part of a text; NULL if there is no more room. */
static const char *keep(clause_reader *reader, const char *text, size_t length)
{
    if (reader->used + length >= TEXT_BYTES) return NULL;
    char *const kept = reader->text + reader->used;
    memcpy(kept, text, length);
    kept[length] = '\0';
    reader->used += length + 1;
    return kept;
}

static void trim(const char **text, size_t *length)
{
    while (*length && **text == ' ') ++*text, --*length;
    while (*length && (*text)[*length - 1] == ' ') --*length;
}

/* Returns how long the clause at `text` is: up to a ';' outside brackets behind which another clause stands. */
static size_t clause_length(const char *text)
{
    int depth = 0;
    for (const char *at = text; *at; ++at) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (*at != ';' || depth > 0) continue;
        const char *const next = strchr(at + 1, '@');
        const size_t to_next = strcspn(at + 1, ";");
        if (next && (size_t)(next - (at + 1)) < to_next) return (size_t)(at - text);
    }
    return strlen(text);
}

/* Reads "(Mo-Fr 07:00-09:00)", or two of these joined by AND. */
static bool read_times(mcd_week *out, const char *text, size_t length, bool *has_holidays)
{
    static const char both[] = " AND ";
    mcd_week more;
    trim(&text, &length);
    if (length >= 2 && text[0] == '(' && text[length - 1] == ')') ++text, length -= 2;
    for (size_t i = 0; i + sizeof both - 1 <= length; ++i) {
        if (memcmp(text + i, both, sizeof both - 1) != 0) continue;
        const size_t rest = i + sizeof both - 1;
        if (!read_times(out, text, i, has_holidays) ||
            !read_times(&more, text + rest, length - rest, has_holidays))
            return false;
        for (size_t w = 0; w < MCD_WEEK_WORDS; ++w) out->word[w] &= more.word[w];
        return true;
    }
    return mcd_opening_hours_read(out, has_holidays, text, length);
}

/* Returns whether the clause is kept. */
static bool read_clause(clause_reader *reader, const char *key, const char *text, size_t length, bool first)
{
    const char *const at = memchr(text, '@', length), *value = text;
    bool has_holidays = false;
    if (!at || reader->count == CLAUSES_MAX) return false;
    size_t value_length = (size_t)(at - text);
    clause *const out = &reader->clause[reader->count];
    trim(&value, &value_length);
    *out = (clause){.tag = {.key = key, .value = keep(reader, value, value_length)}, .same_tag = !first};
    if (!out->tag.value || !value_length ||
        !read_times(&out->week, at + 1, length - (size_t)(at + 1 - text), &has_holidays))
        return false;
    reader->conditions->holiday_count += has_holidays;
    ++reader->count;
    return true;
}

/* Reads the clauses of a tag whose key is "KEY:conditional". */
static void read_tag(clause_reader *reader, const mcd_tag *tag, size_t key_length)
{
    const bool is_long =
        strnlen(tag->value, TEXT_BYTES) == TEXT_BYTES; /* OpenStreetMap's have 255 characters */
    const char *const key = is_long ? NULL : keep(reader, tag->key, key_length);
    bool first = true;
    for (const char *text = tag->value; key && *text;) {
        const size_t length = clause_length(text);
        const bool kept = read_clause(reader, key, text, length, first);
        reader->conditions->kept_count += kept;
        reader->conditions->odd_count += !kept;
        first = first && !kept;
        text += length + (text[length] == ';');
    }
    reader->conditions->odd_count += !key;
}

/* Returns the length of the key that a conditional tag is about, if the profile knows it; else 0. */
static size_t known_key(const mcd_profile *profile, const char *key)
{
    enum { KEY_BYTES = 128 };
    static const char suffix[] = ":conditional";
    char plain[KEY_BYTES];
    const size_t length = strlen(key), suffix_length = sizeof suffix - 1;
    if (length <= suffix_length || length >= KEY_BYTES || strcmp(key + length - suffix_length, suffix) != 0)
        return 0;
    memcpy(plain, key, length - suffix_length);
    plain[length - suffix_length] = '\0';
    return mcd_keys_find(&profile->keys.all, plain) ? length - suffix_length : 0;
}

/* ---- slots ---- */

/* Returns which clauses give tags their values in a slot, as bits. */
static uint32_t in_force(const clause_reader *reader, size_t slot)
{
    uint32_t bits = 0, own = 0;
    for (size_t i = 0; i < reader->count; ++i) {
        if (!reader->clause[i].same_tag) bits |= own, own = 0;
        if (mcd_week_has(&reader->clause[i].week, slot)) own = UINT32_C(1) << i;
    }
    return bits | own;
}

/* Appends the change that `passage` is, if it is one. */
static macadam_status add_change(mcd_timings *timings, const mcd_passage *passage, const mcd_passage *usual,
                                 const mcd_week *week, bool *opens, macadam_error *error)
{
    mcd_timing timing = {.week = *week};
    bool differs = false;
    for (int d = 0; d < MCD_DIRECTIONS; ++d) {
        const double own = usual ? usual->speed_kmh[d] : 0, then = passage->speed_kmh[d];
        const bool residents = usual && passage->destination_only[d] && !usual->destination_only[d];
        const bool stays = then > 0 && (own == 0 || residents);
        *opens = *opens || stays;
        timing.speed_kmh[d] = stays ? own : then;
        differs = differs || timing.speed_kmh[d] != own;
    }
    if (!differs) return MACADAM_OK;
    MCD_TRY(MCD_GROW(timings->timing, timings->capacity, timings->count + 1, error));
    timings->timing[timings->count++] = timing;
    return MACADAM_OK;
}

/* Reads the way as it is where the clauses `bits` are in force. `tag` has room for them and the way's own tags. */
static mcd_passage passage_of(const clause_reader *reader, uint32_t bits, const mcd_profile *profile,
                              const mcd_tags *tags, mcd_tag *tag)
{
    size_t count = 0;
    mcd_passage out;
    for (size_t i = 0; i < reader->count; ++i)
        if (bits >> i & 1) tag[count++] = reader->clause[i].tag;
    memcpy(tag + count, tags->tag, tags->count * sizeof *tag); /* of equal keys, the first one counts */
    if (mcd_profile_way(profile, &(mcd_tags){tag, count + tags->count}, &out) != MCD_WAY_OPEN)
        out = (mcd_passage){0};
    return out;
}

static macadam_status add_changes(mcd_timings *timings, const clause_reader *reader,
                                  const mcd_profile *profile, const mcd_tags *tags, const mcd_passage *usual,
                                  macadam_error *error)
{
    uint32_t bits[MCD_WEEK_SLOTS];
    mcd_tag *tag;
    bool opens = false;
    MCD_TRY(MCD_NEW(tag, tags->count + reader->count, error));
    macadam_status status = MACADAM_OK;
    for (size_t slot = 0; slot < MCD_WEEK_SLOTS; ++slot) bits[slot] = in_force(reader, slot);
    for (size_t slot = 0; slot < MCD_WEEK_SLOTS && !status; ++slot) {
        const uint32_t own = bits[slot];
        mcd_week week = {{0}};
        if (own == 0) continue;
        for (size_t same = slot; same < MCD_WEEK_SLOTS; ++same)
            if (bits[same] == own) mcd_week_add(&week, same), bits[same] = 0;
        const mcd_passage passage = passage_of(reader, own, profile, tags, tag);
        status = add_change(timings, &passage, usual, &week, &opens, error);
    }
    reader->conditions->stays_closed_count += opens;
    mcd_free(tag);
    return status;
}

macadam_status mcd_timings_read(mcd_timings *timings, const mcd_profile *profile, const mcd_tags *tags,
                                const mcd_passage *usual, mcd_conditions *conditions, macadam_error *error)
{
    clause_reader reader;
    reader.count = reader.used = 0;
    reader.conditions = conditions;
    for (size_t i = 0; i < tags->count; ++i) {
        const char *const key = tags->tag[i].key;
        const size_t length = known_key(profile, key);
        if (length) read_tag(&reader, &tags->tag[i], length);
    }
    return reader.count ? add_changes(timings, &reader, profile, tags, usual, error) : MACADAM_OK;
}

void mcd_timings_free(mcd_timings *timings)
{
    mcd_free(timings->timing);
    *timings = (mcd_timings){0};
}
