/* test_text.c - steps as sentences: every kind of step in every language. */
#include "engine/include/macadam.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(text);

enum { TEXT_BYTES = 512 };

static const macadam_road_facts nothing = {"", "", "", "", "", "", 0, 0, 0, ""};
static const macadam_road_facts street = {"Via Dante", "", "", "", "", "", 0, 0, 0, ""};
static const macadam_road_facts ramp = {"", "motorway_link", "A 4", "Milano", "12b", "", 0, 0, 0, ""};

static macadam_step step_of(macadam_maneuver_type type, macadam_modifier modifier,
                            const macadam_road_facts *facts)
{
    return (macadam_step){.type = type, .modifier = modifier, .facts = facts, .rotary_name = ""};
}

static void expect_text(const char *language, macadam_step step, const char *expected)
{
    char text[TEXT_BYTES];
    cr_assert_eq(macadam_step_text(text, sizeof text, &step, language, NULL), MACADAM_OK);
    cr_expect_str_eq(text, expected);
}

Test(text, sentences_of_some_steps)
{
    macadam_step round = step_of(MACADAM_MANEUVER_ROUNDABOUT, MACADAM_MODIFIER_SLIGHT_RIGHT, &street);
    round.exit = 2;
    macadam_step boat = step_of(MACADAM_MANEUVER_NOTIFICATION, MACADAM_MODIFIER_STRAIGHT, &nothing);
    boat.mode = MACADAM_MODE_FERRY;
    macadam_step depart = step_of(MACADAM_MANEUVER_DEPART, MACADAM_MODIFIER_NONE, &street);
    depart.bearing_after = 338;
    expect_text("en", depart, "Head north on Via Dante");
    depart.bearing_after = 44;
    expect_text(NULL, depart, "Head north-east on Via Dante");
    expect_text("en", step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_LEFT, &street),
                "Turn left onto Via Dante");
    expect_text("en", step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_LEFT, &nothing), "Turn left");
    expect_text("de", step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_SHARP_RIGHT, &street),
                "Biegen Sie scharf rechts auf Via Dante ab");
    expect_text("en", step_of(MACADAM_MANEUVER_OFF_RAMP, MACADAM_MODIFIER_SLIGHT_RIGHT, &ramp),
                "Take exit 12b towards Milano");
    expect_text("fr", step_of(MACADAM_MANEUVER_ON_RAMP, MACADAM_MODIFIER_SLIGHT_RIGHT, &nothing),
                "Prenez la bretelle");
    expect_text("en", round, "Enter the roundabout and take the second exit onto Via Dante");
    round.exit = 12;
    expect_text("de", round, "Nehmen Sie im Kreisverkehr die 12. Ausfahrt auf Via Dante");
    round.exit = 0;
    expect_text("en", round, "Enter the roundabout");
    round.type = MACADAM_MANEUVER_ROTARY, round.rotary_name = "Via Dante";
    expect_text("it", round, "Entra nella rotatoria di Via Dante");
    round.type = MACADAM_MANEUVER_EXIT_ROTARY, round.exit = 1;
    expect_text("en", round, "At the roundabout, take the first exit onto Via Dante");
    round.exit = 0;
    expect_text("en", round, "Leave the roundabout onto Via Dante");
    expect_text("it", boat, "Prendi il traghetto");
    expect_text("ja", step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_RIGHT, &nothing), "右に曲がります");
    expect_text("zh", step_of(MACADAM_MANEUVER_ARRIVE, MACADAM_MODIFIER_LEFT, &nothing),
                "您已到达目的地，目的地在左侧");
}

Test(text, a_road_has_its_first_number_unless_its_name_says_it)
{
    macadam_road_facts road = {"Patton Road", "", "B 4321; E 64", "", "", "", 0, 0, 0, ""};
    const macadam_step turn = step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_LEFT, &road);
    expect_text("en", turn, "Turn left onto Patton Road (B 4321)");
    expect_text("it", turn, "Gira a sinistra in Patton Road (B 4321)");
    road.name = "Via Emilia;Viale Nord";
    expect_text("it", turn, "Gira a sinistra in Via Emilia (B 4321)");
    road.name = "Autostrada A1";
    road.ref = "A 1";
    expect_text("en", turn, "Turn left onto Autostrada A1");
    road.name = "";
    expect_text("it", turn, "Gira a sinistra sulla A 1");
}

Test(text, a_sign_is_said_up_to_its_second_place)
{
    macadam_road_facts road = {"", "", "", "A 4, E 64: Milano, Torino, Genova", "", "", 0, 0, 0, ""};
    const macadam_step turn = step_of(MACADAM_MANEUVER_FORK, MACADAM_MODIFIER_SLIGHT_LEFT, &road);
    expect_text("en", turn, "Keep left at the fork towards A 4: Milano, Torino");
    road.destination = "A 4";
    expect_text("en", turn, "Keep left at the fork towards A 4");
}

Test(text, the_number_of_the_road_is_not_said_again_for_the_sign)
{
    macadam_road_facts road = {"", "", "A 5; E 35", "A 5, E 35: Basel, Karlsruhe", "", "", 0, 0, 0, ""};
    macadam_step step = step_of(MACADAM_MANEUVER_FORK, MACADAM_MODIFIER_SLIGHT_RIGHT, &road);
    expect_text("en", step, "Keep right at the fork onto A 5 towards Basel, Karlsruhe");
    road.destination = "A 5";
    expect_text("en", step, "Keep right at the fork onto A 5");
    road.destination = "A 51: Basel";
    expect_text("en", step, "Keep right at the fork onto A 5 towards A 51: Basel");
    step.type = MACADAM_MANEUVER_OFF_RAMP, road.destination = "A 5: Basel";
    expect_text("en", step, "Take the exit towards A 5: Basel");
}

Test(text, german_quotes_a_name_that_reads_like_a_part_of_the_sentence)
{
    macadam_road_facts road = {"Am Karlstor", "", "B 37", "", "", "", 0, 0, 0, ""};
    const macadam_step turn = step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_LEFT, &road);
    expect_text("de", turn, "Biegen Sie links auf „Am Karlstor“ (B 37) ab");
    expect_text("en", turn, "Turn left onto Am Karlstor (B 37)");
    road.ref = "";
    expect_text("de", turn, "Biegen Sie links auf „Am Karlstor“ ab");
    road.name = "Neuer Weg";
    expect_text("de", turn, "Biegen Sie links auf „Neuer Weg“ ab");
    road.name = "Neuenheimer Weg";
    expect_text("de", turn, "Biegen Sie links auf Neuenheimer Weg ab");
    road.name = "Am";
    expect_text("de", turn, "Biegen Sie links auf Am ab");
    road.name = "", road.ref = "B 37";
    expect_text("de", turn, "Biegen Sie links auf die B 37 ab");
}

Test(text, straight_on_and_sides)
{
    expect_text("en", step_of(MACADAM_MANEUVER_NEW_NAME, MACADAM_MODIFIER_STRAIGHT, &street),
                "Continue straight on Via Dante");
    expect_text("en", step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_STRAIGHT, &street),
                "Go straight onto Via Dante");
    expect_text("en", step_of(MACADAM_MANEUVER_MERGE, MACADAM_MODIFIER_SLIGHT_LEFT, &street),
                "Merge left onto Via Dante");
    expect_text("en", step_of(MACADAM_MANEUVER_OFF_RAMP, MACADAM_MODIFIER_LEFT, &ramp),
                "Take exit 12b on the left towards Milano");
    expect_text("en", step_of(MACADAM_MANEUVER_ARRIVE, MACADAM_MODIFIER_STRAIGHT, &nothing),
                "You have arrived; your destination is straight ahead");
}

Test(text, walkers_go)
{
    macadam_step walk = step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_STRAIGHT, &street);
    expect_text("de", walk, "Fahren Sie geradeaus auf Via Dante weiter");
    walk.walks = true;
    expect_text("de", walk, "Gehen Sie geradeaus auf Via Dante weiter");
}

/* A route of two legs: 400 m to the east and a left turn onto Via Dante; from its first waypoint it arrives. */
static void expect_route_text(macadam_text_options options, size_t step, const char *expected)
{
    static const double lon[] = {0, 0.0036, 0.0036}, lat[] = {0, 0, 0.02};
    static const macadam_lane lane[] = {{.valid = true}, {.valid = true}, {.valid = false}};
    static const macadam_intersection at[] = {
        {.end_lane = 0}, {.end_lane = 3}, {.first_lane = 3, .end_lane = 3}};
    static const macadam_leg leg[] = {{.end_step = 3}, {.first_step = 3, .end_step = 4}};
    macadam_step all[4];
    all[0] = step_of(MACADAM_MANEUVER_DEPART, MACADAM_MODIFIER_NONE, &street);
    all[0].end_shape = 2;
    all[1] = step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_LEFT, &street);
    all[1].first_shape = 1, all[1].end_shape = 3, all[1].first_intersection = 1;
    all[2] = step_of(MACADAM_MANEUVER_ARRIVE, MACADAM_MODIFIER_LEFT, &street);
    all[2].first_intersection = 2;
    all[3] = all[2];
    const macadam_route route = {.leg_count = 2,
                                 .leg = leg,
                                 .step_count = 4,
                                 .step = all,
                                 .lon = lon,
                                 .lat = lat,
                                 .intersection = at,
                                 .lane = lane};
    char text[TEXT_BYTES];
    cr_assert_eq(macadam_route_text(text, sizeof text, &route, step, &options, NULL), MACADAM_OK);
    cr_expect_str_eq(text, expected);
}

Test(text, distances_and_lanes_are_said_where_they_are_requested)
{
    macadam_text_options options = MACADAM_TEXT_OPTIONS_INIT;
    expect_route_text(options, 1, "Turn left onto Via Dante");
    expect_route_text(options, 2,
                      "You have arrived at your first destination; your destination is on the left");
    expect_route_text(options, 3, "You have arrived; your destination is on the left");
    options.lanes = true;
    expect_route_text(options, 1, "Use the two left lanes to turn left onto Via Dante");
    options.units = MACADAM_UNITS_METRIC;
    expect_route_text(options, 0, "Head north on Via Dante");
    expect_route_text(options, 1, "In 400 m, use the two left lanes to turn left onto Via Dante");
    expect_route_text(options, 2, "In 2.2 km, you will arrive at your first destination, on the left");
    options.language = "de";
    expect_route_text(options, 1,
                      "In 400 m nutzen Sie die zwei linken Spuren und biegen Sie links auf Via Dante ab");
    expect_route_text(options, 2, "In 2,2 km erreichen Sie Ihr erstes Ziel; es liegt links");
    options.units = MACADAM_UNITS_IMPERIAL;
    options.language = "en";
    options.lanes = false;
    expect_route_text(options, 1, "In 0.2 mi, turn left onto Via Dante");
    options.units = MACADAM_UNITS_METRIC;
    options.distance_m = 148;
    expect_route_text(options, 1, "In 150 m, turn left onto Via Dante");
    options.units = MACADAM_UNITS_NONE;
    expect_route_text(options, 1, "Turn left onto Via Dante");
}

Test(text, a_driver_stays_only_on_a_road_whose_name_was_said)
{
    const macadam_road_facts bridge = {"Ponte", "", "", "", "", "", 0, 0, 0, ""};
    macadam_step step[2] = {step_of(MACADAM_MANEUVER_DEPART, MACADAM_MODIFIER_NONE, &street),
                            step_of(MACADAM_MANEUVER_CONTINUE, MACADAM_MODIFIER_LEFT, &street)};
    static const macadam_leg leg[] = {{.end_step = 2}};
    const macadam_route route = {.leg_count = 1, .leg = leg, .step_count = 2, .step = step};
    char text[TEXT_BYTES];
    cr_assert_eq(macadam_route_text(text, sizeof text, &route, 1, NULL, NULL), MACADAM_OK);
    cr_expect_str_eq(text, "Turn left to stay on Via Dante");
    step[0].facts = &bridge;
    cr_assert_eq(macadam_route_text(text, sizeof text, &route, 1, NULL, NULL), MACADAM_OK);
    cr_expect_str_eq(text, "Turn left onto Via Dante");
}

/* With a distance and lanes, at every kind of step that follows another one. */
Test(text, every_step_of_a_route_in_every_language)
{
    static const double lon[] = {0, 0.0036}, lat[] = {0, 0};
    static const macadam_lane lane[] = {{.valid = true}, {.valid = false}};
    static const macadam_intersection at[] = {{.end_lane = 2}};
    static const macadam_leg leg[] = {{.end_step = 2}, {.first_step = 2, .end_step = 2}};
    macadam_step step[2] = {step_of(MACADAM_MANEUVER_DEPART, MACADAM_MODIFIER_NONE, &street)};
    step[0].end_shape = 2;
    const macadam_route route = {.leg_count = 2,
                                 .leg = leg,
                                 .step_count = 2,
                                 .step = step,
                                 .lon = lon,
                                 .lat = lat,
                                 .intersection = at,
                                 .lane = lane};
    macadam_text_options options = MACADAM_TEXT_OPTIONS_INIT;
    options.lanes = true;
    for (size_t l = 0; (options.language = macadam_language_name(l)); ++l)
        for (int type = MACADAM_MANEUVER_ARRIVE; type <= MACADAM_MANEUVER_NOTIFICATION; ++type)
            for (int modifier = MACADAM_MODIFIER_UTURN; modifier <= MACADAM_MODIFIER_SHARP_LEFT; ++modifier)
                for (int units = MACADAM_UNITS_METRIC; units <= MACADAM_UNITS_IMPERIAL; ++units) {
                    char text[TEXT_BYTES], alone[TEXT_BYTES];
                    step[1] = step_of((macadam_maneuver_type)type, (macadam_modifier)modifier, &street);
                    options.units = (macadam_units)units;
                    cr_assert_eq(macadam_route_text(text, sizeof text, &route, 1, &options, NULL),
                                 MACADAM_OK);
                    cr_assert_eq(macadam_step_text(alone, sizeof alone, &step[1], options.language, NULL),
                                 MACADAM_OK);
                    cr_expect_not(strpbrk(text, "{}[]|=\n") || strstr(text, "  ") || strstr(text, " ,"),
                                  "%s: %s", options.language, text);
                    cr_expect(strstr(text, units == MACADAM_UNITS_METRIC ? "400" : "1300") ||
                                  strstr(text, "0.2") || strstr(text, "0,2"),
                              "%s: %s", options.language, text);
                    cr_expect(type == MACADAM_MANEUVER_ARRIVE || strlen(text) > strlen(alone) + 20, "%s: %s",
                              options.language, text);
                }
}

/* The capital of their i has a dot. */
Test(text, arrivals_in_turkish_begin_with_no_other_i)
{
    enum { STOPS = 12 };
    macadam_leg leg[STOPS];
    macadam_step step[STOPS];
    for (size_t i = 0; i < STOPS; ++i) {
        leg[i] = (macadam_leg){.first_step = i, .end_step = i + 1};
        step[i] = step_of(MACADAM_MANEUVER_ARRIVE, MACADAM_MODIFIER_LEFT, &street);
    }
    const macadam_route route = {.leg_count = STOPS, .leg = leg, .step_count = STOPS, .step = step};
    macadam_text_options options = MACADAM_TEXT_OPTIONS_INIT;
    options.language = "tr";
    for (size_t i = 0; i < STOPS; ++i) {
        char text[TEXT_BYTES];
        cr_assert_eq(macadam_route_text(text, sizeof text, &route, i, &options, NULL), MACADAM_OK);
        cr_expect_neq(text[0], 'I', "%s", text);
    }
}

Test(text, a_wrong_option_or_step_is_refused)
{
    const macadam_route route = {0};
    macadam_text_options options = MACADAM_TEXT_OPTIONS_INIT;
    macadam_error error;
    char text[TEXT_BYTES];
    cr_expect_eq(macadam_route_text(text, sizeof text, &route, 0, &options, &error), MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "the route has no step 0");
    options.units = (macadam_units)3;
    cr_expect_eq(macadam_route_text(text, sizeof text, &route, 0, &options, &error), MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "3 is not a macadam_units");
    options.units = MACADAM_UNITS_METRIC, options.distance_m = -1;
    cr_expect_eq(macadam_route_text(text, sizeof text, &route, 0, &options, &error), MACADAM_E_INVALID);
    cr_expect_str_eq(error.message, "distance_m -1 is not from 0 to 100000000");
}

static void expect_clean(const char *language, const macadam_step *step)
{
    char text[TEXT_BYTES];
    cr_assert_eq(macadam_step_text(text, sizeof text, step, language, NULL), MACADAM_OK);
    const size_t length = strlen(text);
    cr_expect_gt(length, 0, "%s, %s %s", language, macadam_maneuver_type_name(step->type),
                 macadam_modifier_name(step->modifier));
    cr_expect_not(strpbrk(text, "{}[]|=\n") || strstr(text, "  ") || strstr(text, " ,"), "%s: %s", language,
                  text);
    cr_expect(length == 0 || (text[0] != ' ' && text[length - 1] != ' '), "%s: \"%s\"", language, text);
    const bool enters = step->type == MACADAM_MANEUVER_ROUNDABOUT || step->type == MACADAM_MANEUVER_ROTARY;
    if (*step->facts->name && step->type != MACADAM_MANEUVER_ARRIVE && (step->exit || !enters))
        cr_expect(strstr(text, step->facts->name), "%s: %s", language, text);
}

Test(text, every_step_in_every_language)
{
    const macadam_road_facts *const facts[] = {&nothing, &street, &ramp};
    const char *language;
    for (size_t l = 0; (language = macadam_language_name(l)); ++l)
        for (int type = 0; type <= MACADAM_MANEUVER_NOTIFICATION; ++type)
            for (int modifier = 0; modifier <= MACADAM_MODIFIER_SHARP_LEFT; ++modifier)
                for (int f = 0; f < 3; ++f)
                    for (int k = 0; k < 4; ++k) {
                        macadam_step step =
                            step_of((macadam_maneuver_type)type, (macadam_modifier)modifier, facts[f]);
                        step.exit = (uint32_t)(5 * k);
                        step.mode = (macadam_mode)k;
                        step.rotary_name = k % 2 ? "Place" : "";
                        const bool says_direction =
                            modifier != MACADAM_MODIFIER_NONE || type <= MACADAM_MANEUVER_ARRIVE;
                        if (says_direction) expect_clean(language, &step);
                    }
}

Test(text, what_does_not_fit_is_cut_after_a_character)
{
    const macadam_step step = step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_RIGHT, &street);
    char text[8];
    cr_assert_eq(macadam_step_text(text, sizeof text, &step, "ja", NULL), MACADAM_OK);
    cr_expect_str_eq(text, "右に");
    cr_assert_eq(macadam_step_text(text, sizeof text, &step, "en", NULL), MACADAM_OK);
    cr_expect_str_eq(text, "Turn ri");
    cr_assert_eq(macadam_step_text(text, 1, &step, "en", NULL), MACADAM_OK);
    cr_expect_str_eq(text, "");
}

Test(text, unknown_language_is_named)
{
    const macadam_step step = step_of(MACADAM_MANEUVER_TURN, MACADAM_MODIFIER_RIGHT, &street);
    char text[TEXT_BYTES];
    macadam_error error;
    cr_expect_eq(macadam_step_text(text, sizeof text, &step, "xx", &error), MACADAM_E_INVALID);
    cr_expect(strstr(error.message, "\"xx\""), "%s", error.message);
    cr_expect_eq(macadam_step_text(text, 0, &step, "en", &error), MACADAM_E_INVALID);
    cr_expect_null(macadam_language_name(99));
}
