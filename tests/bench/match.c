/* match.c - speed and accuracy of map matching, on traces that are made from routes.
 *
 *     match FILE.mcd [TRACES [SEED]]
 *     match FILE.mcd bulk TRACES INTERVAL DEVICE...   one large batch on all threads of each device: its speed
 *                                                     only, of the wall clock, and whether its answer differs
 *
 * A trace follows a fast route without ferries between two random nodes: at a constant factor of the map's speeds, with
 * waits at some junctions, sampled at an interval, some samples lost, each moved by noise that is normal in
 * both directions and correlated over 20 seconds. So the truth is known. Mismatch is the length of the wrong
 * arcs and of the missed ones, as a share of the true route's length (Newson, Krumm 2009); arcs at the ends
 * of a trace, which it need not have travelled whole, do not count. `right` is the share of the points that
 * are matched to the arc on which they were made. The model's constants were chosen on traces of Milan with
 * the seed 7: accuracy is measured with other seeds. Times are of the processor, on one thread, without routes,
 * then with the arcs of the routes, and with the routes. */
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include "engine/include/macadam.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { POINTS_MAX = 400, RUNS = 3 };

typedef struct setting {
    double interval_s, noise_m;
} setting;

static const setting settings[] = {{1, 5}, {10, 5}, {30, 10}, {60, 20}, {120, 20}};
static const uint64_t default_seed = 2026;
static const double correlation_s = 20, lost_share = 0.05, wait_share = 0.1, wait_most_s = 20;

/* The traces of a setting and their truth. */
typedef struct scene {
    macadam_trace_point *point;
    uint64_t *arc; /* [point] the arc on which it was made */
    size_t point_count;
    size_t *first;       /* [trace_count + 1] */
    macadam_route **way; /* [trace_count] */
    size_t trace_count;
} scene;

static void die(const char *what, const macadam_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    exit(1);
}

static double uniform(test_rng *rng)
{
    return (double)(rng_next(rng) >> 11) / 9007199254740992.0;
}

static double normal(test_rng *rng)
{
    return sqrt(-2 * log(1 - uniform(rng))) * cos(2 * 3.14159265358979323846 * uniform(rng));
}

static macadam_engine *open_engine(const char *file, const char *device, unsigned threads)
{
    macadam_engine *engine;
    macadam_error error;
    const macadam_engine_options options = {.size = sizeof options, .device = device, .threads = threads};
    if (macadam_engine_open(&engine, file, &options, &error)) die(file, &error);
    return engine;
}

/* ---- traces ---- */

/* The point at a share of an arc, by the length of its pieces. */
static void point_at(const macadam_route *way, const macadam_route_arc *arc, double share, double *lon,
                     double *lat)
{
    double length = 0, left;
    const double shrink = cos(way->lat[arc->first_shape] * 0.017453292519943295);
    for (size_t i = arc->first_shape + 1; i < arc->end_shape; ++i)
        length += hypot((way->lon[i] - way->lon[i - 1]) * shrink, way->lat[i] - way->lat[i - 1]);
    left = length * share;
    for (size_t i = arc->first_shape + 1; i < arc->end_shape; ++i) {
        const double piece = hypot((way->lon[i] - way->lon[i - 1]) * shrink, way->lat[i] - way->lat[i - 1]);
        const double along = piece > 0 ? fmin(left / piece, 1) : 1;
        *lon = way->lon[i - 1] + along * (way->lon[i] - way->lon[i - 1]);
        *lat = way->lat[i - 1] + along * (way->lat[i] - way->lat[i - 1]);
        if (left <= piece) return;
        left -= piece;
    }
}

/* Appends the samples of one way; returns how many there are. */
static size_t sample(scene *out, const macadam_route *way, const setting *with, test_rng *rng)
{
    const double factor = 0.8 + 0.6 * uniform(rng), keep = exp(-with->interval_s / correlation_s);
    double now = 0, next = 0, east = with->noise_m * normal(rng), north = with->noise_m * normal(rng);
    size_t count = 0;
    for (size_t a = 0; a < way->arc_count && count < POINTS_MAX; ++a) {
        const macadam_route_arc *arc = &way->arc[a];
        const double takes = arc->value[0] / 1000.0 * factor;
        for (; next < now + takes && count < POINTS_MAX; next += with->interval_s) {
            const double jump = with->noise_m * sqrt(1 - keep * keep);
            east = keep * east + jump * normal(rng);
            north = keep * north + jump * normal(rng);
            if (uniform(rng) < lost_share) continue;
            macadam_trace_point *point = &out->point[out->point_count];
            *point = (macadam_trace_point){.time_s = next};
            point_at(way, arc, takes > 0 ? fmax(next - now, 0) / takes : 0, &point->lon, &point->lat);
            point->lat += north / 111195;
            point->lon += east / (111195 * cos(point->lat * 0.017453292519943295));
            out->arc[out->point_count++] = arc->arc;
            ++count;
        }
        now += takes;
        if (uniform(rng) < wait_share) now += wait_most_s * uniform(rng);
    }
    return count;
}

/* Keeps the routes if they are needed to judge by. */
static scene make_scene(macadam_engine *engine, const setting *with, size_t traces, uint64_t seed,
                        bool with_ways)
{
    macadam_error error;
    macadam_info info = MACADAM_INFO_INIT;
    scene out = {0};
    test_rng rng = {seed};
    if (macadam_engine_info(&info, engine, &error)) die("info", &error);
    const int64_t *id = macadam_engine_ids(engine, &error);
    const char *quantity[2] = {"duration", "distance"};
    macadam_conditions conditions = {.size = sizeof conditions, .avoid = MACADAM_ROAD_FERRY};
    const macadam_query query = {
        .size = sizeof query, .conditions = &conditions, .quantity = quantity, .quantity_count = 2};
    out.point = checked_allocate(traces * POINTS_MAX, sizeof *out.point);
    out.arc = checked_allocate(traces * POINTS_MAX, sizeof *out.arc);
    out.first = checked_zeroed(traces + 1, sizeof *out.first);
    out.way = checked_zeroed(traces, sizeof *out.way);
    while (out.trace_count < traces) {
        const macadam_place place[2] = {{.id = id[rng_below(&rng, (uint32_t)info.id_count)]},
                                        {.id = id[rng_below(&rng, (uint32_t)info.id_count)]}};
        const macadam_route_request request = {
            .size = sizeof request, .waypoint = place, .waypoint_count = 2};
        macadam_route *way;
        if (macadam_route_find(&way, engine, &query, &request, &error)) die("route", &error);
        const size_t before = out.point_count;
        const bool enough = way->found && sample(&out, way, with, &rng) >= 8;
        if (enough)
            out.first[++out.trace_count] = out.point_count;
        else
            out.point_count = before;
        if (enough && with_ways)
            out.way[out.trace_count - 1] = way;
        else
            macadam_route_free(way);
    }
    return out;
}

/* ---- accuracy ---- */

/* An arc with its length in cm. */
typedef struct length {
    uint64_t arc;
    double cm;
} length;

static int compare_lengths(const void *a, const void *b)
{
    const length *x = a, *y = b;
    return (x->arc > y->arc) - (x->arc < y->arc);
}

/* Appends the arcs of a route; sorts and merges them. */
static size_t list_arcs(length *out, size_t count, const macadam_route *way)
{
    for (size_t a = 0; a < way->arc_count; ++a) {
        const double share = way->arc[a].to - way->arc[a].from;
        if (share > 1e-3) out[count++] = (length){way->arc[a].arc, way->arc[a].value[1] / share};
    }
    size_t kept = 0;
    qsort(out, count, sizeof *out, compare_lengths);
    for (size_t i = 0; i < count; ++i)
        if (kept == 0 || out[kept - 1].arc != out[i].arc) out[kept++] = out[i];
    return kept;
}

/* The length of the arcs of `a` that are not in `b`, but for two. */
static double missing(const length *a, size_t a_count, const length *b, size_t b_count, uint64_t but,
                      uint64_t and_but)
{
    double sum = 0;
    for (size_t i = 0; i < a_count; ++i)
        if (a[i].arc != but && a[i].arc != and_but && !bsearch(&a[i], b, b_count, sizeof *b, compare_lengths))
            sum += a[i].cm;
    return sum;
}

typedef struct accuracy {
    double wrong_cm, true_cm, breaks;
    size_t right, matched;
} accuracy;

static accuracy judge(const scene *with, const macadam_matches *got)
{
    accuracy out = {0};
    size_t matching = 0, most = 0;
    for (size_t t = 0; t < with->trace_count; ++t) most += with->way[t]->arc_count;
    for (size_t m = 0; m < got->matching_count; ++m) most += got->matching[m].route->arc_count;
    FREED length *truth = checked_allocate(most, sizeof *truth),
                 *found = checked_allocate(most, sizeof *found);
    for (size_t t = 0; t < with->trace_count; ++t) {
        const macadam_route *way = with->way[t];
        const uint64_t begin = with->arc[with->first[t]], end = with->arc[with->first[t + 1] - 1];
        size_t first = 0, last = way->arc_count - 1, found_count = 0;
        while (way->arc[first].arc != begin) ++first;
        while (way->arc[last].arc != end) --last;
        macadam_route part = *way;
        part.arc += first;
        part.arc_count = last + 1 - first;
        const size_t true_count = list_arcs(truth, 0, &part);
        out.breaks -= 1;
        for (; matching < got->matching_count && got->matching[matching].trace == t; ++matching) {
            found_count = list_arcs(found, found_count, got->matching[matching].route);
            out.breaks += 1;
        }
        for (size_t i = 0; i < true_count; ++i) out.true_cm += truth[i].cm;
        out.wrong_cm += missing(truth, true_count, found, found_count, begin, end) +
                        missing(found, found_count, truth, true_count, begin, end);
    }
    for (size_t i = 0; i < got->point_count; ++i) {
        out.matched += got->point[i].status == MACADAM_MATCH_OK;
        out.right += got->point[i].status == MACADAM_MATCH_OK && got->point[i].snap.arc == with->arc[i];
    }
    return out;
}

/* ---- times ---- */

static double now_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static macadam_matches *match(macadam_engine *engine, const macadam_match_request *request)
{
    const char *quantity[2] = {"duration", "distance"};
    macadam_matches *out;
    macadam_error error;
    const macadam_query query = {.size = sizeof query, .quantity = quantity, .quantity_count = 2};
    if (macadam_match_find(&out, engine, &query, request, &error)) die("match", &error);
    return out;
}

static double best_time(macadam_engine *engine, const macadam_match_request *request)
{
    double best = INFINITY;
    for (int run = 0; run < RUNS; ++run) {
        const double begin = now_s(CLOCK_PROCESS_CPUTIME_ID);
        macadam_matches_free(match(engine, request));
        best = fmin(best, now_s(CLOCK_PROCESS_CPUTIME_ID) - begin);
    }
    return best;
}

static macadam_match_request request_of(const scene *all, const setting *with)
{
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    request.point = all->point;
    request.point_count = all->point_count;
    request.first = all->first;
    request.trace_count = all->trace_count;
    request.accuracy_m = with->noise_m;
    return request;
}

static void free_scene(scene *all)
{
    for (size_t t = 0; t < all->trace_count; ++t) macadam_route_free(all->way[t]);
    free(all->point);
    free(all->arc);
    free(all->first);
    free(all->way);
}

static bool is_equal(const macadam_matches *a, const macadam_matches *b)
{
    if (a->point_count != b->point_count || a->matching_count != b->matching_count) return false;
    for (size_t i = 0; i < a->point_count; ++i) {
        const macadam_match_point *x = &a->point[i], *y = &b->point[i];
        if (x->status != y->status || x->matching != y->matching || x->waypoint != y->waypoint ||
            x->alternatives != y->alternatives || x->along != y->along || x->snap.arc != y->snap.arc)
            return false;
        if (x->status == MACADAM_MATCH_OK && (x->snap.lon != y->snap.lon || x->snap.lat != y->snap.lat))
            return false;
    }
    for (size_t m = 0; m < a->matching_count; ++m) {
        const macadam_matching *x = &a->matching[m], *y = &b->matching[m];
        if (x->trace != y->trace || x->confidence != y->confidence || x->distance_m != y->distance_m ||
            x->duration_s != y->duration_s)
            return false;
    }
    return true;
}

/* Matches all traces on a device. The first one's answer becomes *first; others are compared with it. */
static void measure_device(const char *file, const char *device, const scene *all, const setting *with,
                           macadam_matches **first)
{
    const macadam_match_request request = request_of(all, with);
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_engine(file, device, 0);
    macadam_matches *got = NULL;
    double time[RUNS], processors = 0;
    for (int run = 0; run < RUNS; ++run) {
        macadam_matches_free(got);
        const double begin = now_s(CLOCK_MONOTONIC), used = now_s(CLOCK_PROCESS_CPUTIME_ID);
        got = match(engine, &request);
        time[run] = now_s(CLOCK_MONOTONIC) - begin;
        processors = (now_s(CLOCK_PROCESS_CPUTIME_ID) - used) / time[run];
    }
    if (!*first) *first = got;
    printf("%10g %7g %8zu points on %s in %.3f, %.3f, %.3f s (%.1f processors): %.0f points/s%s\n",
           with->interval_s, with->noise_m, all->point_count, device, time[0], time[1], time[2], processors,
           (double)all->point_count / fmin(time[0], fmin(time[1], time[2])),
           is_equal(*first, got) ? "" : ", another answer");
    fflush(stdout);
    if (got != *first) macadam_matches_free(got);
}

static void measure_bulk(const char *file, size_t traces, double interval_s, char **device, int device_count)
{
    const setting *with = settings;
    while (with->interval_s != interval_s && with + 1 < settings + sizeof settings / sizeof *settings) ++with;
    macadam_engine *engine = open_engine(file, "cpu", 0);
    scene all = make_scene(engine, with, traces, default_seed, false);
    macadam_matches *first = NULL;
    macadam_engine_close(engine);
    for (int i = 0; i < device_count; ++i) measure_device(file, device[i], &all, with, &first);
    macadam_matches_free(first);
    free_scene(&all);
}

static void measure(macadam_engine *engine, const setting *with, size_t traces, uint64_t seed)
{
    scene all = make_scene(engine, with, traces, seed, true);
    macadam_match_request request = request_of(&all, with);
    request.routes = true;
    macadam_matches *got = match(engine, &request);
    const accuracy is = judge(&all, got);
    macadam_matches_free(got);
    request.routes = false;
    const double time = best_time(engine, &request);
    request.arcs = true;
    const double with_arcs = best_time(engine, &request);
    request.arcs = false, request.routes = true;
    const double with_routes = best_time(engine, &request);
    request.arcs = true, request.routes = false;
    request.trace_count = 1;
    request.point_count = all.first[1];
    const double alone = best_time(engine, &request);
    printf("%10g %7g %8zu %9.2f %8.2f %9.2f %8.0f %11.0f %11.0f %11.0f %9.2f (%zu points)\n",
           with->interval_s, with->noise_m, all.point_count, 100 * is.wrong_cm / is.true_cm,
           100.0 * (double)is.right / (double)all.point_count,
           100.0 * (double)is.matched / (double)all.point_count, is.breaks, (double)all.point_count / time,
           (double)all.point_count / with_arcs, (double)all.point_count / with_routes, alone * 1000,
           all.first[1]);
    free_scene(&all);
}

/* The time until another engine has matched the first trace. */
static void measure_first(const char *file, macadam_engine *engine)
{
    const setting *const with = &settings[1];
    scene one = make_scene(engine, with, 1, default_seed, false);
    const macadam_match_request request = request_of(&one, with);
    const double opening = bench_seconds_now();
    SCOPED(macadam_engine_close_at) macadam_engine *const fresh = open_engine(file, "cpu", 1);
    macadam_matches_free(match(fresh, &request));
    bench_print_first(opening);
    free_scene(&one);
}

int main(int argc, char **argv)
{
    const bool bulk = argc >= 6 && strcmp(argv[2], "bulk") == 0;
    if (argc < 2 || (argc > 4 && !bulk)) {
        fprintf(stderr, "usage: match FILE.mcd [TRACES [SEED] | bulk TRACES INTERVAL DEVICE...]\n");
        return 2;
    }
    if (bulk) {
        measure_bulk(argv[1], strtoul(argv[3], NULL, 10), strtod(argv[4], NULL), argv + 5, argc - 5);
        return 0;
    }
    SCOPED(macadam_engine_close_at) macadam_engine *engine = open_engine(argv[1], "cpu", 1);
    measure_first(argv[1], engine);
    printf("interval s noise m   points mismatch%% right %% matched %%   breaks    points/s   with arcs  "
           "and routes  one ms\n");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i)
        measure(engine, &settings[i], argc > 2 ? strtoul(argv[2], NULL, 10) : 300,
                argc > 3 ? strtoull(argv[3], NULL, 10) : default_seed);
    return 0;
}
