/* test_frontiers.c - requests that need no hierarchy, over macadam.h, on files with one and without: trees by
 * every method, hops, connections and all pairs equal the oracles', on every hostile graph; a split junction
 * counts once; updates take effect. */
#include "tests/support/checked.h"
#include "tests/support/expected.h"
#include "tests/support/frontier_oracle.h"
#include "tests/support/methods.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <assert.h>
#include <string.h>

enum { SOURCES = 16, LARGE = 1000, FILLER = 0x5a, METHODS = 5 };

static_assert(ORACLE_UNREACHED == MACADAM_UNREACHED, "answers are compared with the oracle's");

/* A graph's engines: with a hierarchy and without. */
typedef struct engines {
    fixture_engine with, without;
} engines;

static void open_engines(engines *out, const test_graph *graph)
{
    fixture_open(&out->with, graph, 2);
    fixture_open_without_hierarchy(&out->without, graph, 2);
}

static void close_engines(engines *both)
{
    fixture_close(&both->with);
    fixture_close(&both->without);
}

static void for_each_graph(void (*check)(const fixture_engine *fixture, bool hierarchy))
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        engines both;
        if (graph.node_count > 0) {
            open_engines(&both, &graph);
            check(&both.with, true);
            check(&both.without, false);
            close_engines(&both);
        }
    }
}

static uint32_t *new_answer(size_t count)
{
    uint32_t *answer = checked_allocate(count, sizeof *answer);
    memset(answer, FILLER, count * sizeof *answer);
    return answer;
}

static void expect_ids(const fixture_engine *fixture, const char *what, const uint32_t *found,
                       const uint32_t *right)
{
    for (uint32_t node = 0; node < fixture->graph->node_count; ++node)
        cr_assert_eq(found[fixture->position[node]], right[node], "%s, %s: node %u: %u instead of %u",
                     fixture->graph->name, what, node, found[fixture->position[node]], right[node]);
}

/* ---- trees ---- */

/* The request of a tree, and its answers. */
typedef struct asked_tree {
    const fixture_engine *fixture;
    const fixture_asked *asked;
    const expected_trees *expected;
    macadam_tree_request request;
    uint32_t *value[2], *parent;
} asked_tree;

static void expect_values(const asked_tree *tree, const char *what)
{
    const size_t node_count = tree->fixture->graph->node_count;
    for (size_t column = 0; column < fixture_column_count(tree->asked); ++column)
        for (size_t s = 0; s < tree->request.source_count; ++s)
            expect_ids(tree->fixture, what, tree->value[column] + s * node_count,
                       expected_column(tree->expected, tree->asked, column) + s * node_count);
}

static uint32_t value_of(const asked_tree *tree, size_t quantity, size_t source, uint32_t node)
{
    const uint32_t *value = tree->expected->value[quantity];
    return value ? value[source * tree->fixture->graph->node_count + node] : 0;
}

/* Whether a tight arc leads from the parent to the node. */
static bool has_tight_arc(const asked_tree *tree, size_t source, uint32_t parent, uint32_t node)
{
    const test_graph *graph = tree->fixture->graph;
    const size_t objective = tree->asked->metric;
    const bool joint = tree->expected->value[1 - objective];
    for (size_t i = 0; i < graph->arc_count; ++i) {
        const uint32_t tail = tree->request.reverse ? node : parent,
                       head = tree->request.reverse ? parent : node;
        if (graph->tail[i] != tail || graph->head[i] != head) continue;
        bool tight = true;
        for (size_t q = 0; q < 2; ++q)
            if (q == objective || joint)
                tight &= value_of(tree, q, source, parent) + graph->weight[q][i] ==
                         value_of(tree, q, source, node);
        if (tight) return true;
    }
    return false;
}

/* Parents lead from every reached node to the source. */
static void expect_parents(const asked_tree *tree, const char *what, const uint32_t *node_at)
{
    const fixture_engine *fixture = tree->fixture;
    const uint32_t node_count = (uint32_t)fixture->graph->node_count;
    for (size_t s = 0; s < tree->request.source_count; ++s)
        for (uint32_t node = 0; node < node_count; ++node) {
            const uint32_t parent = tree->parent[s * node_count + fixture->position[node]];
            const bool reached = value_of(tree, tree->asked->metric, s, node) != ORACLE_UNREACHED;
            cr_assert_eq(parent != MACADAM_UNREACHED, reached && node != tree->expected->source[s],
                         "%s, %s: %u", fixture->graph->name, what, node);
            if (parent == MACADAM_UNREACHED) continue;
            cr_assert(has_tight_arc(tree, s, node_at[parent], node), "%s, %s", fixture->graph->name, what);
            uint32_t steps = 0, at = fixture->position[node];
            for (; tree->parent[s * node_count + at] != MACADAM_UNREACHED; ++steps) {
                cr_assert_lt(steps, node_count, "%s, %s: a cycle", fixture->graph->name, what);
                at = tree->parent[s * node_count + at];
            }
            cr_assert_eq(node_at[at], tree->expected->source[s]);
        }
}

static uint32_t *new_node_at(const fixture_engine *fixture)
{
    uint32_t *node_at = checked_allocate(fixture->graph->node_count, sizeof *node_at);
    for (uint32_t node = 0; node < fixture->graph->node_count; ++node)
        node_at[fixture->position[node]] = node;
    return node_at;
}

static void ask_tree(asked_tree *tree, bool parents)
{
    const char *names[2];
    const macadam_query query = fixture_query(tree->asked, names);
    macadam_error error;
    const macadam_status status =
        parents ? macadam_tree_find_parents(tree->value, tree->parent, NULL, tree->fixture->engine, &query,
                                            &tree->request, &error)
                : macadam_tree_find(tree->value, NULL, tree->fixture->engine, &query, &tree->request, &error);
    fixture_expect_ok(status, &error, tree->fixture->graph->name);
}

static void check_tree(asked_tree *tree, const uint32_t *first_parent)
{
    const size_t cells = tree->request.source_count * tree->fixture->graph->node_count;
    const bool parents = !method_is(tree->request.method, "sweep");
    FREED uint32_t *node_at = new_node_at(tree->fixture);
    char what[120];
    snprintf(what, sizeof what, "method %s, metric %zu, %zu quantities, reverse %d, limit %u",
             tree->request.method, tree->asked->metric, tree->asked->quantity_count, tree->request.reverse,
             tree->request.limit);
    for (int with_parents = 0; with_parents <= parents; ++with_parents) {
        for (int q = 0; q < 2; ++q) memset(tree->value[q], FILLER, cells * sizeof *tree->value[q]);
        ask_tree(tree, with_parents);
        expect_values(tree, what);
    }
    if (parents && first_parent)
        cr_assert_eq(memcmp(tree->parent, first_parent, cells * sizeof *first_parent), 0,
                     "%s: parents differ", what);
    else if (parents && tree->fixture->graph->node_count <= LARGE)
        expect_parents(tree, what, node_at);
}

static void check_methods(const fixture_engine *fixture, bool hierarchy, const fixture_asked *asked,
                          macadam_tree_request request, uint64_t seed)
{
    const size_t node_count = fixture->graph->node_count, cells = request.source_count * node_count;
    SCOPED(expected_free)
    expected_trees expected =
        expected_new(fixture->graph, asked, request.reverse, request.limit, request.source_count, seed);
    FREED macadam_place *source = expected_places(&expected, request.source_count);
    FREED uint32_t *first_parent = NULL;
    request.source = source;
    for (size_t method = 0; method < METHODS; ++method) {
        const char *const name = method_at(fixture->engine, MACADAM_QUESTION_TREES, method);
        if (method_is(name, "sweep") && !hierarchy) continue;
        asked_tree tree = {fixture, asked, &expected, request, {new_answer(cells), new_answer(cells)}, NULL};
        tree.request.method = name;
        tree.parent = new_answer(cells);
        check_tree(&tree, first_parent);
        free(tree.value[0]);
        free(tree.value[1]);
        if (first_parent)
            free(tree.parent);
        else
            first_parent = tree.parent;
    }
}

static void check_trees(const fixture_engine *fixture, bool hierarchy)
{
    const bool large = fixture->graph->node_count > LARGE;
    for (size_t a = 0; a < FIXTURE_ASKED; a += large ? 4 : 1) {
        macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
        request.source_count = large ? 1 : 1 + a % 3;
        request.reverse = a % 2;
        request.limit = a % 4 == 3 ? 77 : 0;
        check_methods(fixture, hierarchy, &fixture_asked_all[a], request, a);
    }
}

Test(frontiers, trees_of_every_method_are_the_oracles_and_parents_lead_to_the_source)
{
    for_each_graph(check_trees);
}

/* ---- hops ---- */

static void check_hops(const fixture_engine *fixture, bool hierarchy)
{
    const oracle_arcs arcs = test_graph_arcs(fixture->graph, 0);
    const size_t node_count = arcs.node_count;
    test_rng rng = {hierarchy};
    FREED uint32_t *hops = new_answer(3 * node_count), *parent = new_answer(3 * node_count),
                   *right = new_answer(node_count), *node_at = new_node_at(fixture);
    for (int variant = 0; variant < 4; ++variant) {
        uint32_t from[3];
        macadam_place source[3];
        macadam_place_status status[3];
        macadam_hops_request request = MACADAM_HOPS_REQUEST_INIT;
        for (int s = 0; s < 3; ++s)
            source[s] = fixture_place(from[s] = rng_below(&rng, (uint32_t)node_count));
        request.source = source;
        request.source_count = variant < 2 ? 1 : 3;
        request.reverse = variant % 2;
        request.limit = variant == 3 ? 3 : 0;
        request.method = method_at(fixture->engine, MACADAM_QUESTION_HOPS, (size_t)variant + 1);
        FIXTURE_CALL(macadam_hops_find, hops, parent, status, fixture->engine, NULL, &request);
        for (size_t s = 0; s < request.source_count; ++s) {
            cr_assert_eq(status[s], MACADAM_PLACE_OK);
            frontier_oracle_hops(&arcs, from[s], request.reverse, right);
            for (size_t v = 0; v < node_count; ++v)
                if (request.limit && right[v] > request.limit) right[v] = ORACLE_UNREACHED;
            expect_ids(fixture, "hops", hops + s * node_count, right);
            for (uint32_t v = 0; v < node_count; ++v) {
                const uint32_t p = parent[s * node_count + fixture->position[v]];
                cr_assert_eq(p == MACADAM_UNREACHED, right[v] == ORACLE_UNREACHED || right[v] == 0);
                if (p != MACADAM_UNREACHED) cr_assert_eq(right[node_at[p]] + 1, right[v]);
            }
        }
    }
}

Test(frontiers, hops_are_those_of_a_plain_search_and_parents_one_nearer)
{
    for_each_graph(check_hops);
}

/* ---- connections ---- */

static bool has_arc(const test_graph *graph, int64_t tail, int64_t head)
{
    for (size_t i = 0; i < graph->arc_count; ++i)
        if (fixture_id(graph->tail[i]) == tail && fixture_id(graph->head[i]) == head) return true;
    return false;
}

static void check_connection(const fixture_engine *fixture, bool hierarchy)
{
    const oracle_arcs arcs = test_graph_arcs(fixture->graph, 0);
    const uint32_t node_count = (uint32_t)arcs.node_count;
    test_rng rng = {hierarchy};
    FREED uint32_t *right = new_answer(node_count);
    for (int i = 0; i < 10; ++i) {
        const uint32_t source = rng_below(&rng, node_count),
                       target = i ? rng_below(&rng, node_count) : source;
        SCOPED(macadam_connection_free_at) macadam_connection *found = NULL;
        const macadam_connection_request request = {
            .size = sizeof request, .source = fixture_place(source), .target = fixture_place(target)};
        FIXTURE_CALL(macadam_connection_find, &found, fixture->engine, NULL, &request);
        frontier_oracle_hops(&arcs, source, false, right);
        cr_assert_eq(found->connected, right[target] != ORACLE_UNREACHED);
        cr_assert_eq(found->hops, right[target]);
        cr_assert_eq(found->node_count, found->connected ? (size_t)found->hops + 1 : 0);
        for (size_t n = 1; n < found->node_count && node_count < LARGE; ++n)
            cr_assert(has_arc(fixture->graph, found->id[n - 1], found->id[n]));
        if (found->connected) {
            cr_assert_eq(found->id[0], fixture_id(source));
            cr_assert_eq(found->id[found->hops], fixture_id(target));
        }
    }
}

Test(frontiers, connections_are_of_the_fewest_hops)
{
    for_each_graph(check_connection);
}

/* ---- all pairs ---- */

typedef struct pairs_seen {
    const fixture_engine *fixture;
    const fixture_asked *asked;
    test_oracle *oracle;
    const uint32_t *node_at;
    size_t next_row;
} pairs_seen;

static bool compare_rows(void *context, const macadam_tile *tile)
{
    pairs_seen *seen = context;
    const size_t node_count = seen->fixture->graph->node_count;
    uint32_t *right[2] = {new_answer(node_count), new_answer(node_count)};
    cr_assert_eq(tile->row, seen->next_row);
    cr_assert(tile->rows > 0 && tile->column == 0 && tile->columns == node_count);
    for (size_t r = 0; r < tile->rows; ++r) {
        oracle_tree(seen->oracle, seen->node_at[tile->row + r], 0, right[0],
                    fixture_asks_companion(seen->asked) ? right[1] : NULL);
        for (size_t column = 0; column < fixture_column_count(seen->asked); ++column) {
            const bool companion =
                seen->asked->quantity_count && seen->asked->quantity[column] != seen->asked->metric;
            expect_ids(seen->fixture, "all pairs", tile->value[column] + r * node_count, right[companion]);
        }
    }
    seen->next_row += tile->rows;
    free(right[0]);
    free(right[1]);
    return true;
}

static void check_all_pairs(const fixture_engine *fixture, bool hierarchy)
{
    if (fixture->graph->node_count > 400) return;
    for (size_t a = 0; a < FIXTURE_ASKED; ++a) {
        const fixture_asked *asked = &fixture_asked_all[a];
        const oracle_arcs arcs = test_graph_arcs(fixture->graph, asked->metric);
        FREED uint32_t *node_at = new_node_at(fixture);
        pairs_seen seen = {fixture, asked, oracle_new(&arcs, false), node_at, 0};
        macadam_all_pairs_request request = MACADAM_ALL_PAIRS_REQUEST_INIT;
        const char *names[2];
        macadam_query query = fixture_query(asked, names);
        macadam_error error;
        request.method = a % 2 ? "near-far" : "auto";
        query.memory_limit = a % 3 == 2 && !hierarchy ? 1 << 20 : 0;
        fixture_expect_ok(
            macadam_all_pairs_find(fixture->engine, &query, &request, compare_rows, &seen, &error), &error,
            fixture->graph->name);
        cr_assert_eq(seen.next_row, fixture->graph->node_count);
        oracle_free(seen.oracle);
    }
}

Test(frontiers, all_pairs_come_row_by_row)
{
    for_each_graph(check_all_pairs);
}

/* ---- split junctions ---- */

/*   1 ----- 3 ----- 2      no left turn: from 1 over 3 to 2; the way round is 1 3 4 2
 *           |       |
 *           4 ------+ */
static const char town[] =
    "<?xml version='1.0'?><osm version='0.6'>"
    "<node id='1' lon='0.000' lat='0.000'/><node id='2' lon='0.002' lat='0.000'/>"
    "<node id='3' lon='0.001' lat='0.000'/><node id='4' lon='0.001' lat='-0.001'/>"
    "<way id='10'><nd ref='1'/><nd ref='3'/><tag k='highway' v='residential'/></way>"
    "<way id='11'><nd ref='3'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='12'><nd ref='3'/><nd ref='4'/><tag k='highway' v='residential'/></way>"
    "<way id='13'><nd ref='4'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<relation id='20'><member type='way' ref='10' role='from'/><member type='node' ref='3' role='via'/>"
    "<member type='way' ref='11' role='to'/><tag k='type' v='restriction'/>"
    "<tag k='restriction' v='no_left_turn'/></relation></osm>";

static macadam_engine *open_drawn(char folder[FILES_PATH_BYTES], const char *map, bool no_hierarchy)
{
    char input[FILES_PATH_BYTES + 16], output[FILES_PATH_BYTES + 16];
    files_new_path(folder, input, "town.osm");
    snprintf(output, sizeof output, "%s/town.mcd", folder);
    files_write(input, map, strlen(map));
    const macadam_import_options options = {
        .size = sizeof options, .output = output, .no_hierarchy = no_hierarchy};
    FIXTURE_CALL(macadam_import_osm, input, "car", &options);
    return fixture_open_file(output, 2);
}

static macadam_place node_place(int64_t id)
{
    return (macadam_place){.kind = MACADAM_PLACE_NODE, .id = id};
}

/* `right` and `parent` by the ids 1 to 4; parent 0: none. */
static void expect_town_hops(macadam_engine *engine, int64_t from, bool reverse, const uint32_t right[4],
                             const int64_t right_parent[4])
{
    const macadam_place source = node_place(from);
    uint32_t hops[4], parent[4];
    macadam_hops_request request = {
        .size = sizeof request, .source = &source, .source_count = 1, .reverse = reverse};
    FIXTURE_CALL(macadam_hops_find, hops, parent, NULL, engine, NULL, &request);
    for (uint32_t i = 0; i < 4; ++i) {
        cr_assert_eq(hops[i], right[i], "%lld to %u: %u", (long long)from, i + 1, hops[i]);
        cr_assert_eq(parent[i] == MACADAM_UNREACHED ? 0 : parent[i] + 1, right_parent[i], "parent of %u: %u",
                     i + 1, parent[i]);
    }
    request.limit = 1;
    FIXTURE_CALL(macadam_hops_find, hops, parent, NULL, engine, NULL, &request);
    for (uint32_t i = 0; i < 4; ++i) {
        cr_assert_eq(hops[i], right[i] <= 1 ? right[i] : MACADAM_UNREACHED, "within 1: %u", i + 1);
        cr_assert_eq(parent[i] == MACADAM_UNREACHED, right[i] != 1);
    }
}

static void expect_town_path(macadam_engine *engine, int64_t from, int64_t to, const int64_t *path,
                             size_t count)
{
    SCOPED(macadam_connection_free_at) macadam_connection *found = NULL;
    const macadam_connection_request request = {
        .size = sizeof request, .source = node_place(from), .target = node_place(to)};
    FIXTURE_CALL(macadam_connection_find, &found, engine, NULL, &request);
    cr_assert_eq(found->node_count, count, "%lld to %lld: %zu", (long long)from, (long long)to,
                 found->node_count);
    cr_assert_eq(found->hops, count - 1);
    for (size_t i = 0; i < count; ++i) cr_assert_eq(found->id[i], path[i]);
}

static void expect_town_tree(macadam_engine *engine)
{
    const macadam_place source = node_place(1);
    uint32_t value[4], parent[4], *const values[] = {value};
    macadam_tree_request request = {.size = sizeof request, .source = &source, .source_count = 1};
    for (size_t method = 2; method < METHODS; ++method) {
        request.method = method_at(engine, MACADAM_QUESTION_TREES, method);
        FIXTURE_CALL(macadam_tree_find_parents, values, parent, NULL, engine, NULL, &request);
        cr_assert(value[0] == 0 && value[2] > 0 && value[1] > value[2]);
        cr_assert_eq(parent[0], MACADAM_UNREACHED);
        cr_assert_eq(parent[1], 3); /* of 2: 4 */
        cr_assert_eq(parent[2], 0); /* of 3: 1 */
        cr_assert_eq(parent[3], 2); /* of 4: 3 */
    }
}

Test(frontiers, a_split_junction_counts_once)
{
    for (int flat = 0; flat < 2; ++flat) {
        char folder[FILES_PATH_BYTES];
        macadam_engine *engine = open_drawn(folder, town, flat);
        macadam_info info = MACADAM_INFO_INIT;
        cr_assert_eq(macadam_engine_info(&info, engine, NULL), MACADAM_OK);
        cr_assert_gt(info.node_count, info.id_count, "nothing is split");
        expect_town_hops(engine, 1, false, (uint32_t[]){0, 3, 1, 2}, (int64_t[]){0, 4, 1, 3});
        expect_town_hops(engine, 3, false, (uint32_t[]){1, 1, 0, 1}, (int64_t[]){3, 3, 0, 3});
        expect_town_hops(engine, 3, true, (uint32_t[]){1, 1, 0, 1}, (int64_t[]){3, 3, 0, 3});
        expect_town_hops(engine, 2, true, (uint32_t[]){3, 0, 1, 1}, (int64_t[]){3, 0, 2, 2});
        expect_town_path(engine, 1, 2, (int64_t[]){1, 3, 4, 2}, 4);
        expect_town_path(engine, 1, 3, (int64_t[]){1, 3}, 2);
        expect_town_path(engine, 3, 2, (int64_t[]){3, 2}, 2);
        expect_town_path(engine, 3, 3, (int64_t[]){3}, 1);
        expect_town_tree(engine);
        macadam_engine_close(engine);
        files_remove_folder(folder);
    }
}

/* From node 1, a car can turn around only in the loop at node 2, to a place on the other side of the road:
 *
 *     1 ---x--- 2 > 3
 *               ^   v     x: on the right of those who come from 2
 *               + - 4 */
static const char loop[] =
    "<?xml version='1.0'?><osm version='0.6'>"
    "<node id='1' lon='0.000' lat='0.000'/><node id='2' lon='0.002' lat='0.000'/>"
    "<node id='3' lon='0.003' lat='0.000'/><node id='4' lon='0.003' lat='-0.001'/>"
    "<way id='10'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='11'><nd ref='2'/><nd ref='3'/><nd ref='4'/><nd ref='2'/><tag k='highway' v='residential'/>"
    "<tag k='oneway' v='yes'/></way></osm>";

Test(frontiers, a_loop_is_a_hop)
{
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_drawn(folder, loop, false);
    SCOPED(macadam_connection_free_at) macadam_connection *found = NULL;
    macadam_connection_request request = {.size = sizeof request, .source = node_place(1)};
    uint32_t hops[2];
    request.target = macadam_point(0.001, 0.0001);
    request.target.side = MACADAM_SIDE_CURB;
    const macadam_hops_request all = {
        .size = sizeof all, .source = &request.target, .source_count = 1, .reverse = true};
    FIXTURE_CALL(macadam_hops_find, hops, NULL, NULL, engine, NULL, &all);
    FIXTURE_CALL(macadam_connection_find, &found, engine, NULL, &request);
    cr_assert_eq(hops[0], 3);
    cr_assert_eq(found->hops, 3);
    cr_assert_eq(found->node_count, 3);
    cr_assert(found->id[0] == 1 && found->id[1] == 2 && found->id[2] == 2);
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

/* ---- updates ---- */

/* Gives new weights, some of them closed for only one quantity. */
Test(frontiers, trees_see_updates_on_files_without_a_hierarchy_too)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("grid");
    engines both;
    uint64_t arc[40];
    uint32_t weight[2][40];
    open_engines(&both, &graph);
    check_trees(&both.without, false); /* there are weights to replace */
    for (uint32_t i = 0; i < 40; ++i) {
        arc[i] = fixture_arc_number(3 * i);
        weight[0][i] = i % 5 == 4 ? MACADAM_WEIGHT_CLOSED : i % 7;
        weight[1][i] = i % 8 == 3 ? MACADAM_WEIGHT_CLOSED : 11 * i;
        const bool closed = weight[0][i] == MACADAM_WEIGHT_CLOSED || weight[1][i] == MACADAM_WEIGHT_CLOSED;
        for (int q = 0; q < 2; ++q) graph.weight[q][3 * i] = closed ? ORACLE_COST_END : weight[q][i];
    }
    const uint32_t *const value[] = {weight[0], weight[1]};
    const macadam_update_request request = fixture_update(arc, 40, value);
    FIXTURE_CALL(macadam_update, both.with.engine, &request);
    FIXTURE_CALL(macadam_update, both.without.engine, &request);
    check_trees(&both.with, true);
    check_trees(&both.without, false);
    close_engines(&both);
}
