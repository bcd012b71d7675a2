/* test_cuda_matrix_emulated.c - matrices on a device that has little memory or none, or is lost: each call
 * gives the right answer or a status, and nothing leaks. */
#include "tests/support/allocator.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"
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
static void divide_by_memory(bool stays)
{
    enum { BYTES_MOST = 64 << 20 };
    const matrix_scene_shape shape = {MATRIX_SCENE_SIDE, MATRIX_SCENE_SIDE, stays};
    macadam_error error;
    matrix_scene s;
    uint32_t *expected[2], *memory[2];
    size_t calls_least = 0, calls = 0;
    matrix_scene_streets(&s, "cuda", MATRIX_SCENE_MODES - 1);
    matrix_scene_expected(&s, shape, expected);
    for (int q = 0; q < 2; ++q)
        cr_assert_eq(s.metric.cuda->device->memory_new((void **)&memory[q], s.metric.device, 0,
                                                       MCD_MEMORY_DEVICE,
                                                       matrix_scene_cells(shape) * sizeof(uint32_t), &error),
                     MACADAM_OK);
    mcd_matrix_job job = matrix_scene_job(&s, shape);
    job.parallel.thread_count = 2; /* to fill the caller's memory */
    macadam_status status = MACADAM_OK;
    for (size_t bytes = BYTES_MOST; !status; bytes = bytes / 8 * 7) {
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
    cr_assert_gt(calls, 2 * calls_least, "%zu calls, %zu with plenty", calls, calls_least);
    cuda_emulator_reset();
    for (int q = 0; q < 2; ++q)
        s.metric.cuda->device->memory_free(s.metric.device, 0, MCD_MEMORY_DEVICE, memory[q]);
    matrix_scene_values_free(expected);
    matrix_scene_free(&s);
}

Test(cuda_matrix_emulated, little_memory_divides_it)
{
    divide_by_memory(false);
}

Test(cuda_matrix_emulated, little_memory_divides_what_stays)
{
    divide_by_memory(true);
}

typedef void (*let_fail)(size_t nth);

static void let_device_fail(size_t nth)
{
    cuda_emulator_fail_allocation(nth);
}

static bool any_has_failed(let_fail fail)
{
    return fail == allocator_fail ? allocator_has_failed() : cuda_emulator_has_failed();
}

/* Every allocation fails once; the answer after all of them is right. */
static void expect_failures(const matrix_scene *s, let_fail fail, macadam_status expected_status)
{
    const matrix_scene_shape shape = {140, 150, false};
    uint32_t *expected[2], *value[2];
    const mcd_matrix_job job = matrix_scene_job(s, shape);
    matrix_scene_expected(s, shape, expected);
    matrix_scene_values(s, shape, value);
    const size_t alive = allocator_live_count();
    macadam_status status = MACADAM_E_MEMORY;
    size_t failures = 0;
    for (size_t nth = 1; status; ++nth) {
        macadam_error error = {""};
        fail(nth);
        status = matrix_scene_ask(s, s->metric.cuda, &job, shape, value, &error);
        cr_assert_eq(allocator_live_count(), alive);
        if (!any_has_failed(fail)) break;
        cr_assert_eq(status, expected_status, "allocation %zu: %d", nth, (int)status);
        cr_assert_str_not_empty(error.message);
        ++failures;
    }
    fail(0);
    cr_assert_eq(status, MACADAM_OK);
    cr_assert_gt(failures, 3);
    matrix_scene_expect(s, shape, value, expected);
    matrix_scene_values_free(expected);
    matrix_scene_values_free(value);
}

Test(cuda_matrix_emulated, every_allocation_may_fail)
{
    matrix_scene s;
    matrix_scene_streets(&s, "cuda", MATRIX_SCENE_MODES - 1);
    allocator_install(); /* blocks that are already allocated are freed later */
    expect_failures(&s, allocator_fail, MACADAM_E_MEMORY);
    expect_failures(&s, let_device_fail, MACADAM_E_DEVICE);
    macadam_allocator_set(NULL);
    matrix_scene_free(&s);
}

Test(cuda_matrix_emulated, lost_device_is_a_status)
{
    const matrix_scene_shape shape = {140, 150, false};
    for (size_t nth = 1;; nth = nth * 5 / 4 + 1) {
        macadam_error error = {""};
        matrix_scene s;
        uint32_t *value[2];
        matrix_scene_streets(&s, "cuda", 0);
        const mcd_matrix_job job = matrix_scene_job(&s, shape);
        matrix_scene_values(&s, shape, value);
        cuda_emulator_lose_device(nth, CUDA_EMULATOR_FAULT);
        const macadam_status status = matrix_scene_ask(&s, s.metric.cuda, &job, shape, value, &error);
        const bool has_failed = cuda_emulator_has_failed();
        cuda_emulator_reset();
        if (status) {
            cr_assert_eq(status, MACADAM_E_DEVICE);
            cr_assert(s.metric.cuda->device->lost(s.metric.device), "call %zu: %s", nth, error.message);
        }
        matrix_scene_values_free(value);
        matrix_scene_free(&s);
        if (!has_failed) break;
    }
}
