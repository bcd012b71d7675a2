/* test_cuda_gpus.cpp - jobs on several GPUs: every failure of a GPU's thread becomes a status for the caller;
 * and there are as many lines as a GPU takes calls. */
#include "kernels/cuda/device/gpus.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"

#include <criterion/criterion.h>
#include <cstring>
#include <memory>
#include <stdexcept>

enum { GPUS = 4 };

Test(cuda_gpus, what_is_thrown_becomes_a_status)
{
    for (size_t thrower = 0; thrower < GPUS; ++thrower)
        for (int what = 0; what < 2; ++what) {
            std::atomic<size_t> done{0};
            macadam_error error = {""};
            const macadam_status status = throw_nothing(&error, [&] {
                on_each_gpu(GPUS, [&](size_t g) {
                    if (g == thrower && what == 0) throw std::runtime_error("thrown");
                    if (g == thrower) throw 7;
                    ++done;
                });
            });
            cr_assert_eq(status, MACADAM_E_DEVICE);
            cr_assert_str_eq(error.message, what ? "cuda: an unknown exception" : "cuda: thrown");
            cr_assert_eq(done, GPUS - 1);
        }
}

/* GPU `failing` fails with `status`, GPU `other` with `other_status`. */
static macadam_status fail_at(size_t failing, macadam_status status, size_t other,
                              macadam_status other_status, macadam_error *error)
{
    return throw_nothing(error, [&] {
        on_each_gpu(GPUS, [&](size_t g) {
            if (g == failing) fail(status, "of %d", (int)g);
            if (g == other && other_status) fail(other_status, "of %d", (int)g);
        });
    });
}

Test(cuda_gpus, first_failure_is_returned)
{
    macadam_error error;
    cr_assert_eq(fail_at(2, MACADAM_E_DEVICE, 1, MACADAM_E_MEMORY, &error), MACADAM_E_MEMORY);
    cr_assert_str_eq(error.message, "of 1");
    cr_assert_eq(fail_at(0, MACADAM_E_CANCELLED, 3, MACADAM_E_DEVICE, &error), MACADAM_E_DEVICE);
    cr_assert_str_eq(error.message, "of 3");
    cr_assert_eq(fail_at(0, MACADAM_E_CANCELLED, 3, MACADAM_E_CANCELLED, &error), MACADAM_E_CANCELLED);
    cr_assert_str_eq(error.message, "of 0");
    cr_assert_eq(fail_at(1, MACADAM_E_DEVICE, 1, MACADAM_OK, nullptr), MACADAM_E_DEVICE);
}

Test(cuda_gpus, failure_stops_the_others)
{
    const mcd_progress silent = {nullptr, nullptr};
    gpu_progress progress(silent, "work", 100);
    std::atomic<bool> has_failed{false};
    macadam_error error;
    const macadam_status status = throw_nothing(&error, [&] {
        on_each_gpu(GPUS, progress, [&](size_t g) {
            if (g == GPUS - 1) {
                has_failed = true;
                fail(MACADAM_E_DEVICE, "failed");
            }
            for (;;) progress.step(0); /* ends only if it is stopped */
        });
    });
    cr_assert(has_failed);
    cr_assert_eq(status, MACADAM_E_DEVICE);
    cr_assert_str_eq(error.message, "failed");
}

/* Arrays that outlive their call are freed in the order of its line, which is still there. */
Test(cuda_gpus, lines_outlive_their_calls)
{
    const std::unique_ptr<mcd_gpu> gpu(new mcd_gpu());
    macadam_error error;
    gpu_open(gpu.get(), 0, 0);
    {
        std::unique_ptr<gpu_call> call[LINES_MAX];
        gpu_array<int> array[LINES_MAX];
        for (size_t i = 0; i < LINES_MAX; ++i) {
            call[i].reset(new gpu_call(gpu.get()));
            array[i].allocate(*call[i], 1, "an array");
        }
        cr_assert_eq(throw_nothing(&error, [&] { gpu_call one_more(gpu.get()); }), MACADAM_E_DEVICE);
        cr_assert_not_null(strstr(error.message, "1024 concurrent calls"), "%s", error.message);
        const size_t handles = cuda_emulator_live_handles();
        for (auto &each : call) each.reset();
        cr_assert_eq(cuda_emulator_live_handles(), handles);
        cr_assert_eq(cuda_emulator_live_allocations(), LINES_MAX);
    }
    cr_assert_eq(cuda_emulator_live_allocations(), 0);
    cr_assert_not(gpu->lost);
    gpu_close(gpu.get());
    cr_assert_eq(cuda_emulator_live_handles(), 0);
}

/* Who holds scratch is not made to wait for it. */
Test(cuda_gpus, shares_are_given_back_and_never_waited_for_in_a_circle)
{
    enum { LIMIT = 1000 };
    const std::unique_ptr<mcd_gpu> gpu(new mcd_gpu());
    macadam_error error;
    const auto take = [&](gpu_share &share, gpu_call &call, uint64_t least, const char *what) {
        return throw_nothing(&error, [&] { share.take(call, least, LIMIT + 1, what); });
    };
    gpu_open(gpu.get(), 0, LIMIT);
    {
        gpu_share first, second, third;
        gpu_call call(gpu.get()), within(gpu.get());
        cr_assert_eq(take(first, call, 10, "much"), MACADAM_OK);
        cr_assert_eq(first.bytes(), LIMIT / 4 * 3);
        within.is_scratch = true;
        cr_assert_eq(take(second, within, LIMIT / 2, "more"), MACADAM_E_DEVICE);
        cr_assert_not_null(strstr(error.message, "more: out of memory: 500 bytes are needed, 250"), "%s",
                           error.message);
        cr_assert_eq(take(third, within, 250, "the rest"), MACADAM_OK);
        cr_assert_eq(third.bytes(), 250);
    }
    {
        gpu_share all, none;
        gpu_call call(gpu.get()), other(gpu.get());
        cr_assert_eq(take(none, other, LIMIT + 1, "too much"), MACADAM_E_DEVICE);
        cr_assert_eq(take(all, call, LIMIT, "all"), MACADAM_OK);
        cr_assert_eq(take(none, other, LIMIT + 1, "too much"), MACADAM_E_DEVICE);
    }
    gpu_close(gpu.get());
}
