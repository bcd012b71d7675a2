/* test_clock_match.c - matchings with a clock: the way is that without it, and each leg takes as long as the oracle says from the time of its
 * first point on. */
#include "tests/support/checked.h"
#include "tests/support/clock_town.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <math.h>

enum { POINTS_MAX = 200, STEP_S = 611 };

static macadam_error error;

/* Points on the best way between two places; the times begin in 1969. */
static size_t draw_trace(macadam_query query, size_t from, size_t to, macadam_trace_point *point)
{
    const macadam_place ends[] = {town.place[from], town.place[to]};
    const macadam_route_request request = {.size = sizeof request, .waypoint = ends, .waypoint_count = 2};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    query.clock = NULL;
    FIXTURE_CALL(macadam_route_find, &route, town.engine, &query, &request);
    size_t count = 0;
    for (size_t i = 0; i + 1 < route->shape_count && count < POINTS_MAX; ++i, ++count)
        point[count] = (macadam_trace_point){.lon = (2 * route->lon[i] + route->lon[i + 1]) / 3,
                                             .lat = (2 * route->lat[i] + route->lat[i + 1]) / 3,
                                             .time_s = -1000 + STEP_S * (double)(i + 5 * from) + 0.25};
    return count;
}

/* Whether a copy of the arc with the price that the route pays takes so long from a time on. */
static bool takes(const macadam_route_arc *is, const macadam_route_arc *plain, uint64_t begin)
{
    const uint64_t from = (uint64_t)(is->from * 0x1p32), to = (uint64_t)(is->to * 0x1p32),
                   price = (uint64_t)plain->price[0];
    for (uint32_t a = 0; a < town.engine->graph.arc_count; ++a) {
        const town_arc *const arc = &town.arc[a];
        if (mcd_arc_number(&town.engine->facts, a) != is->arc || arc->price * (from == 0) != price) continue;
        const uint64_t own = (arc->own * to >> 32) - (arc->own * from >> 32);
        if (town_pass(arc, own, price, begin, 0, false) == is->value[0]) return true;
    }
    return false;
}

static void check_legs(const macadam_match_request *request, const macadam_matches *found, size_t m,
                       const macadam_route *plain, uint32_t zero, size_t *leg_count)
{
    const macadam_route *const route = found->matching[m].route;
    uint64_t total = 0;
    cr_assert_eq(route->arc_count, plain->arc_count);
    cr_assert_eq(route->value[1], plain->value[1], "the distance is that of the way");
    for (size_t p = 0, l = 0; p < found->point_count; ++p) {
        if (found->point[p].status != MACADAM_MATCH_OK || found->point[p].matching != m) continue;
        if (l == route->leg_count) break;
        const uint64_t begin = town_epoch + zero + (uint64_t)(int64_t)llrint(request->point[p].time_s * 1000);
        uint64_t sum = 0;
        for (size_t a = route->leg[l].first_arc; a < route->leg[l].end_arc; ++a) {
            cr_assert_eq(route->arc[a].arc, plain->arc[a].arc);
            cr_assert(takes(&route->arc[a], &plain->arc[a], begin + sum), "leg %zu, arc %zu: %u", l, a,
                      route->arc[a].value[0]);
            sum += route->arc[a].value[0];
        }
        cr_assert_eq(route->leg[l].value[0], sum, "leg %zu", l);
        total += sum, ++l, ++*leg_count;
    }
    cr_assert_eq(route->value[0], total);
    cr_assert_eq(llrint(found->matching[m].duration_s * 1000), total);
}

static void check(macadam_query query, bool backward)
{
    macadam_trace_point point[POINTS_MAX];
    size_t legs = 0, later = 0;
    for (size_t i = 0; i + 1 < TOWN_PLACES && !backward; ++i) {
        SCOPED(macadam_matches_free_at) macadam_matches *found = NULL, *plain = NULL;
        const macadam_clock clock = town_clock(false, i % TOWN_INSTANTS, 1);
        const macadam_match_request request = {.size = sizeof request,
                                               .point = point,
                                               .point_count = draw_trace(query, i, i + 1, point),
                                               .routes = true,
                                               .arcs = true,
                                               .steps = true};
        if (request.point_count == 0) continue;
        query.clock = NULL;
        FIXTURE_CALL(macadam_match_find, &plain, town.engine, &query, &request);
        query.clock = &clock;
        FIXTURE_CALL(macadam_match_find, &found, town.engine, &query, &request);
        cr_assert_eq(found->matching_count, plain->matching_count);
        cr_assert_eq(found->arc_count, plain->arc_count);
        for (size_t m = 0; m < found->matching_count; ++m) {
            later += found->matching[m].duration_s != plain->matching[m].duration_s;
            if (found->matching[m].route->found)
                check_legs(&request, found, m, plain->matching[m].route, clock.depart[0], &legs);
        }
    }
    cr_assert(backward || legs > 50, "%zu legs", legs);
    cr_assert(backward || later > 0);
}

Test(clock_match, legs_take_as_long_as_the_oracles)
{
    town_check_all(check);
}

static void expect_refusal(const macadam_clock *clock, const macadam_match_request *request,
                           const char *message)
{
    macadam_matches *out;
    macadam_query query = town_query(clock);
    cr_assert_eq(macadam_match_find(&out, town.engine, &query, request, &error), MACADAM_E_INVALID);
    cr_assert_str_eq(error.message, message);
}

Test(clock_match, a_clock_without_times_or_routes_is_refused)
{
    macadam_trace_point point[POINTS_MAX];
    test_rng rng = {3};
    town_open(3, true, MCD_WEEK_SLOTS);
    town_draw_places(&rng);
    const macadam_clock one = town_clock(false, 0, 1), two = town_clock(false, 0, 2),
                        by = town_clock(true, 0, 1);
    macadam_match_request request = {.size = sizeof request, .point = point, .routes = true};
    for (size_t i = 0; request.point_count < 3; ++i)
        request.point_count = draw_trace(town_query(NULL), i, i + 1, point);
    expect_refusal(&two, &request,
                   "a clock of traces has one departure, the instant of time 0: not 2, and 0 arrivals");
    expect_refusal(&by, &request,
                   "a clock of traces has one departure, the instant of time 0: not 0, and 1 arrivals");
    point[1].time_s = NAN;
    expect_refusal(&one, &request, "a clock, and point 1 has no time");
    request.routes = false;
    expect_refusal(&one, &request, "a clock, but no routes: these have the durations by it");
    town_close();
}
