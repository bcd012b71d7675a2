/* profile_car.c - the car. A way's speed is its maxspeed where it has one, else its class's; no traffic is
 * assumed. */
#include "importers/profile_car.h"

static const char *const mode[] = {"motorcar", "motor_vehicle", "vehicle", "access", NULL};

/* motorway_link is not one-way by itself: where it is, it is nearly always tagged so. */
static const mcd_profile_road highway[] = {
    {"motorway", 110, true},      {"motorway_link", 60, false},
    {"trunk", 90, false},         {"trunk_link", 50, false},
    {"primary", 70, false},       {"primary_link", 45, false},
    {"secondary", 60, false},     {"secondary_link", 40, false},
    {"tertiary", 45, false},      {"tertiary_link", 35, false},
    {"unclassified", 40, false},  {"residential", 30, false},
    {"living_street", 10, false}, {"service", 15, false},
    {"road", 30, false},          {NULL, 0, false},
};

static const mcd_profile_road route[] = {
    {"ferry", 15, false},
    {"shuttle_train", 60, false},
    {NULL, 0, false},
};

static const mcd_profile_access access[] = {
    {"yes", true},
    {"designated", true},
    {"permissive", true},
    {"destination", true},
    {"customers", true},
    {"delivery", true},
    {"official", true},
    {"public", true},
    {"discouraged", true},
    {"no", false},
    {"private", false},
    {"agricultural", false},
    {"forestry", false},
    {"emergency", false},
    {"military", false},
    {"permit", false},
    {"residents", false},
    {"psv", false},
    {"bus", false},
    {"taxi", false},
    {"hov", false},
    {"use_sidepath", false},
    {"agricultural;forestry", false},
    {NULL, false},
};

static const mcd_profile_access barrier[] = {
    {"gate", true},
    {"lift_gate", true},
    {"swing_gate", true},
    {"sliding_gate", true},
    {"toll_booth", true},
    {"cattle_grid", true},
    {"entrance", true},
    {"border_control", true},
    {"sally_port", true},
    {"kerb", true},
    {"height_restrictor", true},
    {"checkpoint", true},
    {"bump_gate", true},
    {"no", true},
    {NULL, false},
};

/* A country's own rule stands before what it would otherwise mean. */
static const mcd_profile_speed zone[] = {
    {"none", 120},
    {"walk", 7},
    {"DE:motorway", 120},
    {"DE:rural", 100},
    {"AT:rural", 100},
    {"AT:trunk", 100},
    {"CH:rural", 80},
    {"CH:motorway", 120},
    {"GB:nsl_single", 96.56},
    {"GB:nsl_dual", 112.65},
    {"GB:motorway", 112.65},
    {"RU:urban", 60},
    {"urban", 50},
    {"rural", 90},
    {"trunk", 110},
    {"motorway", 130},
    {"living_street", 10},
    {"bicycle_road", 30},
    {"zone30", 30},
    {"zone20", 20},
    {NULL, 0},
};

const mcd_profile mcd_profile_car = {
    .name = "car",
    .mode = mode,
    .highway = highway,
    .route = route,
    .access = access,
    .barrier = barrier,
    .zone = zone,
    .speed_max_kmh = 140,
};
