/* route.c - a map from arrays in memory, and the fastest route over it.
 *
 *      1 --60--> 2
 *      |         |         seconds: 1 -> 2 -> 4 takes 110,
 *     30        50         1 -> 3 -> 4 takes 120
 *      v         v
 *      3 --90--> 4
 *
 * Prints:
 *     110 s: 1 -> 2 2 -> 4
 */
#include <macadam.h>
#include <stdio.h>

static int fail(const macadam_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    return 1;
}

int main(void)
{
    const char *const path = "example.mcd"; /* written in this folder */
    macadam_error error;

    /* Import once: arcs by node index, one array of weights per quantity. */
    const int64_t id[] = {1, 2, 3, 4};
    const uint32_t tail[] = {0, 0, 1, 2}, head[] = {1, 2, 3, 3}, duration[] = {60000, 30000, 50000, 90000};
    const char *const quantity[] = {"duration"}, *const unit[] = {"ms"};
    const uint32_t *const weight[] = {duration};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = 4;
    input.arc_count = 4;
    input.id = id;
    input.tail = tail;
    input.head = head;
    input.quantity = quantity;
    input.unit = unit;
    input.weight = weight;
    input.quantity_count = 1;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path;
    if (macadam_import_arrays(&input, &options, &error) != MACADAM_OK) return fail(&error);

    /* Open and ask, from any number of threads. */
    macadam_engine *engine;
    if (macadam_engine_open(&engine, path, NULL, &error) != MACADAM_OK) return fail(&error);
    const macadam_place waypoint[] = {macadam_node(1), macadam_node(4)};
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    macadam_route *route;
    const macadam_status status = macadam_route_find(&route, engine, &query, &request, &error);
    if (status == MACADAM_OK && route->found) {
        printf("%.0f s:", route->value[0] / 1000.0);
        for (size_t i = 0; i < route->arc_count; ++i) {
            printf(" %lld -> %lld", (long long)route->arc[i].tail, (long long)route->arc[i].head);
        }
        printf("\n");
    } else if (status == MACADAM_OK) {
        printf("-\n"); /* no path leads there */
    }
    macadam_route_free(route);
    macadam_engine_close(engine);
    return status == MACADAM_OK ? 0 : fail(&error);
}
