/* test_inertial_flow.c - pieces are cut where few arcs cross, and only there. */
#include "tests/support/import_fixture.h"

#include "importers/order/inertial_flow.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(inertial_flow, .init = import_fixture_open, .fini = import_fixture_close);

enum { SIDE = 10, GRID = SIDE * SIDE, VERTICES = 2 * GRID, DEGREE = 5 };

static const mcd_parallel two_threads = {.thread_count = 2};

/* Two grids, 0 .. 99 and 100 .. 199, with room for DEGREE arcs at each vertex. */
typedef struct two_grids {
    uint32_t weight[VERTICES], begin[VERTICES], end[VERTICES];
    uint32_t head[VERTICES * DEGREE], capacity[VERTICES * DEGREE], reverse[VERTICES * DEGREE];
    mcd_flow_graph graph;
} two_grids;

static void join(two_grids *grids, uint32_t a, uint32_t b, uint32_t capacity)
{
    const uint32_t there = grids->end[a]++, back = grids->end[b]++;
    grids->head[there] = b, grids->head[back] = a;
    grids->capacity[there] = grids->capacity[back] = capacity;
    grids->reverse[there] = back, grids->reverse[back] = there;
}

static void make_grids(two_grids *grids)
{
    grids->graph = (mcd_flow_graph){.weight = grids->weight,
                                    .begin = grids->begin,
                                    .end = grids->end,
                                    .head = grids->head,
                                    .capacity = grids->capacity,
                                    .reverse = grids->reverse};
    for (uint32_t v = 0; v < VERTICES; ++v) {
        grids->weight[v] = 1;
        grids->begin[v] = grids->end[v] = v * DEGREE;
    }
    for (uint32_t v = 0; v < VERTICES; ++v) {
        if (v % SIDE + 1 < SIDE) join(grids, v, v + 1, 2);
        if (v % GRID + SIDE < GRID) join(grids, v, v + SIDE, 2);
    }
}

static const uint8_t *bisected(const mcd_bisector *bisector, const mcd_flow_graph *graph,
                               const mcd_flow_piece *piece)
{
    mcd_watch nobody = mcd_watch_of(NULL, "");
    const uint8_t *side;
    cr_assert_eq(mcd_bisect(&side, bisector, graph, piece, 1, &two_threads, &nobody, &import_error),
                 MACADAM_OK);
    return side;
}

static void expect_grids_apart(const two_grids *grids)
{
    static const mcd_flow_piece all = {.vertex_count = VERTICES, .node_count = VERTICES};
    mcd_bisector *bisector;
    cr_assert_eq(mcd_bisector_new(&bisector, VERTICES, VERTICES * DEGREE, false, &import_error), MACADAM_OK);
    const uint8_t *const side = bisected(bisector, &grids->graph, &all);
    for (uint32_t v = 0; v < VERTICES; ++v)
        cr_assert_eq(side[v], v < GRID ? side[0] : !side[0], "vertex %u", v);
    mcd_bisector_free(bisector);
}

/* A cut through a grid takes 10 arcs of 2; the three bridges take 15. */
Test(inertial_flow, least_capacity_is_cut)
{
    two_grids grids;
    make_grids(&grids);
    for (uint32_t i = 0; i < 3; ++i) join(&grids, SIDE * (2 + 3 * i) - 1, GRID + SIDE * (1 + 3 * i), 5);
    expect_grids_apart(&grids);
}

Test(inertial_flow, what_is_not_connected_is_not_cut)
{
    two_grids grids;
    make_grids(&grids);
    expect_grids_apart(&grids);
}

/* Arms around a hub, 0, are cut off where they begin; the hub has many arcs to try. */
Test(inertial_flow, arms_stay_whole)
{
    enum { ARMS = 19, LENGTH = 10, COUNT = 1 + ARMS * LENGTH };
    static const mcd_flow_piece all = {.vertex_count = COUNT, .node_count = COUNT};
    two_grids arms;
    make_grids(&arms);
    for (uint32_t v = 0; v < COUNT; ++v) arms.begin[v] = arms.end[v] = v == 0 ? 0 : ARMS + 2 * (v - 1);
    for (uint32_t v = 1; v < COUNT; ++v) join(&arms, v, v % LENGTH == 1 ? 0 : v - 1, v % LENGTH == 1 ? 1 : 5);
    mcd_bisector *bisector;
    cr_assert_eq(mcd_bisector_new(&bisector, COUNT, ARMS + 2 * COUNT, false, &import_error), MACADAM_OK);
    const uint8_t *const side = bisected(bisector, &arms.graph, &all);
    for (uint32_t v = 1; v < COUNT; ++v)
        cr_assert_eq(side[v], side[(v - 1) / LENGTH * LENGTH + 1], "vertex %u", v);
    mcd_bisector_free(bisector);
}

enum { WIDTH = 2 * SIDE, BAND = SIDE - 4, BAND_END = SIDE + 4 }; /* columns */

/* One grid of 20 columns, with narrow streets in those in the middle. */
static void make_band(two_grids *grid, uint64_t seed)
{
    make_grids(grid); /* for its arrays */
    for (uint32_t v = 0; v < VERTICES; ++v) grid->end[v] = grid->begin[v];
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const uint32_t column = v % WIDTH;
        const bool narrow = column >= BAND && column < BAND_END;
        seed = seed * 6364136223846793005 + 1442695040888963407;
        if (column + 1 < WIDTH)
            join(grid, v, v + 1, narrow || column + 1 == BAND ? 1 + (seed >> 40) % 3 : 99);
        if (v + WIDTH < VERTICES) join(grid, v, v + WIDTH, narrow ? 1 + (seed >> 33) % 3 : 99);
    }
}

/* The most that flows through the band, unit by unit along any path. Uses up the capacities. */
static uint32_t flow_through(const two_grids *grid, uint32_t *capacity)
{
    for (uint32_t sum = 0;; ++sum) {
        uint32_t queue[VERTICES], by[VERTICES], count = 0, end = VERTICES;
        memset(by, 0xff, sizeof by);
        for (uint32_t v = 0; v < VERTICES; ++v)
            if (v % WIDTH < BAND) by[v] = 0, queue[count++] = v;
        for (uint32_t i = 0; i < count && end == VERTICES; ++i)
            for (uint32_t k = grid->begin[queue[i]]; k < grid->end[queue[i]]; ++k) {
                const uint32_t head = grid->head[k];
                if (capacity[k] == 0 || by[head] != UINT32_MAX) continue;
                by[queue[count++] = head] = k;
                if (head % WIDTH >= BAND_END) end = head;
            }
        if (end == VERTICES) return sum;
        for (uint32_t v = end; v % WIDTH >= BAND; v = grid->head[grid->reverse[by[v]]]) {
            --capacity[by[v]];
            ++capacity[grid->reverse[by[v]]];
        }
    }
}

/* The least cut is in the band, and one that is larger has the better balance for that. Paths hinder each
 * other there, so that some have to be sent another way. */
Test(inertial_flow, cut_is_as_small_as_the_flow_for_its_balance)
{
    static const mcd_flow_piece all = {.vertex_count = VERTICES, .node_count = VERTICES};
    enum { LIGHTER_LEAST = BAND * SIDE };
    two_grids grid;
    mcd_bisector *bisector;
    cr_assert_eq(mcd_bisector_new(&bisector, VERTICES, VERTICES * DEGREE, false, &import_error), MACADAM_OK);
    for (uint64_t seed = 0; seed < 50; ++seed) {
        uint32_t cut = 0, second = 0;
        make_band(&grid, seed);
        const uint8_t *const side = bisected(bisector, &grid.graph, &all);
        for (uint32_t v = 0; v < VERTICES; ++v) {
            second += side[v];
            for (uint32_t k = grid.begin[v]; k < grid.end[v]; ++k)
                if (side[v] < side[grid.head[k]]) cut += grid.capacity[k];
        }
        const uint32_t lighter = second < VERTICES / 2 ? second : VERTICES - second;
        const uint32_t flow = flow_through(&grid, grid.capacity);
        cr_assert_geq(cut, flow, "seed %llu", (unsigned long long)seed);
        cr_assert_leq(cut * LIGHTER_LEAST, flow * lighter, "seed %llu: %u, %u", (unsigned long long)seed, cut,
                      flow);
    }
    mcd_bisector_free(bisector);
}
