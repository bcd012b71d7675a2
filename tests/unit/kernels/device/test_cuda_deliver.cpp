/* test_cuda_deliver.cpp - rows between pageable memory and a GPU: every byte arrives, gaps stay, and failures end it. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/gpus.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"

#include <criterion/criterion.h>
#include <cstring>
#include <memory>
#include <vector>

struct row_shape {
    size_t pitch, gpu_pitch, row_bytes, row_count;
};

/* The last two go around the ring: it has RING_SLOTS chunks of at most 2 MiB. */
static const row_shape shapes[] = {
    {1, 1, 1, 1},           {300, 0, 300, 1000},        {1024, 0, 256, 1001},
    {1031, 512, 333, 4099}, {34603009, 0, 34603009, 1}, {512, 384, 256, 90001}};

static unsigned char byte_at(size_t row, size_t i)
{
    return (unsigned char)(row * 31 + i * 7 + (i >> 8) + 1);
}

static size_t gpu_pitch_of(const row_shape &shape)
{
    return shape.gpu_pitch ? shape.gpu_pitch : shape.row_bytes;
}

/* Host -> GPU -> host; returns whether the rows came back, and nothing else did. */
static void send_and_fetch(mcd_gpu *gpu, const row_shape &shape, const mcd_parallel *parallel)
{
    enum { GAP = 0 };
    gpu_call call(gpu);
    std::vector<unsigned char> sent(shape.pitch * shape.row_count, 0xee), back(sent.size(), GAP);
    for (size_t row = 0; row < shape.row_count; ++row)
        for (size_t i = 0; i < shape.row_bytes; ++i) sent[row * shape.pitch + i] = byte_at(row, i);
    gpu_array<unsigned char> there(call, gpu_pitch_of(shape) * shape.row_count, "rows");
    call.order_copies();
    supply_rows(call,
                {there.get(), shape.pitch, sent.data(), shape.row_bytes, shape.row_count, shape.gpu_pitch},
                parallel);
    call.synchronize();
    deliver_rows(call,
                 {back.data(), shape.pitch, there.get(), shape.row_bytes, shape.row_count, shape.gpu_pitch},
                 parallel);
    call.synchronize();
    for (size_t row = 0; row < shape.row_count; ++row) {
        unsigned char *const to = &back[row * shape.pitch];
        cr_assert_eq(memcmp(to, &sent[row * shape.pitch], shape.row_bytes), 0, "row %zu of %zu bytes", row,
                     shape.row_bytes);
        for (size_t i = shape.row_bytes; i < shape.pitch; ++i) cr_assert_eq(to[i], GAP, "a gap is written");
    }
}

Test(cuda_deliver, rows_arrive_by_any_number_of_threads)
{
    const std::unique_ptr<mcd_gpu> gpu(new mcd_gpu());
    gpu_open(gpu.get(), 0, 0);
    for (const unsigned threads : {1u, 4u}) {
        const mcd_parallel parallel = mcd_parallel_of(threads, nullptr);
        for (const row_shape &shape : shapes) send_and_fetch(gpu.get(), shape, &parallel);
    }
    gpu_close(gpu.get());
    cr_assert_eq(cuda_emulator_live_handles(), 0);
    cr_assert_eq(cuda_emulator_live_allocations(), 0);
}

/* The host's executor that runs tasks one after the other, the last one first. */
static void run_backwards(void *, size_t count, void (*task)(void *, size_t, unsigned), void *argument)
{
    while (count-- > 0) task(argument, count, 0);
}

Test(cuda_deliver, rows_arrive_by_an_executor_that_runs_tasks_backwards)
{
    const macadam_executor executor = {4, run_backwards, nullptr};
    const mcd_parallel parallel = mcd_parallel_of(0, &executor);
    const std::unique_ptr<mcd_gpu> gpu(new mcd_gpu());
    gpu_open(gpu.get(), 0, 0);
    for (const row_shape &shape : shapes) send_and_fetch(gpu.get(), shape, &parallel);
    gpu_close(gpu.get());
}

/* Every call of the delivery fails once: it ends with that failure, and no thread waits for the rest. */
Test(cuda_deliver, failure_of_any_call_ends_the_delivery)
{
    const mcd_parallel parallel = mcd_parallel_of(4, nullptr);
    const size_t bytes = (size_t)34 << 20;
    const std::vector<unsigned char> from(bytes, 1);
    std::vector<unsigned char> to(bytes);
    bool failed = true;
    for (size_t nth = 1; failed; nth += 1 + nth / 4) {
        macadam_error error = {""};
        cuda_emulator_reset();
        const std::unique_ptr<mcd_gpu> gpu(new mcd_gpu());
        gpu_open(gpu.get(), 0, 0);
        const macadam_status status = throw_nothing(&error, [&] {
            gpu_call call(gpu.get());
            gpu_array<unsigned char> there(call, bytes, "bytes");
            cuda_emulator_lose_device(nth, CUDA_EMULATOR_FAULT);
            supply(call, there.get(), from.data(), bytes, &parallel);
            deliver(call, to.data(), there.get(), bytes, &parallel);
            cuda_emulator_lose_device(0, CUDA_EMULATOR_FAULT);
        });
        failed = cuda_emulator_has_failed();
        cr_assert_eq(status, failed ? MACADAM_E_DEVICE : MACADAM_OK, "call %zu: %s", nth, error.message);
        cuda_emulator_lose_device(0, CUDA_EMULATOR_FAULT);
        gpu_close(gpu.get());
    }
    cuda_emulator_reset();
    cr_assert(to == from);
}
