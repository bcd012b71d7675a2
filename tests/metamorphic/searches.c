/* searches.c - what is counted, chosen or drawn around a place follows from the cells of a matrix: the numbers of
 * macadam_reach, the nearest targets, the arcs of an isochrone, hops, all pairs and the closure. */
#include "tests/metamorphic/metamorphic.h"
#include "tests/support/access_oracle.h"
#include "tests/support/methods.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* The objective from each source to every id, or (reverse) from every id to each source; by rows of sources. */
static int64_t *costs_to_ids(const meta_case *c, bool reverse, char why[META_WHY])
{
    const size_t ids = c->map->info.id_count, sources = c->source_count;
    const macadam_query query = meta_objective_query(c);
    macadam_place *const place = meta_memory(ids, sizeof *place);
    for (size_t i = 0; i < ids; ++i) place[i].id = c->map->id[i];
    meta_table table;
    if (!meta_matrix(&table, c->engine, &query, reverse ? place : c->source, reverse ? ids : sources,
                     reverse ? c->source : place, reverse ? sources : ids, why))
        return NULL;
    int64_t *const out = meta_memory(ids * sources, sizeof *out);
    for (size_t i = 0; i < ids * sources; ++i)
        out[i] = meta_number(c, &query, 0, table.value[0][reverse ? i % ids * sources + i / ids : i]);
    return out;
}

/* ---- reach ---- */

enum { LIMITS = 3 };

typedef struct counts {
    uint64_t node_count[LIMITS], value_sum[LIMITS], reached;
    int64_t cost_sum, eccentricity;
} counts;

static counts count(const int64_t *cost, const uint32_t *value, size_t ids, const uint32_t limit[LIMITS])
{
    counts out = {.eccentricity = MACADAM_COST_NONE};
    for (size_t i = 0; i < ids; ++i) {
        if (cost[i] == MACADAM_COST_NONE) continue;
        out.eccentricity = out.reached++ == 0 || cost[i] > out.eccentricity ? cost[i] : out.eccentricity;
        out.cost_sum += cost[i];
        for (size_t l = 0; l < LIMITS; ++l)
            if (cost[i] <= limit[l]) out.node_count[l] += 1, out.value_sum[l] += value[i];
    }
    return out;
}

/* Exactly what a node costs, if it may be a limit. */
static uint32_t draw_limit(const int64_t *cost, size_t count, test_rng *rng)
{
    const int64_t limit = cost[rng_below(rng, (uint32_t)count)];
    return limit >= 0 && limit <= MACADAM_WEIGHT_MAX ? (uint32_t)limit : rng_below(rng, 600000);
}

static meta_verdict reach_counts_cells(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const bool reverse = rng_below(&rng, 2);
    const size_t ids = c->map->info.id_count, sources = c->source_count;
    const macadam_query query = meta_objective_query(c);
    uint32_t *const value = meta_memory(ids, sizeof *value);
    const int64_t *const cost = costs_to_ids(c, reverse, why);
    uint32_t limit[LIMITS];
    if (!cost) return META_FAILS;
    for (size_t i = 0; i < ids; ++i) value[i] = rng_below(&rng, 1000);
    for (size_t l = 0; l < LIMITS; ++l) {
        limit[l] = draw_limit(cost, ids * sources, &rng);
    }
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = c->source, request.source_count = sources;
    request.reverse = reverse;
    request.limit = limit, request.limit_count = LIMITS;
    request.value = value;
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.node_count = meta_memory(sources * LIMITS, sizeof *answer.node_count);
    answer.value_sum = meta_memory(sources * LIMITS, sizeof *answer.value_sum);
    answer.reached = meta_memory(sources, sizeof *answer.reached);
    answer.eccentricity = meta_memory(sources, sizeof *answer.eccentricity);
    answer.cost_sum = meta_memory(sources, sizeof *answer.cost_sum);
    macadam_error error;
    if (!meta_ok(macadam_reach_find(&answer, NULL, c->engine, &query, &request, &error), &error, "reach",
                 why))
        return META_FAILS;
    for (size_t s = 0; s < sources; ++s) {
        const counts n = count(cost + s * ids, value, ids, limit);
        META_REQUIRE(answer.reached[s] == n.reached, "source %zu reaches %llu ids, by cells %llu%s", s,
                     (long long)answer.reached[s], (long long)n.reached, reverse ? ", reverse" : "");
        META_REQUIRE(meta_number(c, &query, 0, answer.eccentricity[s]) == n.eccentricity,
                     "source %zu: the farthest costs %u, by cells %lld", s, answer.eccentricity[s],
                     (long long)n.eccentricity);
        META_REQUIRE((int64_t)answer.cost_sum[s] == n.cost_sum, "source %zu: all cost %llu, by cells %llu", s,
                     (long long)answer.cost_sum[s], (long long)n.cost_sum);
        META_REQUIRE(memcmp(answer.node_count + s * LIMITS, n.node_count, sizeof n.node_count) == 0 &&
                         memcmp(answer.value_sum + s * LIMITS, n.value_sum, sizeof n.value_sum) == 0,
                     "source %zu: other counts within limits than cells", s);
    }
    return META_HOLDS;
}

/* ---- the nearest ---- */

typedef struct ranked {
    int64_t cost;
    uint32_t position;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *const x = a, *const y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

typedef struct nearest {
    bool reverse;
    size_t count;
    macadam_reach answer;
} nearest;

static void draw_nearest(nearest *out, const meta_case *c, test_rng *rng)
{
    *out = (nearest){.reverse = rng_below(rng, 2), .count = 1 + rng_below(rng, 10)};
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.nearest_found = meta_memory(c->source_count, sizeof *answer.nearest_found);
    answer.nearest_position = meta_memory(c->source_count * out->count, sizeof *answer.nearest_position);
    answer.nearest_cost = meta_memory(c->source_count * out->count, sizeof *answer.nearest_cost);
    out->answer = answer;
}

static meta_verdict check_nearest(const meta_case *c, const nearest *n, char why[META_WHY])
{
    const macadam_query query = meta_objective_query(c);
    meta_table table;
    if (!meta_matrix(&table, c->engine, &query, n->reverse ? c->target : c->source,
                     n->reverse ? c->target_count : c->source_count, n->reverse ? c->source : c->target,
                     n->reverse ? c->source_count : c->target_count, why))
        return META_FAILS;
    for (size_t s = 0; s < c->source_count; ++s) {
        ranked list[META_PLACES];
        size_t count = 0;
        for (uint32_t t = 0; t < c->target_count; ++t) {
            const size_t cell = n->reverse ? t * c->source_count + s : s * c->target_count + t;
            const int64_t cost = meta_number(c, &query, 0, table.value[0][cell]);
            if (cost != MACADAM_COST_NONE) list[count++] = (ranked){cost, t};
        }
        qsort(list, count, sizeof *list, compare_ranked);
        if (count > n->count) count = n->count;
        META_REQUIRE(n->answer.nearest_found[s] == count, "source %zu has %u nearest, by cells %zu%s", s,
                     n->answer.nearest_found[s], count, n->reverse ? ", reverse" : "");
        for (size_t i = 0; i < count; ++i) {
            const uint32_t position = n->answer.nearest_position[s * n->count + i];
            const int64_t cost = meta_number(c, &query, 0, n->answer.nearest_cost[s * n->count + i]);
            META_REQUIRE(position == list[i].position && cost == list[i].cost,
                         "source %zu, nearest %zu: target %u at %lld, by cells target %u at %lld%s", s, i,
                         position, (long long)cost, list[i].position, (long long)list[i].cost,
                         n->reverse ? ", reverse" : "");
        }
    }
    return META_HOLDS;
}

static meta_verdict reach_finds_nearest(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_objective_query(c);
    nearest n;
    draw_nearest(&n, c, &rng);
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = c->source, request.source_count = c->source_count;
    request.target = c->target, request.target_count = c->target_count;
    request.nearest_count = n.count;
    request.reverse = n.reverse;
    if (rng_below(&rng, 2)) n.answer.reached = meta_memory(c->source_count, sizeof *n.answer.reached);
    macadam_error error;
    if (!meta_ok(macadam_reach_find(&n.answer, NULL, c->engine, &query, &request, &error), &error, "reach",
                 why))
        return META_FAILS;
    return check_nearest(c, &n, why);
}

static meta_verdict prepared_find_nearest(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_objective_query(c);
    nearest n;
    draw_nearest(&n, c, &rng);
    macadam_nearest_request request = MACADAM_NEAREST_REQUEST_INIT;
    request.target = c->target, request.target_count = c->target_count;
    request.nearest_count = n.count;
    request.reverse = n.reverse;
    macadam_nearest *prepared;
    macadam_error error;
    if (!meta_ok(macadam_nearest_new(&prepared, NULL, c->engine, &query, &request, &error), &error,
                 "nearest_new", why))
        return META_FAILS;
    const macadam_status status =
        macadam_nearest_find(&n.answer, NULL, prepared, c->source, c->source_count, &error);
    macadam_nearest_free(prepared);
    return meta_ok(status, &error, "nearest_find", why) ? check_nearest(c, &n, why) : META_FAILS;
}

/* ---- accessibility ---- */

enum { COLUMNS = 3, PERCENTILES = 4 };
static const double percentile[PERCENTILES] = {50, 0, 100, 12.5};

typedef struct access_case {
    access_decay decay;
    macadam_reach_request request;
    macadam_reach answer;
    int64_t *cost; /* [source * opportunity_count + i] */
    bool is_signed;
} access_case;

/* Draws a question, and finds the cells that decide its answer. */
static bool draw_access(access_case *out, const meta_case *c, test_rng *rng, char why[META_WHY])
{
    const macadam_query query = meta_objective_query(c);
    const size_t sources = c->source_count, count = c->target_count, cells = sources * count;
    const bool reverse = rng_below(rng, 2);
    double *const amount = meta_memory(count * COLUMNS, sizeof *amount);
    meta_table table;
    if (!meta_matrix(&table, c->engine, &query, reverse ? c->target : c->source, reverse ? count : sources,
                     reverse ? c->source : c->target, reverse ? sources : count, why))
        return false;
    out->cost = meta_memory(cells, sizeof *out->cost);
    for (size_t i = 0; i < cells; ++i)
        out->cost[i] =
            meta_number(c, &query, 0, table.value[0][reverse ? i % count * sources + i / count : i]);
    out->is_signed = meta_unreached(c, &query, 0) != MACADAM_UNREACHED;
    access_amounts_draw(amount, count * COLUMNS, rng);
    const int64_t near = out->cost[rng_below(rng, (uint32_t)cells)];
    access_decay_draw(&out->decay, rng_below(rng, ACCESS_ORACLE_DECAYS),
                      near > 0 && near != MACADAM_COST_NONE ? (double)near : 600000, rng);
    out->request = (macadam_reach_request)MACADAM_REACH_REQUEST_INIT;
    out->request.source = c->source, out->request.source_count = sources;
    out->request.reverse = reverse;
    out->request.opportunity = c->target, out->request.opportunity_count = count;
    out->request.amount = amount, out->request.amount_count = 1 + rng_below(rng, COLUMNS);
    out->request.decay = out->decay.given;
    out->request.percentile = percentile, out->request.percentile_count = PERCENTILES;
    return true;
}

/* Asks for sums, means and percentiles, or for some of them. */
static bool ask_access(access_case *a, const meta_case *c, test_rng *rng, char why[META_WHY])
{
    const macadam_query query = meta_objective_query(c);
    const size_t cells = a->request.source_count * a->request.amount_count;
    const uint32_t parts = 1 + rng_below(rng, 7);
    macadam_error error;
    a->answer = (macadam_reach)MACADAM_REACH_INIT;
    if (parts & 1) a->answer.access = meta_memory(cells, sizeof *a->answer.access);
    if (parts & 2) a->answer.mean_cost = meta_memory(cells, sizeof *a->answer.mean_cost);
    if (parts & 4)
        a->answer.percentile_cost = meta_memory(cells * PERCENTILES, sizeof *a->answer.percentile_cost);
    return meta_ok(macadam_reach_find(&a->answer, NULL, c->engine, &query, &a->request, &error), &error,
                   "reach", why);
}

static meta_verdict access_sums_cells(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    access_case a;
    char differs[ACCESS_ORACLE_WHY];
    if (!draw_access(&a, c, &rng, why) || !ask_access(&a, c, &rng, why)) return META_FAILS;
    for (size_t s = 0; s < c->source_count; ++s)
        META_REQUIRE(access_oracle_agrees(&a.request, &a.answer, s, a.cost + s * c->target_count, a.is_signed,
                                          differs),
                     "%s%s", differs, a.request.reverse ? ", reverse" : "");
    return META_HOLDS;
}

/* Whole amounts: sums of opportunities one by one, in turned order and of a column by itself are the same. */
static meta_verdict access_adds_up(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_objective_query(c);
    const size_t sources = c->source_count, count = c->target_count;
    access_case a;
    macadam_error error;
    if (!draw_access(&a, c, &rng, why)) return META_FAILS;
    const size_t columns = a.request.amount_count, column = rng_below(&rng, (uint32_t)columns);
    double *const whole = meta_memory(sources * columns, sizeof *whole),
                  *const one = meta_memory(sources, sizeof *one),
                  *const amount = meta_memory(count * columns, sizeof *amount),
                  *const turned = meta_memory(count, sizeof *turned);
    uint64_t *const sum = meta_memory(sources, sizeof *sum); /* times 2^30 */
    macadam_place *const place = meta_memory(count, sizeof *place);
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.access = whole;
    for (size_t i = 0; i < count * columns; ++i) amount[i] = rng_below(&rng, 1 << (1 + i % 20));
    a.request.amount = amount;
    if (!meta_ok(macadam_reach_find(&answer, NULL, c->engine, &query, &a.request, &error), &error, "reach",
                 why))
        return META_FAILS;
    answer.access = one;
    macadam_reach_request part = a.request;
    part.amount_count = 1;
    for (size_t i = 0; i < count; ++i) {
        turned[i] = a.request.amount[column * count + count - 1 - i], place[i] = c->target[count - 1 - i];
        part.opportunity = c->target + i, part.opportunity_count = 1;
        part.amount = a.request.amount + column * count + i;
        if (!meta_ok(macadam_reach_find(&answer, NULL, c->engine, &query, &part, &error), &error, "one", why))
            return META_FAILS;
        for (size_t s = 0; s < sources; ++s) sum[s] += (uint64_t)ldexp(one[s], 30);
    }
    part.opportunity = place, part.opportunity_count = count, part.amount = turned;
    if (!meta_ok(macadam_reach_find(&answer, NULL, c->engine, &query, &part, &error), &error, "turned", why))
        return META_FAILS;
    for (size_t s = 0; s < sources; ++s) {
        const double right = whole[s * columns + column];
        META_REQUIRE(one[s] <= right && one[s] >= right, "source %zu: %.17g, turned %.17g", s, right, one[s]);
        const double by_one = ldexp((double)sum[s], -30);
        META_REQUIRE(by_one <= right && by_one >= right, "source %zu: %.17g, one by one %.17g", s, right,
                     by_one);
    }
    return META_HOLDS;
}

/* All of them, by a device. */
static meta_verdict device_reaches_cells(const meta_case *c, char why[META_WHY])
{
    meta_case there = *c;
    there.engine = meta_engine(c->map, META_DEVICE);
    if (!there.engine) return META_SKIPPED;
    return c->salt % 3 == 0   ? reach_counts_cells(&there, why)
           : c->salt % 3 == 1 ? reach_finds_nearest(&there, why)
                              : access_sums_cells(&there, why);
}

/* ---- isochrones ---- */

/* How far beyond its cost an arc that is entered within ends: all that is left of it, up to a rounding. */
static int64_t left_of(const macadam_reached_arc *a, int64_t weight)
{
    return a->from > 0 ? llround((1 - a->from) * (double)weight) : weight;
}

/* Per id the least cost at which an arc of the isochrone reaches it. Costs of arcs entered within are inexact. */
static void least_ends(const meta_case *c, const macadam_isochrone *isochrone, bool reverse, int64_t *exact,
                       int64_t *inexact)
{
    const size_t ids = c->map->info.id_count;
    const macadam_query query = meta_objective_query(c);
    for (size_t i = 0; i < ids; ++i) exact[i] = inexact[i] = MACADAM_COST_NONE;
    for (size_t a = 0; a < isochrone->arc_count; ++a) {
        const macadam_reached_arc *const arc = &isochrone->arc[a];
        const size_t end = meta_position(c->map, reverse ? arc->road.tail : arc->road.head);
        int64_t *const least = arc->from > 0 ? &inexact[end] : &exact[end];
        const int64_t cost =
            meta_number(c, &query, 0, arc->cost) + left_of(arc, meta_number(c, &query, 0, arc->weight));
        if (cost < *least) *least = cost;
    }
}

static meta_verdict isochrone_has_the_cells(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const size_t ids = c->map->info.id_count;
    const macadam_query query = meta_objective_query(c);
    meta_case one = *c;
    one.source_count = 1;
    macadam_isochrone_request request = {
        .size = sizeof request, .source = c->source[0], .reverse = rng_below(&rng, 2)};
    const int64_t *const cost = costs_to_ids(&one, request.reverse, why);
    if (!cost) return META_FAILS;
    request.limit = draw_limit(cost, ids, &rng);
    macadam_isochrone *isochrone;
    macadam_error error;
    if (!meta_ok(macadam_isochrone_find(&isochrone, c->engine, &query, &request, &error), &error, "isochrone",
                 why))
        return META_FAILS;
    int64_t *const exact = meta_memory(ids, sizeof *exact), *const inexact =
                                                                meta_memory(ids, sizeof *inexact);
    least_ends(c, isochrone, request.reverse, exact, inexact);
    const bool is_exact =
        strcmp(query.metric, "distance") == 0 ||
        strcmp(query.metric, "energy") == 0; /* a place waits at its signals, an arc does not */
    macadam_isochrone_free(isochrone);
    for (size_t i = 0; i < ids; ++i) {
        if (cost[i] == 0) continue; /* no arc need end at the source itself */
        const bool reached = cost[i] <= request.limit;
        const bool sure =
            exact[i] <= request.limit || (inexact[i] != MACADAM_COST_NONE && inexact[i] + 2 <= request.limit);
        const bool maybe = exact[i] <= request.limit || inexact[i] <= (int64_t)request.limit + 2;
        META_REQUIRE(reached ? maybe : !(sure && is_exact),
                     "id %lld costs %lld, an arc of the isochrone within %u reaches it at %lld%s",
                     (long long)c->map->id[i], (long long)cost[i], request.limit,
                     (long long)(exact[i] < inexact[i] ? exact[i] : inexact[i]),
                     request.reverse ? ", reverse" : "");
    }
    return META_HOLDS;
}

/* ---- hops ---- */

/* Every other case goes from ids to the places. */
static meta_verdict connection_has_the_hops(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    enum { IDS = 4 };
    const bool reverse = c->salt % 2;
    const macadam_query query = meta_objective_query(c);
    const size_t ids = c->map->info.id_count;
    macadam_place target[IDS];
    int64_t id[IDS];
    meta_table table;
    macadam_error error;
    uint32_t *const hops = meta_memory(c->source_count * ids, sizeof *hops);
    meta_draw_ids(c->map, &rng, id, target, IDS);
    macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
    request.source = c->source, request.source_count = c->source_count;
    request.reverse = reverse;
    request.method = method_at(c->engine, MACADAM_QUESTION_HOPS, rng_below(&rng, 6));
    if (!meta_ok(macadam_hops_find(hops, NULL, NULL, c->engine, &query, &request, &error), &error, "hops",
                 why) ||
        !(reverse ? meta_matrix(&table, c->engine, &query, target, IDS, c->source, c->source_count, why)
                  : meta_matrix(&table, c->engine, &query, c->source, c->source_count, target, IDS, why)))
        return META_FAILS;
    for (size_t i = 0; i < c->source_count * IDS; ++i) {
        const size_t s = i / IDS, t = i % IDS, cell = reverse ? t * c->source_count + s : i;
        const uint32_t expected = hops[s * ids + meta_position(c->map, id[t])];
        macadam_connection_request pair = MACADAM_CONNECTION_REQUEST_INIT;
        pair.source = reverse ? target[t] : c->source[s], pair.target = reverse ? c->source[s] : target[t];
        macadam_connection *connection;
        if (!meta_ok(macadam_connection_find(&connection, c->engine, &query, &pair, &error), &error,
                     "connect", why))
            return META_FAILS;
        const uint32_t found = connection->hops;
        macadam_connection_free(connection);
        META_REQUIRE(found == expected, "%s source %zu, id %lld: %u hops, a connection of %u",
                     reverse ? "to" : "from", s, (long long)id[t], expected, found);
        /* without conditions, hops pass closed arcs and those that are open only at times */
        META_REQUIRE(c->map->is_extreme || (c->map->drawing.has_hours && !c->conditions) ||
                         (meta_number(c, &query, 0, table.value[0][cell]) == MACADAM_COST_NONE) ==
                             (found == MACADAM_UNREACHED),
                     "%s source %zu, id %lld: the cell is %u, but there are %u hops", reverse ? "to" : "from",
                     s, (long long)id[t], table.value[0][cell], found);
    }
    return META_HOLDS;
}

/* ---- all pairs ---- */

static meta_verdict all_pairs_are_cells(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const size_t ids = c->map->info.id_count;
    if (ids > 1000 || c->conditions) return META_SKIPPED;
    macadam_query query = meta_query(c);
    macadam_all_pairs_request request = MACADAM_ALL_PAIRS_REQUEST_INIT;
    request.method = method_at(c->engine, MACADAM_QUESTION_ALL_PAIRS, rng_below(&rng, 6));
    if (method_is(request.method, "floyd-warshall")) query.quantity_count = 0;
    macadam_place *const place = meta_memory(ids, sizeof *place);
    for (size_t i = 0; i < ids; ++i) place[i].id = c->map->id[i];
    meta_table cells, pairs;
    macadam_error error;
    if (!meta_matrix(&cells, c->engine, &query, place, ids, place, ids, why)) return META_FAILS;
    pairs = cells;
    for (size_t q = 0; q < cells.quantity_count; ++q)
        pairs.value[q] = meta_memory(ids * ids, sizeof **pairs.value);
    if (!meta_ok(macadam_all_pairs_find_into(pairs.value, NULL, c->engine, &query, &request, &error), &error,
                 "all pairs", why) ||
        meta_same(&cells, &pairs, "all pairs", why) != META_HOLDS)
        return META_FAILS;
    const size_t row_bytes = (ids + 7) / 8;
    uint8_t *const bits = meta_memory(ids, row_bytes);
    if (!meta_ok(macadam_closure_find(bits, c->engine, NULL, &error), &error, "closure", why))
        return META_FAILS;
    for (size_t i = 0; i < ids * ids && !c->map->is_extreme && !c->map->drawing.has_hours; ++i) {
        const bool reaches = bits[i / ids * row_bytes + i % ids / 8] >> (7 - i % ids % 8) & 1;
        META_REQUIRE(reaches == (meta_number(c, &query, 0, cells.value[0][i]) != MACADAM_COST_NONE),
                     "id %lld to %lld: the cell is %u, the bit %d", (long long)c->map->id[i / ids],
                     (long long)c->map->id[i % ids], cells.value[0][i], reaches);
    }
    return META_HOLDS;
}

const meta_relation meta_searches[] = {
    {"reach_counts_cells", reach_counts_cells, 20, 3, 3, 1},
    {"reach_finds_nearest", reach_finds_nearest, 30, 15, 16, 40},
    {"access_sums_cells", access_sums_cells, 30, 15, 16, 40},
    {"access_adds_up", access_adds_up, 10, 3, 8, 12},
    {"device_reaches_cells", device_reaches_cells, 15, 3, 8, 40},
    {"prepared_find_nearest", prepared_find_nearest, 30, 6, 16, 40},
    {"isochrone_has_the_cells", isochrone_has_the_cells, 30, 3, 1, 1},
    {"connection_has_the_hops", connection_has_the_hops, 15, 4, 3, 1},
    {"all_pairs_are_cells", all_pairs_are_cells, 4, 1, 1, 1},
    {0},
};
