/* test_cuda_dense.c - all pairs over dense matrices by the CUDA backend: rows that stay and rows that pass,
 * on one device and on several. */
#include "tests/support/dense_scene.h"
#include "tests/support/scoped.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first limit is what a graph needs several times over: below it, runs differ in how they divide rows. */
enum { NODES_MAX = 530, DEVICES = 4, LIMIT_NODES = 128, LIMIT_STEPS_NODES = 300, LIMIT_CELL_BYTES = 24 };

static const mcd_backend *cuda;

static void set_up(void)
{
    char count[8];
    snprintf(count, sizeof count, "%d", DEVICES);
    setenv("MCD_EMULATED_DEVICES", count, 1); /* a real machine keeps its own number */
    cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
}

TestSuite(cuda_dense, .init = set_up);

/* One kind of query. */
typedef struct variant {
    mcd_device *device;
    const char *name;
    bool via, narrow;
    uint64_t limit;
} variant;

static macadam_status run(const dense_scene *scene, const variant *how, macadam_error *error)
{
    char what[100];
    snprintf(what, sizeof what, "%s%s%s, limit %llu", how->name, how->via ? ", via" : "",
             how->narrow ? ", narrow" : "", (unsigned long long)how->limit);
    SCOPED(dense_job_free) mcd_dense_job job = dense_job_new(scene, how->via);
    job.device = how->device;
    job.narrow = how->narrow;
    job.memory_limit = how->limit;
    job.parallel.thread_count = 2;
    const macadam_status status = cuda->floyd_warshall(&job, error);
    if (!status) {
        dense_expect_distances(scene, &job, what);
        if (how->via) dense_expect_via(scene, &job, what);
    }
    return status;
}

/* Runs without a limit, and then with less and less memory until there is not enough (of large graphs, which take the
 * emulator long, only with paths); returns how many runs had enough. */
static size_t run_limits(const dense_scene *scene, variant how)
{
    macadam_error error;
    size_t count = 0;
    cr_assert_eq(run(scene, &how, &error), MACADAM_OK, "%s", error.message);
    const uint64_t side = scene->node_count + LIMIT_NODES;
    const bool is_large = side >= LIMIT_STEPS_NODES;
    if (scene->node_count == 0 || (is_large && !how.via)) return count;
    macadam_status status = MACADAM_OK;
    const uint64_t tenths = is_large ? 4 : 7;
    for (how.limit = LIMIT_CELL_BYTES * side * side; !status; how.limit = how.limit / 10 * tenths, ++count)
        status = run(scene, &how, &error);
    cr_assert_eq(status, MACADAM_E_LIMIT, "%s", error.message);
    cr_assert(strstr(error.message, "the limit is"), "%s", error.message);
    return count;
}

static void run_all(const char *name)
{
    mcd_device *device;
    macadam_error error;
    size_t limits = 0;
    cr_assert_eq(cuda->device->open(&device, name, 0, &error), MACADAM_OK, "%s", error.message);
    for (size_t kind = 0; kind < dense_kinds_count(NODES_MAX); ++kind) {
        SCOPED(dense_scene_free) dense_scene scene;
        dense_scene_make(&scene, &dense_kinds[kind], true);
        for (int narrow = 0; narrow <= scene.narrow; ++narrow)
            for (int via = 0; via < 2; ++via)
                limits += run_limits(&scene, (variant){device, name, via, narrow, 0});
    }
    cr_assert_gt(limits, 50);
    cuda->device->close(device);
}

Test(cuda_dense, one_device_finds_repeated_dijkstra_and_the_plain_loops_paths)
{
    run_all("cuda");
}

Test(cuda_dense, all_devices_find_the_same)
{
    run_all("cuda:all");
}
