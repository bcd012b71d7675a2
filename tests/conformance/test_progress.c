/* test_progress.c - imports and first uses of a map ask their progress callback at least every 50 ms, in each
 * phase. A call that is told to stop, whenever it asks, leaves the engine as it was.
 *
 * A gap is the processor time of the calling thread between two calls, which other programs do not lengthen.
 * All runs on one thread, so that this thread does all the work. */
#include "engine/base/watch.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

enum { SIDE = 200, SMALL_SIDE = 16, NODES = SIDE * SIDE, ARCS = 4 * SIDE * (SIDE - 1), MAP_PATHS = 3 };

#ifdef __SANITIZE_ADDRESS__
enum { GAP_MS = 500 }; /* each access to memory takes several times as long */
#else
enum { GAP_MS = 50 };
#endif

typedef struct gaps {
    double last_ms, longest_ms;
    char before[64], from[64], to[64]; /* the phase of the last call; where the longest gap begins and ends */
} gaps;

static char folder[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool note(void *context, const char *phase, uint64_t done, uint64_t total)
{
    gaps *const seen = context;
    const double now = processor_ms();
    (void)done, (void)total;
    if (now - seen->last_ms > seen->longest_ms) {
        seen->longest_ms = now - seen->last_ms;
        memcpy(seen->from, seen->before, sizeof seen->from);
        snprintf(seen->to, sizeof seen->to, "%s", phase);
    }
    snprintf(seen->before, sizeof seen->before, "%s", phase);
    seen->last_ms = now;
    return true;
}

static macadam_import_options begin(gaps *seen)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    *seen = (gaps){.last_ms = processor_ms(), .before = "the beginning"};
    options.output = output;
    options.threads = 1;
    options.progress = note;
    options.context = seen;
    return options;
}

static void expect_no_gap(macadam_status status, const macadam_error *error, gaps *seen, const char *what)
{
    fixture_expect_ok(status, error, what);
    note(seen, "the end", 0, 0);
    cr_expect_lt(seen->longest_ms, GAP_MS, "%s: %.0f ms without a call from %s to %s", what, seen->longest_ms,
                 seen->from, seen->to);
}

static void make_folder(void)
{
    files_new_folder(folder);
    snprintf(output, sizeof output, "%s/new.mcd", folder);
}

static void remove_folder(void)
{
    files_remove_folder(folder);
}

TestSuite(progress, .init = make_folder, .fini = remove_folder);

/* ---- a grid of streets ---- */

/* Its ids do not ascend. */
typedef struct grid {
    int64_t id[NODES];
    int32_t lon_e7[NODES], lat_e7[NODES];
    uint32_t tail[ARCS], head[ARCS], weight[ARCS];
    size_t node_count, arc_count;
} grid;

static void add_street(grid *map, test_rng *rng, uint32_t a, uint32_t b)
{
    for (int direction = 0; direction < 2; ++direction) {
        map->tail[map->arc_count] = direction ? b : a;
        map->head[map->arc_count] = direction ? a : b;
        map->weight[map->arc_count++] = (uint32_t)(rng_next(rng) % 1000);
    }
}

static grid *make_grid(uint32_t side)
{
    grid *const map = checked_zeroed(1, sizeof *map);
    test_rng rng = {1};
    map->node_count = (size_t)side * side;
    for (uint32_t node = 0; node < side * side; ++node) {
        const uint32_t x = node % side, y = node / side;
        map->id[node] = (int64_t)node * 7919 % 1000003;
        map->lon_e7[node] = (int32_t)x * 10000;
        map->lat_e7[node] = (int32_t)y * 10000;
        if (x + 1 < side) add_street(map, &rng, node, node + 1);
        if (y + 1 < side) add_street(map, &rng, node, node + side);
    }
    return map;
}

static macadam_status import_grid(const grid *map, const macadam_import_options *options,
                                  macadam_error *error)
{
    static const char *const quantity[] = {"duration"};
    const uint32_t *const weight[] = {map->weight};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = map->node_count, input.arc_count = map->arc_count, input.quantity_count = 1;
    input.id = map->id, input.lon_e7 = map->lon_e7, input.lat_e7 = map->lat_e7;
    input.tail = map->tail, input.head = map->head;
    input.quantity = quantity, input.weight = weight;
    return macadam_import_arrays(&input, options, error);
}

Test(progress, imports_of_arrays_ask)
{
    static const char *const way[] = {"hierarchy", "ready", "no hierarchy"};
    grid *const map = make_grid(SIDE);
    for (int i = 0; i < MAP_PATHS; ++i) {
        gaps seen;
        macadam_error error = {""};
        macadam_import_options options = begin(&seen);
        options.ready = i == 1;
        options.no_hierarchy = i == 2;
        expect_no_gap(import_grid(map, &options, &error), &error, &seen, way[i]);
    }
    free(map);
}

/* ---- first uses ---- */

/* Uses an engine; *answer depends on what it answers. */
typedef macadam_status (*use_engine)(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                     macadam_error *error);

static macadam_info info_of(macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    macadam_error error;
    fixture_expect_ok(macadam_engine_info(engine, &info, &error), &error, "info");
    return info;
}

/* A point in the middle of the map, and one beside it. */
static void choose_points(macadam_engine *engine, macadam_place place[2])
{
    const macadam_info info = info_of(engine);
    for (int i = 0; i < 2; ++i)
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                   .lon = (info.west + info.east) / 2 + i * 2e-3,
                                   .lat = (info.south + info.north) / 2};
}

static macadam_status use_tree(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    const size_t count = info_of(engine).id_count;
    uint32_t *const cost = checked_zeroed(count, sizeof *cost), *const value[] = {cost};
    macadam_place place[2];
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    choose_points(engine, place);
    request.source = place, request.source_count = 1;
    const macadam_status status = macadam_tree(engine, query, &request, value, NULL, error);
    *answer = cost[count / 3];
    free(cost);
    return status;
}

static macadam_status use_route(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                macadam_error *error)
{
    macadam_place place[2];
    macadam_route *route;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    choose_points(engine, place);
    request.waypoint = place, request.waypoint_count = 2;
    request.steps = true;
    const macadam_status status = macadam_route_find(engine, query, &request, &route, error);
    *answer = status ? 0 : route->value[0];
    macadam_route_free(route);
    return status;
}

static macadam_status use_search(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    const size_t count = info_of(engine).id_count;
    uint32_t *const cost = checked_zeroed(count, sizeof *cost), *const value[] = {cost};
    macadam_place place[2];
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    choose_points(engine, place);
    request.source = place, request.source_count = 1, request.reverse = true;
    request.method = MACADAM_TREE_BELLMAN_FORD;
    const macadam_status status = macadam_tree(engine, query, &request, value, NULL, error);
    *answer = cost[count / 3];
    free(cost);
    return status;
}

/* The area holds no road, but the query then has weights of its own. */
static macadam_status use_conditions(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                     macadam_error *error)
{
    static const double lon[] = {50, 51, 51}, lat[] = {50, 50, 51};
    const macadam_area area = {.lon = lon, .lat = lat, .point_count = 3};
    macadam_conditions conditions = MACADAM_CONDITIONS_INIT;
    macadam_query own = *query;
    conditions.area = &area, conditions.area_count = 1;
    own.conditions = &conditions;
    return use_route(engine, &own, answer, error);
}

static macadam_status use_update(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    static const char *const quantity[] = {"duration"};
    const uint64_t arc = 1;
    const uint32_t weight = 7, *const value[] = {&weight};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = &arc, request.count = 1;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    request.progress = query->progress, request.progress_context = query->progress_context;
    const macadam_status status = macadam_update(engine, &request, error);
    return status ? status : use_tree(engine, query, answer, error);
}

static const struct {
    const char *name;
    use_engine use;
} uses[] = {
    {"tree", use_tree},     {"route", use_route}, {"search", use_search}, {"conditions", use_conditions},
    {"update", use_update},
};
enum { USES = sizeof uses / sizeof *uses };

static void expect_no_gap_at_first_use(const char *path, int use)
{
    gaps seen = {.last_ms = processor_ms(), .before = "the beginning"};
    macadam_query query = MACADAM_QUERY_INIT;
    uint64_t answer;
    macadam_error error = {""};
    macadam_engine *const engine = fixture_open_file(path, 1);
    query.progress = note, query.progress_context = &seen;
    fixture_expect_ok(uses[use].use(engine, &query, &answer, &error), &error, uses[use].name);
    note(&seen, "the end", 0, 0);
    cr_expect_lt(seen.longest_ms, GAP_MS, "%s: %.0f ms without a call from %s to %s", uses[use].name,
                 seen.longest_ms, seen.from, seen.to);
    macadam_engine_close(engine);
}

Test(progress, first_uses_ask)
{
    grid *const map = make_grid(SIDE);
    for (int ready = 0; ready < 2; ++ready) {
        gaps seen;
        macadam_error error;
        macadam_import_options options = begin(&seen);
        options.ready = ready;
        fixture_expect_ok(import_grid(map, &options, &error), &error, "import");
        for (int use = 0; use < USES; ++use) expect_no_gap_at_first_use(output, use);
    }
    free(map);
}

/* Refuses to go on the `left`-th time that it is asked. */
static bool refuse(void *context, const char *phase, uint64_t done, uint64_t total)
{
    size_t *const left = context;
    (void)phase, (void)done, (void)total;
    return *left == 0 || --*left > 0;
}

/* Stops the first use when it asks for the `nth` time, and then uses the engine as if nothing had been.
 * Returns whether it asked so often. */
static bool expect_stopped(const char *path, int use, size_t nth, uint64_t expected)
{
    size_t left = nth;
    uint64_t answer;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_error error = {""};
    macadam_engine *const engine = fixture_open_file(path, 1);
    query.progress = refuse, query.progress_context = &left;
    const macadam_status status = uses[use].use(engine, &query, &answer, &error);
    cr_expect_eq(status, left ? MACADAM_OK : MACADAM_E_CANCELLED, "%s, stopped at question %zu: %d: %s",
                 uses[use].name, nth, status, error.message);
    const bool asked = left == 0;
    left = 0;
    fixture_expect_ok(uses[use].use(engine, &query, &answer, &error), &error, uses[use].name);
    cr_expect_eq(answer, expected, "%s, stopped at question %zu", uses[use].name, nth);
    macadam_engine_close(engine);
    return asked;
}

Test(progress, stopped_first_uses_leave_the_engine_as_it_was)
{
    enum { EACH = 60, LEAST = 10 };
    grid *const map = make_grid(SMALL_SIDE);
    mcd_watch_set_period(0); /* every place that could ask asks */
    for (int ready = 0; ready < 2; ++ready) {
        gaps seen;
        macadam_error error;
        macadam_import_options options = begin(&seen);
        options.ready = ready;
        fixture_expect_ok(import_grid(map, &options, &error), &error, "import");
        for (int use = 0; use < USES; ++use) {
            uint64_t expected;
            const macadam_query query = MACADAM_QUERY_INIT;
            macadam_engine *const engine = fixture_open_file(output, 1);
            fixture_expect_ok(uses[use].use(engine, &query, &expected, &error), &error, uses[use].name);
            macadam_engine_close(engine);
            size_t nth = 1;
            while (expect_stopped(output, use, nth, expected)) nth += nth < EACH ? 1 : nth / 4;
            cr_expect_gt(nth, LEAST, "%s asks %zu times", uses[use].name, nth);
        }
    }
    mcd_watch_set_period(20000000);
    free(map);
}

Test(progress, imports_of_new_york_ask)
{
    static const char *const quantity[] = {"duration", "distance"};
    char path[3][FILES_PATH_BYTES];
    if (!files_find_data(path[0], "dimacs/USA-road-t.NY.gr.gz") ||
        !files_find_data(path[1], "dimacs/USA-road-d.NY.gr.gz") ||
        !files_find_data(path[2], "dimacs/USA-road-d.NY.co.gz"))
        return;
    const char *const weight[] = {path[0], path[1]};
    macadam_dimacs_input input = MACADAM_DIMACS_INPUT_INIT;
    input.quantity = quantity, input.weight = weight, input.quantity_count = 2;
    input.coordinates = path[2];
    gaps seen;
    macadam_error error = {""};
    const macadam_import_options options = begin(&seen);
    expect_no_gap(macadam_import_dimacs(&input, &options, &error), &error, &seen, "New York");
    for (int use = 0; use < USES; ++use) expect_no_gap_at_first_use(output, use);
}

Test(progress, imports_of_milan_ask)
{
    char path[FILES_PATH_BYTES];
    if (!files_find_data(path, "osm/milan_italy_small.osm.pbf")) return;
    gaps seen;
    macadam_error error = {""};
    const macadam_import_options options = begin(&seen);
    expect_no_gap(macadam_import_osm(path, "car", &options, &error), &error, &seen, "Milan");
}
