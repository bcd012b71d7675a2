/* test_inertial_flow.c - pieces are cut where few arcs cross, and only there. */
#include "tests/support/import_fixture.h"

#include "importers/inertial_flow.h"

#include <criterion/criterion.h>

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

static void expect_grids_apart(const two_grids *grids)
{
    static const mcd_flow_piece all = {.vertex_count = VERTICES, .node_count = VERTICES};
    mcd_bisector *bisector;
    cr_assert_eq(mcd_bisector_new(&bisector, VERTICES, VERTICES * DEGREE, &import_error), MACADAM_OK);
    const uint8_t *const side = mcd_bisect(bisector, &grids->graph, &all, 1, &two_threads);
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
