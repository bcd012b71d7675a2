/* country_questions.c - each kind of question on one map: the first on an engine that opens for it, and the next ones.
 *
 *     country_questions FILE.mcd [DEVICE [trust] [shared] [QUESTION...]]
 *
 * DEVICE is "cpu" unless it is given. QUESTION is a part of the names of the questions that are measured, as "route"; all
 * are unless some are named. With "trust", the file's sections are not checked. With "shared", one engine answers
 * all questions, so that a compact file is unpacked once; a first question then includes only what its kind needs. All
 * processors compute. Times are in ms: of the wall clock, and of all processors together; of the next questions medians, and the
 * longest one.
 * The sum is of the answers to the first and the next LEAST questions: it is the same for each device and each kind of file, but
 * for the last question of a shared engine, whose arcs others have closed. Questions are near random junctions of the map;
 * near ones have the ids next to theirs, which in a country are those of one town. */
#include "engine/runtime/load.h"
#include "tests/bench/bench.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
    PLACES = 20000, /* half of them sources; target i is in the town of source i */
    NEXT = 21,
    LEAST = 5, /* next questions, however long they take */
    SIDE = 1000,
    LARGE_SIDE = 10000,
    LARGE_NEXT = 1,
    TOWN_IDS = 100,
    TILE_ZOOM = 15,
    WITHIN = 600, /* seconds */
    TRACE_MAX = 100,
};
static const double enough_s = 5, pi = 3.14159265358979323846;

typedef struct bench_run {
    const char *file;
    macadam_engine_options options;
    bool shared;
    macadam_engine *engine; /* in use */
    macadam_place place[PLACES];
    uint64_t arc[NEXT + 1]; /* on the way of each of the first questions */
    uint32_t unit;          /* of durations, in a second */
    uint64_t sum;
    uint32_t *value; /* [LARGE_SIDE * LARGE_SIDE] */
} bench_run;

/* Asks question i of a kind, on bench->engine, and adds the answer to bench->sum. */
typedef void (*bench_question)(bench_run *bench, size_t i);

static void add(bench_run *bench, uint64_t answer)
{
    bench->sum = bench->sum * 31 + answer;
}

/* ---- questions ---- */

static void ask_info(bench_run *bench, size_t i)
{
    macadam_info info = MACADAM_INFO_INIT;
    (void)i;
    BENCH_CALL(macadam_engine_info, &info, bench->engine);
    add(bench, info.arc_count);
}

static void ask_snap(bench_run *bench, size_t i)
{
    macadam_snap snap;
    BENCH_CALL(macadam_snap_find, &snap, bench->engine, NULL, &bench->place[i], 1);
    add(bench, (uint64_t)snap.id);
}

static macadam_route *find_route(bench_run *bench, size_t from, size_t to, bool steps)
{
    const macadam_place waypoint[] = {bench->place[from], bench->place[to]};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    macadam_route *route;
    request.waypoint = waypoint, request.waypoint_count = 2, request.steps = steps;
    BENCH_CALL(macadam_route_find, &route, bench->engine, NULL, &request);
    return route;
}

static void add_route(bench_run *bench, macadam_route *route)
{
    add(bench, route->found ? route->value[0] + route->step_count : 0);
    macadam_route_free(route);
}

static void ask_near_route(bench_run *bench, size_t i)
{
    add_route(bench, find_route(bench, i, PLACES / 2 + i, false));
}

static void ask_far_route(bench_run *bench, size_t i)
{
    add_route(bench, find_route(bench, i, PLACES / 2 - 1 - i, false));
}

static void ask_steps(bench_run *bench, size_t i)
{
    add_route(bench, find_route(bench, i, PLACES / 2 + i, true));
}

static void ask_tile(bench_run *bench, size_t i)
{
    const double across = (bench->place[i].lon + 180) / 360,
                 down = 0.5 - atanh(sin(bench->place[i].lat * pi / 180)) / (2 * pi);
    macadam_bytes tile;
    BENCH_CALL(macadam_vector_tile_find, &tile, bench->engine, TILE_ZOOM, (uint32_t)ldexp(across, TILE_ZOOM),
               (uint32_t)ldexp(down, TILE_ZOOM));
    add(bench, tile.size);
    macadam_bytes_free(&tile);
}

static void ask_isochrone(bench_run *bench, size_t i)
{
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *isochrone = NULL;
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    request.source = bench->place[i], request.limit = WITHIN * bench->unit;
    BENCH_CALL(macadam_isochrone_find, &isochrone, bench->engine, NULL, &request);
    add(bench, isochrone->arc_count);
}

static void ask_area(bench_run *bench, size_t i)
{
    SCOPED(macadam_rings_free_at) macadam_rings *rings = NULL;
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    const uint32_t limit = WITHIN * bench->unit;
    request.source = &bench->place[i], request.source_count = 1;
    request.limit = &limit, request.limit_count = 1;
    BENCH_CALL(macadam_rings_find, &rings, bench->engine, NULL, &request);
    add(bench, rings->point_count);
}

/* The line of a route in a town, at each of its points. Its route is a question of its own. */
static void ask_match(bench_run *bench, size_t i)
{
    SCOPED(macadam_matches_free_at) macadam_matches *matches = NULL;
    macadam_route *const route = find_route(bench, i, PLACES / 2 + i, false);
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    static macadam_trace_point point[TRACE_MAX];
    for (size_t k = 0; k < TRACE_MAX && k < route->shape_count; ++k)
        point[k] = (macadam_trace_point){.lon = route->lon[k], .lat = route->lat[k], .time_s = NAN};
    request.point = point;
    request.point_count = route->shape_count < TRACE_MAX ? route->shape_count : TRACE_MAX;
    macadam_route_free(route);
    BENCH_CALL(macadam_match_find, &matches, bench->engine, NULL, &request);
    add(bench, matches->matching_count);
}

static void find_matrix(bench_run *bench, size_t first, size_t side)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = bench->place + first, request.source_count = side;
    request.target = bench->place + PLACES / 2, request.target_count = side;
    uint32_t *const value[] = {bench->value};
    BENCH_CALL(macadam_matrix_find_into, value, NULL, bench->engine, NULL, &request);
    for (size_t k = 0; k < side * side; ++k) add(bench, bench->value[k]);
}

static void ask_matrix(bench_run *bench, size_t i)
{
    find_matrix(bench, i, SIDE);
}

static void ask_large_matrix(bench_run *bench, size_t i)
{
    (void)i;
    find_matrix(bench, 0, LARGE_SIDE);
}

static void update(bench_run *bench, const uint64_t *arc, const uint32_t *weight, size_t count)
{
    static const char *const quantity[] = {"duration"};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = count;
    request.quantity = quantity, request.quantity_count = 1, request.value = &weight;
    BENCH_CALL(macadam_update, bench->engine, &request);
}

/* Closes a road on the way. */
static void ask_update(bench_run *bench, size_t i)
{
    const uint32_t closed = MACADAM_WEIGHT_CLOSED;
    update(bench, &bench->arc[i], &closed, 1);
}

static void ask_updated_route(bench_run *bench, size_t i)
{
    ask_update(bench, i);
    ask_near_route(bench, i);
}

/* Gives all arcs new durations. */
static void ask_update_of_all(bench_run *bench, size_t i)
{
    macadam_engine *const engine = bench->engine;
    mcd_array *in_use;
    size_t quantity;
    BENCH_CALL(mcd_engine_find_quantity, engine, "duration", &quantity);
    BENCH_CALL(mcd_engine_load, engine, MCD_LOAD_FACTS);
    BENCH_CALL(mcd_engine_use_quantity, engine, quantity, &in_use);
    FREED uint32_t *const weight = checked_allocate(engine->original_count, sizeof *weight);
    for (uint32_t arc = 0; arc < engine->graph.arc_count; ++arc) {
        const uint32_t original = mcd_arc_original(&engine->facts, arc);
        const uint32_t now = in_use->weight[arc];
        if (original != MCD_ROAD_NONE)
            weight[original] = now < MCD_UNREACHED ? now + 1 + (uint32_t)i : MACADAM_WEIGHT_CLOSED;
    }
    mcd_array_leave(in_use);
    update(bench, engine->facts.number, weight, engine->original_count);
    ask_near_route(bench, i);
}

static const struct {
    const char *name;
    bench_question ask;
    size_t next; /* at most */
} questions[] = {
    {"info", ask_info, NEXT},
    {"snap", ask_snap, NEXT},
    {"route in a town", ask_near_route, NEXT},
    {"route across the map", ask_far_route, NEXT},
    {"steps in a town", ask_steps, NEXT},
    {"tile, zoom 15", ask_tile, NEXT},
    {"match, 100 points", ask_match, NEXT},
    {"isochrone, 10 minutes", ask_isochrone, NEXT},
    {"its area", ask_area, NEXT},
    {"1000 x 1000", ask_matrix, NEXT},
    {"10,000 x 10,000", ask_large_matrix, LARGE_NEXT},
    {"update of an arc", ask_update, NEXT},
    {"update of an arc, route", ask_updated_route, NEXT},
    {"update of all, route", ask_update_of_all, LARGE_NEXT},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* ---- times ---- */

static double ms_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

typedef struct stop_watch {
    double wall_ms, processor_ms;
} stop_watch;

static stop_watch start(void)
{
    return (stop_watch){ms_of(CLOCK_MONOTONIC), ms_of(CLOCK_PROCESS_CPUTIME_ID)};
}

static stop_watch stop(stop_watch since)
{
    const stop_watch now = start();
    return (stop_watch){now.wall_ms - since.wall_ms, now.processor_ms - since.processor_ms};
}

static void open_engine(bench_run *bench)
{
    if (!bench->engine) BENCH_CALL(macadam_engine_open, &bench->engine, bench->file, &bench->options);
}

static void close_engine(bench_run *bench)
{
    macadam_engine_close(bench->engine);
    bench->engine = NULL;
}

static void measure(bench_run *bench, size_t question)
{
    double wall[NEXT], processor[NEXT];
    size_t count = 0;
    uint64_t sum = 0;
    const stop_watch begin = start();
    bench->sum = 0;
    open_engine(bench);
    questions[question].ask(bench, 0);
    const stop_watch first = stop(begin);
    while (count < questions[question].next &&
           (count < LEAST || stop(begin).wall_ms < first.wall_ms + 1e3 * enough_s)) {
        const stop_watch since = start();
        questions[question].ask(bench, count + 1);
        const stop_watch next = stop(since);
        if (count < LEAST) sum = bench->sum;
        wall[count] = next.wall_ms, processor[count++] = next.processor_ms;
    }
    bench_sort(wall, count);
    bench_sort(processor, count);
    printf("%-24s %10.2f %10.2f %10.3f %10.3f %10.2f  %2zu  %016" PRIx64 "\n", questions[question].name,
           first.wall_ms, first.processor_ms, wall[count / 2], processor[count / 2], wall[count - 1], count,
           sum);
    fflush(stdout);
    if (!bench->shared) close_engine(bench);
}

/* ---- places ---- */

static void choose_places(bench_run *bench)
{
    FREED macadam_snap *const snap = checked_zeroed(PLACES, sizeof *snap);
    macadam_info info = MACADAM_INFO_INIT;
    macadam_error error;
    test_rng rng = {2026};
    BENCH_CALL(macadam_engine_info, &info, bench->engine);
    const int64_t *const id = macadam_engine_ids(bench->engine, &error);
    if (!id) bench_expect_ok(MACADAM_E_FILE, &error);
    for (size_t i = 0; i < PLACES / 2; ++i) {
        const size_t at = rng_below(&rng, (uint32_t)info.id_count);
        bench->place[i].id = id[at];
        bench->place[PLACES / 2 + i].id = id[at >= TOWN_IDS ? at - TOWN_IDS : at + TOWN_IDS];
    }
    BENCH_CALL(macadam_snap_find, snap, bench->engine, NULL, bench->place, PLACES);
    for (size_t i = 0; i < PLACES; ++i)
        bench->place[i] =
            (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = snap[i].lon, .lat = snap[i].lat};
    for (size_t i = 0; i <= NEXT; ++i) {
        SCOPED(macadam_route_free_at)
        macadam_route *const route = find_route(bench, i, PLACES / 2 + i, false);
        bench->arc[i] = route->arc_count > 0 ? route->arc[route->arc_count / 2].arc : 1;
    }
    bench->unit = strcmp(info.unit[0], "ms") == 0 ? 1000 : 1;
    printf("%s on %s: %.1f MB; %" PRIu64 " junctions, %zu arcs of roads, %" PRIu64
           " turn restrictions; %" PRIu64 " copies, %" PRIu64 " arcs, %" PRIu64 " upward arcs, height %u\n",
           bench->file, info.device, 1e-6 * (double)info.file_bytes, (uint64_t)info.id_count,
           bench->engine->original_count, (uint64_t)info.restriction_count, (uint64_t)info.node_count,
           (uint64_t)info.arc_count, (uint64_t)info.up_arc_count, info.height);
}

int main(int argc, char **argv)
{
    static bench_run bench;
    bool wanted[QUESTIONS] = {false}, is_chosen = false;
    if (argc < 2)
        return fprintf(stderr, "usage: country_questions FILE.mcd [DEVICE [trust] [shared] [QUESTION...]]\n"),
               2;
    bench.file = argv[1];
    bench.options = (macadam_engine_options)MACADAM_ENGINE_OPTIONS_INIT;
    bench.options.device = argc > 2 ? argv[2] : "cpu";
    for (int i = 3; i < argc; ++i) {
        const bool trusts = strcmp(argv[i], "trust") == 0, shares = strcmp(argv[i], "shared") == 0;
        bench.options.trust_file |= trusts, bench.shared |= shares;
        for (size_t k = 0; !trusts && !shares && k < QUESTIONS; ++k)
            wanted[k] |= strstr(questions[k].name, argv[i]) != NULL, is_chosen = true;
    }
    FREED uint32_t *const value = checked_allocate((size_t)LARGE_SIDE * LARGE_SIDE, sizeof *value);
    bench.value = value;
    open_engine(&bench);
    choose_places(&bench);
    if (!bench.shared) close_engine(&bench);
    printf("%-24s %10s %10s %10s %10s %10s\n", "", "first: ms", "processors", "next: ms", "processors",
           "longest");
    for (size_t i = 0; i < QUESTIONS; ++i)
        if (wanted[i] || !is_chosen) measure(&bench, i);
    close_engine(&bench);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("memory, with the pages of the file that were read: %.2f GB at most\n",
           1024e-9 * (double)used.ru_maxrss);
    return 0;
}
