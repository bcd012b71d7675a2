/* clock_town.c - see clock_town.h. */
#include "tests/support/clock_town.h"

#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include "engine/map/pattern.h"
#include "engine/query/places/located.h"
#include "engine/runtime/load.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAY_FIRST = 1000, PATTERNS = 12, SHAPES_MAX = 4096 };

const char *const town_quantities[2] = {"duration", "distance"};
clock_town town;
static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];

/* ---- the town ---- */

static void write_street(FILE *file, test_rng *rng, bool has_times, int from, int to, int *next)
{
    static const char *const tags[] = {
        "",
        "",
        "<tag k=\"oneway\" v=\"yes\"/>",
        "<tag k=\"motor_vehicle:conditional\" v=\"no @ (Mo 08:00-10:00; PH 09:00-11:00)\"/>",
        "<tag k=\"motorcar\" v=\"no\"/><tag k=\"motorcar:conditional\" v=\"yes @ (Mo,Su 07:00-09:00; PH "
        "20:00-03:00)\"/>",
        "<tag k=\"maxspeed\" v=\"60\"/><tag k=\"maxspeed:conditional\" v=\"20 @ (Mo-Fr 07:00-09:00; PH "
        "off)\"/>",
        "<tag k=\"maxspeed\" v=\"30\"/><tag k=\"maxspeed:conditional\" v=\"70 @ (19:00-06:00)\"/>",
        "<tag k=\"motorcar:conditional\" v=\"no @ (weight>7.27)\"/>",
        "<tag k=\"motorcar:conditional\" v=\"no @ (height>3.55 AND Mo 06:00-12:00)\"/>",
    };
    static const char *const classes[] = {"residential", "primary", "tertiary", "secondary"};
    const unsigned kinds = has_times ? sizeof tags / sizeof *tags : 3;
    const int bend = (*next)++;
    const double lon = (from % TOWN_SIDE + to % TOWN_SIDE) / 2.0 + 0.2,
                 lat = (from / TOWN_SIDE + to / TOWN_SIDE) / 2.0 - 0.1;
    fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", bend, lon * 0.01, lat * 0.01);
    fprintf(file,
            "<way id=\"%d\"><nd ref=\"%d\"/><nd ref=\"%d\"/><nd ref=\"%d\"/><tag k=\"highway\" "
            "v=\"%s\"/>%s<tag k=\"motor_vehicle\" v=\"yes\"/></way>\n",
            bend, from + 1, bend, to + 1, classes[rng_below(rng, 4)], tags[rng_below(rng, kinds)]);
}

/* A turn over a junction, forbidden at times or always. */
static void write_turn(FILE *file, test_rng *rng, bool has_times, int id, int way_count)
{
    static const char *const tag[] = {
        "<tag k=\"restriction\" v=\"no_left_turn\"/>",
        "<tag k=\"restriction:conditional\" v=\"no_left_turn @ (Mo 07:00-09:30; PH 08:00-10:00)\"/>",
    };
    const int from = WAY_FIRST + (int)rng_below(rng, (uint32_t)way_count), to = from + 1;
    const int via = 1 + (from - WAY_FIRST) / 2; /* mostly a node of both */
    fprintf(
        file,
        "<relation id=\"%d\"><member type=\"way\" ref=\"%d\" role=\"from\"/><member type=\"node\" ref=\"%d\" "
        "role=\"via\"/><member type=\"way\" ref=\"%d\" role=\"to\"/><tag k=\"type\" v=\"restriction\"/>%s"
        "</relation>\n",
        id, from, via, to, tag[has_times ? rng_below(rng, 2) : 0]);
}

static void write_town(const char *name, uint64_t seed, bool has_times)
{
    test_rng rng = {seed};
    int next = WAY_FIRST;
    FILE *const file = fopen(name, "w");
    cr_assert(file);
    fprintf(file, "<osm version=\"0.6\">\n");
    for (int i = 0; i < TOWN_NODES; ++i)
        fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", i + 1, i % TOWN_SIDE * 0.01,
                i / TOWN_SIDE * 0.01);
    for (int i = 0; i < TOWN_NODES; ++i) {
        if (i % TOWN_SIDE + 1 < TOWN_SIDE) write_street(file, &rng, has_times, i, i + 1, &next);
        if (i + TOWN_SIDE < TOWN_NODES) write_street(file, &rng, has_times, i, i + TOWN_SIDE, &next);
    }
    for (int i = 0; i < 25; ++i) write_turn(file, &rng, has_times, i + 1, next - WAY_FIRST - 1);
    fprintf(file, "</osm>\n");
    fclose(file);
}

/* ---- patterns ---- */

static uint8_t pattern[2 * PATTERNS * TOWN_SLOTS_MAX];
static uint16_t *arc_pattern;

/* Harsh ones: some stand still for hours, some crawl. */
static void draw_patterns(test_rng *rng)
{
    for (size_t p = 0; p < PATTERNS * town.weeks; ++p) {
        for (size_t s = 0; s < town.slots; ++s) {
            const uint32_t kind = rng_below(rng, 8);
            pattern[p * town.slots + s] = kind == 0  ? 0
                                          : kind < 3 ? (uint8_t)(1 + rng_below(rng, 30))
                                          : p % 3 == 0 && s % (town.slots / 7) < town.slots / 24
                                              ? 12
                                              : (uint8_t)(100 + rng_below(rng, 156));
        }
        pattern[p * town.slots + rng_below(rng, town.slots)] = 255;
    }
}

static void give_patterns(test_rng *rng)
{
    const size_t count =
        town.engine->roads.original_count ? town.engine->roads.original_count : town.engine->graph.arc_count;
    arc_pattern = checked_zeroed(count, sizeof *arc_pattern);
    draw_patterns(rng);
    for (size_t i = 0; i < count; ++i)
        arc_pattern[i] = (uint16_t)(rng_below(rng, 2) ? 1 + rng_below(rng, PATTERNS) : 0);
    town.engine->facts.arc_pattern = arc_pattern;
    town.engine->facts.pattern = pattern;
    town.engine->facts.pattern_count = PATTERNS;
    town.engine->facts.pattern_slots = town.weeks * town.slots;
}

void town_open(uint64_t seed, bool has_times, size_t slots)
{
    char osm[FILES_PATH_BYTES + 16];
    test_rng rng = {seed};
    files_new_path(folder, osm, "town.osm");
    snprintf(path, sizeof path, "%s/town.mcd", folder);
    write_town(osm, seed, has_times);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, osm, "car", &options);
    town.engine = fixture_open_file(path, 2);
    FIXTURE_CALL(mcd_engine_load, town.engine, MCD_LOAD_FACTS);
    town.slots = mcd_pattern_week_slots(slots);
    town.weeks = slots > town.slots ? 2 : 1;
    town.holiday = town.weeks > 1 ? MACADAM_HOLIDAY_MS : 0;
    if (slots) give_patterns(&rng);
}

void town_close(void)
{
    macadam_engine_close(town.engine);
    free(arc_pattern);
    arc_pattern = NULL;
    files_remove_folder(folder);
}

/* ---- the oracle's arcs ---- */

static town_speeds *shape[SHAPES_MAX];
static size_t shape_count;

/* The length of a slot. */
static uint64_t slot_ms(void)
{
    return MACADAM_WEEK_MS / town.slots;
}

static const town_speeds *keep_speeds(const uint8_t *rate)
{
    for (size_t i = 0; i < shape_count; ++i)
        if (memcmp(shape[i]->rate, rate, town.slots) == 0) return shape[i];
    town_speeds *const made = shape[shape_count++] = checked_allocate(1, sizeof *made);
    memcpy(made->rate, rate, town.slots);
    made->until[0] = 0;
    for (size_t s = 0; s < town.slots; ++s)
        made->until[s + 1] = made->until[s] + (uint64_t)rate[s] * slot_ms();
    return made;
}

/* A speed as a fraction of that by which the arc's weight is meant. */
typedef struct fraction {
    uint64_t over, under;
} fraction;

static bool is_below(fraction a, fraction b)
{
    return (unsigned __int128)a.over * b.under < (unsigned __int128)b.over * a.under;
}

static bool week_has(size_t week, size_t slot)
{
    const mcd_arc_facts *const facts = &town.engine->facts;
    return mcd_week_has((town.holiday ? facts->week_holiday : facts->week) + week,
                        slot * MCD_WEEK_SLOTS / town.slots);
}

static bool holds(size_t week, size_t slot, uint32_t weight)
{
    const mcd_arc_facts *const facts = &town.engine->facts;
    const mcd_guard *const guard = facts->guard ? &facts->guard[week] : NULL;
    bool fits = week_has(week, slot);
    for (int limit = 0; guard && limit < MCD_LIMITS; ++limit)
        if (guard->above[limit]) fits = fits && limit == MCD_LIMIT_WEIGHT && weight > guard->above[limit];
    return fits || (guard && guard->also && holds(guard->also - 1, slot, weight));
}

static uint16_t pattern_of(uint32_t a)
{
    const mcd_arc_facts *const facts = &town.engine->facts;
    return facts->arc_pattern ? facts->arc_pattern[mcd_arc_original(facts, a)] : 0;
}

static fraction speed_in(uint32_t a, uint32_t original, size_t slot, uint64_t own, uint32_t weight,
                         bool opens)
{
    const mcd_arc_facts *const facts = &town.engine->facts;
    const uint16_t p = pattern_of(a);
    fraction speed = {p ? pattern[(p * town.weeks - 1) * town.slots + slot] : 255, 255};
    const mcd_timed_arc *strict = NULL;
    for (size_t i = 0; i < facts->timed_arc_count; ++i) {
        const mcd_timed_arc *const timed = &facts->timed_arc[i];
        if (timed->number == mcd_arc_number(facts, a) && holds(timed->week, slot, weight) &&
            (!strict || strict->timed < timed->timed))
            strict = timed;
    }
    if (strict) {
        const fraction then = strict->timed == MCD_UNREACHED
                                  ? (fraction){0, 1}
                                  : (fraction){own, own - strict->usual + strict->timed};
        cr_assert(strict->timed == MCD_UNREACHED || own >= strict->usual);
        if (!p || is_below(then, speed)) speed = then;
    }
    for (size_t i = 0; i < facts->shut_arc_count; ++i) {
        const uint32_t *const shut = facts->shut_arc + i * facts->shut_words;
        const size_t week = (shut[MCD_SHUT_WHEN] & (MCD_WHEN_OPENS - 1)) - 1;
        if (shut[MCD_SHUT_ARC] != a) continue;
        const uint32_t also = facts->guard ? facts->guard[week].also : 0;
        if (shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS
                ? opens && (!week_has(week, slot) || (also && holds(also - 1, slot, weight)))
                : holds(week, slot, weight))
            speed.over = 0;
    }
    (void)original;
    return speed;
}

/* The weight of an arc that opens at times, while it is open. */
static uint32_t opened(uint32_t a, size_t quantity, uint32_t weight)
{
    const mcd_arc_facts *const facts = &town.engine->facts;
    for (size_t i = 0; i < facts->shut_arc_count && weight == MCD_UNREACHED; ++i) {
        const uint32_t *const shut = facts->shut_arc + i * facts->shut_words;
        if (shut[MCD_SHUT_ARC] == a && shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS)
            return shut[MCD_SHUT_WORDS + quantity];
    }
    return weight;
}

static void make_arc(uint32_t a, mcd_node tail, const mcd_weight *duration, const mcd_weight *distance,
                     uint32_t weight)
{
    const uint32_t original = mcd_road_original(&town.engine->roads, tail, a), w = opened(a, 0, duration[a]),
                   o = opened(original, 0, duration[original]);
    town_arc *const out = &town.arc[a];
    *out =
        (town_arc){.tail = tail, .head = town.engine->graph.head[a], .distance = opened(a, 1, distance[a])};
    out->is_closed = w == MCD_UNREACHED;
    if (out->is_closed) return;
    out->own = w;
    if (mcd_arc_number(&town.engine->facts, a) == MCD_ARC_NONE) return;
    out->price = w > o ? w - o : 0;
    out->own = w - out->price;
    fraction speed[TOWN_SLOTS_MAX], fastest = {0, 1};
    for (size_t s = 0; s < town.slots; ++s) {
        speed[s] = speed_in(a, original, s, out->own, weight, duration[a] == MCD_UNREACHED);
        if (is_below(fastest, speed[s])) fastest = speed[s];
    }
    uint8_t rate[TOWN_SLOTS_MAX];
    bool is_constant = true;
    out->is_closed = fastest.over == 0;
    if (pattern_of(a))
        fastest = (fraction){1, 1}; /* the weight is meant at the pattern's fastest, open then or not */
    for (size_t s = 0; s < town.slots && !out->is_closed; ++s) {
        const uint64_t over = 2 * 255 * speed[s].over * fastest.under, under = speed[s].under * fastest.over;
        rate[s] = (uint8_t)((over + under) / (2 * under));
        if (speed[s].over && !rate[s]) rate[s] = 1;
        is_constant = is_constant && rate[s] == 255;
    }
    if (out->is_closed) return;
    /* the usual speed is 1: its time is as it is without a clock, but for the rounding to milliseconds */
    const uint64_t usual = (2 * 255 * fastest.under + fastest.over) / (2 * fastest.over);
    if (fastest.over >= fastest.under && usual)
        out->own = out->own * usual / 255;
    else
        out->own = (2 * out->own * fastest.under + fastest.over) / (2 * fastest.over);
    if (!is_constant) out->speeds = keep_speeds(rate);
}

/* weight: of the vehicle, in the units of limits. */
static void make_arcs(uint32_t weight)
{
    mcd_array *use[2];
    for (size_t q = 0; q < 2; ++q) FIXTURE_CALL(mcd_engine_use_quantity, town.engine, q, &use[q]);
    town.arc = checked_zeroed(town.engine->graph.arc_count, sizeof *town.arc);
    for (mcd_node v = 0; v < town.engine->graph.node_count; ++v)
        for (mcd_arc a = town.engine->graph.first_out[v]; a < town.engine->graph.first_out[v + 1]; ++a)
            make_arc((uint32_t)a, v, use[0]->weight, use[1]->weight, weight);
    for (size_t q = 0; q < 2; ++q) mcd_array_leave(use[q]);
}

static void free_arcs(void)
{
    while (shape_count) free(shape[--shape_count]);
    free(town.arc);
}

/* ---- the oracle's rule: times count from ten weeks before the query's ---- */

const uint64_t town_epoch = UINT64_C(10) * MACADAM_WEEK_MS;

uint64_t town_integral(const town_speeds *of, uint64_t t)
{
    const uint64_t within = t % MACADAM_WEEK_MS, slot = within / slot_ms();
    return t / MACADAM_WEEK_MS * of->until[town.slots] + of->until[slot] +
           of->rate[slot] * (within % slot_ms());
}

static uint64_t leave(const town_arc *a, uint64_t own, uint64_t t)
{
    if (t >= TOWN_NEVER) return TOWN_NEVER;
    if (!a->speeds || own == 0) return t + own;
    uint64_t low = t, high = t + (UINT64_C(1) << 33);
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (town_integral(a->speeds, middle) - town_integral(a->speeds, t) >= 255 * own)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Backward, times are negated: the latest one is the least. */
static uint64_t enter(const town_arc *a, uint64_t own, uint64_t t)
{
    if (!a->speeds || own == 0) return t - own;
    uint64_t low = t - (UINT64_C(1) << 32), high = t;
    while (low < high) {
        const uint64_t middle = (low + high + 1) / 2;
        if (town_integral(a->speeds, t) - town_integral(a->speeds, middle) >= 255 * own)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The cost from the beginning of a search, `at` a node, to after a part of an arc. */
uint64_t town_pass(const town_arc *a, uint64_t own, uint64_t price, uint64_t begin, uint64_t at,
                   bool backward)
{
    if (at >= TOWN_NEVER || a->is_closed) return TOWN_NEVER;
    return backward ? begin - (enter(a, own, begin - at) - price) : leave(a, own, begin + at + price) - begin;
}

/* ---- the oracle's searches ---- */

static uint64_t relaxed(const town_tree *o, const town_arc *a)
{
    return town_pass(a, a->own, a->price, o->begin, o->cost[o->backward ? a->head : a->tail], o->backward);
}

static void settle(town_tree *o)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < town.engine->graph.arc_count; ++i) {
            uint64_t *const cost = &o->cost[o->backward ? town.arc[i].tail : town.arc[i].head];
            const uint64_t sum = relaxed(o, &town.arc[i]);
            if (sum < *cost) *cost = sum, changed = true;
        }
    }
}

static void settle_distances(town_tree *o)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < town.engine->graph.arc_count; ++i) {
            const mcd_node to = o->backward ? town.arc[i].tail : town.arc[i].head,
                           from = o->backward ? town.arc[i].head : town.arc[i].tail;
            if (relaxed(o, &town.arc[i]) != o->cost[to] || o->cost[to] >= TOWN_NEVER) continue;
            if (o->distance[from] + town.arc[i].distance >= o->distance[to]) continue;
            o->distance[to] = o->distance[from] + town.arc[i].distance;
            changed = true;
        }
    }
}

static uint64_t share(uint64_t weight, uint64_t from, uint64_t to)
{
    return (weight * to >> 32) - (weight * from >> 32);
}

static town_answer better(town_answer a, uint64_t cost, uint64_t distance)
{
    return cost < a.cost || (cost == a.cost && distance < a.distance) ? (town_answer){cost, distance} : a;
}

/* Returns the cost after a part of a position's arc, or of a copy of it, of a search that enters it at the cost `at`. */
static town_answer part(const town_tree *o, uint32_t copy, uint32_t original, uint64_t from, uint64_t to,
                        town_answer at)
{
    const town_arc *const own = &town.arc[copy],
                          *const whole =
                              &town.arc[own->speeds == town.arc[original].speeds ? original : copy];
    const uint64_t paid = town.arc[copy].distance - town.arc[original].distance;
    return (town_answer){town_pass(own, share(whole->own, from, to), from == 0 ? own->price : 0, o->begin,
                                   at.cost, o->backward),
                         at.distance + share(town.arc[original].distance, from, to) + paid};
}

static bool is_copy(uint32_t a, uint32_t original)
{
    return mcd_arc_original(&town.engine->facts, a) == mcd_arc_original(&town.engine->facts, original);
}

/* The answer at a position of the end where the search ends; with `seed`, makes the seeds at that where it begins. */
static town_answer at_position(town_tree *o, const mcd_position *at, bool departs, bool seeds)
{
    town_answer best = {TOWN_NEVER, TOWN_NEVER};
    const mcd_node *const node = departs ? town.engine->places.depart : town.engine->places.arrive;
    if (at->id != MCD_PLACE_NONE && at->arc[0] == MCD_ROAD_NONE && at->arc[1] == MCD_ROAD_NONE) {
        const mcd_node v = node[at->id];
        if (seeds) o->cost[v] = o->distance[v] = 0;
        return (town_answer){o->cost[v], o->distance[v]};
    }
    for (int i = 0; i < 2; ++i)
        for (uint32_t a = 0; a < town.engine->graph.arc_count; ++a) {
            const uint32_t original = at->arc[i];
            if (original == MCD_ROAD_NONE || (departs ? a != original : !is_copy(a, original))) continue;
            if (town.arc[a].is_closed || town.arc[original].is_closed) continue;
            const mcd_node v = departs ? town.arc[a].head : town.arc[a].tail;
            const town_answer from = seeds ? (town_answer){0, 0} : (town_answer){o->cost[v], o->distance[v]};
            const town_answer to = departs ? part(o, a, original, at->before[i], MCD_ROAD_WHOLE, from)
                                           : part(o, a, original, 0, at->before[i], from);
            if (!seeds) best = better(best, to.cost, to.distance);
            if (seeds &&
                better((town_answer){o->cost[v], o->distance[v]}, to.cost, to.distance).cost == to.cost &&
                (to.cost < o->cost[v] || to.distance < o->distance[v]))
                o->cost[v] = to.cost, o->distance[v] = to.distance;
        }
    return best;
}

/* Searches with the seeds of `from` at the nodes below *end, the last ones first. *end becomes the last one that it had. */
static town_tree search_some(const mcd_position *from, uint32_t begin, bool backward, size_t *end)
{
    const size_t count = town.engine->graph.node_count;
    town_tree o = {town_epoch + begin % MACADAM_WEEK_MS, backward, checked_allocate(count, sizeof *o.cost),
                   checked_allocate(count, sizeof *o.distance)};
    FREED uint64_t *seed = checked_allocate(count, sizeof *seed);
    size_t seeds = 0;
    for (size_t v = 0; v < count; ++v) o.cost[v] = o.distance[v] = TOWN_NEVER;
    at_position(&o, from, !backward, true);
    for (size_t v = count; v-- > 0;) {
        const bool is_seed = o.cost[v] < TOWN_NEVER && v < *end && seeds < MCD_SEEDS_MAX;
        if (is_seed) ++seeds;
        if (is_seed && seeds == MCD_SEEDS_MAX) *end = v;
        if (!is_seed) o.cost[v] = o.distance[v] = TOWN_NEVER;
    }
    if (seeds < MCD_SEEDS_MAX) *end = 0;
    memcpy(seed, o.cost, count * sizeof *seed);
    settle(&o);
    for (size_t v = 0; v < count; ++v)
        if (o.cost[v] < seed[v]) o.distance[v] = TOWN_NEVER;
    settle_distances(&o);
    return o;
}

town_searches town_search(const mcd_position *from, uint32_t begin, bool backward)
{
    town_searches all = {.count = 0};
    for (size_t end = SIZE_MAX; end > 0 && all.count < TOWN_SEARCHES_MAX;)
        all.one[all.count++] = search_some(from, begin, backward, &end);
    return all;
}

void town_search_free(town_searches *all)
{
    for (size_t i = 0; i < all->count; ++i) {
        free(all->one[i].cost);
        free(all->one[i].distance);
    }
}

town_answer town_cost_at(const town_searches *all, mcd_node v)
{
    town_answer best = {TOWN_NEVER, TOWN_NEVER};
    for (size_t i = 0; i < all->count; ++i) best = better(best, all->one[i].cost[v], all->one[i].distance[v]);
    return best;
}

/* From (backward: to) the position where the searches began to another one. */
town_answer town_cost_to(town_searches *all, const mcd_position *from, const mcd_position *to)
{
    const bool backward = all->one[0].backward;
    const mcd_position *const source = backward ? to : from, *const target = backward ? from : to;
    town_answer best = {TOWN_NEVER, TOWN_NEVER};
    for (size_t i = 0; i < all->count; ++i) {
        const town_answer one = at_position(&all->one[i], to, backward, false);
        best = better(best, one.cost, one.distance);
    }
    for (int i = 0; i < 2; ++i) {
        const uint32_t a = source->arc[i];
        if (a == MCD_ROAD_NONE || a != target->arc[i] || source->before[i] > target->before[i] ||
            town.arc[a].is_closed)
            continue;
        const uint64_t own = share(town.arc[a].own, source->before[i], target->before[i]);
        best = better(best, town_pass(&town.arc[a], own, 0, all->one[0].begin, 0, backward),
                      share(town.arc[a].distance, source->before[i], target->before[i]));
    }
    return best;
}

/* ---- questions ---- */

void town_draw_places(test_rng *rng)
{
    for (size_t i = 0; i < TOWN_PLACES; ++i) {
        const double lon = rng_below(rng, (TOWN_SIDE - 1) * 10000) * 1e-6,
                     lat = rng_below(rng, (TOWN_SIDE - 1) * 10000) * 1e-6;
        town.place[i] = (macadam_place){.kind = i % 3 ? MACADAM_PLACE_POINT : MACADAM_PLACE_NODE,
                                        .id = 1 + rng_below(rng, TOWN_NODES),
                                        .lon = lon,
                                        .lat = lat};
    }
    town.place[TOWN_PLACES - 1] = town.place[TOWN_PLACES - 2];
    town.place[TOWN_PLACES - 1].lon += 0.0004, town.place[TOWN_PLACES - 1].lat += 0.0004;
    for (size_t i = 0; i < TOWN_INSTANTS; ++i) {
        const uint32_t hour = 3600 * 1000;
        town.instant[i] = i == 0   ? MACADAM_WEEK_MS - 1 - rng_below(rng, hour)
                          : i == 1 ? 7 * hour + rng_below(rng, 3) * hour
                                   : rng_below(rng, MACADAM_WEEK_MS);
        town.instant[i] += town.holiday;
    }
}

macadam_query town_query(const macadam_clock *clock)
{
    macadam_query query = MACADAM_QUERY_INIT;
    query.metric = "duration";
    query.quantity = town_quantities;
    query.quantity_count = 2;
    query.snap_radius_m = 5000;
    query.snap_any_component = true;
    query.clock = clock;
    return query;
}

void town_find_positions(const macadam_query *query)
{
    mcd_query own = {0};
    mcd_located located = {0};
    FIXTURE_CALL(mcd_query_begin_clock, &own, town.engine, town.engine->host, query, NULL);
    const mcd_place_list list = {.place = town.place, .count = TOWN_PLACES};
    FIXTURE_CALL(mcd_locate_places, &located, &own, &list, MCD_SOURCES, false);
    for (size_t i = 0; i < TOWN_PLACES; ++i)
        town.position[i] = mcd_located_position(&located, town.engine, i);
    mcd_located_free(&located);
    mcd_query_end(&own);
}

void town_expect(town_answer a, const uint32_t *const value[2], size_t at, const char *what)
{
    const uint32_t cost = a.cost < MCD_UNREACHED ? (uint32_t)a.cost : MACADAM_UNREACHED,
                   distance = a.cost < MCD_UNREACHED ? (uint32_t)a.distance : MACADAM_UNREACHED;
    cr_assert_eq(value[0][at], cost, "%s %zu: %u instead of %u", what, at, value[0][at], cost);
    if (!value[1]) return;
    cr_assert_eq(value[1][at], distance, "%s %zu: distance %u instead of %u", what, at, value[1][at],
                 distance);
}

macadam_clock town_clock(bool backward, size_t first, size_t count)
{
    macadam_clock clock = MACADAM_CLOCK_INIT;
    if (backward)
        clock.arrive_by = town.instant + first, clock.arrive_count = count;
    else
        clock.depart = town.instant + first, clock.depart_count = count;
    return clock;
}

macadam_clock town_clock_of_each(bool backward)
{
    for (size_t i = 0; i < TOWN_PLACES; ++i) town.own_instant[i] = town.instant[i % TOWN_INSTANTS];
    return backward ? (macadam_clock){.size = sizeof(macadam_clock),
                                      .arrive_by = town.own_instant,
                                      .arrive_count = TOWN_PLACES,
                                      .each = true}
                    : (macadam_clock){.size = sizeof(macadam_clock),
                                      .depart = town.own_instant,
                                      .depart_count = TOWN_PLACES,
                                      .each = true};
}

/* ---- all scenes ---- */

static void check_both(town_check check, uint64_t seed, const macadam_conditions *conditions, uint32_t weight)
{
    test_rng rng = {seed * 77};
    town_draw_places(&rng);
    const macadam_clock any = town_clock(false, 0, 1);
    macadam_query query = town_query(&any);
    query.conditions = conditions;
    town_find_positions(&query);
    make_arcs(weight);
    for (int backward = 0; backward < 2; ++backward) check(query, backward);
    free_arcs();
}

/* An update of durations leaves patterns as they are: it scales what they take. */
static void update_durations(void)
{
    mcd_array *duration;
    uint64_t number[20];
    uint32_t weight[20];
    FIXTURE_CALL(mcd_engine_use_quantity, town.engine, 0, &duration);
    size_t count = 0;
    for (uint32_t a = 0; count < 20; a += 3) {
        if (mcd_arc_number(&town.engine->facts, a) == MCD_ARC_NONE || duration->weight[a] == MCD_UNREACHED)
            continue;
        number[count] = mcd_arc_number(&town.engine->facts, a);
        weight[count++] = 2 * duration->weight[a];
    }
    mcd_array_leave(duration);
    const char *const only = "duration";
    const macadam_update_request update = {.size = sizeof update,
                                           .quantity = &only,
                                           .quantity_count = 1,
                                           .arc = number,
                                           .count = count,
                                           .value = (const uint32_t *const[]){weight}};
    FIXTURE_CALL(macadam_update, town.engine, &update);
}

void town_check_all(town_check check)
{
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        town_open(seed, seed != 1, MCD_WEEK_SLOTS);
        check_both(check, seed, NULL, 0);
        town_close();
    }
    town_open(9, true, MCD_WEEK_SLOTS);
    update_durations();
    check_both(check, 9, NULL, 0);
    town_close();
    town_open(10, true, TOWN_SLOTS_MAX);
    check_both(check, 10, NULL, 0);
    town_close();
    town_open(11, true, 2 * MCD_WEEK_SLOTS);
    check_both(check, 11, NULL, 0);
    town_close();
    town_open(5, true, 0);
    check_both(check, 5, NULL, 0);
    const macadam_conditions heavy = {.size = sizeof heavy, .weight_t = 7.3};
    check_both(check, 6, &heavy, 730);
    town_close();
}
