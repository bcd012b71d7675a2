/* test_cuda_renew.c - weights that the CUDA backend makes are those of the processor, bit for bit. */
#include "tests/support/kernel_map.h"
#include "tests/support/rng.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LARGE = 2000 }; /* upward arcs: emulation takes its time */

static const mcd_backend *cuda;
static mcd_device *device;
static macadam_error error;

static void set_up(void)
{
    cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
}

TestSuite(cuda_renew, .init = set_up);

/* ---- maps ---- */

static bool is_large(const kernel_map *map)
{
    return map->hierarchy->first_up[map->graph->node_count] > LARGE;
}

/* How a map's own weights are changed. */
typedef enum weights_kind {
    AS_THEY_ARE,
    SOME_CLOSED,
    FEW_VALUES,
    NEAR_THE_LIMIT,
    WEIGHTS_KINDS
} weights_kind;

static mcd_weight make_weight(test_rng *rng, weights_kind kind, mcd_weight own)
{
    if (kind == SOME_CLOSED) return rng_below(rng, 5) ? own : MCD_UNREACHED;
    if (kind == FEW_VALUES) return rng_below(rng, 3);
    if (kind == NEAR_THE_LIMIT)
        return rng_below(rng, 2) ? rng_below(rng, 100) : MCD_WEIGHT_MAX / 4 * (1 + rng_below(rng, 4));
    return own;
}

static void change_weights(const kernel_map *map, weights_kind kind)
{
    test_rng rng = {(uint64_t)kind + 3};
    for (size_t arc = 0; arc < map->graph->arc_count; ++arc)
        for (int q = 0; q < 2; ++q) map->weight[q][arc] = make_weight(&rng, kind, map->weight[q][arc]);
}

/* ---- making and comparing ---- */

static mcd_renew_job job_of(const kernel_map *map, bool joint)
{
    return (mcd_renew_job){.customize = {.hierarchy = map->hierarchy,
                                         .graph = map->graph,
                                         .objective = map->weight[0],
                                         .companion = joint ? map->weight[1] : NULL,
                                         .parallel = {2, NULL}}};
}

static mcd_device_map *place(const kernel_map *map)
{
    mcd_device_map *placed;
    cr_assert_eq(cuda->device->map_new(&placed, device, map->hierarchy, map->graph, &error), MACADAM_OK, "%s",
                 error.message);
    return placed;
}

static mcd_device_weights *renew(mcd_device_map *map, const mcd_renew_job *job)
{
    mcd_device_weights *weights;
    cr_assert_eq(cuda->device->weights_renew(&weights, map, job, &error), MACADAM_OK, "%s", error.message);
    return weights;
}

static void expect_array(const char *map, const char *array, const void *value, const void *expected,
                         size_t count, size_t element)
{
    cr_assert(!value == !expected, "%s: %s is there in one of the two alone", map, array);
    for (size_t i = 0; expected && i < count; ++i)
        cr_assert(memcmp((const char *)value + i * element, (const char *)expected + i * element, element) ==
                      0,
                  "%s: %s %zu differs", map, array, i);
}

static void expect_search(const kernel_map *map, const mcd_search *search, const mcd_search *expected)
{
    const mcd_node nodes = map->graph->node_count;
    const size_t count = expected->first[nodes];
    expect_array(map->name, "first", search->first, expected->first, (size_t)nodes + 1,
                 sizeof *search->first);
    expect_array(map->name, "head", search->head, expected->head, count, sizeof *search->head);
    expect_array(map->name, "depth", search->depth, expected->depth, count, sizeof *search->depth);
    expect_array(map->name, "objective", search->objective, expected->objective, count,
                 sizeof *search->objective);
    expect_array(map->name, "companion", search->companion, expected->companion, count,
                 sizeof *search->companion);
    expect_array(map->name, "halves", search->children, expected->children, count, sizeof *search->children);
}

/* Frees `weights`. */
static void expect_weights(const kernel_map *map, mcd_device_weights *weights, const mcd_search *expected)
{
    mcd_kept kept;
    cr_assert_eq(cuda->device->weights_fetch(&kept, weights, &error), MACADAM_OK, "%s", error.message);
    for (int direction = 0; direction < 2; ++direction)
        expect_search(map, &kept.search[direction], &expected[direction]);
    mcd_kept_free(&kept);
    cuda->device->weights_free(weights);
}

typedef void (*map_claim)(const kernel_map *map, mcd_device_map *placed, bool joint);

/* The index-th map with the first kinds of weights (a large one: with its own), without and with
 * companions. */
static void for_map(size_t index, int kinds, map_claim claim)
{
    for (int kind = 0; kind < kinds; ++kind) {
        SCOPED(kernel_map_free) kernel_map map;
        kernel_maps_make(&map, index);
        change_weights(&map, (weights_kind)kind);
        if (kind == AS_THEY_ARE || !is_large(&map)) {
            mcd_device_map *placed = place(&map);
            for (int joint = 0; joint < 2; ++joint) claim(&map, placed, joint);
            cuda->device->map_free(placed);
        }
    }
}

static void for_all(int kinds, map_claim claim)
{
    cr_assert_eq(cuda->device->open(&device, "cuda", 0, &error), MACADAM_OK, "%s", error.message);
    for (size_t m = 0; m < kernel_maps_count(); ++m) for_map(m, kinds, claim);
    cuda->device->close(device);
}

/* ---- claims ---- */

static void pruned_are_equal(const kernel_map *map, mcd_device_map *placed, bool joint)
{
    SCOPED(kernel_metric_free) kernel_metric metric;
    const mcd_renew_job job = job_of(map, joint);
    kernel_metric_make(&metric, map, mcd_cpu_backend(), 1, joint);
    expect_weights(map, renew(placed, &job), metric.weights.search);
}

Test(cuda_renew, pruned_weights_are_the_processors)
{
    for_all(WEIGHTS_KINDS, pruned_are_equal);
}

Test(cuda_renew, every_device_makes_the_same)
{
    cr_assert_eq(cuda->device->open(&device, "cuda:all", 0, &error), MACADAM_OK, "%s", error.message);
    for_map(kernel_maps_count() - 1, AS_THEY_ARE + 1, pruned_are_equal);
    cuda->device->close(device);
}

/* The processor's basic costs as a search: every reached arc. */
static mcd_search basic_search(const kernel_map *map, const mcd_custom *custom, bool joint, int direction)
{
    const mcd_hierarchy *hierarchy = map->hierarchy;
    const size_t nodes = hierarchy->node_count, ups = hierarchy->first_up[nodes];
    mcd_arc *first = calloc(nodes + 1, sizeof *first), count = 0;
    mcd_node *head = calloc(ups + 1, sizeof *head);
    uint32_t *depth = calloc(ups + 1, sizeof *depth);
    mcd_weight *objective = calloc(ups + 1, sizeof *objective),
               *companion = calloc(ups + 1, sizeof *companion);
    for (mcd_node x = 0; x < nodes; first[++x] = count)
        for (mcd_arc up = hierarchy->first_up[x]; up < hierarchy->first_up[x + 1]; ++up) {
            const size_t at = 2 * up + (size_t)direction;
            const mcd_joint cost = joint ? ((const mcd_joint *)custom->cost)[at]
                                         : mcd_joint_of(((const mcd_weight *)custom->cost)[at], 0);
            if (mcd_joint_objective(cost) >= MCD_UNREACHED) continue;
            head[count] = hierarchy->up_head[up];
            depth[count] = hierarchy->depth[head[count]];
            objective[count] = mcd_joint_objective(cost);
            companion[count++] = mcd_joint_companion(cost);
        }
    if (!joint) free(companion);
    return (mcd_search){first, head, depth, objective, joint ? companion : NULL, NULL};
}

static void search_free(const mcd_search *search)
{
    free((void *)search->first);
    free((void *)search->head);
    free((void *)search->depth);
    free((void *)search->objective);
    free((void *)search->companion);
}

static void basic_are_equal(const kernel_map *map, mcd_device_map *placed, bool joint)
{
    const mcd_backend *cpu = mcd_cpu_backend();
    mcd_renew_job job = job_of(map, joint);
    if (is_large(map)) return;
    mcd_customize_job customize = job.customize;
    mcd_schedule *schedule;
    mcd_custom custom;
    cr_assert_eq(cpu->schedule_new(&schedule, map->hierarchy, map->graph, &customize.parallel, &error),
                 MACADAM_OK);
    customize.schedule = schedule;
    cr_assert_eq(cpu->customize(&custom, &customize, &error), MACADAM_OK);
    const mcd_search expected[2] = {basic_search(map, &custom, joint, 0),
                                    basic_search(map, &custom, joint, 1)};
    job.basic = true;
    expect_weights(map, renew(placed, &job), expected);
    search_free(&expected[0]);
    search_free(&expected[1]);
    mcd_custom_free(&custom);
    cpu->schedule_free(schedule);
}

Test(cuda_renew, basic_weights_are_the_processors)
{
    for_all(WEIGHTS_KINDS, basic_are_equal);
}

/* A third of the arcs change, some of them named twice; the other arcs' new weights must not be read. */
static void changes_are_as_good(const kernel_map *map, mcd_device_map *placed, bool joint)
{
    const size_t arcs = map->graph->arc_count;
    test_rng rng = {arcs};
    mcd_renew_job job = job_of(map, joint);
    if (is_large(map)) return;
    mcd_device_weights *base = renew(placed, &job);
    kernel_metric metric;
    mcd_weight *hidden[2];
    FREED uint32_t *changed = calloc(arcs + 1, 2 * sizeof *changed);
    for (int q = 0; q < 2; ++q) hidden[q] = calloc(arcs + 1, sizeof *hidden[q]);
    for (uint32_t arc = 0; arc < arcs; ++arc) {
        if (rng_below(&rng, 3)) continue;
        for (uint32_t times = 1 + rng_below(&rng, 2); times > 0; --times) changed[job.changed_count++] = arc;
        for (int q = 0; q < 2; ++q)
            map->weight[q][arc] = hidden[q][arc] = rng_below(&rng, 6) ? rng_below(&rng, 500) : MCD_UNREACHED;
    }
    kernel_metric_make(&metric, map, mcd_cpu_backend(), 1, joint);
    job.base = base, job.changed = changed;
    job.customize.objective = hidden[0];
    if (joint) job.customize.companion = hidden[1];
    mcd_device_weights *once = renew(placed, &job);
    job.base = once, job.changed_count = 0;
    mcd_device_weights *twice = renew(placed, &job);
    cuda->device->weights_free(base);
    expect_weights(map, once, metric.weights.search);
    expect_weights(map, twice, metric.weights.search);
    kernel_metric_free(&metric);
    for (int q = 0; q < 2; ++q) free(hidden[q]);
}

Test(cuda_renew, changes_give_what_all_weights_give)
{
    for_all(AS_THEY_ARE + 1, changes_are_as_good);
}

/* The device did not make the file's weights, so it has no input weights of them. */
Test(cuda_renew, weights_that_were_copied_are_not_a_base)
{
    SCOPED(kernel_map_free) kernel_map map;
    kernel_metric metric;
    mcd_device_weights *base;
    kernel_maps_make(&map, kernel_maps_count() - 1);
    cr_assert_eq(cuda->device->open(&device, "cuda", 0, &error), MACADAM_OK, "%s", error.message);
    mcd_device_map *placed = place(&map);
    kernel_metric_make(&metric, &map, mcd_cpu_backend(), 1, true);
    cr_assert_eq(cuda->device->weights_new(&base, placed, &metric.weights, &error), MACADAM_OK);
    mcd_renew_job job = job_of(&map, true);
    job.base = base;
    expect_weights(&map, renew(placed, &job), metric.weights.search);
    cuda->device->weights_free(base);
    kernel_metric_free(&metric);
    cuda->device->map_free(placed);
    cuda->device->close(device);
}

Test(cuda_renew, an_arc_outside_the_hierarchy_is_an_error)
{
    kernel_map map, other;
    mcd_device_map *placed;
    mcd_device_weights *weights;
    test_graph nothing = {.name = "nothing", .node_count = 3}, path = {.name = "path", .node_count = 3};
    test_graph_add(&path, 0, 1, 1, 1);
    test_graph_add(&path, 1, 2, 1, 1);
    kernel_map_make(&map, &nothing, 0);
    kernel_map_make(&other, &path, 0);
    cr_assert_eq(cuda->device->open(&device, "cuda", 0, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(cuda->device->map_new(&placed, device, map.hierarchy, other.graph, &error), MACADAM_OK);
    const mcd_renew_job job = job_of(&other, true);
    cr_assert_eq(cuda->device->weights_renew(&weights, placed, &job, &error), MACADAM_E_FILE);
    cr_assert_null(weights);
    cr_assert(strstr(error.message, "node 1 has no upward arc"), "%s", error.message);
    cuda->device->map_free(placed);
    cuda->device->close(device);
    kernel_map_free(&map);
    kernel_map_free(&other);
    test_graph_free(&path);
}

static bool stop_at_once(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)done, (void)total;
    return false;
}

Test(cuda_renew, can_be_cancelled)
{
    SCOPED(kernel_map_free) kernel_map map;
    mcd_device_weights *weights;
    kernel_maps_make(&map, kernel_maps_count() - 1);
    cr_assert_eq(cuda->device->open(&device, "cuda", 0, &error), MACADAM_OK, "%s", error.message);
    mcd_device_map *placed = place(&map);
    mcd_renew_job job = job_of(&map, true);
    job.customize.progress.call = stop_at_once;
    cr_assert_eq(cuda->device->weights_renew(&weights, placed, &job, &error), MACADAM_E_CANCELLED);
    cr_assert_null(weights);
    cuda->device->map_free(placed);
    cuda->device->close(device);
}
