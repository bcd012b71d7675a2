/* test_drawn_maps.c - the drawn maps of tests/conformance/maps: where each traveller goes (rules), and the
 * instructions for a driver (guide).
 *
 *     # a comment
 *     == claim                             a car does what the lines below say (tests/support/drawn_map.h)
 *     == claim (bike) (car; traffic left)  two travellers do, each on a map of its own
 *     ab: highway={track|path}, foot=yes   the map is drawn with each of these; several braces: with each combination */
#include "tests/support/drawn_map.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 4096, NAME_BYTES = 256 };

typedef void (*expect_map)(const char *traveller, const char *text);

static void expect_alternatives(const char *traveller, const char *text, expect_map expect)
{
    const char *const open = strchr(text, '{'), *const close = open ? strchr(open, '}') : NULL;
    if (!open) {
        expect(traveller, text);
        return;
    }
    cr_assert(close, "a brace stays open:\n%s", text);
    for (const char *at = open; at < close; at += 1 + strcspn(at + 1, "|}")) {
        char one[MAP_BYTES];
        snprintf(one, sizeof one, "%.*s%.*s%s", (int)(open - text), text, (int)strcspn(at + 1, "|}"), at + 1,
                 close + 1);
        expect_alternatives(traveller, one, expect);
    }
}

/* Draws the map between two heads for each traveller whom the first one names. */
static void expect_travellers(const char *head, const char *end, expect_map expect)
{
    char text[MAP_BYTES], traveller[NAME_BYTES] = "car";
    const char *const body = strchr(head, '\n') + 1, *open = memchr(head, '(', (size_t)(body - head));
    cr_assert_lt((size_t)(end - head), sizeof text, "too large a map: %.*s", (int)(body - head), head);
    snprintf(text, sizeof text, "%.*s", (int)(end - head), head);
    do {
        if (open) snprintf(traveller, sizeof traveller, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
        expect_alternatives(traveller, text, expect);
        if (open) open = memchr(open + 1, '(', (size_t)(body - open - 1));
    } while (open);
}

/* Reads a file of the maps; freed with free(). */
static char *read_text(const char *name)
{
    char path[FILES_PATH_BYTES];
    size_t bytes;
    snprintf(path, sizeof path, "%s/%s", MAPS_FOLDER, name);
    FREED void *const read = files_read(path, &bytes);
    char *const text = calloc(bytes + 1, 1);
    memcpy(text, read, bytes);
    return text;
}

static void expect_maps(const char *name, expect_map expect)
{
    FREED char *const text = read_text(name);
    size_t count = 0;
    for (const char *head = strstr(text, "== "), *next; head; head = next, ++count) {
        next = strstr(head + 3, "\n== ");
        if (next) ++next;
        expect_travellers(head, next ? next : head + strlen(head), expect);
    }
    cr_assert_gt(count, 0, "%s has no maps", name);
}

#define EXPECT_RULES(name)                                                                                   \
    Test(rules, name)                                                                                        \
    {                                                                                                        \
        expect_maps("rules/" #name ".maps", drawn_expect);                                                   \
    }

EXPECT_RULES(access)
EXPECT_RULES(area)
EXPECT_RULES(barrier)
EXPECT_RULES(destination)
EXPECT_RULES(junction)
EXPECT_RULES(oneway)
EXPECT_RULES(preference)
EXPECT_RULES(roundabout)
EXPECT_RULES(speed)
EXPECT_RULES(times)
EXPECT_RULES(travellers)
EXPECT_RULES(truck)
EXPECT_RULES(turn)
EXPECT_RULES(values)
EXPECT_RULES(vehicle)
EXPECT_RULES(via)

/* "bxc: highway=trunk -> moped, not bike": a moped goes from b to c, a bike goes around. "car/toll" avoids tolls. */
static void expect_crossing(const char *row, const char *arrow)
{
    static const char picture[] = "a---b-x-c---d\n"
                                  "    |   |    \n"
                                  "    |   |    \n"
                                  "    |   |    \n"
                                  "    e---f    \n";
    bool passes = true;
    for (const char *word = arrow + strlen(" ->"); *word == ' ';) {
        char text[MAP_BYTES], traveller[NAME_BYTES];
        snprintf(traveller, sizeof traveller, "%.*s", (int)strcspn(word + 1, " ,\n"), word + 1);
        word += 1 + strcspn(word + 1, " \n");
        if (strcmp(traveller, "not") == 0) {
            passes = false;
            continue;
        }
        char *const avoided = strchr(traveller, '/');
        snprintf(text, sizeof text, "%s%.*s\na>d%s%s: %s\n", picture, (int)(arrow - row), row,
                 avoided ? " avoiding " : "", avoided ? avoided + 1 : "", passes ? "abxcd" : "abefcd");
        if (avoided) *avoided = '\0';
        drawn_expect(traveller, text);
    }
}

Test(rules, crossings)
{
    char *const text = read_text("rules/crossings.txt"), *rest = NULL;
    size_t count = 0;
    for (const char *row = strtok_r(text, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        const char *const arrow = strstr(row, " -> ");
        cr_assert(*row == '#' || arrow, "no row: %s", row);
        if (arrow) expect_crossing(row, arrow), ++count;
    }
    cr_assert_gt(count, 0);
    free(text);
}

#define EXPECT_GUIDE(name)                                                                                   \
    Test(guide, name)                                                                                        \
    {                                                                                                        \
        expect_maps("guide/" #name ".maps", drawn_expect_steps);                                             \
    }

EXPECT_GUIDE(alternatives)
EXPECT_GUIDE(junctions)
EXPECT_GUIDE(lanes)
EXPECT_GUIDE(names)
EXPECT_GUIDE(obvious)
EXPECT_GUIDE(ramps)
EXPECT_GUIDE(relations)
EXPECT_GUIDE(roundabouts)
EXPECT_GUIDE(turns)

static macadam_engine *open_map(const char *map, char folder[FILES_PATH_BYTES])
{
    char osm[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    macadam_error error;
    files_new_path(folder, osm, "map.osm");
    snprintf(path, sizeof path, "%s/map.mcd", folder);
    files_write(osm, map, strlen(map));
    const macadam_import_options options = {.size = sizeof options, .output = path};
    fixture_expect_ok(macadam_import_osm(osm, "car", &options, &error), &error, osm);
    return fixture_open_file(path, 1);
}

/* A street from south to north, a little to the west, and one across. */
Test(guide, branches_are_sorted_by_their_whole_bearing)
{
    static const char map[] =
        "<osm version='0.6'><node id='1' lat='49.99' lon='10'/><node id='2' lat='50' lon='10'/>"
        "<node id='3' lat='50.01' lon='9.99995'/><node id='4' lat='50' lon='10.01'/>"
        "<node id='5' lat='50' lon='9.99'/>"
        "<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
        "<way id='2'><nd ref='2'/><nd ref='3'/><tag k='highway' v='residential'/></way>"
        "<way id='3'><nd ref='4'/><nd ref='2'/><nd ref='5'/><tag k='highway' v='residential'/></way></osm>";
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_map(map, folder);
    for (int64_t to = 3; to <= 5; ++to) {
        const macadam_place waypoint[] = {{.id = 1}, {.id = to}};
        macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
        request.waypoint = waypoint, request.waypoint_count = 2, request.steps = true;
        SCOPED(macadam_route_free_at) macadam_route *route = NULL;
        FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
        for (size_t i = 0; i < route->intersection_count; ++i) {
            const macadam_intersection *const at = &route->intersection[i];
            const macadam_branch *const branch = route->branch + at->first_branch;
            if (at->end_branch - at->first_branch != 4) continue;
            cr_expect(branch[0].bearing == 0 && branch[1].bearing == 90 && branch[2].bearing == 180 &&
                      branch[3].bearing == 270);
            cr_expect_eq(at->in - at->first_branch, 2);
            cr_expect_eq(at->out - at->first_branch, to == 3 ? 0 : to == 4 ? 1 : 3, "to %d", (int)to);
        }
    }
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* A street without junctions, drawn from a on: north, east, south. Its pieces are 200 m long. Each place is 5 m beside the
 * middle of one, on the outer side.
 *
 *         E
 *       b---c
 *     N |   | S
 *       a   d     */
Test(guide, leg_within_a_road_begins_and_ends_in_the_direction_travelled_there)
{
    static const char map[] =
        "<osm version='0.6'><node id='1' lat='0' lon='0'/><node id='2' lat='0.0018' lon='0'/>"
        "<node id='3' lat='0.0018' lon='0.0018'/><node id='4' lat='0' lon='0.0018'/>"
        "<way id='1'><nd ref='1'/><nd ref='2'/><nd ref='3'/><nd ref='4'/><tag k='highway' v='residential'/>"
        "</way></osm>";
    static const struct {
        double lon, lat;
        unsigned bearing; /* of who travels from a to d */
    } piece[] = {{-0.00005, 0.0009, 0}, {0.0009, 0.00185, 90}, {0.00185, 0.0009, 180}};
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_map(map, folder);
    for (int from = 0; from < 3; ++from)
        for (int to = 0; to < 3; ++to) {
            if (from == to) continue;
            const macadam_place waypoint[] = {macadam_point(piece[from].lon, piece[from].lat),
                                              macadam_point(piece[to].lon, piece[to].lat)};
            macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
            request.waypoint = waypoint, request.waypoint_count = 2, request.steps = true;
            SCOPED(macadam_route_free_at) macadam_route *route = NULL;
            FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
            const macadam_step *const depart = route->step, *const arrive = depart + 1;
            const unsigned back = from < to ? 0 : 180;
            const macadam_modifier outer = from < to ? MACADAM_MODIFIER_LEFT : MACADAM_MODIFIER_RIGHT;
            cr_assert_eq(route->step_count, 2);
            cr_expect_eq(depart->bearing_after, (piece[from].bearing + back) % 360, "%d to %d", from, to);
            cr_expect_eq(arrive->bearing_before, (piece[to].bearing + back) % 360, "%d to %d", from, to);
            cr_expect(depart->modifier == outer && arrive->modifier == outer, "%d to %d", from, to);
        }
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* Along Main Street from a, to the point p without a stop there, and back: no one is at the crossing b, nor in its lanes.
 *
 *             c
 *             |
 *     a---p---b---d     */
Test(guide, turning_back_within_a_road_is_not_a_maneuver_of_the_next_junction)
{
    static const char map[] =
        "<osm version='0.6'><node id='1' lat='0' lon='0'/><node id='2' lat='0' lon='0.004'/>"
        "<node id='3' lat='0.004' lon='0.004'/><node id='4' lat='0' lon='0.008'/>"
        "<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='secondary'/><tag k='name' v='Main "
        "Street'/>"
        "<tag k='turn:lanes:forward' v='left|through'/></way>"
        "<way id='2'><nd ref='2'/><nd ref='4'/><tag k='highway' v='secondary'/><tag k='name' v='Main "
        "Street'/>"
        "</way><way id='3'><nd ref='2'/><nd ref='3'/><tag k='highway' v='residential'/></way></osm>";
    static const bool passes[] = {false, true, false};
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_map(map, folder);
    const macadam_place waypoint[] = {{.id = 1}, macadam_point(0.002, 0), {.id = 1}};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint, request.waypoint_count = 3, request.passes = passes;
    request.via_turn = MACADAM_VIA_ANY, request.steps = true;
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
    cr_assert_eq(route->step_count, 3);
    const macadam_step *const back = &route->step[1];
    const macadam_intersection *const at = &route->intersection[back->first_intersection];
    cr_expect(back->type == MACADAM_MANEUVER_CONTINUE && back->modifier == MACADAM_MODIFIER_UTURN);
    cr_expect(back->bearing_before == 90 && back->bearing_after == 270);
    cr_expect_eq(at->end_branch - at->first_branch, 1);
    cr_expect(at->in == at->first_branch && at->out == at->first_branch);
    cr_expect(route->branch[at->out].bearing == 270 && route->branch[at->out].entry);
    cr_expect_eq(at->first_lane, at->end_lane);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}
