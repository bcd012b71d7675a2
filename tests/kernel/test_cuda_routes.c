/* test_cuda_routes.c - routes of the CUDA backend, costs and paths, have the bits of the CPU's. */
#include "tests/support/route_scene.h"

#include <criterion/criterion.h>

enum { MANY = 5000 }; /* pairs: enough to be ordered */

static void for_all(const char *device, size_t step, void (*claim)(route_scene *s))
{
    for (size_t map = 0; map < kernel_maps_count(); map += step)
        for (int mode = 0; mode < ROUTE_MODES; ++mode) {
            SCOPED(route_scene_free) route_scene s;
            route_scene_make(&s, map, mode, device);
            claim(&s);
        }
}

static void costs(route_scene *s)
{
    static const size_t counts[] = {0, 1, 2, 9};
    const size_t all = s->count;
    route_scene_expect(s, false);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        s->count = counts[i];
        route_scene_expect(s, false);
    }
    s->count = all;
}

Test(cuda_routes, costs_are_the_processors)
{
    for_all("cuda", 1, costs);
}

static void costs_of_all(route_scene *s)
{
    route_scene_expect(s, false);
}

Test(cuda_routes, costs_of_all_devices_are_those_of_one)
{
    for_all("cuda:all", 5, costs_of_all);
}

/* Lanes with costs and two seeds are for maps without cycles of weight 0, which tight paths need. */
static void paths(route_scene *s)
{
    const size_t all = s->count;
    if (s->metric.metric.weights.has_zero) route_scene_make_plain(s);
    route_scene_expect(s, true);
    s->count = 1;
    route_scene_expect(s, true);
    route_scene_number(s);
    route_scene_expect(s, true);
    s->count = all;
    route_scene_expect(s, true);
}

Test(cuda_routes, paths_are_the_processors)
{
    for_all("cuda", 1, paths);
}

/* Enough pairs for all devices, as arcs and as numbers. */
static void many_paths(route_scene *s)
{
    route_scene_set_pairs(s, MANY);
    route_scene_make_plain(s);
    route_scene_expect(s, true);
    route_scene_number(s);
    route_scene_expect(s, true);
}

Test(cuda_routes, paths_of_all_devices_are_those_of_one)
{
    for_all("cuda:all", 20, many_paths);
}

Test(cuda_routes, order_of_pairs_changes_nothing)
{
    for (int mode = 0; mode < ROUTE_MODES; ++mode) {
        SCOPED(route_scene_free) route_scene s;
        route_scene_make(&s, kernel_maps_count() / 2, mode, "cuda");
        route_scene_set_pairs(&s, MANY);
        route_scene_make_plain(&s);
        route_scene_expect(&s, false);
        route_scene_expect(&s, true);
    }
}

Test(cuda_routes, labels_too_high_for_shared_memory_are_the_same)
{
    for (int mode = 0; mode < ROUTE_MODES; ++mode) {
        SCOPED(route_scene_free) route_scene s;
        route_scene_make_tall(&s, mode);
        route_scene_make_plain(&s);
        route_scene_expect(&s, false);
        route_scene_expect(&s, true);
    }
}

Test(cuda_routes, receivers_failure_ends_the_job)
{
    macadam_error error;
    SCOPED(route_scene_free) route_scene s;
    route_scene_make(&s, 0, 0, "cuda");
    SCOPED(route_answers_free) route_answers a = route_answers_make(&s, true);
    a.refused_at = 7;
    cr_assert_eq(route_answers_ask(&a, &s, s.metric.cuda, &error), MACADAM_E_CANCELLED);
    cr_assert_str_eq(error.message, "refused");
}
