/* device_points.c - questions about points, beside those about nodes: places within roads, which the host looks for. */
#include "tests/bench/bench.h"
#include "tests/bench/device.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 10000,
    POINTS = 100000, /* sources, and as many targets */
    ROWS_CHECKED = 3,
    SLOTS = 96,
    SLOT_SIDE = 1000,
    LIMITS = 4,
    NEAREST = 100,
};

/* Returns the places of all questions: points within 60 m of random ids. */
static macadam_place *points_of(const device_bench *bench)
{
    const mcd_place_index *const places = &bench->engine->places;
    macadam_place *const place = checked_allocate(PLACES, sizeof *place);
    test_rng rng = {3};
    for (size_t i = 0; i < 2 * POINTS; ++i) {
        const mcd_node node = places->depart[rng_below(&rng, (uint32_t)bench->id_count)];
        place[i / POINTS * (PLACES / 2) + i % POINTS] =
            (macadam_place){.kind = MACADAM_PLACE_POINT,
                            .lon = (places->lon_e7[node] + (int32_t)rng_below(&rng, 10001) - 5000) / 1e7,
                            .lat = (places->lat_e7[node] + (int32_t)rng_below(&rng, 10001) - 5000) / 1e7};
    }
    return place;
}

/* Prints how many points have two positions: their nearest roads are cut off. */
static void print_moved(const device_bench *bench, macadam_engine *host)
{
    FREED macadam_snap *const snap = checked_zeroed(POINTS, sizeof *snap);
    size_t moved = 0;
    BENCH_CALL(macadam_snap_find, snap, host, NULL, bench->place, POINTS);
    for (size_t i = 0; i < POINTS; ++i) moved += snap[i].status == MACADAM_PLACE_MOVED;
    printf("points on roads that are cut off: %.2f %%\n", 100.0 * (double)moved / POINTS);
}

/* The first rows against those of an engine without a device. */
static void check_rows(const device_bench *bench, macadam_engine *host)
{
    const size_t cells = ROWS_CHECKED * bench->count;
    device_bench few = *bench;
    few.engine = host;
    for (int q = 0; q < 2; ++q) few.value[q] = checked_allocate(cells, sizeof(uint32_t));
    matrix_of_rows(&few, ROWS_CHECKED);
    for (int q = 0; q < (bench->joint ? 2 : 1); ++q)
        expect(memcmp(few.value[q], bench->value[q], cells * sizeof(uint32_t)) == 0, "matrices of points");
    for (int q = 0; q < 2; ++q) free(few.value[q]);
}

/* ---- routes, trees, reach, slots ---- */

/* A question of bench->count places that fills bench->value[0] or bench->reach.answer. */
typedef struct question {
    const char *name;
    size_t count, cells; /* of them; of each */
    macadam_memory_kind kind;
    void (*ask)(const device_bench *bench);
} question;

static void ask_routes(const device_bench *bench)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = bench->place, request.target = bench->place + PLACES / 2;
    request.pair_count = bench->count;
    BENCH_CALL(macadam_routes_find, bench->value, NULL, bench->engine, NULL, &request);
}

static bool take_path(void *context, size_t index, const uint64_t *arc, size_t count)
{
    (void)context, (void)index, (void)arc, (void)count;
    return true;
}

static void ask_paths(const device_bench *bench)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = bench->place, request.target = bench->place + PLACES / 2;
    request.pair_count = bench->count;
    BENCH_CALL(macadam_routes_find_paths, bench->value, NULL, bench->engine, NULL, &request, take_path, NULL);
}

static void ask_rows(const device_bench *bench)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = bench->place, request.source_count = bench->count;
    BENCH_CALL(macadam_tree_find, bench->value, NULL, bench->engine, NULL, &request);
}

static void ask_lanes(const device_bench *bench)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = bench->place, request.source_count = bench->count;
    request.order = MACADAM_ORDER_LANES;
    BENCH_CALL(macadam_tree_find, bench->value, NULL, bench->engine, NULL, &request);
}

static void ask_reach(const device_bench *bench, size_t targets)
{
    static const uint32_t limit[LIMITS] = {300000, 600000, 900000, 1800000};
    const size_t rest = bench->count * LIMITS;
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    request.source = bench->place, request.source_count = bench->count;
    request.limit = limit, request.limit_count = LIMITS;
    answer.node_count = (uint64_t *)bench->value[0];
    if (targets > 0) {
        request.target = bench->place + PLACES / 2, request.target_count = targets;
        request.nearest_count = NEAREST;
        answer.nearest_cost = bench->value[0] + 2 * rest;
    }
    BENCH_CALL(macadam_reach_find, &answer, NULL, bench->engine, NULL, &request);
}

static void ask_limits(const device_bench *bench)
{
    ask_reach(bench, 0);
}

static void ask_nearest(const device_bench *bench)
{
    ask_reach(bench, SIDE);
}

/* Matrices at each quarter of an hour of a day. */
static void ask_slots(const device_bench *bench)
{
    for (int slot = 0; slot < SLOTS; ++slot) {
        char name[16];
        uint32_t *const value[] = {bench->value[0] + slot * bench->count * bench->count};
        macadam_conditions conditions = MACADAM_CONDITIONS_INIT;
        macadam_query query = MACADAM_QUERY_INIT;
        macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
        snprintf(name, sizeof name, "Mo%02d:%02d", slot / 4, slot % 4 * 15);
        conditions.slot = name, query.conditions = &conditions;
        request.source = bench->place, request.target = bench->place + PLACES / 2;
        request.source_count = request.target_count = bench->count;
        BENCH_CALL(macadam_matrix_find_into, value, NULL, bench->engine, &query, &request);
    }
}

/* All cells against those of an engine without a device, of few places if the rows of places do not depend on each other. Routes
 * are few cells: all of them, so that each road that a device has found counts. */
static void check(const device_bench *bench, const question *asked, macadam_engine *host)
{
    device_bench few = *bench;
    few.engine = host;
    few.count = asked->ask == ask_slots || asked->ask == ask_lanes ? 16 : ROWS_CHECKED;
    if (asked->ask == ask_routes) few.count = asked->count;
    const size_t cells = asked->ask == ask_slots     ? SLOTS * few.count * few.count
                         : asked->ask == ask_lanes   ? few.count * bench->node_count
                         : asked->ask == ask_nearest ? few.count * LIMITS * 2
                                                     : few.count * asked->cells;
    uint32_t *const right = checked_zeroed(cells + few.count * asked->cells, sizeof *right);
    few.value[0] = right;
    asked->ask(&few);
    for (size_t i = 0; i < cells; ++i) {
        const size_t row = i / few.count;
        const size_t at = asked->ask == ask_slots ? row / few.count * bench->count * bench->count +
                                                        row % few.count * bench->count + i % few.count
                          : asked->ask == ask_lanes ? row * bench->count + i % few.count
                                                    : i;
        expect(right[i] == bench->value[0][at], asked->name);
    }
    for (size_t i = 0; asked->ask == ask_nearest && i < few.count * NEAREST; ++i)
        expect(right[few.count * LIMITS * 2 + i] == bench->value[0][bench->count * LIMITS * 2 + i],
               asked->name);
    free(right);
}

/* Of points, then of nodes. */
static void measure_question(device_bench *bench, const question *asked, macadam_place *const place[2],
                             macadam_engine *host)
{
    const size_t bytes = asked->count * asked->cells * sizeof(uint32_t);
    for (int nodes = 0; nodes < 2; ++nodes) {
        char name[96];
        void *memory;
        snprintf(name, sizeof name, "%zu %s of %s", asked->count, asked->name,
                 nodes ? "nodes, beside points" : "points");
        if (!is_asked(bench, name)) continue;
        BENCH_CALL(macadam_memory_new, &memory, bench->engine, asked->kind, bytes);
        bench->count = asked->count, bench->joint = false, bench->place = place[nodes];
        bench->value[0] = memory;
        asked->ask(bench);
        check(bench, asked, host);
        measure(bench, name, 1, 0, asked->ask);
        macadam_memory_free(bench->engine, memory);
        bench->value[0] = NULL;
    }
}

static void measure_questions(device_bench *bench, macadam_place *const place[2], macadam_engine *host)
{
    const question questions[] = {
        {"routes, costs", POINTS, 1, MACADAM_MEMORY_PINNED, ask_routes},
        {"routes, paths", POINTS, 1, MACADAM_MEMORY_PINNED, ask_paths},
        {"trees, rows by id", 64, bench->id_count, MACADAM_MEMORY_PINNED, ask_rows},
        {"trees, lanes", 256, bench->node_count, MACADAM_MEMORY_PINNED, ask_lanes},
        {"reaches, 4 limits", 1024, 2 * LIMITS, MACADAM_MEMORY_PINNED, ask_limits},
        {"reaches, 4 limits, 100 nearest", 1024, 2 * LIMITS + NEAREST, MACADAM_MEMORY_PINNED, ask_nearest},
        {"squared matrices at 96 slots", SLOT_SIDE, SLOTS * SLOT_SIDE, MACADAM_MEMORY_PINNED, ask_slots},
    };
    for (size_t q = 0; q < sizeof questions / sizeof *questions; ++q)
        measure_question(bench, &questions[q], place, host);
}

void measure_points(device_bench *bench, const char *path)
{
    macadam_place *const nodes = bench->place;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .trust_file = true};
    macadam_engine *host;
    if (!is_asked(bench, "matrix of points") && !strstr(bench->only, "points")) return;
    if (!bench->engine->places.lon_e7) return;
    BENCH_CALL(macadam_engine_open, &host, path, &options);
    macadam_place *const points = bench->place = points_of(bench);
    for (size_t side = 1000; side <= SIDE; side *= 10)
        for (int pinned = 1; pinned >= 0; --pinned)
            measure_matrix(bench, side, false, pinned, host, check_rows);
    if (bench->engine->metric_companion[0]) measure_matrix(bench, SIDE, true, true, host, check_rows);
    print_moved(bench, host);
    measure_questions(bench, (macadam_place *const[]){points, nodes}, host);
    macadam_engine_close(host);
    free(points);
    bench->place = nodes;
}
