/* test_progress.c - imports ask their progress callback at least every 50 ms, in each phase.
 *
 * A gap is the processor time of the calling thread between two calls, which other programs do not lengthen.
 * Imports run on one thread, so that this thread does all the work. */
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 200, NODES = SIDE * SIDE, ARCS = 4 * SIDE * (SIDE - 1), MAP_PATHS = 3 };

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
    unlink(output);
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
    size_t arc_count;
} grid;

static void add_street(grid *map, test_rng *rng, uint32_t a, uint32_t b)
{
    for (int direction = 0; direction < 2; ++direction) {
        map->tail[map->arc_count] = direction ? b : a;
        map->head[map->arc_count] = direction ? a : b;
        map->weight[map->arc_count++] = (uint32_t)(rng_next(rng) % 1000);
    }
}

static grid *make_grid(void)
{
    grid *const map = checked_zeroed(1, sizeof *map);
    test_rng rng = {1};
    for (uint32_t node = 0; node < NODES; ++node) {
        const uint32_t x = node % SIDE, y = node / SIDE;
        map->id[node] = (int64_t)node * 7919 % 1000003;
        map->lon_e7[node] = (int32_t)x * 10000;
        map->lat_e7[node] = (int32_t)y * 10000;
        if (x + 1 < SIDE) add_street(map, &rng, node, node + 1);
        if (y + 1 < SIDE) add_street(map, &rng, node, node + SIDE);
    }
    cr_assert_eq(map->arc_count, ARCS);
    return map;
}

Test(progress, imports_of_arrays_ask)
{
    static const char *const quantity[] = {"duration"}, *const way[] = {"hierarchy", "ready", "no hierarchy"};
    grid *const map = make_grid();
    const uint32_t *const weight[] = {map->weight};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = NODES, input.arc_count = ARCS, input.quantity_count = 1;
    input.id = map->id, input.lon_e7 = map->lon_e7, input.lat_e7 = map->lat_e7;
    input.tail = map->tail, input.head = map->head;
    input.quantity = quantity, input.weight = weight;
    for (int i = 0; i < MAP_PATHS; ++i) {
        gaps seen;
        macadam_error error = {""};
        macadam_import_options options = begin(&seen);
        options.ready = i == 1;
        options.no_hierarchy = i == 2;
        expect_no_gap(macadam_import_arrays(&input, &options, &error), &error, &seen, way[i]);
    }
    free(map);
}

/* ---- real maps ---- */

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
