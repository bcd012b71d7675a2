/* test_cuda_matrices.c - small matrices of the CUDA backend have the bits of the CPU's. */
#include "tests/support/checked.h"
#include "tests/support/cuda_metric.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LANES = 60, MATRICES = 20, ROWS_MAX = 20, LARGE = 150, MODES = 3, WITH_COMPANION = 2 };

typedef struct matrices_scene {
    kernel_map map;
    cuda_metric metric;
    mcd_lane source_lane[LANES], target_lane[LANES];
    uint32_t *source, *target;
    mcd_small_matrix matrix[MATRICES];
    size_t matrix_count, cell_count;
    bool joint;
} matrices_scene;

/* Fills in the matrices: some without rows or columns; with `large`, one larger than the parts of the kernel. */
static void make_matrices(matrices_scene *s, test_rng *rng, bool large)
{
    static const mcd_weight limit[] = {0, 3, 40, 1000, MCD_WEIGHT_MAX};
    uint32_t sources = 0, targets = 0;
    s->source = checked_allocate(MATRICES * ROWS_MAX + LARGE, sizeof *s->source);
    s->target = checked_allocate(MATRICES * ROWS_MAX + LARGE, sizeof *s->target);
    for (size_t m = 0; m < MATRICES; ++m) {
        mcd_small_matrix *const matrix = &s->matrix[m];
        *matrix = (mcd_small_matrix){.first_source = sources,
                                     .source_count = m == 7 && large ? LARGE : rng_below(rng, ROWS_MAX),
                                     .first_target = targets,
                                     .target_count = m == 7 && large ? LARGE - 11 : rng_below(rng, ROWS_MAX),
                                     .limit = limit[m % (sizeof limit / sizeof *limit)],
                                     .first_cell = s->cell_count};
        sources += matrix->source_count;
        targets += matrix->target_count;
        s->cell_count += (size_t)matrix->source_count * matrix->target_count;
    }
    for (uint32_t i = 0; i < sources; ++i) s->source[i] = rng_below(rng, LANES);
    for (uint32_t i = 0; i < targets; ++i) s->target[i] = rng_below(rng, LANES);
    s->matrix_count = MATRICES;
}

static void scene_make(matrices_scene *s, size_t map, int mode, const char *device)
{
    test_rng rng = {map * MODES + (size_t)mode + 1};
    memset(s, 0, sizeof *s);
    kernel_maps_make(&s->map, map);
    cuda_metric_make(&s->metric, &s->map, device, mode != 0);
    s->joint = mode == WITH_COMPANION;
    for (size_t i = 0; i < LANES; ++i) {
        s->source_lane[i] = kernel_map_lane(&s->map, &rng, i);
        s->target_lane[i] = kernel_map_lane(&s->map, &rng, i / 3 + 1);
    }
    make_matrices(s, &rng, map % MODES == (size_t)mode); /* one takes the emulator as long as all others */
}

static void scene_free(matrices_scene *s)
{
    free(s->source);
    free(s->target);
    cuda_metric_free(&s->metric);
    kernel_map_free(&s->map);
}

/* Returns the objectives, then the companions. */
static uint32_t *ask(const matrices_scene *s, const mcd_backend *with)
{
    macadam_error error;
    uint32_t *const cell = checked_allocate(2 * s->cell_count + 1, sizeof *cell);
    memset(cell, 0xab, (2 * s->cell_count + 1) * sizeof *cell);
    const mcd_matrices_job job = {.weights = &s->metric.metric.weights,
                                  .source_lane = s->source_lane,
                                  .target_lane = s->target_lane,
                                  .source = s->source,
                                  .target = s->target,
                                  .matrix = s->matrix,
                                  .matrix_count = s->matrix_count,
                                  .objective = cell,
                                  .companion = s->joint ? cell + s->cell_count : NULL,
                                  .parallel = {2, NULL}};
    cr_assert_eq(with->matrices(&job, &error), MACADAM_OK, "%s: %s", s->map.name, error.message);
    return cell;
}

static void expect_equal(const matrices_scene *s)
{
    FREED uint32_t *const host = ask(s, mcd_cpu_backend()), *const cuda = ask(s, s->metric.cuda);
    for (size_t i = 0; i < 2 * s->cell_count + 1; ++i)
        cr_assert_eq(cuda[i], host[i], "%s, companion %d: cell %zu of %zu is %u, not %u", s->map.name,
                     s->joint, i, s->cell_count, cuda[i], host[i]);
}

static void for_all(const char *device, size_t step)
{
    for (size_t map = 0; map < kernel_maps_count(); map += step)
        for (int mode = 0; mode < MODES; ++mode) {
            SCOPED(scene_free) matrices_scene s;
            scene_make(&s, map, mode, device);
            expect_equal(&s);
            s.matrix_count = 1;
            expect_equal(&s);
            s.matrix_count = 0;
            expect_equal(&s);
        }
}

Test(cuda_matrices, are_the_processors)
{
    for_all("cuda", 1);
}

Test(cuda_matrices, of_all_devices_are_those_of_one)
{
    for_all("cuda:all", 5);
}
