/* test_clock_queries.c - queries whose clock moves along the way: trees, matrices, pairs and routes are the oracle's, which follows
 * every arc by the integral of its speeds. The map is a random town of OpenStreetMap streets with conditional tags, and
 * each arc gets one of some drawn patterns, or none. It is one file as all tests share this oracle. */
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include "engine/map/road.h"
#include "engine/query/places/located.h"
#include "engine/runtime/load.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 7,
    NODES = SIDE * SIDE,
    WAY_FIRST = 1000,
    SLOTS = MCD_WEEK_SLOTS,
    PATTERNS = 12,
    PLACES = 14,
    INSTANTS = 5,
    SLOT_MS = 15 * 60 * 1000,
    SHAPES_MAX = 4096
};
static const uint64_t never = UINT64_MAX / 4;
static const char *const quantities[] = {"duration", "distance"};

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_engine *engine;
static macadam_error error;

/* ---- the town ---- */

static void write_street(FILE *file, test_rng *rng, bool has_times, int from, int to, int *next)
{
    static const char *const tags[] = {
        "",
        "",
        "<tag k=\"oneway\" v=\"yes\"/>",
        "<tag k=\"motor_vehicle:conditional\" v=\"no @ (Mo 08:00-10:00)\"/>",
        "<tag k=\"motorcar\" v=\"no\"/><tag k=\"motorcar:conditional\" v=\"yes @ (Mo,Su 07:00-09:00)\"/>",
        "<tag k=\"maxspeed\" v=\"60\"/><tag k=\"maxspeed:conditional\" v=\"20 @ (Mo-Fr 07:00-09:00)\"/>",
        "<tag k=\"maxspeed\" v=\"30\"/><tag k=\"maxspeed:conditional\" v=\"70 @ (19:00-06:00)\"/>",
        "<tag k=\"motorcar:conditional\" v=\"no @ (weight>7.27)\"/>",
        "<tag k=\"motorcar:conditional\" v=\"no @ (height>3.55 AND Mo 06:00-12:00)\"/>",
    };
    static const char *const classes[] = {"residential", "primary", "tertiary", "secondary"};
    const unsigned kinds = has_times ? sizeof tags / sizeof *tags : 3;
    const int bend = (*next)++;
    const double lon = (from % SIDE + to % SIDE) / 2.0 + 0.2, lat = (from / SIDE + to / SIDE) / 2.0 - 0.1;
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
        "<tag k=\"restriction:conditional\" v=\"no_left_turn @ (Mo 07:00-09:30)\"/>",
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
    for (int i = 0; i < NODES; ++i)
        fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", i + 1, i % SIDE * 0.01,
                i / SIDE * 0.01);
    for (int i = 0; i < NODES; ++i) {
        if (i % SIDE + 1 < SIDE) write_street(file, &rng, has_times, i, i + 1, &next);
        if (i + SIDE < NODES) write_street(file, &rng, has_times, i, i + SIDE, &next);
    }
    for (int i = 0; i < 25; ++i) write_turn(file, &rng, has_times, i + 1, next - WAY_FIRST - 1);
    fprintf(file, "</osm>\n");
    fclose(file);
}

/* ---- patterns ---- */

static uint8_t pattern[PATTERNS * SLOTS];
static uint16_t *arc_pattern;

/* Harsh ones: some stand still for hours, some crawl. */
static void draw_patterns(test_rng *rng)
{
    for (size_t p = 0; p < PATTERNS; ++p) {
        for (size_t s = 0; s < SLOTS; ++s) {
            const uint32_t kind = rng_below(rng, 8);
            pattern[p * SLOTS + s] = kind == 0                   ? 0
                                     : kind < 3                  ? (uint8_t)(1 + rng_below(rng, 30))
                                     : p % 3 == 0 && s % 96 < 28 ? 12
                                                                 : (uint8_t)(100 + rng_below(rng, 156));
        }
        pattern[p * SLOTS + rng_below(rng, SLOTS)] = 255;
    }
}

static void give_patterns(test_rng *rng)
{
    const size_t count =
        engine->roads.original_count ? engine->roads.original_count : engine->graph.arc_count;
    arc_pattern = checked_zeroed(count, sizeof *arc_pattern);
    draw_patterns(rng);
    for (size_t i = 0; i < count; ++i)
        arc_pattern[i] = (uint16_t)(rng_below(rng, 2) ? 1 + rng_below(rng, PATTERNS) : 0);
    engine->facts.arc_pattern = arc_pattern;
    engine->facts.pattern = pattern;
    engine->facts.pattern_count = PATTERNS;
    engine->facts.pattern_slots = SLOTS;
}

static void open_town(uint64_t seed, bool has_times, bool has_patterns)
{
    char osm[FILES_PATH_BYTES + 16];
    test_rng rng = {seed};
    files_new_path(folder, osm, "town.osm");
    snprintf(path, sizeof path, "%s/town.mcd", folder);
    write_town(osm, seed, has_times);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, osm, "car", &options);
    engine = fixture_open_file(path, 2);
    FIXTURE_CALL(mcd_engine_load, engine, MCD_LOAD_FACTS);
    if (has_patterns) give_patterns(&rng);
}

static void close_town(void)
{
    macadam_engine_close(engine);
    free(arc_pattern);
    arc_pattern = NULL;
    files_remove_folder(folder);
}

/* ---- the oracle's arcs ---- */

typedef struct speeds {
    uint8_t rate[SLOTS];
    uint64_t until[SLOTS + 1]; /* the integral until a slot */
} speeds;

typedef struct oracle_arc {
    mcd_node tail, head;
    uint64_t own, price, distance;
    bool is_closed;
    const speeds *speeds; /* NULL: constant */
} oracle_arc;

static oracle_arc *arc;
static speeds *shape[SHAPES_MAX];
static size_t shape_count;

static const speeds *keep_speeds(const uint8_t *rate)
{
    for (size_t i = 0; i < shape_count; ++i)
        if (memcmp(shape[i]->rate, rate, SLOTS) == 0) return shape[i];
    speeds *const made = shape[shape_count++] = checked_allocate(1, sizeof *made);
    memcpy(made->rate, rate, SLOTS);
    made->until[0] = 0;
    for (size_t s = 0; s < SLOTS; ++s) made->until[s + 1] = made->until[s] + (uint64_t)rate[s] * SLOT_MS;
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

static bool holds(size_t week, size_t slot, uint32_t weight)
{
    const mcd_arc_facts *const facts = &engine->facts;
    const mcd_guard *const guard = facts->guard ? &facts->guard[week] : NULL;
    bool fits = mcd_week_has(&facts->week[week], slot);
    for (int limit = 0; guard && limit < MCD_LIMITS; ++limit)
        if (guard->above[limit]) fits = fits && limit == MCD_LIMIT_WEIGHT && weight > guard->above[limit];
    return fits || (guard && guard->also && holds(guard->also - 1, slot, weight));
}

static fraction speed_in(uint32_t a, uint32_t original, size_t slot, uint64_t own, uint32_t weight,
                         bool opens)
{
    const mcd_arc_facts *const facts = &engine->facts;
    const uint16_t p = facts->arc_pattern ? facts->arc_pattern[mcd_arc_original(facts, a)] : 0;
    fraction speed = {p ? pattern[(p - 1) * SLOTS + slot] : 255, 255};
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
        if (shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS ? opens && (!mcd_week_has(&facts->week[week], slot) ||
                                                             (also && holds(also - 1, slot, weight)))
                                                 : holds(week, slot, weight))
            speed.over = 0;
    }
    (void)original;
    return speed;
}

/* The weight of an arc that opens at times, while it is open. */
static uint32_t opened(uint32_t a, size_t quantity, uint32_t weight)
{
    const mcd_arc_facts *const facts = &engine->facts;
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
    const uint32_t original = mcd_road_original(&engine->roads, tail, a), w = opened(a, 0, duration[a]),
                   o = opened(original, 0, duration[original]);
    oracle_arc *const out = &arc[a];
    *out = (oracle_arc){.tail = tail, .head = engine->graph.head[a], .distance = opened(a, 1, distance[a])};
    out->is_closed = w == MCD_UNREACHED;
    if (out->is_closed) return;
    out->own = w;
    if (mcd_arc_number(&engine->facts, a) == MCD_ARC_NONE) return;
    out->price = w > o ? w - o : 0;
    out->own = w - out->price;
    fraction speed[SLOTS], fastest = {0, 1};
    for (size_t s = 0; s < SLOTS; ++s) {
        speed[s] = speed_in(a, original, s, out->own, weight, duration[a] == MCD_UNREACHED);
        if (is_below(fastest, speed[s])) fastest = speed[s];
    }
    uint8_t rate[SLOTS];
    bool is_constant = true;
    out->is_closed = fastest.over == 0;
    for (size_t s = 0; s < SLOTS && !out->is_closed; ++s) {
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
static void make_oracle(uint32_t weight)
{
    mcd_array *use[2];
    for (size_t q = 0; q < 2; ++q) FIXTURE_CALL(mcd_engine_use_quantity, engine, q, &use[q]);
    arc = checked_zeroed(engine->graph.arc_count, sizeof *arc);
    for (mcd_node v = 0; v < engine->graph.node_count; ++v)
        for (mcd_arc a = engine->graph.first_out[v]; a < engine->graph.first_out[v + 1]; ++a)
            make_arc((uint32_t)a, v, use[0]->weight, use[1]->weight, weight);
    for (size_t q = 0; q < 2; ++q) mcd_array_leave(use[q]);
}

static void free_oracle(void)
{
    while (shape_count) free(shape[--shape_count]);
    free(arc);
}

/* ---- the oracle's rule: times count from ten weeks before the query's ---- */

static const uint64_t zero = UINT64_C(10) * MACADAM_WEEK_MS;

static uint64_t integral(const speeds *of, uint64_t t)
{
    const uint64_t within = t % MACADAM_WEEK_MS, slot = within / SLOT_MS;
    return t / MACADAM_WEEK_MS * of->until[SLOTS] + of->until[slot] + of->rate[slot] * (within % SLOT_MS);
}

static uint64_t leave(const oracle_arc *a, uint64_t own, uint64_t t)
{
    if (t >= never) return never;
    if (!a->speeds || own == 0) return t + own;
    uint64_t low = t, high = t + (UINT64_C(1) << 33);
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (integral(a->speeds, middle) - integral(a->speeds, t) >= 255 * own)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Backward, times are negated: the latest one is the least. */
static uint64_t enter(const oracle_arc *a, uint64_t own, uint64_t t)
{
    if (!a->speeds || own == 0) return t - own;
    uint64_t low = t - (UINT64_C(1) << 32), high = t;
    while (low < high) {
        const uint64_t middle = (low + high + 1) / 2;
        if (integral(a->speeds, t) - integral(a->speeds, middle) >= 255 * own)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The cost from the beginning of a search, `at` a node, to after a part of an arc. */
static uint64_t pass(const oracle_arc *a, uint64_t own, uint64_t price, uint64_t begin, uint64_t at,
                     bool backward)
{
    if (at >= never || a->is_closed) return never;
    return backward ? begin - (enter(a, own, begin - at) - price) : leave(a, own, begin + at + price) - begin;
}

/* ---- the oracle's searches ---- */

typedef struct oracle {
    uint64_t begin;
    bool backward;
    uint64_t *cost, *distance; /* by node */
} oracle;

static uint64_t relaxed(const oracle *o, const oracle_arc *a)
{
    return pass(a, a->own, a->price, o->begin, o->cost[o->backward ? a->head : a->tail], o->backward);
}

static void settle(oracle *o)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < engine->graph.arc_count; ++i) {
            uint64_t *const cost = &o->cost[o->backward ? arc[i].tail : arc[i].head];
            const uint64_t sum = relaxed(o, &arc[i]);
            if (sum < *cost) *cost = sum, changed = true;
        }
    }
}

static void settle_distances(oracle *o)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < engine->graph.arc_count; ++i) {
            const mcd_node to = o->backward ? arc[i].tail : arc[i].head,
                           from = o->backward ? arc[i].head : arc[i].tail;
            if (relaxed(o, &arc[i]) != o->cost[to] || o->cost[to] >= never) continue;
            if (o->distance[from] + arc[i].distance >= o->distance[to]) continue;
            o->distance[to] = o->distance[from] + arc[i].distance;
            changed = true;
        }
    }
}

static uint64_t share(uint64_t weight, uint64_t from, uint64_t to)
{
    return (weight * to >> 32) - (weight * from >> 32);
}

typedef struct answer {
    uint64_t cost, distance;
} answer;

static answer better(answer a, uint64_t cost, uint64_t distance)
{
    return cost < a.cost || (cost == a.cost && distance < a.distance) ? (answer){cost, distance} : a;
}

/* Returns the cost after a part of a position's arc, or of a copy of it, of a search that enters it at the cost `at`. */
static answer part(const oracle *o, uint32_t copy, uint32_t original, uint64_t from, uint64_t to, answer at)
{
    const oracle_arc *const own = &arc[copy], *const whole =
                                                  &arc[own->speeds == arc[original].speeds ? original : copy];
    const uint64_t paid = arc[copy].distance - arc[original].distance;
    return (answer){
        pass(own, share(whole->own, from, to), from == 0 ? own->price : 0, o->begin, at.cost, o->backward),
        at.distance + share(arc[original].distance, from, to) + paid};
}

static bool is_copy(uint32_t a, uint32_t original)
{
    return mcd_arc_original(&engine->facts, a) == mcd_arc_original(&engine->facts, original);
}

/* The answer at a position of the end where the search ends; with `seed`, makes the seeds at that where it begins. */
static answer at_position(oracle *o, const mcd_position *position, bool departs, bool seeds)
{
    answer best = {never, never};
    const mcd_node *const node = departs ? engine->places.depart : engine->places.arrive;
    if (position->id != MCD_PLACE_NONE && position->arc[0] == MCD_ROAD_NONE &&
        position->arc[1] == MCD_ROAD_NONE) {
        const mcd_node v = node[position->id];
        if (seeds) o->cost[v] = o->distance[v] = 0;
        return (answer){o->cost[v], o->distance[v]};
    }
    for (int i = 0; i < 2; ++i)
        for (uint32_t a = 0; a < engine->graph.arc_count; ++a) {
            const uint32_t original = position->arc[i];
            if (original == MCD_ROAD_NONE || (departs ? a != original : !is_copy(a, original))) continue;
            if (arc[a].is_closed || arc[original].is_closed) continue;
            const mcd_node v = departs ? arc[a].head : arc[a].tail;
            const answer from = seeds ? (answer){0, 0} : (answer){o->cost[v], o->distance[v]};
            const answer to = departs ? part(o, a, original, position->before[i], MCD_ROAD_WHOLE, from)
                                      : part(o, a, original, 0, position->before[i], from);
            if (!seeds) best = better(best, to.cost, to.distance);
            if (seeds && better((answer){o->cost[v], o->distance[v]}, to.cost, to.distance).cost == to.cost &&
                (to.cost < o->cost[v] || to.distance < o->distance[v]))
                o->cost[v] = to.cost, o->distance[v] = to.distance;
        }
    return best;
}

/* A search has at most MCD_SEEDS_MAX seeds: a place that is reached from more nodes has several, and the best counts. Of equal
 * durations, the companion may depend on it: a path may wait where another search has been before. */
enum { SEARCHES_MAX = 4 };

typedef struct searches {
    oracle one[SEARCHES_MAX];
    size_t count;
} searches;

/* Searches with the seeds of `from` at the nodes below *end, the last ones first. *end becomes the last one that it had. */
static oracle search_some(const mcd_position *from, uint32_t instant, bool backward, size_t *end)
{
    const size_t count = engine->graph.node_count;
    oracle o = {zero + instant, backward, checked_allocate(count, sizeof *o.cost),
                checked_allocate(count, sizeof *o.distance)};
    FREED uint64_t *seed = checked_allocate(count, sizeof *seed);
    size_t seeds = 0;
    for (size_t v = 0; v < count; ++v) o.cost[v] = o.distance[v] = never;
    at_position(&o, from, !backward, true);
    for (size_t v = count; v-- > 0;) {
        const bool is_seed = o.cost[v] < never && v < *end && seeds < MCD_SEEDS_MAX;
        if (is_seed) ++seeds;
        if (is_seed && seeds == MCD_SEEDS_MAX) *end = v;
        if (!is_seed) o.cost[v] = o.distance[v] = never;
    }
    if (seeds < MCD_SEEDS_MAX) *end = 0;
    memcpy(seed, o.cost, count * sizeof *seed);
    settle(&o);
    for (size_t v = 0; v < count; ++v)
        if (o.cost[v] < seed[v]) o.distance[v] = never;
    settle_distances(&o);
    return o;
}

static searches search(const mcd_position *from, uint32_t instant, bool backward)
{
    searches all = {.count = 0};
    for (size_t end = SIZE_MAX; end > 0 && all.count < SEARCHES_MAX;)
        all.one[all.count++] = search_some(from, instant, backward, &end);
    return all;
}

static void free_search(searches *all)
{
    for (size_t i = 0; i < all->count; ++i) {
        free(all->one[i].cost);
        free(all->one[i].distance);
    }
}

static answer cost_at(const searches *all, mcd_node v)
{
    answer best = {never, never};
    for (size_t i = 0; i < all->count; ++i) best = better(best, all->one[i].cost[v], all->one[i].distance[v]);
    return best;
}

/* From (backward: to) the position where the searches began to another one. */
static answer cost_to(searches *all, const mcd_position *from, const mcd_position *to)
{
    const bool backward = all->one[0].backward;
    const mcd_position *const source = backward ? to : from, *const target = backward ? from : to;
    answer best = {never, never};
    for (size_t i = 0; i < all->count; ++i) {
        const answer one = at_position(&all->one[i], to, backward, false);
        best = better(best, one.cost, one.distance);
    }
    for (int i = 0; i < 2; ++i) {
        const uint32_t a = source->arc[i];
        if (a == MCD_ROAD_NONE || a != target->arc[i] || source->before[i] > target->before[i] ||
            arc[a].is_closed)
            continue;
        const uint64_t own = share(arc[a].own, source->before[i], target->before[i]);
        best = better(best, pass(&arc[a], own, 0, all->one[0].begin, 0, backward),
                      share(arc[a].distance, source->before[i], target->before[i]));
    }
    return best;
}

/* ---- questions ---- */

static macadam_place place[PLACES];
static mcd_position position[PLACES];
static uint32_t instant[INSTANTS];

static void draw_places(test_rng *rng)
{
    for (size_t i = 0; i < PLACES; ++i) {
        const double lon = rng_below(rng, (SIDE - 1) * 10000) * 1e-6,
                     lat = rng_below(rng, (SIDE - 1) * 10000) * 1e-6;
        place[i] = (macadam_place){.kind = i % 3 ? MACADAM_PLACE_POINT : MACADAM_PLACE_NODE,
                                   .id = 1 + rng_below(rng, NODES),
                                   .lon = lon,
                                   .lat = lat};
    }
    place[PLACES - 1] = place[PLACES - 2];
    place[PLACES - 1].lon += 0.0004, place[PLACES - 1].lat += 0.0004;
    for (size_t i = 0; i < INSTANTS; ++i) {
        const uint32_t hour = 3600 * 1000;
        instant[i] = i == 0   ? MACADAM_WEEK_MS - 1 - rng_below(rng, hour)
                     : i == 1 ? 7 * hour + rng_below(rng, 3) * hour
                              : rng_below(rng, MACADAM_WEEK_MS);
    }
}

static macadam_query query_of(const macadam_clock *clock)
{
    macadam_query query = MACADAM_QUERY_INIT;
    query.metric = "duration";
    query.quantity = quantities;
    query.quantity_count = 2;
    query.snap_radius_m = 5000;
    query.snap_any_component = true;
    query.clock = clock;
    return query;
}

static void find_positions(const macadam_query *query)
{
    mcd_query own = {0};
    mcd_located located = {0};
    FIXTURE_CALL(mcd_query_begin_clock, &own, engine, engine->host, query, NULL);
    const mcd_place_list list = {.place = place, .count = PLACES};
    FIXTURE_CALL(mcd_locate_places, &located, &own, &list, MCD_SOURCES, false);
    for (size_t i = 0; i < PLACES; ++i) position[i] = mcd_located_position(&located, engine, i);
    mcd_located_free(&located);
    mcd_query_end(&own);
}

static void expect(answer a, const uint32_t *const value[2], size_t at, const char *what)
{
    const uint32_t cost = a.cost < MCD_UNREACHED ? (uint32_t)a.cost : MACADAM_UNREACHED,
                   distance = a.cost < MCD_UNREACHED ? (uint32_t)a.distance : MACADAM_UNREACHED;
    cr_assert_eq(value[0][at], cost, "%s %zu: %u instead of %u", what, at, value[0][at], cost);
    cr_assert_eq(value[1][at], distance, "%s %zu: distance %u instead of %u", what, at, value[1][at],
                 distance);
}

static macadam_clock clock_of(bool backward, size_t first, size_t count)
{
    macadam_clock clock = MACADAM_CLOCK_INIT;
    if (backward)
        clock.arrive_by = instant + first, clock.arrive_count = count;
    else
        clock.depart = instant + first, clock.depart_count = count;
    return clock;
}

/* Trees from (backward: to) all places at all instants. */
static void check_trees(macadam_query query, bool backward)
{
    const macadam_clock clock = clock_of(backward, 0, INSTANTS);
    const size_t ids = engine->places.id_count, rows = PLACES * INSTANTS;
    uint32_t *const value[2] = {checked_allocate(rows * ids, sizeof(uint32_t)),
                                checked_allocate(rows * ids, sizeof(uint32_t))};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    query.clock = &clock;
    request.source = place, request.source_count = PLACES, request.reverse = backward;
    FIXTURE_CALL(macadam_tree, engine, &query, &request, value, NULL);
    for (size_t r = 0; r < rows; ++r) {
        searches o = search(&position[r / INSTANTS], instant[r % INSTANTS], backward);
        const mcd_node *const node = backward ? engine->places.depart : engine->places.arrive;
        for (size_t i = 0; i < ids; ++i)
            expect(cost_at(&o, node[i]), (const uint32_t *const *)value, r * ids + i,
                   backward ? "tree by arrival" : "tree");
        free_search(&o);
    }
    free(value[0]);
    free(value[1]);
}

/* The matrix of all places at all instants, and what else is the same. */
static void check_matrix(macadam_query query, bool backward)
{
    const macadam_clock clock = clock_of(backward, 0, INSTANTS);
    uint32_t objective[PLACES * PLACES * INSTANTS], companion[PLACES * PLACES * INSTANTS];
    uint32_t *const value[2] = {objective, companion};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    query.clock = &clock;
    request.source = request.target = place, request.source_count = request.target_count = PLACES;
    FIXTURE_CALL(macadam_matrix_into, engine, &query, &request, value, NULL);
    for (size_t p = 0; p < PLACES; ++p)
        for (size_t t = 0; t < INSTANTS; ++t) {
            searches o = search(&position[p], instant[t], backward);
            for (size_t other = 0; other < PLACES; ++other)
                expect(cost_to(&o, &position[p], &position[other]), (const uint32_t *const *)value,
                       backward ? other * PLACES * INSTANTS + p * INSTANTS + t
                                : (p * INSTANTS + t) * PLACES + other,
                       backward ? "cell by arrival" : "cell");
            free_search(&o);
        }
}

/* Each pair costs what the cell does, and so does its route, whose arcs add up. */
static void check_pairs(macadam_query query, bool backward)
{
    uint32_t instants[PLACES], objective[PLACES], companion[PLACES];
    uint32_t *const value[2] = {objective, companion};
    macadam_place target[PLACES];
    for (size_t i = 0; i < PLACES; ++i)
        target[i] = place[(i * 5 + 3) % PLACES], instants[i] = instant[i % INSTANTS];
    macadam_clock clock = {.size = sizeof clock, .depart = instants, .depart_count = PLACES, .each = true};
    if (backward)
        clock = (macadam_clock){
            .size = sizeof clock, .arrive_by = instants, .arrive_count = PLACES, .each = true};
    macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = target, .pair_count = PLACES};
    query.clock = &clock;
    FIXTURE_CALL(macadam_routes, engine, &query, &request, value, NULL);
    for (size_t i = 0; i < PLACES; ++i) {
        const size_t end = (i * 5 + 3) % PLACES, begin = backward ? end : i, other = backward ? i : end;
        searches o = search(&position[begin], instants[i], backward);
        expect(cost_to(&o, &position[begin], &position[other]), (const uint32_t *const *)value, i, "pair");
        free_search(&o);
        const macadam_clock one = clock_of(backward, i % INSTANTS, 1);
        const macadam_place way[] = {place[i], target[i]};
        macadam_route_request ask = MACADAM_ROUTE_REQUEST_INIT;
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        query.clock = &one;
        ask.waypoint = way, ask.waypoint_count = 2, ask.steps = ask.segments = true;
        FIXTURE_CALL(macadam_route_find, engine, &query, &ask, &route);
        for (size_t q = 0; q < 2; ++q) {
            uint32_t sum = 0;
            cr_assert_eq(route->value[q], value[q][i], "route %zu: %u, pair %u", i, route->value[q],
                         value[q][i]);
            for (size_t a = 0; a < route->arc_count; ++a) sum += route->arc[a].value[q];
            cr_assert(!route->found || sum == route->value[q], "route %zu: arcs %u of %u", i, sum,
                      route->value[q]);
        }
    }
}

/* Via places: each leg departs when the one before arrives. */
static void check_vias(macadam_query query)
{
    macadam_route_request ask = MACADAM_ROUTE_REQUEST_INIT;
    ask.waypoint = place, ask.waypoint_count = 5, ask.via_turn = MACADAM_VIA_ANY;
    for (size_t t = 0; t < INSTANTS; ++t)
        for (int backward = 0; backward < 2; ++backward) {
            const macadam_clock clock = clock_of(backward, t, 1);
            SCOPED(macadam_route_free_at) macadam_route *route = NULL;
            uint64_t now = instant[t];
            query.clock = &clock;
            FIXTURE_CALL(macadam_route_find, engine, &query, &ask, &route);
            for (size_t i = 0; i < 4 && route->found; ++i) {
                const size_t l = backward ? 3 - i : i, begin = backward ? l + 1 : l,
                             end = backward ? l : l + 1;
                searches o = search(&position[begin], (uint32_t)(now % MACADAM_WEEK_MS), backward);
                const answer a = cost_to(&o, &position[begin], &position[end]);
                cr_assert_eq(route->leg[l].value[0], a.cost);
                now = backward ? now + zero - a.cost : now + a.cost;
                free_search(&o);
            }
        }
}

static bool keep_hash(void *context, size_t pair, const uint64_t *number, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) hash = rng_mix(hash ^ number[i]);
    ((uint64_t *)context)[pair] = hash;
    return true;
}

/* Paths are those of searches to all nodes, which answer without a hierarchy: also of ways that cost the same. */
static void check_paths(macadam_query query, bool backward)
{
    enum { PAIRS = PLACES * PLACES };
    macadam_place source[PAIRS], target[PAIRS];
    const macadam_clock clock = clock_of(backward, 0, 2);
    const macadam_routes_request request = {
        .size = sizeof request, .source = source, .target = target, .pair_count = PAIRS};
    uint32_t objective[2][2 * PAIRS], companion[2][2 * PAIRS];
    uint64_t hash[2][2 * PAIRS];
    for (size_t i = 0; i < PAIRS; ++i) source[i] = place[i / PLACES], target[i] = place[i % PLACES];
    query.clock = &clock;
    for (int has_hierarchy = 0; has_hierarchy < 2; ++has_hierarchy) {
        engine->profile[0]->has_hierarchy = has_hierarchy;
        FIXTURE_CALL(macadam_routes_paths, engine, &query, &request,
                     (uint32_t *const[]){objective[has_hierarchy], companion[has_hierarchy]}, NULL, keep_hash,
                     hash[has_hierarchy]);
    }
    for (size_t i = 0; i < 2 * PAIRS; ++i) {
        cr_assert_eq(objective[0][i], objective[1][i]);
        cr_assert_eq(companion[0][i], companion[1][i]);
        cr_assert_eq(hash[0][i], hash[1][i], "pair %zu at instant %zu has other arcs", i / 2, i % 2);
    }
}

/* An answer by arrival, run again from its departure, is never late. */
static void check_reruns(macadam_query query)
{
    const macadam_clock by = clock_of(true, 0, 1);
    uint32_t cost[PLACES], again[PLACES];
    macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = place + 1, .pair_count = PLACES - 1};
    query.quantity_count = 1;
    query.clock = &by;
    FIXTURE_CALL(macadam_routes, engine, &query, &request, (uint32_t *const[]){cost}, NULL);
    uint32_t depart[PLACES];
    for (size_t i = 0; i + 1 < PLACES; ++i)
        depart[i] =
            (uint32_t)((instant[0] + zero - (cost[i] == MACADAM_UNREACHED ? 0 : cost[i])) % MACADAM_WEEK_MS);
    const macadam_clock from = {
        .size = sizeof from, .depart = depart, .depart_count = PLACES - 1, .each = true};
    query.clock = &from;
    FIXTURE_CALL(macadam_routes, engine, &query, &request, (uint32_t *const[]){again}, NULL);
    for (size_t i = 0; i + 1 < PLACES; ++i)
        cr_assert(cost[i] == MACADAM_UNREACHED || again[i] <= cost[i], "pair %zu: %u, then %u", i, cost[i],
                  again[i]);
}

/* ---- what is reached ---- */

/* Where each place is at its own instant. */
static uint32_t own_instant[PLACES];

static macadam_clock clock_of_each(bool backward)
{
    for (size_t i = 0; i < PLACES; ++i) own_instant[i] = instant[i % INSTANTS];
    return backward ? (macadam_clock){.size = sizeof(macadam_clock),
                                      .arrive_by = own_instant,
                                      .arrive_count = PLACES,
                                      .each = true}
                    : (macadam_clock){.size = sizeof(macadam_clock),
                                      .depart = own_instant,
                                      .depart_count = PLACES,
                                      .each = true};
}

enum { NEAREST = 3 };

/* The nearest places cost what the best of the oracle's cells do, in their order. */
static void expect_nearest(searches *o, size_t p, const uint32_t *found, const uint32_t *at,
                           const uint32_t *cost)
{
    uint64_t before = 0, reached = 0;
    for (size_t t = 0; t < PLACES; ++t)
        reached += cost_to(o, &position[p], &position[t]).cost < MCD_UNREACHED;
    cr_assert_eq(found[p], reached < NEAREST ? reached : NEAREST);
    for (size_t rank = 0; rank < found[p]; ++rank) {
        const uint64_t key = (uint64_t)cost[p * NEAREST + rank] << 32 | at[p * NEAREST + rank];
        size_t closer = 0;
        for (size_t t = 0; t < PLACES; ++t)
            closer += (cost_to(o, &position[p], &position[t]).cost << 32 | t) < key;
        cr_assert_eq(closer, rank, "place %zu, rank %zu: %zu are nearer", p, rank, closer);
        cr_assert_eq(cost_to(o, &position[p], &position[key & UINT32_MAX]).cost, key >> 32);
        cr_assert(rank == 0 || key > before);
        before = key;
    }
}

/* Counts, sums and nearest places are those of the oracle's costs. */
static void check_reach(macadam_query query, bool backward)
{
    const macadam_clock clock = clock_of_each(backward);
    const uint32_t limit[] = {300 * 1000, 7000 * 1000};
    uint64_t nodes[PLACES * 2], sum[PLACES], reached[PLACES];
    uint32_t most[PLACES], found[PLACES], at[PLACES * NEAREST], cost[PLACES * NEAREST];
    macadam_reach_request request = {.size = sizeof request,
                                     .source = place,
                                     .source_count = PLACES,
                                     .reverse = backward,
                                     .limit = limit,
                                     .limit_count = 2,
                                     .target = place,
                                     .target_count = PLACES,
                                     .nearest_count = NEAREST};
    const macadam_reach sums = {.size = sizeof sums,
                                .node_count = nodes,
                                .reached = reached,
                                .eccentricity = most,
                                .cost_sum = sum,
                                .nearest_found = found,
                                .nearest_position = at,
                                .nearest_cost = cost};
    query.clock = &clock, query.quantity_count = 1;
    FIXTURE_CALL(macadam_reach_find, engine, &query, &request, &sums, NULL);
    for (size_t p = 0; p < PLACES; ++p) {
        searches o = search(&position[p], own_instant[p], backward);
        const mcd_node *const node = backward ? engine->places.depart : engine->places.arrive;
        uint64_t right[5] = {0};
        for (size_t i = 0; i < engine->places.id_count; ++i) {
            const uint64_t c = cost_at(&o, node[i]).cost;
            for (size_t l = 0; l < 2; ++l) right[l] += c <= limit[l];
            if (c >= MCD_UNREACHED) continue;
            ++right[2], right[3] += c, right[4] = c > right[4] ? c : right[4];
        }
        const uint64_t is[] = {nodes[2 * p], nodes[2 * p + 1], reached[p], sum[p], most[p]};
        for (size_t k = 0; k < 5; ++k)
            cr_assert_eq(is[k], right[k], "place %zu, sum %zu: %zu instead of %zu", p, k, (size_t)is[k],
                         (size_t)right[k]);
        expect_nearest(&o, p, found, at, cost);
        free_search(&o);
    }
}

/* How much of an arc is reached that a search enters at the cost `start`. */
static double reached_share(const oracle *o, const oracle_arc *a, double from, uint64_t start, uint64_t limit)
{
    const uint64_t now = o->backward ? o->begin - start : o->begin + start, rest = limit - start;
    if (!a->speeds) return rest >= a->own && from == 0 ? 1 : fmin(from + (double)rest / (double)a->own, 1);
    const uint64_t passed = o->backward ? integral(a->speeds, now) - integral(a->speeds, now - rest)
                                        : integral(a->speeds, now + rest) - integral(a->speeds, now);
    return a->own == 0 ? 1 : fmin(from + (double)passed / (255.0 * (double)a->own), 1);
}

/* The best share of the copies of an arc that are entered at their ends, and when those that are passed as a whole are left; of those that
 * are not, UINT64_MAX. */
static double best_share(const searches *all, uint64_t number, uint64_t limit, uint64_t *left)
{
    double best = -1;
    *left = UINT64_MAX;
    for (uint32_t i = 0; i < engine->graph.arc_count; ++i) {
        const oracle *const o = &all->one[0];
        const oracle_arc *const a = &arc[i];
        if (mcd_arc_number(&engine->facts, i) != number || a->is_closed) continue;
        const uint64_t cost = cost_at(all, o->backward ? a->head : a->tail).cost;
        if (cost > limit || (!o->backward && cost + a->price > limit)) continue;
        const uint64_t start = o->backward ? cost : cost + a->price;
        const double share = reached_share(o, a, 0, start, limit);
        best = fmax(best, share);
        if (share == 1) {
            const uint64_t end = pass(a, a->own, 0, o->begin, start, o->backward);
            *left = end < *left ? end : *left;
        }
    }
    return best;
}

/* Within a limit, each arc is reached as far as the oracle has travelled it by then. */
static void check_reached_arcs(macadam_query query, bool backward, uint32_t limit)
{
    for (size_t p = 0; p < PLACES; ++p) {
        const macadam_clock clock = clock_of(backward, p % INSTANTS, 1);
        SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
        const macadam_isochrone_request request = {
            .size = sizeof request, .source = place[p], .reverse = backward, .limit = limit};
        searches o = search(&position[p], instant[p % INSTANTS], backward);
        size_t whole = 0, ends = 0, expected = 0;
        query.clock = &clock, query.quantity_count = 1;
        FIXTURE_CALL(macadam_isochrone_find, engine, &query, &request, &found);
        for (size_t i = 0; i < found->arc_count; ++i) {
            const macadam_reached_arc *const is = &found->arc[i];
            uint64_t left;
            double right = best_share(&o, is->road.arc, limit, &left);
            if (is->from > 0) {
                const uint32_t a =
                    position[p].arc[mcd_arc_number(&engine->facts, position[p].arc[0]) != is->road.arc];
                right = reached_share(&o.one[0], &arc[a], is->from, 0, limit);
                cr_assert_eq(mcd_arc_number(&engine->facts, a), is->road.arc);
            } else if (found->to[i] == 1) {
                cr_assert_eq((uint64_t)is->cost + is->weight, left, "place %zu, arc %zu is left at %u + %u",
                             p, i, is->cost, is->weight);
                ++whole;
            }
            ends += is->from == 0;
            cr_assert_float_eq(found->to[i], right, 1e-12, "place %zu, arc %zu: %.15g instead of %.15g", p, i,
                               found->to[i], right);
        }
        for (uint64_t number = 0; number < engine->graph.arc_count; ++number) {
            uint64_t left;
            expected += best_share(&o, number, limit, &left) >= 0;
        }
        cr_assert_eq(ends, expected, "place %zu: %zu arcs instead of %zu", p, ends, expected);
        free_search(&o);
    }
}

/* ---- areas ---- */

static bool is_inside(const macadam_rings *rings, size_t area, double lon, double lat)
{
    bool inside = false;
    for (size_t r = rings->first_ring[rings->first_polygon[area]];
         r < rings->first_ring[rings->first_polygon[area + 1]]; ++r)
        for (size_t i = rings->first_point[r]; i + 1 < rings->first_point[r + 1]; ++i) {
            const double *const x = rings->lon + i, *const y = rings->lat + i;
            if ((y[0] > lat) != (y[1] > lat) && lon < x[0] + (lat - y[0]) / (y[1] - y[0]) * (x[1] - x[0]))
                inside = !inside;
        }
    return inside;
}

/* Whether some point near a place is inside: the area ends where roads that are not reached lead to a junction that is. */
static bool is_near_inside(const macadam_rings *rings, size_t area, double lon, double lat)
{
    static const double near = 0.0003; /* 33 m */
    return is_inside(rings, area, lon, lat) || is_inside(rings, area, lon + near, lat) ||
           is_inside(rings, area, lon - near, lat) || is_inside(rings, area, lon, lat + near) ||
           is_inside(rings, area, lon, lat - near);
}

/* The most of any road to a node (backward: from it) that is reached. */
static double share_at(const searches *o, uint32_t id, bool backward, uint32_t limit)
{
    double most = 0;
    uint64_t left;
    for (uint32_t a = 0; a < engine->graph.arc_count; ++a)
        if (mcd_arc_number(&engine->facts, a) != MCD_ARC_NONE &&
            engine->places.node_place[backward ? arc[a].tail : arc[a].head] == id)
            most = fmax(most, best_share(o, mcd_arc_number(&engine->facts, a), limit, &left));
    return most;
}

/* Junctions that are reached are inside, and those to which no road is reached nearly are outside. */
static void check_areas(macadam_query query, bool backward, uint32_t limit)
{
    const macadam_clock clock = clock_of_each(backward);
    SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
    const macadam_rings_request request = {.size = sizeof request,
                                           .source = place,
                                           .source_count = PLACES,
                                           .reverse = backward,
                                           .limit = &limit,
                                           .limit_count = 1};
    size_t outside = 0, inside = 0;
    query.clock = &clock, query.quantity_count = 1;
    FIXTURE_CALL(macadam_rings_find, engine, &query, &request, &rings);
    for (size_t p = 0; p < PLACES; ++p) {
        searches o = search(&position[p], own_instant[p], backward);
        for (uint32_t i = 0; i < engine->places.id_count; ++i) {
            const mcd_node node = (backward ? engine->places.depart : engine->places.arrive)[i];
            const double lon = engine->places.lon_e7[node] * 1e-7, lat = engine->places.lat_e7[node] * 1e-7;
            const bool is_reached = cost_at(&o, node).cost <= limit,
                       is_far = hypot(lon - rings->source[p].lon, lat - rings->source[p].lat) > 0.012 &&
                                share_at(&o, i, backward, limit) < 0.7;
            if (!is_reached && !is_far) continue;
            cr_assert_eq(is_near_inside(rings, p, lon, lat), is_reached, "place %zu, id %u", p, i);
            ++*(is_reached ? &inside : &outside);
        }
        free_search(&o);
    }
    cr_assert(inside > 0 && outside > 0);
}

/* ---- trips ---- */

enum { STOPS = 4 };

static uint64_t cost_of_order(const macadam_query *query, const macadam_place *stop)
{
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    macadam_route_request ask = MACADAM_ROUTE_REQUEST_INIT;
    ask.waypoint = stop, ask.waypoint_count = STOPS, ask.via_turn = MACADAM_VIA_ANY, ask.costs_only = true;
    FIXTURE_CALL(macadam_route_find, engine, query, &ask, &route);
    return route->found ? route->value[0] : UINT64_MAX;
}

/* The costs of orders by the clock, and by the costs of the trip's instant: the least of all, and the most of those that are
 * best by the other. */
static void check_trip(macadam_query query, const macadam_clock *clock)
{
    const macadam_trip_request request = {
        .size = sizeof request, .stop = place, .stop_count = STOPS, .open = true};
    uint32_t cell[STOPS * STOPS];
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    uint64_t least = UINT64_MAX, frozen_least = UINT64_MAX, frozen = UINT64_MAX;
    SCOPED(macadam_trip_free_at) macadam_trip *trip = NULL;
    macadam_place stop[STOPS];
    query.clock = clock, query.quantity_count = 1;
    matrix.source = matrix.target = place, matrix.source_count = matrix.target_count = STOPS;
    FIXTURE_CALL(macadam_matrix_into, engine, &query, &matrix, (uint32_t *const[]){cell}, NULL);
    for (unsigned order = 0; order < STOPS * STOPS * STOPS * STOPS; ++order) {
        const unsigned at[] = {order % 4, order / 4 % 4, order / 16 % 4, order / 64};
        uint64_t sum = 0;
        bool is_order = (1u << at[0] | 1u << at[1] | 1u << at[2] | 1u << at[3]) == 15;
        for (size_t i = 0; i + 1 < STOPS && is_order; ++i) {
            is_order = cell[at[i] * STOPS + at[i + 1]] != MACADAM_UNREACHED;
            sum += cell[at[i] * STOPS + at[i + 1]];
        }
        if (!is_order) continue;
        for (size_t i = 0; i < STOPS; ++i) stop[i] = place[at[i]];
        const uint64_t cost = cost_of_order(&query, stop);
        least = cost < least ? cost : least;
        if (sum < frozen_least || (sum == frozen_least && cost > frozen)) frozen = cost;
        frozen_least = sum < frozen_least ? sum : frozen_least;
    }
    FIXTURE_CALL(macadam_trip_find, engine, &query, &request, &trip);
    cr_assert_eq(trip->found, frozen != UINT64_MAX);
    if (!trip->found) return;
    for (size_t i = 0; i < STOPS; ++i) stop[i] = place[trip->order[i]];
    cr_assert_eq(trip->cost, cost_of_order(&query, stop));
    cr_assert_eq(trip->cost, trip->route->value[0]);
    cr_assert(trip->cost >= least && trip->cost <= frozen, "%zu: not %zu to %zu", (size_t)trip->cost,
              (size_t)least, (size_t)frozen);
}

static void check_all(uint64_t seed, const macadam_conditions *conditions, uint32_t weight)
{
    test_rng rng = {seed * 77};
    draw_places(&rng);
    const macadam_clock any = clock_of(false, 0, 1);
    macadam_query query = query_of(&any);
    query.conditions = conditions;
    find_positions(&query);
    make_oracle(weight);
    for (int backward = 0; backward < 2; ++backward) {
        check_trees(query, backward);
        check_matrix(query, backward);
        check_pairs(query, backward);
        check_reach(query, backward);
        for (size_t i = 0; i < 3; ++i)
            check_reached_arcs(query, backward, (uint32_t[]){90 * 1000, 400 * 1000, 4000 * 1000}[i]);
        check_areas(query, backward, 200 * 1000);
        for (size_t t = 0; t < INSTANTS; ++t) {
            const macadam_clock clock = clock_of(backward, t, 1);
            check_trip(query, &clock);
        }
        check_paths(query, backward);
    }
    check_vias(query);
    check_reruns(query);
    free_oracle();
}

Test(clock, answers_are_the_oracles)
{
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        open_town(seed, seed != 1, true);
        check_all(seed, NULL, 0);
        close_town();
    }
}

/* An update of durations leaves patterns as they are: it scales what they take. */
Test(clock, answers_after_an_update_are_the_oracles)
{
    open_town(9, true, true);
    mcd_array *duration;
    uint64_t number[20];
    uint32_t weight[20];
    FIXTURE_CALL(mcd_engine_use_quantity, engine, 0, &duration);
    size_t count = 0;
    for (uint32_t a = 0; count < 20; a += 3) {
        if (mcd_arc_number(&engine->facts, a) == MCD_ARC_NONE || duration->weight[a] == MCD_UNREACHED)
            continue;
        number[count] = mcd_arc_number(&engine->facts, a);
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
    FIXTURE_CALL(macadam_update, engine, &update);
    check_all(9, NULL, 0);
    close_town();
}

Test(clock, answers_without_patterns_are_the_oracles)
{
    open_town(5, true, false);
    check_all(5, NULL, 0);
    const macadam_conditions heavy = {.size = sizeof heavy, .weight_t = 7.3};
    check_all(6, &heavy, 730);
    close_town();
}

/* ---- without a clock ---- */

static void expect_same(const uint32_t *const a[2], const uint32_t *const b[2], size_t count,
                        const char *what)
{
    for (size_t q = 0; q < 2; ++q)
        for (size_t i = 0; i < count; ++i)
            cr_assert_eq(a[q][i], b[q][i], "%s %zu: %u by the clock, %u without", what, i, a[q][i], b[q][i]);
}

static void compare_trees(macadam_query query, const macadam_clock *clock, bool reverse)
{
    enum { CELLS = PLACES * NODES };
    static uint32_t with[3][CELLS], without[3][CELLS];
    macadam_place node[PLACES];
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = node, request.source_count = PLACES, request.reverse = reverse;
    for (size_t i = 0; i < PLACES; ++i) node[i] = (macadam_place){.id = (int64_t)i * 3 + 1};
    query.clock = clock;
    const macadam_status status = macadam_tree_parents(
        engine, &query, &request, (uint32_t *const[]){with[0], with[1]}, with[2], NULL, &error);
    query.clock = NULL;
    const macadam_status plain = macadam_tree_parents(
        engine, &query, &request, (uint32_t *const[]){without[0], without[1]}, without[2], NULL, &error);
    cr_assert(!status && !plain, "%s", error.message);
    expect_same((const uint32_t *const[]){with[0], with[1]},
                (const uint32_t *const[]){without[0], without[1]}, CELLS, "tree");
    for (size_t i = 0; i < CELLS; ++i) cr_assert_eq(with[2][i], without[2][i], "parent %zu", i);
}

/* All that is reached from (reverse: to) the first place, as numbers: counts, arcs, areas and a trip. */
static void describe_reached(macadam_query query, bool reverse, double sum[8])
{
    const uint32_t limit = 300 * 1000;
    uint64_t nodes[1], costs[1];
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
    SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
    SCOPED(macadam_trip_free_at) macadam_trip *trip = NULL;
    const macadam_isochrone_request one = {
        .size = sizeof one, .source = place[1], .reverse = reverse, .limit = limit};
    const macadam_rings_request areas = {.size = sizeof areas,
                                         .source = place + 1,
                                         .source_count = 1,
                                         .reverse = reverse,
                                         .limit = &limit,
                                         .limit_count = 1};
    const macadam_trip_request stops = {.size = sizeof stops, .stop = place, .stop_count = 6};
    const macadam_reach_request reach = {.size = sizeof reach,
                                         .source = place + 1,
                                         .source_count = 1,
                                         .reverse = reverse,
                                         .limit = &limit,
                                         .limit_count = 1};
    const macadam_reach sums = {.size = sizeof sums, .node_count = nodes, .cost_sum = costs};
    FIXTURE_CALL(macadam_reach_find, engine, &query, &reach, &sums, NULL);
    FIXTURE_CALL(macadam_isochrone_find, engine, &query, &one, &found);
    FIXTURE_CALL(macadam_rings_find, engine, &query, &areas, &rings);
    FIXTURE_CALL(macadam_trip_find, engine, &query, &stops, &trip);
    sum[0] = (double)nodes[0], sum[1] = (double)costs[0], sum[2] = (double)found->arc_count;
    for (size_t i = 0; i < found->arc_count; ++i) {
        sum[3] += found->arc[i].cost + (double)found->arc[i].weight * (double)(i + 1);
        sum[4] += found->to[i] + found->arc[i].from;
    }
    sum[5] = rings->area_m2[0], sum[6] = (double)rings->point_count, sum[7] = (double)trip->cost;
}

/* A clock changes nothing there; a limit of a few minutes cuts some arcs. */
static void compare_reached(macadam_query query, const macadam_clock *clock, bool reverse)
{
    double with[8] = {0}, without[8] = {0};
    query.quantity_count = 1;
    query.clock = clock;
    describe_reached(query, reverse, with);
    query.clock = NULL;
    describe_reached(query, reverse, without);
    for (size_t i = 0; i < 8; ++i)
        cr_assert_float_eq(with[i], without[i], 0, "sum %zu: %.17g by the clock, %.17g without", i, with[i],
                           without[i]);
    cr_assert(with[4] != floor(with[4]));
}

Test(clock, without_patterns_and_tags_it_changes_nothing)
{
    open_town(7, false, false);
    test_rng rng = {7};
    draw_places(&rng);
    for (int backward = 0; backward < 2; ++backward) {
        uint32_t with[2][PLACES * PLACES], without[2][PLACES * PLACES];
        const macadam_clock clock = clock_of(backward, 0, 1);
        macadam_query query = query_of(&clock);
        macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
        query.snap_any_component = false;
        request.source = request.target = place, request.source_count = request.target_count = PLACES;
        FIXTURE_CALL(macadam_matrix_into, engine, &query, &request, (uint32_t *const[]){with[0], with[1]},
                     NULL);
        query.clock = NULL;
        FIXTURE_CALL(macadam_matrix_into, engine, &query, &request,
                     (uint32_t *const[]){without[0], without[1]}, NULL);
        expect_same((const uint32_t *const[]){with[0], with[1]},
                    (const uint32_t *const[]){without[0], without[1]}, PLACES * PLACES, "cell");
        compare_trees(query, &clock, backward);
        compare_reached(query, &clock, backward);
    }
    close_town();
}

static macadam_status ask_pair(const macadam_query *query)
{
    uint32_t cost[2][4];
    const macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = place + 1, .pair_count = 1};
    return macadam_routes(engine, query, &request, (uint32_t *const[]){cost[0], cost[1]}, NULL, &error);
}

/* The query fails, and says why. */
static void expect_refusal(macadam_query query, const macadam_clock *clock, macadam_status status,
                           const char *message)
{
    query.clock = clock;
    cr_assert_eq(ask_pair(&query), status);
    cr_assert_str_eq(error.message, message);
}

Test(clock, what_it_cannot_have_is_refused)
{
    static const uint32_t times[] = {1, MACADAM_WEEK_MS, 2};
    open_town(8, true, false);
    test_rng rng = {8};
    draw_places(&rng);
    const macadam_clock good = clock_of(false, 0, 1),
                        late = {.size = sizeof late, .depart = times, .depart_count = 2},
                        both = {.size = sizeof both,
                                .depart = times,
                                .depart_count = 1,
                                .arrive_by = times,
                                .arrive_count = 1},
                        none = MACADAM_CLOCK_INIT, missing = {.size = sizeof missing, .depart_count = 1},
                        each = {.size = sizeof each, .arrive_by = instant, .arrive_count = 3, .each = true};
    macadam_query query = query_of(&good);
    cr_assert_eq(ask_pair(&query), MACADAM_OK);
    expect_refusal(query, &late, MACADAM_E_INVALID, "departure 1 is 604800000 ms; a week has 604800000");
    expect_refusal(query, &both, MACADAM_E_INVALID, "a clock with 1 departures and 1 arrivals");
    expect_refusal(query, &none, MACADAM_E_INVALID, "a clock without a departure or an arrival");
    expect_refusal(query, &missing, MACADAM_E_INVALID, "1 departures, but no array of them");
    expect_refusal(query, &each, MACADAM_E_INVALID, "3 arrivals for 1 targets: each must have one");
    query.metric = "distance";
    expect_refusal(query, &good, MACADAM_E_UNSUPPORTED,
                   "a clock, but the least distance: only durations depend on it");
    uint32_t hops[NODES];
    const macadam_hops_request request = {.size = sizeof request, .source = place, .source_count = 1};
    query = query_of(&good);
    cr_assert_eq(macadam_hops(engine, &query, &request, hops, NULL, NULL, &error), MACADAM_E_UNSUPPORTED);
    cr_assert_str_eq(error.message, "a hops request takes no clock: hops take no time");
    uint64_t nodes[4];
    const macadam_reach sums = {.size = sizeof sums, .reached = nodes};
    macadam_reach_request reach = {.size = sizeof reach, .source = place, .source_count = 2, .reverse = true};
    query.quantity_count = 1;
    cr_assert_eq(macadam_reach_find(engine, &query, &reach, &sums, NULL, &error), MACADAM_E_UNSUPPORTED);
    cr_assert_str_eq(error.message, "reach to its source, with departures: it has arrivals");
    const macadam_clock two = clock_of(false, 0, 3);
    query.clock = &two, reach.reverse = false;
    cr_assert_eq(macadam_reach_find(engine, &query, &reach, &sums, NULL, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "3 instants of a clock; reach has one, or one for each place (each)");
    macadam_trip *trip;
    const macadam_trip_request stops = {.size = sizeof stops, .stop = place, .stop_count = 3};
    cr_assert_eq(macadam_trip_find(engine, &query, &stops, &trip, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "3 instants of a clock; a trip has one");
    macadam_snap snap;
    cr_assert_eq(macadam_snap_places(engine, &query, place, 1, &snap, &error), MACADAM_E_UNSUPPORTED);
    close_town();
}
