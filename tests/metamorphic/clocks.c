/* clocks.c - answers by the clock: a later departure never arrives earlier, arrivals undo departures, and a cost is the same
 * in a matrix, as a pair, as a route, with other places beside it, and on a device. */
#include "tests/metamorphic/metamorphic.h"

#include <string.h>

enum { PATTERNS = 3, SLOTS = 672, SLOT_MS = 900000, INSTANTS = 2, PLACES = 8 };

/* ---- engines with speed patterns ---- */

typedef struct pattern_update {
    size_t count;
    uint64_t *arc;
    uint16_t *pattern;
    uint8_t speed[PATTERNS * SLOTS];
} pattern_update;

typedef struct arc_list {
    pattern_update *to;
    test_rng rng;
} arc_list;

static bool take_arc(void *context, const macadam_arc *arc)
{
    arc_list *const list = context;
    pattern_update *const to = list->to;
    if (rng_below(&list->rng, 3) == 0) return true;
    to->arc[to->count] = arc->arc;
    to->pattern[to->count++] = (uint16_t)(1 + rng_below(&list->rng, PATTERNS));
    return true;
}

/* Speeds change often around the case's instants; one pattern is nearly a standstill then. */
static void draw_speeds(pattern_update *out, test_rng *rng)
{
    for (size_t i = 0; i < PATTERNS * SLOTS; ++i) out->speed[i] = (uint8_t)(20 + rng_below(rng, 236));
    for (size_t p = 0; p < PATTERNS; ++p) {
        out->speed[p * SLOTS + rng_below(rng, SLOTS)] = 255;
        for (size_t slot = SLOTS - 4; p == 1 && slot < SLOTS; ++slot)
            out->speed[p * SLOTS + slot] = (uint8_t)rng_below(rng, 3);
    }
    out->speed[SLOTS] = 255;
}

/* Gives two thirds of the arcs patterns that follow from the case. */
static bool add_patterns(const meta_case *c, macadam_engine *engine, char why[META_WHY])
{
    pattern_update made = {.count = 0};
    made.arc = meta_memory(c->map->info.arc_count, sizeof *made.arc);
    made.pattern = meta_memory(c->map->info.arc_count, sizeof *made.pattern);
    arc_list list = {&made, {c->salt}};
    macadam_error error;
    draw_speeds(&made, &list.rng);
    if (!meta_ok(macadam_arcs_list(engine, take_arc, &list, &error), &error, "arcs", why)) return false;
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = made.arc, request.count = made.count;
    request.pattern = made.pattern, request.pattern_speed = made.speed;
    request.pattern_count = PATTERNS, request.slot_count = SLOTS;
    return made.count == 0 || meta_ok(macadam_update(engine, &request, &error), &error, "patterns", why);
}

/* ---- cases ---- */

/* A case by the clock: its engine with patterns, the query, and instants that ascend. */
typedef struct timed_case {
    const meta_case *c;
    macadam_engine *engine;
    macadam_query query;
    macadam_clock clock;
    const char *quantity[2];
    uint32_t instant[INSTANTS];
} timed_case;

/* Some are shortly before a slot or the week ends. */
static void draw_instants(timed_case *out)
{
    test_rng rng = {out->c->salt + 1};
    const uint32_t around = rng_below(&rng, 3) ? SLOT_MS * (1 + rng_below(&rng, SLOTS)) : MACADAM_WEEK_MS;
    out->instant[0] = around - 2 - rng_below(&rng, rng_below(&rng, 2) ? 1000 : SLOT_MS - 2);
    out->instant[1] = out->instant[0] + 1 + rng_below(&rng, MACADAM_WEEK_MS - 1 - out->instant[0]);
    if (rng_below(&rng, 2)) out->instant[1] = out->instant[0] + 1;
}

/* Returns false if the case has no durations with a companion that a clock takes. */
static bool find_duration(timed_case *out)
{
    const macadam_info *const info = &out->c->map->info;
    for (size_t m = 0; m < info->metric_count; ++m) {
        if (strcmp(info->metric[m], "duration") != 0) continue;
        out->query.metric = info->metric[m];
        out->quantity[0] = info->metric[m], out->quantity[1] = info->companion[m];
        const bool takes = info->companion[m] && strcmp(info->companion[m], "energy") != 0;
        out->query.quantity = out->quantity;
        out->query.quantity_count = takes && out->c->salt % 2 ? 2 : 1;
        return true;
    }
    return false;
}

static bool begin(timed_case *out, const meta_case *c, meta_engine_kind kind)
{
    *out = (timed_case){.c = c, .engine = meta_engine(c->map, kind), .query = meta_objective_query(c)};
    if (!out->engine || c->map->is_extreme || !find_duration(out)) return false;
    if (c->conditions && c->conditions->slot) out->query.conditions = NULL;
    draw_instants(out);
    out->clock = (macadam_clock)MACADAM_CLOCK_INIT;
    out->clock.depart = out->instant;
    out->clock.depart_count = INSTANTS;
    return true;
}

/* The matrix of the case at all instants: rows are sources at each of them. */
static bool matrix_of(meta_table *out, timed_case *t, char why[META_WHY])
{
    const meta_case *const c = t->c;
    const size_t times = t->clock.depart_count && !t->clock.each ? t->clock.depart_count : 1,
                 rows = c->source_count * times, columns = c->target_count;
    macadam_matrix_request request = {.size = sizeof request};
    macadam_error error;
    *out = (meta_table){.rows = rows, .columns = columns, .quantity_count = t->query.quantity_count};
    for (size_t q = 0; q < out->quantity_count; ++q)
        out->value[q] = meta_memory(rows * columns, sizeof(uint32_t));
    out->status = meta_memory(rows + columns, sizeof *out->status);
    request.source = c->source, request.source_count = c->source_count;
    request.target = c->target, request.target_count = columns;
    t->query.clock = &t->clock;
    return meta_ok(macadam_matrix_find_into(out->value, out->status, t->engine, &t->query, &request, &error),
                   &error, "matrix by the clock", why);
}

/* The costs of pairs, each of a source and the target of the same number, at an instant each. */
static bool pairs_of(uint32_t *const *value, timed_case *t, size_t count, const uint32_t *instant,
                     bool arrivals, char why[META_WHY])
{
    macadam_clock clock = MACADAM_CLOCK_INIT;
    macadam_routes_request request = {.size = sizeof request};
    macadam_error error;
    *(arrivals ? &clock.arrive_by : &clock.depart) = instant;
    *(arrivals ? &clock.arrive_count : &clock.depart_count) = count;
    clock.each = true;
    t->query.clock = &clock;
    request.source = t->c->source, request.target = t->c->target, request.pair_count = count;
    macadam_place_status *const status = meta_memory(2 * count, sizeof *status);
    const macadam_status result = macadam_routes_find(value, status, t->engine, &t->query, &request, &error);
    t->query.clock = &t->clock;
    return meta_ok(result, &error, "pairs by the clock", why);
}

static size_t pair_count(const meta_case *c)
{
    return c->source_count < c->target_count ? c->source_count : c->target_count;
}

/* ---- relations ---- */

static meta_verdict timed_cells_are_routes(const meta_case *c, char why[META_WHY])
{
    timed_case t;
    meta_table cells, one;
    uint32_t *value[2], instant[PLACES];
    macadam_error error;
    if (!begin(&t, c, META_SCRATCH)) return META_SKIPPED;
    if (!add_patterns(c, t.engine, why) || !matrix_of(&cells, &t, why)) return META_FAILS;
    const size_t pairs = pair_count(c);
    for (size_t q = 0; q < 2; ++q) value[q] = meta_memory(pairs, sizeof **value);
    for (size_t i = 0; i < pairs; ++i) instant[i] = t.instant[i % INSTANTS];
    if (!pairs_of(value, &t, pairs, instant, false, why)) return META_FAILS;
    for (size_t i = 0; i < pairs; ++i) {
        const size_t cell = (i * INSTANTS + i % INSTANTS) * c->target_count + i;
        for (size_t q = 0; q < cells.quantity_count; ++q)
            META_REQUIRE(value[q][i] == cells.value[q][cell], "pair %zu, quantity %zu: %u, its cell is %u", i,
                         q, value[q][i], cells.value[q][cell]);
    }
    meta_case alone = *c;
    const size_t last = c->source_count - 1;
    alone.source[0] = c->source[last], alone.source_count = alone.target_count = 1;
    t.c = &alone;
    if (!matrix_of(&one, &t, why)) return META_FAILS;
    for (size_t i = 0; i < INSTANTS; ++i)
        for (size_t q = 0; q < cells.quantity_count; ++q)
            META_REQUIRE(one.value[q][i] == cells.value[q][(last * INSTANTS + i) * c->target_count],
                         "cell (%zu, 0) at instant %zu, quantity %zu, is %u, and alone %u", last, i, q,
                         cells.value[q][(last * INSTANTS + i) * c->target_count], one.value[q][i]);
    macadam_route_request request = {.size = sizeof request, .waypoint_count = 2};
    const macadam_place waypoint[2] = {alone.source[0], alone.target[0]};
    macadam_route *route;
    request.waypoint = waypoint;
    t.clock.depart_count = 1;
    if (!meta_ok(macadam_route_find(&route, t.engine, &t.query, &request, &error), &error, "route", why))
        return META_FAILS;
    const uint32_t cost[2] = {route->value[0], t.query.quantity_count > 1 ? route->value[1] : 0};
    macadam_route_free(route);
    for (size_t q = 0; q < cells.quantity_count; ++q)
        META_REQUIRE(cost[q] == one.value[q][0], "the route's quantity %zu is %u, its cell %u", q, cost[q],
                     one.value[q][0]);
    return META_HOLDS;
}

static meta_verdict later_is_not_earlier(const meta_case *c, char why[META_WHY])
{
    timed_case t;
    meta_table cells;
    if (!begin(&t, c, META_SCRATCH)) return META_SKIPPED;
    if (!add_patterns(c, t.engine, why) || !matrix_of(&cells, &t, why)) return META_FAILS;
    for (size_t i = 0; i < c->source_count * c->target_count; ++i) {
        const size_t s = i / c->target_count, d = i % c->target_count;
        const uint32_t early = cells.value[0][s * INSTANTS * c->target_count + d],
                       late = cells.value[0][(s * INSTANTS + 1) * c->target_count + d];
        META_REQUIRE((early == MACADAM_UNREACHED) == (late == MACADAM_UNREACHED),
                     "cell (%zu, %zu) takes %u, then %u", s, d, early, late);
        META_REQUIRE(early == MACADAM_UNREACHED ||
                         (uint64_t)t.instant[0] + early <= (uint64_t)t.instant[1] + late,
                     "cell (%zu, %zu): from %u it takes %u, from %u only %u", s, d, t.instant[0], early,
                     t.instant[1], late);
    }
    return META_HOLDS;
}

static meta_verdict arrivals_undo_departures(const meta_case *c, char why[META_WHY])
{
    timed_case t;
    uint32_t *there[2], *back[2], *again[2], depart[PLACES], arrive[PLACES];
    if (!begin(&t, c, META_SCRATCH)) return META_SKIPPED;
    if (!add_patterns(c, t.engine, why)) return META_FAILS;
    const size_t pairs = pair_count(c);
    for (size_t q = 0; q < 2; ++q) {
        there[q] = meta_memory(pairs, sizeof **there), back[q] = meta_memory(pairs, sizeof **back);
        again[q] = meta_memory(pairs, sizeof **again);
    }
    for (size_t i = 0; i < pairs; ++i) depart[i] = t.instant[i % INSTANTS];
    if (!pairs_of(there, &t, pairs, depart, false, why)) return META_FAILS;
    for (size_t i = 0; i < pairs; ++i)
        arrive[i] = (depart[i] + (there[0][i] == MACADAM_UNREACHED ? 0 : there[0][i])) % MACADAM_WEEK_MS;
    if (!pairs_of(back, &t, pairs, arrive, true, why)) return META_FAILS;
    for (size_t i = 0; i < pairs; ++i)
        depart[i] = (uint32_t)((arrive[i] + UINT64_C(4) * MACADAM_WEEK_MS - back[0][i]) % MACADAM_WEEK_MS);
    if (!pairs_of(again, &t, pairs, depart, false, why)) return META_FAILS;
    for (size_t i = 0; i < pairs; ++i) {
        META_REQUIRE((there[0][i] == MACADAM_UNREACHED) == (back[0][i] == MACADAM_UNREACHED),
                     "pair %zu takes %u, for the arrival %u", i, there[0][i], back[0][i]);
        META_REQUIRE(back[0][i] <= there[0][i], "pair %zu takes %u, for the arrival then %u", i, there[0][i],
                     back[0][i]);
        META_REQUIRE(again[0][i] <= back[0][i] || back[0][i] == MACADAM_UNREACHED,
                     "pair %zu takes %u to be in time, but from that departure on %u", i, back[0][i],
                     again[0][i]);
    }
    return META_HOLDS;
}

/* Drawn tags that hold at times do so from 7:00 to 9:00. Between these hours a clock changes nothing. */
static meta_verdict clock_between_hours_is_plain(const meta_case *c, char why[META_WHY])
{
    enum { HOUR = 3600000, DAY = 24 * HOUR };
    timed_case t;
    meta_table plain, timed;
    const meta_drawing *const drawing = &c->map->drawing;
    if (!drawing->count || drawing->has_hours || !begin(&t, c, c->kind)) return META_SKIPPED;
    t.clock.depart_count = 1;
    t.instant[0] = t.instant[0] / DAY * DAY + 9 * HOUR + t.instant[0] % (4 * HOUR);
    if (!matrix_of(&timed, &t, why)) return META_FAILS;
    t.query.clock = NULL;
    if (!meta_matrix(&plain, t.engine, &t.query, c->source, c->source_count, c->target, c->target_count, why))
        return META_FAILS;
    for (size_t i = 0; i < plain.rows * plain.columns; ++i)
        for (size_t q = 0; q < plain.quantity_count; ++q) {
            const bool is_short = plain.value[0][i] < 18 * HOUR || plain.value[0][i] == MACADAM_UNREACHED;
            META_REQUIRE(!is_short || plain.value[q][i] == timed.value[q][i],
                         "cell %zu, quantity %zu: %u without a clock, %u with one", i, q, plain.value[q][i],
                         timed.value[q][i]);
        }
    return META_HOLDS;
}

static meta_verdict timed_on_device(const meta_case *c, char why[META_WHY])
{
    timed_case t, device;
    meta_table right, found;
    if (!begin(&t, c, META_SCRATCH) || !begin(&device, c, META_SCRATCH_DEVICE)) return META_SKIPPED;
    if (!add_patterns(c, t.engine, why) || !add_patterns(c, device.engine, why)) return META_FAILS;
    if (!matrix_of(&right, &t, why) || !matrix_of(&found, &device, why)) return META_FAILS;
    return meta_same(&right, &found, "by the clock on the device", why);
}

const meta_relation meta_clocks[] = {
    {"timed_cells_are_routes", timed_cells_are_routes, 12, 1, PLACES, PLACES},
    {"later_is_not_earlier", later_is_not_earlier, 8, 1, PLACES, PLACES},
    {"arrivals_undo_departures", arrivals_undo_departures, 12, 1, PLACES, PLACES},
    {"clock_between_hours", clock_between_hours_is_plain, 12, 0, PLACES, PLACES},
    {"timed_on_device", timed_on_device, 3, 0, PLACES, PLACES},
    {0},
};
