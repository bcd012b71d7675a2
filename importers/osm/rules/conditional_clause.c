/* conditional_clause.c - see conditional_clause.h. In a slot, the last clause of a tag that holds gives it its value.
 *
 * A vehicle is the profile's with some measures raised. Those that matter are the smallest ones for which a clause, or
 * two, begin to hold or cease to: what these may not do, larger ones may not either. */
#include "importers/osm/rules/conditional_clause.h"
#include "importers/osm/rules/opening_hours.h"
#include "importers/osm/rules/tag_number.h"
#include "engine/base/letters.h"

#include <stdio.h>

/* ---- text ---- */

/* Keeps a part of a text; NULL if there is no more room. */
static const char *keep(mcd_clauses *clauses, const char *text, size_t length)
{
    if (clauses->used + length >= MCD_CLAUSE_TEXT_BYTES) return NULL;
    char *const kept = clauses->text + clauses->used;
    memcpy(kept, text, length);
    kept[length] = '\0';
    clauses->used += length + 1;
    return kept;
}

/* Removes blanks, and the ';' after a last clause or rule. */
static void trim(const char **text, size_t *length)
{
    while (*length && **text == ' ') ++*text, --*length;
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == ';')) --*length;
}

/* Returns where `word` is, outside brackets and in letters of any case; `length`: nowhere. */
static size_t find_outside(const char *text, size_t length, const char *word)
{
    const size_t word_length = strlen(word);
    int depth = 0;
    for (size_t i = 0; i + word_length <= length; ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth <= 0 && mcd_letters_match(text + i, word, word_length)) return i;
    }
    return length;
}

/* Trims, and removes brackets around the whole. */
static void open_brackets(const char **text, size_t *length)
{
    for (trim(text, length);
         *length >= 2 && **text == '(' && find_outside(*text, *length, ")") == *length - 1;) {
        ++*text, *length -= 2;
        trim(text, length);
    }
}

/* Returns how long the clause at `text` is: up to a ';' outside brackets that another clause follows. */
static size_t clause_length(const char *text)
{
    const size_t whole = strlen(text);
    for (size_t end = 0; (end += find_outside(text + end, whole - end, ";")) < whole; ++end)
        if (memchr(text, '@', end) && memchr(text + end + 1, '@', strcspn(text + end + 1, ";"))) return end;
    return whole;
}

/* ---- conditions ---- */

/* The first four are of smaller vehicles, and each fourth one excludes the number. */
static const char *const sign_text[] = {"<=", "=<", "≤", "<", ">=", "=>", "≥", ">"};
enum { SIGNS = sizeof sign_text / sizeof sign_text[0] };

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ _-";

/* Returns where the text compares something, and how; `length`: nowhere. */
static size_t find_sign(const char *text, size_t length, size_t *sign)
{
    for (size_t at = 0; at < length; ++at)
        for (*sign = 0; *sign < SIGNS; ++*sign)
            if (strncmp(text + at, sign_text[*sign], strlen(sign_text[*sign])) == 0) return at;
    return length;
}

/* Returns where the first one of alternatives ends, at *separator: " OR " or, between comparisons, ';' or ','. `length`: it
 * is the only one. */
static size_t find_or(const char *text, size_t length, const char **separator)
{
    size_t sign, end = find_outside(text, length, *separator = " OR ");
    if (end < length) return end;
    *separator = ";";
    for (end = find_sign(text, length, &sign); end < length; ++end) {
        const size_t next = end + 1 + strspn(text + end + 1, name_letters);
        if (strchr(";,", text[end]) && next < length && find_sign(text + next, 1, &sign) == 0) return end;
    }
    return length;
}

/* Reads "weight > 7.5 t", "Axle load>=8" or "max_weight_rating>3.5": as a sign, which smaller vehicles may pass. */
static bool read_comparison(const mcd_clauses *clauses, mcd_clause *out, const char *text, size_t length,
                            size_t name, size_t sign)
{
    char key[32] = "max", number[32];
    const bool below = sign < SIGNS / 2, equal = sign % 4 < 3;
    const char *value = text + name + strlen(sign_text[sign]);
    const mcd_tag tag = {key, number};
    const mcd_tags tags = {.tag = &tag, .count = 1};
    mcd_limits limits;
    int limit = 0;
    size_t at = mcd_letters_match(text, "max", 3) ? 3 : mcd_letters_match(text, "gross", 5) ? 5 : 0;
    for (size_t used = 3; at < name && used + 1 < sizeof key; ++at)
        if (mcd_letter_is(text[at])) key[used++] = mcd_letter_lower(text[at]);
    length -= (size_t)(value - text);
    trim(&value, &length);
    snprintf(number, sizeof number, "%.*s", (int)length, value);
    if (strspn(text, name_letters) != name || length >= sizeof number || !mcd_tag_is_measure(number))
        return false;
    mcd_profile_limits(&limits, clauses->profile, &tags);
    while (limit < MCD_LIMITS && !limits.most[MCD_FORWARD].most[limit]) ++limit;
    if (limit == MCD_LIMITS || limits.unread || out->comparison_count == MCD_CLAUSE_COMPARISONS) return false;
    const uint32_t bound = limits.most[MCD_FORWARD].most[limit] + (below == equal);
    snprintf(number, sizeof number, "%.2f %s", (bound - 1) / (double)MCD_LIMIT_UNITS,
             limit < MCD_LIMIT_WEIGHT ? "m" : "t");
    mcd_profile_limits(&limits, clauses->profile, &tags);
    out->comparison[out->comparison_count++] =
        (mcd_comparison){(mcd_limit)limit, below, limits.too_small[MCD_FORWARD] ? 0 : bound};
    return true;
}

/* Reads "weight>7.5 AND Mo-Fr 07:00-09:00". */
static bool read_conditions(const mcd_clauses *clauses, mcd_clause *out, const char *text, size_t length,
                            unsigned *holidays)
{
    static const char both[] = " AND ";
    mcd_week times[MCD_WEEKS];
    size_t sign;
    open_brackets(&text, &length);
    const size_t first = find_outside(text, length, both), rest = first + sizeof both - 1;
    if (first < length)
        return read_conditions(clauses, out, text, first, holidays) &&
               read_conditions(clauses, out, text + rest, length - rest, holidays);
    const size_t name = find_sign(text, length, &sign);
    if (name < length) return read_comparison(clauses, out, text, length, name, sign);
    if (length == 4 && memcmp(text, "24/7", length) == 0) return true;
    if (!mcd_opening_hours_read(times, holidays, text, length)) return false;
    mcd_weeks_meet(out->week, times);
    return out->timed = true;
}

/* ---- vehicles ---- */

/* Counts a condition that is not read. */
static void skip(mcd_clauses *clauses, const char *text, size_t length)
{
    clauses->unread = mcd_conditional_counts_kind(text, length);
    mcd_report_add(clauses->report, MCD_REPORT_CONDITIONS_ODD);
    mcd_report_add_if(clauses->report, clauses->unread, clauses->unread != MCD_REPORT_CONDITIONS_ODD);
}

/* Adds a vehicle with the greater measures of two. If there is no more room, the last one grows. */
static void add_vehicle(mcd_clauses *clauses, const uint32_t a[MCD_LIMITS], const uint32_t b[MCD_LIMITS])
{
    uint32_t added[MCD_LIMITS];
    size_t place = 0;
    for (int limit = 0; limit < MCD_LIMITS; ++limit) added[limit] = a[limit] > b[limit] ? a[limit] : b[limit];
    while (place < clauses->vehicle_count && memcmp(clauses->vehicle[place], added, sizeof added) != 0)
        ++place;
    if (place < MCD_CLAUSE_VEHICLES) {
        memcpy(clauses->vehicle[place], added, sizeof added);
        clauses->vehicle_count += place == clauses->vehicle_count;
        return;
    }
    skip(clauses, "<", 1);
    add_vehicle(clauses, clauses->vehicle[--clauses->vehicle_count], added);
}

void mcd_clauses_end(mcd_clauses *clauses)
{
    for (size_t i = 2; i < clauses->vehicle_count; ++i)
        for (size_t k = 1; k < i && clauses->vehicle_count < MCD_CLAUSE_VEHICLES; ++k)
            add_vehicle(clauses, clauses->vehicle[i], clauses->vehicle[k]);
}

/* Adds the vehicles to which the clause means another thing than to the profile's. */
static void add_vehicles(mcd_clauses *clauses, const mcd_clause *of)
{
    const mcd_tags tags = {.tag = &of->tag, .count = 1};
    uint32_t reaching[MCD_LIMITS] = {0};
    mcd_limits limits;
    bool larger = false;
    mcd_profile_limits(&limits, clauses->profile, &tags);
    for (int i = 0; i < MCD_DIRECTIONS * MCD_LIMITS; ++i) {
        uint32_t exceeding[MCD_LIMITS] = {0};
        const uint32_t most = limits.most[i / MCD_LIMITS].most[i % MCD_LIMITS];
        exceeding[i % MCD_LIMITS] = most + (most > 0);
        add_vehicle(clauses, exceeding, exceeding);
    }
    for (const mcd_comparison *at = of->comparison; at < of->comparison + of->comparison_count; ++at) {
        uint32_t leaving[MCD_LIMITS] = {0};
        uint32_t *const most = &(at->below ? leaving : reaching)[at->limit];
        if (*most < at->bound) *most = at->bound;
        if (at->below) add_vehicle(clauses, leaving, leaving);
        larger = larger || at->bound > 0;
    }
    add_vehicle(clauses, reaching, reaching);
    mcd_report_count(clauses->report, MCD_REPORT_CONDITIONS_VEHICLE, of->comparison_count > 0);
    mcd_report_count(clauses->report, MCD_REPORT_CONDITIONS_LARGER, larger);
}

/* ---- clauses ---- */

void mcd_clauses_begin(mcd_clauses *clauses, const mcd_profile *profile, mcd_report *report)
{
    clauses->profile = profile;
    clauses->report = report;
    clauses->unread = 0;
    clauses->count = clauses->used = 0;
    clauses->timed = false;
    memset(clauses->vehicle, 0, sizeof *clauses->vehicle);
    clauses->vehicle_count = 1;
}

/* Counts a clause that was read, and keeps it unless the profile ignores times. */
static void keep_clause(mcd_clauses *clauses, mcd_clause *read, unsigned holidays)
{
    if (read->timed && clauses->profile->ignores_times) return;
    clauses->timed = clauses->timed || read->timed;
    mcd_report_count(clauses->report, MCD_REPORT_CONDITIONS_KEPT, read->timed);
    mcd_conditional_counts_holidays(clauses->report, holidays);
    add_vehicles(clauses, read);
    clauses->clause[clauses->count++] = *read;
}

/* Reads the conditions of a clause; those that an OR joins are clauses of their own. */
static void read_clause(mcd_clauses *clauses, mcd_tag tag, const char *text, size_t length)
{
    const mcd_clause *const last = clauses->count ? &clauses->clause[clauses->count - 1] : NULL;
    mcd_clause clause = {.tag = tag, .same_tag = last && strcmp(last->tag.key, tag.key) == 0};
    const char *separator;
    unsigned holidays = 0;
    open_brackets(&text, &length);
    const size_t end = find_or(text, length, &separator), rest = end + strlen(separator);
    memset(clause.week, 0xff, sizeof clause.week);
    if (end == length) {
        const bool always = length == 0 && !*tag.key;
        if (tag.value && *tag.value && clauses->count < MCD_CLAUSES_MAX &&
            (always || read_conditions(clauses, &clause, text, length, &holidays)))
            keep_clause(clauses, &clause, holidays);
        else
            skip(clauses, text, length);
        return;
    }
    read_clause(clauses, tag, text, end);
    read_clause(clauses, tag, text + rest, length - rest);
}

void mcd_clauses_add(mcd_clauses *clauses, const char *key, const char *text)
{
    /* OpenStreetMap's have 255 characters */
    if (strnlen(text, MCD_CLAUSE_TEXT_BYTES) == MCD_CLAUSE_TEXT_BYTES) skip(clauses, text = "", 0);
    while (*text) {
        const size_t length = clause_length(text);
        const char *const at = memchr(text, '@', length), *value = text;
        size_t value_length = at ? (size_t)(at - text) : length, rest = value_length + (at != NULL);
        trim(&value, &value_length);
        const mcd_tag tag = {key, keep(clauses, value, value_length)};
        if (tag.value && *tag.value && !mcd_profile_knows(clauses->profile, &tag))
            skip(clauses, value, value_length);
        else
            read_clause(clauses, tag, text + rest, length - rest);
        text += length + (text[length] == ';');
    }
}

/* Returns the key that a conditional tag is about, if the profile knows it, or it is a limit; else NULL. */
static const char *known_key(mcd_clauses *clauses, const char *key)
{
    static const char suffix[] = ":conditional";
    const size_t length = strlen(key), suffix_length = sizeof suffix - 1;
    if (length <= suffix_length || strcmp(key + length - suffix_length, suffix) != 0) return NULL;
    const char *const plain = keep(clauses, key, length - suffix_length);
    const bool limit = plain && strncmp(plain, "max", 3) == 0 && plain[3] != 's';
    return limit || (plain && mcd_keys_find(&clauses->profile->keys.all, plain)) ? plain : NULL;
}

/* Closes what has opening hours at all other times, also to those who push. */
static void add_opening_hours(mcd_clauses *clauses, const char *hours)
{
    const char *const key[] = {clauses->profile->mode[0], clauses->profile->push_mode[0]};
    mcd_clause shut = {.timed = true};
    unsigned holidays = 0;
    if (!mcd_opening_hours_read(shut.week, &holidays, hours, strlen(hours))) {
        skip(clauses, hours, strlen(hours));
        return;
    }
    for (size_t w = 0; w < MCD_WEEK_WORDS; ++w)
        for (int i = 0; i < MCD_WEEKS; ++i) shut.week[i].word[w] = ~shut.week[i].word[w];
    for (size_t i = 0; i < 2 && key[i] && clauses->count < MCD_CLAUSES_MAX; ++i, holidays = 0) {
        shut.tag = (mcd_tag){key[i], "no"};
        keep_clause(clauses, &shut, holidays);
    }
}

void mcd_clauses_read(mcd_clauses *clauses, const mcd_tags *tags, bool is_way)
{
    for (size_t i = 0; i < tags->count; ++i) {
        const char *const key = known_key(clauses, tags->tag[i].key);
        if (key) mcd_clauses_add(clauses, key, tags->tag[i].value);
    }
    const char *const hours = mcd_tags_get(tags, "opening_hours");
    const bool business = hours && (mcd_tags_get(tags, "shop") || mcd_tags_get(tags, "amenity") ||
                                    mcd_tags_get(tags, "leisure") || mcd_tags_get(tags, "tourism"));
    if (hours && is_way && business)
        skip(clauses, hours, strlen(hours));
    else if (hours && !clauses->profile->ignores_times && (is_way || mcd_tags_get(tags, "barrier")))
        add_opening_hours(clauses, hours);
    mcd_clauses_end(clauses);
}

mcd_tags mcd_clauses_tags(const mcd_clauses *clauses, uint32_t bits, const mcd_tags *tags, mcd_tag *tag)
{
    size_t count = 0;
    for (size_t i = 0; i < clauses->count; ++i)
        if (bits >> i & 1) tag[count++] = clauses->clause[i].tag;
    if (tags->count) memcpy(tag + count, tags->tag, tags->count * sizeof *tag);
    return (mcd_tags){.tag = tag, .count = count + tags->count};
}

/* ---- moments ---- */

/* Returns the clauses whose comparisons hold for a vehicle, as bits. */
static uint32_t find_fitting(const mcd_clauses *clauses, size_t vehicle)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < clauses->count; ++i) {
        const mcd_clause *const clause = &clauses->clause[i];
        bool fits = true;
        for (const mcd_comparison *at = clause->comparison;
             at < clause->comparison + clause->comparison_count; ++at)
            fits = fits && at->below == (clauses->vehicle[vehicle][at->limit] < at->bound);
        if (fits) bits |= UINT32_C(1) << i;
    }
    return bits;
}

/* Returns which of the clauses give tags their values at a moment, as bits. */
static uint32_t in_force(const mcd_clauses *clauses, uint32_t fitting, size_t moment)
{
    uint32_t bits = 0, own = 0;
    for (size_t i = 0; i < clauses->count; ++i) {
        const mcd_clause *const clause = &clauses->clause[i];
        const bool now = moment < MCD_CLAUSE_TIMELESS
                             ? mcd_week_has(&clause->week[moment / MCD_WEEK_SLOTS], moment % MCD_WEEK_SLOTS)
                             : !clause->timed;
        if (!clause->same_tag) bits |= own, own = 0;
        if (now && fitting >> i & 1) own = UINT32_C(1) << i;
    }
    return bits | own;
}

uint32_t mcd_clauses_usual(const mcd_clauses *clauses)
{
    return in_force(clauses, find_fitting(clauses, 0), MCD_CLAUSE_TIMELESS);
}

void mcd_moments_begin(mcd_moments *moments, const mcd_clauses *clauses, size_t vehicle)
{
    const uint32_t own = find_fitting(clauses, 0), its = find_fitting(clauses, vehicle);
    moments->guard = (mcd_guard){.also = 0};
    for (int limit = 0; limit < MCD_LIMITS; ++limit)
        if (clauses->vehicle[vehicle][limit])
            moments->guard.above[limit] = clauses->vehicle[vehicle][limit] - 1;
    moments->next = clauses->timed || vehicle ? 0 : MCD_CLAUSE_MOMENTS;
    for (size_t moment = moments->next; moment < MCD_CLAUSE_MOMENTS; ++moment) {
        const uint32_t before = in_force(clauses, own, vehicle ? moment : MCD_CLAUSE_TIMELESS),
                       then = in_force(clauses, its, moment);
        moments->bits[moment] = before == then && !(vehicle && then) ? 0 : (uint64_t)before << 32 | then;
    }
}

bool mcd_moments_next(mcd_moments *moments, uint32_t *before, uint32_t *then, mcd_period *period)
{
    while (moments->next < MCD_CLAUSE_MOMENTS && !moments->bits[moments->next]) ++moments->next;
    if (moments->next == MCD_CLAUSE_MOMENTS) return false;
    const uint64_t bits = moments->bits[moments->next];
    *before = (uint32_t)(bits >> 32);
    *then = (uint32_t)bits;
    *period = (mcd_period){.guard = moments->guard};
    for (size_t same = moments->next; same < MCD_CLAUSE_MOMENTS; ++same) {
        if (moments->bits[same] != bits) continue;
        if (same == MCD_CLAUSE_TIMELESS)
            period->guard.timeless = 1;
        else
            mcd_week_add(&period->week[same / MCD_WEEK_SLOTS], same % MCD_WEEK_SLOTS);
        moments->bits[same] = 0;
    }
    return true;
}
