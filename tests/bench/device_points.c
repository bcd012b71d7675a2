/* device_points.c - matrices of points, beside those of nodes: places within roads, which the host looks for. */
#include "tests/bench/bench.h"
#include "tests/bench/device.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 10000, ROWS_CHECKED = 3 };

/* Returns the places of all matrices: points within 60 m of random ids. */
static macadam_place *points_of(const device_bench *bench)
{
    const mcd_place_index *const places = &bench->engine->places;
    macadam_place *const place = checked_allocate(PLACES, sizeof *place);
    test_rng rng = {3};
    for (size_t i = 0; i < 2 * SIDE; ++i) {
        const mcd_node node = places->depart[rng_below(&rng, (uint32_t)bench->id_count)];
        place[i / SIDE * (PLACES / 2) + i % SIDE] =
            (macadam_place){.kind = MACADAM_PLACE_POINT,
                            .lon = (places->lon_e7[node] + (int32_t)rng_below(&rng, 10001) - 5000) / 1e7,
                            .lat = (places->lat_e7[node] + (int32_t)rng_below(&rng, 10001) - 5000) / 1e7};
    }
    return place;
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

void measure_points(device_bench *bench, const char *path)
{
    macadam_place *const nodes = bench->place;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .trust_file = true};
    macadam_engine *host;
    if (!is_asked(bench, "matrix of points") || !bench->engine->places.lon_e7) return;
    BENCH_CALL(macadam_engine_open, &host, path, &options);
    bench->place = points_of(bench);
    for (size_t side = 1000; side <= SIDE; side *= 10)
        for (int pinned = 1; pinned >= 0; --pinned)
            measure_matrix(bench, side, false, pinned, host, check_rows);
    if (bench->engine->metric_companion[0]) measure_matrix(bench, SIDE, true, true, host, check_rows);
    macadam_engine_close(host);
    free(bench->place);
    bench->place = nodes;
}
