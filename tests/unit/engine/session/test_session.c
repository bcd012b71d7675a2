/* test_session.c - a traveller on small routes that are drawn by hand: degrees are metres / 111195 near the equator. */
#include "tests/support/leak.h"
#include "tests/support/rng.h"
#include "tests/support/scoped.h"

#include "engine/include/macadam.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

SCOPED_POINTER(macadam_guide, macadam_guide_free)

TestSuite(session, .init = allocator_install, .fini = leak_expect_none);

enum { POINTS_MAX = 64 };
static const double degree_m = 111195;

/* A route of arcs of two points, each with a step, and an arrival: 10 m/s. */
typedef struct drawn_route {
    macadam_route route;
    macadam_route_arc arc[POINTS_MAX];
    macadam_step step[POINTS_MAX + 1];
    macadam_leg leg[2];
    macadam_snap waypoint[3];
    double lon[2 * POINTS_MAX], lat[2 * POINTS_MAX];
} drawn_route;

/* Draws it through points in metres: east, north. With `via`, one leg ends at this point. */
static void draw(drawn_route *out, const double (*at)[2], size_t count, size_t via)
{
    memset(out, 0, sizeof *out);
    const size_t arcs = count - 1, legs = via ? 2 : 1;
    size_t step = 0;
    for (size_t a = 0; a < arcs; ++a) {
        const double metres = hypot(at[a + 1][0] - at[a][0], at[a + 1][1] - at[a][1]);
        for (size_t i = 0; i < 2; ++i) {
            out->lon[2 * a + i] = at[a + i][0] / degree_m;
            out->lat[2 * a + i] = at[a + i][1] / degree_m;
        }
        out->arc[a] = (macadam_route_arc){
            .first_shape = 2 * a, .end_shape = 2 * a + 1, .to = 1, .value = {(uint32_t)lround(metres * 100)}};
        if (via && a == via)
            out->step[step++] = (macadam_step){.type = MACADAM_MANEUVER_ARRIVE, .first_arc = a};
        out->step[step++] = (macadam_step){.type = a == 0 || (via && a == via) ? MACADAM_MANEUVER_DEPART
                                                                               : MACADAM_MANEUVER_TURN,
                                           .first_arc = a};
    }
    out->step[step++] = (macadam_step){.type = MACADAM_MANEUVER_ARRIVE, .first_arc = arcs};
    out->leg[0] = (macadam_leg){.end_arc = via ? via : arcs};
    out->leg[1] = (macadam_leg){.first_arc = via, .end_arc = arcs};
    for (size_t i = 0; i <= legs; ++i) {
        const size_t point = i == 0 ? 0 : i == legs ? count - 1 : via;
        out->waypoint[i] = (macadam_snap){.lon = at[point][0] / degree_m, .lat = at[point][1] / degree_m};
    }
    out->route = (macadam_route){.found = true,
                                 .waypoint_count = legs + 1,
                                 .waypoint = out->waypoint,
                                 .leg_count = legs,
                                 .leg = out->leg,
                                 .arc_count = arcs,
                                 .arc = out->arc,
                                 .shape_count = 2 * arcs,
                                 .lon = out->lon,
                                 .lat = out->lat,
                                 .step_count = step,
                                 .step = out->step};
}

static macadam_guide *guide_along(const drawn_route *drawn)
{
    macadam_guide *guide;
    macadam_error error = {""};
    cr_assert_eq(macadam_guide_new(&guide, &drawn->route, NULL, &error), MACADAM_OK, "%s", error.message);
    return guide;
}

static macadam_trace_point position_at(double time_s, double east, double north)
{
    return (macadam_trace_point){.lon = east / degree_m, .lat = north / degree_m, .time_s = time_s};
}

static macadam_guide_state move(macadam_guide *guide, double time_s, double east, double north)
{
    const macadam_trace_point position = position_at(time_s, east, north);
    macadam_guide_state out = MACADAM_GUIDE_STATE_INIT;
    macadam_error error = {""};
    cr_assert_eq(macadam_guide_move(&out, guide, &position, &error), MACADAM_OK, "%s", error.message);
    return out;
}

/* 1 km to the east, then 500 m to the north. */
static const double corner[][2] = {{0, 0}, {1000, 0}, {1000, 500}};
/* 500 m to the east and back by the same road, on to the west. */
static const double out_and_back[][2] = {{0, 0}, {500, 0}, {0, 0}, {-500, 0}};
/* A block of 200 m, driven round twice. */
static const double twice[][2] = {{0, 0},   {200, 0},   {200, 200}, {0, 200}, {0, 0},
                                  {200, 0}, {200, 200}, {0, 200},   {0, 0}};

Test(session, a_state_says_where_the_traveller_is_and_what_is_left)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    memset(&drawn, 0xff, sizeof drawn); /* the guide has copied what it needs */
    macadam_guide_state state = move(guide, 0, 0, 3);
    cr_expect_eq(state.status, MACADAM_GUIDE_ON_ROUTE);
    cr_expect_eq(state.step, 1);
    state = move(guide, 60, 600, 3);
    cr_expect_eq(state.status, MACADAM_GUIDE_ON_ROUTE);
    cr_expect_float_eq(state.lon * degree_m, 600, 0.1);
    cr_expect_float_eq(state.lat, 0, 1e-9);
    cr_expect_float_eq(state.distance_m, 3, 0.1);
    cr_expect_eq(state.arc, 0);
    cr_expect_float_eq(state.along, 0.6, 1e-6);
    cr_expect_float_eq(state.travelled_m, 600, 2);
    cr_expect_float_eq(state.left_m, 900, 6); /* on the ellipsoid */
    cr_expect_float_eq(state.left_s, 90, 0.01);
    cr_expect_eq(state.leg, 0);
    cr_expect_float_eq(state.leg_left_m, state.left_m, 1e-6);
    cr_expect_float_eq(state.leg_left_s, state.left_s, 1e-6);
    cr_expect_float_eq(state.step_m, 400, 2);
    cr_expect_float_eq(state.step_s, 40, 0.01);
    state = move(guide, 90, 1000, 200);
    cr_expect_eq(state.step, 2);
    cr_expect_eq(state.arc, 1);
    cr_expect_float_eq(state.step_s, 30, 0.1);
}

Test(session, each_instruction_is_said_far_and_near_and_now_once)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    double said[3][MACADAM_GUIDE_NOW + 1] = {{0}};
    for (int t = 0; t <= 155; ++t) {
        const double way = fmin(10 * t, 1500);
        const macadam_guide_state state = move(guide, t, fmin(way, 1000), fmax(way - 1000, 0));
        for (size_t i = state.first_said; i < state.end_said; ++i) {
            cr_expect_eq(said[i][state.say], 0, "step %zu is said twice", i);
            said[i][state.say] = fmax(way, 1);
        }
        cr_expect_eq(state.status, way > 1480 ? MACADAM_GUIDE_ARRIVED : MACADAM_GUIDE_ON_ROUTE, "%d s", t);
    }
    static const double expected[3][MACADAM_GUIDE_NOW + 1] = {
        {0, 0, 0, 1}, {0, 700, 900, 960}, {0, 1200, 1400, 1490}};
    for (size_t i = 0; i < 3; ++i)
        for (int say = 0; say <= MACADAM_GUIDE_NOW; ++say)
            cr_expect_float_eq(said[i][say], expected[i][say], 20, "step %zu, %s: at %g m", i,
                               macadam_guide_say_name((macadam_guide_say)say), said[i][say]);
}

Test(session, off_the_route_after_three_positions_and_back_after_three)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    for (int t = 0; t <= 40; ++t) move(guide, t, 10 * t, 0);
    for (int t = 41; t <= 45; ++t) { /* 400 m from the start, he turns to the south */
        const macadam_guide_state state = move(guide, t, 400, -10 * (t - 40));
        const double beyond = 10 * (t - 40);
        cr_expect_eq(state.status, beyond < 20   ? MACADAM_GUIDE_ON_ROUTE
                                   : beyond < 40 ? MACADAM_GUIDE_UNSURE
                                                 : MACADAM_GUIDE_OFF_ROUTE);
        cr_expect_float_eq(state.travelled_m, 400, 20);
        if (beyond < 40) continue;
        cr_expect_float_eq(state.again.lat * degree_m, -beyond, 1e-6);
        cr_expect_float_eq(state.again.heading, 180, 30);
        cr_expect(state.again.heading_tolerance > 0);
    }
    for (int t = 46; t <= 60; ++t) { /* crosses the route: no return */
        const macadam_guide_state state = move(guide, t, 400, -50 + 10 * (t - 45));
        cr_expect_eq(state.status, MACADAM_GUIDE_OFF_ROUTE, "%d s", t);
    }
    macadam_guide_state state;
    for (int t = 61; t <= 70; ++t) state = move(guide, t, 600 + 10 * (t - 60), 0);
    cr_expect_eq(state.status, MACADAM_GUIDE_ON_ROUTE);
    cr_expect_float_eq(state.travelled_m, 700, 2);
}

Test(session, a_traveller_who_turns_back_is_off_the_route)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    for (int t = 0; t <= 40; ++t) move(guide, t, 10 * t, 0);
    macadam_guide_state state;
    for (int t = 41; t <= 48; ++t) state = move(guide, t, 400 - 10 * (t - 40), 0);
    cr_expect_eq(state.status, MACADAM_GUIDE_OFF_ROUTE);
}

Test(session, a_road_driven_back_is_the_later_pass)
{
    drawn_route drawn;
    draw(&drawn, out_and_back, 4, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    for (int t = 0; t <= 150; ++t) {
        const double way = 10 * t, east = way <= 500 ? way : 1000 - way;
        const macadam_guide_state state = move(guide, t, east, t % 2 ? 4 : -4);
        cr_expect_float_eq(state.travelled_m, way, 12, "%d s: %g m", t, state.travelled_m);
        cr_expect_neq(state.status, MACADAM_GUIDE_OFF_ROUTE, "%d s", t);
    }
}

Test(session, a_road_driven_twice_is_not_left_out)
{
    drawn_route drawn;
    draw(&drawn, twice, 9, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    for (int t = 0; t <= 160; ++t) {
        const int way = 10 * t, side = way / 200 % 4, on_side = way % 200;
        const double east = side == 0 ? on_side : side == 1 ? 200 : side == 2 ? 200 - on_side : 0;
        const double north = side == 0 ? 0 : side == 1 ? on_side : side == 2 ? 200 : 200 - on_side;
        const macadam_guide_state state = move(guide, t, east + 3, north - 3);
        cr_expect_float_eq(state.travelled_m, way, 16, "%d s: %g m", t, state.travelled_m);
        cr_expect_eq(state.status == MACADAM_GUIDE_ARRIVED, way >= 1580, "%d s", t);
    }
}

Test(session, a_tunnel_is_a_gap)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    for (int t = 0; t <= 10; ++t) move(guide, t, 10 * t, 0);
    const macadam_guide_state state = move(guide, 120, 1000, 200);
    cr_expect_eq(state.status, MACADAM_GUIDE_ON_ROUTE);
    cr_expect_float_eq(state.travelled_m, 1200, 6);
}

Test(session, a_traveller_who_stands_stays_where_he_is)
{
    drawn_route drawn;
    draw(&drawn, out_and_back, 4, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    test_rng rng = {7};
    for (int t = 0; t <= 47; ++t) move(guide, t, 10 * t, 0);
    for (int t = 48; t <= 1000; ++t) { /* 30 m before the turn, for a quarter of an hour */
        const double east = rng_below(&rng, 160) / 10.0 - 8, north = rng_below(&rng, 160) / 10.0 - 8;
        macadam_trace_point position = position_at(t, 470 + east, north);
        position.heading = rng_below(&rng, 360), position.heading_accuracy = 10;
        macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
        cr_assert_eq(macadam_guide_move(&state, guide, &position, NULL), MACADAM_OK);
        cr_expect_eq(state.status, MACADAM_GUIDE_ON_ROUTE);
        cr_expect_float_eq(state.travelled_m, 470, 30);
    }
}

Test(session, a_start_beside_the_road_is_unsure_until_he_is_on_it)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    drawn.waypoint[0].distance_m = 80; /* on a car park */
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    for (int t = 0; t <= 10; ++t) {
        const macadam_guide_state state = move(guide, t, 0, 80 - 3 * t);
        cr_expect_eq(state.status, MACADAM_GUIDE_UNSURE, "%d s", t);
        cr_expect_float_eq(state.travelled_m, 0, 0.1);
    }
    macadam_guide_state state;
    for (int t = 11; t <= 30; ++t) state = move(guide, t, 10 * (t - 10), 0);
    cr_expect_eq(state.status, MACADAM_GUIDE_ON_ROUTE);
    cr_expect_float_eq(state.travelled_m, 200, 2);
    SCOPED(macadam_guide_free_at) macadam_guide *const other = guide_along(&drawn);
    for (int t = 0; t < 3; ++t) state = move(other, t, 0, 300);
    cr_expect_eq(state.status, MACADAM_GUIDE_OFF_ROUTE);
}

Test(session, legs_end_at_their_waypoints)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 1);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    size_t count = 0;
    for (int t = 0; t <= 150; ++t) {
        const double way = 10 * t;
        const macadam_guide_state state = move(guide, t, fmin(way, 1000), fmax(way - 1000, 0));
        cr_expect_eq(state.leg, way >= 1000, "%d s", t);
        cr_expect_float_eq(state.leg_left_m, way < 1000 ? 1000 - way : 1500 - way, 6, "%d s", t);
        if (state.say != MACADAM_GUIDE_NOW) continue;
        cr_expect_eq(state.first_said, count, "%d s", t);
        count = state.end_said;
    }
    cr_expect_eq(count, 4); /* departs, arrives, departs, arrives */
}

/* A turn 10 m before the end. */
static const double late_turn[][2] = {{0, 0}, {300, 0}, {300, 10}};

Test(session, speed_is_not_measured_between_positions_of_one_moment)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    move(guide, 0, 600, 0);
    macadam_guide_state state = move(guide, 0.001, 608, 0);
    cr_expect_eq(state.say, MACADAM_GUIDE_SILENT);
    for (int t = 1; t <= 400; ++t) { /* on foot, with errors of up to 14 m */
        state = move(guide, t, 600 + 1.4 * t + (t % 3 - 1) * 10, t % 2 ? 10 : -10);
        if (state.say == MACADAM_GUIDE_NOW) break;
    }
    cr_expect_eq(state.first_said, 1);
    cr_expect_leq(state.step_m, 30, "%g m before", state.step_m);
}

Test(session, arrival_says_all_that_is_left)
{
    drawn_route drawn;
    draw(&drawn, late_turn, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
    size_t said = 0;
    for (int t = 0; state.status != MACADAM_GUIDE_ARRIVED && t < 300; ++t) {
        macadam_trace_point position = position_at(t, 1.4 * t, 0);
        position.accuracy_m = 10;
        state = (macadam_guide_state)MACADAM_GUIDE_STATE_INIT;
        cr_assert_eq(macadam_guide_move(&state, guide, &position, NULL), MACADAM_OK);
        if (state.say != MACADAM_GUIDE_NOW) continue;
        cr_expect_eq(state.first_said, said);
        said = state.end_said;
    }
    cr_expect_eq(said, 3);
    cr_expect_eq(state.status, MACADAM_GUIDE_ARRIVED);
}

Test(session, arrival_is_near_the_end_or_where_he_stays)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    SCOPED(macadam_guide_free_at) macadam_guide *const other = guide_along(&drawn);
    for (int t = 0; t <= 150; ++t) {
        macadam_trace_point position = position_at(t, fmin(10 * t, 1000), fmax(10 * t - 1000, 0));
        position.accuracy_m = 30;
        macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
        cr_assert_eq(macadam_guide_move(&state, guide, &position, NULL), MACADAM_OK);
        cr_expect_eq(state.status == MACADAM_GUIDE_ARRIVED, t >= 147, "%d s", t);
        position.lat = fmin(position.lat, 440 / degree_m); /* stands 60 m before the end */
        cr_assert_eq(macadam_guide_move(&state, other, &position, NULL), MACADAM_OK);
        cr_expect_neq(state.status, MACADAM_GUIDE_ARRIVED, "%d s", t);
    }
    macadam_trace_point position = position_at(160, 1000, 440);
    position.accuracy_m = 30;
    macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
    cr_assert_eq(macadam_guide_move(&state, other, &position, NULL), MACADAM_OK);
    cr_expect_eq(state.status, MACADAM_GUIDE_ARRIVED);
}

Test(session, a_maneuver_passed_unseen_is_not_said)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    SCOPED(macadam_guide_free_at) macadam_guide *const other = guide_along(&drawn);
    macadam_guide_state state = move(guide, 0, 1000, 15);
    cr_expect_eq(state.say, MACADAM_GUIDE_SILENT);
    move(other, 0, 850, 0);
    state = move(other, 12, 1000, 17); /* a gap */
    cr_expect_eq(state.say, MACADAM_GUIDE_SILENT);
    cr_expect_eq(state.step, 2);
}

Test(session, the_course_follows_a_traveller_off_the_route)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    macadam_guide_state state;
    for (int t = 0; t < 60; ++t) state = move(guide, t, 500, -1000 + 10 * t);
    cr_expect_eq(state.status, MACADAM_GUIDE_OFF_ROUTE);
    cr_expect_float_eq(state.again.heading, 0, 1e-9);
    cr_expect(state.again.heading_tolerance > 0);
    for (int t = 60; t < 120; ++t) state = move(guide, t, 500 - 10 * (t - 60), -400);
    cr_expect_float_eq(state.again.heading, 270, 1e-6);
    macadam_trace_point position = position_at(120, 0, -400);
    position.heading = -1e-20, position.heading_accuracy = 10, position.speed_ms = 9;
    cr_assert_eq(macadam_guide_move(&state, guide, &position, NULL), MACADAM_OK);
    cr_expect(state.again.heading >= 0 && state.again.heading < 360);
}

Test(session, a_walker_returns_and_one_who_stands_at_the_end_has_returned)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    SCOPED(macadam_guide_free_at) macadam_guide *const other = guide_along(&drawn);
    macadam_guide_state state;
    for (int t = 0; t < 10; ++t) move(guide, t, 10 * t, 0), move(other, t, 10 * t, 0);
    for (int t = 10; t < 20; ++t) state = move(guide, t, 100, 100), move(other, t, 100, 100);
    cr_expect_eq(state.status, MACADAM_GUIDE_OFF_ROUTE);
    int count = 0;
    for (; state.status != MACADAM_GUIDE_ON_ROUTE && count < 40; ++count)
        state = move(guide, 100 + count, 200 + 1.4 * count, 0);
    cr_expect_leq(count, 6, "%d positions", count);
    for (int t = 0; t < 3; ++t) state = move(other, 200 + t, 1000, 498);
    cr_expect_eq(state.status, MACADAM_GUIDE_ARRIVED);
}

/* A road of 240 m, driven seven times. */
Test(session, a_gap_on_a_way_driven_back_is_not_off_the_route)
{
    double at[8][2] = {{0}};
    drawn_route drawn;
    for (int i = 0; i < 8; ++i) at[i][0] = i % 2 ? 240 : 0;
    draw(&drawn, (const double(*)[2])at, 8, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    for (int t = 0; t < 168; t += t == 2 ? 41 : 1) {
        const double way = fmod(10 * t, 480);
        const macadam_guide_state state = move(guide, t, way < 240 ? way : 480 - way, 0);
        cr_expect_neq(state.status, MACADAM_GUIDE_OFF_ROUTE, "%d s", t);
    }
}

/* ---- hostile routes and positions ---- */

static void expect_refused(const drawn_route *drawn, const macadam_guide_options *options,
                           const char *message)
{
    macadam_guide *guide = (macadam_guide *)drawn;
    macadam_error error = {""};
    cr_expect_eq(macadam_guide_new(&guide, drawn ? &drawn->route : NULL, options, &error), MACADAM_E_INVALID);
    cr_expect_null(guide);
    cr_expect(strstr(error.message, message), "%s", error.message);
}

Test(session, routes_without_a_way_or_steps_are_refused)
{
    drawn_route drawn;
    macadam_guide_options options = MACADAM_GUIDE_OPTIONS_INIT;
    draw(&drawn, corner, 3, 0);
    expect_refused(NULL, NULL, "no route");
    drawn.route.step_count = 0;
    expect_refused(&drawn, NULL, "steps");
    drawn.route.found = false;
    expect_refused(&drawn, NULL, "not found");
    draw(&drawn, corner, 3, 0);
    options.accuracy_m = 301;
    expect_refused(&drawn, &options, "accuracy_m 301");
    options.accuracy_m = NAN;
    expect_refused(&drawn, &options, "accuracy_m");
    options.accuracy_m = 0, options.near_s = -1;
    expect_refused(&drawn, &options, "near_s -1");
    options.near_s = 0, options.duration = MACADAM_QUANTITIES_MAX + 1;
    expect_refused(&drawn, &options, "duration");
    options.size = 1;
    expect_refused(&drawn, &options, "size");
    cr_expect_eq(macadam_guide_new(NULL, &drawn.route, NULL, NULL), MACADAM_E_INVALID);
    macadam_guide_free(NULL);
}

Test(session, a_route_without_durations_has_no_seconds)
{
    drawn_route drawn;
    macadam_guide_options options = MACADAM_GUIDE_OPTIONS_INIT;
    draw(&drawn, corner, 3, 0);
    options.duration = MACADAM_QUANTITIES_MAX;
    SCOPED(macadam_guide_free_at) macadam_guide *guide = NULL;
    cr_assert_eq(macadam_guide_new(&guide, &drawn.route, &options, NULL), MACADAM_OK);
    const macadam_guide_state state = move(guide, 0, 100, 0);
    cr_expect(isnan(state.left_s) && isnan(state.leg_left_s) && isnan(state.step_s));
    cr_expect_float_eq(state.left_m, 1400, 8);
}

Test(session, routes_of_one_point_have_arrived)
{
    static const double same[][2] = {{0, 0}, {0, 0}, {0, 0}};
    drawn_route drawn;
    for (int arcs = 0; arcs <= 2; ++arcs) {
        draw(&drawn, same, 3, 0);
        drawn.route.arc_count = (size_t)arcs;
        drawn.route.shape_count = 2 * (size_t)arcs;
        drawn.route.leg = &(const macadam_leg){.end_arc = (size_t)arcs};
        for (size_t i = 0; i < drawn.route.step_count; ++i)
            if (drawn.step[i].first_arc > (size_t)arcs) drawn.step[i].first_arc = (size_t)arcs;
        SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
        const macadam_guide_state state = move(guide, 0, 2, 2);
        cr_expect_eq(state.status, MACADAM_GUIDE_ARRIVED, "%d arcs", arcs);
        cr_expect_eq(state.end_said, drawn.route.step_count);
        cr_expect_float_eq(state.distance_m, sqrt(8), 0.05);
        SCOPED(macadam_guide_free_at) macadam_guide *const other = guide_along(&drawn);
        macadam_guide_state far = move(other, 0, 200, 2);
        cr_expect_eq(far.status, MACADAM_GUIDE_UNSURE);
        move(other, 1, 200, 2);
        far = move(other, 1, 200, 2);
        cr_expect_eq(far.status, MACADAM_GUIDE_OFF_ROUTE);
    }
}

static void expect_bad(macadam_guide *guide, macadam_trace_point position, const char *message)
{
    macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
    macadam_error error = {""};
    state.left_m = 7;
    cr_expect_eq(macadam_guide_move(&state, guide, &position, &error), MACADAM_E_INVALID);
    cr_expect(strstr(error.message, message), "%s", error.message);
    cr_expect(state.size == sizeof state && state.left_m == 0);
}

Test(session, bad_positions_are_refused_and_change_nothing)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 0);
    SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
    const macadam_guide_state before = move(guide, 10, 100, 0);
    const macadam_trace_point good = position_at(11, 110, 0);
    macadam_trace_point bad = good;
    bad.lon = 180.5, expect_bad(guide, bad, "lon 180.5");
    bad.lon = NAN, expect_bad(guide, bad, "lon ");
    bad = good, bad.lat = -91, expect_bad(guide, bad, "lat -91");
    bad = good, bad.time_s = 9, expect_bad(guide, bad, "time_s 9");
    bad = good, bad.time_s = INFINITY, expect_bad(guide, bad, "time_s inf");
    bad = good, bad.accuracy_m = -1, expect_bad(guide, bad, "accuracy_m -1");
    bad = good, bad.accuracy_m = 301, expect_bad(guide, bad, "accuracy_m 301");
    bad = good, bad.heading_accuracy = 10, bad.heading = NAN, expect_bad(guide, bad, "heading ");
    bad = good, bad.heading_accuracy = 181, expect_bad(guide, bad, "heading_accuracy 181");
    bad = good, bad.speed_ms = -1, expect_bad(guide, bad, "speed_ms -1");
    bad = good, bad.reserved[1] = 1, expect_bad(guide, bad, "reserved");
    expect_bad(NULL, good, "no guide");
    macadam_error error;
    macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
    cr_expect_eq(macadam_guide_move(NULL, guide, &good, &error), MACADAM_E_INVALID);
    cr_expect_eq(macadam_guide_move(&state, guide, NULL, &error), MACADAM_E_INVALID);
    state.size = 3;
    cr_expect_eq(macadam_guide_move(&state, guide, &good, &error), MACADAM_E_INVALID);
    state = (macadam_guide_state)MACADAM_GUIDE_STATE_INIT;
    bad = good, bad.time_s = 10, bad.heading = NAN; /* without an accuracy it is not read */
    cr_expect_eq(macadam_guide_move(&state, guide, &bad, NULL), MACADAM_OK);
    state = move(guide, NAN, 100, 0); /* without a time */
    cr_expect_float_eq(state.travelled_m, before.travelled_m, 1e-9);
    bad = good, bad.time_s = 9.5, expect_bad(guide, bad, "time_s 9.5");
}

Test(session, fails_on_every_failed_allocation)
{
    drawn_route drawn;
    draw(&drawn, corner, 3, 1);
    for (size_t nth = 1;; ++nth) {
        macadam_guide *guide;
        macadam_error error;
        allocator_fail(nth);
        const macadam_status status = macadam_guide_new(&guide, &drawn.route, NULL, &error);
        cr_expect_eq(guide == NULL, status != MACADAM_OK);
        macadam_guide_free(guide);
        if (!leak_expect_failed(nth, status)) break;
    }
}

/* Any finite positions give states that are within the route. */
Test(session, any_positions_give_a_place_on_the_route)
{
    test_rng rng = {11};
    for (int run = 0; run < 300; ++run) {
        double at[POINTS_MAX][2];
        drawn_route drawn;
        const size_t count = 2 + rng_below(&rng, POINTS_MAX - 2);
        const uint32_t scale = rng_below(&rng, 4) ? 2000 : 2000000;
        for (size_t i = 0; i < count; ++i)
            for (int k = 0; k < 2; ++k)
                at[i][k] = i && rng_below(&rng, 4) == 0 ? at[i - 1][k] : (double)rng_below(&rng, scale);
        draw(&drawn, (const double(*)[2])at, count, rng_below(&rng, (uint32_t)count - 1));
        SCOPED(macadam_guide_free_at) macadam_guide *const guide = guide_along(&drawn);
        double time_s = -1e6, total = 0;
        size_t now = 0;
        for (int i = 0; i < 200; ++i) {
            const size_t near = rng_below(&rng, (uint32_t)count);
            const double spread = rng_below(&rng, 3) ? 30 : scale;
            time_s += rng_below(&rng, 3) ? 1 : rng_below(&rng, 100000);
            macadam_trace_point position = position_at(
                rng_below(&rng, 9) ? time_s : NAN, at[near][0] + spread * (rng_below(&rng, 100) / 50.0 - 1),
                at[near][1] + spread * (rng_below(&rng, 100) / 50.0 - 1));
            position.lat = fmax(fmin(position.lat, 90), -90);
            position.accuracy_m = rng_below(&rng, 301);
            position.heading = rng_below(&rng, 720) - 360.0;
            position.heading_accuracy = rng_below(&rng, 181);
            position.speed_ms = rng_below(&rng, 50);
            macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
            cr_assert_eq(macadam_guide_move(&state, guide, &position, NULL), MACADAM_OK);
            if (i == 0) total = state.travelled_m + state.left_m;
            cr_expect(state.travelled_m >= 0 && state.left_m >= 0 && state.distance_m >= 0);
            cr_expect_float_eq(state.travelled_m + state.left_m, total, 1e-6 * (1 + total));
            cr_expect(state.arc < drawn.route.arc_count && state.along >= 0 && state.along <= 1);
            cr_expect(state.step < drawn.route.step_count && state.end_said <= drawn.route.step_count);
            cr_expect(state.leg < drawn.route.leg_count && state.left_s >= 0 && state.step_m >= 0);
            cr_expect_eq(state.say == MACADAM_GUIDE_SILENT, state.first_said == state.end_said);
            if (state.say == MACADAM_GUIDE_NOW) now = state.end_said;
            cr_expect(now <= drawn.route.step_count);
        }
    }
}

Test(session, names)
{
    cr_expect_str_eq(macadam_guide_status_name(MACADAM_GUIDE_ON_ROUTE), "on_route");
    cr_expect_str_eq(macadam_guide_status_name(MACADAM_GUIDE_ARRIVED), "arrived");
    cr_expect_str_eq(macadam_guide_status_name((macadam_guide_status)99), "");
    cr_expect_str_eq(macadam_guide_say_name(MACADAM_GUIDE_SILENT), "silent");
    cr_expect_str_eq(macadam_guide_say_name(MACADAM_GUIDE_NOW), "now");
}
