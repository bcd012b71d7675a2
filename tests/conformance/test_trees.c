/* test_trees.c - trees over macadam.h against the oracle, on every hostile graph. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

static const size_t batch_sizes[] = {1, 2, 15, 16, 17, 64};
enum { BATCHES = sizeof batch_sizes / sizeof *batch_sizes, BATCH_MAX = 64, FILLER = 0x5a };

/* Columns of a tree in an order: ids or nodes. */
static size_t width_of(const fixture_engine *fixture, macadam_order order)
{
    macadam_info info = MACADAM_INFO_INIT;
    cr_assert_eq(macadam_engine_info(&info, fixture->engine, NULL), MACADAM_OK);
    return order == MACADAM_ORDER_IDS ? info.id_count : info.node_count;
}

/* Where the value of (source, graph node) lies; file_node[graph node] is the file's. */
static size_t place_in(const fixture_engine *fixture, const uint32_t *file_node, macadam_order order,
                       size_t source_count, size_t source, uint32_t node)
{
    const size_t width = fixture->graph->node_count;
    if (order == MACADAM_ORDER_IDS) return source * width + fixture->position[node];
    if (order == MACADAM_ORDER_NODES) return source * width + file_node[node];
    return file_node[node] * source_count + source;
}

static uint32_t *new_file_nodes(const fixture_engine *fixture)
{
    const size_t node_count = fixture->graph->node_count;
    const int64_t *ids = macadam_engine_ids(fixture->engine, NULL);
    const int64_t *node_ids = macadam_engine_node_ids(fixture->engine, NULL);
    FREED uint32_t *node_at =
        checked_allocate(node_count, sizeof *node_at); /* position among ascending ids -> graph node */
    uint32_t *file_node = checked_allocate(node_count, sizeof *file_node);
    cr_assert(node_count == 0 || (ids && node_ids));
    for (uint32_t node = 0; node < node_count; ++node) node_at[fixture->position[node]] = node;
    memset(file_node, 0xff, node_count * sizeof *file_node);
    for (uint32_t i = 0; i < node_count; ++i) {
        size_t first = 0, last = node_count; /* ids[first] <= node_ids[i] */
        while (last - first > 1) {
            const size_t middle = (first + last) / 2;
            if (ids[middle] <= node_ids[i])
                first = middle;
            else
                last = middle;
        }
        cr_assert_eq(ids[first], node_ids[i]);
        cr_assert_eq(ids[first], fixture->id[node_at[first]]);
        cr_assert_eq(file_node[node_at[first]], UINT32_MAX, "two nodes of one id");
        file_node[node_at[first]] = i;
    }
    return file_node;
}

static void ask(const fixture_engine *fixture, const fixture_asked *asked,
                const macadam_tree_request *request, uint32_t *const *value)
{
    const char *names[2];
    const macadam_query query = fixture_query(asked, names);
    macadam_place_status status[BATCH_MAX];
    macadam_error error;
    fixture_expect_ok(macadam_tree_find(value, status, fixture->engine, &query, request, &error), &error,
                      fixture->graph->name);
    for (size_t i = 0; i < request->source_count; ++i) cr_assert_eq(status[i], MACADAM_PLACE_OK);
}

/* Compares one batch in one order; the last value's end is guarded. */
static void check_batch(const fixture_engine *fixture, const uint32_t *file_node, const fixture_asked *asked,
                        const expected_trees *expected, macadam_tree_request request)
{
    const size_t node_count = fixture->graph->node_count, cells = request.source_count * node_count;
    uint32_t *value[2];
    FREED macadam_place *source = expected_places(expected, request.source_count);
    request.source = source;
    for (size_t column = 0; column < 2; ++column) {
        value[column] = checked_allocate(cells + 1, sizeof *value[column]);
        memset(value[column], FILLER, (cells + 1) * sizeof *value[column]);
    }
    ask(fixture, asked, &request, value);
    for (size_t column = 0; column < fixture_column_count(asked); ++column) {
        const uint32_t *right = expected_column(expected, asked, column);
        for (size_t i = 0; i < request.source_count; ++i)
            for (uint32_t node = 0; node < node_count; ++node) {
                const size_t cell =
                    place_in(fixture, file_node, request.order, request.source_count, i, node);
                if (value[column][cell] != right[i * node_count + node])
                    cr_assert_fail(
                        "%s: metric %zu, column %zu of %zu, %s, limit %u, order %d, source %zu of %zu = "
                        "node %u "
                        "to node %u: %u instead of %u",
                        fixture->graph->name, asked->metric, column, asked->quantity_count,
                        request.reverse ? "reverse" : "forward", request.limit, (int)request.order, i,
                        request.source_count, expected->source[i], node, value[column][cell],
                        right[i * node_count + node]);
            }
        cr_assert_eq(value[column][cells], FILLER * 0x01010101U, "%s: written beyond the end",
                     fixture->graph->name);
    }
    free(value[0]);
    free(value[1]);
}

static void check_orders(const fixture_engine *fixture, const uint32_t *file_node, const fixture_asked *asked,
                         const expected_trees *expected, bool reverse, uint32_t limit, size_t source_count)
{
    macadam_tree_request request = {
        .size = sizeof request, .source_count = source_count, .reverse = reverse, .limit = limit};
    for (int order = MACADAM_ORDER_IDS; order <= MACADAM_ORDER_LANES; ++order) {
        if (order == MACADAM_ORDER_LANES && source_count % 16 != 0) continue;
        request.order = (macadam_order)order;
        check_batch(fixture, file_node, asked, expected, request);
    }
}

/* Every way to ask, every order, every batch size that the graph's size allows in the time. */
static void check_graph(const test_graph *graph)
{
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, graph, 2);
    FREED uint32_t *file_node = new_file_nodes(&fixture);
    const size_t source_count = graph->node_count > 5000 ? 17 : BATCH_MAX;
    for (size_t a = 0; a < FIXTURE_ASKED; ++a)
        for (int reverse = 0; reverse < 2; ++reverse) {
            const fixture_asked *asked = &fixture_asked_all[a];
            SCOPED(expected_free)
            expected_trees expected = expected_new(graph, asked, reverse, 0, source_count, a);
            for (size_t b = 0; b < BATCHES && batch_sizes[b] <= source_count; ++b)
                check_orders(&fixture, file_node, asked, &expected, reverse, 0, batch_sizes[b]);
        }
}

Test(trees, equal_the_oracle_in_every_order_and_batch)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        if (graph.node_count > 0) check_graph(&graph);
    }
}

/* Limits that fall on a cost, one below it, and beyond all. */
static void check_limits(const test_graph *graph)
{
    enum { SOURCES = 16 };
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, graph, 1);
    FREED uint32_t *file_node = new_file_nodes(&fixture);
    for (size_t a = 0; a < FIXTURE_ASKED; ++a)
        for (int reverse = 0; reverse < 2; ++reverse) {
            const fixture_asked *asked = &fixture_asked_all[a];
            SCOPED(expected_free) expected_trees all = expected_new(graph, asked, reverse, 0, SOURCES, a);
            test_rng rng = {a};
            for (int i = 0; i < 4; ++i) {
                const uint32_t cost =
                    all.value[asked->metric][rng_below(&rng, (uint32_t)(SOURCES * graph->node_count))];
                const uint32_t limit = cost == ORACLE_UNREACHED ? 0x7fffffff : cost - (i % 2 && cost > 1);
                SCOPED(expected_free)
                expected_trees within = expected_new(graph, asked, reverse, limit, SOURCES, a);
                check_orders(&fixture, file_node, asked, &within, reverse, limit, i % 2 ? SOURCES : 3);
            }
        }
}

Test(trees, limit_reaches_its_own_cost_and_none_above)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        if (graph.node_count > 0 && graph.node_count < 5000) check_limits(&graph);
    }
}

Test(trees, unknown_source_fails_alone)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const fixture_asked both = {0, 2, {0, 1}};
    SCOPED(expected_free) expected_trees expected = expected_new(&graph, &both, false, 0, 16, 1);
    FREED macadam_place *source = expected_places(&expected, 16);
    source[0].id = source[9].id = INT64_MAX;
    source[15] = (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = 1, .lat = 1};
    const char *names[2];
    const macadam_query query = fixture_query(&both, names);
    const macadam_tree_request request = {.size = sizeof request, .source = source, .source_count = 16};
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) value[q] = checked_zeroed(16 * graph.node_count, sizeof *value[q]);
    macadam_place_status status[16];
    FIXTURE_CALL(macadam_tree_find, value, status, fixture.engine, &query, &request);
    for (size_t i = 0; i < 16; ++i) {
        cr_assert_eq(status[i], i == 0 || i == 9 ? MACADAM_PLACE_UNKNOWN_ID
                                : i == 15        ? MACADAM_PLACE_NO_COORDINATES
                                                 : MACADAM_PLACE_OK);
        for (uint32_t node = 0; node < graph.node_count; ++node)
            for (size_t q = 0; q < 2; ++q)
                cr_assert_eq(value[q][i * graph.node_count + fixture.position[node]],
                             status[i] == MACADAM_PLACE_OK ? expected.value[q][i * graph.node_count + node]
                                                           : MACADAM_UNREACHED);
    }
    for (size_t q = 0; q < 2; ++q) free(value[q]);
}

Test(trees, map_without_nodes_knows_no_source)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("no node");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    const fixture_asked objective = {0, 0, {0}};
    const char *names[2];
    const macadam_query query = fixture_query(&objective, names);
    const macadam_place source = fixture_place(0);
    const macadam_tree_request request = {.size = sizeof request, .source = &source, .source_count = 1};
    uint32_t nothing = FILLER, *value[] = {&nothing};
    macadam_place_status status;
    FIXTURE_CALL(macadam_tree_find, value, &status, fixture.engine, &query, &request);
    cr_assert_eq(status, MACADAM_PLACE_UNKNOWN_ID);
    cr_assert_eq(nothing, FILLER);
}

Test(trees, ids_ascend_and_every_node_has_one)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        SCOPED(fixture_close) fixture_engine fixture;
        fixture_open(&fixture, &graph, 1);
        cr_assert_eq(width_of(&fixture, MACADAM_ORDER_IDS), graph.node_count);
        cr_assert_eq(width_of(&fixture, MACADAM_ORDER_NODES), graph.node_count);
        const int64_t *ids = macadam_engine_ids(fixture.engine, NULL);
        for (size_t i = 1; i < graph.node_count; ++i) cr_assert_lt(ids[i - 1], ids[i]);
        free(new_file_nodes(&fixture));
    }
}

/* ---- threads ---- */

enum { TOWN_SOURCES = 48 };

static uint32_t *town_trees(const fixture_engine *fixture, macadam_engine *engine)
{
    const fixture_asked both = {0, 2, {0, 1}};
    const size_t cells = TOWN_SOURCES * fixture->graph->node_count;
    SCOPED(expected_free)
    expected_trees expected = {.source_count = TOWN_SOURCES, .source = checked_allocate(TOWN_SOURCES, 4)};
    for (uint32_t i = 0; i < TOWN_SOURCES; ++i) expected.source[i] = i * 41;
    FREED macadam_place *source = expected_places(&expected, TOWN_SOURCES);
    const char *names[2];
    const macadam_query query = fixture_query(&both, names);
    const macadam_tree_request request = {
        .size = sizeof request, .source = source, .source_count = TOWN_SOURCES};
    uint32_t *all = checked_zeroed(2 * cells, sizeof *all);
    FIXTURE_CALL(macadam_tree_find, (uint32_t *[]){all, all + cells}, NULL, engine, &query, &request);
    return all;
}

/* An executor of the host: three workers, indices in a stride, so in another order than the library's own. */
typedef struct strided_worker {
    size_t count;
    void (*task)(void *argument, size_t index, unsigned worker);
    void *argument;
    unsigned worker;
} strided_worker;

static void *run_strided(void *argument)
{
    const strided_worker *worker = argument;
    for (size_t i = worker->worker; i < worker->count; i += 3)
        worker->task(worker->argument, worker->count - 1 - i, worker->worker);
    return NULL;
}

static void run_on_host(void *context, size_t count, void (*task)(void *, size_t, unsigned), void *argument)
{
    pthread_t thread[3];
    strided_worker worker[3];
    ++*(size_t *)context;
    for (unsigned i = 0; i < 3; ++i) {
        worker[i] = (strided_worker){count, task, argument, i};
        cr_assert_eq(pthread_create(&thread[i], NULL, run_strided, &worker[i]), 0);
    }
    for (unsigned i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
}

Test(trees, hosts_executor_gives_equal_bits)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    FREED uint32_t *one = town_trees(&fixture, fixture.engine);
    size_t run_count = 0;
    const macadam_executor executor = {3, run_on_host, &run_count};
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .executor = &executor};
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    FIXTURE_CALL(macadam_engine_open, &engine, fixture.path, &options);
    FREED uint32_t *many = town_trees(&fixture, engine);
    cr_assert_arr_eq(many, one, 2 * TOWN_SOURCES * graph.node_count * sizeof *one);
    cr_assert_gt(run_count, 0);
}

static void *ask_again_and_again(void *argument)
{
    const fixture_engine *fixture = argument;
    uint32_t *first = town_trees(fixture, fixture->engine);
    const size_t bytes = 2 * TOWN_SOURCES * fixture->graph->node_count * sizeof *first;
    for (int round = 0; round < 10; ++round) {
        uint32_t *again = town_trees(fixture, fixture->engine);
        const bool same = memcmp(first, again, bytes) == 0;
        free(again);
        if (same) continue;
        free(first);
        return NULL;
    }
    return first;
}

Test(trees, threads_share_an_engine)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    uint32_t *right = town_trees(&fixture, fixture.engine), *answer[3];
    pthread_t thread[3];
    for (int i = 0; i < 3; ++i)
        cr_assert_eq(pthread_create(&thread[i], NULL, ask_again_and_again, &fixture), 0);
    for (int i = 0; i < 3; ++i) {
        pthread_join(thread[i], (void **)&answer[i]);
        cr_assert_not_null(answer[i], "an answer changed from one call to the next");
        cr_assert_arr_eq(answer[i], right, 2 * TOWN_SOURCES * graph.node_count * sizeof *right);
        free(answer[i]);
    }
    free(right);
}

Test(trees, file_in_memory_answers_like_the_file)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("town");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    size_t bytes;
    FREED void *memory = files_read(fixture.path, &bytes);
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    FIXTURE_CALL(macadam_engine_open_memory, &engine, memory, bytes, NULL);
    FIXTURE_CALL(macadam_engine_verify, engine);
    FREED uint32_t *from_file = town_trees(&fixture, fixture.engine),
                   *from_memory = town_trees(&fixture, engine);
    cr_assert_arr_eq(from_memory, from_file, 2 * TOWN_SOURCES * graph.node_count * sizeof *from_file);
}
