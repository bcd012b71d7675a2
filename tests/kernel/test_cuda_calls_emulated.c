/* test_cuda_calls_emulated.c - the properties that all calls of the CUDA backend share: the memory that they
 * share, the threads that they use, and the state of the device after one fails. */
#include "tests/support/checked.h"
#include "tests/support/cuda_emulator/cuda_emulator.h"
#include "tests/support/cuda_metric.h"

#include "engine/base/memory.h"
#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LANES = 96, CALLERS = 4 };

/* ---- questions ---- */

typedef struct call_scene {
    kernel_map map;
    cuda_metric metric;
    mcd_lane lane[LANES];
    mcd_parallel parallel;
    mcd_progress progress;
} call_scene;

/* Answers into value[LANES * node_count]. */
typedef macadam_status (*ask_call)(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                                   macadam_error *error);

static macadam_status ask_tree(const call_scene *scene, const mcd_backend *with, mcd_tree_job job,
                               macadam_error *error)
{
    job.weights = &scene->metric.metric.weights;
    job.lane = scene->lane;
    job.limit = MCD_WEIGHT_MAX;
    job.column_count = scene->map.graph->node_count;
    job.parallel = scene->parallel;
    job.progress = scene->progress;
    job.scratch = mcd_allocate(with->tree_scratch(&job), 1);
    const macadam_status status = with->tree(&job, error);
    mcd_free(job.scratch);
    return status;
}

static macadam_status ask_rows(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                               macadam_error *error)
{
    return ask_tree(scene, with, (mcd_tree_job){.lane_count = LANES, .objective = value}, error);
}

static macadam_status ask_lanes(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                                macadam_error *error)
{
    return ask_tree(scene, with, (mcd_tree_job){.lane_count = LANES, .objective = value, .as_lanes = true},
                    error);
}

static macadam_status ask_one(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                              macadam_error *error)
{
    return ask_tree(scene, with, (mcd_tree_job){.lane_count = 1, .objective = value}, error);
}

static macadam_status ask_matrix(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                                 macadam_error *error)
{
    const mcd_matrix_job job = {.weights = &scene->metric.metric.weights,
                                .target = scene->lane,
                                .target_count = LANES,
                                .parallel = scene->parallel,
                                .progress = scene->progress};
    mcd_matrix_targets *targets;
    MCD_TRY(with->matrix_targets_new(&targets, &job, error));
    const mcd_rows_job rows = {.targets = targets,
                               .source = scene->lane,
                               .source_count = LANES,
                               .objective = value,
                               .stride = LANES};
    const macadam_status status = with->matrix_rows(&rows, error);
    with->matrix_targets_free(targets);
    return status;
}

static macadam_status ask_routes(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                                 macadam_error *error)
{
    mcd_lane target[LANES];
    for (size_t i = 0; i < LANES; ++i) target[i] = scene->lane[LANES - 1 - i];
    const mcd_route_job job = {.weights = &scene->metric.metric.weights,
                               .source = scene->lane,
                               .target = target,
                               .count = LANES,
                               .objective = value,
                               .parallel = scene->parallel,
                               .progress = scene->progress};
    return with->route(&job, error);
}

static macadam_status ask_reach(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                                macadam_error *error)
{
    mcd_reach_job job = {.weights = &scene->metric.metric.weights,
                         .lane = scene->lane,
                         .lane_count = LANES,
                         .answer = {.eccentricity = value},
                         .parallel = scene->parallel,
                         .progress = scene->progress};
    job.scratch = mcd_allocate(with->reach_scratch(&job), 1);
    const macadam_status status = with->reach(&job, error);
    mcd_free(job.scratch);
    return status;
}

/* Each lane to each of the next few. */
static macadam_status ask_matrices(const call_scene *scene, const mcd_backend *with, uint32_t *value,
                                   macadam_error *error)
{
    enum { WIDTH = 8 };
    uint32_t lane[LANES + WIDTH];
    mcd_small_matrix matrix[LANES];
    for (uint32_t i = 0; i < LANES + WIDTH; ++i) lane[i] = i % LANES;
    for (uint32_t i = 0; i < LANES; ++i)
        matrix[i] = (mcd_small_matrix){i, 1, i + 1, WIDTH - 1, MCD_WEIGHT_MAX, (size_t)i * (WIDTH - 1)};
    const mcd_matrices_job job = {.weights = &scene->metric.metric.weights,
                                  .source_lane = scene->lane,
                                  .target_lane = scene->lane,
                                  .source = lane,
                                  .target = lane,
                                  .matrix = matrix,
                                  .matrix_count = LANES,
                                  .objective = value,
                                  .parallel = scene->parallel,
                                  .progress = scene->progress};
    return with->matrices(&job, error);
}

static const struct {
    const char *name;
    ask_call ask;
} asked[] = {
    {"rows", ask_rows},     {"lanes", ask_lanes}, {"one tree", ask_one},           {"matrix", ask_matrix},
    {"routes", ask_routes}, {"reach", ask_reach}, {"small matrices", ask_matrices}};
enum { ASKED = sizeof asked / sizeof asked[0] };

static size_t cells(const call_scene *scene)
{
    return (size_t)LANES * scene->map.graph->node_count;
}

static void scene_make_of(call_scene *scene, size_t map, const char *device)
{
    test_rng rng = {17};
    *scene = (call_scene){.parallel = {2, NULL}};
    kernel_maps_make(&scene->map, map);
    cuda_metric_make(&scene->metric, &scene->map, device, false);
    for (size_t i = 0; i < LANES; ++i) scene->lane[i] = kernel_map_lane(&scene->map, &rng, i);
}

/* Few streets. */
static void scene_make(call_scene *scene, const char *device)
{
    scene_make_of(scene, graphs_count(), device);
}

static void scene_free(call_scene *scene)
{
    cuda_metric_free(&scene->metric);
    kernel_map_free(&scene->map);
}

/* The processor's answer. */
static uint32_t *right_answer(const call_scene *scene, size_t index)
{
    macadam_error error;
    call_scene plain = *scene;
    plain.parallel = (mcd_parallel){1, NULL}, plain.progress = (mcd_progress){NULL, NULL};
    uint32_t *const right = checked_zeroed(cells(scene), sizeof *right);
    cr_assert_eq(asked[index].ask(&plain, mcd_cpu_backend(), right, &error), MACADAM_OK, "%s", error.message);
    return right;
}

/* Queries the device; its answer must be right. */
static macadam_status ask(const call_scene *scene, size_t index, const uint32_t *right, macadam_error *error)
{
    const size_t bytes = cells(scene) * sizeof *right;
    FREED uint32_t *const found = checked_zeroed(bytes, 1);
    macadam_status status = asked[index].ask(scene, scene->metric.cuda, found, error);
    if (!status && memcmp(found, right, bytes) != 0)
        status = mcd_fail(error, MACADAM_E_INVALID, "%s: wrong answers", asked[index].name);
    return status;
}

static void expect_answer(const call_scene *scene, size_t index, const uint32_t *right)
{
    macadam_error error;
    cr_assert_eq(ask(scene, index, right, &error), MACADAM_OK, "%s", error.message);
}

static bool is_lost(const call_scene *scene)
{
    return scene->metric.cuda->device->lost(scene->metric.device);
}

/* ---- memory ---- */

/* One of several threads that query concurrently. */
typedef struct call_thread {
    const call_scene *scene;
    size_t index, times;
    uint32_t *right;
    pthread_t thread;
    macadam_status status;
    macadam_error error;
} call_thread;

static void *run_caller(void *argument)
{
    call_thread *own = argument;
    for (size_t i = 0; i < own->times && !own->status; ++i)
        own->status = ask(own->scene, own->index, own->right, &own->error);
    return NULL;
}

static void ask_at_once(const call_scene *scene, const size_t index[CALLERS], size_t times)
{
    call_thread caller[CALLERS];
    for (size_t i = 0; i < CALLERS; ++i)
        caller[i] = (call_thread){
            .scene = scene, .index = index[i], .times = times, .right = right_answer(scene, index[i])};
    for (size_t i = 0; i < CALLERS; ++i)
        cr_assert_eq(pthread_create(&caller[i].thread, NULL, run_caller, &caller[i]), 0);
    for (size_t i = 0; i < CALLERS; ++i) pthread_join(caller[i].thread, NULL);
    for (size_t i = 0; i < CALLERS; ++i) {
        cr_assert_eq(caller[i].status, MACADAM_OK, "%s", caller[i].error.message);
        free(caller[i].right);
    }
}

/* Gives the device so much memory. Calls know the room of a moment ago (KNOWN_TIME in gpu.cu): waits until they look again. */
static void set_memory(size_t bytes)
{
    enum { KNOWN_US = 110000 };
    cuda_emulator_set_memory(bytes);
    usleep(KNOWN_US);
}

/* Returns about the least memory with which the device answers. */
static size_t least_memory(const call_scene *scene, size_t index)
{
    macadam_error error;
    FREED uint32_t *const right = right_answer(scene, index);
    size_t bytes = 16 << 20, enough = bytes;
    for (size_t eighths = 4; eighths < 8; eighths += 2) { /* halves first, then by a quarter */
        for (; ask(scene, index, right, &error) == MACADAM_OK; set_memory(bytes)) {
            enough = bytes;
            bytes = bytes / 8 * eighths;
        }
        bytes = enough / 8 * 6;
        set_memory(bytes);
    }
    return enough;
}

Test(cuda_calls, of_many_threads_wait_for_memory)
{
    for (size_t index = 0; index < ASKED; ++index) {
        SCOPED(scene_free) call_scene scene;
        scene_make(&scene, "cuda");
        set_memory(least_memory(&scene, index));
        ask_at_once(&scene, (const size_t[CALLERS]){index, index, index, index}, 1);
        cuda_emulator_reset();
    }
}

Test(cuda_calls, of_different_widths_do_not_disturb_each_other)
{
    SCOPED(scene_free) call_scene scene;
    scene_make(&scene, "cuda");
    ask_at_once(&scene, (const size_t[CALLERS]){0, 2, 1, 5}, 3);
    ask_at_once(&scene, (const size_t[CALLERS]){2, 3, 4, 0}, 3);
}

/* Places the map again on a device that gives calls only `limit` bytes of scratch. */
static void limit_scratch(call_scene *scene, uint64_t limit)
{
    const mcd_device_table *table = scene->metric.cuda->device;
    mcd_weights *const weights = &scene->metric.metric.weights;
    macadam_error error;
    table->weights_free(weights->device);
    table->map_free(scene->metric.map);
    table->close(scene->metric.device);
    cr_assert_eq(table->open(&scene->metric.device, "cuda", limit, &error), MACADAM_OK);
    cr_assert_eq(table->map_new(&scene->metric.map, scene->metric.device, scene->map.hierarchy,
                                scene->map.graph, &error),
                 MACADAM_OK);
    cr_assert_eq(table->weights_new(&weights->device, scene->metric.map, weights, &error), MACADAM_OK);
}

static size_t calls_of(const call_scene *scene, size_t index, const uint32_t *right)
{
    expect_answer(scene, index, right); /* creates everything that stays on the device */
    const size_t before = cuda_emulator_call_count();
    expect_answer(scene, index, right);
    return cuda_emulator_call_count() - before;
}

/* A tree's few lanes are arguments of a launch, and its scratch is one array. */
Test(cuda_calls, of_a_tree_are_few)
{
    enum { ONE = 2, FEW = 40 };
    SCOPED(scene_free) call_scene scene;
    scene_make(&scene, "cuda");
    FREED uint32_t *const one = right_answer(&scene, ONE);
    const size_t calls = calls_of(&scene, ONE, one);
    cr_assert_lt(calls, FEW, "%zu calls", calls);
}

/* Only a tree needs less than its map and weights take. */
Test(cuda_calls, limit_is_of_scratch_alone)
{
    enum { ROWS, ONE = 2 };
    SCOPED(scene_free) call_scene scene;
    macadam_error error;
    scene_make(&scene, "cuda");
    FREED uint32_t *const rows = right_answer(&scene, ROWS), *const one = right_answer(&scene, ONE);
    const size_t wanted = calls_of(&scene, ROWS, rows);
    limit_scratch(&scene, 64 << 10);
    expect_answer(&scene, ONE, one);
    cr_assert_gt(calls_of(&scene, ROWS, rows), 2 * wanted, "the limit does not hold");
    limit_scratch(&scene, 1 << 10);
    cr_assert_eq(ask(&scene, ONE, one, &error), MACADAM_E_DEVICE);
    cr_assert_not_null(strstr(error.message, "out of memory"), "%s", error.message);
    cr_assert_not(is_lost(&scene));
}

Test(cuda_calls, map_without_room_is_refused_before_it_is_copied)
{
    enum { FEW = 40 };
    SCOPED(scene_free) call_scene scene;
    macadam_error error;
    mcd_device_map *map;
    scene_make(&scene, "cuda:all");
    const size_t alive = cuda_emulator_live_allocations(), before = cuda_emulator_call_count();
    cuda_emulator_set_memory(64 << 10);
    for (int i = 0; i < 2; ++i) {
        cr_assert_eq(scene.metric.cuda->device->map_new(&map, scene.metric.device, scene.map.hierarchy,
                                                        scene.map.graph, &error),
                     MACADAM_E_DEVICE);
        cr_assert_null(map);
        cr_assert_not_null(strstr(error.message, "a map: out of memory"), "%s", error.message);
    }
    cr_assert_lt(cuda_emulator_call_count() - before, FEW);
    cr_assert_eq(cuda_emulator_live_allocations(), alive);
    cr_assert_not(is_lost(&scene));
    cuda_emulator_reset();
}

/* ---- failures ---- */

/* A call that the driver refuses does not affect the next one. */
Test(cuda_calls, only_failures_that_stay_lose_the_device)
{
    SCOPED(scene_free) call_scene scene;
    scene_make(&scene, "cuda:all");
    for (size_t index = 0; index < ASKED; ++index) {
        FREED uint32_t *const right = right_answer(&scene, index);
        bool has_failed = true;
        size_t failures = 0;
        for (size_t nth = 1; has_failed; nth += nth / 4 + 1) {
            macadam_error error;
            cuda_emulator_lose_device(nth, CUDA_EMULATOR_REFUSAL);
            const macadam_status status = ask(&scene, index, right, &error);
            has_failed = cuda_emulator_has_failed();
            cuda_emulator_lose_device(0, CUDA_EMULATOR_REFUSAL);
            cr_assert(status == MACADAM_OK || (has_failed && status == MACADAM_E_DEVICE), "%s",
                      error.message);
            cr_assert_not(is_lost(&scene), "call %zu: %s", nth, error.message);
            failures += status != MACADAM_OK;
        }
        cr_assert_gt(failures, 5, "%s: %zu failures", asked[index].name, failures);
        expect_answer(&scene, index, right);
    }
}

Test(cuda_calls, restricted_trees_are_refused)
{
    SCOPED(scene_free) call_scene scene;
    macadam_error error;
    uint32_t value;
    const mcd_node only = 0;
    scene_make(&scene, "cuda");
    const mcd_tree_job job = {.weights = &scene.metric.metric.weights,
                              .lane = scene.lane,
                              .lane_count = 1,
                              .only = &only,
                              .only_count = 1,
                              .column = &only,
                              .column_count = 1,
                              .objective = &value};
    cr_assert_eq(scene.metric.cuda->tree(&job, &error), MACADAM_E_DEVICE);
    cr_assert_not_null(strstr(error.message, "restricted"));
    cr_assert_not(is_lost(&scene));
}

/* ---- threads ---- */

Test(cuda_calls, leave_the_current_device_alone)
{
    call_scene scene;
    for (int device = 0; device < 2; ++device) {
        cuda_emulator_set_device(!device);
        scene_make(&scene, device ? "cuda:1" : "cuda:all");
        for (size_t index = 0; index < ASKED; ++index) {
            FREED uint32_t *const right = right_answer(&scene, index);
            expect_answer(&scene, index, right);
            cr_assert_eq(cuda_emulator_device(), !device, "%s", asked[index].name);
        }
        void *memory;
        macadam_error error;
        const mcd_device_table *table = scene.metric.cuda->device;
        cr_assert_eq(table->memory_new(&memory, scene.metric.device, 0, MCD_MEMORY_DEVICE, 10, &error),
                     MACADAM_OK);
        table->memory_free(scene.metric.device, 0, MCD_MEMORY_DEVICE, memory);
        cr_assert_eq(cuda_emulator_device(), !device);
        scene_free(&scene);
        cr_assert_eq(cuda_emulator_device(), !device);
    }
}

/* A call as the host's own code observes it. */
typedef struct call_watch {
    pthread_t caller;
    uint64_t last, total;
    size_t reports, runs;
    bool has_strayed; /* was called from another thread */
} call_watch;

static bool watch_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    call_watch *watch = context;
    (void)phase;
    watch->has_strayed |= !pthread_equal(watch->caller, pthread_self()) || done < watch->last || done > total;
    watch->last = done, watch->total = total;
    ++watch->reports;
    return true;
}

static void watch_run(void *context, size_t count, void (*task)(void *, size_t, unsigned), void *argument)
{
    call_watch *watch = context;
    watch->has_strayed |= !pthread_equal(watch->caller, pthread_self());
    ++watch->runs;
    for (size_t i = 0; i < count; ++i) task(argument, i, 0);
}

/* They run on the calling thread, although every GPU has a thread. Progress ascends to the end. */
Test(cuda_calls, progress_and_executor_are_the_callers)
{
    call_watch watch;
    const macadam_executor executor = {.thread_count = 2, .run = watch_run, .context = &watch};
    SCOPED(scene_free) call_scene scene;
    scene_make_of(&scene, graphs_count() + 1, "cuda:all"); /* more than a thread's task copies */
    size_t runs = 0;
    for (size_t index = 0; index < ASKED; ++index) {
        FREED uint32_t *const right = right_answer(&scene, index);
        watch = (call_watch){.caller = pthread_self()};
        scene.parallel = (mcd_parallel){2, &executor};
        scene.progress = (mcd_progress){watch_progress, &watch};
        expect_answer(&scene, index, right);
        cr_assert_not(watch.has_strayed, "%s", asked[index].name);
        cr_assert_gt(watch.reports, 1, "%s", asked[index].name);
        cr_assert_eq(watch.last, watch.total, "%s ends at %llu of %llu", asked[index].name,
                     (unsigned long long)watch.last, (unsigned long long)watch.total);
        runs += watch.runs;
    }
    cr_assert_gt(runs, 0);
}

static bool refuse_later(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context, (void)phase, (void)total;
    return done == 0;
}

Test(cuda_calls, are_cancelled_on_all_devices)
{
    SCOPED(scene_free) call_scene scene;
    scene_make(&scene, "cuda:all");
    for (size_t index = 0; index < ASKED; ++index) {
        macadam_error error;
        FREED uint32_t *const right = right_answer(&scene, index);
        scene.progress = (mcd_progress){refuse_later, NULL};
        cr_assert_eq(ask(&scene, index, right, &error), MACADAM_E_CANCELLED, "%s", asked[index].name);
        cr_assert_eq(strncmp(error.message, "cancelled", 9), 0, "%s", error.message);
        scene.progress = (mcd_progress){NULL, NULL};
        expect_answer(&scene, index, right);
    }
}

/* ---- nearest roads ---- */

/* The square of a radius may be infinite: then no distance is above it, nor that of a piece that does not count. */
Test(cuda_calls, no_radius_reaches_roads_that_do_not_count)
{
    static mcd_snap_piece piece[MCD_SNAP_FANOUT];
    static const mcd_snap_line line[MCD_SNAP_FANOUT];
    static const mcd_snap_box box;
    const mcd_snap_tree tree = {MCD_SNAP_FANOUT, 1, {0, 1}, &box, line, piece, {0}};
    const mcd_snap_point point = {.shrink = 1, .limit = INFINITY};
    const mcd_backend *const cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    SCOPED(scene_free) call_scene scene;
    mcd_nearest_road road[2];
    mcd_device_snap *snap;
    scene_make(&scene, "cuda");
    for (size_t i = 0; i < MCD_SNAP_FANOUT; ++i) piece[i].piece = 1; /* cut off */
    cr_assert_eq(cuda->device->snap_new(&snap, scene.metric.device, &tree, NULL), MACADAM_OK);
    const mcd_nearest_job job = {snap, &point, &road[0], &road[1], 1, scene.parallel, NULL};
    cr_assert_eq(cuda->nearest_roads(&job, NULL), MACADAM_OK);
    cuda->device->snap_free(snap);
    cr_assert_eq(road[0].state, MCD_NEAREST_CUT_OFF);
    cr_assert_eq(road[1].state, MCD_NEAREST_TOO_FAR);
}

/* ---- tables ---- */

typedef void (*table_entry)(void);

/* Counts the entries of a table that are not set, except those at the `optional` offsets. */
static size_t unset_entries(const void *table, size_t bytes, const size_t *optional, size_t optional_count)
{
    size_t unset = 0;
    for (size_t offset = 0; offset < bytes; offset += sizeof(table_entry)) {
        table_entry entry;
        bool is_optional = false;
        for (size_t i = 0; i < optional_count; ++i) is_optional |= optional[i] == offset;
        memcpy(&entry, (const char *)table + offset, sizeof entry);
        if (!entry && !is_optional) ++unset, fprintf(stderr, "the entry at byte %zu is not set\n", offset);
    }
    return unset;
}

Test(cuda_calls, every_mandatory_entry_is_set)
{
    static const size_t of_host[] = {offsetof(mcd_backend, device), offsetof(mcd_backend, top_labels_new),
                                     offsetof(mcd_backend, spans_new), offsetof(mcd_backend, nearest_roads),
                                     offsetof(mcd_backend, count_lanes)};
    static const size_t of_device[] = {
        offsetof(mcd_backend, schedule_new),   offsetof(mcd_backend, schedule_free),
        offsetof(mcd_backend, customize),      offsetof(mcd_backend, recustomize),
        offsetof(mcd_backend, prune),          offsetof(mcd_backend, name_children),
        offsetof(mcd_backend, unique_path),    offsetof(mcd_backend, reach),
        offsetof(mcd_backend, top_labels_new), offsetof(mcd_backend, spans_new),
        offsetof(mcd_backend, matrices),       offsetof(mcd_backend, minima_new),
        offsetof(mcd_backend, minima_find),    offsetof(mcd_backend, minima_free),
        offsetof(mcd_backend, clock_samples),  offsetof(mcd_backend, clock_table),
    };
    const mcd_backend *const host = mcd_cpu_backend(), *const cuda =
                                                           mcd_cuda_module(MCD_MODULE_VERSION, NULL);
    cr_assert_eq(unset_entries(host, sizeof *host, of_host, sizeof of_host / sizeof *of_host), 0);
    cr_assert_eq(unset_entries(cuda, sizeof *cuda, of_device, sizeof of_device / sizeof *of_device), 0);
    cr_assert_eq(unset_entries(cuda->device, sizeof *cuda->device, NULL, 0), 0);
}
