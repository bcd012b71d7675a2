/* test_all_pairs.c - all pairs and closures over macadam.h equal the oracle's, by every method and way of
 * delivery. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/methods.h"

#include <criterion/criterion.h>
#include <string.h>

enum { NODES_MAX = 1200, HEADER_BYTES = 128, FILLER = 0x5a };

static const char *const methods[] = {"auto", "sweep", "near-far", "floyd-warshall"};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- asking ---- */

/* A whole answer: value[q][row * count + column], rows and columns by ascending id. */
typedef struct answer {
    size_t count;
    uint32_t *value[2], *next;
    const char *chosen;
} answer;

static bool finds_next(const char *method)
{
    return method_is(method, "auto") || method_is(method, "floyd-warshall");
}

static macadam_all_pairs_request request_of(const char *method, bool next)
{
    const macadam_all_pairs_request request = {.size = sizeof request, .method = method, .next = next};
    return request;
}

static answer answer_new(size_t count)
{
    answer out = {.count = count};
    out.value[0] = checked_allocate(count * count, sizeof(uint32_t));
    out.value[1] = checked_allocate(count * count, sizeof(uint32_t));
    out.next = checked_allocate(count * count, sizeof(uint32_t));
    for (size_t q = 0; q < 2; ++q) memset(out.value[q], FILLER, count * count * sizeof(uint32_t));
    memset(out.next, FILLER, count * count * sizeof(uint32_t));
    return out;
}

static void answer_free(answer *found)
{
    free(found->value[0]);
    free(found->value[1]);
    free(found->next);
}

static answer ask_into(macadam_engine *engine, const macadam_query *query, const char *method, bool next)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    answer out = answer_new(info.id_count);
    macadam_all_pairs_request request = request_of(method, next);
    request.chosen = &out.chosen;
    FIXTURE_CALL(macadam_all_pairs_find_into, out.value, next ? out.next : NULL, engine, query, &request);
    return out;
}

static void expect_same(const answer *found, const answer *right, size_t quantity_count, const char *what)
{
    const size_t bytes = right->count * right->count * sizeof(uint32_t);
    cr_assert_eq(found->count, right->count);
    for (size_t q = 0; q < quantity_count; ++q)
        cr_assert_arr_eq(found->value[q], right->value[q], bytes, "%s: quantity %zu differs", what, q);
}

/* ---- the oracle ---- */

static answer oracle_answer(const fixture_engine *fixture, const fixture_asked *asked)
{
    const size_t count = fixture->graph->node_count;
    const bool joint = fixture_asks_companion(asked);
    const oracle_arcs arcs = test_graph_arcs(fixture->graph, asked->metric);
    answer out = answer_new(count);
    uint32_t *tree[2] = {checked_allocate(count, sizeof(uint32_t)),
                         checked_allocate(count, sizeof(uint32_t))};
    test_oracle *oracle = oracle_new(&arcs, false);
    for (uint32_t x = 0; x < count; ++x) {
        oracle_tree(oracle, x, 0, tree[asked->metric], joint ? tree[1 - asked->metric] : NULL);
        for (size_t q = 0; q < fixture_column_count(asked); ++q) {
            const uint32_t *from = tree[asked->quantity_count ? asked->quantity[q] : asked->metric];
            for (uint32_t y = 0; y < count; ++y)
                out.value[q][fixture->position[x] * count + fixture->position[y]] = from[y];
        }
    }
    oracle_free(oracle);
    free(tree[0]), free(tree[1]);
    return out;
}

static void check_asked(const fixture_engine *fixture, const fixture_asked *asked)
{
    const char *names[2];
    const macadam_query query = fixture_query(asked, names);
    SCOPED(answer_free) answer right = oracle_answer(fixture, asked);
    for (size_t m = 0; m < METHODS; ++m) {
        if (fixture_asks_companion(asked) && method_is(methods[m], "floyd-warshall")) continue;
        SCOPED(answer_free) answer found = ask_into(fixture->engine, &query, methods[m], false);
        expect_same(&found, &right, fixture_column_count(asked), fixture->graph->name);
        cr_assert(!method_is(found.chosen, "auto") && (m == 0 || method_is(found.chosen, methods[m])));
    }
}

Test(all_pairs, every_method_is_the_oracle_on_every_graph)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        if (graph.node_count <= NODES_MAX) {
            SCOPED(fixture_close) fixture_engine fixture;
            fixture_open(&fixture, &graph, 2);
            for (size_t a = 0; a < FIXTURE_ASKED; ++a)
                if (fixture_asked_all[a].metric < fixture.quantity_count &&
                    (fixture.quantity_count == 2 || !fixture_asks_companion(&fixture_asked_all[a])))
                    check_asked(&fixture, &fixture_asked_all[a]);
        }
    }
}

/* Bands of the full size, and then one of a single group; there is one more node than fills it. */
Test(all_pairs, last_bands_of_few_rows_are_as_good)
{
    for (uint32_t side = 32; side <= 33; ++side) {
        SCOPED(test_graph_free) test_graph graph = {.name = "square", .node_count = side * side + 9};
        for (uint32_t v = 0; v + 1 < graph.node_count; ++v) {
            test_graph_add(&graph, v, v + 1, v % 50 + 1, 1);
            test_graph_add(&graph, v + 1, v, v % 70 + 1, 1);
            if (v + side < graph.node_count) test_graph_add(&graph, v, v + side, v % 90 + 1, 1);
        }
        SCOPED(fixture_close) fixture_engine fixture;
        fixture_open(&fixture, &graph, 1);
        answer right = oracle_answer(&fixture, &fixture_asked_all[0]);
        answer found = ask_into(fixture.engine, NULL, "sweep", false);
        expect_same(&found, &right, 1, graph.name);
        answer_free(&right), answer_free(&found);
    }
}

/* ---- next hops ---- */

/* The least weight of an arc between positions; above all costs if there is none. */
static uint64_t *lightest_arcs(const fixture_engine *fixture)
{
    const test_graph *graph = fixture->graph;
    const size_t count = graph->node_count;
    uint64_t *lightest = checked_allocate(count * count, sizeof *lightest);
    for (size_t i = 0; i < count * count; ++i) lightest[i] = UINT64_MAX / 2;
    for (size_t a = 0; a < graph->arc_count; ++a) {
        uint64_t *const cell =
            &lightest[fixture->position[graph->tail[a]] * count + fixture->position[graph->head[a]]];
        if (graph->weight[0][a] < *cell) *cell = graph->weight[0][a];
    }
    return lightest;
}

/* Each hop costs exactly what it saves, and the end is reached in no more hops than there are nodes, so no
 * node repeats. */
static void follow(const answer *found, const uint64_t *lightest, size_t from, size_t to, const char *name)
{
    const size_t count = found->count;
    const uint32_t *cost = found->value[0];
    size_t hops = 0;
    for (size_t x = from; x != to; ++hops) {
        const uint32_t next = found->next[x * count + to];
        cr_assert(next < count && hops < count, "%s: %zu -> %zu is lost at %zu", name, from, to, x);
        cr_assert_eq(lightest[x * count + next] + cost[next * count + to], cost[x * count + to]);
        x = next;
    }
}

Test(all_pairs, next_hops_follow_shortest_paths_on_cycles_of_zeros_too)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        if (graph.node_count <= NODES_MAX / 2) {
            SCOPED(fixture_close) fixture_engine fixture;
            fixture_open(&fixture, &graph, 2);
            SCOPED(answer_free) answer found = ask_into(fixture.engine, NULL, "auto", true);
            SCOPED(answer_free) answer right = oracle_answer(&fixture, &fixture_asked_all[0]);
            FREED uint64_t *lightest = lightest_arcs(&fixture);
            expect_same(&found, &right, 1, graph.name);
            cr_assert_str_eq(found.chosen, "floyd-warshall");
            for (size_t i = 0; i < found.count * found.count; ++i)
                if (found.value[0][i] == MACADAM_UNREACHED || i / found.count == i % found.count)
                    cr_assert_eq(found.next[i], MACADAM_UNREACHED);
                else
                    follow(&found, lightest, i / found.count, i % found.count, graph.name);
        }
    }
}

/* ---- tiles and files ---- */

typedef struct tile_taker {
    answer *to;
    size_t row, tile_count, tiles_wanted, quantity_count;
} tile_taker;

static bool take_tile(void *context, const macadam_tile *tile)
{
    tile_taker *const taker = context;
    answer *const to = taker->to;
    cr_assert(tile->row == taker->row && tile->column == 0 && tile->columns == to->count && tile->rows > 0);
    for (size_t q = 0; q < taker->quantity_count; ++q)
        memcpy(to->value[q] + tile->row * to->count, tile->value[q],
               tile->rows * to->count * sizeof(uint32_t));
    if (tile->next)
        memcpy(to->next + tile->row * to->count, tile->next, tile->rows * to->count * sizeof(uint32_t));
    taker->row += tile->rows;
    return ++taker->tile_count != taker->tiles_wanted;
}

static void check_tiles(const fixture_engine *fixture, const answer *right, const char *method, bool next)
{
    macadam_query query = MACADAM_QUERY_INIT;
    const macadam_all_pairs_request request = request_of(method, next);
    SCOPED(answer_free) answer found = answer_new(right->count);
    query.memory_limit = method_is(method, "sweep") ? 300 * right->count : 40 * right->count * right->count;
    tile_taker taker = {.to = &found, .quantity_count = 1};
    FIXTURE_CALL(macadam_all_pairs_find, fixture->engine, &query, &request, take_tile, &taker);
    cr_assert(taker.row == right->count && (taker.tile_count > 1 || !method_is(method, "sweep")));
    expect_same(&found, right, 1, "tiles");
    if (next) cr_assert_arr_eq(found.next, right->next, right->count * right->count * sizeof(uint32_t));
}

static void check_file(const fixture_engine *fixture, const answer *right, const char *method, bool next)
{
    char path[FILES_PATH_BYTES + 16];
    size_t bytes;
    const size_t plane = right->count * right->count;
    const macadam_all_pairs_request request = request_of(method, next);
    snprintf(path, sizeof path, "%s/pairs.npy", fixture->folder);
    FIXTURE_CALL(macadam_all_pairs_save, fixture->engine, NULL, &request, path);
    FREED char *file = files_read(path, &bytes);
    cr_assert_eq(bytes, HEADER_BYTES + plane * sizeof(uint32_t) * (next ? 2 : 1));
    cr_assert_arr_eq(file + HEADER_BYTES, right->value[0], plane * sizeof(uint32_t));
    if (next)
        cr_assert_arr_eq(file + HEADER_BYTES + plane * sizeof(uint32_t), right->next,
                         plane * sizeof(uint32_t));
}

Test(all_pairs, tiles_and_files_are_the_whole)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    SCOPED(answer_free) answer right = ask_into(fixture.engine, NULL, "auto", true);
    for (size_t m = 0; m < METHODS; ++m)
        for (int next = 0; next <= finds_next(methods[m]); ++next) {
            check_tiles(&fixture, &right, methods[m], next);
            check_file(&fixture, &right, methods[m], next);
        }
}

Test(all_pairs, a_receiver_that_cancels_gets_no_more)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    SCOPED(answer_free) answer into = answer_new(graph.node_count);
    for (size_t m = 0; m < METHODS; ++m) {
        macadam_error error;
        const macadam_all_pairs_request request = request_of(methods[m], false);
        tile_taker taker = {.to = &into, .quantity_count = 1, .tiles_wanted = 1};
        cr_assert_eq(macadam_all_pairs_find(fixture.engine, NULL, &request, take_tile, &taker, &error),
                     MACADAM_E_CANCELLED);
        cr_assert_eq(taker.tile_count, 1);
    }
}

/* ---- other files ---- */

/* Two quantities as the fixture's, under the ids 0, 1, ... */
static macadam_engine *open_without_hierarchy(const test_graph *graph, const char *path)
{
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = graph->node_count;
    input.arc_count = graph->arc_count;
    input.tail = graph->tail;
    input.head = graph->head;
    input.quantity = fixture_quantity;
    input.weight = (const uint32_t *const[]){graph->weight[0], graph->weight[1]};
    input.quantity_count = 2;
    const macadam_import_options options = {.size = sizeof options, .output = path, .no_hierarchy = true};
    FIXTURE_CALL(macadam_import_arrays, &input, &options);
    return fixture_open_file(path, 2);
}

Test(all_pairs, a_file_without_hierarchy_has_a_dense_matrix)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    const oracle_arcs arcs = test_graph_arcs(&graph, 0);
    FREED uint32_t *tree = checked_allocate(graph.node_count, sizeof *tree);
    files_new_path(folder, path, "plain.mcd");
    macadam_engine *engine = open_without_hierarchy(&graph, path);
    answer found = ask_into(engine, NULL, "auto", false);
    test_oracle *oracle = oracle_new(&arcs, false);
    for (uint32_t x = 0; x < graph.node_count; ++x) {
        oracle_tree(oracle, x, 0, tree, NULL);
        cr_assert_arr_eq(found.value[0] + x * graph.node_count, tree, graph.node_count * sizeof *tree);
    }
    const macadam_all_pairs_request request = request_of("sweep", false);
    cr_assert_eq(macadam_all_pairs_find_into(found.value, NULL, engine, NULL, &request, NULL),
                 MACADAM_E_UNSUPPORTED);
    oracle_free(oracle);
    answer_free(&found);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* A crossing at 5 of roads to 1, 2, 3 and 4, where 1 -> 5 -> 2 is forbidden; 2 and 3 are joined further
 * away. */
static const char crossing[] =
    "<osm version='0.6'>"
    "<node id='1' lat='10.000' lon='9.990'/><node id='2' lat='10.010' lon='10.000'/>"
    "<node id='3' lat='10.000' lon='10.010'/><node id='4' lat='9.990' lon='10.000'/>"
    "<node id='5' lat='10.000' lon='10.000'/>"
    "<way id='15'><nd ref='1'/><nd ref='5'/><tag k='highway' v='residential'/></way>"
    "<way id='25'><nd ref='5'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='35'><nd ref='3'/><nd ref='5'/><tag k='highway' v='residential'/></way>"
    "<way id='45'><nd ref='5'/><nd ref='4'/><tag k='highway' v='residential'/></way>"
    "<way id='23'><nd ref='2'/><nd ref='3'/><tag k='highway' v='residential'/></way>"
    "<relation id='9'><member type='way' ref='15' role='from'/><member type='node' ref='5' role='via'/>"
    "<member type='way' ref='25' role='to'/><tag k='type' v='restriction'/>"
    "<tag k='restriction' v='no_left_turn'/></relation></osm>";

static macadam_engine *open_crossing(const char *folder, bool no_hierarchy)
{
    char osm[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    snprintf(osm, sizeof osm, "%s/crossing.osm", folder);
    snprintf(path, sizeof path, "%s/crossing.mcd", folder);
    files_write(osm, crossing, sizeof crossing - 1);
    const macadam_import_options options = {
        .size = sizeof options, .output = path, .no_hierarchy = no_hierarchy};
    FIXTURE_CALL(macadam_import_osm, osm, NULL, &options);
    return fixture_open_file(path, 1);
}

Test(all_pairs, split_junctions_depart_and_arrive_as_in_trees)
{
    char folder[FILES_PATH_BYTES];
    macadam_error error;
    files_new_folder(folder);
    macadam_engine *engine = open_crossing(folder, false);
    answer dense = ask_into(engine, NULL, "floyd-warshall", false);
    answer swept = ask_into(engine, NULL, "sweep", false), tiled = answer_new(5);
    expect_same(&dense, &swept, 1, "crossing");
    cr_assert_eq(dense.count, 5);
    cr_assert_gt(dense.value[0][0 * 5 + 1], dense.value[0][2 * 5 + 1]); /* 1 -> 2 goes round by 3 */
    macadam_all_pairs_request request = request_of("floyd-warshall", false);
    tile_taker taker = {.to = &tiled, .quantity_count = 1};
    FIXTURE_CALL(macadam_all_pairs_find, engine, NULL, &request, take_tile, &taker);
    expect_same(&tiled, &swept, 1, "crossing");
    request.next = true;
    cr_assert_eq(macadam_all_pairs_find_into(dense.value, dense.next, engine, NULL, &request, &error),
                 MACADAM_E_UNSUPPORTED);
    answer_free(&dense), answer_free(&swept), answer_free(&tiled);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

Test(all_pairs, weights_are_those_in_use)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 2);
    answer before = ask_into(fixture.engine, NULL, "floyd-warshall", false);
    uint64_t arc[60];
    uint32_t weight[60];
    for (uint32_t i = 0; i < 60; ++i)
        arc[i] = fixture_arc_number(3 * i), weight[i] = i % 3 ? 5 * i : MACADAM_WEIGHT_CLOSED;
    macadam_update_request update = {.size = sizeof update, .arc = arc, .count = 60};
    update.quantity = fixture_quantity + 1; /* the companion: what is closed for it is closed */
    update.quantity_count = 1;
    update.value = (const uint32_t *const[]){weight};
    FIXTURE_CALL(macadam_update, fixture.engine, &update);
    answer dense = ask_into(fixture.engine, NULL, "floyd-warshall", false);
    answer swept = ask_into(fixture.engine, NULL, "sweep", false);
    expect_same(&dense, &swept, 1, "updated");
    cr_assert_arr_neq(dense.value[0], before.value[0], before.count * before.count * sizeof(uint32_t));
    answer_free(&before), answer_free(&dense), answer_free(&swept);
}

/* ---- limits of memory ---- */

/* Calls with a limit of a byte, and then with what each refusal names. Returns the limit that suffices. */
static uint64_t follow_limits(macadam_engine *engine, const char *method, answer *tiled)
{
    enum { REFUSALS_MAX = 30 };
    macadam_query query = {.size = sizeof query, .memory_limit = 1};
    const macadam_all_pairs_request request = request_of(method, false);
    SCOPED(answer_free) answer into = answer_new(tiled->count);
    for (int i = 0; i < REFUSALS_MAX; ++i) {
        unsigned long long need = 0, limit = 0;
        macadam_error error = {""};
        tile_taker taker = {.to = tiled, .quantity_count = 1};
        macadam_status status = macadam_all_pairs_find(engine, &query, &request, take_tile, &taker, &error);
        if (!status) status = macadam_all_pairs_find_into(into.value, NULL, engine, &query, &request, &error);
        if (!status) return query.memory_limit;
        const char *const end = strstr(error.message, " needs ");
        cr_assert(end && sscanf(end, " needs %llu bytes of memory, the limit is %llu", &need, &limit) == 2,
                  "%s: %s", method, error.message);
        cr_assert(limit == query.memory_limit && need > limit, "%s: %s", method, error.message);
        query.memory_limit = need;
    }
    cr_assert_fail("%s: no limit suffices", method);
    return 0;
}

Test(all_pairs, refusals_name_memory_that_suffices_and_auto_needs_no_more_than_searches)
{
    for (int no_hierarchy = 0; no_hierarchy < 2; ++no_hierarchy) {
        char folder[FILES_PATH_BYTES];
        files_new_folder(folder);
        macadam_engine *engine = open_crossing(folder, no_hierarchy);
        SCOPED(answer_free) answer tiled = answer_new(5);
        const uint64_t searches = follow_limits(engine, "near-far", &tiled);
        cr_expect_leq(follow_limits(engine, "auto", &tiled), searches);
        cr_expect_lt(follow_limits(engine, "floyd-warshall", &tiled), 1 << 20);
        macadam_engine_close(engine);
        files_remove_folder(folder);
    }
}

/* ---- closures ---- */

/* Rows by search over the arcs, as closures pack them; freed with free(). */
static uint8_t *search_closure(const fixture_engine *fixture)
{
    const size_t count = fixture->graph->node_count, row_bytes = (count + 7) / 8;
    SCOPED(test_graph_free) test_graph level = test_graph_copy(fixture->graph);
    for (size_t a = 0; a < level.arc_count; ++a) level.weight[0][a] = 0;
    const oracle_arcs arcs = test_graph_arcs(&level, 0);
    SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, false);
    FREED uint32_t *tree = checked_allocate(count, sizeof *tree);
    uint8_t *bits = checked_zeroed(count * row_bytes, 1);
    for (uint32_t x = 0; x < count; ++x) {
        oracle_tree(oracle, x, 0, tree, NULL);
        for (uint32_t y = 0; y < count; ++y) {
            const size_t column = fixture->position[y];
            if (tree[y] != ORACLE_UNREACHED)
                bits[fixture->position[x] * row_bytes + column / 8] |= (uint8_t)(0x80 >> column % 8);
        }
    }
    return bits;
}

static void check_closure(const fixture_engine *fixture, uint64_t memory_limit)
{
    char path[FILES_PATH_BYTES + 16];
    size_t file_bytes;
    const size_t bytes = fixture->graph->node_count * ((fixture->graph->node_count + 7) / 8);
    const macadam_closure_request request = {.size = sizeof request, .memory_limit = memory_limit};
    uint8_t *right = search_closure(fixture), *found = checked_allocate(bytes + 1, 1);
    memset(found, FILLER, bytes + 1);
    FIXTURE_CALL(macadam_closure_find, found, fixture->engine, &request);
    cr_assert_arr_eq(found, right, bytes, "%s", fixture->graph->name);
    cr_assert_eq(found[bytes], FILLER);
    snprintf(path, sizeof path, "%s/closure.npy", fixture->folder);
    FIXTURE_CALL(macadam_closure_save, fixture->engine, &request, path);
    char *file = files_read(path, &file_bytes);
    cr_assert_eq(file_bytes, HEADER_BYTES + bytes);
    cr_assert_arr_eq(file + HEADER_BYTES, right, bytes);
    free(file), free(right), free(found);
}

Test(closure, rows_are_what_searches_reach_in_bands_of_columns_too)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        if (graph.node_count <= NODES_MAX) {
            SCOPED(fixture_close) fixture_engine fixture;
            fixture_open(&fixture, &graph, 2);
            check_closure(&fixture, 0);
            check_closure(&fixture, 64 * graph.node_count);
        }
    }
}

Test(closure, split_junctions_depart_and_arrive_as_in_trees)
{
    char folder[FILES_PATH_BYTES];
    uint8_t bits[5];
    files_new_folder(folder);
    macadam_engine *engine = open_crossing(folder, false);
    FIXTURE_CALL(macadam_closure_find, bits, engine, NULL);
    for (size_t row = 0; row < 5; ++row) cr_assert_eq(bits[row], 0xf8, "row %zu is %x", row, bits[row]);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

Test(all_pairs, the_map_is_not_written_over)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    SCOPED(fixture_close) fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    macadam_error error = {""};
    cr_assert_eq(macadam_all_pairs_save(fixture.engine, NULL, NULL, fixture.path, &error), MACADAM_E_INVALID);
    cr_assert_not_null(strstr(error.message, "same file"), "%s", error.message);
    cr_assert_eq(macadam_closure_save(fixture.engine, NULL, fixture.path, &error), MACADAM_E_INVALID);
    cr_assert_not_null(strstr(error.message, "same file"), "%s", error.message);
    macadam_engine_close(fixture_open_file(fixture.path, 1));
}
