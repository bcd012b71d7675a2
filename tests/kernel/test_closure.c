/* test_closure.c - transitive closure on bits, by every backend of this build that this processor runs. */
#include "tests/support/backends.h"
#include "tests/support/checked.h"
#include "tests/support/closure_scene.h"

#include "kernels/cpu/device/cpu.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(closure, .init = backends_set_up, .fini = leak_expect_none);

Test(closure, every_row_is_what_a_search_reaches)
{
    for (size_t kind = 0; kind < closure_kinds_count(); ++kind) {
        SCOPED(closure_scene_free) closure_scene scene;
        closure_scene_make(&scene, kind);
        for (size_t b = 0; b < backend_count; ++b)
            for (unsigned threads = 1; threads <= BACKEND_THREADS_MAX; ++threads) {
                macadam_error error;
                SCOPED(closure_job_free) mcd_closure_job job = closure_job_new(&scene);
                job.parallel.thread_count = threads;
                cr_assert_eq(backend[b]->closure(&job, &error), MACADAM_OK, "%s", error.message);
                closure_expect(&scene, &job, backend[b]->name);
            }
    }
}

static bool cancel(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(closure, it_can_be_cancelled)
{
    SCOPED(closure_scene_free) closure_scene scene;
    closure_scene_make(&scene, closure_kinds_count() - 1);
    SCOPED(closure_job_free) mcd_closure_job job = closure_job_new(&scene);
    job.progress.call = cancel;
    cr_assert_eq(mcd_cpu_backend()->closure(&job, NULL), MACADAM_E_CANCELLED);
}
