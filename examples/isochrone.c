/* isochrone.c - the streets within 30 seconds of a junction. Run: isochrone town.mcd
 *
 * Prints:
 *     Church Street  34 -> 35, from 10.0060,50.0026: 100 % after  0.0 s
 *     School Street  34 -> 24, from 10.0060,50.0026:  58 % after  0.0 s
 *     School Street  34 -> 44, from 10.0060,50.0026:  58 % after  0.0 s
 *     East Street    35 -> 25, from 10.0080,50.0026:  51 % after 21.2 s
 *     East Street    35 -> 45, from 10.0080,50.0026:  28 % after 25.2 s
 *                    35 -> 51, from 10.0080,50.0026:  47 % after 17.2 s
 */
#include <macadam.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    macadam_error error;
    macadam_engine *engine;
    if (argc != 2 || macadam_engine_open(&engine, argv[1], NULL, &error) != MACADAM_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: isochrone FILE.mcd" : error.message);
        return 1;
    }

    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = macadam_node(34);
    request.limit = 30000; /* the first quantity of an OpenStreetMap import is the duration, in ms */
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_isochrone *isochrone;
    const macadam_status status = macadam_isochrone_find(&isochrone, engine, &query, &request, &error);
    if (status != MACADAM_OK) {
        fprintf(stderr, "%s\n", error.message);
        macadam_engine_close(engine);
        return 1;
    }

    /* Each arc is entered after `cost`. The rest of the limit pays for all of it or for a part. */
    for (size_t i = 0; i < isochrone->arc_count; ++i) {
        const macadam_reached_arc *const arc = &isochrone->arc[i];
        const double left = request.limit - arc->cost;
        const double to = arc->weight == 0 || left >= arc->weight ? 1 : arc->from + left / arc->weight;
        const double lon = isochrone->lon[arc->road.first_shape], lat = isochrone->lat[arc->road.first_shape];
        printf("%-14s %lld -> %lld, from %.4f,%.4f: %3.0f %% after %4.1f s\n", arc->road.name,
               (long long)arc->road.tail, (long long)arc->road.head, lon, lat, 100 * (to < 1 ? to : 1),
               arc->cost / 1000.0);
    }
    macadam_isochrone_free(isochrone);
    macadam_engine_close(engine);
    return 0;
}
