/* test_rules_travellers.c - what sets each traveller apart from the one whose profile it is like: who passes a road, and
 * how fast. A detour b-e-f-c goes around the road bxc. Other rules: tests/conformance/maps/rules. */
#include "tests/support/drawn_map.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(rules_travellers);

enum { TEXT_BYTES = 512, TRAVELLERS_MAX = 6 };

/* The road bxc, the same from c to b, or the node x, with these tags, and who passes there. */
typedef struct crossing {
    const char *what, *tags;
    const char *passes[TRAVELLERS_MAX], *avoids[TRAVELLERS_MAX];
} crossing;

static void expect_crossing(const crossing *c)
{
    for (int pass = 0; pass < 2; ++pass) {
        const char *const *who = pass ? c->passes : c->avoids;
        for (; *who; ++who) {
            char text[TEXT_BYTES];
            snprintf(text, sizeof text,
                     "a---b-x-c---d\n"
                     "    |   |    \n"
                     "    |   |    \n"
                     "    |   |    \n"
                     "    e---f    \n"
                     "%s: %s\n"
                     "a>d: %s\n",
                     c->what, c->tags, pass ? "abxcd" : "abefcd");
            drawn_expect(*who, text);
        }
    }
}

static void expect_crossings(const crossing *list, size_t count)
{
    for (size_t i = 0; i < count; ++i) expect_crossing(&list[i]);
}

#define EXPECT_CROSSINGS(list) expect_crossings(list, sizeof list / sizeof *list)

/* ---- on two wheels with a motor ---- */

Test(rules_travellers, motorcycles_and_mopeds)
{
    static const crossing list[] = {
        {"bxc", "highway=residential, motorcycle=no", {"car", "moped"}, {"motorcycle"}},
        {"bxc", "highway=residential, moped=no", {"car", "motorcycle"}, {"moped"}},
        {"bxc", "highway=residential, motor_vehicle=no", {"bike"}, {"motorcycle", "moped", "car"}},
        {"bxc", "highway=residential, motor_vehicle=no, motorcycle=yes", {"motorcycle"}, {"moped", "car"}},
        {"bxc", "highway=residential, motorcar=no", {"motorcycle", "moped"}, {"car"}},
        {"bxc", "highway=motorway, oneway=no", {"motorcycle", "car"}, {"moped"}},
        {"bxc", "highway=motorway_link, oneway=no", {"motorcycle", "car"}, {"moped"}},
        {"bxc", "highway=trunk, motorroad=yes", {"motorcycle", "car"}, {"moped", "bike"}},
        {"bxc", "highway=trunk, motorroad=yes, moped=yes", {"moped"}, {"bike"}},
        {"bxc", "highway=trunk", {"moped", "motorcycle"}, {NULL}},
        {"bxc", "highway=cycleway", {"bike"}, {"moped", "motorcycle"}},
        {"bxc", "highway=cycleway, moped=yes", {"moped", "bike"}, {"motorcycle"}},
        {"bxc", "highway=cycleway, vehicle=yes", {"bike", "moped"}, {NULL}},
        {"bxc", "highway=path, moped=designated", {"moped"}, {"motorcycle", "car"}},
        {"x", "barrier=motorcycle_barrier", {"bike"}, {"motorcycle", "moped"}},
        {"x", "barrier=cycle_barrier", {"bike"}, {"motorcycle", "moped"}},
        {"x", "barrier=bollard", {"bike"}, {"motorcycle", "moped", "car"}},
        {"x", "barrier=bollard, motorcycle=yes", {"motorcycle"}, {"moped", "car"}},
        {"bxc", "maxwidth=1.5, highway=residential", {"motorcycle", "moped", "car"}, {"van", "bus"}},
    };
    EXPECT_CROSSINGS(list);
}

/* ---- with goods or people ---- */

Test(rules_travellers, vans)
{
    static const crossing list[] = {
        {"bxc", "highway=residential, goods=no", {"car", "truck"}, {"van"}},
        {"bxc", "highway=residential, motor_vehicle=no, goods=yes", {"van"}, {"car"}},
        {"bxc", "highway=residential, motorcar=no", {"van"}, {"car"}},
        {"bxc", "highway=residential, hgv=no", {"van", "car"}, {"truck"}},
        {"bxc", "highway=residential, maxheight=2.5", {"car"}, {"van", "truck", "bus"}},
        {"bxc", "highway=residential, maxheight=3", {"car", "van"}, {"truck", "bus"}},
        {"bxc", "highway=residential, maxheight:physical=2.7", {"car"}, {"van"}},
        {"bxc", "highway=residential, maxwidth=2.2", {"car"}, {"van", "truck"}},
        {"bxc", "highway=residential, maxwidth=2.4", {"car", "van"}, {"truck"}},
        {"bxc", "highway=residential, maxlength=6", {"car"}, {"van"}},
        {"bxc", "highway=residential, maxlength=8", {"van"}, {"truck", "bus"}},
        {"bxc", "highway=residential, maxweight=3", {"car"}, {"van"}},
        {"bxc", "highway=residential, maxweight=3.5", {"car", "van"}, {"truck", "bus"}},
        {"bxc", "highway=residential, maxweightrating=2.8 t", {"car"}, {"van"}},
        {"bxc", "highway=pedestrian, goods=yes", {"van"}, {"car", "taxi"}},
    };
    EXPECT_CROSSINGS(list);
}

Test(rules_travellers, taxis_and_buses)
{
    static const crossing list[] = {
        {"bxc", "highway=residential, access=no, psv=yes", {"taxi", "bus"}, {"car", "truck"}},
        {"bxc", "highway=residential, access=no, taxi=yes", {"taxi"}, {"bus", "car"}},
        {"bxc", "highway=residential, access=no, bus=yes", {"bus"}, {"taxi", "car"}},
        {"bxc", "highway=residential, motor_vehicle=psv", {"taxi", "bus"}, {"car", "van"}},
        {"bxc", "highway=residential, motor_vehicle=taxi", {"taxi"}, {"bus", "car"}},
        {"bxc", "highway=residential, motor_vehicle=bus", {"bus"}, {"taxi", "car"}},
        {"bxc", "highway=residential, taxi=no", {"bus", "car"}, {"taxi"}},
        {"bxc", "highway=residential, psv=no", {"car"}, {"taxi", "bus"}},
        {"bxc", "highway=residential, motorcar=no", {"bus"}, {"taxi", "car"}},
        {"bxc", "highway=residential, motorcar=no, psv=yes", {"bus", "taxi"}, {"car"}},
        {"bxc", "highway=busway", {"bus"}, {"taxi", "car"}},
        {"bxc", "highway=busway, psv=yes", {"bus", "taxi"}, {"car"}},
        {"bxc", "highway=busway, bus=no, taxi=yes", {"taxi"}, {"bus", "car"}},
        {"bxc", "highway=pedestrian, bus=yes", {"bus"}, {"taxi", "car"}},
        {"bxc", "highway=service, service=bus, access=private, bus=yes", {"bus"}, {"car", "taxi"}},
        {"x", "barrier=bus_trap", {"bus", "bike"}, {"taxi", "car"}},
        {"x", "barrier=bollard, bus=yes", {"bus"}, {"taxi", "car"}},
        {"x", "barrier=gate, access=no, psv=yes", {"bus", "taxi"}, {"car"}},
        {"bxc", "highway=residential, maxheight=3.4", {"taxi", "car"}, {"bus", "truck"}},
        {"bxc", "highway=residential, maxheight=3.6", {"bus"}, {"truck"}},
        {"bxc", "highway=residential, maxweight=15", {"taxi"}, {"bus", "truck"}},
        {"bxc", "highway=residential, maxaxleload=11", {"taxi"}, {"bus"}},
        {"cxb", "highway=residential, oneway=yes, oneway:bus=no", {"bus"}, {"taxi", "car"}},
        {"cxb", "highway=residential, oneway=yes, oneway:psv=no", {"bus", "taxi"}, {"car"}},
        {"cxb", "highway=residential, oneway=yes, busway=opposite_lane", {"bus"}, {"taxi", "car"}},
    };
    EXPECT_CROSSINGS(list);
}

Test(rules_travellers, emergency)
{
    static const crossing list[] = {
        {"bxc", "highway=residential, access=private", {"emergency"}, {"car", "taxi"}},
        {"bxc", "highway=residential, access=destination", {"emergency"}, {"car"}},
        {"bxc", "highway=residential, motor_vehicle=agricultural", {"emergency"}, {"car"}},
        {"bxc", "highway=residential, access=no, emergency=yes", {"emergency"}, {"car", "taxi"}},
        {"bxc", "highway=residential, emergency=no", {"car"}, {"emergency"}},
        {"bxc", "highway=residential, motor_vehicle=no", {"bike"}, {"emergency", "car"}},
        {"bxc", "highway=service, service=emergency_access", {"emergency"}, {"car"}},
        {"bxc", "highway=busway", {"emergency", "bus"}, {"car"}},
        {"bxc", "highway=pedestrian", {"emergency"}, {"car"}},
        {"bxc", "highway=footway", {"foot"}, {"emergency", "car"}},
        {"bxc", "highway=track", {"emergency"}, {"car"}},
        {"x", "barrier=gate, locked=yes", {"emergency"}, {"car"}},
        {"x", "barrier=bollard", {"bike"}, {"emergency", "car"}},
        {"x", "barrier=bollard, bollard=removable", {"emergency"}, {"car"}},
        {"cxb", "highway=residential, oneway=yes", {"foot"}, {"emergency", "car"}},
    };
    EXPECT_CROSSINGS(list);
}

/* ---- bicycles ---- */

static void expect_times(const char *traveller, const char *tags, const char *seconds)
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "a---b\nab: %s\na>b: %s s\n", tags, seconds);
    drawn_expect(traveller, text);
}

Test(rules_travellers, electric_bicycles)
{
    static const crossing list[] = {
        {"bxc", "highway=residential, bicycle=no, foot=no", {"car"}, {"ebike", "bike"}},
        {"bxc", "highway=cycleway", {"ebike"}, {"moped"}},
        {"bxc", "highway=trunk, motorroad=yes", {"car"}, {"ebike"}},
        {"bxc", "highway=path", {"ebike"}, {"moped"}},
        {"cxb", "highway=residential, oneway=yes, oneway:bicycle=no", {"ebike"}, {"moped"}},
        {"cxb", "highway=residential, oneway=yes, cycleway=opposite", {"ebike"}, {"moped"}},
        {"x", "barrier=bollard", {"ebike"}, {"moped"}},
        {"x", "barrier=stile", {"foot"}, {"ebike"}},
    };
    EXPECT_CROSSINGS(list);
    expect_times("ebike", "highway=cycleway", "163.636");
    expect_times("ebike", "highway=tertiary", "163.636");
    expect_times("ebike", "highway=residential", "180");
    expect_times("ebike", "highway=living_street", "300");
    expect_times("ebike", "highway=track", "225");
    expect_times("ebike", "highway=cycleway, surface=gravel", "300");
    expect_times("ebike", "highway=cycleway, maxspeed=15", "240");
}

Test(rules_travellers, racing_bicycles)
{
    expect_times("racingbike", "highway=secondary", "133.333");
    expect_times("racingbike", "highway=cycleway", "144");
    expect_times("racingbike", "highway=secondary, surface=asphalt", "133.333");
    expect_times("racingbike", "highway=secondary, surface=sett", "360");
    expect_times("racingbike", "highway=secondary, surface=cobblestone", "514.286");
    expect_times("racingbike", "highway=track", "300");
    expect_times("racingbike", "highway=track, surface=gravel", "600");
    expect_times("racingbike", "highway=track, tracktype=grade3", "600");
    expect_times("racingbike", "highway=secondary, smoothness=bad", "360");
    expect_times("racingbike", "highway=secondary, smoothness=intermediate", "180");
    expect_times("racingbike", "highway=residential, maxspeed=20", "180");
    expect_times("racingbike", "highway=path", "360");
    expect_times("racingbike", "highway=secondary, surface=compacted", "257.143");
    static const crossing list[] = {
        {"bxc", "highway=cycleway", {"racingbike"}, {"car"}},
        {"bxc", "highway=trunk, motorroad=yes", {"car"}, {"racingbike"}},
    };
    EXPECT_CROSSINGS(list);
}

Test(rules_travellers, mountain_bicycles)
{
    expect_times("mtb", "highway=track", "225");
    expect_times("mtb", "highway=track, tracktype=grade4", "276.923");
    expect_times("mtb", "highway=track, tracktype=grade5", "360");
    expect_times("mtb", "highway=path, surface=ground", "257.143");
    expect_times("mtb", "highway=path, smoothness=very_bad", "276.923");
    expect_times("mtb", "highway=path, smoothness=horrible", "360");
    expect_times("mtb", "highway=path, mtb:scale=1", "300");
    expect_times("mtb", "highway=path, mtb:scale=2", "450");
    expect_times("mtb", "highway=path, mtb:scale=3", "720");
    static const crossing list[] = {
        {"bxc", "highway=path, mtb:scale=4", {"bike"}, {"mtb"}},
        {"bxc", "highway=path, mtb:scale=6", {"foot"}, {"mtb"}},
        {"bxc", "highway=path, smoothness=impassable", {"foot"}, {"mtb"}},
        {"bxc", "highway=bridleway", {"foot"}, {"car"}},
        {"bxc", "highway=bridleway, bicycle=yes", {"mtb"}, {"car"}},
        {"x", "barrier=cycle_barrier", {"mtb"}, {"car"}},
        {"x", "barrier=stile", {"foot"}, {"mtb"}},
    };
    EXPECT_CROSSINGS(list);
}

/* ---- wheelchairs ---- */

Test(rules_travellers, wheelchairs)
{
    static const crossing list[] = {
        {"bxc", "highway=steps", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=steps, foot=yes", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=steps, ramp:wheelchair=yes, wheelchair=yes", {"wheelchair", "foot"}, {NULL}},
        {"bxc", "highway=footway, wheelchair=no", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=footway, foot=no", {NULL}, {"wheelchair", "foot"}},
        {"bxc", "highway=footway, surface=sand", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=footway, smoothness=very_bad", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=footway, width=0.8", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=footway, width=1.2", {"foot", "wheelchair"}, {NULL}},
        {"bxc", "highway=footway, incline=15%", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=footway, incline=-15 %", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=footway, incline=steep", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=track, tracktype=grade4", {"foot"}, {"wheelchair"}},
        {"bxc", "highway=bridleway", {"foot"}, {"wheelchair"}},
        {"x", "barrier=kerb, kerb=raised", {"foot"}, {"wheelchair"}},
        {"x", "barrier=kerb, kerb=lowered", {"foot", "wheelchair"}, {NULL}},
        {"x", "barrier=kerb, kerb=raised, wheelchair=yes", {"wheelchair"}, {NULL}},
        {"x", "barrier=kissing_gate", {"foot"}, {"wheelchair"}},
        {"x", "barrier=stile", {"foot"}, {"wheelchair"}},
        {"x", "barrier=cycle_barrier", {"foot"}, {"wheelchair"}},
        {"x", "barrier=bollard", {"foot", "wheelchair"}, {NULL}},
        {"cxb", "highway=residential, oneway=yes", {"foot", "wheelchair"}, {NULL}},
    };
    EXPECT_CROSSINGS(list);
    expect_times("wheelchair", "highway=footway", "900");
    expect_times("wheelchair", "highway=footway, wheelchair=limited", "1800");
    expect_times("wheelchair", "highway=footway, incline=2%", "900");
    expect_times("wheelchair", "highway=footway, incline=-5%", "1200");
    expect_times("wheelchair", "highway=footway, incline=8%", "1800");
    expect_times("wheelchair", "highway=footway, surface=cobblestone", "1800");
    expect_times("wheelchair", "highway=footway, smoothness=bad", "1800");
}
