/* test_device.c - engines on devices, through the public interface: the right device is chosen, and it
 * answers everything as the processor does. */
#include "kernels/cuda/device/module.h"
#include "tests/support/allocator.h"
#include "tests/support/emulated_module.h"
#include "tests/support/files.h"
#include "tests/support/questions.h"
#include "tests/support/rng.h"
#include "tests/support/small_grid.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1000 }; /* of the graphs that are queried: emulated devices are slow */

static const fixture_asked *const asked_some[] = {
    &fixture_asked_all[0], /* only the objective */
    &fixture_asked_all[4], /* companion and objective */
    &fixture_asked_all[7], /* of the other metric, only its companion */
};
enum { ASKED_SOME = sizeof asked_some / sizeof asked_some[0] };

static void set_up(void)
{
    allocator_install();
    emulated_module_install();
}

static void tear_down(void)
{
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(device, .init = set_up, .fini = tear_down);

/* ---- choosing ---- */

enum { TEXT = 512 };

/* An engine over a small graph, on the device of that name: the device in use, or why there is none. */
static macadam_status open_on(const char *device, char used[TEXT], char reason[TEXT], macadam_error *error)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("one arc");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const macadam_engine_options options = {.size = sizeof options, .device = device};
    SCOPED(macadam_engine_close_at)
    macadam_engine *engine = (macadam_engine *)&fixture; /* must be set to NULL on failure */
    const macadam_status status = macadam_engine_open(&engine, fixture.path, &options, error);
    cr_assert_eq(engine == NULL, status != MACADAM_OK);
    macadam_info info = MACADAM_INFO_INIT;
    const macadam_place place = fixture_place(0);
    const macadam_tree_request request = {.size = sizeof request, .source = &place, .source_count = 1};
    uint32_t cost[4], *const value[] = {cost};
    if (engine)
        fixture_expect_ok(macadam_tree_find(value, NULL, engine, NULL, &request, error), error, "tree");
    if (engine) fixture_expect_ok(macadam_engine_info(&info, engine, error), error, "info");
    snprintf(used, TEXT, "%s", engine ? info.device : "");
    snprintf(reason, TEXT, "%s", engine && info.device_reason ? info.device_reason : "");
    return status;
}

static void expect_device(const char *asked, const char *expected)
{
    char used[TEXT], reason[TEXT];
    macadam_error error;
    fixture_expect_ok(open_on(asked, used, reason, &error), &error, asked ? asked : "no device");
    if (expected)
        cr_assert_str_eq(used, expected);
    else
        cr_assert_eq(strncmp(used, "cpu: ", 5), 0, "%s", used);
    cr_assert_eq(reason[0] != '\0', !expected && (!asked || strcmp(asked, "cpu") != 0), "%s", reason);
}

static void expect_no_device(const char *asked, const char *message)
{
    char used[TEXT], reason[TEXT];
    macadam_error error = {""};
    cr_assert_eq(open_on(asked, used, reason, &error), MACADAM_E_DEVICE, "\"%s\": %s", asked, used);
    cr_assert_str_eq(error.message, message);
}

Test(device, is_chosen_by_name)
{
    expect_device("cpu", NULL);
    expect_device("cuda", "cuda:0: Emulated CUDA device 0");
    expect_device("cuda:0", "cuda:0: Emulated CUDA device 0");
    expect_device("cuda:1", "cuda:1: Emulated CUDA device 1");
    expect_device("cuda:all", "cuda:0: Emulated CUDA device 0 and 1 more");
    expect_device("auto", "cuda:0: Emulated CUDA device 0");
    expect_device(NULL, "cuda:0: Emulated CUDA device 0");
    emulated_module_expect_nothing_left();
}

Test(device, unknown_name_is_refused_with_those_there_are)
{
    const char *const names = "known are auto, cpu, cuda, cuda:N and cuda:all";
    static const char *const no_kind[] = {"gpu", "", "cuda1", "CUDA", "cpu:0"};
    static const char *const no_number[] = {
        "cuda:9", "cuda:2", "cuda:", "cuda:1x", "cuda:-1", "cuda: 1", "cuda:99999999999999999999"};
    char message[256];
    for (size_t i = 0; i < sizeof no_kind / sizeof no_kind[0]; ++i) {
        snprintf(message, sizeof message, "unknown device \"%s\"; %s", no_kind[i], names);
        expect_no_device(no_kind[i], message);
    }
    for (size_t i = 0; i < sizeof no_number / sizeof no_number[0]; ++i) {
        snprintf(message, sizeof message, "no device \"%s\"; there are cuda:0 to cuda:1, and cuda:all",
                 no_number[i]);
        expect_no_device(no_number[i], message);
    }
}

Test(device, devices_are_listed)
{
    const char *name[4] = {"", "", "untouched", ""};
    cr_assert_eq(macadam_devices(NULL, 0), 3);
    cr_assert_eq(macadam_devices(name, 2), 3);
    cr_assert_str_eq(name[1], "cuda:0: Emulated CUDA device 0");
    cr_assert_str_eq(name[2], "untouched");
    cr_assert_eq(macadam_devices(name, 4), 3);
    cr_assert_eq(strncmp(name[0], "cpu: ", 5), 0);
    cr_assert_str_eq(name[2], "cuda:1: Emulated CUDA device 1");
}

/* Only an unknown device that is requested by name is an error; "auto" reports the same reason. */
static void expect_processor_alone(const char *message)
{
    char text[TEXT], used[TEXT], reason[TEXT];
    snprintf(text, sizeof text, "no device \"cuda\": %s", message);
    FIXTURE_CALL(open_on, "auto", used, reason);
    cr_assert_str_eq(reason, text);
    cr_assert_eq(macadam_devices(NULL, 0), 1);
    expect_device("auto", NULL);
    expect_device(NULL, NULL);
    expect_device("cpu", NULL);
    snprintf(text, sizeof text, "no device \"cuda\": %s", message);
    expect_no_device("cuda", text);
    snprintf(text, sizeof text, "no device \"cuda:all\": %s", message);
    expect_no_device("cuda:all", text);
}

Test(device, module_may_be_missing)
{
    setenv("MACADAM_CUDA_MODULE", "/nowhere/libmacadam_cuda.so", 1);
    expect_processor_alone(
        "the module macadam_cuda cannot be loaded: /nowhere/libmacadam_cuda.so: cannot open "
        "shared object file: No such file or directory");
}

Test(device, module_may_be_something_else)
{
    char used[TEXT], reason[TEXT];
    macadam_error error = {""};
    setenv("MACADAM_CUDA_MODULE", "libm.so.6", 1);
    cr_assert_eq(open_on("cuda", used, reason, &error), MACADAM_E_DEVICE);
    cr_assert(strstr(error.message, "undefined symbol: mcd_cuda_module"), "%s", error.message);
}

Test(device, module_may_be_of_another_version)
{
    setenv("MACADAM_CUDA_MODULE", OTHER_MODULE, 1);
    expect_processor_alone("the module macadam_cuda is of another version than this library "
                           "(" MCD_MODULE_VERSION ")");
}

Test(device, machine_may_have_none)
{
    setenv("MCD_EMULATED_DEVICES", "0", 1);
    expect_processor_alone("the driver finds no GPU");
}

Test(device, driver_may_be_missing)
{
    setenv("MCD_EMULATED_DRIVER", "0", 1);
    expect_processor_alone("no NVIDIA driver is installed");
}

Test(device, driver_may_be_old)
{
    setenv("MCD_EMULATED_DRIVER", "11040", 1);
    expect_processor_alone("the driver knows CUDA 11.4, the module needs 13.0");
}

/* ---- answers ---- */

static void expect_equal(const answer_log *found, const answer_log *right, const char *where)
{
    const size_t at = answer_log_difference(found, right);
    cr_assert_eq(at, SIZE_MAX, "%s: word %zu of %zu and %zu differs", where, at, found->count, right->count);
}

static void compare_files(const fixture_engine *fixture, macadam_engine *engine)
{
    char path[2][FILES_PATH_BYTES + 16];
    void *data[2];
    size_t bytes[2];
    for (int i = 0; i < 2; ++i) {
        snprintf(path[i], sizeof path[i], "%s/new%d.mcd", fixture->folder, i);
        FIXTURE_CALL(macadam_engine_save, i ? engine : fixture->engine, path[i]);
        data[i] = files_read(path[i], &bytes[i]);
    }
    cr_assert_eq(bytes[0], bytes[1]);
    cr_assert_eq(memcmp(data[0], data[1], bytes[0]), 0, "%s: saved files differ", fixture->graph->name);
    free(data[0]);
    free(data[1]);
}

static void compare_answers(const fixture_engine *fixture, macadam_engine *engine, const char *where)
{
    for (size_t a = 0; a < ASKED_SOME; ++a) {
        if (asked_some[a]->metric >= fixture->quantity_count) continue;
        const question_scene scene = {fixture->graph, asked_some[a]};
        answer_log right = questions_ask_all(&scene, fixture->engine);
        SCOPED(answer_log_free) answer_log found = questions_ask_all(&scene, engine);
        expect_equal(&found, &right, where);
        answer_log_free(&right);
    }
}

static void update(const fixture_engine *fixture, macadam_engine *engine)
{
    FIXTURE_CALL(questions_update, fixture->graph, engine);
}

/* Compares all answers, updates, and compares all answers again. */
static void compare_engines(const test_graph *graph, const char *device)
{
    char where[256];
    fixture_engine fixture;
    fixture_open(&fixture, graph, 2);
    macadam_engine *engine = emulated_module_open(fixture.path, device, 2);
    snprintf(where, sizeof where, "%s on %s", graph->name, device);
    compare_answers(&fixture, engine, where);
    if (graph->arc_count > 0) {
        strcat(where, " after an update");
        update(&fixture, engine);
        update(&fixture, fixture.engine);
        compare_answers(&fixture, engine, where);
        compare_files(&fixture, engine);
    }
    macadam_info info = MACADAM_INFO_INIT;
    macadam_engine_info(&info, engine, NULL);
    cr_assert_eq(strncmp(info.device, "cuda:", 5), 0, "%s: the device failed", where);
    macadam_engine_close(engine);
    fixture_close(&fixture);
    emulated_module_expect_nothing_left();
}

/* Updates at most a tenth of the arcs, of one quantity: once the device has made weights itself, it receives
 * only these arcs. */
static void update_few(const fixture_engine *fixture, macadam_engine *engine, uint64_t round)
{
    enum { FEW = 40 };
    const uint32_t arc_count = (uint32_t)fixture->graph->arc_count;
    test_rng rng = {round};
    uint64_t arc[FEW];
    uint32_t value[FEW];
    const uint32_t *values[] = {value};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    cr_assert_geq(arc_count, 10 * FEW);
    for (size_t i = 0; i < FEW; ++i) {
        arc[i] = fixture_arc_number(rng_below(&rng, arc_count));
        value[i] = i % 9 == 4 ? (uint32_t)MACADAM_WEIGHT_CLOSED : rng_below(&rng, 200);
    }
    request.arc = arc;
    request.count = FEW;
    request.quantity = &fixture_quantity[round % 2];
    request.quantity_count = 1;
    request.value = values;
    FIXTURE_CALL(macadam_update, engine, &request);
}

Test(device, updates_in_a_row_leave_what_the_processor_has)
{
    test_graph graph = graphs_make_named("grid");
    fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    macadam_engine *engine = emulated_module_open(fixture.path, "cuda:all", 2);
    update(&fixture, engine);
    update(&fixture, fixture.engine);
    for (uint64_t round = 1; round < 5; ++round) {
        char where[32];
        snprintf(where, sizeof where, "update %d", (int)round);
        update_few(&fixture, engine, round);
        update_few(&fixture, fixture.engine, round);
        compare_answers(&fixture, engine, where);
    }
    compare_files(&fixture, engine);
    macadam_engine_close(engine);
    fixture_close(&fixture);
    test_graph_free(&graph);
    emulated_module_expect_nothing_left();
}

Test(device, answers_as_the_processor)
{
    size_t compared = 0;
    for (size_t i = 0; i < graphs_count(); ++i) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(i);
        if (graph.node_count <= NODES_MAX) compare_engines(&graph, "cuda"), ++compared;
    }
    cr_assert_gt(compared, 15);
}

Test(device, several_answer_as_the_processor)
{
    static const char *const name[] = {"grid", "random middling", "islands"};
    for (size_t i = 0; i < sizeof name / sizeof name[0]; ++i) {
        SCOPED(test_graph_free) test_graph graph = graphs_make_named(name[i]);
        compare_engines(&graph, "cuda:all");
        compare_engines(&graph, "cuda:1");
    }
}

/* ---- paths between points ---- */

enum {
    SIDE = 12,
    TRIPS = 2200 /* enough for two devices */,
    TRIP_ARCS = 4 * SIDE,
    PATHS_ARCS = TRIPS * TRIP_ARCS
};

typedef struct trip_paths {
    uint32_t cost[TRIPS];
    size_t count[TRIPS], arcs;
    uint64_t arc[PATHS_ARCS]; /* one path after the other */
} trip_paths;

static bool keep_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    trip_paths *const out = context;
    out->count[pair] = arc_count;
    for (size_t i = 0; i < arc_count && out->arcs < PATHS_ARCS; ++i) out->arc[out->arcs++] = arc[i];
    return true;
}

/* Between points on the streets, junctions, and points of one street. */
static void draw_trips(macadam_place place[2 * TRIPS])
{
    test_rng rng = {SIDE};
    for (size_t i = 0; i < 2 * TRIPS; ++i) {
        const double street = rng_below(&rng, SIDE) * 0.001, along = rng_below(&rng, SIDE * 1000) * 1e-6;
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = street, .lat = along};
        if (i % 7 == 3) place[i] = (macadam_place){.id = rng_below(&rng, SIDE * SIDE)};
        if (i >= TRIPS && i % 5 == 0) place[i] = place[i - TRIPS], place[i].lat += 1e-4;
    }
}

static void find_trips(trip_paths *out, const char *path, const char *device)
{
    static macadam_place place[2 * TRIPS];
    macadam_engine *const engine = emulated_module_open(path, device, 2);
    const macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = place + TRIPS, .pair_count = TRIPS};
    uint32_t *const value[] = {out->cost};
    draw_trips(place);
    out->arcs = 0;
    FIXTURE_CALL(macadam_routes_find_paths, value, NULL, engine, NULL, &request, keep_path, out);
    macadam_engine_close(engine);
}

Test(device, paths_between_points_are_the_processors)
{
    static trip_paths host, found;
    static const char *const device[] = {"cuda", "cuda:all"};
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    files_new_path(folder, path, "grid.mcd");
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(small_grid_import, SIDE, 1, NULL, &options);
    find_trips(&host, path, "cpu");
    cr_assert(host.arcs > 4 * TRIPS && host.arcs < PATHS_ARCS, "%zu arcs", host.arcs);
    for (size_t d = 0; d < sizeof device / sizeof *device; ++d) {
        find_trips(&found, path, device[d]);
        cr_assert_eq(found.arcs, host.arcs);
        cr_assert_arr_eq(found.cost, host.cost, sizeof host.cost);
        cr_assert_arr_eq(found.count, host.count, sizeof host.count);
        cr_assert_arr_eq(found.arc, host.arc, host.arcs * sizeof *host.arc);
    }
    files_remove_folder(folder);
    emulated_module_expect_nothing_left();
}
