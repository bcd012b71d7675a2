/* option.c - see option.h. */
#include "bindings/options/option.h"

#include <string.h>

#define TO(a_kind, member)                                                                                   \
    .kind = MCD_##a_kind, .at = offsetof(mcd_request, member), .bytes = sizeof(((mcd_request *)0)->member)

/* "Mo08:15" */
static bool is_departure(const char *text)
{
    static const char days[] = "MoTuWeThFrSaSu", shape[] = "Mo00:00";
    size_t day = 0;
    if (strlen(text) != sizeof shape - 1) return false;
    while (day < sizeof days - 1 && memcmp(days + day, text, 2) != 0) day += 2;
    for (size_t i = 2; i < sizeof shape - 1; ++i)
        if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
    return day < sizeof days - 1 && memcmp(text + 2, "23", 2) <= 0 && text[5] <= '5';
}

/* options.py reads these lines: each begins with {"name". */
const mcd_option mcd_options[] = {
    {"metric", "NAME", MCD_QUERIES | MCD_BENCH, TO(TEXT, query.metric),
     "the quantity to minimise (default: the file's first one)", .url = ""},
    {"quantities", "NAME[,NAME]", MCD_COSTS | MCD_MATCH | MCD_BENCH, TO(PARTS, quantities),
     "the quantities of the answer, in this order: the metric's objective (default) and its companion; of "
     "route, trip and match also those of another metric",
     .url = "", .python = "", .outputs = ~(unsigned)MCD_POLYLINES},
    {"snap-radius", "LENGTH", MCD_PLACES, TO(MEASURE, query.snap_radius_m),
     "how far a place may be from the nearest road (default: 1000m)", .url = "", .unit = "m"},
    {"any-component", NULL, MCD_QUERIES, TO(FLAG, query.snap_any_component),
     "roads that are cut off are as good as others for points", .url = "snapping=default|any",
     .commands = MCD_NO_COMMAND},
    {"memory-limit", "SIZE", MCD_QUERIES, TO(SIZE, query.memory_limit),
     "the most bytes of scratch memory (default: the engine's limit)", .url = "", .commands = MCD_NO_COMMAND},
    {"avoid", "FLAG[,FLAG]", MCD_QUERIES, TO(PARTS, avoid),
     "use no roads that are toll, motorway, ferry, tunnel, unpaved, ...", .url = "",
     .python = "avoid: str | Iterable[str] | RoadFlag | None"},
    {"avoid-area", "FILE", MCD_QUERIES, TO(LIST, areas), "use no roads that touch these polygons, in GeoJSON",
     .url = "", .python = "avoid_areas: Any"},
    {"factor", "CLASS=N[,...]", MCD_QUERIES, TO(PARTS, factors),
     "multiply the costs of roads of a class, such as track=2.5; 0 closes them", .url = "",
     .python = "road_costs: Mapping[str, float] | None"},
    {"vehicle-height", "LENGTH", MCD_QUERIES, TO(MEASURE, conditions.height_m),
     "use no roads whose signs admit only lower vehicles, such as 3.8 or 380cm", .python = "vehicle.height_m",
     .unit = "m", .old = "height"},
    {"vehicle-width", "LENGTH", MCD_QUERIES, TO(MEASURE, conditions.width_m),
     "likewise: the width, such as 2.55", .python = "vehicle.width_m", .unit = "m"},
    {"vehicle-length", "LENGTH", MCD_QUERIES, TO(MEASURE, conditions.length_m),
     "likewise: the length, such as 12", .python = "vehicle.length_m", .unit = "m", .old = "length"},
    {"vehicle-weight", "TONNES", MCD_QUERIES, TO(MEASURE, conditions.weight_t),
     "likewise: the weight, such as 18 or 18000kg", .python = "vehicle.weight_t", .unit = "t",
     .old = "weight"},
    {"axle-load", "TONNES", MCD_QUERIES, TO(MEASURE, conditions.axle_load_t),
     "likewise: the axle load, such as 10", .python = "vehicle.axle_load_t", .unit = "t"},
    {"departure", "Mo08:15", MCD_QUERIES, TO(TEXT, conditions.departure),
     "roads are as conditional tags say then: day and local time, in slots of 15 minutes (default: "
     "conditional tags do not count)",
     .is_right = is_departure},

    {"nearest", "K", MCD_REACH, TO(COUNT, reach.nearest_count),
     "how many targets, at most 1024; unreached targets are not listed", .url = "", .least = 1,
     .most = MACADAM_REACH_NEAREST_MAX, .with = "targets"},
    {"reverse", NULL, MCD_TREE | MCD_REACH | MCD_ISOCHRONE | MCD_HOPS | MCD_NEAREST | MCD_REACHED,
     TO(FLAG, reverse), "costs to the places instead of from them; of hops, a parent is then the next node"},
    {"method", "NAME|help", MCD_TREE | MCD_ALL_PAIRS | MCD_HOPS, TO(TEXT, method),
     "how the answer is computed (default: auto); help lists the methods of --device. The answers are the "
     "same",
     .url = ""},
    {"steps", NULL, MCD_PATHS, TO(FLAG, route.steps),
     "the steps of each leg, with maneuvers, intersections and lanes", .commands = MCD_ROUTE,
     .outputs = MCD_OBJECTS | MCD_HTML},
    {"language", NULL, MCD_PATHS, TO(NAME, language), "the steps in this language", .python = "",
     .commands = MCD_ROUTE, .outputs = MCD_OBJECTS | MCD_HTML},
    {"segments", NULL, MCD_ROUTE, TO(FLAG, route.segments),
     "what each leg is between each two points: node ids, costs, speed, class", .url = "",
     .outputs = MCD_OBJECTS},
    {"totals", NULL, MCD_ROUTE, TO(FLAG, route.totals), "the route's sum of every quantity of the map",
     .url = "", .outputs = MCD_OBJECTS},
    {"costs-only", NULL, MCD_ROUTE, TO(FLAG, route.costs_only),
     "only the costs, and where the waypoints are: no arcs, points, steps and alternatives; a fifth of the "
     "time",
     .url = "", .commands = MCD_NO_COMMAND},
    {"alternatives", "N", MCD_ROUTE, TO(COUNT, route.alternative_count), "other routes, at most N", .url = "",
     .outputs = MCD_OBJECTS | MCD_HTML, .most = MACADAM_ALTERNATIVES_MAX, .without = "via"},
    {"stretch", "SHARE", MCD_ROUTE, TO(MEASURE, route.alternative_stretch),
     "how much more than the best route alternatives may cost, as a share of its cost (default: 0.25)",
     .url = "", .commands = MCD_NO_COMMAND},
    {"sharing", "SHARE", MCD_ROUTE, TO(MEASURE, route.alternative_sharing),
     "how much alternatives may have in common with the routes before them, likewise (default: 0.75)",
     .url = "", .commands = MCD_NO_COMMAND},
    {"optimality", "SHARE", MCD_ROUTE, TO(MEASURE, route.alternative_optimality),
     "how long the parts of alternatives are that are shortest paths, likewise (default: 0.25)", .url = "",
     .commands = MCD_NO_COMMAND},
    {"via-turn", "profile|straight|any", MCD_ROUTE, TO(WORD, route.via_turn),
     "how to leave a stop on the way: straight on if possible, any way, or as the profile suggests (default; "
     "straight for car and truck)",
     .url = "continue_straight=default|true|false"},
    {"width", "LENGTH", MCD_ISOCHRONE, TO(MEASURE, rings.width_m),
     "areas are what lies within this distance of a reached stretch of road (default: 100m)",
     .outputs = MCD_GEOJSON | MCD_HTML, .unit = "m"},
    {"disjoint", NULL, MCD_ISOCHRONE, TO(FLAG, rings.disjoint),
     "the area of a limit leaves out that of the limit before", .outputs = MCD_GEOJSON | MCD_HTML},
    {"gaps", "split|ignore", MCD_MATCH, TO(WORD, match.gaps), "whether a pause in the times splits a trace",
     .python = "", .commands = MCD_NO_COMMAND},
    {"tidy", NULL, MCD_MATCH, TO(FLAG, match.tidy),
     "leave out points less than 15 m, or less than 5 s, after the last one"},
    {"open", NULL, MCD_TRIP, TO(FLAG, trip.open), "end at the last stop (default: return to the first one)",
     .url = "roundtrip=true|false"},
    {"from-first", NULL, MCD_TRIP, TO(FLAG, trip.from_first), "start at the first place",
     .url = "source=any|first"},
    {"to-last", NULL, MCD_TRIP, TO(FLAG, trip.to_last), "visit the last place last",
     .url = "destination=any|last"},
};
const size_t mcd_option_count = sizeof mcd_options / sizeof *mcd_options;

mcd_request mcd_request_new(void)
{
    return (mcd_request){
        .query = MACADAM_QUERY_INIT,
        .conditions = MACADAM_CONDITIONS_INIT,
        .route = MACADAM_ROUTE_REQUEST_INIT,
        .reach = MACADAM_REACH_REQUEST_INIT,
        .rings = MACADAM_RINGS_REQUEST_INIT,
        .match = MACADAM_MATCH_REQUEST_INIT,
        .trip = MACADAM_TRIP_REQUEST_INIT,
    };
}

uint32_t mcd_option_flag(const char *name, size_t bytes)
{
    const char *known;
    for (uint32_t flag = 1; (known = macadam_road_flag_name((macadam_road_flag)flag)); flag *= 2)
        if (strlen(known) == bytes && memcmp(known, name, bytes) == 0) return flag;
    return 0;
}

void mcd_option_store(const mcd_option *option, void *structure, uint64_t value)
{
    void *const at = (char *)structure + option->at;
    if (option->bytes == sizeof(uint8_t))
        *(uint8_t *)at = (uint8_t)value;
    else if (option->bytes == sizeof(unsigned))
        *(unsigned *)at = (unsigned)value;
    else
        *(uint64_t *)at = value;
}
