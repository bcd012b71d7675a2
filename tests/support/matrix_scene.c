/* matrix_scene.c - see matrix_scene.h. */
#include "tests/support/matrix_scene.h"

#include "tests/support/checked.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>

void matrix_scene_make(matrix_scene *out, size_t map, int mode, const char *device)
{
    test_rng rng = {map + 11};
    kernel_maps_make(&out->map, map);
    cuda_metric_make(&out->metric, &out->map, device, mode != 0);
    out->joint = mode == MATRIX_SCENE_MODES - 1;
    out->several = out->raw = out->as_nodes = false;
    for (size_t i = 0; i < MATRIX_SCENE_LANES; ++i) {
        out->source[i] = kernel_map_lane(&out->map, &rng, i);
        out->target[i] = kernel_map_lane(&out->map, &rng, i + 1);
    }
}

/* A way is as good as the best cost, nearly as good, or bad. */
void matrix_scene_make_several(matrix_scene *scene, bool raw)
{
    test_rng rng = {5};
    scene->several = true, scene->raw = raw;
    for (int side = 0; side < 2; ++side) {
        scene->first[side][0] = 0;
        for (size_t i = 0; i < MATRIX_SCENE_SIDE; ++i)
            scene->first[side][i + 1] = scene->first[side][i] + 1 + rng_below(&rng, 2);
    }
    for (uint32_t i = 0; i < MATRIX_SCENE_SIDE; ++i)
        scene->way[i] = (mcd_road_way){i, rng_below(&rng, MATRIX_SCENE_SIDE), rng_below(&rng, 3) * 40,
                                       rng_below(&rng, 4) ? rng_below(&rng, 50) : MCD_COST_UNREACHED};
}

void matrix_scene_make_nodes(matrix_scene *scene)
{
    scene->as_nodes = true;
    for (size_t i = 0; i < MATRIX_SCENE_LANES; ++i) {
        scene->source[i] = mcd_lane_of(scene->node[0][i] = scene->source[i].seed[0].node);
        scene->target[i] = mcd_lane_of(scene->node[1][i] = scene->target[i].seed[0].node);
    }
}

static int compare_lanes(const void *a, const void *b)
{
    const mcd_node x = ((const mcd_lane *)a)->seed[0].node, y = ((const mcd_lane *)b)->seed[0].node;
    return (x > y) - (x < y);
}

void matrix_scene_sort(matrix_scene *scene)
{
    qsort(scene->source, MATRIX_SCENE_LANES, sizeof *scene->source, compare_lanes);
    qsort(scene->target, MATRIX_SCENE_LANES, sizeof *scene->target, compare_lanes);
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
                            .target_node = scene->as_nodes ? scene->node[1] : NULL,
                            .target_count = shape.targets,
                            .first = scene->several ? scene->first[1] : NULL,
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
        mcd_road_way way[MATRIX_SCENE_SIDE];
        for (size_t i = first; scene->several && i < MATRIX_SCENE_SIDE; ++i)
            way[i - first] = scene->way[i], way[i - first].row -= (uint32_t)first;
        const size_t count = call ? shape.sources - first_call : first_call;
        const mcd_rows_job rows = {.targets = targets,
                                   .source =
                                       scene->source + (scene->several ? scene->first[0][first] : first),
                                   .source_node = scene->as_nodes ? scene->node[0] + first : NULL,
                                   .source_count = count,
                                   .first = scene->several ? scene->first[0] + first : NULL,
                                   .way = way,
                                   .way_count = scene->several ? count : 0,
                                   .raw = scene->raw,
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

/* The raw answers of the CPU for all lanes of the places. */
static void answer_lanes(const matrix_scene *scene, size_t sources, size_t targets, uint32_t *const value[2])
{
    const mcd_backend *const cpu = mcd_cpu_backend();
    const mcd_matrix_job job = {.weights = &scene->metric.metric.weights,
                                .target = scene->target,
                                .target_count = targets,
                                .joint = scene->joint,
                                .parallel = {1, NULL}};
    mcd_matrix_targets *prepared;
    FIXTURE_CALL(cpu->matrix_targets_new, &prepared, &job);
    const mcd_rows_job rows = {.targets = prepared,
                               .source = scene->source,
                               .source_count = sources,
                               .objective = value[0],
                               .companion = value[1],
                               .raw = true,
                               .stride = targets};
    FIXTURE_CALL(cpu->matrix_rows, &rows);
    cpu->matrix_targets_free(prepared);
}

static uint64_t better(uint64_t cost, uint32_t objective, uint32_t companion)
{
    const uint64_t other = (uint64_t)objective << 32 | companion;
    return other < cost ? other : cost;
}

/* The best answer of a pair of places among those of its lanes, and the way of its row. */
static uint64_t best_of(const matrix_scene *scene, uint32_t *const lanes[2], size_t stride, size_t s,
                        size_t t)
{
    const mcd_road_way *const way = &scene->way[s];
    uint64_t best = UINT64_MAX;
    for (size_t i = scene->first[0][s]; i < scene->first[0][s + 1]; ++i)
        for (size_t k = scene->first[1][t]; k < scene->first[1][t + 1]; ++k)
            best = better(best, lanes[0][i * stride + k], lanes[1] ? lanes[1][i * stride + k] : 0);
    if (way->column == t) best = better(best, way->objective, lanes[1] ? way->companion : 0);
    return !scene->raw && (uint32_t)best == MCD_COST_UNREACHED && lanes[1] ? UINT64_MAX : best;
}

static void expect_several(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *value[2])
{
    const size_t sources = scene->first[0][shape.sources], targets = scene->first[1][shape.targets];
    uint32_t *lanes[2];
    matrix_scene_values(scene, (matrix_scene_shape){sources, targets, true}, lanes);
    answer_lanes(scene, sources, targets, lanes);
    for (size_t s = 0; s < shape.sources; ++s)
        for (size_t t = 0; t < shape.targets; ++t) {
            const uint64_t best = best_of(scene, lanes, targets, s, t);
            value[0][s * stride_of(shape) + t] = (uint32_t)(best >> 32);
            if (value[1]) value[1][s * stride_of(shape) + t] = (uint32_t)best;
        }
    matrix_scene_values_free(lanes);
}

void matrix_scene_expected(const matrix_scene *scene, matrix_scene_shape shape, uint32_t *value[2])
{
    const mcd_matrix_job job = matrix_scene_job(scene, shape);
    matrix_scene_values(scene, shape, value);
    if (scene->several) return expect_several(scene, shape, value);
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
