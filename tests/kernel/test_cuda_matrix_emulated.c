/* test_cuda_matrix_emulated.c - matrices on a device that has little memory: each call gives the right answer
 * or a status. That every allocation may fail and a device be lost is for test_device_failures.c. */
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/matrix_scene.h"

#include <criterion/criterion.h>

/* Computes into the device's own memory, and copies the answers to the host. */
static macadam_status ask_to_stay(const matrix_scene *s, const mcd_matrix_job *job, matrix_scene_shape shape,
                                  uint32_t *const memory[2], uint32_t *const value[2], macadam_error *error)
{
    const size_t bytes = matrix_scene_cells(shape) * sizeof(uint32_t);
    const mcd_device_table *table = s->metric.cuda->device;
    MCD_TRY(matrix_scene_ask(s, s->metric.cuda, job, shape, memory, error));
    for (int q = 0; q < 2 && value[q]; ++q)
        MCD_TRY(table->memory_read(s->metric.device, value[q], memory[q], bytes, &job->parallel, error));
    return MACADAM_OK;
}

/* Runs with less and less memory, until there is not enough. */
static void divide_by_memory(bool stays, void (*prepare)(matrix_scene *s), size_t eighths)
{
    enum { BYTES_MOST = 64 << 20 };
    const matrix_scene_shape shape = {MATRIX_SCENE_SIDE, MATRIX_SCENE_SIDE, stays};
    macadam_error error;
    SCOPED(matrix_scene_free) matrix_scene s;
    uint32_t *expected[2], *memory[2];
    size_t calls_least = 0, calls = 0;
    matrix_scene_streets(&s, "cuda", MATRIX_SCENE_MODES - 1);
    if (prepare) prepare(&s);
    matrix_scene_expected(&s, shape, expected);
    for (int q = 0; q < 2; ++q)
        cr_assert_eq(s.metric.cuda->device->memory_new((void **)&memory[q], s.metric.device, 0,
                                                       MCD_MEMORY_DEVICE,
                                                       matrix_scene_cells(shape) * sizeof(uint32_t), &error),
                     MACADAM_OK);
    mcd_matrix_job job = matrix_scene_job(&s, shape);
    job.parallel.thread_count = 2; /* to fill the caller's memory */
    macadam_status status = MACADAM_OK;
    for (size_t bytes = BYTES_MOST; !status; bytes = bytes / 8 * eighths) {
        uint32_t *value[2];
        matrix_scene_values(&s, shape, value);
        cuda_emulator_set_memory(bytes);
        const size_t before = cuda_emulator_call_count();
        status = stays ? ask_to_stay(&s, &job, shape, memory, value, &error)
                       : matrix_scene_ask(&s, s.metric.cuda, &job, shape, value, &error);
        if (!status) {
            matrix_scene_expect(&s, shape, value, expected);
            calls = cuda_emulator_call_count() - before;
            if (calls_least == 0) calls_least = calls;
        }
        matrix_scene_values_free(value);
    }
    cr_assert_eq(status, MACADAM_E_DEVICE);
    cr_assert_gt(5 * calls, 6 * calls_least, "%zu calls, %zu with plenty", calls, calls_least);
    cuda_emulator_reset();
    for (int q = 0; q < 2; ++q)
        s.metric.cuda->device->memory_free(s.metric.device, 0, MCD_MEMORY_DEVICE, memory[q]);
    matrix_scene_values_free(expected);
}

Test(cuda_matrix_emulated, little_memory_divides_it)
{
    divide_by_memory(false, NULL, 7);
}

Test(cuda_matrix_emulated, little_memory_divides_nodes_whose_costs_stay)
{
    divide_by_memory(true, matrix_scene_make_nodes, 7);
}

static void make_several(matrix_scene *s)
{
    matrix_scene_make_several(s, false);
}

Test(cuda_matrix_emulated, little_memory_divides_places_of_several_lanes)
{
    divide_by_memory(false, make_several, 5);
}

/* With a known number of sources, the devices take matrices of few cells in turn: here both of them, twice. */
Test(cuda_matrix_emulated, few_cells_take_one_device)
{
    enum { ASKED = 6 };
    const matrix_scene_shape shape = {40, 50, false};
    SCOPED(matrix_scene_free) matrix_scene s;
    uint32_t *expected[2];
    size_t calls[ASKED];
    matrix_scene_streets(&s, "cuda:all", MATRIX_SCENE_MODES - 1);
    matrix_scene_expected(&s, shape, expected);
    mcd_matrix_job job = matrix_scene_job(&s, shape);
    for (size_t i = 0; i < ASKED; ++i) {
        uint32_t *value[2];
        if (i == 2) job.source_count = shape.sources; /* not known before */
        matrix_scene_values(&s, shape, value);
        const size_t before = cuda_emulator_call_count();
        FIXTURE_CALL(matrix_scene_ask, &s, s.metric.cuda, &job, shape, value);
        calls[i] = cuda_emulator_call_count() - before;
        matrix_scene_expect(&s, shape, value, expected);
        matrix_scene_values_free(value);
    }
    for (size_t i = ASKED - 2; i < ASKED; ++i)
        cr_assert_lt(calls[i], calls[1], "%zu calls by one device, %zu by all", calls[i], calls[1]);
    matrix_scene_values_free(expected);
}

/* Returns how many calls of the driver a matrix takes into the memory. */
static size_t count_calls(const matrix_scene *s, const mcd_matrix_job *job, matrix_scene_shape shape,
                          uint32_t *memory)
{
    uint32_t *expected[2], *const value[2] = {memory, NULL};
    matrix_scene_expected(s, shape, expected);
    const size_t before = cuda_emulator_call_count();
    FIXTURE_CALL(matrix_scene_ask, s, s->metric.cuda, job, shape, value);
    const size_t calls = cuda_emulator_call_count() - before;
    matrix_scene_expect(s, shape, value, expected);
    matrix_scene_values_free(expected);
    return calls;
}

Test(cuda_matrix_emulated, places_in_order_need_no_reordering)
{
    const matrix_scene_shape shape = {190, 300, true};
    SCOPED(matrix_scene_free) matrix_scene s;
    uint32_t *value[2];
    matrix_scene_streets(&s, "cuda", 0);
    matrix_scene_values(&s, shape, value);
    const mcd_matrix_job job = matrix_scene_job(&s, shape);
    const size_t plain = count_calls(&s, &job, shape, value[0]);
    matrix_scene_sort(&s);
    const size_t sorted = count_calls(&s, &job, shape, value[0]);
    cr_assert_lt(sorted, plain, "%zu calls for sorted places, %zu for others", sorted, plain);
    matrix_scene_values_free(value);
}

Test(cuda_matrix_emulated, few_answers_are_written_to_pinned_memory)
{
    const matrix_scene_shape shape = {40, 50, true};
    macadam_error error;
    void *pinned;
    SCOPED(matrix_scene_free) matrix_scene s;
    uint32_t *value[2];
    matrix_scene_streets(&s, "cuda", 0);
    matrix_scene_values(&s, shape, value);
    const mcd_device_table *const table = s.metric.cuda->device;
    cr_assert_eq(table->memory_new(&pinned, s.metric.device, 0, MCD_MEMORY_PINNED,
                                   matrix_scene_cells(shape) * sizeof(uint32_t), &error),
                 MACADAM_OK);
    const mcd_matrix_job job = matrix_scene_job(&s, shape);
    const size_t plain = count_calls(&s, &job, shape, value[0]),
                 mapped = count_calls(&s, &job, shape, pinned);
    cr_assert_lt(mapped, plain, "%zu calls into pinned memory, %zu into other", mapped, plain);
    table->memory_free(s.metric.device, 0, MCD_MEMORY_PINNED, pinned);
    matrix_scene_values_free(value);
}

enum { SOURCES = 2 };

/* The answers from the scene's first sources to many targets. */
static uint32_t *ask_wide(const matrix_scene *s, const mcd_backend *with, const mcd_lane *target,
                          size_t count)
{
    mcd_matrix_targets *targets;
    uint32_t *const value = checked_allocate(SOURCES * count, sizeof *value);
    const mcd_matrix_job job = {
        .weights = &s->metric.metric.weights, .target = target, .target_count = count, .parallel = {4, NULL}};
    FIXTURE_CALL(with->matrix_targets_new, &targets, &job);
    const mcd_rows_job rows = {.targets = targets,
                               .source = s->source,
                               .source_count = SOURCES,
                               .objective = value,
                               .stride = count};
    FIXTURE_CALL(with->matrix_rows, &rows);
    with->matrix_targets_free(targets);
    return value;
}

/* Enough of them for a part of each thread's own: places of one node, then some with costs and two seeds. */
Test(cuda_matrix_emulated, threads_sort_many_targets)
{
    enum { MANY = 17000 };
    SCOPED(matrix_scene_free) matrix_scene s;
    FREED mcd_lane *const target = checked_allocate(MANY, sizeof *target);
    test_rng rng = {3};
    matrix_scene_make(&s, graphs_count(), 0, "cuda:all");
    for (size_t plain = 2; plain-- > 0;) {
        for (size_t i = 0; i < MANY; ++i)
            target[i] = plain ? mcd_lane_of(i % 50 ? rng_below(&rng, s.map.graph->node_count) : MCD_NODE_NONE)
                              : kernel_map_lane(&s.map, &rng, i);
        FREED uint32_t *const expected = ask_wide(&s, mcd_cpu_backend(), target, MANY), *const value =
                                                                                            ask_wide(
                                                                                                &s,
                                                                                                s.metric.cuda,
                                                                                                target, MANY);
        for (size_t i = 0; i < (size_t)SOURCES * MANY; ++i)
            cr_assert_eq(value[i], expected[i], "cell %zu is %u, not %u", i, value[i], expected[i]);
    }
}
