/* test_cuda_renew_emulated.c - if a device or the host runs out of memory, the CUDA backend makes no weights
 * and leaks nothing; with memory again it makes them. On emulated devices. */
#include "tests/support/allocator.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/kernel_map.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <string.h>

enum { NODES = 20 };

static const mcd_backend *cuda;
static mcd_device *device;
static mcd_device_map *placed;
static kernel_map map;
static mcd_renew_job job;
static macadam_error error;

/* 20 nodes, each joined to all others. */
static void set_up(void)
{
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

/* ---- several devices ---- */

static void open_devices(const char *devices)
{
    cr_assert_eq(cuda->device->open(&device, devices, 0, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(cuda->device->map_new(&placed, device, map.hierarchy, map.graph, &error), MACADAM_OK);
}

static void close_devices(void)
{
    cuda->device->map_free(placed);
    cuda->device->close(device);
}

static mcd_device_weights *renew(void)
{
    mcd_device_weights *weights;
    cr_assert_eq(cuda->device->weights_renew(&weights, placed, &job, &error), MACADAM_OK, "%s",
                 error.message);
    return weights;
}

/* The calls of the driver by a renewal that is not the first. */
static size_t calls_of_renewal(const char *devices)
{
    open_devices(devices);
    cuda->device->weights_free(renew());
    const size_t before = cuda_emulator_call_count();
    mcd_device_weights *const weights = renew();
    const size_t calls = cuda_emulator_call_count() - before;
    cuda->device->weights_free(weights);
    close_devices();
    return calls;
}

Test(cuda_renew_emulated, only_one_device_customizes)
{
    cr_assert_eq(calls_of_renewal("cuda:all"), calls_of_renewal("cuda"));
}

/* Costs from node 0 to all, which all devices share. */
static macadam_status find_costs(mcd_device_weights *weights, uint32_t *cost)
{
    mcd_lane source[NODES], target[NODES];
    const mcd_weights found = {.hierarchy = map.hierarchy, .graph = map.graph, .device = weights};
    for (mcd_node i = 0; i < NODES; ++i) source[i] = mcd_lane_of(0), target[i] = mcd_lane_of(i);
    const mcd_route_job routes = {.weights = &found,
                                  .source = source,
                                  .target = target,
                                  .count = NODES,
                                  .objective = cost,
                                  .parallel = {2, NULL}};
    return cuda->route(&routes, &error);
}

/* The second device copies the weights when it first needs them. */
Test(cuda_renew_emulated, a_second_device_without_memory_for_the_weights_is_an_error)
{
    uint32_t one[NODES], cost[NODES];
    open_devices("cuda");
    mcd_device_weights *weights = renew();
    cr_assert_eq(find_costs(weights, one), MACADAM_OK, "%s", error.message);
    cuda->device->weights_free(weights);
    close_devices();
    open_devices("cuda:all");
    size_t nth = 0;
    for (macadam_status status = MACADAM_E_DEVICE; status; cuda->device->weights_free(weights)) {
        weights = renew();
        cuda_emulator_fail_allocation(++nth);
        status = find_costs(weights, cost);
        cr_assert_eq(status, cuda_emulator_has_failed() ? MACADAM_E_DEVICE : MACADAM_OK, "%s", error.message);
        cuda_emulator_fail_allocation(0);
        cr_assert_eq(find_costs(weights, cost), MACADAM_OK, "%s", error.message);
        cr_assert_arr_eq(cost, one, sizeof one);
    }
    cr_assert_gt(nth, 8, "%zu allocations failed", nth - 1);
    close_devices();
}
