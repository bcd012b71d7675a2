/* check.c - see check.h, check_rule.h: runs the rules, and holds the rules of single arrays and of the
 * map. */
#include "engine/file/check_rule.h"

#include "engine/base/utf8.h"

#include <stdio.h>

/* A part takes about 10 us, a block about 100 ns. */
enum { PART_ITEMS = 16384, BLOCK_ITEMS = 512 };

/* ---- rules ---- */

typedef struct scan_work {
    mcd_scan scan;
    const void *argument;
    atomic_size_t bad; /* the lowest bad index so far, or the count of all items */
} scan_work;

static void scan_range(void *argument, size_t first, size_t last)
{
    scan_work *work = argument;
    size_t known = atomic_load(&work->bad);
    if (first >= known) return;
    const size_t found = work->scan(work->argument, first, last);
    if (found == last) return;
    while (found < known && !atomic_compare_exchange_weak(&work->bad, &known, found)) {
    }
}

size_t mcd_check_scan(mcd_check check, mcd_scan scan, const void *argument, size_t count)
{
    scan_work work = {scan, argument, count};
    /* mcd_check_done reports a cancelled check. */
    (void)mcd_watch_for_ranges(check.parallel, count, PART_ITEMS, scan_range, &work, NULL);
    return atomic_load(&work.bad);
}

macadam_status mcd_check_done(mcd_check check)
{
    return mcd_watch_step(NULL, 0, 1, check.error);
}

macadam_status mcd_check_fail(mcd_check check, const char *prefix, const mcd_finding *found)
{
    char value[32];
    if (found->is_signed)
        snprintf(value, sizeof value, "%lld", (long long)found->value);
    else
        snprintf(value, sizeof value, "%llu", (unsigned long long)found->value);
    return mcd_fail(check.error, MACADAM_E_FILE, "%s: section '%s%s': element %zu is %s: %s", check.file,
                    prefix, found->section, found->index, value, found->why);
}

macadam_status mcd_check_rule(mcd_check check, const char *prefix, mcd_rule rule, mcd_scan scan,
                              const void *argument, size_t count)
{
    mcd_finding found;
    const size_t bad = mcd_check_scan(check, scan, argument, count);
    if (bad == count || !rule(argument, bad, &found)) return mcd_check_done(check);
    return mcd_check_fail(check, prefix, &found);
}

/* ---- single arrays ---- */

static size_t scan_offsets(const void *argument, size_t first, size_t last)
{
    const uint64_t *offset = argument;
    while (first < last) {
        const size_t end = mcd_size_min(first + BLOCK_ITEMS, last);
        uint64_t bad = 0; /* its top bit: of an offset or a difference. Vectors compare no unsigned numbers */
        for (size_t i = first; i < end; ++i) bad |= offset[i] | (offset[i + 1] - offset[i]);
        if (bad >> 63) break;
        first = end;
    }
    while (first < last && offset[first] <= offset[first + 1]) ++first;
    return first;
}

static macadam_status fail_at(mcd_check check, const char *prefix, const char *section, size_t index,
                              uint64_t value, const char *why)
{
    const mcd_finding found = {section, index, value, false, why};
    return mcd_check_fail(check, prefix, &found);
}

macadam_status mcd_check_offsets(mcd_check check, const char *section, const uint64_t *first, size_t count,
                                 uint64_t total)
{
    if (first[0] != 0) return fail_at(check, "", section, 0, first[0], "the first offset is not 0");
    if (first[count] != total)
        return fail_at(check, "", section, count, first[count],
                       "the last offset is not the count of what it points into");
    const size_t bad = mcd_check_scan(check, scan_offsets, first, count);
    if (bad == count) return mcd_check_done(check);
    return fail_at(check, "", section, bad, first[bad], "an offset above the next");
}

/* Values from -least to below end - least, modulo 2^32. */
typedef struct limited {
    const uint32_t *value;
    uint32_t least, end;
} limited;

static size_t scan_limited(const void *argument, size_t first, size_t last)
{
    const limited *array = argument;
    const uint32_t *value = array->value, least = array->least, end_value = array->end;
    while (first < last) {
        const size_t end = mcd_size_min(first + BLOCK_ITEMS, last);
        unsigned bad = 0;
        for (size_t i = first; i < end; ++i) bad |= value[i] + least >= end_value;
        if (bad) break;
        first = end;
    }
    while (first < last && value[first] + least < end_value) ++first;
    return first;
}

macadam_status mcd_check_limit(mcd_check check, const char *prefix, const char *section,
                               const uint32_t *value, size_t count, uint32_t end, const char *why)
{
    const limited array = {value, 0, end};
    const size_t bad = mcd_check_scan(check, scan_limited, &array, count);
    return bad == count ? mcd_check_done(check) : fail_at(check, prefix, section, bad, value[bad], why);
}

macadam_status mcd_check_below(mcd_check check, const char *section, const uint32_t *value, size_t count,
                               uint32_t end)
{
    char why[64];
    snprintf(why, sizeof why, "not below %u", end);
    return mcd_check_limit(check, "", section, value, count, end, why);
}

macadam_status mcd_check_weights(mcd_check check, const char *section, const mcd_weight *value, size_t count)
{
    return mcd_check_limit(check, "", section, value, count, MCD_UNREACHED + 1, "above the largest weight");
}

macadam_status mcd_check_range(mcd_check check, const char *section, const int32_t *value, size_t count,
                               int32_t max)
{
    const limited array = {(const uint32_t *)value, (uint32_t)max, 2 * (uint32_t)max + 1};
    const size_t bad = mcd_check_scan(check, scan_limited, &array, count);
    if (bad == count) return mcd_check_done(check);
    const mcd_finding found = {section, bad, (uint64_t)value[bad], true, "no coordinate"};
    return mcd_check_fail(check, "", &found);
}

macadam_status mcd_check_originals(mcd_check check, const uint32_t *original, size_t original_count,
                                   size_t arc_count)
{
    const limited array = {original, 1, (uint32_t)mcd_size_min(original_count, arc_count) + 1};
    static_assert(MCD_ROAD_NONE + UINT32_C(1) == 0, "it is below the limit");
    const size_t bad = mcd_check_scan(check, scan_limited, &array, arc_count);
    return bad == arc_count ? mcd_check_done(check)
                            : fail_at(check, "", "arc_original", bad, original[bad], "no original");
}

/* ---- the map ---- */

#define fail_section(check, section, format, ...)                                                            \
    mcd_fail((check).error, MACADAM_E_FILE, "%s: section '%s': " format, (check).file, section, __VA_ARGS__)

static inline bool id_rule(const void *argument, size_t i, mcd_finding *out)
{
    const int64_t *const id = argument;
    if (i == 0 || id[i - 1] < id[i]) return false;
    *out = (mcd_finding){"id", i, (uint64_t)id[i], true, "not above the id before it"};
    return true;
}
MCD_SCAN_OF(id_rule)

macadam_status mcd_check_ids(mcd_check check, const int64_t *id, size_t id_count)
{
    return MCD_CHECK_RULE(check, "", id_rule, id, id_count);
}

static inline bool heads_rule(const void *argument, size_t i, mcd_finding *out)
{
    const mcd_graph *graph = argument;
    const mcd_node *head = graph->head;
    if (head[i] >= graph->node_count) return mcd_broken(out, "head", i, head[i], "no node");
    if (i > 0 && head[i] < head[i - 1] && graph->first_out[mcd_road_tail(graph, (uint32_t)i)] < i)
        return mcd_broken(out, "head", i, head[i], "heads of one tail do not ascend");
    return false;
}

/* Looks at blocks of arcs, each with the last arc of the block before. */
static size_t heads_rule_scan(const void *argument, size_t first, size_t last)
{
    const mcd_graph *const graph = argument;
    const mcd_node *const head = graph->head, node_count = graph->node_count;
    mcd_finding ignored;
    while (first < last) {
        mcd_node tail[MCD_TAILS_ROOM];
        const size_t before = first > 0 ? first - 1 : 0, end = mcd_size_min(before + MCD_TAILS_MAX, last);
        unsigned bad = head[first] >= node_count;
        mcd_road_tails(graph, before, end - before, tail);
        for (size_t i = before + 1; i < end; ++i)
            bad |= (unsigned)(head[i] >= node_count) |
                   ((unsigned)(head[i] < head[i - 1]) & (unsigned)(tail[i - before] == tail[i - before - 1]));
        if (bad) break;
        first = end;
    }
    while (first < last && !heads_rule(argument, first, &ignored)) ++first;
    return first;
}

macadam_status mcd_check_graph(mcd_check check, const mcd_graph *graph)
{
    const size_t node_count = graph->node_count;
    MCD_TRY(mcd_check_offsets(check, "first_out", graph->first_out, node_count, graph->arc_count));
    return MCD_CHECK_RULE(check, "", heads_rule, graph, graph->arc_count);
}

/* Each arc to x is listed once: they ascend. */
static inline bool reverse_rule(const void *argument, size_t x, mcd_finding *out)
{
    const mcd_graph *const graph = argument;
    for (mcd_arc i = graph->first_in[x]; i < graph->first_in[x + 1]; ++i) {
        const uint32_t arc = graph->in_arc[i];
        if (graph->head[arc] != x || (i > graph->first_in[x] && arc <= graph->in_arc[i - 1]))
            return mcd_broken(out, "in_arc", i, arc, "not the next arc to its node");
        if (arc < graph->first_out[graph->tail[i]] || arc >= graph->first_out[graph->tail[i] + 1])
            return mcd_broken(out, "tail", i, graph->tail[i], "not where the arc begins");
    }
    return false;
}
MCD_SCAN_OF(reverse_rule)

macadam_status mcd_check_reverse(mcd_check check, const mcd_graph *graph)
{
    MCD_TRY(mcd_check_offsets(check, "first_in", graph->first_in, graph->node_count, graph->arc_count));
    MCD_TRY(mcd_check_below(check, "tail", graph->tail, graph->arc_count, graph->node_count));
    MCD_TRY(mcd_check_below(check, "in_arc", graph->in_arc, graph->arc_count, graph->arc_count));
    return MCD_CHECK_RULE(check, "", reverse_rule, graph, graph->node_count);
}

macadam_status mcd_check_reverse_at(mcd_check check, const mcd_graph *graph, mcd_node node)
{
    mcd_finding found;
    const mcd_arc first = graph->first_in[node], end = graph->first_in[node + 1];
    bool is_broken = (first > end || end > graph->arc_count) &&
                     mcd_broken(&found, "first_in", node, first, "an offset above the next");
    for (mcd_arc i = first; i < end && !is_broken; ++i)
        is_broken = (graph->tail[i] >= graph->node_count &&
                     mcd_broken(&found, "tail", i, graph->tail[i], "no node")) ||
                    (graph->in_arc[i] >= graph->arc_count &&
                     mcd_broken(&found, "in_arc", i, graph->in_arc[i], "no arc"));
    return is_broken || reverse_rule(graph, node, &found) ? mcd_check_fail(check, "", &found) : MACADAM_OK;
}

macadam_status mcd_check_names(mcd_check check, const char *names, size_t names_bytes)
{
    if (names_bytes == 0 || names_bytes > UINT32_MAX || names[0] != '\0' || names[names_bytes - 1] != '\0')
        return fail_section(check, "names",
                            "its %zu bytes do not begin with an empty string and end with a NUL",
                            names_bytes);
    const size_t valid = mcd_utf8_length(names, names_bytes);
    if (valid == names_bytes) return MACADAM_OK;
    return fail_section(check, "names", "byte %zu is not UTF-8", valid);
}

macadam_status mcd_check_kinds(mcd_check check, const uint32_t *arc_kind, size_t original_count,
                               const mcd_kind *kind, const uint32_t *pronunciation, size_t count,
                               const char *names, size_t names_bytes)
{
    if (count == 0 || count >= UINT32_MAX)
        return fail_section(check, "kind", "%zu kinds: there must be some, and less than 2^32 - 1", count);
    for (size_t i = 0; i < count; ++i)
        for (int text = 0; text < MCD_KIND_TEXTS + (pronunciation != NULL); ++text) {
            const uint32_t at = text < MCD_KIND_TEXTS ? kind[i].text[text] : pronunciation[i];
            if (at >= names_bytes || (at > 0 && names[at - 1] != '\0'))
                return fail_section(check, text < MCD_KIND_TEXTS ? "kind" : "kind_pronunciation",
                                    "text %d of kind %zu is at byte %u of %zu, where no name begins", text, i,
                                    at, names_bytes);
        }
    return mcd_check_below(check, "arc_kind", arc_kind, original_count, (uint32_t)count);
}

macadam_status mcd_check_maneuvers(mcd_check check, const mcd_relation *maneuver, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const mcd_relation *const it = &maneuver[i];
        if ((it->type != MCD_RELATION_SUPPRESS && it->type < (int)MACADAM_MANEUVER_TURN) ||
            it->type > (int)MACADAM_MANEUVER_END_OF_ROAD ||
            (unsigned)it->modifier > MACADAM_MODIFIER_SHARP_LEFT || it->way[0] == 0 || it->way[1] == 0 ||
            (i > 0 && it->way[0] < it[-1].way[0]))
            return fail_section(check, "maneuver",
                                "entry %zu has the ways %lld and %lld, type %d, modifier %d", i,
                                (long long)it->way[0], (long long)it->way[1], it->type, it->modifier);
    }
    return MACADAM_OK;
}

macadam_status mcd_check_shut(mcd_check check, const uint32_t *shut, size_t words, size_t stride,
                              size_t arc_count, size_t week_count)
{
    if (words % stride != 0)
        return fail_section(check, "shut_arc", "its %zu numbers are not %zu each", words, stride);
    for (size_t at = 0; at < words; at += stride) {
        const uint32_t *const entry = shut + at, week = entry[MCD_SHUT_WHEN] & (MCD_WHEN_OPENS - 1);
        bool fits = entry[MCD_SHUT_ARC] < arc_count && entry[MCD_SHUT_WHEN] < 2 * MCD_WHEN_OPENS &&
                    week > 0 && week <= week_count &&
                    (at == 0 || entry[MCD_SHUT_ARC] > shut[at - stride + MCD_SHUT_ARC]);
        for (size_t q = MCD_SHUT_WORDS; q < stride; ++q) fits = fits && entry[q] <= MCD_UNREACHED;
        if (!fits)
            return fail_section(check, "shut_arc",
                                "entry %zu has arc %u of %zu, week %u of %zu, or its weights", at / stride,
                                entry[MCD_SHUT_ARC], arc_count, week, week_count);
    }
    return MACADAM_OK;
}

macadam_status mcd_check_times(mcd_check check, const mcd_timed_arc *timed, size_t count, size_t week_count)
{
    for (size_t i = 0; i < count; ++i)
        if (timed[i].week >= week_count || (i > 0 && timed[i - 1].number > timed[i].number) ||
            timed[i].usual > MCD_WEIGHT_MAX || timed[i].timed > MCD_UNREACHED)
            return fail_section(check, "timed_arc", "entry %zu has arc %u, week %u of %zu, weights %u and %u",
                                i, timed[i].number, timed[i].week, week_count, timed[i].usual,
                                timed[i].timed);
    return MACADAM_OK;
}

macadam_status mcd_check_guards(mcd_check check, const mcd_guard *guard, size_t week_count)
{
    for (size_t i = 0; i < week_count; ++i)
        if (guard[i].also > i || guard[i].timeless > 1)
            return fail_section(check, "week_guard", "entry %zu of %zu has another week %u, and %u", i,
                                week_count, guard[i].also, guard[i].timeless);
    return MACADAM_OK;
}

macadam_status mcd_check_patterns(mcd_check check, const mcd_pattern_table *table, size_t value_count,
                                  const uint16_t *arc_pattern, size_t original_count)
{
    if (value_count != table->count * table->slot_count || table->count > MCD_PATTERNS_MAX)
        return fail_section(check, "pattern", "its %zu bytes are not at most %d patterns of %zu slots",
                            value_count, MCD_PATTERNS_MAX, table->slot_count);
    const size_t slow = mcd_pattern_find_slow(table);
    if (slow < table->count)
        return fail_section(check, "pattern", "pattern %zu never has the fastest speed, %d", slow,
                            MCD_PATTERN_FASTEST);
    const size_t arc = mcd_pattern_find_unknown(table, arc_pattern, original_count);
    if (arc == original_count) return mcd_check_done(check);
    return fail_at(check, "", "arc_pattern", arc, arc_pattern[arc], "a pattern that is not there");
}

macadam_status mcd_check_changed(mcd_check check, const char *section, const mcd_changed_arc *changed,
                                 size_t count, size_t arc_count)
{
    for (size_t i = 0; i < count; ++i)
        if (changed[i].arc >= arc_count || (i > 0 && changed[i - 1].arc >= changed[i].arc) ||
            changed[i].imported > MCD_UNREACHED ||
            (changed[i].price > MCD_UNREACHED && changed[i].price != MCD_PRICE_IMPORTED))
            return fail_section(check, section, "entry %zu has arc %u of %zu, weight %u and price %u", i,
                                changed[i].arc, arc_count, changed[i].imported, changed[i].price);
    return mcd_check_done(check);
}
