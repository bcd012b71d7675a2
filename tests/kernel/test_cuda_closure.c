/* test_cuda_closure.c - transitive closure on bits by the CUDA backend, all columns together and few. */
#include "tests/support/closure_scene.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LIMIT_FIRST = 1 << 20 };

/* Runs without a limit, and then with less and less memory until there is not enough. */
static void run_limits(const closure_scene *scene, const mcd_backend *cuda, mcd_device *device)
{
    macadam_error error;
    macadam_status status = MACADAM_OK;
    size_t count = 0;
    for (uint64_t limit = 0; !status; limit = limit ? limit / 4 * 3 : LIMIT_FIRST, ++count) {
        mcd_closure_job job = closure_job_new(scene);
        job.device = device;
        job.memory_limit = limit;
        job.parallel.thread_count = 2;
        status = cuda->closure(&job, &error);
        if (!status) closure_expect(scene, &job, "cuda");
        closure_job_free(&job);
        if (scene->component_count == 0 || scene->column_count == 0) return; /* nothing is needed */
    }
    cr_assert_eq(status, MACADAM_E_LIMIT, "%s", error.message);
    cr_assert(strstr(error.message, "the limit is"), "%s", error.message);
    cr_assert_gt(count, 2);
}

Test(cuda_closure, every_row_is_what_a_search_reaches)
{
    const mcd_backend *const cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    const char *const name[] = {"cuda", "cuda:all"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        mcd_device *device;
        macadam_error error;
        cr_assert_eq(cuda->device->open(&device, name[i], 0, &error), MACADAM_OK, "%s", error.message);
        for (size_t kind = 0; kind < closure_kinds_count(); ++kind) {
            closure_scene scene;
            closure_scene_make(&scene, kind);
            run_limits(&scene, cuda, device);
            closure_scene_free(&scene);
        }
        cuda->device->close(device);
    }
}
