/* matrix_scene.c - see matrix_scene.h. */
#include "tests/support/matrix_scene.h"

#include "tests/support/checked.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>

void matrix_scene_make(matrix_scene *out, size_t map, int mode, const char *device)
{
    test_rng rng = {map + 11};
    kernel_maps_make(&out->map, map);
    cuda_metric_make(&out->metric, &out->map, device, mode != 0);
    out->joint = mode == MATRIX_SCENE_MODES - 1;
    for (size_t i = 0; i < MATRIX_SCENE_SIDE; ++i) {
        out->source[i] = kernel_map_lane(&out->map, &rng, i);
        out->target[i] = kernel_map_lane(&out->map, &rng, i + 1);
    }
}

void matrix_scene_streets(matrix_scene *out, const char *device, int mode)
{
    enum { LARGEST = 1 }; /* of the maps behind the hostile graphs */
    matrix_scene_make(out, graphs_count() + LARGEST, mode, device);
}

void matrix_scene_free(matrix_scene *scene)
{
    cuda_metric_free(&scene->metric);
    kernel_map_free(&scene->map);
}

static size_t stride_of(matrix_scene_shape shape)
{
    enum { BETWEEN = 3 };
    return shape.targets + (shape.dense ? 0 : BETWEEN);
}

size_t matrix_scene_cells(matrix_scene_shape shape)
{
    return shape.sources * stride_of(shape);
}

mcd_matrix_job matrix_scene_job(const matrix_scene *scene, matrix_scene_shape shape)
{
    return (mcd_matrix_job){.weights = &scene->metric.metric.weights,
                            .target = scene->target,
                            .target_count = shape.targets,
                            .joint = scene->joint,
                            .parallel = {1, NULL}};
}

macadam_status matrix_scene_ask(const matrix_scene *scene, const mcd_backend *with, const mcd_matrix_job *job,
                                matrix_scene_shape shape, uint32_t *const value[2], macadam_error *error)
{
    enum { MANY = 200 };
    mcd_matrix_targets *targets;
    const size_t stride = stride_of(shape), first_call = shape.sources > MANY ? shape.sources / 3 : 0;
    macadam_status status = with->matrix_targets_new(&targets, job, error);
    for (int call = 0; call < 2 && !status; ++call) {
        const size_t first = call ? first_call : 0;
        const mcd_rows_job rows = {.targets = targets,
                                   .source = scene->source + first,
                                   .source_count = call ? shape.sources - first_call : first_call,
                                   .objective = value[0] ? value[0] + first * stride : NULL,
                                   .companion = value[1] ? value[1] + first * stride : NULL,
                                   .stride = stride};
        status = with->matrix_rows(&rows, error);
    }
    with->matrix_targets_free(targets);
    return status;
}

void matrix_scene_values(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *value[2])
{
    const size_t cells = matrix_scene_cells(shape);
    value[0] = checked_allocate(cells, sizeof *value[0]);
    value[1] = scene->joint ? checked_allocate(cells, sizeof *value[1]) : NULL;
    for (int q = 0; q < 2; ++q)
        for (size_t i = 0; value[q] && i < cells; ++i) value[q][i] = UINT32_C(0xabababab);
}

void matrix_scene_values_free(uint32_t *value[2])
{
    free(value[0]);
    free(value[1]);
}

void matrix_scene_expected(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *value[2])
{
    const mcd_matrix_job job = matrix_scene_job(scene, shape);
    matrix_scene_values(scene, shape, value);
    FIXTURE_CALL(matrix_scene_ask, scene, mcd_cpu_backend(), &job, shape, value);
}

void matrix_scene_expect(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *const value[2],
                         uint32_t *const expected[2])
{
    const size_t stride = stride_of(shape);
    for (int q = 0; q < 2; ++q)
        for (size_t i = 0; value[q] && i < matrix_scene_cells(shape); ++i)
            if (value[q][i] != expected[q][i])
                cr_assert_fail("%s, pair %d, %zu x %zu: row %zu column %zu quantity %d is %u, not %u",
                               scene->map.name, scene->joint, shape.sources, shape.targets, i / stride,
                               i % stride, q, value[q][i], expected[q][i]);
}
