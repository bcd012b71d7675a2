/* test_cuda_frontiers_emulated.c - methods without a hierarchy on a device that lacks memory or is lost, with
 * any order of threads: each call gives the right answer or a status, and nothing leaks. */
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/fixture.h"
#include "tests/support/frontier_scene.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>

enum { SEED = 5, THREADS = 2 };

/* A graph on a device. */
typedef struct device_scene {
    const mcd_backend *cuda;
    mcd_device *device;
    frontier_scene scene;
    mcd_lane lane;
    uint32_t *hops, *value[2];
    mcd_node *parent, *path;
} device_scene;

/* memory: bytes of the device per node when the graph is copied; 0: as many as it has. in_parts: no device
 * has room for all arcs */
static void set_up_within(device_scene *s, const char *name, const char *device, size_t memory, bool in_parts)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named(name);
    s->cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    FIXTURE_CALL(s->cuda->device->open, &s->device, device, in_parts ? frontier_memory_for_parts(&graph) : 0);
    if (memory > 0) cuda_emulator_set_memory(graph.node_count * memory);
    frontier_scene_make(&s->scene, &graph, s->cuda->device, s->device);
    s->lane = mcd_lane_of(3);
    uint32_t **const answer[] = {&s->hops, &s->value[0], &s->value[1], &s->parent, &s->path};
    for (size_t i = 0; i < sizeof answer / sizeof *answer; ++i)
        *answer[i] = calloc(graph.node_count, sizeof **answer[i]);
}

static void tear_down(device_scene *s)
{
    frontier_scene_free(&s->scene);
    s->cuda->device->close(s->device);
    uint32_t *const answer[] = {s->hops, s->value[0], s->value[1], s->parent, s->path};
    for (size_t i = 0; i < sizeof answer / sizeof *answer; ++i) free(answer[i]);
}

/* ---- queries; their answers are checked elsewhere ---- */

typedef macadam_status (*question)(device_scene *s, macadam_error *error);

static macadam_status ask_strategy(device_scene *s, mcd_hops_strategy strategy, macadam_error *error)
{
    const mcd_hops_job job = {.arcs = &s->scene.metric[0].arcs,
                              .strategy = strategy,
                              .source = &s->lane.seed[0].node,
                              .source_count = 1,
                              .limit = UINT32_MAX,
                              .column_count = s->scene.graph->node_count,
                              .hops = s->hops,
                              .parent = s->parent,
                              .parallel = {THREADS, NULL}};
    return s->cuda->hops(&job, error);
}

static macadam_status ask_hops(device_scene *s, macadam_error *error)
{
    return ask_strategy(s, MCD_HOPS_AUTO, error);
}

static macadam_status ask_divided_hops(device_scene *s, macadam_error *error)
{
    return ask_strategy(s, MCD_HOPS_DIVIDED, error);
}

static macadam_status ask_connect(device_scene *s, macadam_error *error)
{
    const mcd_connect_job job = {.arcs = &s->scene.metric[0].arcs,
                                 .source = 3,
                                 .target = s->scene.graph->node_count - 1,
                                 .hops = s->hops,
                                 .path = s->path,
                                 .path_capacity = s->scene.graph->node_count};
    return s->cuda->connect(&job, error);
}

static macadam_status ask_tree(device_scene *s, mcd_tree_method method, macadam_error *error)
{
    const mcd_sssp_job job = {.arcs = &s->scene.metric[1].arcs,
                              .method = method,
                              .lane = &s->lane,
                              .lane_count = 1,
                              .limit = MCD_WEIGHT_MAX,
                              .column_count = s->scene.graph->node_count,
                              .lane_stride = s->scene.graph->node_count,
                              .column_stride = 1,
                              .objective = s->value[0],
                              .companion = s->value[1],
                              .parent = s->parent,
                              .parallel = {THREADS, NULL}};
    return s->cuda->sssp(&job, error);
}

static macadam_status ask_near_far(device_scene *s, macadam_error *error)
{
    return ask_tree(s, MCD_TREE_NEAR_FAR, error);
}

static macadam_status ask_bellman_ford(device_scene *s, macadam_error *error)
{
    return ask_tree(s, MCD_TREE_BELLMAN_FORD, error);
}

static macadam_status ask_copy(device_scene *s, macadam_error *error)
{
    mcd_device_arcs *arcs;
    const macadam_status status =
        s->cuda->device->arcs_new(&arcs, s->device, &s->scene.metric[1].arcs, error);
    s->cuda->device->arcs_free(arcs);
    return status;
}

static const struct {
    question ask;
    const char *device;
    bool in_parts;
} questions[] = {
    {ask_copy, "cuda", false},       {ask_hops, "cuda", false},     {ask_divided_hops, "cuda:all", false},
    {ask_connect, "cuda", false},    {ask_near_far, "cuda", false}, {ask_bellman_ford, "cuda", false},
    {ask_copy, "cuda:all", true},    {ask_hops, "cuda:all", true},  {ask_connect, "cuda:all", true},
    {ask_near_far, "cuda:all", true}};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* ---- progress ---- */

/* Asked so often; the caller cancels then. */
typedef struct patience {
    size_t asked, most;
} patience;

static bool wait_on(void *context, const char *phase, uint64_t done, uint64_t total)
{
    patience *const of = context;
    (void)phase;
    (void)done;
    (void)total;
    return ++of->asked < of->most;
}

/* ---- claims ---- */

Test(cuda_frontiers_emulated, every_allocation_may_fail)
{
    for (size_t q = 0; q < QUESTIONS; ++q) {
        device_scene s;
        size_t failures = 0;
        set_up_within(&s, "zero-weight cycles", questions[q].device, 0, questions[q].in_parts);
        const size_t alive = cuda_emulator_live_allocations();
        for (bool failed = true; failed; ++failures) {
            macadam_error error = {""};
            cuda_emulator_fail_allocation(failures + 1);
            const macadam_status status = questions[q].ask(&s, &error);
            failed = cuda_emulator_has_failed();
            cr_assert_eq(status, failed ? MACADAM_E_DEVICE : MACADAM_OK, "question %zu, allocation %zu: %s",
                         q, failures + 1, error.message);
        }
        cuda_emulator_reset();
        cr_assert_gt(failures, 3, "question %zu", q);
        cr_assert_leq(cuda_emulator_live_allocations(), alive + 6,
                      "more than slots and pinned chunks is left");
        cr_assert_not(s.cuda->device->lost(s.device));
        tear_down(&s);
    }
}

Test(cuda_frontiers_emulated, lost_device_is_a_status)
{
    for (size_t q = 1; q < QUESTIONS; ++q) {
        bool has_failed = true;
        for (size_t nth = 1; has_failed; nth = nth * 5 / 4 + 1) {
            macadam_error error = {""};
            device_scene s;
            set_up_within(&s, "grid of ties", questions[q].device, 0, questions[q].in_parts);
            cuda_emulator_lose_device(nth, CUDA_EMULATOR_FAULT);
            const macadam_status status = questions[q].ask(&s, &error);
            has_failed = cuda_emulator_has_failed();
            cuda_emulator_reset();
            if (status)
                cr_assert_eq(status, MACADAM_E_DEVICE, "question %zu, call %zu: %s", q, nth, error.message);
            if (!has_failed) cr_assert_eq(status, MACADAM_OK, "question %zu: %s", q, error.message);
            tear_down(&s);
        }
    }
}

/* Checks everything on a graph while threads and blocks run in descending order. */
static void check_reversed(const char *name, bool in_parts)
{
    device_scene s;
    set_up_within(&s, name, "cuda:all", 0, in_parts);
    const frontier_asked asked = {s.cuda, THREADS, SEED};
    cuda_emulator_set_reversed(1);
    frontier_check_hops(&s.scene, &asked);
    frontier_check_connect(&s.scene, &asked);
    frontier_check_near_far(&s.scene, &asked);
    frontier_check_bellman_ford(&s.scene, &asked);
    cuda_emulator_set_reversed(0);
    tear_down(&s);
}

Test(cuda_frontiers_emulated, order_of_threads_changes_nothing)
{
    check_reversed("grid of ties", false);
    check_reversed("grid of ties", true);
    check_reversed("random dense", false);
    check_reversed("random dense", true);
    check_reversed("zero-weight cycles", false);
    check_reversed("zero-weight cycles", true);
    check_reversed("random sparse", false);
    check_reversed("random sparse", true);
}

Test(cuda_frontiers_emulated, arcs_beyond_the_devices_memory_are_read_from_the_hosts)
{
    enum {
        BYTES_PER_NODE = 540, /* arcs.cu keeps 512 of them free, and the driver has a part of 16 */
        ROOM_FOR_SEARCHES = 1 << 24,
    };
    device_scene s;
    set_up_within(&s, "random dense", "cuda", BYTES_PER_NODE, false);
    const frontier_asked asked = {s.cuda, THREADS, SEED};
    cuda_emulator_set_memory(ROOM_FOR_SEARCHES);
    cr_assert_lt(s.cuda->device->held(s.device).in_use, s.scene.graph->arc_count * 2 * sizeof(mcd_node));
    frontier_check_hops(&s.scene, &asked);
    frontier_check_connect(&s.scene, &asked);
    frontier_check_near_far(&s.scene, &asked);
    frontier_check_bellman_ford(&s.scene, &asked);
    tear_down(&s);
    cuda_emulator_reset();
}

Test(cuda_frontiers_emulated, arcs_in_parts_take_their_memory_once)
{
    uint64_t bytes[2];
    for (int in_parts = 0; in_parts < 2; ++in_parts) {
        device_scene s;
        set_up_within(&s, "random dense", in_parts ? "cuda:all" : "cuda", 0, in_parts);
        bytes[in_parts] = s.cuda->device->held(s.device).in_use;
        tear_down(&s);
    }
    cr_assert_lt(bytes[1], bytes[0] * 5 / 4, "%zu bytes in parts, %zu on one device", (size_t)bytes[1],
                 (size_t)bytes[0]);
}

/* 300 nodes in a row. */
static test_graph row_of_nodes(void)
{
    test_graph graph = {.name = "row", .node_count = 300};
    for (uint32_t node = 0; node + 1 < graph.node_count; ++node) {
        test_graph_add(&graph, node, node + 1, 1, 1);
        test_graph_add(&graph, node + 1, node, 1, 1);
    }
    return graph;
}

Test(cuda_frontiers_emulated, search_in_parts_reports_progress_in_each_level)
{
    const test_graph graph = row_of_nodes();
    frontier_scene scene;
    mcd_device *device;
    macadam_error error;
    const mcd_backend *cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    cr_assert_eq(cuda->device->open(&device, "cuda:all", frontier_memory_for_parts(&graph), &error),
                 MACADAM_OK);
    frontier_scene_make(&scene, &graph, cuda->device, device);
    uint32_t hops[300];
    const mcd_node source = 0;
    const mcd_lane lane = mcd_lane_of(source);
    patience patient = {0, SIZE_MAX}, hasty = {0, 20}, of_tree = {0, 20};
    mcd_hops_job job = {.arcs = &scene.metric[0].arcs,
                        .source = &source,
                        .source_count = 1,
                        .limit = UINT32_MAX,
                        .column_count = graph.node_count,
                        .hops = hops,
                        .parallel = {THREADS, NULL},
                        .progress = {wait_on, &patient}};
    FIXTURE_CALL(cuda->hops, &job);
    cr_assert_geq(patient.asked, graph.node_count, "%zu times", patient.asked);
    job.progress.context = &hasty;
    cr_assert_eq(cuda->hops(&job, &error), MACADAM_E_CANCELLED);
    cr_assert_eq(hasty.asked, hasty.most);
    const mcd_sssp_job tree = {.arcs = &scene.metric[0].arcs,
                               .method = MCD_TREE_NEAR_FAR,
                               .lane = &lane,
                               .lane_count = 1,
                               .limit = MCD_WEIGHT_MAX,
                               .column_count = graph.node_count,
                               .lane_stride = graph.node_count,
                               .column_stride = 1,
                               .objective = hops,
                               .parallel = {THREADS, NULL},
                               .progress = {wait_on, &of_tree}};
    cr_assert_eq(cuda->sssp(&tree, &error), MACADAM_E_CANCELLED);
    cr_assert_eq(of_tree.asked, of_tree.most);
    frontier_scene_free(&scene);
    cuda->device->close(device);
}

/* A row's parts have one halo node each: a GPU holds what its own half needs. */
Test(cuda_frontiers_emulated, search_in_parts_holds_no_costs_of_others_nodes)
{
    test_graph graph = row_of_nodes();
    graph.node_count = 1 << 16; /* the others have no arcs */
    frontier_scene scene;
    mcd_device *device;
    macadam_error error;
    const mcd_backend *cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    cr_assert_eq(cuda->device->open(&device, "cuda:all", frontier_memory_for_parts(&graph), &error),
                 MACADAM_OK);
    frontier_scene_make(&scene, &graph, cuda->device, device);
    uint32_t *const hops = calloc(graph.node_count, sizeof *hops);
    const mcd_node source = 0;
    cuda->device->trim(device, 0);
    const mcd_device_memory before = cuda->device->held(device);
    const mcd_hops_job job = {.arcs = &scene.metric[0].arcs,
                              .source = &source,
                              .source_count = 1,
                              .limit = UINT32_MAX,
                              .column_count = graph.node_count,
                              .hops = hops,
                              .parallel = {THREADS, NULL}};
    FIXTURE_CALL(cuda->hops, &job);
    const mcd_device_memory after = cuda->device->held(device);
    const uint64_t took = after.in_use + after.idle - before.in_use - before.idle;
    /* costs, queue and its sums of own nodes take 12 bytes each, all GPUs together */
    cr_assert_lt(took, UINT64_C(16) * graph.node_count, "%zu bytes", (size_t)took);
    cr_assert_gt(took, UINT64_C(8) * graph.node_count, "%zu bytes", (size_t)took);
    free(hops);
    frontier_scene_free(&scene);
    cuda->device->close(device);
}
