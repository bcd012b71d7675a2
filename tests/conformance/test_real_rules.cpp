/* test_real_rules.cpp - real extracts against oracles that read the raw file (tests/support/raw): the arcs
 * are those of its ways; matrix, route, sum of the route's arcs and the cheapest walk that keeps the rules
 * cost the same; routes driven again on the raw file keep every rule; and each turn restriction is reported.
 * Needs MACADAM_DATA. */
#include "tests/support/raw/replay.h"
#include "tests/support/raw/walk.h"

extern "C" {
#include "importers/osm/rules/profiles.h"
#include "tests/support/engine_arcs.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"
}

#include <algorithm>
#include <cmath>
#include <criterion/criterion.h>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <tuple>

enum { SOURCES = 30, TARGETS_OF_SOURCE = 40, TARGETS = SOURCES * TARGETS_OF_SOURCE, SNAPS = 100 };

/* Returns the value of the C interface's _INIT. */
template <typename structure> static structure sized()
{
    structure out = structure();
    out.size = sizeof out;
    return out;
}

static macadam_query both_quantities(int objective)
{
    static const char *const name[] = {"duration", "distance"};
    auto query = sized<macadam_query>();
    query.metric = name[objective];
    query.quantity = name;
    query.quantity_count = 2;
    query.snap_any_component = true; /* so that the nearest road is the nearest of all */
    return query;
}

/* ---- an extract, raw and imported ---- */

struct real_map {
    const char *name;
    const raw::file &data;
    raw::traveller who;
    raw::network roads;
    std::map<std::string, uint64_t> told; /* by the importer: "what: how many" */
    char folder[FILES_PATH_BYTES];
    macadam_engine *engine;
    std::vector<uint32_t> arc_of_number; /* the network's */

    real_map(const char *label, const raw::file &raw_data, const char *path, const char *profile);
    ~real_map();
    raw::arc_list driven(const macadam_route &route) const;
    raw::place place_of(const engine_position &position) const;
};

static void take_line(void *context, const char *line)
{
    const std::string text = line;
    const size_t colon = text.rfind(':');
    (*static_cast<std::map<std::string, uint64_t> *>(context))[text.substr(0, colon)] =
        std::strtoull(text.c_str() + colon + 1, nullptr, 10);
}

/* Writes a profile like that of a name or a path, without times, of which the oracle knows nothing. Returns the path. */
static std::string write_profile(const std::string &folder, const char *profile)
{
    const std::string path = folder + "/timeless.profile";
    std::ofstream(path) << "like " << profile << "\nname timeless\ntimes ignored\n";
    return path;
}

real_map::real_map(const char *label, const raw::file &raw_data, const char *path, const char *profile)
    : name(label), data(raw_data), who(profile), roads(raw_data, who)
{
    files_new_folder(folder);
    const std::string output = std::string(folder) + "/osm.mcd";
    auto options = sized<macadam_import_options>();
    macadam_error error;
    options.output = output.c_str();
    options.report = take_line;
    options.context = &told;
    const std::string timeless = write_profile(folder, profile);
    fixture_expect_ok(macadam_import_osm(path, timeless.c_str(), &options, &error), &error, name);
    engine = fixture_open_file(output.c_str(), 1);
}

real_map::~real_map()
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

raw::arc_list real_map::driven(const macadam_route &route) const
{
    raw::arc_list out;
    for (size_t i = 0; i < route.arc_count; ++i) out.push_back(arc_of_number.at(route.arc[i].arc));
    return out;
}

raw::place real_map::place_of(const engine_position &position) const
{
    raw::place out = {position.junction, {}};
    for (int i = 0; i < 2; ++i)
        if (position.number[i])
            out.within.emplace_back(arc_of_number.at(position.number[i]), position.before[i]);
    return out;
}

/* ---- arcs ---- */

using arc_name = std::tuple<int64_t, int64_t, int64_t, int32_t, int32_t>;

/* One for one; those alike lie on the same stretch of one way, which it goes along several times. */
static void match_arcs(real_map &map)
{
    std::multimap<arc_name, uint32_t> raw_arc;
    for (uint32_t a = 0; a < map.roads.arcs.size(); ++a) {
        const raw::arc &at = map.roads.arcs[a];
        raw_arc.emplace(arc_name(at.way, at.tail(), at.head(), at.nodes[1].lon_e7, at.nodes[1].lat_e7), a);
    }
    engine_arc *arcs;
    const size_t count = engine_arcs(map.engine, &arcs);
    cr_assert_eq(count, map.roads.arcs.size(), "%s, %s: %zu arcs instead of %zu", map.name,
                 map.who.table().name, count, map.roads.arcs.size());
    map.arc_of_number.assign(count + 1, UINT32_MAX);
    for (size_t i = 0; i < count; ++i) {
        const auto found =
            raw_arc.find(arc_name(arcs[i].way, arcs[i].tail, arcs[i].head, arcs[i].lon_e7, arcs[i].lat_e7));
        cr_assert(found != raw_arc.end(), "%s, %s: no arc of way %lld from %lld to %lld", map.name,
                  map.who.table().name, (long long)arcs[i].way, (long long)arcs[i].tail,
                  (long long)arcs[i].head);
        map.arc_of_number.at(arcs[i].number) = found->second;
        raw_arc.erase(found);
    }
    free(arcs);
}

/* ---- restrictions ---- */

/* Applied, or skipped and why: the same numbers, and together all there are. */
static void restrictions_are_told(const real_map &map)
{
    uint64_t sum = 0;
    for (const auto &line : map.told) {
        if (line.first.compare(0, 18, "turn restrictions ") != 0) continue;
        const auto fate = map.roads.fates.find(line.first);
        cr_assert(fate != map.roads.fates.end() && fate->second == line.second, "%s, %s: %s: %llu, not %llu",
                  map.name, map.who.table().name, line.first.c_str(), (unsigned long long)line.second,
                  (unsigned long long)(fate == map.roads.fates.end() ? 0 : fate->second));
        sum += line.second;
    }
    cr_assert_eq(sum, map.data.restrictions.size(), "%s, %s: %llu restrictions of %zu are reported", map.name,
                 map.who.table().name, (unsigned long long)sum, map.data.restrictions.size());
    auto info = sized<macadam_info>();
    macadam_error error;
    fixture_expect_ok(macadam_engine_info(&info, map.engine, &error), &error, map.name);
    cr_assert_eq(info.restriction_count, map.roads.rules.size());
}

/* ---- places ---- */

/* Beside a road, or at a node of one. */
static macadam_place draw_place(const real_map &map, test_rng *rng)
{
    const raw::arc &at = map.roads.arcs[rng_below(rng, (uint32_t)map.roads.arcs.size())];
    const size_t i = rng_below(rng, (uint32_t)at.nodes.size() - 1);
    const raw::node &a = at.nodes[i], &b = at.nodes[i + 1];
    const bool at_node = rng_below(rng, 10) == 0;
    const double along = at_node ? 0 : rng_below(rng, 1000) / 1000.0;
    const auto aside = [&] { return at_node ? 0 : (rng_below(rng, 2001) - 1000.0) * 3; };
    macadam_place out = macadam_place();
    out.kind = MACADAM_PLACE_POINT;
    out.lon = std::round(a.lon_e7 + along * (b.lon_e7 - a.lon_e7) + aside()) / 1e7;
    out.lat = std::round(a.lat_e7 + along * (b.lat_e7 - a.lat_e7) + aside()) / 1e7;
    return out;
}

static std::vector<macadam_place> draw_places(const real_map &map, test_rng *rng, size_t count)
{
    std::vector<macadam_place> out;
    for (size_t i = 0; i < count; ++i) out.push_back(draw_place(map, rng));
    return out;
}

/* A place on each ferry, however far the roads are. */
static std::vector<macadam_place> places_on_ferries(const real_map &map)
{
    std::vector<macadam_place> out;
    for (const raw::arc &at : map.roads.arcs) {
        if (!at.ferry) continue;
        const size_t i = at.nodes.size() / 2;
        macadam_place place = macadam_place();
        place.kind = MACADAM_PLACE_POINT;
        place.radius_m = 1e6F;
        place.lon = std::round((at.nodes[i - 1].lon_e7 + (double)at.nodes[i].lon_e7) / 2) / 1e7;
        place.lat = std::round((at.nodes[i - 1].lat_e7 + (double)at.nodes[i].lat_e7) / 2) / 1e7;
        out.push_back(place);
    }
    return out;
}

struct vector {
    double east, north; /* metres */
};

static vector metres_from(const macadam_place &from, double lon, double lat)
{
    const double radians = 3.14159265358979323846 / 180, metres = 6371008.8 * radians;
    return {(lon - from.lon) * std::cos(from.lat * radians) * metres, (lat - from.lat) * metres};
}

/* From the place to the piece between two nodes. */
static double distance_m(const macadam_place &from, const raw::node &a, const raw::node &b)
{
    const vector p = metres_from(from, a.lon_e7 / 1e7, a.lat_e7 / 1e7),
                 q = metres_from(from, b.lon_e7 / 1e7, b.lat_e7 / 1e7),
                 step = {q.east - p.east, q.north - p.north};
    const double square = step.east * step.east + step.north * step.north;
    const double dot = -(p.east * step.east + p.north * step.north);
    const double along = square > 0 ? std::min(1.0, std::max(0.0, dot / square)) : 0;
    return std::hypot(p.east + along * step.east, p.north + along * step.north);
}

/* The point at `before` 2^-32ths of an arc. */
static vector end_of(const real_map &map, const macadam_place &from, uint32_t arc, uint64_t before)
{
    std::vector<vector> at;
    std::vector<double> length = {0};
    const std::vector<raw::node> &nodes = map.roads.arcs[arc].nodes;
    for (size_t k = 0; k < nodes.size(); ++k) {
        at.push_back(metres_from(from, nodes[k].lon_e7 / 1e7, nodes[k].lat_e7 / 1e7));
        if (k > 0) length.push_back(length.back() + raw::geodesic_m(nodes[k - 1], nodes[k]));
    }
    const double wanted = (double)before * 0x1p-32 * length.back();
    size_t i = 1;
    while (i + 1 < at.size() && length[i] < wanted) ++i;
    const double piece = length[i] - length[i - 1], along = piece > 0 ? (wanted - length[i - 1]) / piece : 0;
    return {at[i - 1].east + along * (at[i].east - at[i - 1].east),
            at[i - 1].north + along * (at[i].north - at[i - 1].north)};
}

/* No road is nearer than the one snapped to, which is as far away as is said. A ferry is not a road. */
static void snaps_are_nearest(const real_map &map, const std::vector<macadam_place> &place)
{
    const macadam_query query = both_quantities(raw::DURATION);
    std::vector<macadam_snap> snap(place.size());
    std::vector<engine_position> position(place.size());
    macadam_error error;
    fixture_expect_ok(macadam_snap_find(snap.data(), map.engine, &query, place.data(), place.size(), &error),
                      &error, map.name);
    engine_positions(map.engine, place.data(), place.size(), true, position.data());
    for (size_t p = 0; p < place.size(); ++p) {
        double least = INFINITY;
        for (const raw::arc &at : map.roads.arcs)
            for (size_t i = 0; !at.ferry && i + 1 < at.nodes.size(); ++i)
                least = std::min(least, distance_m(place[p], at.nodes[i], at.nodes[i + 1]));
        cr_assert_float_eq(snap[p].distance_m, least, 1e-3, "%s: %f m, not %f", map.name, snap[p].distance_m,
                           least);
        for (const auto &on : map.place_of(position[p]).within) {
            const vector end = end_of(map, place[p], on.first, on.second);
            cr_assert_float_eq(std::hypot(end.east, end.north), least, 0.01, "%s: the part of way %lld",
                               map.name, (long long)map.roads.arcs[on.first].way);
        }
    }
}

/* ---- costs and routes ---- */

/* Whether there is a route; it keeps the rules and costs the sum of its arcs. */
static bool route_keeps_the_rules(const real_map &map, int objective, const macadam_place &source,
                                  const macadam_place &target, uint32_t value[raw::QUANTITIES])
{
    const macadam_query query = both_quantities(objective);
    const macadam_place waypoint[] = {source, target};
    auto request = sized<macadam_route_request>();
    macadam_route *route;
    macadam_error error;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    fixture_expect_ok(macadam_route_find(&route, map.engine, &query, &request, &error), &error, map.name);
    const bool found = route->found;
    if (found) {
        const std::string fault = raw::replay(map.roads, *route, map.driven(*route));
        cr_assert(fault.empty(), "%s, %s: %s", map.name, map.who.table().name, fault.c_str());
    }
    value[0] = route->value[0];
    value[1] = route->value[1];
    macadam_route_free(route);
    return found;
}

/* Each source has targets of its own. */
static void costs_are_those_of_walks(const real_map &map, int objective, test_rng *rng)
{
    const auto source = draw_places(map, rng, SOURCES), target = draw_places(map, rng, TARGETS);
    std::vector<engine_position> from(SOURCES), to(TARGETS), fallback_from(SOURCES), fallback_to(TARGETS);
    engine_positions(map.engine, source.data(), SOURCES, true, from.data());
    engine_positions(map.engine, target.data(), TARGETS, true, to.data());
    engine_positions(map.engine, source.data(), SOURCES, false, fallback_from.data());
    engine_positions(map.engine, target.data(), TARGETS, false, fallback_to.data());
    std::vector<uint32_t> cell[raw::QUANTITIES];
    for (auto &column : cell) column.resize((size_t)SOURCES * TARGETS);
    uint32_t *const value[] = {cell[0].data(), cell[1].data()};
    const macadam_query query = both_quantities(objective);
    auto request = sized<macadam_matrix_request>();
    macadam_error error;
    request.source = source.data();
    request.target = target.data();
    request.source_count = SOURCES;
    request.target_count = TARGETS;
    fixture_expect_ok(macadam_matrix_find_into(value, nullptr, map.engine, &query, &request, &error), &error,
                      map.name);
    raw::walker walker(map.roads, objective),
        fallback(map.roads, objective); /* not on roads that are cut off */
    size_t found = 0;
    for (size_t s = 0; s < SOURCES; ++s) {
        walker.start(map.place_of(from[s]));
        fallback.start(map.place_of(fallback_from[s]));
        for (size_t t = s * TARGETS_OF_SOURCE; t < (s + 1) * TARGETS_OF_SOURCE; ++t) {
            raw::cost right = walker.reach(map.place_of(to[t]));
            if (!right.found) right = fallback.reach(map.place_of(fallback_to[t]));
            uint32_t route[raw::QUANTITIES];
            cr_assert_eq(route_keeps_the_rules(map, objective, source[s], target[t], route), right.found);
            found += right.found;
            for (int q = 0; q < raw::QUANTITIES; ++q) {
                const uint32_t expected = right.found ? right.value[q] : MACADAM_UNREACHED;
                cr_assert(value[q][s * TARGETS + t] == expected && route[q] == expected,
                          "%s, %s: from %.7f,%.7f to %.7f,%.7f: %u, route %u, not %u", map.name,
                          map.who.table().name, source[s].lon, source[s].lat, target[t].lon, target[t].lat,
                          value[q][s * TARGETS + t], route[q], expected);
            }
        }
    }
    cr_assert_gt(found, TARGETS / 2, "%s, %s: only %zu routes found", map.name, map.who.table().name, found);
}

/* From the ends of each from way to those of each to way: past what is forbidden, if nothing is better. */
static void routes_past_restrictions_are_right(const real_map &map)
{
    std::unordered_map<int64_t, std::pair<int64_t, int64_t>> ends;
    for (const raw::way &road : map.data.ways)
        if (!road.ref.empty()) ends[road.id] = {road.ref.front(), road.ref.back()};
    raw::walker walker(map.roads, raw::DURATION);
    for (const raw::rule &said : map.roads.rules)
        for (int i = 0; i < 4; ++i) {
            const auto &from = ends[*said.from.begin()], &to = ends[*said.to.begin()];
            macadam_place source = macadam_place(), target = macadam_place();
            uint32_t value[raw::QUANTITIES];
            source.id = i & 1 ? from.first : from.second;
            target.id = i & 2 ? to.first : to.second;
            const bool found = route_keeps_the_rules(map, raw::DURATION, source, target, value);
            walker.start({source.id, {}}, value[0]);
            const raw::cost right = walker.reach({target.id, {}});
            cr_assert(found == right.found &&
                          (!found || (value[0] == right.value[0] && value[1] == right.value[1])),
                      "%s, %s: from node %lld to node %lld: %u, not %u", map.name, map.who.table().name,
                      (long long)source.id, (long long)target.id, value[0], right.value[0]);
        }
}

/* A profile of ours, in the folder, whose areas are not crossed: maps/rules/area.maps has plazas. */
static std::string without_plazas(const char *profile, const char *folder)
{
    static const char crossed[] = "crossed";
    const mcd_profile_text *text = mcd_profile_texts;
    while (text->name && strcmp(text->name, profile) != 0) ++text;
    const char *at = text->name ? strstr(text->text, crossed) : nullptr;
    if (!at) return profile;
    const std::string path = std::string(folder) + "/" + profile + ".profile";
    const std::string changed = std::string(text->text, at) + "outline" + (at + sizeof crossed - 1);
    files_write(path.c_str(), changed.data(), changed.size());
    return path;
}

static void expect_rules(const char *name, std::initializer_list<const char *> profiles)
{
    char path[FILES_PATH_BYTES];
    if (!files_find_data(path, name)) cr_skip_test("MACADAM_DATA is not set");
    const raw::file data(path);
    char folder[FILES_PATH_BYTES];
    files_new_folder(folder);
    for (const char *profile : profiles) {
        const std::string kept = without_plazas(profile, folder);
        real_map map(name, data, path, kept.c_str());
        test_rng rng = {map.roads.arcs.size()};
        match_arcs(map);
        restrictions_are_told(map);
        snaps_are_nearest(map, draw_places(map, &rng, SNAPS));
        snaps_are_nearest(map, places_on_ferries(map));
        costs_are_those_of_walks(map, raw::DURATION, &rng);
        costs_are_those_of_walks(map, raw::DISTANCE, &rng);
        routes_past_restrictions_are_right(map);
    }
    files_remove_folder(folder);
}

Test(real_rules, routes_of_monaco_are_right)
{
    expect_rules("osm/monaco.osm.gz", {"car", "truck", "bike", "foot"});
}

Test(real_rules, routes_of_andorra_are_right)
{
    expect_rules("osm/andorra-gisops.osm.pbf", {"car", "bike"});
}

Test(real_rules, routes_of_liechtenstein_are_right)
{
    expect_rules("osm/liechtenstein-gisops.osm.pbf", {"car", "truck"});
}

Test(real_rules, routes_of_heidelberg_are_right)
{
    expect_rules("osm/heidelberg.test.osm.pbf", {"car", "bike"});
}

Test(real_rules, routes_of_malta_are_right)
{
    expect_rules("osm/malta-latest.osm.pbf", {"car"});
}

Test(real_rules, routes_of_milan_are_right)
{
    expect_rules("osm/milan_italy_small.osm.pbf", {"car", "truck"});
}

Test(real_rules, routes_of_reisterstown_are_right)
{
    expect_rules("osm/reisterstown-via-restriction.osm.pbf", {"car", "foot"});
}

Test(real_rules, routes_of_cathedral_are_right)
{
    expect_rules("osm/cathedral-no-left.osm.pbf", {"car", "truck"});
}

/* A profile of the user's own, by which turns take time, across the traffic the most. */
Test(real_rules, routes_are_right_where_turns_take_time)
{
    static const char text[] = "name carriage\n"
                               "modes carriage vehicle access\n"
                               "speed_max 20\n"
                               "u_turns dead_ends\n"
                               "traffic left\n"
                               "turn 30 0 0\nturn 100 2 5\nturn 180 6 12\n"
                               "[way highway]\n"
                               "primary 18\nsecondary 20\ntertiary 20\n"
                               "unclassified 16\nresidential 14\nservice 8 permit\n"
                               "[access]\n"
                               "yes open\nprivate destination\ndestination destination\nno closed\n";
    char folder[FILES_PATH_BYTES];
    files_new_folder(folder);
    const std::string profile = std::string(folder) + "/carriage.profile";
    files_write(profile.c_str(), text, sizeof text - 1);
    expect_rules("osm/monaco.osm.gz", {profile.c_str()});
    expect_rules("osm/cathedral-no-left.osm.pbf", {profile.c_str()});
    files_remove_folder(folder);
}

/* ---- the side of the road ---- */

/* Three metres aside from the middle of a straight road, to the left of the arc if `left`. */
static macadam_place beside(const raw::arc &road, bool left)
{
    const raw::node &a = road.nodes[0], &b = road.nodes[1];
    const double radians = 3.14159265358979323846 / 180, shrink = std::cos(a.lat_e7 / 1e7 * radians);
    const double east = (b.lon_e7 - a.lon_e7) * shrink, north = b.lat_e7 - a.lat_e7;
    const double aside = (left ? 270 : -270) / std::hypot(east, north);
    macadam_place out = macadam_place();
    out.kind = MACADAM_PLACE_POINT;
    out.side = MACADAM_SIDE_CURB;
    out.lon = ((a.lon_e7 + (double)b.lon_e7) / 2 - north * aside / shrink) / 1e7;
    out.lat = ((a.lat_e7 + (double)b.lat_e7) / 2 + east * aside) / 1e7;
    return out;
}

static bool is_two_way(const raw::network &roads, const raw::arc &road)
{
    const raw::arc_list &back = roads.out(road.head());
    return std::any_of(back.begin(), back.end(),
                       [&](uint32_t other) { return roads.arcs[other].segment == road.segment; });
}

/* Who drives on the left leaves a house by the arc on whose left it is. */
static void traffic_keeps(bool left, const char *name)
{
    char path[FILES_PATH_BYTES];
    if (!files_find_data(path, name)) cr_skip_test("MACADAM_DATA is not set");
    const raw::file data(path);
    real_map map(name, data, path, "car");
    match_arcs(map);
    raw::arc_list straight;
    std::vector<macadam_place> place;
    for (uint32_t a = 0; a < map.roads.arcs.size(); ++a) {
        const raw::arc &road = map.roads.arcs[a];
        if (road.nodes.size() != 2 || road.weight[raw::DISTANCE] < 5000 || !is_two_way(map.roads, road))
            continue;
        straight.push_back(a);
        place.push_back(beside(road, left));
    }
    std::vector<engine_position> position(place.size());
    engine_positions(map.engine, place.data(), place.size(), true, position.data());
    size_t count = 0;
    for (size_t i = 0; i < straight.size(); ++i) {
        const raw::place on = map.place_of(position[i]);
        const raw::arc &road = map.roads.arcs[straight[i]];
        if (on.within.empty() || map.roads.arcs[on.within[0].first].segment != road.segment)
            continue; /* another road is nearer */
        cr_assert(on.within.size() == 1 && on.within[0].first == straight[i], "%s: way %lld from node %lld",
                  name, (long long)road.way, (long long)road.tail());
        ++count;
    }
    cr_assert_gt(count, straight.size() * 9 / 10, "%s: only %zu of %zu roads", name, count, straight.size());
}

Test(real_rules, traffic_of_malta_keeps_to_the_left)
{
    traffic_keeps(true, "osm/malta-latest.osm.pbf");
}

Test(real_rules, traffic_of_liechtenstein_keeps_to_the_right)
{
    traffic_keeps(false, "osm/liechtenstein-gisops.osm.pbf");
}

/* ---- islands ---- */

/* Which land each junction is on: what roads without ferries connect. */
static std::unordered_map<int64_t, int64_t> find_lands(const raw::network &roads)
{
    std::unordered_map<int64_t, int64_t> land;
    std::unordered_map<int64_t, std::vector<int64_t>> neighbour;
    for (const raw::arc &at : roads.arcs)
        if (!at.ferry) {
            neighbour[at.tail()].push_back(at.head());
            neighbour[at.head()].push_back(at.tail());
        }
    for (const auto &first : neighbour) {
        std::vector<int64_t> open = {first.first};
        while (!open.empty()) {
            const int64_t node = open.back();
            open.pop_back();
            if (!land.emplace(node, first.first).second) continue;
            open.insert(open.end(), neighbour[node].begin(), neighbour[node].end());
        }
    }
    return land;
}

enum class passage { none, by_road, by_ferry };

static passage find_passage(const real_map &map, int64_t from, int64_t to)
{
    macadam_place waypoint[] = {macadam_place(), macadam_place()};
    waypoint[0].id = from;
    waypoint[1].id = to;
    const macadam_query query = both_quantities(raw::DURATION);
    auto request = sized<macadam_route_request>();
    macadam_route *route;
    macadam_error error;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    fixture_expect_ok(macadam_route_find(&route, map.engine, &query, &request, &error), &error, map.name);
    const raw::arc_list driven = map.driven(*route);
    const bool found = route->found, sails = std::any_of(driven.begin(), driven.end(),
                                                         [&](uint32_t a) { return map.roads.arcs[a].ferry; });
    macadam_route_free(route);
    return sails ? passage::by_ferry : found ? passage::by_road : passage::none;
}

Test(real_rules, islands_are_reached_by_ferry_or_not_at_all)
{
    enum { PAIRS = 3000 };
    const char *name = "osm/malta-latest.osm.pbf";
    char path[FILES_PATH_BYTES];
    if (!files_find_data(path, name)) cr_skip_test("MACADAM_DATA is not set");
    const raw::file data(path);
    real_map map(name, data, path, "car");
    match_arcs(map);
    const auto land = find_lands(map.roads);
    const std::vector<std::pair<int64_t, int64_t>> junctions(land.begin(), land.end());
    test_rng rng = {junctions.size()};
    size_t by_ferry = 0, unreached = 0;
    for (size_t i = 0; i < PAIRS; ++i) {
        const auto &from = junctions[rng_below(&rng, (uint32_t)junctions.size())],
                   &to = junctions[rng_below(&rng, (uint32_t)junctions.size())];
        if (from.second == to.second) continue;
        const passage found = find_passage(map, from.first, to.first);
        cr_assert(found != passage::by_road, "%lld to %lld", (long long)from.first, (long long)to.first);
        by_ferry += found == passage::by_ferry;
        unreached += found == passage::none;
    }
    cr_assert(by_ferry > 100 && unreached > 10, "%zu by ferry, %zu unreached", by_ferry, unreached);
}
