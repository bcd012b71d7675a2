/* conditional_tag.c - see conditional_tag.h. A tag holds clauses, "VALUE @ (TIMES)". In a slot, the last
 * clause that holds gives the tag its value. Slots in which the same clauses give values are alike: the profile reads the tags once for all of them. */
#include "importers/osm/rules/conditional_tag.h"
#include "engine/base/grow.h"
#include "importers/osm/rules/opening_hours.h"
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
    mcd_report *report; /* NULL: conditions are not counted */
    bool odd;           /* some clause is not kept */
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

/* Returns how long the clause at `text` is: up to a ';' outside brackets that another clause follows. */
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
static bool read_times(mcd_week *out, const char *text, size_t length, unsigned *holidays)
{
    static const char both[] = " AND ";
    mcd_week more;
    trim(&text, &length);
    if (length >= 2 && text[0] == '(' && text[length - 1] == ')') ++text, length -= 2;
    for (size_t i = 0; i + sizeof both - 1 <= length; ++i) {
        if (memcmp(text + i, both, sizeof both - 1) != 0) continue;
        const size_t rest = i + sizeof both - 1;
        if (!read_times(out, text, i, holidays) || !read_times(&more, text + rest, length - rest, holidays))
            return false;
        for (size_t w = 0; w < MCD_WEEK_WORDS; ++w) out->word[w] &= more.word[w];
        return true;
    }
    return mcd_opening_hours_read(out, holidays, text, length);
}

/* Returns whether the clause is about a part of the year. */
static bool names_season(const char *text, size_t length)
{
    static const char *const word[] = {"Jan", "Feb", "Mar", "Apr", "May",  "Jun",    "Jul",    "Aug",
                                       "Sep", "Oct", "Nov", "Dec", "week", "easter", "summer", "winter"};
    const char *const end = text + length, *const at = memchr(text, '@', length);
    for (const char *p = at ? at : end; p < end; ++p)
        for (size_t i = 0; i < sizeof word / sizeof word[0]; ++i)
            if ((size_t)(end - p) >= strlen(word[i]) && memcmp(p, word[i], strlen(word[i])) == 0) return true;
    return false;
}

/* Returns whether the clause is kept. */
static bool read_clause(clause_reader *reader, const char *key, const char *text, size_t length, bool first)
{
    const char *const at = memchr(text, '@', length), *value = text;
    unsigned holidays = 0;
    if (!at || reader->count == CLAUSES_MAX) return false;
    size_t value_length = (size_t)(at - text);
    clause *const out = &reader->clause[reader->count];
    trim(&value, &value_length);
    *out = (clause){.tag = {.key = key, .value = keep(reader, value, value_length)}, .same_tag = !first};
    if (!out->tag.value || !value_length ||
        !read_times(&out->week, at + 1, length - (size_t)(at + 1 - text), &holidays))
        return false;
    if (reader->report) mcd_conditional_counts_holidays(reader->report, holidays);
    ++reader->count;
    return true;
}

static void count_condition(clause_reader *reader, bool kept, bool season)
{
    reader->odd = reader->odd || !kept;
    if (!reader->report) return;
    mcd_report_count(reader->report, MCD_REPORT_CONDITIONS_KEPT, kept);
    mcd_report_add_if(reader->report, MCD_REPORT_CONDITIONS_ODD, !kept);
    mcd_report_add_if(reader->report, MCD_REPORT_CONDITIONS_SEASON, season);
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
        count_condition(reader, kept, !kept && names_season(text, length));
        first = first && !kept;
        text += length + (text[length] == ';');
    }
    if (!key) count_condition(reader, false, false);
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

/* Slots in which the same clauses are in force. */
typedef struct alike {
    uint32_t bits[MCD_WEEK_SLOTS]; /* in force; 0: none, or listed already */
    size_t next;
} alike;

static void begin_alike(alike *slots, const clause_reader *reader)
{
    for (size_t slot = 0; slot < MCD_WEEK_SLOTS; ++slot) slots->bits[slot] = in_force(reader, slot);
    slots->next = 0;
}

/* Returns the clauses in force in the next slots that are alike; 0: there are no more. */
static uint32_t next_alike(alike *slots, mcd_week *week)
{
    while (slots->next < MCD_WEEK_SLOTS && slots->bits[slots->next] == 0) ++slots->next;
    if (slots->next == MCD_WEEK_SLOTS) return 0;
    const uint32_t own = slots->bits[slots->next];
    *week = (mcd_week){{0}};
    for (size_t same = slots->next; same < MCD_WEEK_SLOTS; ++same)
        if (slots->bits[same] == own) mcd_week_add(week, same), slots->bits[same] = 0;
    return own;
}

/* Lists the tags where the clauses `bits` are in force: of equal keys, the first one counts. */
static mcd_tags tags_of(const clause_reader *reader, uint32_t bits, const mcd_tags *tags, mcd_tag *tag)
{
    size_t count = 0;
    for (size_t i = 0; i < reader->count; ++i)
        if (bits >> i & 1) tag[count++] = reader->clause[i].tag;
    if (tags->count) memcpy(tag + count, tags->tag, tags->count * sizeof *tag);
    return (mcd_tags){.tag = tag, .count = count + tags->count};
}

/* ---- ways ---- */

/* A way while its timings are read. */
typedef struct way_reader {
    mcd_conditional_tags *conditional_tags;
    mcd_passage *usual;
    bool was_open[MCD_DIRECTIONS]; /* without conditional tags */
    mcd_week opens[MCD_DIRECTIONS];
    bool residents; /* only they would be let in at times */
    bool opened;    /* at times, in some direction */
} way_reader;

static macadam_status append(way_reader *way, const mcd_conditional_tag *timing, macadam_error *error)
{
    mcd_conditional_tags *const conditional_tags = way->conditional_tags;
    MCD_TRY(
        MCD_GROW(conditional_tags->timing, conditional_tags->capacity, conditional_tags->count + 1, error));
    conditional_tags->timing[conditional_tags->count++] = *timing;
    return MACADAM_OK;
}

/* Makes a direction that was closed as it is when it first opens. */
static void open_direction(mcd_passage *usual, const mcd_passage *then, int d)
{
    const bool was_closed = usual->speed_kmh[MCD_FORWARD] == 0 && usual->speed_kmh[MCD_BACKWARD] == 0;
    mcd_passage opened = was_closed ? *then : *usual;
    if (was_closed) opened.speed_kmh[MCD_BACKWARD - d] = 0;
    opened.speed_kmh[d] = then->speed_kmh[d];
    opened.destination_only[d] = then->destination_only[d];
    opened.pushed[d] = then->pushed[d];
    opened.flags[d] = then->flags[d];
    *usual = opened;
}

/* Appends the change that `then` is, if it is one. */
static macadam_status add_change(way_reader *way, const mcd_passage *then, const mcd_week *week,
                                 macadam_error *error)
{
    mcd_conditional_tag timing = {.week = *week};
    bool differs = false;
    for (int d = 0; d < MCD_DIRECTIONS; ++d) {
        const double speed = then->speed_kmh[d];
        if (speed > 0 && way->usual->speed_kmh[d] == 0) open_direction(way->usual, then, d);
        const double own = way->usual->speed_kmh[d];
        way->usual->flags[d] |= then->flags[d] & MACADAM_ROAD_TOLL; /* charged at some time */
        const bool residents = speed > 0 && then->destination_only[d] && !way->usual->destination_only[d];
        const bool stays = residents || (speed == 0 && !way->was_open[d]);
        if (!way->was_open[d] && speed > 0) mcd_week_unite(&way->opens[d], week);
        way->residents = way->residents || residents;
        timing.speed_kmh[d] = stays ? own : speed;
        differs = differs || timing.speed_kmh[d] != own;
    }
    return differs ? append(way, &timing, error) : MACADAM_OK;
}

/* A direction that opens later changes nothing before. */
static void settle(const way_reader *way, size_t first)
{
    for (size_t i = first; i < way->conditional_tags->count; ++i)
        for (int d = 0; d < MCD_DIRECTIONS; ++d)
            if (!way->was_open[d] && way->conditional_tags->timing[i].speed_kmh[d] == 0)
                way->conditional_tags->timing[i].speed_kmh[d] = way->usual->speed_kmh[d];
}

static macadam_status add_changes(way_reader *way, const clause_reader *reader, const mcd_profile *profile,
                                  const mcd_tags *tags, macadam_error *error)
{
    const size_t first = way->conditional_tags->count;
    mcd_week week;
    alike slots;
    MCD_OWNED mcd_tag *tag = NULL;
    MCD_TRY(MCD_NEW(tag, tags->count + reader->count, error));
    begin_alike(&slots, reader);
    for (uint32_t bits; (bits = next_alike(&slots, &week)) != 0;) {
        const mcd_tags then = tags_of(reader, bits, tags, tag);
        mcd_passage passage;
        if (mcd_profile_way(profile, &then, &passage) != MCD_WAY_OPEN) passage = (mcd_passage){0};
        MCD_TRY(add_change(way, &passage, &week, error));
    }
    settle(way, first);
    for (int d = 0; d < MCD_DIRECTIONS; ++d) {
        if (way->was_open[d] || way->usual->speed_kmh[d] == 0) continue;
        mcd_conditional_tag opening = {.week = way->opens[d]};
        memcpy(opening.speed_kmh, way->usual->speed_kmh, sizeof opening.speed_kmh);
        opening.opens[d] = way->opened = true;
        MCD_TRY(append(way, &opening, error));
    }
    return MACADAM_OK;
}

static void begin_clauses(clause_reader *reader, mcd_report *report)
{
    reader->count = reader->used = 0;
    reader->report = report;
    reader->odd = false;
}

static void read_tags(clause_reader *reader, const mcd_profile *profile, const mcd_tags *tags)
{
    for (size_t i = 0; i < tags->count && !profile->ignores_times; ++i) {
        const size_t length = known_key(profile, tags->tag[i].key);
        if (length) read_tag(reader, &tags->tag[i], length);
    }
}

macadam_status mcd_conditional_tags_read(mcd_conditional_tags *conditional_tags, const mcd_profile *profile,
                                         const mcd_tags *tags, mcd_passage *usual, mcd_report *report,
                                         macadam_error *error)
{
    clause_reader reader;
    way_reader way = {.conditional_tags = conditional_tags, .usual = usual};
    for (int d = 0; d < MCD_DIRECTIONS; ++d) way.was_open[d] = usual->speed_kmh[d] > 0;
    begin_clauses(&reader, report);
    read_tags(&reader, profile, tags);
    if (!reader.count) return MACADAM_OK;
    MCD_TRY(add_changes(&way, &reader, profile, tags, error));
    mcd_report_add_if(report, MCD_REPORT_STAYS_RESIDENTS, way.residents);
    mcd_report_add_if(report, MCD_REPORT_OPEN_AT_TIMES, way.opened);
    return MACADAM_OK;
}

/* ---- restrictions and nodes ---- */

bool mcd_conditional_tag_of_value(mcd_week *week, char value[MCD_CONDITIONAL_TAG_VALUE_BYTES],
                                  const char *text)
{
    clause_reader reader;
    begin_clauses(&reader, NULL);
    read_tag(&reader, &(mcd_tag){.key = "", .value = text}, 0);
    if (reader.count == 0 || reader.odd) return false;
    *week = (mcd_week){{0}};
    for (size_t i = 0; i < reader.count; ++i) {
        if (strcmp(reader.clause[i].tag.value, reader.clause[0].tag.value) != 0) return false;
        mcd_week_unite(week, &reader.clause[i].week);
    }
    const size_t length = strlen(reader.clause[0].tag.value);
    if (length >= MCD_CONDITIONAL_TAG_VALUE_BYTES) return false;
    memcpy(value, reader.clause[0].tag.value, length + 1);
    return true;
}

/* A barrier's opening hours: it is closed at all other times. */
static void read_opening_hours(clause_reader *reader, const mcd_tags *tags)
{
    const char *const hours = mcd_tags_get(tags, "opening_hours");
    unsigned holidays = 0;
    clause *const shut = &reader->clause[reader->count];
    if (!hours || !mcd_tags_get(tags, "barrier") || reader->count == CLAUSES_MAX) return;
    *shut = (clause){.tag = {.key = "access", .value = "no"}};
    const bool kept = mcd_opening_hours_read(&shut->week, &holidays, hours, strlen(hours));
    for (size_t w = 0; w < MCD_WEEK_WORDS; ++w) shut->week.word[w] = ~shut->week.word[w];
    count_condition(reader, kept, false);
    if (kept) mcd_conditional_counts_holidays(reader->report, holidays);
    reader->count += kept;
}

bool mcd_conditional_tag_of_node(mcd_week *week, bool *opens, const mcd_profile *profile,
                                 const mcd_tags *tags, mcd_report *report)
{
    enum { NODE_TAGS = 256 };
    mcd_tag tag[NODE_TAGS + CLAUSES_MAX];
    clause_reader reader;
    mcd_week own;
    alike slots;
    bool differs = false;
    if (tags->count == 0 || tags->count > NODE_TAGS || profile->ignores_times) return false;
    begin_clauses(&reader, report);
    read_tags(&reader, profile, tags);
    read_opening_hours(&reader, tags);
    if (reader.count == 0) return false;
    *week = (mcd_week){{0}};
    *opens = mcd_profile_stop(profile, tags).access == MCD_ACCESS_CLOSED;
    begin_alike(&slots, &reader);
    for (uint32_t bits; (bits = next_alike(&slots, &own)) != 0;) {
        const mcd_tags then = tags_of(&reader, bits, tags, tag);
        const mcd_access access = mcd_profile_stop(profile, &then).access;
        if ((access == MCD_ACCESS_CLOSED) == *opens) continue;
        mcd_week_unite(week, &own);
        differs = true;
    }
    return differs;
}
