/* test_dense.c - all pairs over dense matrices, by every backend of this build that this processor runs. */
#include "tests/support/backends.h"
#include "tests/support/dense_scene.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Of the largest graphs, the fastest backend finds the distances. */
enum { VIA_NODES_MAX = 700, ALL_NODES_MAX = 1100, NODES_MAX = 2000, SMALL_PAGE = 200, GROUP = 32 };

TestSuite(dense, .init = backends_set_up, .fini = leak_expect_none);

/* One kind of query. */
typedef struct variant {
    bool via, narrow;
    unsigned threads;
    uint64_t memory_limit;
} variant;

static void run(const dense_scene *scene, const mcd_backend *with, const variant *how)
{
    char what[100];
    macadam_error error;
    snprintf(what, sizeof what, "%s, %u threads%s%s, limit %llu", with->name, how->threads,
             how->via ? ", via" : "", how->narrow ? ", narrow" : "", (unsigned long long)how->memory_limit);
    SCOPED(dense_job_free) mcd_dense_job job = dense_job_new(scene, how->via);
    job.narrow = how->narrow;
    job.memory_limit = how->memory_limit;
    job.parallel.thread_count = how->threads;
    cr_assert_eq(with->floyd_warshall(&job, &error), MACADAM_OK, "%s", error.message);
    dense_expect_distances(scene, &job, what);
    if (how->via && scene->via) dense_expect_via(scene, &job, what);
    /* Others whose nodes are the plain loop's have its paths. */
    if (how->via && (!scene->via || with == backend[0])) dense_expect_paths(scene, &job, what);
}

static void run_all(const dense_scene *scene)
{
    const uint64_t small_pages = (scene->node_count + GROUP) * 2 * sizeof(uint32_t) * SMALL_PAGE;
    for (size_t b = scene->node_count > ALL_NODES_MAX ? backend_count - 1 : 0; b < backend_count; ++b)
        for (int narrow = 0; narrow <= scene->narrow; ++narrow) {
            run(scene, backend[b], &(variant){false, narrow, 2, small_pages});
            if (scene->node_count > ALL_NODES_MAX || (b > 0 && scene->node_count > VIA_NODES_MAX)) continue;
            run(scene, backend[b], &(variant){true, narrow, 1, 0});
            if (scene->node_count > VIA_NODES_MAX) continue;
            run(scene, backend[b], &(variant){false, narrow, 1, 0});
            run(scene, backend[b], &(variant){true, narrow, 3, small_pages});
        }
}

Test(dense, every_variant_is_repeated_dijkstra_and_its_paths_are_the_plain_loops)
{
    size_t narrow_count = 0;
    for (size_t kind = 0; kind < dense_kinds_count(NODES_MAX); ++kind) {
        SCOPED(dense_scene_free) dense_scene scene;
        dense_scene_make(&scene, &dense_kinds[kind], dense_kinds[kind].node_count <= VIA_NODES_MAX);
        narrow_count += scene.narrow;
        run_all(&scene);
    }
    cr_assert_geq(narrow_count, 8);
}

Test(dense, a_limit_that_is_too_small_is_refused)
{
    SCOPED(dense_scene_free) dense_scene scene;
    macadam_error error;
    dense_scene_make(&scene, &dense_kinds[dense_kinds_count(100) - 1], false);
    SCOPED(dense_job_free) mcd_dense_job job = dense_job_new(&scene, false);
    job.memory_limit = 1000;
    cr_assert_eq(backend[0]->floyd_warshall(&job, &error), MACADAM_E_LIMIT);
    cr_assert(strstr(error.message, "the limit is 1000"), "%s", error.message);
}

static bool cancel(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)total;
    return done < *(const uint64_t *)context;
}

Test(dense, cancelled_or_without_memory_it_says_so)
{
    SCOPED(dense_scene_free) dense_scene scene;
    uint64_t steps = 100;
    dense_scene_make(&scene, &dense_kinds[dense_kinds_count(193) - 1], false);
    SCOPED(dense_job_free) mcd_dense_job job = dense_job_new(&scene, true);
    job.progress = (mcd_progress){cancel, &steps};
    cr_assert_eq(backend[0]->floyd_warshall(&job, NULL), MACADAM_E_CANCELLED);
    job.progress = (mcd_progress){0};
    for (size_t nth = 1;; ++nth) {
        allocator_fail(nth);
        const macadam_status status = backend[0]->floyd_warshall(&job, NULL);
        if (!allocator_has_failed()) break;
        cr_assert_eq(status, MACADAM_E_MEMORY);
    }
}
