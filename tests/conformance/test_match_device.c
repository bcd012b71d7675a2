/* test_match_device.c - traces are matched with a device as without: it computes large rounds, and the processor
 * does when it fails. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SIDE = 10, TRACES = 110, TRACE_POINTS = 40, POINTS = TRACES * TRACE_POINTS };

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_engine *host;
static double lon[SIDE * SIDE], lat[SIDE * SIDE];
static macadam_trace_point point[POINTS];
static size_t first[TRACES + 1];

/* Streets some 100 m apart. Every fourth one is one-way. */
static void write_town(const char *name)
{
    test_rng rng = {9};
    FILE *const file = fopen(name, "w");
    cr_assert_not_null(file);
    fprintf(file, "<osm version=\"0.6\">\n");
    for (int node = 0; node < SIDE * SIDE; ++node) {
        lon[node] = 8.5 + node % SIDE * 0.0013 + rng_below(&rng, 6000) * 1e-7;
        lat[node] = 47.1 + node / SIDE * 0.0009 + rng_below(&rng, 4000) * 1e-7;
        fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", node + 1, lon[node], lat[node]);
    }
    for (int way = 0; way < 2 * SIDE; ++way) {
        fprintf(file, "<way id=\"%d\"><tag k=\"highway\" v=\"residential\"/>", way + 1);
        if (way % 4 == 1) fprintf(file, "<tag k=\"oneway\" v=\"%s\"/>", way % 8 == 1 ? "yes" : "-1");
        for (int i = 0; i < SIDE; ++i)
            fprintf(file, "<nd ref=\"%d\"/>", 1 + (way < SIDE ? way * SIDE + i : i * SIDE + way - SIDE));
        fprintf(file, "</way>\n");
    }
    fprintf(file, "</osm>\n");
    fclose(file);
}

/* Each trace wanders about the town. Some points jump, so that moves are computed a second time. */
static void draw_traces(void)
{
    test_rng rng = {10};
    for (size_t t = 0; t < TRACES; ++t) {
        const uint32_t start = rng_below(&rng, SIDE * SIDE);
        double east = lon[start], north = lat[start];
        for (size_t i = 0; i < TRACE_POINTS; ++i) {
            point[t * TRACE_POINTS + i] =
                (macadam_trace_point){.lon = east, .lat = north, .time_s = (double)(10 * i), .accuracy_m = 8};
            const double far = rng_below(&rng, 12) == 0 ? 4 : 1;
            east += far * (rng_below(&rng, 1000) / 1000.0 - 0.5) * 0.002;
            north += far * (rng_below(&rng, 1000) / 1000.0 - 0.5) * 0.0014;
        }
        first[t + 1] = first[t] + TRACE_POINTS;
    }
}

static void set_up(void)
{
    char town[FILES_PATH_BYTES + 16];
    allocator_install();
    emulated_module_install();
    files_new_path(folder, town, "town.osm");
    snprintf(path, sizeof path, "%s/town.mcd", folder);
    write_town(town);
    draw_traces();
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, town, "car", &options);
    host = fixture_open_file(path, 2);
}

static void tear_down(void)
{
    macadam_engine_close(host);
    emulated_module_expect_nothing_left();
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(match_device, .init = set_up, .fini = tear_down);

/* Matches the first traces; `avoid` as in macadam_conditions. */
static macadam_matches *match(macadam_engine *engine, size_t traces, unsigned avoid)
{
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_matches *out;
    macadam_conditions conditions = {.size = sizeof conditions, .avoid = avoid};
    if (avoid) query.conditions = &conditions;
    request.point = point, request.point_count = first[traces];
    request.first = first, request.trace_count = traces;
    request.arcs = true;
    FIXTURE_CALL(macadam_match_find, &out, engine, &query, &request);
    return out;
}

static void expect_equal(const macadam_matches *a, const macadam_matches *b)
{
    cr_assert_eq(a->point_count, b->point_count);
    for (size_t i = 0; i < a->point_count; ++i) {
        const macadam_match_point *x = &a->point[i], *y = &b->point[i];
        cr_assert_eq(x->status, y->status, "point %zu", i);
        cr_assert_eq(x->matching, y->matching, "point %zu", i);
        cr_assert_eq(x->waypoint, y->waypoint, "point %zu", i);
        cr_assert_eq(x->snap.arc, y->snap.arc, "point %zu", i);
        cr_assert_eq(memcmp(&x->along, &y->along, sizeof x->along), 0, "point %zu", i);
    }
    cr_assert_eq(a->matching_count, b->matching_count);
    for (size_t m = 0; m < a->matching_count; ++m) {
        cr_assert_eq(a->matching[m].trace, b->matching[m].trace, "matching %zu", m);
        cr_assert_eq(a->matching[m].confidence, b->matching[m].confidence, "matching %zu", m);
        cr_assert_eq(a->matching[m].duration_s, b->matching[m].duration_s, "matching %zu", m);
        cr_assert_eq(a->matching[m].distance_m, b->matching[m].distance_m, "matching %zu", m);
    }
    cr_assert_eq(a->arc_count, b->arc_count);
    cr_assert_gt(a->arc_count, 0);
    cr_assert_eq(memcmp(a->arc, b->arc, a->arc_count * sizeof *a->arc), 0);
}

/* Compares an engine's answer with the processor's. */
static void expect_answer(macadam_engine *engine, unsigned avoid, const macadam_matches *right)
{
    SCOPED(macadam_matches_free_at) macadam_matches *const found = match(engine, TRACES, avoid);
    expect_equal(found, right);
}

/* Returns how often the device is called for the first traces, once all is on it. */
static size_t calls_of(macadam_engine *engine, size_t traces)
{
    macadam_matches_free(match(engine, traces, 0));
    const size_t before = cuda_emulator_call_count();
    macadam_matches_free(match(engine, traces, 0));
    return cuda_emulator_call_count() - before;
}

Test(match_device, answers_are_the_processors)
{
    static const char *const name[] = {"cuda", "cuda:all"};
    static const unsigned avoid[] = {0, MACADAM_ROAD_FERRY | MACADAM_ROAD_MOTORWAY};
    for (size_t a = 0; a < 2; ++a) {
        SCOPED(macadam_matches_free_at) macadam_matches *const right = match(host, TRACES, avoid[a]);
        for (size_t i = 0; i < 2; ++i) {
            SCOPED(macadam_engine_close_at)
            macadam_engine *const device = emulated_module_open(path, name[i], 2);
            expect_answer(device, avoid[a], right);
        }
    }
}

Test(match_device, device_computes_large_requests_only)
{
    macadam_engine *const device = emulated_module_open(path, "cuda", 2);
    const size_t few = calls_of(device, 3), many = calls_of(device, TRACES);
    macadam_engine_close(device);
    cr_assert_lt(few, 10); /* whether it is lost */
    cr_assert_gt(many, 30);
}

Test(match_device, processor_answers_when_the_device_fails)
{
    SCOPED(macadam_matches_free_at) macadam_matches *const right = match(host, TRACES, 0);
    macadam_engine *device = emulated_module_open(path, "cuda", 2);
    const size_t calls = calls_of(device, TRACES);
    for (size_t nth = 1; nth <= 12; ++nth) {
        cuda_emulator_fail_allocation(nth);
        expect_answer(device, 0, right);
        cuda_emulator_fail_allocation(0);
    }
    for (size_t nth = 1; nth < calls; nth += calls / 6 + 1) {
        cuda_emulator_lose_device(nth, CUDA_EMULATOR_FAULT);
        expect_answer(device, 0, right);
        expect_answer(device, 0, right);
        macadam_engine_close(device);
        cuda_emulator_reset();
        device = emulated_module_open(path, "cuda", 2);
    }
    macadam_engine_close(device);
}
