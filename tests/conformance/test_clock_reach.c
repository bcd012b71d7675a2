/* test_clock_reach.c - what is reached by the clock, and areas, are the oracle's. */
#include "tests/support/access_oracle.h"
#include "tests/support/checked.h"
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <math.h>

enum { NEAREST = 3 };

/* The nearest places cost what the best of the oracle's cells do, in their order. */
static void expect_nearest(town_searches *o, size_t p, const uint32_t *found, const uint32_t *at,
                           const uint32_t *cost)
{
    uint64_t before = 0, reached = 0;
    for (size_t t = 0; t < TOWN_PLACES; ++t)
        reached += town_cost_to(o, &town.position[p], &town.position[t]).cost < MCD_UNREACHED;
    cr_assert_eq(found[p], reached < NEAREST ? reached : NEAREST);
    for (size_t rank = 0; rank < found[p]; ++rank) {
        const uint64_t key = (uint64_t)cost[p * NEAREST + rank] << 32 | at[p * NEAREST + rank];
        size_t closer = 0;
        for (size_t t = 0; t < TOWN_PLACES; ++t)
            closer += (town_cost_to(o, &town.position[p], &town.position[t]).cost << 32 | t) < key;
        cr_assert_eq(closer, rank, "place %zu, rank %zu: %zu are nearer", p, rank, closer);
        cr_assert_eq(town_cost_to(o, &town.position[p], &town.position[key & UINT32_MAX]).cost, key >> 32);
        cr_assert(rank == 0 || key > before);
        before = key;
    }
}

/* Counts, sums and nearest places are those of the oracle's costs. */
static void check_reach(macadam_query query, bool backward)
{
    const macadam_clock clock = town_clock_of_each(backward);
    const uint32_t limit[] = {300 * 1000, 7000 * 1000};
    uint64_t nodes[TOWN_PLACES * 2], sum[TOWN_PLACES], reached[TOWN_PLACES];
    uint32_t most[TOWN_PLACES], found[TOWN_PLACES], at[TOWN_PLACES * NEAREST], cost[TOWN_PLACES * NEAREST];
    macadam_reach_request request = {.size = sizeof request,
                                     .source = town.place,
                                     .source_count = TOWN_PLACES,
                                     .reverse = backward,
                                     .limit = limit,
                                     .limit_count = 2,
                                     .target = town.place,
                                     .target_count = TOWN_PLACES,
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
    FIXTURE_CALL(macadam_reach_find, &sums, NULL, town.engine, &query, &request);
    for (size_t p = 0; p < TOWN_PLACES; ++p) {
        town_searches o = town_search(&town.position[p], town.own_instant[p], backward);
        const mcd_node *const node = backward ? town.engine->places.depart : town.engine->places.arrive;
        uint64_t right[5] = {0};
        for (size_t i = 0; i < town.engine->places.id_count; ++i) {
            const uint64_t c = town_cost_at(&o, node[i]).cost;
            for (size_t l = 0; l < 2; ++l) right[l] += c <= limit[l];
            if (c >= MCD_UNREACHED) continue;
            ++right[2], right[3] += c, right[4] = c > right[4] ? c : right[4];
        }
        const uint64_t is[] = {nodes[2 * p], nodes[2 * p + 1], reached[p], sum[p], most[p]};
        for (size_t k = 0; k < 5; ++k)
            cr_assert_eq(is[k], right[k], "place %zu, sum %zu: %zu instead of %zu", p, k, (size_t)is[k],
                         (size_t)right[k]);
        expect_nearest(&o, p, found, at, cost);
        town_search_free(&o);
    }
}

/* Accessibility is that of the oracle's costs; with little memory the sources are divided into bands. */
static void check_access(macadam_query query, bool backward, uint64_t memory_limit)
{
    const macadam_clock clock = town_clock_of_each(backward);
    const double percentile[] = {50, 100};
    double amount[TOWN_PLACES], sum[TOWN_PLACES], mean[TOWN_PLACES];
    uint32_t at[2 * TOWN_PLACES];
    for (size_t t = 0; t < TOWN_PLACES; ++t) amount[t] = (double)(t % 5);
    const macadam_decay decay = {.size = sizeof decay, .kind = MACADAM_DECAY_EXPONENTIAL, .cutoff = 600000};
    const macadam_reach_request request = {.size = sizeof request,
                                           .source = town.place,
                                           .source_count = TOWN_PLACES,
                                           .reverse = backward,
                                           .opportunity = town.place,
                                           .opportunity_count = TOWN_PLACES,
                                           .amount = amount,
                                           .amount_count = 1,
                                           .decay = &decay,
                                           .percentile = percentile,
                                           .percentile_count = 2};
    const macadam_reach found = {
        .size = sizeof found, .access = sum, .mean_cost = mean, .percentile_cost = at};
    char why[ACCESS_ORACLE_WHY];
    query.clock = &clock, query.quantity_count = 1;
    query.memory_limit = memory_limit;
    FIXTURE_CALL(macadam_reach_find, &found, NULL, town.engine, &query, &request);
    for (size_t p = 0; p < TOWN_PLACES; ++p) {
        town_searches o = town_search(&town.position[p], town.own_instant[p], backward);
        int64_t cost[TOWN_PLACES];
        for (size_t t = 0; t < TOWN_PLACES; ++t) {
            const uint64_t c = town_cost_to(&o, &town.position[p], &town.position[t]).cost;
            cost[t] = c < MCD_UNREACHED ? (int64_t)c : MACADAM_COST_NONE;
        }
        cr_assert(access_oracle_agrees(&request, &found, p, cost, false, why), "%s", why);
        town_search_free(&o);
    }
}

/* Instants that are fewer or more than the sources are refused, as a matrix refuses them. */
static void check_counts(macadam_query query, bool backward)
{
    static uint32_t cell[TOWN_PLACES * TOWN_PLACES], *const value[] = {cell};
    macadam_clock clock = town_clock_of_each(backward);
    double amount[TOWN_PLACES] = {1}, sum[TOWN_PLACES];
    const macadam_matrix_request matrix = {.size = sizeof matrix,
                                           .source = town.place,
                                           .source_count = TOWN_PLACES - 1,
                                           .target = town.place,
                                           .target_count = TOWN_PLACES - 1};
    const macadam_reach_request request = {.size = sizeof request,
                                           .source = town.place,
                                           .source_count = TOWN_PLACES - 1,
                                           .reverse = backward,
                                           .opportunity = town.place,
                                           .opportunity_count = TOWN_PLACES - 1,
                                           .amount = amount,
                                           .amount_count = 1};
    const macadam_reach found = {.size = sizeof found, .access = sum};
    query.clock = &clock, query.quantity_count = 1;
    for (size_t count = TOWN_PLACES - 2; count <= TOWN_PLACES; ++count) {
        macadam_error right = {.message = ""}, error = {.message = ""};
        *(backward ? &clock.arrive_count : &clock.depart_count) = count;
        const macadam_status status =
            macadam_matrix_find_into(value, NULL, town.engine, &query, &matrix, &right);
        cr_assert_eq(status != MACADAM_OK, count != TOWN_PLACES - 1);
        cr_assert_eq(macadam_reach_find(&found, NULL, town.engine, &query, &request, &error), status);
        cr_assert_str_eq(error.message, right.message);
    }
}

/* How much of an arc is reached that a search enters at the cost `start`. */
static double reached_share(const town_tree *o, const town_arc *a, double from, uint64_t start,
                            uint64_t limit)
{
    const uint64_t now = o->backward ? o->begin - start : o->begin + start, rest = limit - start;
    if (!a->speeds) return rest >= a->own && from == 0 ? 1 : fmin(from + (double)rest / (double)a->own, 1);
    const uint64_t passed = o->backward
                                ? town_integral(a->speeds, now) - town_integral(a->speeds, now - rest)
                                : town_integral(a->speeds, now + rest) - town_integral(a->speeds, now);
    return a->own == 0 ? 1 : fmin(from + (double)passed / (255.0 * (double)a->own), 1);
}

/* The best share of the copies of an arc that are entered at their ends, and when those that are passed as a whole are left; of those that
 * are not, UINT64_MAX. */
static double best_share(const town_searches *all, uint64_t number, uint64_t limit, uint64_t *left)
{
    double best = -1;
    *left = UINT64_MAX;
    for (uint32_t i = 0; i < town.engine->graph.arc_count; ++i) {
        const town_tree *const o = &all->one[0];
        const town_arc *const a = &town.arc[i];
        if (mcd_arc_number(&town.engine->facts, i) != number || a->is_closed) continue;
        const uint64_t cost = town_cost_at(all, o->backward ? a->head : a->tail).cost;
        if (cost > limit || (!o->backward && cost + a->price > limit)) continue;
        const uint64_t start = o->backward ? cost : cost + a->price;
        const double share = reached_share(o, a, 0, start, limit);
        best = fmax(best, share);
        if (share == 1) {
            const uint64_t end = town_pass(a, a->own, 0, o->begin, start, o->backward);
            *left = end < *left ? end : *left;
        }
    }
    return best;
}

/* Within a limit, each arc is reached as far as the oracle has travelled it by then. */
static void check_reached_arcs(macadam_query query, bool backward, uint32_t limit)
{
    for (size_t p = 0; p < TOWN_PLACES; ++p) {
        const macadam_clock clock = town_clock(backward, p % TOWN_INSTANTS, 1);
        SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
        const macadam_isochrone_request request = {
            .size = sizeof request, .source = town.place[p], .reverse = backward, .limit = limit};
        town_searches o = town_search(&town.position[p], town.instant[p % TOWN_INSTANTS], backward);
        size_t whole = 0, ends = 0, expected = 0;
        query.clock = &clock, query.quantity_count = 1;
        FIXTURE_CALL(macadam_isochrone_find, &found, town.engine, &query, &request);
        for (size_t i = 0; i < found->arc_count; ++i) {
            const macadam_reached_arc *const is = &found->arc[i];
            uint64_t left;
            double right = best_share(&o, is->road.arc, limit, &left);
            if (is->from > 0) {
                const uint32_t a =
                    town.position[p]
                        .arc[mcd_arc_number(&town.engine->facts, town.position[p].arc[0]) != is->road.arc];
                right = reached_share(&o.one[0], &town.arc[a], is->from, 0, limit);
                cr_assert_eq(mcd_arc_number(&town.engine->facts, a), is->road.arc);
            } else if (found->to[i] == 1) {
                cr_assert_eq((uint64_t)is->cost + is->weight, left, "place %zu, arc %zu is left at %u + %u",
                             p, i, is->cost, is->weight);
                ++whole;
            }
            ends += is->from == 0;
            cr_assert_float_eq(found->to[i], right, 1e-12, "place %zu, arc %zu: %.15g instead of %.15g", p, i,
                               found->to[i], right);
        }
        for (uint64_t number = 0; number < town.engine->graph.arc_count; ++number) {
            uint64_t left;
            expected += best_share(&o, number, limit, &left) >= 0;
        }
        cr_assert_eq(ends, expected, "place %zu: %zu arcs instead of %zu", p, ends, expected);
        town_search_free(&o);
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
static double share_at(const town_searches *o, uint32_t id, bool backward, uint32_t limit)
{
    double most = 0;
    uint64_t left;
    for (uint32_t a = 0; a < town.engine->graph.arc_count; ++a)
        if (mcd_arc_number(&town.engine->facts, a) != MCD_ARC_NONE &&
            town.engine->places.node_place[backward ? town.arc[a].tail : town.arc[a].head] == id)
            most = fmax(most, best_share(o, mcd_arc_number(&town.engine->facts, a), limit, &left));
    return most;
}

/* Junctions that are reached are inside, and those to which no road is reached nearly are outside. */
static void check_areas(macadam_query query, bool backward, uint32_t limit)
{
    const macadam_clock clock = town_clock_of_each(backward);
    SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
    const macadam_rings_request request = {.size = sizeof request,
                                           .source = town.place,
                                           .source_count = TOWN_PLACES,
                                           .reverse = backward,
                                           .limit = &limit,
                                           .limit_count = 1};
    size_t outside = 0, inside = 0;
    query.clock = &clock, query.quantity_count = 1;
    FIXTURE_CALL(macadam_rings_find, &rings, town.engine, &query, &request);
    for (size_t p = 0; p < TOWN_PLACES; ++p) {
        town_searches o = town_search(&town.position[p], town.own_instant[p], backward);
        for (uint32_t i = 0; i < town.engine->places.id_count; ++i) {
            const mcd_node node = (backward ? town.engine->places.depart : town.engine->places.arrive)[i];
            const double lon = town.engine->places.lon_e7[node] * 1e-7,
                         lat = town.engine->places.lat_e7[node] * 1e-7;
            const bool is_reached = town_cost_at(&o, node).cost <= limit,
                       is_far = hypot(lon - rings->source[p].lon, lat - rings->source[p].lat) > 0.012 &&
                                share_at(&o, i, backward, limit) < 0.7;
            if (!is_reached && !is_far) continue;
            cr_assert_eq(is_near_inside(rings, p, lon, lat), is_reached, "place %zu, id %u", p, i);
            ++*(is_reached ? &inside : &outside);
        }
        town_search_free(&o);
    }
    cr_assert(inside > 0 && outside > 0);
}

static void check(macadam_query query, bool backward)
{
    static const uint32_t limit[] = {90 * 1000, 400 * 1000, 4000 * 1000};
    check_reach(query, backward);
    check_access(query, backward, 0);
    check_access(query, backward, 2600);
    check_counts(query, backward);
    for (size_t i = 0; i < 3; ++i) check_reached_arcs(query, backward, limit[i]);
    check_areas(query, backward, 200 * 1000);
}

Test(clock_reach, answers_are_the_oracles)
{
    town_check_all(check);
}
