/* test_call_frontiers.c - macadam_call gives the same answers as the typed calls for requests that need no
 * hierarchy: methods and parents of trees, hops, connections, all pairs. */
#include "engine/include/macadam.h"
#include "tests/support/call_fixture.h"
#include "tests/support/methods.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(call_frontiers, .init = call_fixture_open, .fini = call_fixture_close);

enum { NODES = CALL_FIXTURE_NODES, SOURCES = 3 };

static int64_t source_node[] = {10, 99, 40};
static const macadam_place source_place[] = {{.id = 10}, {.id = 99}, {.id = 40}};

static void expect_column(const Macadam__V1__Column *column, const uint32_t *expected, size_t count)
{
    cr_assert_not_null(column);
    cr_assert_eq(column->n_value, count);
    cr_assert_arr_eq(column->value, expected, count * sizeof *expected);
}

/* ---- trees ---- */

static void find_tree(macadam_tree_request request, uint32_t *value, uint32_t *parent)
{
    macadam_error error;
    request.source = source_place;
    request.source_count = SOURCES;
    cr_assert_eq(macadam_tree_parents(call_engine, NULL, &request, &value, parent, NULL, &error), MACADAM_OK,
                 "%s", error.message);
}

typedef struct tree_parts {
    uint32_t value[SOURCES * NODES], parent[SOURCES * NODES];
    size_t rows;
} tree_parts;

static bool take_tree_part(void *context, const uint8_t *data, size_t size)
{
    tree_parts *parts = context;
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, size, data);
    const Macadam__V1__TreeTile *tile = reply->tree;
    cr_assert_eq(tile->row, parts->rows);
    cr_assert(tile->value[0]->n_value == tile->rows * NODES && tile->parent->n_value == tile->rows * NODES);
    memcpy(parts->value + parts->rows * NODES, tile->value[0]->value, tile->rows * NODES * sizeof(uint32_t));
    memcpy(parts->parent + parts->rows * NODES, tile->parent->value, tile->rows * NODES * sizeof(uint32_t));
    parts->rows += tile->rows;
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

Test(call_frontiers, trees_of_every_method_come_with_parents)
{
    Macadam__V1__Places places = call_nodes(source_node, SOURCES);
    Macadam__V1__TreeRequest tree = MACADAM__V1__TREE_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    tree.source = &places;
    tree.parents = true;
    request.ask_case = MACADAM__V1__REQUEST__ASK_TREE;
    request.tree = &tree;
    for (size_t method = 2; method < 5; ++method) {
        uint32_t value[SOURCES * NODES], parent[SOURCES * NODES];
        macadam_tree_request typed = MACADAM_TREE_REQUEST_INIT;
        typed.method = method_at(call_engine, MACADAM_QUESTION_TREES, method);
        tree.method = (char *)typed.method;
        find_tree(typed, value, parent);
        cr_assert(value[2] == 5 && parent[2] == 3); /* 10 to 30 through 40 */
        Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
        expect_column(reply->tree->value[0], value, SOURCES * NODES);
        expect_column(reply->tree->parent, parent, SOURCES * NODES);
        macadam__v1__reply__free_unpacked(reply, NULL);
        tree_parts parts = {.rows = 0};
        macadam__v1__reply__free_unpacked(call_expect(&request, take_tree_part, &parts, MACADAM_OK), NULL);
        cr_assert_eq(parts.rows, SOURCES);
        cr_assert_arr_eq(parts.value, value, sizeof value);
        cr_assert_arr_eq(parts.parent, parent, sizeof parent);
    }
}

static void expect_invalid(const Macadam__V1__Request *request, const char *text)
{
    Macadam__V1__Reply *reply = call_expect(request, NULL, NULL, MACADAM_E_INVALID);
    cr_assert_not_null(strstr(reply->message, text), "%s", reply->message);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(call_frontiers, unknown_methods_and_parents_of_sweeps_are_invalid)
{
    Macadam__V1__Places places = call_nodes(source_node, SOURCES);
    Macadam__V1__TreeRequest tree = MACADAM__V1__TREE_REQUEST__INIT;
    Macadam__V1__AllPairsRequest all = MACADAM__V1__ALL_PAIRS_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    tree.source = &places;
    tree.method = all.method = (char *)"quick";
    request.ask_case = MACADAM__V1__REQUEST__ASK_TREE;
    request.tree = &tree;
    expect_invalid(&request, "\"quick\"");
    tree.method = (char *)"sweep";
    tree.parents = true;
    expect_invalid(&request, "parents");
    request.ask_case = MACADAM__V1__REQUEST__ASK_ALL_PAIRS;
    request.all_pairs = &all;
    expect_invalid(&request, "\"quick\"");
}

/* ---- hops ---- */

Test(call_frontiers, hops_equal_the_typed_call)
{
    Macadam__V1__Places places = call_nodes(source_node, SOURCES);
    Macadam__V1__HopsRequest hops = MACADAM__V1__HOPS_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    uint32_t right[SOURCES * NODES], parent[SOURCES * NODES];
    macadam_place_status status[SOURCES];
    hops.source = &places;
    request.ask_case = MACADAM__V1__REQUEST__ASK_HOPS;
    request.hops = &hops;
    for (int variant = 0; variant < 4; ++variant) {
        macadam_hops_request typed = MACADAM_HOPS_REQUEST_INIT;
        typed.source = source_place;
        typed.source_count = SOURCES;
        hops.reverse = variant % 2;
        typed.reverse = hops.reverse;
        typed.limit = hops.limit = variant == 2 ? 1 : 0;
        hops.parents = variant < 3;
        hops.method = (char *)method_at(call_engine, MACADAM_QUESTION_HOPS, (size_t)variant);
        cr_assert_eq(macadam_hops(call_engine, NULL, &typed, right, parent, status, NULL), MACADAM_OK);
        Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
        cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER_HOPS);
        expect_column(reply->hops->hops, right, SOURCES * NODES);
        if (hops.parents)
            expect_column(reply->hops->parent, parent, SOURCES * NODES);
        else
            cr_assert_null(reply->hops->parent);
        cr_assert_eq(reply->hops->n_source_status, SOURCES);
        cr_assert_arr_eq(reply->hops->source_status, status, sizeof status);
        macadam__v1__reply__free_unpacked(reply, NULL);
    }
    cr_assert(right[0] == 0 && right[NODES] == MACADAM_UNREACHED && status[1] == MACADAM_PLACE_UNKNOWN_ID);
}

/* ---- connections ---- */

Test(call_frontiers, connections_tell_hops_and_ids)
{
    static int64_t source[] = {10, 10}, target[] = {30, 50};
    Macadam__V1__ConnectRequest connect = MACADAM__V1__CONNECT_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.ask_case = MACADAM__V1__REQUEST__ASK_CONNECT;
    request.connect = &connect;
    for (int i = 0; i < 2; ++i) {
        Macadam__V1__Places from = call_nodes(&source[i], 1), to = call_nodes(&target[i], 1);
        connect.source = &from;
        connect.target = &to;
        Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
        const Macadam__V1__ConnectReply *found = reply->connect;
        cr_assert_eq(found->connected, i == 0);
        cr_assert_eq(found->hops, i == 0 ? 2 : MACADAM_UNREACHED);
        cr_assert_eq(found->n_id, i == 0 ? 3 : 0);
        if (i == 0) cr_assert(found->id[0] == 10 && found->id[2] == 30);
        cr_assert(found->source->id[0] == 10 && found->target->id[0] == target[i]);
        macadam__v1__reply__free_unpacked(reply, NULL);
    }
    Macadam__V1__Places two = call_nodes(source, 2);
    connect.source = &two;
    expect_invalid(&request, "connect.source has 2 places");
    connect.source = NULL;
    expect_invalid(&request, "connect.source has 0 places");
}

/* ---- all pairs ---- */

static bool take_typed(void *context, const macadam_tile *tile)
{
    uint32_t *value = context;
    memcpy(value + tile->row * NODES, tile->value[0], tile->rows * NODES * sizeof *value);
    return true;
}

static bool take_rows(void *context, const uint8_t *data, size_t size)
{
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, size, data);
    const Macadam__V1__MatrixTile *tile = reply->matrix;
    cr_assert(tile->column == 0 && tile->columns == NODES);
    memcpy((uint32_t *)context + tile->row * NODES, tile->value[0]->value,
           tile->rows * NODES * sizeof(uint32_t));
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

Test(call_frontiers, all_pairs_come_whole_and_in_parts)
{
    Macadam__V1__AllPairsRequest all = MACADAM__V1__ALL_PAIRS_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    macadam_all_pairs_request typed = MACADAM_ALL_PAIRS_REQUEST_INIT;
    uint32_t right[NODES * NODES], parts[NODES * NODES];
    request.ask_case = MACADAM__V1__REQUEST__ASK_ALL_PAIRS;
    request.all_pairs = &all;
    all.method = (char *)"near-far";
    cr_assert_eq(macadam_all_pairs(call_engine, NULL, &typed, take_typed, right, NULL), MACADAM_OK);
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    cr_assert(reply->matrix->rows == NODES && reply->matrix->columns == NODES);
    expect_column(reply->matrix->value[0], right, NODES * NODES);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__reply__free_unpacked(call_expect(&request, take_rows, parts, MACADAM_OK), NULL);
    cr_assert_arr_eq(parts, right, sizeof right);
    macadam__v1__reply__free_unpacked(call_expect(&request, call_refuse_part, NULL, MACADAM_E_CANCELLED),
                                      NULL);
}

/* Over a matrix, with next hops: whole and in parts. */
static bool take_next(void *context, const uint8_t *data, size_t size)
{
    uint32_t *const next = context;
    Macadam__V1__Reply *reply = macadam__v1__reply__unpack(NULL, size, data);
    if (reply->answer_case == MACADAM__V1__REPLY__ANSWER_MATRIX)
        memcpy(next + reply->matrix->row * NODES, reply->matrix->next->value,
               reply->matrix->next->n_value * sizeof *next);
    macadam__v1__reply__free_unpacked(reply, NULL);
    return true;
}

Test(call_frontiers, next_hops_equal_the_typed_call)
{
    Macadam__V1__AllPairsRequest all = MACADAM__V1__ALL_PAIRS_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    macadam_all_pairs_request typed = MACADAM_ALL_PAIRS_REQUEST_INIT;
    uint32_t cost[NODES * NODES], next[NODES * NODES], parts[NODES * NODES], *const value[] = {cost};
    request.ask_case = MACADAM__V1__REQUEST__ASK_ALL_PAIRS;
    request.all_pairs = &all;
    all.method = (char *)"floyd-warshall";
    all.next = typed.next = true;
    cr_assert_eq(macadam_all_pairs_into(call_engine, NULL, &typed, value, next, NULL), MACADAM_OK);
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    expect_column(reply->matrix->value[0], cost, NODES * NODES);
    expect_column(reply->matrix->next, next, NODES * NODES);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__reply__free_unpacked(call_expect(&request, take_next, parts, MACADAM_OK), NULL);
    cr_assert_arr_eq(parts, next, sizeof next);
    all.method = (char *)"sweep";
    expect_invalid(&request, "next hops");
}

Test(call_frontiers, a_closure_equals_the_typed_call)
{
    Macadam__V1__ClosureRequest closure = MACADAM__V1__CLOSURE_REQUEST__INIT;
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    uint8_t bits[NODES * ((NODES + 7) / 8)];
    request.ask_case = MACADAM__V1__REQUEST__ASK_CLOSURE;
    request.closure = &closure;
    cr_assert_eq(macadam_closure_into(call_engine, NULL, bits, NULL), MACADAM_OK);
    Macadam__V1__Reply *reply = call_expect(&request, NULL, NULL, MACADAM_OK);
    cr_assert_eq(reply->answer_case, MACADAM__V1__REPLY__ANSWER_CLOSURE);
    cr_assert(reply->closure->ids == NODES && reply->closure->bits.len == sizeof bits);
    cr_assert_arr_eq(reply->closure->bits.data, bits, sizeof bits);
    macadam__v1__reply__free_unpacked(reply, NULL);
}
