/* test_cuda_renew_emulated.c - if a device or the host runs out of memory, the CUDA backend makes no weights
 * and leaks nothing; with memory again it makes them. On emulated devices. */
#include "tests/support/allocator.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/kernel_map.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <string.h>

static const mcd_backend *cuda;
static mcd_device *device;
static mcd_device_map *placed;
static kernel_map map;
static mcd_renew_job job;
static macadam_error error;

/* 20 nodes, each joined to all others. */
static void set_up(void)
{
    enum { NODES = 20 };
    test_graph graph = {.name = "small crowd", .node_count = NODES};
    cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL); /* sets the hook: no allocator of its host's */
    allocator_install();
    for (uint32_t x = 0; x < NODES; ++x)
        for (uint32_t y = 0; y < NODES; ++y)
            if (x != y) test_graph_add(&graph, x, y, 1 + (x * 7 + y * 3) % 40, x + y);
    kernel_map_make(&map, &graph, 0);
    test_graph_free(&graph);
    job = (mcd_renew_job){.customize = {.hierarchy = map.hierarchy,
                                        .graph = map.graph,
                                        .objective = map.weight[0],
                                        .companion = map.weight[1],
                                        .parallel = {2, NULL}}};
}

static void tear_down(void)
{
    kernel_map_free(&map);
    cr_assert_eq(allocator_live_count(), 0, "memory is leaked");
    cr_assert_eq(cuda_emulator_live_allocations(), 0, "memory of a device is leaked");
}

TestSuite(cuda_renew_emulated, .init = set_up, .fini = tear_down);

/* Runs on a map that has no schedule yet. Returns the failure's status, or MACADAM_OK if nothing was left to
 * fail. */
static macadam_status fail_one(size_t nth, void (*fail)(size_t nth), bool (*has_failed)(void))
{
    mcd_device_weights *weights;
    cr_assert_eq(cuda->device->open(&device, "cuda", 0, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(cuda->device->map_new(&placed, device, map.hierarchy, map.graph, &error), MACADAM_OK);
    fail(nth);
    const macadam_status status = cuda->device->weights_renew(&weights, placed, &job, &error);
    const bool failed = has_failed();
    fail(0);
    cr_assert_eq(status == MACADAM_OK, !failed, "allocation %zu: status %d", nth, (int)status);
    cr_assert(!cuda->device->lost(device), "a lack of memory loses the device");
    if (status) {
        cr_assert_null(weights);
        cr_assert_eq(cuda->device->weights_renew(&weights, placed, &job, &error), MACADAM_OK, "%s",
                     error.message);
    }
    cuda->device->weights_free(weights);
    cuda->device->map_free(placed);
    cuda->device->close(device);
    return status;
}

static bool device_has_failed(void)
{
    return cuda_emulator_has_failed();
}

Test(cuda_renew_emulated, a_device_without_memory_is_an_error)
{
    size_t nth = 1;
    for (macadam_status status; (status = fail_one(nth, cuda_emulator_fail_allocation, device_has_failed));
         ++nth)
        cr_assert_eq(status, MACADAM_E_DEVICE, "allocation %zu: status %d", nth, (int)status);
    cr_assert_gt(nth, 20, "%zu allocations failed", nth - 1);
}

Test(cuda_renew_emulated, a_host_without_memory_is_an_error)
{
    size_t nth = 1;
    for (macadam_status status; (status = fail_one(nth, allocator_fail, allocator_has_failed)); ++nth)
        cr_assert_eq(status, MACADAM_E_MEMORY, "allocation %zu: status %d", nth, (int)status);
    cr_assert_gt(nth, 3, "%zu allocations failed", nth - 1);
}
