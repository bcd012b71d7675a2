/* areas.c - how well areas of isochrones fit, and what they cost: areas FILE.mcd [PROFILE [WIDTH_M [REVERSE]]]
 *
 * Areas of 5, 10 and 20 minutes around 24 random places in the middle of the map. In the box of each, 20,000 points are drawn,
 * of which those count that lie within 50 metres of a road, and the positions there on it. A point is reached if the exact
 * cost to it (macadam_matrix_find_into) is within the limit. Printed, of all sources together: the points inside the area
 * that are not reached, relative to those reached; of those reached, how many are inside; rings and points of an area;
 * and of one call with a single limit on one thread, the median processor time. Then the same of calls with three
 * limits. */
#include "tests/bench/bench.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SOURCES = 24, POINTS = 20000, LIMITS = 3, RUNS = 9 };
static const uint32_t limit_ms[LIMITS] = {300000, 600000, 1200000};
static const double BESIDE_M = 50;

typedef struct tally {
    double reached[2], unreached_inside[2], reached_inside[2]; /* [beside roads, on them] */
    double rings, points, seconds, width_m;
} tally;

static const uint32_t together_ms[][LIMITS] = {{180000, 300000, 600000}, {600000, 1200000, 1800000}};

static double seconds_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double draw(test_rng *rng, double from, double to)
{
    return from + (to - from) * 1e-6 * rng_below(rng, 1000001);
}

/* By the even-odd rule over all rings of the first area. */
static bool is_inside(const macadam_rings *rings, double lon, double lat)
{
    bool inside = false;
    const size_t first = rings->first_ring[rings->first_polygon[0]],
                 end = rings->first_ring[rings->first_polygon[1]];
    for (size_t r = first; r < end; ++r)
        for (size_t i = rings->first_point[r]; i + 1 < rings->first_point[r + 1]; ++i) {
            const double *const x = &rings->lon[i], *const y = &rings->lat[i];
            if ((y[0] > lat) != (y[1] > lat) && lon < x[0] + (lat - y[0]) / (y[1] - y[0]) * (x[1] - x[0]))
                inside = !inside;
        }
    return inside;
}

static void draw_points(macadam_place *place, const macadam_rings *rings, test_rng *rng)
{
    double west = 180, east = -180, south = 90, north = -90;
    for (size_t i = 0; i < rings->point_count; ++i) {
        west = fmin(west, rings->lon[i]), east = fmax(east, rings->lon[i]);
        south = fmin(south, rings->lat[i]), north = fmax(north, rings->lat[i]);
    }
    for (size_t i = 0; i < POINTS; ++i)
        place[i] = (macadam_place){
            .kind = MACADAM_PLACE_POINT, .lon = draw(rng, west, east), .lat = draw(rng, south, north)};
}

static void count_points(tally *to, macadam_engine *engine, const macadam_query *query,
                         const macadam_rings_request *of, const macadam_rings *rings, test_rng *rng)
{
    static macadam_place place[POINTS];
    static macadam_snap snap[POINTS + 1];
    static uint32_t cost[POINTS];
    draw_points(place, rings, rng);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = of->source, request.source_count = 1;
    request.target = place, request.target_count = POINTS;
    request.snap = snap;
    BENCH_CALL(macadam_matrix_find_into, (uint32_t *[]){cost}, NULL, engine, query, &request);
    for (size_t i = 0; i < POINTS; ++i) {
        const macadam_snap *const at = &snap[i + 1];
        if (at->status != MACADAM_PLACE_OK || at->distance_m > BESIDE_M) continue;
        for (int on = 0; on < 2; ++on) {
            const bool inside =
                on ? is_inside(rings, at->lon, at->lat) : is_inside(rings, place[i].lon, place[i].lat);
            to->reached[on] += cost[i] <= *of->limit;
            to->reached_inside[on] += cost[i] <= *of->limit && inside;
            to->unreached_inside[on] += cost[i] > *of->limit && inside;
        }
    }
}

static void measure(tally *to, macadam_engine *engine, const macadam_query *query,
                    const macadam_rings_request *request, test_rng *rng)
{
    double seconds[RUNS];
    for (size_t run = 0; run < RUNS; ++run) {
        SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
        const double begin = seconds_now();
        BENCH_CALL(macadam_rings_find, &rings, engine, query, request);
        seconds[run] = seconds_now() - begin;
        if (run > 0) continue;
        to->rings += (double)rings->ring_count / SOURCES, to->points += (double)rings->point_count / SOURCES;
        to->width_m += rings->width_m[0] / SOURCES;
        count_points(to, engine, query, request, rings, rng);
    }
    bench_sort(seconds, RUNS);
    to->seconds += seconds[RUNS / 2] / SOURCES;
}

static void find_sources(macadam_place *source, macadam_engine *engine, const macadam_query *query,
                         test_rng *rng)
{
    macadam_info info = MACADAM_INFO_INIT;
    macadam_snap snap;
    BENCH_CALL(macadam_engine_info, &info, engine);
    const double wide = 0.2 * (info.east - info.west), high = 0.2 * (info.north - info.south);
    for (size_t i = 0; i < SOURCES; i += snap.status == MACADAM_PLACE_OK && snap.distance_m < BESIDE_M) {
        source[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                    .lon = draw(rng, info.west + wide, info.east - wide),
                                    .lat = draw(rng, info.south + high, info.north - high)};
        BENCH_CALL(macadam_snap_find, &snap, engine, query, &source[i], 1);
    }
}

/* Returns the mean over the sources of the median time of a call. */
static double time_sources(macadam_engine *engine, const macadam_query *query, macadam_rings_request *request,
                           const macadam_place *source)
{
    double sum = 0;
    for (size_t i = 0; i < SOURCES; ++i) {
        double seconds[RUNS];
        request->source = &source[i];
        for (size_t run = 0; run < RUNS; ++run) {
            SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
            const double begin = seconds_now();
            BENCH_CALL(macadam_rings_find, &rings, engine, query, request);
            seconds[run] = seconds_now() - begin;
        }
        bench_sort(seconds, RUNS);
        sum += seconds[RUNS / 2];
    }
    return sum / SOURCES;
}

int main(int argc, char **argv)
{
    static macadam_place source[SOURCES];
    if (argc < 2) return fprintf(stderr, "usage: areas FILE.mcd [PROFILE [WIDTH_M [REVERSE]]]\n"), 2;
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    options.device = "cpu", options.threads = 1;
    query.profile = argc > 2 ? argv[2] : NULL;
    request.width_m = argc > 3 ? strtod(argv[3], NULL) : 0;
    request.reverse = argc > 4;
    request.source_count = request.limit_count = 1;
    const double opening = bench_seconds_now();
    BENCH_CALL(macadam_engine_open, &engine, argv[1], &options);
    test_rng rng = {2026};
    find_sources(source, engine, &query, &rng);
    request.source = source, request.limit = limit_ms;
    {
        SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
        BENCH_CALL(macadam_rings_find, &rings, engine, &query, &request);
        bench_print_first(opening);
    }
    printf("minutes  width m  unreached inside: beside, on roads  reached inside: beside, on  rings  points  "
           "ms\n");
    for (size_t l = 0; l < LIMITS; ++l) {
        tally all = {.seconds = 0};
        request.limit = &limit_ms[l];
        for (size_t i = 0; i < SOURCES; ++i) {
            request.source = &source[i];
            measure(&all, engine, &query, &request, &rng);
        }
        printf("%7u  %7.0f  %16.1f %% %14.1f %%  %14.1f %% %8.1f %%  %5.0f  %6.0f  %.2f\n",
               limit_ms[l] / 60000, all.width_m, 100 * all.unreached_inside[0] / all.reached[0],
               100 * all.unreached_inside[1] / all.reached[1], 100 * all.reached_inside[0] / all.reached[0],
               100 * all.reached_inside[1] / all.reached[1], all.rings, all.points, 1000 * all.seconds);
    }
    request.limit_count = LIMITS;
    for (size_t t = 0; t < sizeof together_ms / sizeof *together_ms; ++t) {
        request.limit = together_ms[t];
        printf("%u, %u and %u minutes in one call: %.2f ms\n", request.limit[0] / 60000,
               request.limit[1] / 60000, request.limit[2] / 60000,
               1000 * time_sources(engine, &query, &request, source));
    }
    return 0;
}
