/* test_cuda_dense_emulated.c - dense matrices on devices that lack memory or are lost, with any order of
 * threads, and in all kinds of memory: each call gives the right answer or a status, and nothing leaks. */
#include "tests/support/allocator.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/dense_scene.h"
#include "tests/support/scoped.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* PASSING_LIMIT: a third of the rows fits, while others come and go. */
enum { NODES = 300, PASSING_LIMIT = 2700 << 10 };

static const mcd_backend *cuda;
static mcd_device *device;
static dense_scene scene;
static macadam_error error;

static void set_up(void)
{
    setenv("MCD_EMULATED_DEVICES", "2", 1);
    cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    allocator_install();
    dense_scene_make(&scene, &dense_kinds[dense_kinds_count(NODES) - 1], true);
    cr_assert_eq(cuda->device->open(&device, "cuda:all", 0, &error), MACADAM_OK, "%s", error.message);
}

static void tear_down(void)
{
    cuda->device->close(device);
    dense_scene_free(&scene);
    cr_assert_eq(cuda_emulator_live_allocations(), 0);
    cr_assert_eq(cuda_emulator_live_handles(), 0);
    cr_assert_eq(allocator_live_count(), 0);
    macadam_allocator_set(NULL);
}

TestSuite(cuda_dense_emulated, .init = set_up, .fini = tear_down);

static mcd_dense_job job_of(bool via, uint64_t limit)
{
    mcd_dense_job job = dense_job_new(&scene, via);
    job.device = device;
    job.memory_limit = limit;
    return job;
}

static void expect_answer(const mcd_dense_job *job, const char *what)
{
    dense_expect_distances(&scene, job, what);
    if (job->via) dense_expect_via(&scene, job, what);
}

typedef void (*let_fail)(size_t nth);

static void let_device_fail(size_t nth)
{
    cuda_emulator_fail_allocation(nth);
}

/* Every allocation fails once; the answer after all of them is right. */
static void expect_failures(let_fail fail, macadam_status expected_status, uint64_t limit)
{
    macadam_status status = MACADAM_E_MEMORY;
    size_t failures = 0;
    for (size_t nth = 1; status; ++nth, ++failures) {
        SCOPED(dense_job_free) mcd_dense_job job = job_of(true, limit);
        fail(nth);
        status = cuda->floyd_warshall(&job, &error);
        const bool has_failed = fail == allocator_fail ? allocator_has_failed() : cuda_emulator_has_failed();
        fail(0);
        if (has_failed)
            cr_assert_eq(status, expected_status, "allocation %zu: %d", nth, (int)status);
        else
            cr_assert_eq(status, MACADAM_OK, "%s", error.message);
        if (!status) expect_answer(&job, "after failures");
    }
    cr_assert_geq(failures, 1);
}

Test(cuda_dense_emulated, every_allocation_may_fail)
{
    expect_failures(allocator_fail, MACADAM_E_MEMORY, 0);
    expect_failures(let_device_fail, MACADAM_E_DEVICE, 0);
    expect_failures(let_device_fail, MACADAM_E_DEVICE, PASSING_LIMIT);
}

Test(cuda_dense_emulated, lost_device_is_a_status)
{
    bool has_failed = true;
    for (size_t nth = 1; has_failed; nth = nth * 5 / 4 + 1) {
        mcd_dense_job job = job_of(nth % 2, nth % 3 ? PASSING_LIMIT : 0);
        cuda_emulator_lose_device(nth, CUDA_EMULATOR_FAULT);
        const macadam_status status = cuda->floyd_warshall(&job, &error);
        has_failed = cuda_emulator_has_failed();
        cuda_emulator_reset();
        if (status)
            cr_assert_eq(status, MACADAM_E_DEVICE, "call %zu: %d", nth, (int)status);
        else
            expect_answer(&job, "with a device to be lost");
        dense_job_free(&job);
        cuda->device->close(device);
        cr_assert_eq(cuda->device->open(&device, "cuda:all", 0, &error), MACADAM_OK, "%s", error.message);
    }
}

Test(cuda_dense_emulated, rows_that_do_not_fit_pass)
{
    size_t calls[2];
    for (int passing = 0; passing < 2; ++passing) {
        SCOPED(dense_job_free) mcd_dense_job job = job_of(true, passing ? PASSING_LIMIT : 0);
        const size_t before = cuda_emulator_call_count();
        cr_assert_eq(cuda->floyd_warshall(&job, &error), MACADAM_OK, "%s", error.message);
        calls[passing] = cuda_emulator_call_count() - before;
    }
    cr_assert_gt(calls[1], 2 * calls[0], "%zu calls, %zu if they stay", calls[1], calls[0]);
}

Test(cuda_dense_emulated, the_order_of_threads_does_not_matter)
{
    for (int passing = 0; passing < 2; ++passing) {
        SCOPED(dense_job_free) mcd_dense_job job = job_of(true, passing ? PASSING_LIMIT : 0);
        cuda_emulator_set_reversed(1);
        cr_assert_eq(cuda->floyd_warshall(&job, &error), MACADAM_OK, "%s", error.message);
        cuda_emulator_set_reversed(0);
        expect_answer(&job, "in descending order");
    }
}

Test(cuda_dense_emulated, matrices_may_lie_in_any_memory)
{
    for (int kind = MCD_MEMORY_DEVICE; kind <= MCD_MEMORY_PINNED; ++kind)
        for (int passing = 0; passing < 2; ++passing) {
            const mcd_dense_job host = job_of(true, passing ? PASSING_LIMIT : 0);
            const size_t bytes = scene.node_count * scene.stride * sizeof(uint32_t);
            mcd_dense_job job = host;
            void *memory[2];
            for (int i = 0; i < 2; ++i)
                cr_assert_eq(cuda->device->memory_new(&memory[i], device, 0, kind, bytes, &error),
                             MACADAM_OK);
            job.cost = memory[0], job.via = memory[1];
            memcpy(job.cost, host.cost, bytes); /* emulated devices' memory is the host's */
            memcpy(job.via, host.via, bytes);
            cr_assert_eq(cuda->floyd_warshall(&job, &error), MACADAM_OK, "%s", error.message);
            expect_answer(&job, kind == MCD_MEMORY_DEVICE ? "on a device" : "pinned");
            for (int i = 0; i < 2; ++i) cuda->device->memory_free(device, 0, kind, memory[i]);
            free(host.cost), free(host.via);
        }
}

static bool cancel(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)total;
    return done < *(const uint64_t *)context;
}

Test(cuda_dense_emulated, it_can_be_cancelled_at_each_step)
{
    macadam_status status = MACADAM_E_CANCELLED;
    for (uint64_t steps = 0; status; ++steps) {
        SCOPED(dense_job_free) mcd_dense_job job = job_of(true, 0);
        job.progress = (mcd_progress){cancel, &steps};
        status = cuda->floyd_warshall(&job, &error);
        if (!status)
            cr_assert_gt(steps, 2);
        else
            cr_assert_eq(status, MACADAM_E_CANCELLED);
    }
}
