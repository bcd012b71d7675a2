/* steps.c - the instructions for a driver on the way, and the route as a polyline. Run: steps town.mcd
 *
 * Prints:
 *      17.4 s  Head north on West Street
 *      53.3 s  Turn right onto Market Street
 *      25.4 s  Turn left at the end of the road onto East Street
 *       0.0 s  You have arrived
 *     _sdpH_c`|@cG??oK?oK?oK?oKcG?
 */
#include <macadam.h>
#include <macadam_formats.h>
#include <stdio.h>

static void print_steps(const macadam_route *route)
{
    for (size_t i = 0; i < route->step_count; ++i) {
        char text[256];
        if (macadam_step_text(text, sizeof text, &route->step[i], "en", NULL) == MACADAM_OK)
            printf("%5.1f s  %s\n", route->step[i].value[0] / 1000.0, text);
    }
}

static void print_line(const macadam_route *route)
{
    macadam_text line;
    if (macadam_format_route_polyline(&line, route, 5, NULL) == MACADAM_OK) printf("%s\n", line.data);
    macadam_text_free(&line);
}

int main(int argc, char **argv)
{
    macadam_error error;
    macadam_engine *engine;
    if (argc != 2 || macadam_engine_open(&engine, argv[1], NULL, &error) != MACADAM_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: steps FILE.mcd" : error.message);
        return 1;
    }

    const macadam_place waypoint[] = {macadam_node(11), macadam_node(35)};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    request.steps = true;
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_route *route;
    const macadam_status status = macadam_route_find(&route, engine, &query, &request, &error);
    if (status == MACADAM_OK && !route->found) {
        printf("-\n"); /* no road leads there */
        macadam_route_free(route);
    } else if (status == MACADAM_OK) {
        print_steps(route);
        print_line(route);
        macadam_route_free(route);
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    macadam_engine_close(engine);
    return status != MACADAM_OK;
}
