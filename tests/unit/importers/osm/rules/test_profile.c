/* test_profile.c - how travellers read tags: the car unless another traveller is named. */
#include "importers/osm/rules/profile_file.h"

#include <criterion/criterion.h>

static mcd_profile profile;

static void set_up(void)
{
    macadam_error error;
    cr_assert_eq(mcd_profile_read(&profile, "car", &error), MACADAM_OK, "%s", error.message);
}

static void tear_down(void)
{
    mcd_profile_free(&profile);
}

TestSuite(profile, .init = set_up, .fini = tear_down);

enum { TAGS_MAX = 8 };

/* Tags from "key=value" texts, ended by NULL; valid until the next call. */
static mcd_tags tags_of(const char *const *text)
{
    static char copy[TAGS_MAX][64];
    static mcd_tag tag[TAGS_MAX];
    size_t count = 0;
    for (; text[count]; ++count) {
        strcpy(copy[count], text[count]);
        char *const equals = strchr(copy[count], '=');
        *equals = '\0';
        tag[count] = (mcd_tag){copy[count], equals + 1};
    }
    return (mcd_tags){tag, count};
}

#define TAGS(...) tags_of((const char *const[]){__VA_ARGS__, NULL})

static mcd_way_use use_of(mcd_tags tags)
{
    mcd_passage passage;
    return mcd_profile_way(&profile, &tags, &passage);
}

static mcd_passage passage_of(mcd_tags tags)
{
    mcd_passage passage;
    cr_assert_eq(mcd_profile_way(&profile, &tags, &passage), MCD_WAY_OPEN);
    return passage;
}

static void expect_speeds(mcd_tags tags, double forward_kmh, double backward_kmh)
{
    const mcd_passage passage = passage_of(tags);
    cr_expect_float_eq(passage.speed_kmh[MCD_FORWARD], forward_kmh, 1e-6, "%f",
                       passage.speed_kmh[MCD_FORWARD]);
    cr_expect_float_eq(passage.speed_kmh[MCD_BACKWARD], backward_kmh, 1e-6, "%f",
                       passage.speed_kmh[MCD_BACKWARD]);
}

static mcd_stop stop_at(mcd_tags tags)
{
    return mcd_profile_stop(&profile, &tags);
}

static mcd_access access_at(mcd_tags tags)
{
    return stop_at(tags).access;
}

static bool blocks(mcd_tags tags)
{
    return access_at(tags) == MCD_ACCESS_CLOSED;
}

static void become(const char *name)
{
    macadam_error error;
    mcd_profile_free(&profile);
    cr_assert_eq(mcd_profile_read(&profile, name, &error), MACADAM_OK, "%s", error.message);
}

/* ---- roads ---- */

Test(profile, classes_have_their_speeds)
{
    expect_speeds(TAGS("highway=residential"), 30, 30);
    expect_speeds(TAGS("highway=trunk"), 90, 90);
}

Test(profile, footways_rails_and_bare_ways_are_not_driven_on)
{
    cr_expect_eq(use_of(TAGS("highway=footway")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("railway=rail")), MCD_WAY_NO_ROAD);
    cr_expect_eq(use_of((mcd_tags){NULL, 0}), MCD_WAY_NO_ROAD);
}

Test(profile, areas_are_left_out)
{
    cr_expect_eq(use_of(TAGS("highway=service", "area=yes")), MCD_WAY_AREA);
    cr_expect_eq(use_of(TAGS("highway=service", "area=no")), MCD_WAY_OPEN);
}

/* ---- one-way --------------------------------------------------------------------------------------- */

Test(profile, oneway_values_close_a_direction)
{
    expect_speeds(TAGS("highway=residential", "oneway=yes"), 30, 0);
    expect_speeds(TAGS("highway=residential", "oneway=true"), 30, 0);
    expect_speeds(TAGS("highway=residential", "oneway=1"), 30, 0);
    expect_speeds(TAGS("highway=residential", "oneway=-1"), 0, 30);
    expect_speeds(TAGS("highway=residential", "oneway=reverse"), 0, 30);
    expect_speeds(TAGS("highway=residential", "oneway=no"), 30, 30);
}

Test(profile, reversible_ways_are_closed)
{
    cr_expect_eq(use_of(TAGS("highway=primary", "oneway=reversible")), MCD_WAY_CLOSED);
    expect_speeds(TAGS("highway=primary", "oneway=reversible", "oneway:motorcar=yes"), 70, 0);
}

Test(profile, alternating_ways_are_open_but_slower)
{
    expect_speeds(TAGS("highway=primary", "oneway=alternating"), 35, 35);
}

Test(profile, roundabouts_and_motorways_are_oneway)
{
    expect_speeds(TAGS("highway=primary", "junction=roundabout"), 40, 0);
    expect_speeds(TAGS("highway=primary", "junction=circular"), 40, 0);
    expect_speeds(TAGS("highway=motorway"), 110, 0);
    expect_speeds(TAGS("highway=motorway_link"), 60, 60);
    expect_speeds(TAGS("highway=motorway_link", "oneway=no"), 60, 60);
    expect_speeds(TAGS("highway=trunk_link"), 50, 50);
}

Test(profile, oneway_tag_overrides_what_is_implied)
{
    expect_speeds(TAGS("highway=primary", "junction=roundabout", "oneway=no"), 40, 40);
    expect_speeds(TAGS("highway=motorway", "oneway=-1"), 0, 110);
}

Test(profile, oneway_of_the_mode_comes_first)
{
    expect_speeds(TAGS("highway=residential", "oneway=yes", "oneway:motor_vehicle=no"), 30, 30);
    expect_speeds(TAGS("highway=residential", "oneway=yes", "oneway:bicycle=no"), 30, 0);
    become("bike");
    expect_speeds(TAGS("highway=residential", "oneway=yes", "oneway:bicycle=no"), 17, 17);
    expect_speeds(TAGS("highway=residential", "oneway=yes", "oneway:bicycle=-1"), 4, 17);
    expect_speeds(TAGS("highway=primary", "junction=roundabout"), 16, 0);
}

Test(profile, contraflow_lanes_open_the_other_direction_to_bicycles)
{
    static const char *const lane[] = {"cycleway=opposite", "cycleway=opposite_lane",
                                       "cycleway:left=opposite_track", "cycleway:left:oneway=-1",
                                       "cycleway:right:oneway=no"};
    for (size_t i = 0; i < sizeof lane / sizeof lane[0]; ++i) {
        become("bike");
        expect_speeds(TAGS("highway=residential", "oneway=yes", lane[i]), 17, 17);
        become("car");
        expect_speeds(TAGS("highway=residential", "oneway=yes", lane[i]), 30, 0);
    }
    become("bike");
    expect_speeds(TAGS("highway=residential", "oneway=yes", "cycleway=lane"), 17, 4);
    expect_speeds(TAGS("highway=residential", "oneway=-1", "cycleway=opposite"), 17, 17);
}

Test(profile, pedestrians_walk_both_ways)
{
    become("foot");
    expect_speeds(TAGS("highway=residential", "oneway=yes"), 5, 5);
    expect_speeds(TAGS("highway=residential", "junction=roundabout"), 5, 5);
    expect_speeds(TAGS("highway=footway", "oneway:foot=yes"), 5, 0);
}

/* ---- access ---- */

Test(profile, closed_access_values_close_the_way)
{
    static const char *const value[] = {"no", "agricultural", "forestry", "emergency"};
    for (size_t i = 0; i < sizeof value / sizeof value[0]; ++i) {
        char tag[64] = "access=";
        strcat(tag, value[i]);
        cr_expect_eq(use_of(TAGS("highway=service", tag)), MCD_WAY_CLOSED, "%s", value[i]);
    }
}

Test(profile, open_access_values_leave_it_open)
{
    static const char *const value[] = {"yes", "permissive", "designated", "what is this"};
    for (size_t i = 0; i < sizeof value / sizeof value[0]; ++i) {
        char tag[64] = "access=";
        strcat(tag, value[i]);
        cr_expect_not(passage_of(TAGS("highway=service", tag)).destination_only[MCD_FORWARD], "%s", value[i]);
    }
}

Test(profile, private_and_destination_roads_are_destination_only)
{
    static const char *const value[] = {"private", "destination", "customers", "delivery"};
    for (size_t i = 0; i < sizeof value / sizeof value[0]; ++i) {
        char tag[64] = "access=";
        strcat(tag, value[i]);
        const mcd_passage passage = passage_of(TAGS("highway=service", tag));
        cr_expect(passage.destination_only[MCD_FORWARD] && passage.destination_only[MCD_BACKWARD], "%s",
                  value[i]);
    }
    const mcd_passage forward = passage_of(TAGS("highway=residential", "vehicle:forward=destination"));
    cr_expect(forward.destination_only[MCD_FORWARD]);
    cr_expect_not(forward.destination_only[MCD_BACKWARD]);
    cr_expect_not(
        passage_of(TAGS("highway=service", "access=private", "motorcar=yes")).destination_only[MCD_FORWARD]);
}

Test(profile, most_specific_access_tag_decides)
{
    cr_expect_eq(use_of(TAGS("highway=service", "access=no", "motorcar=yes")), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=service", "access=no", "vehicle=yes")), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=service", "access=yes", "vehicle=yes", "motor_vehicle=no")),
                 MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=service", "motor_vehicle=yes", "motorcar=no")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=service", "access=no", "bicycle=yes", "bus=yes")), MCD_WAY_CLOSED);
}

Test(profile, unknown_access_value_leaves_the_decision_to_the_next_tag)
{
    cr_expect_eq(use_of(TAGS("highway=service", "access=no", "motorcar=perhaps")), MCD_WAY_CLOSED);
}

Test(profile, access_can_close_one_direction)
{
    expect_speeds(TAGS("highway=residential", "motor_vehicle:backward=no"), 30, 0);
    expect_speeds(TAGS("highway=residential", "access=no", "vehicle:forward=yes"), 30, 0);
}

Test(profile, most_open_lane_decides_where_nothing_else_does)
{
    become("truck");
    cr_expect_eq(use_of(TAGS("highway=primary", "hgv:lanes=no|no")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=primary", "hgv:lanes=no|designated")), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=primary", "hgv:lanes=no|")), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=primary", "hgv:lanes=no|what is this")), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=primary", "hgv=yes", "hgv:lanes=no|no")), MCD_WAY_OPEN);
    expect_speeds(TAGS("highway=primary", "hgv:lanes:backward=no|no"), 60, 0);
}

/* ---- maxspeed ---- */

Test(profile, maxspeed_replaces_the_class_speed)
{
    expect_speeds(TAGS("highway=residential", "maxspeed=50"), 50, 50);
    expect_speeds(TAGS("highway=primary", "maxspeed=7.5"), 7.5, 7.5);
}

Test(profile, maxspeed_has_units)
{
    expect_speeds(TAGS("highway=residential", "maxspeed=50 km/h"), 50, 50);
    expect_speeds(TAGS("highway=residential", "maxspeed=30 mph"), 48.28032, 48.28032);
    expect_speeds(TAGS("highway=residential", "maxspeed=30mph"), 48.28032, 48.28032);
    expect_speeds(TAGS("highway=residential", "maxspeed=10 knots"), 18.52, 18.52);
}

Test(profile, maxspeed_words_are_known)
{
    expect_speeds(TAGS("highway=motorway", "maxspeed=none"), 120, 0);
    expect_speeds(TAGS("highway=service", "maxspeed=walk"), 7, 7);
    expect_speeds(TAGS("highway=residential", "maxspeed=DE:urban"), 50, 50);
    expect_speeds(TAGS("highway=tertiary", "maxspeed=DE:rural"), 100, 100);
    expect_speeds(TAGS("highway=tertiary", "maxspeed=IT:rural"), 90, 90);
    expect_speeds(TAGS("highway=tertiary", "maxspeed=DE:zone:30"), 30, 30);
}

Test(profile, maxspeed_per_direction_comes_first)
{
    expect_speeds(TAGS("highway=residential", "maxspeed=50", "maxspeed:backward=20"), 50, 20);
    expect_speeds(TAGS("highway=residential", "maxspeed:forward=40"), 40, 30);
}

Test(profile, maxspeed_of_the_mode_comes_first)
{
    become("truck");
    expect_speeds(TAGS("highway=primary", "maxspeed=70", "maxspeed:hgv=40"), 40, 40);
    expect_speeds(TAGS("highway=primary", "maxspeed:forward=70", "maxspeed:hgv:forward=30"), 30, 60);
    become("car");
    expect_speeds(TAGS("highway=primary", "maxspeed=70", "maxspeed:hgv=40"), 70, 70);
}

Test(profile, maxspeed_of_lanes_is_the_fastest_ones)
{
    expect_speeds(TAGS("highway=primary", "maxspeed:lanes=100|80|60"), 100, 100);
    expect_speeds(TAGS("highway=primary", "maxspeed:lanes:backward=50|40"), 70, 50);
    expect_speeds(TAGS("highway=primary", "maxspeed=30", "maxspeed:lanes=100|80"), 30, 30);
    cr_expect(passage_of(TAGS("highway=primary", "maxspeed:lanes=100|fast")).odd_speed);
}

Test(profile, kind_of_road_stands_for_a_missing_maxspeed)
{
    expect_speeds(TAGS("highway=primary", "maxspeed:type=DE:urban"), 50, 50);
    expect_speeds(TAGS("highway=primary", "source:maxspeed=AT:rural"), 100, 100);
    expect_speeds(TAGS("highway=residential", "zone:maxspeed=DE:20"), 20, 20);
    expect_speeds(TAGS("highway=primary", "maxspeed=60", "source:maxspeed=AT:rural"), 60, 60);
    cr_expect_not(passage_of(TAGS("highway=primary", "source:maxspeed=sign")).odd_speed);
}

Test(profile, speed_beyond_the_cars_is_cut)
{
    expect_speeds(TAGS("highway=motorway", "maxspeed=999"), 140, 0);
}

Test(profile, maxspeed_that_means_nothing_is_passed_over_and_told)
{
    static const char *const value[] = {"", "-50", "0", "50;fast", "1e9", "nan", "50 furlongs", "::"};
    for (size_t i = 0; i < sizeof value / sizeof value[0]; ++i) {
        char tag[64] = "maxspeed=";
        strcat(tag, value[i]);
        const mcd_passage passage = passage_of(TAGS("highway=residential", tag));
        cr_expect_eq(passage.speed_kmh[MCD_FORWARD], 30, "%s", value[i]);
        cr_expect(passage.odd_speed, "%s", value[i]);
    }
    cr_expect_not(passage_of(TAGS("highway=residential", "maxspeed=50")).odd_speed);
}

/* ---- ferries ---- */

Test(profile, ferries_have_a_speed_or_a_duration)
{
    expect_speeds(TAGS("route=ferry"), 15, 15);
    cr_expect_eq(passage_of(TAGS("route=ferry")).duration_s, 0);
    cr_expect_eq(passage_of(TAGS("route=ferry", "duration=01:30")).duration_s, 5400);
    cr_expect_eq(passage_of(TAGS("route=ferry", "duration=00:01:30")).duration_s, 90);
    cr_expect_eq(passage_of(TAGS("route=ferry", "duration=20")).duration_s, 1200);
    cr_expect_eq(passage_of(TAGS("route=ferry", "duration=PT1H30M")).duration_s, 5400);
    cr_expect_eq(passage_of(TAGS("route=ferry", "duration=20 minutes")).duration_s, 0);
    cr_expect_eq(passage_of(TAGS("route=ferry", "duration=1:")).duration_s, 0);
    cr_expect_eq(passage_of(TAGS("route=ferry", "duration=1:2:3:4")).duration_s, 0);
}

Test(profile, ferries_may_be_closed_to_cars)
{
    cr_expect_eq(use_of(TAGS("route=ferry", "motor_vehicle=no")), MCD_WAY_CLOSED);
}

Test(profile, duration_of_a_road_is_not_its_travel_time)
{
    cr_expect_eq(passage_of(TAGS("highway=residential", "duration=10:00")).duration_s, 0);
}

/* ---- barriers ---- */

Test(profile, bollards_block_and_gates_do_not)
{
    cr_expect(blocks(TAGS("barrier=bollard")));
    cr_expect(blocks(TAGS("barrier=block")));
    cr_expect(blocks(TAGS("barrier=never heard of")));
    cr_expect_not(blocks(TAGS("barrier=gate")));
    cr_expect_not(blocks(TAGS("barrier=toll_booth")));
    cr_expect_not(blocks(TAGS("highway=crossing")));
}

Test(profile, access_tags_of_a_barrier_decide)
{
    cr_expect(blocks(TAGS("barrier=gate", "access=no")));
    cr_expect_eq(access_at(TAGS("barrier=gate", "access=private")), MCD_ACCESS_DESTINATION_ONLY);
    cr_expect_not(blocks(TAGS("barrier=bollard", "motor_vehicle=yes")));
    cr_expect(blocks(TAGS("barrier=lift_gate", "access=yes", "motorcar=no")));
}

/* ---- restrictions ---- */

static const char *restriction_of(mcd_tags tags, bool *excepted)
{
    return mcd_profile_restriction(&profile, &tags, NULL, excepted);
}

Test(profile, restriction_for_the_car_comes_first)
{
    bool excepted;
    cr_expect_str_eq(restriction_of(TAGS("restriction=no_left_turn"), &excepted), "no_left_turn");
    cr_expect_str_eq(
        restriction_of(TAGS("restriction=no_left_turn", "restriction:motorcar=no_u_turn"), &excepted),
        "no_u_turn");
    cr_expect_null(restriction_of(TAGS("restriction:hgv=no_u_turn"), &excepted));
    cr_expect_not(excepted);
}

Test(profile, exceptions_for_cars_lift_a_restriction)
{
    bool excepted;
    cr_expect_null(restriction_of(TAGS("restriction=no_u_turn", "except=bus;motorcar"), &excepted));
    cr_expect(excepted);
    cr_expect_null(restriction_of(TAGS("restriction=no_u_turn", "except=vehicle"), &excepted));
    cr_expect_not_null(restriction_of(TAGS("restriction=no_u_turn", "except=psv;bicycle"), &excepted));
    cr_expect_not(excepted);
}

/* ---- what one waits for ---- */

Test(profile, nodes_have_their_waits)
{
    cr_expect_eq(stop_at(TAGS("highway=traffic_signals")).wait_s, 5);
    cr_expect_eq(stop_at(TAGS("barrier=toll_booth")).wait_s, 15);
    cr_expect_eq(stop_at(TAGS("barrier=gate", "highway=stop")).wait_s, 22);
    cr_expect_eq(stop_at(TAGS("highway=crossing")).wait_s, 0);
}

Test(profile, signals_may_face_one_direction)
{
    const mcd_stop both = stop_at(TAGS("highway=traffic_signals"));
    cr_expect(both.waits[MCD_FORWARD] && both.waits[MCD_BACKWARD]);
    const mcd_stop back = stop_at(TAGS("highway=traffic_signals", "traffic_signals:direction=backward"));
    cr_expect(!back.waits[MCD_FORWARD] && back.waits[MCD_BACKWARD]);
    const mcd_stop ahead = stop_at(TAGS("highway=stop", "direction=forward"));
    cr_expect(ahead.waits[MCD_FORWARD] && !ahead.waits[MCD_BACKWARD]);
}

Test(profile, surface_and_tracktype_slow_down)
{
    expect_speeds(TAGS("highway=primary", "surface=gravel"), 40, 40);
    expect_speeds(TAGS("highway=residential", "surface=gravel"), 30, 30);
    expect_speeds(TAGS("highway=primary", "maxspeed=100", "surface=gravel", "tracktype=grade4"), 20, 20);
}

/* ---- other travellers ---- */

Test(profile, bicycles_have_their_own_roads_and_rules)
{
    become("bike");
    expect_speeds(TAGS("highway=cycleway"), 18, 18);
    expect_speeds(TAGS("highway=residential", "maxspeed=50"), 17, 17);
    expect_speeds(TAGS("highway=residential", "maxspeed=walk"), 5, 5);
    cr_expect_eq(use_of(TAGS("highway=motorway")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=trunk", "motorroad=yes")), MCD_WAY_CLOSED);
    expect_speeds(TAGS("highway=primary", "bicycle=use_sidepath"), 4, 4);
    cr_expect_eq(use_of(TAGS("highway=primary", "bicycle=use_sidepath", "foot=use_sidepath")),
                 MCD_WAY_CLOSED);
    cr_expect_not(blocks(TAGS("barrier=bollard")));
    cr_expect(blocks(TAGS("barrier=stile")));
}

Test(profile, some_roads_need_a_permit)
{
    become("bike");
    expect_speeds(TAGS("highway=footway"), 4, 4);
    cr_expect_eq(use_of(TAGS("highway=footway", "foot=no")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=busway")), MCD_WAY_CLOSED);
    expect_speeds(TAGS("highway=busway", "foot=yes"), 4, 4);
    expect_speeds(TAGS("highway=footway", "bicycle=yes"), 8, 8);
    expect_speeds(TAGS("highway=pedestrian", "bicycle=dismount"), 4, 4);
}

Test(profile, access_hierarchy_is_each_travellers_own)
{
    const char *const no_motors[] = {"highway=track", "motor_vehicle=no", NULL};
    const char *const no_vehicles[] = {"highway=track", "vehicle=no", NULL};
    become("bike");
    cr_expect_eq(use_of(tags_of(no_motors)), MCD_WAY_OPEN);
    expect_speeds(tags_of(no_vehicles), 4, 4);
    become("foot");
    cr_expect_eq(use_of(tags_of(no_vehicles)), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=track", "access=no")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=track", "access=no", "foot=yes")), MCD_WAY_OPEN);
}

Test(profile, pedestrians_walk_along_areas_and_platforms)
{
    become("foot");
    cr_expect_eq(use_of(TAGS("highway=pedestrian", "area=yes")), MCD_WAY_OPEN);
    expect_speeds(TAGS("railway=platform"), 4.5, 4.5);
    expect_speeds(TAGS("highway=steps"), 2.5, 2.5);
    expect_speeds(TAGS("highway=residential", "maxspeed=3"), 5, 5);
}

Test(profile, restrictions_are_not_for_pedestrians_unless_they_say_so)
{
    bool excepted;
    become("foot");
    cr_expect_null(restriction_of(TAGS("restriction=no_left_turn"), &excepted));
    cr_expect_str_eq(restriction_of(TAGS("restriction:foot=no_left_turn"), &excepted), "no_left_turn");
    become("truck");
    cr_expect_str_eq(restriction_of(TAGS("restriction:hgv=no_left_turn"), &excepted), "no_left_turn");
    cr_expect_null(restriction_of(TAGS("restriction=no_left_turn", "except=hgv"), &excepted));
}

Test(profile, trucks_keep_off_what_is_too_small)
{
    become("truck");
    cr_expect_eq(use_of(TAGS("highway=primary", "maxheight=3.8")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=primary", "maxheight=12'6\"")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=primary", "maxheight=4.5")), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=primary", "maxheight=default")), MCD_WAY_OPEN);
    cr_expect_eq(use_of(TAGS("highway=primary", "maxweight=7500 kg")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=primary", "maxlength=12 m")), MCD_WAY_CLOSED);
    cr_expect_eq(use_of(TAGS("highway=primary", "hgv=no")), MCD_WAY_CLOSED);
    cr_expect(passage_of(TAGS("highway=primary", "hgv=delivery")).destination_only[MCD_FORWARD]);
    cr_expect(blocks(TAGS("barrier=height_restrictor", "maxheight=2.1")));
    cr_expect_not(blocks(TAGS("barrier=height_restrictor", "maxheight=4.1")));
}

Test(profile, built_in_tables_are_about_what_they_seem_to_be)
{
    static const char *const name[] = {"car", "bike", "foot", "truck"};
    static const double residential_kmh[] = {30, 17, 5, 20};
    for (size_t i = 0; i < sizeof name / sizeof name[0]; ++i) {
        become(name[i]);
        expect_speeds(TAGS("highway=residential"), residential_kmh[i], residential_kmh[i]);
        cr_expect_eq(use_of(TAGS("highway=residential", "access=no")), MCD_WAY_CLOSED, "%s", name[i]);
        cr_expect(passage_of(TAGS("highway=service", "access=private")).destination_only[MCD_FORWARD], "%s",
                  name[i]);
        cr_expect(passage_of(TAGS("route=ferry", "duration=20")).duration_s == 1200, "%s", name[i]);
        cr_expect_not(blocks(TAGS("barrier=gate")), "%s", name[i]);
    }
}
