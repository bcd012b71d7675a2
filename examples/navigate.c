/* navigate.c - a driver is guided along a route, misses a turn, and is guided along another one. Run: navigate town.mcd
 *
 * Prints:
 *       1 s, 853 m left: Head north on West Street
 *       2 s, 843 m left: In 100 m, turn right onto Market Street
 *       6 s, 803 m left: In 80 m, turn right onto Market Street
 *      11 s, 753 m left: Turn right onto Market Street
 *      19 s: off the route
 *      20 s, 962 m left: Head north on West Street
 *      38 s, 793 m left: In 70 m, continue right onto Ring Road
 *      42 s, 753 m left: Continue right onto Ring Road
 *      76 s, 444 m left: In 300 m, continue right onto East Street
 *     100 s, 238 m left: In 90 m, continue right onto East Street
 *     106 s, 178 m left: Continue right onto East Street
 *     118 s,  75 m left: In 70 m, you will arrive at your destination
 *     124 s,  15 m left: You have arrived
 *     124 s: arrived
 */
#include <macadam.h>
#include <math.h>
#include <stdio.h>

/* One session: a driver on a route. */
typedef struct session {
    macadam_engine *engine;
    macadam_route *route;
    macadam_guide *guide;
    macadam_trace_point position; /* the last one */
    macadam_guide_state state;
} session;

static void end_session(session *it)
{
    macadam_guide_free(it->guide);
    macadam_route_free(it->route);
    it->guide = NULL;
    it->route = NULL;
}

/* Finds a route from a place to node 35, in any direction if there is none in that of the place, and begins a session along
 * it. The old one stays if this fails. */
static macadam_status begin_session(session *it, macadam_place from, macadam_error *error)
{
    const macadam_place waypoint[] = {from, macadam_node(35)};
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    request.steps = true;
    macadam_route *route;
    macadam_guide *guide = NULL;
    macadam_status status = macadam_route_find(&route, it->engine, &query, &request, error);
    if (status == MACADAM_OK && !route->found && from.heading_tolerance > 0) {
        macadam_route_free(route);
        from.heading_tolerance = 0;
        return begin_session(it, from, error);
    }
    if (status == MACADAM_OK) status = macadam_guide_new(&guide, route, NULL, error);
    if (status != MACADAM_OK) {
        macadam_route_free(route);
        return status;
    }
    end_session(it);
    it->route = route;
    it->guide = guide;
    return MACADAM_OK;
}

/* Says the instructions that are due, with the distance to the first one unless it is to be done now. */
static void speak(const session *it)
{
    const macadam_guide_state *const state = &it->state;
    for (size_t i = state->first_said; i < state->end_said; ++i) {
        char text[256];
        macadam_text_options options = MACADAM_TEXT_OPTIONS_INIT;
        if (state->say != MACADAM_GUIDE_NOW) {
            options.units = MACADAM_UNITS_METRIC;
            options.distance_m = state->step_m;
        }
        if (macadam_route_text(text, sizeof text, it->route, i, &options, NULL) == MACADAM_OK)
            printf("%3.0f s, %3.0f m left: %s\n", it->position.time_s, state->left_m, text);
    }
}

/* Drives straight to a point, 10 m each second, until he is off the route or has arrived. A real program takes positions
 * from a receiver instead. */
static macadam_status drive_to(session *it, double lon, double lat, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    const double lat_m = 111195, lon_m = lat_m * cos(lat * 3.14159265 / 180);
    while (status == MACADAM_OK && it->state.status < MACADAM_GUIDE_OFF_ROUTE) {
        const double east = (lon - it->position.lon) * lon_m, north = (lat - it->position.lat) * lat_m;
        const double left_m = hypot(east, north), share = left_m > 10 ? 10 / left_m : 1;
        it->position.lon += share * (lon - it->position.lon);
        it->position.lat += share * (lat - it->position.lat);
        it->position.time_s += 1;
        status = macadam_guide_move(&it->state, it->guide, &it->position, error);
        if (status == MACADAM_OK) speak(it);
        if (left_m <= 10) break;
    }
    return status;
}

static macadam_status navigate(session *it, macadam_error *error)
{
    macadam_status status = begin_session(it, macadam_point(10, 50), error);
    if (status == MACADAM_OK) status = drive_to(it, 10, 50.0039, error); /* he should turn right on the way */
    if (status != MACADAM_OK || it->state.status != MACADAM_GUIDE_OFF_ROUTE) return status;
    printf("%3.0f s: off the route\n", it->position.time_s);
    status = begin_session(it, it->state.again, error);
    it->state = (macadam_guide_state)MACADAM_GUIDE_STATE_INIT;
    for (size_t i = 0; status == MACADAM_OK && i < it->route->shape_count; ++i)
        status = drive_to(it, it->route->lon[i], it->route->lat[i], error);
    if (it->state.status == MACADAM_GUIDE_ARRIVED) printf("%3.0f s: arrived\n", it->position.time_s);
    return status;
}

int main(int argc, char **argv)
{
    macadam_error error;
    session it = {.position = {.lon = 10, .lat = 50}, .state = MACADAM_GUIDE_STATE_INIT};
    if (argc != 2 || macadam_engine_open(&it.engine, argv[1], NULL, &error) != MACADAM_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: navigate FILE.mcd" : error.message);
        return 1;
    }
    const macadam_status status = navigate(&it, &error);
    if (status != MACADAM_OK) fprintf(stderr, "%s\n", error.message);
    end_session(&it);
    macadam_engine_close(it.engine);
    return status != MACADAM_OK;
}
