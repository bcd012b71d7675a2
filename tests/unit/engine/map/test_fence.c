/* test_fence.c - areas stop the roads that meet them. The oracle looks at every side of every area, and casts its ray to
 * the north. */
#include "engine/map/fence.h"
#include "tests/support/leak.h"
#include "tests/support/rng.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum {
    CORNERS_MAX = 60,
    RINGS_MAX = 3,
    AREAS_MAX = 40,
    BENDS_MAX = 4,
    TEETH = 150000,
    COMB_CORNERS = 2 * TEETH + 2
};

static macadam_error error;

TestSuite(fence, .init = allocator_install, .fini = leak_expect_none);

/* ---- one road ---- */

static int32_t end_lon_e7[2], end_lat_e7[2], bend_lon_e7[BENDS_MAX], bend_lat_e7[BENDS_MAX];
static mcd_node head[1] = {1};
static uint64_t number[1] = {1}, first_point[2];
static const mcd_graph graph = {.node_count = 2, .arc_count = 1, .head = head};
static const mcd_place_index places = {.lon_e7 = end_lon_e7, .lat_e7 = end_lat_e7};
static const mcd_arc_facts facts = {
    .number = number, .first_point = first_point, .shape_lon_e7 = bend_lon_e7, .shape_lat_e7 = bend_lat_e7};
static const mcd_roads roads = {&graph, &places, &facts, 1};

static bool stops(const mcd_fence *fence, const mcd_point *point, size_t count)
{
    for (int end = 0; end < 2; ++end) {
        end_lon_e7[end] = point[end * (count - 1)].lon_e7;
        end_lat_e7[end] = point[end * (count - 1)].lat_e7;
    }
    for (size_t i = 1; i + 1 < count; ++i)
        bend_lon_e7[i - 1] = point[i].lon_e7, bend_lat_e7[i - 1] = point[i].lat_e7;
    first_point[1] = count - 2;
    return mcd_fence_stops(fence, &roads, 0, 0);
}

/* ---- the oracle ---- */

static mcd_point corner_of(const macadam_area *area, size_t i)
{
    return (mcd_point){(int32_t)lrint(area->lon[i] * 1e7), (int32_t)lrint(area->lat[i] * 1e7)};
}

static int turn_of(mcd_point a, mcd_point b, mcd_point c)
{
    const double turn = ((double)b.lon_e7 - a.lon_e7) * ((double)c.lat_e7 - a.lat_e7) -
                        ((double)b.lat_e7 - a.lat_e7) * ((double)c.lon_e7 - a.lon_e7);
    return (turn > 0) - (turn < 0);
}

static bool is_between(int32_t a, int32_t b, int32_t at)
{
    return (a <= at && at <= b) || (b <= at && at <= a);
}

static bool is_on(mcd_point a, mcd_point b, mcd_point at)
{
    return turn_of(a, b, at) == 0 && is_between(a.lon_e7, b.lon_e7, at.lon_e7) &&
           is_between(a.lat_e7, b.lat_e7, at.lat_e7);
}

static bool meets_side(mcd_point a, mcd_point b, mcd_point c, mcd_point d)
{
    return is_on(a, b, c) || is_on(a, b, d) || is_on(c, d, a) || is_on(c, d, b) ||
           (turn_of(a, b, c) * turn_of(a, b, d) < 0 && turn_of(c, d, a) * turn_of(c, d, b) < 0);
}

/* Whether the line from `from` to `to` touches a side of the area, or begins within it. */
static bool meets(const macadam_area *area, mcd_point from, mcd_point to)
{
    bool within = false;
    for (size_t r = 0, first = 0; r < area->ring_count; first += area->ring_size[r++])
        for (size_t i = 0; i < area->ring_size[r]; ++i) {
            const mcd_point a = corner_of(area, first + i),
                            b = corner_of(area, first + (i + 1) % area->ring_size[r]);
            if (meets_side(a, b, from, to)) return true;
            const mcd_point west = a.lon_e7 < b.lon_e7 ? a : b, east = a.lon_e7 < b.lon_e7 ? b : a;
            if (west.lon_e7 <= from.lon_e7 && from.lon_e7 < east.lon_e7)
                within ^= turn_of(west, east, from) < 0;
        }
    return within;
}

/* ---- random areas ---- */

static double corner_lon[AREAS_MAX][CORNERS_MAX], corner_lat[AREAS_MAX][CORNERS_MAX];
static size_t ring_size[AREAS_MAX][RINGS_MAX];
static macadam_area area[AREAS_MAX];

/* On a coarse grid, so that sides touch, cross and lie on each other. */
static mcd_point draw_point(test_rng *rng, unsigned range)
{
    return (mcd_point){(int32_t)(rng_below(rng, range) * 10), (int32_t)(rng_below(rng, range) * 10)};
}

static void draw_area(test_rng *rng, size_t index, unsigned range)
{
    macadam_area *const out = &area[index];
    const mcd_point about = draw_point(rng, range);
    *out = (macadam_area){.lon = corner_lon[index], .lat = corner_lat[index], .ring_size = ring_size[index]};
    out->ring_count = 1 + rng_below(rng, RINGS_MAX);
    for (size_t r = 0; r < out->ring_count; ++r) {
        ring_size[index][r] = 3 + rng_below(rng, CORNERS_MAX / RINGS_MAX - 3);
        for (size_t i = 0; i < ring_size[index][r]; ++i) {
            const mcd_point corner = draw_point(rng, 1 + range / (1 + rng_below(rng, 4)));
            corner_lon[index][out->point_count] = (about.lon_e7 + corner.lon_e7) * 1e-7;
            corner_lat[index][out->point_count++] = (about.lat_e7 + corner.lat_e7) * 1e-7;
        }
    }
}

Test(fence, roads_stop_where_each_side_says)
{
    test_rng rng = {1};
    size_t stopped = 0, asked = 0;
    for (int round = 0; round < 100; ++round) {
        SCOPED(mcd_fence_free) mcd_fence fence;
        const size_t area_count = 1 + rng_below(&rng, AREAS_MAX);
        const unsigned range = 5 + rng_below(&rng, 60), spread = area_count > 5 ? 20 * range : range;
        for (size_t a = 0; a < area_count; ++a) draw_area(&rng, a, a % 2 ? spread : range);
        cr_assert_eq(mcd_fence_new(&fence, area, area_count, &error), MACADAM_OK);
        for (int line = 0; line < 200; ++line, ++asked) {
            mcd_point point[2 + BENDS_MAX] = {draw_point(&rng, 2 * spread)};
            const size_t count = 2 + rng_below(&rng, BENDS_MAX + 1);
            bool expected = false;
            for (size_t i = 1; i < count; ++i) {
                point[i] = point[i - 1];
                point[i].lon_e7 += (int32_t)rng_below(&rng, 9) - 4;
                point[i].lat_e7 += (int32_t)rng_below(&rng, 9) - 4;
                for (size_t a = 0; a < area_count; ++a) expected |= meets(&area[a], point[i - 1], point[i]);
            }
            cr_assert_eq(stops(&fence, point, count), expected, "round %d, line %d", round, line);
            stopped += expected;
        }
    }
    cr_assert(stopped > asked / 10 && stopped < asked * 9 / 10, "%zu of %zu", stopped, asked);
}

/* ---- many sides ---- */

/* A comb whose teeth point to the north. If each road looked at each side, this would take minutes. */
Test(fence, a_road_looks_only_at_the_sides_around_it)
{
    static double lon[COMB_CORNERS], lat[COMB_CORNERS];
    for (size_t i = 0; i <= 2 * TEETH; ++i) lon[i] = (double)i * 1e-5, lat[i] = i % 2 ? 0.9 : 0.1;
    lon[COMB_CORNERS - 1] = TEETH * 1e-5;
    const macadam_area comb = {.lon = lon, .lat = lat, .point_count = COMB_CORNERS};
    SCOPED(mcd_fence_free) mcd_fence fence;
    cr_assert_eq(mcd_fence_new(&fence, &comb, 1, &error), MACADAM_OK);
    for (int32_t i = 1; i < 2 * TEETH - 1; ++i) {
        const mcd_point line[2] = {{i * 100, 8900000}, {i * 100 + 1, 8900000}};
        cr_assert_eq(stops(&fence, line, 2), i % 2 == 1, "tooth %d", i);
    }
}
