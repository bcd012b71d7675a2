/* test_failures.c - every allocation fails once and every step is cancelled once: each call returns a status,
 * and nothing leaks. */
#include "engine/runtime/engine.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/uses.h"

#include "macadam/v1/request.pb-c.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

enum { TRIES_MAX = 20000, PLACES = 20, COLUMNS = 20, SPACING_E7 = 1300 };

static test_graph graph;
static macadam_place place[PLACES]; /* every other one a point within a road */
static macadam_query both;          /* quantities */
static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16], new_path[FILES_PATH_BYTES + 16];

static int32_t lon_e7_of(uint32_t node)
{
    return (int32_t)(node % COLUMNS * SPACING_E7);
}

static int32_t lat_e7_of(uint32_t node)
{
    return (int32_t)(node / COLUMNS * SPACING_E7);
}

static void import_with_coordinates(void)
{
    FREED int32_t *lon_e7 = checked_allocate(graph.node_count, sizeof *lon_e7);
    FREED int32_t *lat_e7 = checked_allocate(graph.node_count, sizeof *lat_e7);
    for (uint32_t node = 0; node < graph.node_count; ++node)
        lon_e7[node] = lon_e7_of(node), lat_e7[node] = lat_e7_of(node);
    FIXTURE_CALL(fixture_import, &graph, lon_e7, lat_e7, path, 2);
}

/* A point two fifths of the way along an arc. */
static macadam_place point_on(size_t arc)
{
    const uint32_t tail = graph.tail[arc], head = graph.head[arc];
    return (macadam_place){.kind = MACADAM_PLACE_POINT,
                           .lon = (3 * lon_e7_of(tail) + 2 * lon_e7_of(head)) / 5e7,
                           .lat = (3 * lat_e7_of(tail) + 2 * lat_e7_of(head)) / 5e7};
}

static void set_up(void)
{
    static const char *names[2];
    allocator_install();
    graph = graphs_make_named("random middling");
    files_new_path(folder, path, "graph.mcd");
    snprintf(new_path, sizeof new_path, "%s/new.mcd", folder);
    import_with_coordinates();
    cr_assert_eq(allocator_live_count(), 0, "the import left blocks");
    both = fixture_query(&(fixture_asked){0, 2, {0, 1}}, names);
    for (uint32_t i = 0; i < PLACES; ++i) place[i] = i % 2 ? point_on(i * 17) : fixture_place(i * 9);
}

static void tear_down(void)
{
    allocator_fail(0);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
    files_remove_folder(folder);
    test_graph_free(&graph);
}

TestSuite(failures, .init = set_up, .fini = tear_down);

/* ---- each allocation once ---- */

static size_t nth; /* allocation fails */
static bool has_failed;

static void end_failing(void)
{
    has_failed = allocator_has_failed();
    allocator_fail(0);
}

/* Fails the 1st, 2nd, ... allocation of an attempt, which calls allocator_fail(nth) and end_failing(), until none is
 * left to fail. */
static void fail_each(const char *name, macadam_status (*attempt)(macadam_error *error))
{
    nth = 0;
    do {
        macadam_error error = {""};
        ++nth;
        const macadam_status status = attempt(&error);
        cr_assert(status == MACADAM_OK || (status == MACADAM_E_MEMORY && has_failed && *error.message),
                  "%s, allocation %zu: %s: %s", name, nth, macadam_status_name(status), error.message);
        cr_assert_eq(allocator_live_count(), 0, "%s, allocation %zu: %zu blocks are left", name, nth,
                     allocator_live_count());
    } while (has_failed && nth < TRIES_MAX);
    cr_assert_not(has_failed, "%s still allocates after %d failures", name, TRIES_MAX);
    cr_assert_gt(nth, 1, "%s allocates nothing", name);
}

static macadam_status import_new(macadam_error *error)
{
    allocator_fail(nth);
    const macadam_status status = fixture_import(&graph, NULL, NULL, new_path, 2, error);
    end_failing();
    cr_assert_eq(files_count(folder), status == MACADAM_OK ? 2 : 1, "allocation %zu: %s, %zu files", nth,
                 macadam_status_name(status), files_count(folder));
    unlink(new_path);
    return status;
}

static macadam_status open_engine(macadam_error *error)
{
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 2};
    macadam_engine *engine = (macadam_engine *)folder; /* must be set to NULL on failure */
    allocator_fail(nth);
    const macadam_status status = macadam_engine_open(&engine, path, &options, error);
    end_failing();
    cr_assert_eq(engine == NULL, status != MACADAM_OK);
    macadam_engine_close(engine);
    return status;
}

Test(failures, import_without_memory_leaves_no_file_and_no_block)
{
    fail_each("import", import_new);
}

Test(failures, open_without_memory_gives_no_engine)
{
    fail_each("open", open_engine);
}

/* ---- the calls ---- */

static macadam_status (*call)(macadam_engine *engine, macadam_error *error);

/* On an engine that was just opened; the same call again works. */
static macadam_status call_fresh(macadam_error *error)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 2);
    allocator_fail(nth);
    const macadam_status status = call(engine, error);
    end_failing();
    if (status) FIXTURE_CALL(call, engine);
    return status;
}

static const use_case *use;

static macadam_status call_use(macadam_engine *engine, macadam_error *error)
{
    const macadam_query query = MACADAM_QUERY_INIT;
    uint64_t answer = 0;
    return use->run(engine, &query, &answer, error);
}

/* Traces need distances in centimetres, which arrays do not have; uses that save open what they saved; ids have no
 * status. */
Test(failures, every_use_without_memory)
{
    call = call_use;
    for (use = use_all; use < use_all + USES; ++use)
        if (!strstr("match, save, save ready, ids", use->name)) fail_each(use->name, call_fresh);
}

/* Not covered by the uses: both quantities, files, prepared targets, messages. */

static macadam_status call_tree(macadam_engine *engine, macadam_error *error)
{
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = PLACES};
    FREED uint32_t *value = checked_allocate(2 * PLACES * graph.node_count, sizeof *value);
    const macadam_status status = macadam_tree_find((uint32_t *[]){value, value + PLACES * graph.node_count},
                                                    NULL, engine, &both, &request, error);
    return status;
}

static macadam_status call_nearest(macadam_engine *engine, macadam_error *error)
{
    const macadam_nearest_request request = {
        .size = sizeof request, .target = place, .target_count = PLACES, .nearest_count = 2};
    uint32_t position[2 * PLACES];
    const macadam_reach answer = {.size = sizeof answer, .nearest_position = position};
    SCOPED(macadam_nearest_free_at) macadam_nearest *nearest = (macadam_nearest *)folder;
    macadam_status status = macadam_nearest_new(&nearest, NULL, engine, NULL, &request, error);
    cr_assert_eq(nearest == NULL, status != MACADAM_OK);
    if (!status) status = macadam_nearest_find(&answer, NULL, nearest, place, PLACES, error);
    return status;
}

static macadam_status call_route(macadam_engine *engine, macadam_error *error)
{
    const macadam_route_request request = {.size = sizeof request, .waypoint = place, .waypoint_count = 4};
    SCOPED(macadam_route_free_at)
    macadam_route *route = (macadam_route *)folder; /* must be set to NULL on failure */
    const macadam_status status = macadam_route_find(&route, engine, &both, &request, error);
    cr_assert_eq(route == NULL, status != MACADAM_OK);
    return status;
}

static bool take_tile(void *context, const macadam_tile *tile)
{
    (void)context, (void)tile;
    return true;
}

static macadam_status call_matrix(macadam_engine *engine, macadam_error *error)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = place;
    request.source_count = request.target_count = PLACES;
    return macadam_matrix_find(NULL, engine, &both, &request, take_tile, NULL, error);
}

/* With next hops into a file, then as tiles; the file is removed. */
static macadam_status call_dense(macadam_engine *engine, macadam_error *error)
{
    const macadam_all_pairs_request request = {
        .size = sizeof request, .method = "floyd-warshall", .next = true};
    macadam_status status = macadam_all_pairs_save(engine, NULL, &request, new_path, error);
    cr_assert_eq(files_count(folder), status == MACADAM_OK ? 2 : 1);
    unlink(new_path);
    if (!status) status = macadam_all_pairs_find(engine, NULL, &request, take_tile, NULL, error);
    return status;
}

static macadam_status call_closure(macadam_engine *engine, macadam_error *error)
{
    const macadam_status status = macadam_closure_save(engine, NULL, new_path, error);
    cr_assert_eq(files_count(folder), status == MACADAM_OK ? 2 : 1);
    unlink(new_path);
    return status;
}

static macadam_status call_update(macadam_engine *engine, macadam_error *error)
{
    const uint64_t arc[] = {fixture_arc_number(3), fixture_arc_number(800)};
    const uint32_t weight[] = {9, MACADAM_WEIGHT_CLOSED}, *const value[] = {weight, weight};
    const macadam_update_request request = fixture_update(arc, 2, value);
    return macadam_update(engine, &request, error);
}

static macadam_status call_save(macadam_engine *engine, macadam_error *error)
{
    const macadam_status status = macadam_engine_save(engine, new_path, error);
    cr_assert_eq(files_count(folder), status == MACADAM_OK ? 2 : 1, "a failed save left a file");
    unlink(new_path);
    return status;
}

/* A serialized request for a matrix of both quantities in the engine's order. */
static macadam_status call_message(macadam_engine *engine, macadam_error *error)
{
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    Macadam__V1__Query query = MACADAM__V1__QUERY__INIT;
    Macadam__V1__MatrixRequest matrix = MACADAM__V1__MATRIX_REQUEST__INIT;
    Macadam__V1__Places places = MACADAM__V1__PLACES__INIT;
    int64_t node[PLACES];
    uint8_t data[1024];
    char *names[] = {(char *)fixture_quantity[0], (char *)fixture_quantity[1]};
    for (uint32_t i = 0; i < PLACES; ++i) node[i] = fixture_id(i);
    places.n_node = PLACES;
    places.node = node;
    query.n_quantity = 2;
    query.quantity = names;
    matrix.source = matrix.target = &places;
    matrix.engine_order = true;
    request.query = &query;
    request.ask_case = MACADAM__V1__REQUEST__ASK_MATRIX;
    request.matrix = &matrix;
    cr_assert_leq(macadam__v1__request__get_packed_size(&request), sizeof data);
    const size_t size = macadam__v1__request__pack(&request, data);
    SCOPED(macadam_bytes_free) macadam_bytes reply;
    const macadam_status status = macadam_call(&reply, engine, data, size, NULL, NULL, error);
    return status;
}

Test(failures, every_other_call_without_memory)
{
    static const struct {
        const char *name;
        macadam_status (*call)(macadam_engine *engine, macadam_error *error);
    } all[] = {
        {"tree", call_tree},     {"all pairs", call_dense}, {"closure", call_closure},
        {"route", call_route},   {"nearest", call_nearest}, {"matrix", call_matrix},
        {"update", call_update}, {"save", call_save},       {"message", call_message},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        call = all[i].call;
        fail_each(all[i].name, call_fresh);
    }
}

/* A failed update leaves the old weights: the tree is the same as before. */
Test(failures, update_without_memory_changes_nothing)
{
    macadam_error error;
    macadam_status status = MACADAM_E_MEMORY;
    SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(path, 2);
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = 1};
    FREED uint32_t *before = checked_allocate(graph.node_count, sizeof *before);
    FREED uint32_t *after = checked_allocate(graph.node_count, sizeof *after);
    FIXTURE_CALL(macadam_tree_find, &before, NULL, engine, NULL, &request);
    for (nth = 1; nth < TRIES_MAX; ++nth) {
        allocator_fail(nth);
        status = call_update(engine, &error);
        allocator_fail(0);
        if (status == MACADAM_OK) break;
        FIXTURE_CALL(macadam_tree_find, &after, NULL, engine, NULL, &request);
        cr_assert_arr_eq(after, before, graph.node_count * sizeof *before);
    }
    cr_assert_eq(status, MACADAM_OK);
}

/* Few weights of the hierarchy differ then. */
static macadam_status close_arc(macadam_engine *engine, macadam_error *error)
{
    const uint64_t arc[] = {fixture_arc_number(800)};
    const uint32_t weight[] = {MACADAM_WEIGHT_CLOSED}, *const value[] = {weight, weight};
    const macadam_update_request request = fixture_update(arc, 1, value);
    return macadam_update(engine, &request, error);
}

static uint32_t *updated; /* a tree then */
static const char *updated_path;

/* The first update, a tree, and with memory again what has failed. */
static macadam_status update_first(macadam_error *error)
{
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = 1};
    FREED uint32_t *cost = checked_allocate(graph.node_count, sizeof *cost);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(updated_path, 1);
    allocator_fail(nth);
    macadam_status status = close_arc(engine, error);
    const bool is_updated = !status;
    if (is_updated) status = macadam_tree_find(&cost, NULL, engine, NULL, &request, error);
    end_failing();
    if (!is_updated) FIXTURE_CALL(close_arc, engine);
    FIXTURE_CALL(macadam_tree_find, &cost, NULL, engine, NULL, &request);
    cr_assert_arr_eq(cost, updated, graph.node_count * sizeof *cost, "allocation %zu", nth);
    cr_assert(!engine->is_ready || !engine->schedule,
              "allocation %zu: the stored basic weights were not used", nth);
    return status;
}

Test(failures, first_update_without_memory)
{
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = 1};
    updated = checked_allocate(graph.node_count, sizeof *updated);
    macadam_engine *const engine = fixture_open_file(path, 2);
    FIXTURE_CALL(macadam_engine_save_ready, engine, new_path);
    FIXTURE_CALL(close_arc, engine);
    FIXTURE_CALL(macadam_tree_find, &updated, NULL, engine, NULL, &request);
    macadam_engine_close(engine);
    updated_path = new_path;
    fail_each("first update of a ready file", update_first);
    updated_path = path;
    fail_each("first update of a compact file", update_first);
    free(updated);
}

/* ---- limits of memory ---- */

/* Calls with a limit, and then with what each refusal names. */
static macadam_status follow_limits(macadam_engine *engine, macadam_error *error)
{
    enum { REFUSALS_MAX = 30 };
    macadam_query query = {.size = sizeof query, .memory_limit = 1};
    macadam_status status = MACADAM_E_LIMIT;
    for (int i = 0; i < REFUSALS_MAX && status == MACADAM_E_LIMIT; ++i) {
        uint64_t answer = 0;
        status = use->run(engine, &query, &answer, error);
        if (status != MACADAM_E_LIMIT) break;
        const char *const end = strstr(error->message, " bytes of memory, the limit is ");
        cr_assert_not_null(end, "%s: %s", use->name, error->message);
        const char *need = end;
        while (need[-1] != ' ') --need;
        cr_assert_eq(strtoull(end + strlen(" bytes of memory, the limit is "), NULL, 10), query.memory_limit,
                     "%s", error->message);
        cr_assert_gt(strtoull(need, NULL, 10), query.memory_limit, "%s", error->message);
        query.memory_limit = strtoull(need, NULL, 10);
    }
    return status;
}

Test(failures, refusals_name_the_limit_that_was_given_and_memory_that_suffices)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 2);
    for (use = use_all; use < use_all + USES; ++use)
        if (strcmp(use->name, "match") != 0) FIXTURE_CALL(follow_limits, engine);
}

/* ---- cancelling ---- */

/* Says no at the `left`-th report. */
static bool count_down(void *context, const char *phase, uint64_t done, uint64_t total)
{
    size_t *left = context;
    cr_assert_not_null(phase);
    cr_assert(total == 0 || done <= total, "%s: %llu of %llu", phase, (unsigned long long)done,
              (unsigned long long)total);
    return *left > 0 && --*left > 0;
}

Test(failures, cancelled_import_leaves_no_file)
{
    size_t step_count = 0;
    macadam_status status;
    do {
        size_t left = ++step_count;
        macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
        input.node_count = graph.node_count;
        input.arc_count = graph.arc_count;
        input.tail = graph.tail;
        input.head = graph.head;
        input.quantity = fixture_quantity;
        input.weight = (const uint32_t *const[]){graph.weight[0], graph.weight[1]};
        input.quantity_count = 2;
        const macadam_import_options options = {
            .size = sizeof options, .output = new_path, .progress = count_down, .context = &left};
        macadam_error error = {""};
        status = macadam_import_arrays(&input, &options, &error);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_CANCELLED, "%s", error.message);
        cr_assert_eq(status == MACADAM_E_CANCELLED, left == 0);
        cr_assert_eq(files_count(folder), status == MACADAM_OK ? 2 : 1);
        cr_assert_eq(allocator_live_count(), 0);
    } while (status != MACADAM_OK);
    cr_assert_gt(step_count, 1, "the import never reported");
    unlink(new_path);
}

Test(failures, cancelled_searches_and_matrices_say_so)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(path, 2);
    macadam_hops_request hops = MACADAM_HOPS_REQUEST_INIT;
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    macadam_all_pairs_request all = MACADAM_ALL_PAIRS_REQUEST_INIT;
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    hops.source = tree.source = matrix.source = matrix.target = place;
    hops.source_count = tree.source_count = matrix.source_count = matrix.target_count = PLACES;
    tree.method = all.method = "dijkstra";
    FREED uint32_t *value = checked_allocate(PLACES * graph.node_count, sizeof *value);
    for (int kind = 0; kind < 4; ++kind) {
        size_t left = 1;
        const macadam_query query = {.size = sizeof query, .progress = count_down, .progress_context = &left};
        const macadam_status status =
            kind == 0   ? macadam_hops_find(value, NULL, NULL, engine, &query, &hops, &error)
            : kind == 1 ? macadam_tree_find(&value, NULL, engine, &query, &tree, &error)
            : kind == 2 ? macadam_all_pairs_find(engine, &query, &all, take_tile, NULL, &error)
                        : macadam_matrix_find(NULL, engine, &query, &matrix, take_tile, NULL, &error);
        cr_assert_eq(status, MACADAM_E_CANCELLED, "kind %d", kind);
        cr_assert_str_not_empty(error.message);
    }
}

Test(failures, cancelled_matrices_and_closures_leave_no_file)
{
    macadam_error error = {""};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = fixture_open_file(path, 2);
    for (int dense = 0; dense < 2; ++dense) {
        size_t left = 0;
        macadam_query query = MACADAM_QUERY_INIT;
        macadam_closure_request closure = MACADAM_CLOSURE_REQUEST_INIT;
        const macadam_all_pairs_request pairs = {.size = sizeof pairs, .method = "floyd-warshall"};
        query.progress = closure.progress = count_down;
        query.progress_context = closure.progress_context = &left;
        const macadam_status status = dense ? macadam_all_pairs_save(engine, &query, &pairs, new_path, &error)
                                            : macadam_closure_save(engine, &closure, new_path, &error);
        cr_assert_eq(status, MACADAM_E_CANCELLED);
        cr_assert_str_not_empty(error.message);
        cr_assert_eq(files_count(folder), 1);
    }
}
