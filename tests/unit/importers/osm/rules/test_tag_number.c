/* test_tag_number.c - numbers with units, in the spellings of OpenStreetMap's mappers. */
#include "importers/osm/rules/tag_number.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct spelling {
    const char *text;
    double measure;
} spelling;

#define EXPECT_ALL(read, table) expect_all(read, #read, table, sizeof(table) / sizeof *(table))

static void expect_all(double (*read)(const char *), const char *name, const spelling *table, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const double measure = read(table[i].text);
        cr_expect_float_eq(measure, table[i].measure, 1e-6, "%s(\"%s\") is %f instead of %f", name,
                           table[i].text, measure, table[i].measure);
    }
}

static double read_greatest_slope(const char *value)
{
    return mcd_tag_greatest(value, "incline");
}

Test(measure, lengths_are_metric_or_imperial)
{
    static const spelling table[] = {
        {"3.5", 3.5},
        {"3.5 m", 3.5},
        {" 3.5", 3.5},
        {"3,5", 3.5},
        {"2,75 m", 2.75},
        {"3.5m", 3.5},
        {"3.5 M", 3.5},
        {"3.5m.", 3.5},
        {"3.5 metres", 3.5},
        {"3.5 meter", 3.5},
        {"3.5\u00a0m", 3.5},
        {"3.5 м", 3.5},
        {"3m50", 3.5},
        {"380cm", 3.8},
        {"380 cm", 3.8},
        {"3800 mm", 3.8},
        {"3,800 mm", 3.8},
        {"380", 3.8},
        {"3800", 3.8},
        {"99", 99},
        {"10 ft", 3.048},
        {"10 ft.", 3.048},
        {"10feet", 3.048},
        {"1 foot", 0.3048},
        {"3.5 feet", 1.0668},
        {"4 yd", 3.6576},
        {"150 in", 3.81},
        {"150\"", 3.81},
        {"12'", 3.6576},
        {"12'6\"", 3.81},
        {"12' 6\"", 3.81},
        {"12'-6\"", 3.81},
        {"12'6", 3.81},
        {"12'6''", 3.81},
        {"12' 6''", 3.81},
        {"12′6″", 3.81},
        {"12’6”", 3.81},
        {"12'6½\"", 3.8227},
        {"12 ft 6 in", 3.81},
        {"12ft6in", 3.81},
        {"12 ft. 6 in.", 3.81},
        {"12 feet 6 inches", 3.81},
        {"12 feet, 6 inches", 3.81},
        {"12 feet and 6 inches", 3.81},
        {"3.5 mètres", 3.5},
        {"3.5 métres", 3.5},
        {"3.5 metrów", 3.5},
        {"12 ft 6 ins", 3.81},
        {"12-foot", 3.6576},
        {"12-foot-6", 3.81},
        {"3.5+", 3.5},
        {"3.5 m+", 3.5},
        {"3.5_m", 3.5},
        {"12_ft_6_in", 3.81},
        {"35 dm", 3.5},
        {"12' 6 1/2\"", 3.8227},
        {"12' 6 1/2", 3.8227},
        {"6 3/4 in", 0.17145},
        {"1/2 in", 0.0127},
        {"3 1/2 m", 3.5},
        {"1/2", 1},
        {"7/12 m", 7},
        {"4/3 m", 3},
    };
    EXPECT_ALL(mcd_tag_length, table);
}

Test(measure, words_around_a_number_are_passed_over)
{
    static const spelling table[] = {
        {"~3.5", 3.5},
        {"<3.5", 3.5},
        {">3.5 m", 3.5},
        {"ca. 3.5", 3.5},
        {"max. 3,5 m", 3.5},
        {"3.5 m (sign)", 3.5},
        {"3.5 (sign)", 3.5},
        {"3.5 m at the sides", 3.5},
        {"height 3.5 m", 3.5},
        {"3.5 in the middle", 3.5},
        {"12 ft 6 in high", 3.81},
        {"3.5 in centre", 0},
    };
    EXPECT_ALL(mcd_tag_length, table);
}

Test(measure, of_several_values_the_strictest_counts)
{
    static const spelling length[] = {
        {"3.5;4.2", 3.5},
        {"4.2;3.5", 3.5},
        {"4.2 m; 3.5 m", 3.5},
        {"3.5 / 4.2", 3.5},
        {"4.2|3.5", 3.5},
        {"3.5-4", 3.5},
        {"4 m - 3.5 m", 3.5},
        {"3.5, 4.2", 3.5},
        {"4,2;3,5", 3.5},
        {"none;3.5", 3.5},
        {"3.5;none", 3.5},
        {"3.5; ", 3.5},
        {"|3.5", 3.5},
        {"3 m 10 ft", 3},
        {"13'6\";12'", 3.6576},
        {"3.5 m/11'6\"", 3.5},
        {"4.5 m (3.5 m at side)", 3.5},
        {"4.1 m at centre, 3.6 m at the side", 3.6},
        {"4.1 m (signed), 3.6 m", 3.6},
        {"4 m or 3.8 m", 3.8},
        {"3.9 to 3.5", 3.5},
        {"3.9 oder 3.5", 3.5},
        {"4.5 m (low)", 4.5},
        {"4.5 m (3.5 x)", 0},
        {"4.5 m (sign);3.5", 3.5},
        {"4.5 m (sign);low", 0},
    };
    static const spelling slope[] = {{"6%;10%", 10},  {"6-10 %", 10},           {"10/6", 10},
                                     {"6/10 %", 10},  {"10°;15%", 17.63269807}, {"1 in 20; 15%", 15},
                                     {"1:20 15%", 15}};
    static const spelling duration[] = {{"20;30", 1800},       {"20-30 min", 1800},   {"1 h - 2 h", 7200},
                                        {"00:20-00:30", 1800}, {"00:30;00:20", 1800}, {"20 to 30 min", 1800},
                                        {"1 h;01:30", 5400}};
    EXPECT_ALL(mcd_tag_length, length);
    EXPECT_ALL(read_greatest_slope, slope);
    EXPECT_ALL(mcd_tag_duration, duration);
    cr_expect_float_eq(mcd_tag_mass("7.5 t;3.5 t"), 3.5, 1e-9);
    cr_expect_float_eq(mcd_tag_speed("50;30"), 30, 1e-9);
}

Test(measure, masses_have_units)
{
    static const spelling table[] = {
        {"7.5", 7.5},
        {"7,5", 7.5},
        {"7.5 t", 7.5},
        {"7,5 t", 7.5},
        {"18T", 18},
        {"18t.", 18},
        {"18 to", 18},
        {"18 ton", 18},
        {"18 tonnes", 18},
        {"7,5 Tonnen", 7.5},
        {"18 mt", 18},
        {"18 metric tons", 18},
        {"26 t total", 26},
        {"7500 kg", 7.5},
        {"7500kg", 7.5},
        {"7500 kgs", 7.5},
        {"7500", 7.5},
        {"7,500 kg", 7.5},
        {"7.500 kg", 7.5},
        {"7 500 kg", 7.5},
        {"7'500 kg", 7.5},
        {"7\u202f500 kg", 7.5},
        {"3,500", 3.5},
        {"3,500 t", 3.5},
        {"8 st", 7.25747792},
        {"8 short tons", 7.25747792},
        {"8 tons", 7.25747792},
        {"10 lt", 10.160469088},
        {"10 long tons", 10.160469088},
        {"10000 lbs", 4.5359237},
        {"10000 lb", 4.5359237},
        {"10000lbs", 4.5359237},
        {"10,000 lbs", 4.5359237},
        {"10 000 pounds", 4.5359237},
        {"100 cwt", 5.080234544},
        {"100 kN", 10.197162},
        {"SLW 60/30", 30},
        {"44 тонны", 44},
        {"44 tn", 44},
        {"44 Tm", 44},
        {"44 tonneaux", 44},
        {"44 tonn", 44},
        {"20k lbs", 9.0718474},
        {"16t/axle", 16},
        {"18 to 20 t", 18},
        {"12/16 t", 12},
    };
    EXPECT_ALL(mcd_tag_mass, table);
}

Test(measure, speeds_have_units)
{
    static const spelling table[] = {
        {"50", 50},          {"50 km/h", 50},     {"50km/h", 50}, {"50 KPH", 50},  {"20 mph", 32.18688},
        {"20mph", 32.18688}, {"10 knots", 18.52}, {"~50", 50},    {"50 км/ч", 50}, {"fast", 0},
        {"DE:zone:30", 0},   {"zone30", 0},       {"-50", 0},     {"50 ly", 0},    {"130 (110)", 130},
    };
    EXPECT_ALL(mcd_tag_speed, table);
}

Test(measure, durations_are_clocks_numbers_with_units_or_iso)
{
    static const spelling table[] = {
        {"01:30", 5400},
        {"00:01:30", 90},
        {"1:30 h", 5400},
        {"20", 1200},
        {"20 min", 1200},
        {"20min.", 1200},
        {"20 minutes", 1200},
        {"20'", 1200},
        {"90 s", 90},
        {"1h", 3600},
        {"1 hour", 3600},
        {"1.5 hours", 5400},
        {"1,5 h", 5400},
        {"1½ h", 5400},
        {"1h30", 5400},
        {"1h30m", 5400},
        {"1 h 30 min", 5400},
        {"1 hour and 30 minutes", 5400},
        {"1 hour, 30 minutes", 5400},
        {"2 days", 172800},
        {"1 day 2 h", 93600},
        {"PT1H30M", 5400},
        {"PT45S", 45},
        {"PT36H", 129600},
        {"P1DT2H", 93600},
        {"P2D", 172800},
        {"P1W", 604800},
        {"PT1.5H", 5400},
        {"1/2 h", 1800},
        {"1 1/2 h", 5400},
        {"10 минут", 600},
        {"10 minut", 600},
        {"10 minuter", 600},
        {"3 horas", 10800},
        {"3 timmar", 10800},
        {"2 dias", 172800},
    };
    EXPECT_ALL(mcd_tag_duration, table);
}

Test(measure, slopes_are_percent_degrees_or_ratios)
{
    static const spelling table[] = {
        {"10", 10},
        {"10%", 10},
        {"10 %", 10},
        {"-10%", 10},
        {"+7%", 7},
        {"8,5%", 8.5},
        {"8 ‰", 0.8},
        {"1:10", 10},
        {"1 in 5", 20},
        {"1 in 5 (20%)", 20},
        {"1 in 20", 5},
        {"up 1:5", 20},
        {"+1:5", 20},
        {"1:5 up", 20},
        {"-1:5", 20},
        {"1 : 5", 20},
        {"1/5", 20},
        {"1:0", -1},
        {"up (15%)", 15},
        {"18 %%", 18},
        {"15 pct", 15},
        {"−15%", 15},
        {"10 grad", 17.63269807},
        {"10 Grad", 17.63269807},
        {"45°", 100},
        {"10°", 17.63269807},
        {"-10 °", 17.63269807},
        {"45 deg", 100},
        {"500°", 5728.996163},
        {"up", -1},
        {"down", -1},
        {"steep", -1},
        {"10 furlongs", -1},
    };
    EXPECT_ALL(read_greatest_slope, table);
}

static double read_greatest_length(const char *value)
{
    return mcd_tag_greatest(value, "kerb:height");
}

Test(measure, the_greatest_is_a_slope_or_a_length_or_a_number)
{
    static const spelling slope[] = {{"1 in 5", 20}, {"0", 0},      {"0%", 0},    {"very_steep", -1},
                                     {"up", -1},     {"10 in", -1}, {"5 x 9", -1}};
    static const spelling length[] = {{"2 cm;15 cm", 0.15},
                                      {"3 cm - 10 cm", 0.1},
                                      {"2-15 cm", 2},
                                      {"3+", 3},
                                      {"1-2", 2},
                                      {"1/2", 2},
                                      {"0", 0},
                                      {"S2", 2},
                                      {"-8%", 8},
                                      {"high", -1}};
    EXPECT_ALL(read_greatest_slope, slope);
    EXPECT_ALL(read_greatest_length, length);
}

Test(measure, heights_may_be_feet_and_inches_without_units)
{
    static const spelling table[] = {{"12-6", 3.81},      {"12 - 6", 3.81}, {"12-12", 12}, {"4-3.5", 3.5},
                                     {"12-6 ft", 1.8288}, {"4.2", 4.2},     {"12-6 x", 0}};
    EXPECT_ALL(mcd_tag_height, table);
}

Test(measure, other_words_are_zero)
{
    static const spelling length[] = {{"", 0},
                                      {"below_default", 0},
                                      {"3.5x", 0},
                                      {"12-x", 0},
                                      {"26 m (4 axles)", 0},
                                      {"none", 0},
                                      {"12'x", 0},
                                      {"-3", 0},
                                      {".", 0},
                                      {"0", 0},
                                      {"3.5 furlongs", 0},
                                      {"3.5 @ 2", 0},
                                      {"3.5;4 x", 0},
                                      {"3.5.4", 0},
                                      {"foo;4.5", 0},
                                      {"4.5;foo", 0},
                                      {"4.5|?|5", 0},
                                      {";", 0},
                                      {"none;", 0},
                                      {"?", 0}};
    static const spelling mass[] = {{"hgv", 0}, {"7.5 m", 0}, {"-7.5", 0}, {"7.5 t;x 8 y", 0}};
    static const spelling duration[] = {{"PT", 0},      {"P", 0},      {"1:", 0},
                                        {"1:2:3:4", 0}, {"1:30 m", 0}, {"12345:00", 0},
                                        {"1:-30", 0},   {"P1Y", 0},    {"long", 0}};
    EXPECT_ALL(mcd_tag_length, length);
    EXPECT_ALL(mcd_tag_mass, mass);
    EXPECT_ALL(mcd_tag_duration, duration);
}

Test(measure, text_longer_than_any_value_is_zero)
{
    char value[80];
    for (int length = 1; length < 70; ++length) { /* the sign at the end takes more or fewer bytes */
        snprintf(value, sizeof value, "%0*d3/4 h", length, 0);
        cr_expect_geq(mcd_tag_duration(value), 0);
    }
    cr_expect_eq(mcd_tag_length("3.5 m, measured on a Sunday, with a rod, at the lowest point of the arch"),
                 0);
}

Test(measure, some_words_say_that_there_is_no_limit)
{
    static const char *const unlimited[] = {"",         "none",    "None",           "no",        "default",
                                            "unsigned", "no_sign", "no_indications", "unlimited", "up"};
    static const char *const limited[] = {"3.5", "unknown", "?", "yes", "noon", "hgv", "below_default"};
    for (size_t i = 0; i < sizeof unlimited / sizeof *unlimited; ++i)
        cr_expect(mcd_tag_is_unlimited(unlimited[i]), "%s", unlimited[i]);
    for (size_t i = 0; i < sizeof limited / sizeof *limited; ++i)
        cr_expect_not(mcd_tag_is_unlimited(limited[i]), "%s", limited[i]);
}
