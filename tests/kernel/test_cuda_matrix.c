/* test_cuda_matrix.c - matrices of the CUDA backend have the bits of the CPU's, wherever they are written. */
#include "tests/support/fixture.h"
#include "tests/support/matrix_scene.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_shape(const matrix_scene *s, matrix_scene_shape shape)
{
    uint32_t *expected[2], *value[2];
    const mcd_matrix_job job = matrix_scene_job(s, shape);
    matrix_scene_expected(s, shape, expected);
    matrix_scene_values(s, shape, value);
    FIXTURE_CALL(matrix_scene_ask, s, s->metric.cuda, &job, shape, value);
    matrix_scene_expect(s, shape, value, expected);
    matrix_scene_values_free(expected);
    matrix_scene_values_free(value);
}

static void for_all(const char *device, size_t step, void (*claim)(const matrix_scene *s))
{
    for (size_t map = 0; map < kernel_maps_count(); map += step)
        for (int mode = 0; mode < MATRIX_SCENE_MODES; ++mode) {
            SCOPED(matrix_scene_free) matrix_scene s;
            matrix_scene_make(&s, map, mode, device);
            claim(&s);
        }
}

static void shapes(const matrix_scene *s)
{
    static const matrix_scene_shape small[] = {
        {1, 1, false}, {127, 129, false}, {128, 128, true}, {129, 1, false}, {300, 2, true}};
    for (size_t i = 0; i < sizeof small / sizeof *small; ++i) expect_shape(s, small[i]);
}

Test(cuda_matrix, is_the_processors)
{
    for_all("cuda", 1, shapes);
}

static void in_order(const matrix_scene *s)
{
    static const matrix_scene_shape wide[] = {{300, 300, false}, {300, 299, true}, {140, 300, true}};
    matrix_scene sorted = *s;
    matrix_scene_sort(&sorted);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i) expect_shape(&sorted, wide[i]);
}

/* The product then writes the answers. */
Test(cuda_matrix, of_places_in_the_order_of_nodes_is_the_processors)
{
    for_all("cuda", 3, in_order);
}

static void nodes(const matrix_scene *s)
{
    matrix_scene plain = *s;
    matrix_scene_make_nodes(&plain);
    expect_shape(&plain, (matrix_scene_shape){MATRIX_SCENE_SIDE, 140, false});
}

Test(cuda_matrix, of_nodes_is_that_of_their_lanes)
{
    for_all("cuda:all", 5, nodes);
}

static void several(const matrix_scene *s)
{
    matrix_scene places = *s;
    for (int raw = 0; raw < 2; ++raw) {
        matrix_scene_make_several(&places, raw);
        expect_shape(&places, (matrix_scene_shape){130, 140, raw});
    }
}

Test(cuda_matrix, of_places_of_several_lanes_has_their_best)
{
    for_all("cuda", 5, several);
}

static void tall(const matrix_scene *s)
{
    matrix_scene places = *s;
    expect_shape(s, (matrix_scene_shape){MATRIX_SCENE_SIDE, 130, false});
    matrix_scene_make_several(&places, false);
    expect_shape(&places, (matrix_scene_shape){MATRIX_SCENE_SIDE, 130, false});
}

Test(cuda_matrix, of_all_devices_is_that_of_one)
{
    for_all("cuda:all", 5, tall);
}

/* Sources from one half of the nodes and targets from the other: all panels lie apart. */
static void apart(const matrix_scene *s)
{
    const mcd_node middle = s->map.graph->node_count / 2;
    for (int sources_first = 0; sources_first < 2; ++sources_first) {
        matrix_scene divided = *s;
        for (size_t i = 0; i < MATRIX_SCENE_LANES; ++i) {
            const mcd_lane from[2] = {s->source[i], s->target[i]};
            mcd_lane *const to[2] = {&divided.source[i], &divided.target[i]};
            for (int side = 0; side < 2; ++side)
                if (from[side].seed[0].node != MCD_NODE_NONE &&
                    (from[side].seed[0].node < middle) != (side != sources_first))
                    to[side]->seed[0].node = MCD_NODE_NONE;
        }
        expect_shape(&divided, (matrix_scene_shape){140, 260, false});
    }
}

Test(cuda_matrix, of_sides_apart_is_the_processors)
{
    for_all("cuda", 3, apart);
}

static void failed(const matrix_scene *s)
{
    matrix_scene none = *s;
    for (size_t i = 0; i < MATRIX_SCENE_LANES; ++i) none.source[i].seed[0].node = MCD_NODE_NONE;
    expect_shape(&none, (matrix_scene_shape){130, 3, false});
    memcpy(none.target, none.source, sizeof none.target);
    expect_shape(&none, (matrix_scene_shape){130, 130, false});
}

Test(cuda_matrix, of_places_that_failed_is_the_processors)
{
    for_all("cuda", 4, failed);
}

static void expect_companions(const matrix_scene *s)
{
    const matrix_scene_shape shape = {140, 150, false};
    uint32_t *expected[2], *value[2];
    matrix_scene_expected(s, shape, expected);
    matrix_scene_values(s, shape, value);
    uint32_t *const asked[2] = {NULL, value[1]};
    const mcd_matrix_job job = matrix_scene_job(s, shape);
    FIXTURE_CALL(matrix_scene_ask, s, s->metric.cuda, &job, shape, asked);
    matrix_scene_expect(s, shape, asked, expected);
    matrix_scene_values_free(expected);
    matrix_scene_values_free(value);
}

Test(cuda_matrix, companions_come_without_objectives)
{
    SCOPED(matrix_scene_free) matrix_scene s;
    matrix_scene_streets(&s, "cuda", MATRIX_SCENE_MODES - 1);
    expect_companions(&s);
    matrix_scene_make_several(&s, false);
    expect_companions(&s);
}

Test(cuda_matrix, comes_into_memory_of_every_kind)
{
    const matrix_scene_shape shape = {300, 300, true};
    for (int turn = 0; turn < 4; ++turn) {
        const int kind = turn % 2 ? MCD_MEMORY_PINNED : MCD_MEMORY_DEVICE;
        macadam_error error;
        SCOPED(matrix_scene_free) matrix_scene s;
        uint32_t *expected[2], *value[2];
        void *memory;
        matrix_scene_streets(&s, "cuda:all", 0);
        if (turn >= 2) matrix_scene_sort(&s);
        const mcd_device_table *table = s.metric.cuda->device;
        const size_t bytes = matrix_scene_cells(shape) * sizeof(uint32_t);
        matrix_scene_expected(&s, shape, expected);
        matrix_scene_values(&s, shape, value);
        cr_assert_eq(table->memory_new(&memory, s.metric.device, 0, (mcd_memory_kind)kind, bytes, &error),
                     MACADAM_OK);
        uint32_t *const asked[2] = {memory, NULL};
        const mcd_matrix_job job = matrix_scene_job(&s, shape);
        FIXTURE_CALL(matrix_scene_ask, &s, s.metric.cuda, &job, shape, asked);
        cr_assert_eq(table->memory_read(s.metric.device, value[0], memory, bytes, &job.parallel, &error),
                     MACADAM_OK);
        matrix_scene_expect(&s, shape, value, expected);
        table->memory_free(s.metric.device, 0, (mcd_memory_kind)kind, memory);
        matrix_scene_values_free(expected);
        matrix_scene_values_free(value);
    }
}

static bool stop(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(cuda_matrix, receiver_of_progress_may_cancel)
{
    const matrix_scene_shape shape = {MATRIX_SCENE_SIDE, 150, false};
    macadam_error error;
    SCOPED(matrix_scene_free) matrix_scene s;
    uint32_t *value[2];
    matrix_scene_streets(&s, "cuda:all", 0);
    mcd_matrix_job job = matrix_scene_job(&s, shape);
    job.progress.call = stop;
    matrix_scene_values(&s, shape, value);
    cr_assert_eq(matrix_scene_ask(&s, s.metric.cuda, &job, shape, value, &error), MACADAM_E_CANCELLED);
    cr_assert_str_not_empty(error.message);
    matrix_scene_values_free(value);
}

/* The labels of top nodes take memory, once there have been enough searches. */
Test(cuda_matrix, searches_end_at_top_nodes_after_many_matrices)
{
    enum { CALLS = 40 };
    for (int mode = 0; mode < MATRIX_SCENE_MODES; ++mode) {
        SCOPED(matrix_scene_free) matrix_scene s;
        matrix_scene_streets(&s, "cuda", mode);
        const uint64_t before = s.metric.cuda->device->held(s.metric.device).in_use;
        for (size_t i = 0; i < CALLS; ++i) expect_shape(&s, (matrix_scene_shape){2, 3, true});
        cr_assert_gt(s.metric.cuda->device->held(s.metric.device).in_use, before, "no labels of top nodes");
        shapes(&s);
        in_order(&s);
        several(&s);
    }
}
