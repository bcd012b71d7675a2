/* test_trip.c - trips visit every stop once, keep to the rules of their ends, and cost as little as any order
 * does; with many stops, nearly as little. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include "engine/trip/tour.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MANY = 14, TRIALS = 12 };

static macadam_error error;

/* ---- tours over given costs ---- */

/* Costs about distances in the plane, dearer in one direction; some ways are closed. */
static void draw_costs(uint32_t *cost, size_t count, uint32_t closed, test_rng *rng)
{
    uint32_t x[1000], y[1000];
    for (size_t i = 0; i < count; ++i) x[i] = rng_below(rng, 10000), y[i] = rng_below(rng, 10000);
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < count; ++j) {
            const uint32_t far =
                (x[i] > x[j] ? x[i] - x[j] : x[j] - x[i]) + (y[i] > y[j] ? y[i] - y[j] : y[j] - y[i]);
            cost[i * count + j] =
                rng_below(rng, 100) < closed ? MCD_TOUR_CLOSED : far + rng_below(rng, far / 4 + 1);
        }
}

static uint64_t cost_of(const uint32_t *cost, size_t count, const uint32_t *order)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t one = cost[order[i] * count + order[(i + 1) % count]];
        if (one == MCD_TOUR_CLOSED) return UINT64_MAX;
        sum += one;
    }
    return sum;
}

static void expect_permutation(const uint32_t *order, size_t count)
{
    bool seen[MACADAM_TRIP_STOPS_MAX] = {false};
    for (size_t i = 0; i < count; ++i) {
        cr_assert_lt(order[i], count);
        cr_assert_not(seen[order[i]], "stop %u comes twice", order[i]);
        seen[order[i]] = true;
    }
}

static uint64_t find(const uint32_t *cost, size_t count, uint32_t *order)
{
    const mcd_progress silent = {NULL, NULL};
    mcd_watch watch = mcd_watch_of(&silent, "trips");
    const mcd_tour_costs costs = {cost, count};
    uint64_t total;
    FIXTURE_CALL(mcd_tour_find, order, &total, &costs, &watch);
    expect_permutation(order, count);
    cr_assert_eq(order[0], 0);
    cr_assert_eq(total, cost_of(cost, count, order));
    return total;
}

/* The least cost of all orders, by trying them. */
static uint64_t try_all(const uint32_t *cost, size_t count, uint32_t *order, size_t at)
{
    uint64_t best = at == count ? cost_of(cost, count, order) : UINT64_MAX;
    for (size_t i = at; i < count; ++i) {
        const uint32_t kept = order[at];
        order[at] = order[i], order[i] = kept;
        const uint64_t sum = try_all(cost, count, order, at + 1);
        if (sum < best) best = sum;
        order[i] = order[at], order[at] = kept;
    }
    return best;
}

Test(trip, a_tour_of_few_stops_is_the_best_one)
{
    test_rng rng = {1};
    for (size_t count = 1; count <= 8; ++count)
        for (uint32_t closed = 0; closed <= 40; closed += 20) {
            uint32_t cost[64], order[8], all[8];
            draw_costs(cost, count, closed, &rng);
            for (uint32_t i = 0; i < count; ++i) all[i] = i;
            const uint64_t best = count == 1 ? 0 : try_all(cost, count, all, 1);
            if (count > 1) cr_assert_eq(find(cost, count, order), best, "%zu stops", count);
        }
}

/* The least cost over sets of stops: best[set][last]. */
static uint64_t best_of_many(const uint32_t *cost)
{
    static uint64_t best[1 << MANY][MANY];
    memset(best, 0xff, sizeof best);
    best[1][0] = 0;
    for (uint32_t set = 1; set < 1u << MANY; set += 2)
        for (uint32_t last = 0; last < MANY; ++last)
            for (uint32_t next = 1; next < MANY && best[set][last] != UINT64_MAX; ++next) {
                const uint64_t sum = best[set][last] + cost[last * MANY + next];
                uint64_t *to = &best[set | 1u << next][next];
                if (!(set >> next & 1) && sum < *to) *to = sum;
            }
    uint64_t least = UINT64_MAX;
    for (uint32_t last = 1; last < MANY; ++last) {
        const uint64_t sum = best[(1u << MANY) - 1][last] + cost[last * MANY];
        if (sum < least) least = sum;
    }
    return least;
}

Test(trip, a_tour_of_more_stops_is_nearly_the_best_one)
{
    test_rng rng = {2};
    uint64_t found = 0, best = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        uint32_t cost[MANY * MANY], order[MANY], again[MANY];
        draw_costs(cost, MANY, 0, &rng);
        const uint64_t total = find(cost, MANY, order), least = best_of_many(cost);
        find(cost, MANY, again);
        cr_assert_eq(memcmp(order, again, sizeof order), 0, "the same tour every time");
        cr_assert_geq(total, least);
        cr_assert_leq(total * 100, least * 105, "trial %d", trial);
        found += total, best += least;
    }
    cr_assert_leq(found * 1000, best * 1005, "%llu against %llu", (unsigned long long)found,
                  (unsigned long long)best);
}

Test(trip, tours_of_many_stops_are_permutations)
{
    test_rng rng = {3};
    for (size_t count = 14; count <= 100; count += 43) {
        uint32_t *cost = checked_allocate(count * count, sizeof *cost), order[200];
        draw_costs(cost, count, 5, &rng);
        find(cost, count, order);
        for (size_t i = 0; i < count * count; ++i) cost[i] = i % 3 ? MACADAM_WEIGHT_MAX : 0;
        find(cost, count, order);
        for (size_t i = 0; i < count * count; ++i) cost[i] = MCD_TOUR_CLOSED;
        cr_assert_eq(find(cost, count, order), UINT64_MAX);
        free(cost);
    }
}

/* ---- trips on a map ---- */

static macadam_trip *ask(const fixture_engine *on, const macadam_trip_request *request)
{
    macadam_trip *out;
    FIXTURE_CALL(macadam_trip_find, &out, on->engine, NULL, request);
    return out;
}

/* The least cost of all orders that keep to the request's rules. */
static uint64_t least_of_orders(const macadam_trip_request *request, const uint32_t *cost, uint32_t *order,
                                size_t at)
{
    const size_t count = request->stop_count;
    uint64_t best = UINT64_MAX;
    if (at >= count) {
        const uint32_t last = count ? order[count - 1] : 0;
        if ((request->from_first && order[0] != 0) || (request->to_last && last != count - 1)) return best;
        uint64_t sum = 0;
        for (size_t i = 0; i + request->open < count; ++i) {
            const uint32_t one = cost[order[i] * count + order[(i + 1) % count]];
            if (one == MACADAM_UNREACHED) return best;
            sum += one;
        }
        return sum;
    }
    for (size_t i = at; i < count; ++i) {
        const uint32_t kept = order[at];
        order[at] = order[i], order[i] = kept;
        const uint64_t sum = least_of_orders(request, cost, order, at + 1);
        if (sum < best) best = sum;
        order[i] = order[at], order[at] = kept;
    }
    return best;
}

/* The least cost of a trip over the stops of a set. */
static uint64_t least_of_set(const macadam_trip_request *request, const uint32_t *cost, uint32_t set)
{
    const size_t count = request->stop_count;
    uint32_t own[64], order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    size_t stops = 0, at = 0;
    macadam_trip_request part = *request;
    for (size_t i = 0; i < count; ++i) stops += set >> i & 1;
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < count; ++j)
            if (set >> i & set >> j & 1) own[at++] = cost[i * count + j];
    if ((request->from_first && !(set & 1)) || (request->to_last && !(set >> (count - 1) & 1)) ||
        (stops < 2 && count > 1))
        return UINT64_MAX;
    part.stop_count = stops;
    return least_of_orders(&part, own, order, 0);
}

/* The largest set of stops that all reach each other, by trying all; of equally large ones that with the earliest stop. */
static uint32_t largest_set(const uint32_t *cost, size_t count)
{
    uint32_t best = 0;
    for (uint32_t set = 1; set < 1u << count; ++set) {
        bool all = true;
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < count; ++j)
                all &= !(set >> i & set >> j & 1) || cost[i * count + j] != MACADAM_UNREACHED;
        const int more = __builtin_popcount(set) - __builtin_popcount(best);
        if (all && (more > 0 || (more == 0 && __builtin_ctz(set) < __builtin_ctz(best)))) best = set;
    }
    return best;
}

/* The trip visits the stops of the set in some order, and says why it leaves the others out. */
static void expect_order(const macadam_trip *trip, const macadam_trip_request *request, uint32_t set)
{
    const size_t count = trip->order_count;
    uint32_t visited = 0;
    for (size_t i = 0; i < count; ++i) visited |= 1u << trip->order[i];
    cr_assert_eq(visited, set);
    cr_assert_eq(count, __builtin_popcount(set));
    for (size_t i = 0; i < request->stop_count; ++i)
        cr_assert_eq(trip->stop[i].status, set >> i & 1 ? MACADAM_PLACE_OK : MACADAM_PLACE_UNREACHED);
    if (request->from_first) cr_assert_eq(trip->order[0], 0);
    if (request->to_last) cr_assert_eq(trip->order[count - 1], request->stop_count - 1);
    if (trip->route) cr_assert_eq(trip->route->leg_count, count - request->open);
}

/* Returns whether stops are left out. */
static bool expect_trip(const fixture_engine *on, const macadam_trip_request *request)
{
    const size_t count = request->stop_count;
    uint32_t cost[64], set = (1u << count) - 1;
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = matrix.target = request->stop;
    matrix.source_count = matrix.target_count = count;
    uint32_t *const value[1] = {cost};
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, on->engine, NULL, &matrix);
    uint64_t least = least_of_set(request, cost, set);
    if (least == UINT64_MAX) least = least_of_set(request, cost, set = largest_set(cost, count));
    SCOPED(macadam_trip_free_at) macadam_trip *trip = ask(on, request);
    cr_assert_eq(trip->found, least != UINT64_MAX, "%s", on->graph->name);
    if (trip->found) {
        cr_assert_eq(trip->cost, least, "%s: %d %d %d", on->graph->name, request->open, request->from_first,
                     request->to_last);
        expect_order(trip, request, set);
        if (trip->route) cr_assert_eq(trip->route->value[0], least);
    } else {
        cr_assert_eq(trip->order_count, 0);
        cr_assert_null(trip->order);
    }
    return trip->found && trip->order_count < count;
}

/* Returns how many trips leave stops out. */
static int expect_trips(const char *name)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named(name);
    SCOPED(fixture_close) fixture_engine on;
    fixture_open(&on, &graph, 1);
    test_rng rng = {4};
    int left_out = 0;
    for (int kind = 0; kind < 8; ++kind)
        for (size_t count = kind == 7 ? 2 : 1; count <= 7; ++count) {
            macadam_place stop[8];
            for (size_t i = 0; i < count; ++i)
                stop[i] = fixture_place(rng_below(&rng, (uint32_t)graph.node_count));
            macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
            request.stop = stop, request.stop_count = count;
            request.open = kind & 1, request.from_first = kind & 2, request.to_last = kind & 4;
            left_out += expect_trip(&on, &request);
        }
    return left_out;
}

Test(trip, no_order_of_few_stops_is_cheaper)
{
    expect_trips("town");
    expect_trips("cycle one way");
}

Test(trip, stops_that_cannot_be_reached_are_left_out)
{
    static const char *const name[] = {"islands", "random scattered", "random sparse"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i)
        cr_assert_gt(expect_trips(name[i]), 0, "%s", name[i]);
    expect_trips("path one way");
}

Test(trip, bad_stops_and_requests_are_reported)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine on;
    fixture_open(&on, &graph, 1);
    macadam_place stop[3] = {fixture_place(0), fixture_place(1), {.id = -77777}};
    macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
    macadam_trip *trip;
    cr_assert_eq(macadam_trip_find(&trip, on.engine, NULL, &request, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "0 stops; a trip has 1 to 1000");
    request.stop = stop, request.stop_count = 1;
    request.open = request.from_first = request.to_last = true;
    cr_assert_eq(macadam_trip_find(&trip, on.engine, NULL, &request, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, "an open trip from the first stop to the last needs two stops");
    request.open = request.from_first = request.to_last = false;
    request.stop_count = 3;
    trip = ask(&on, &request);
    cr_assert(trip->found && trip->order_count == 2 && trip->stop_count == 3);
    cr_assert_eq(trip->stop[2].status, MACADAM_PLACE_UNKNOWN_ID);
    macadam_trip_free(trip);
    request.to_last = true;
    trip = ask(&on, &request);
    cr_assert_not(trip->found);
    cr_assert_eq(trip->stop[2].status, MACADAM_PLACE_UNKNOWN_ID);
    cr_assert_null(trip->route);
    macadam_trip_free(trip);
    request.stop_count = MACADAM_TRIP_STOPS_MAX + 1;
    cr_assert_eq(macadam_trip_find(&trip, on.engine, NULL, &request, &error), MACADAM_E_INVALID);
    cr_assert_eq(macadam_trip_find(&trip, NULL, NULL, &request, &error), MACADAM_E_INVALID);
}

/* The query is bad whether there is an order of the stops, only one stop, or none. */
Test(trip, bad_quantities_are_reported_without_a_route_too)
{
    static const char *const unknown[] = {"noise"}, *const three[] = {"duration", "distance", "duration"};
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine on;
    fixture_open(&on, &graph, 1);
    const macadam_place stop[][2] = {{fixture_place(0), fixture_place(1)}, {{.id = -77777}, {.id = -77778}}};
    macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_trip *trip;
    request.open = true;
    for (size_t found = 0; found < 2; ++found)
        for (request.stop_count = 1; request.stop_count <= 2; ++request.stop_count) {
            request.stop = stop[found];
            query.quantity = unknown, query.quantity_count = 1;
            cr_expect_eq(macadam_trip_find(&trip, on.engine, &query, &request, &error), MACADAM_E_NOT_FOUND);
            query.quantity = three, query.quantity_count = 3;
            cr_expect_eq(macadam_trip_find(&trip, on.engine, &query, &request, &error), MACADAM_E_INVALID);
            query.quantity = NULL, query.quantity_count = 1;
            cr_expect_eq(macadam_trip_find(&trip, on.engine, &query, &request, &error), MACADAM_E_INVALID);
            query.quantity = unknown, query.quantity_count = SIZE_MAX;
            cr_expect_eq(macadam_trip_find(&trip, on.engine, &query, &request, &error), MACADAM_E_INVALID);
        }
}
