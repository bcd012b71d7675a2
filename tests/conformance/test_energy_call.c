/* test_energy_call.c - quantities that may be negative by macadam_call: replies hold their signed costs. */
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/signed_graph.h"

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* 0 -> 1, 5 up, takes 7; back it takes -4. The ids ascend from node 1 to node 0. */
static const signed_graph pair = {.node_count = 2,
                                  .arc_count = 2,
                                  .id = {1000, 997},
                                  .tail = {0, 1},
                                  .head = {1, 0},
                                  .duration = {1, 1},
                                  .energy = {7, -4},
                                  .potential = {0, 5},
                                  .lon_e7 = {0, 10000}};

static char folder[FILES_PATH_BYTES];
static macadam_engine *engine;
static char metric[] = "energy";
static int64_t top[] = {997}, foot[] = {1000};
static Macadam__V1__Query query;
static Macadam__V1__Places from_top, from_foot;

static void set_up(void)
{
    char path[FILES_PATH_BYTES + 16];
    macadam_error error;
    files_new_folder(folder);
    snprintf(path, sizeof path, "%s/graph.mcd", folder);
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    engine = fixture_open_file(path, 1);
    query = (Macadam__V1__Query)MACADAM__V1__QUERY__INIT;
    query.metric = metric;
    from_top = from_foot = (Macadam__V1__Places)MACADAM__V1__PLACES__INIT;
    from_top.n_node = from_foot.n_node = 1;
    from_top.node = top, from_foot.node = foot;
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

TestSuite(energy_call, .init = set_up, .fini = tear_down);

static Macadam__V1__Request request_of(Macadam__V1__Request__AskCase ask)
{
    Macadam__V1__Request request = MACADAM__V1__REQUEST__INIT;
    request.query = &query;
    request.ask_case = ask;
    return request;
}

static Macadam__V1__Reply *call(const Macadam__V1__Request *request)
{
    uint8_t data[512];
    macadam_bytes bytes;
    macadam_error error;
    const size_t size = macadam__v1__request__pack(request, data);
    fixture_expect_ok(macadam_call(engine, data, size, NULL, NULL, &bytes, &error), &error, "call");
    Macadam__V1__Reply *const reply = macadam__v1__reply__unpack(NULL, bytes.size, bytes.data);
    cr_assert_not_null(reply);
    macadam_bytes_free(&bytes);
    return reply;
}

Test(energy_call, information_tells_which_quantities_are_signed)
{
    Macadam__V1__InfoRequest info = MACADAM__V1__INFO_REQUEST__INIT;
    Macadam__V1__Request request = request_of(MACADAM__V1__REQUEST__ASK_INFO);
    request.info = &info;
    Macadam__V1__Reply *const reply = call(&request);
    cr_assert(reply->info->quantity[0]->is_signed && !reply->info->quantity[1]->is_signed);
    macadam__v1__reply__free_unpacked(reply, NULL);
}

Test(energy_call, trees_end_at_signed_limits)
{
    Macadam__V1__TreeRequest tree = MACADAM__V1__TREE_REQUEST__INIT;
    Macadam__V1__Request request = request_of(MACADAM__V1__REQUEST__ASK_TREE);
    tree.source = &from_foot;
    request.tree = &tree;
    for (tree.limit = 6; tree.limit < 8; ++tree.limit) {
        Macadam__V1__Reply *const reply = call(&request);
        cr_assert_eq(reply->tree->n_value, 1);
        cr_assert_eq(macadam_cost(reply->tree->value[0]->value[0], true),
                     tree.limit == 7 ? 7 : MACADAM_COST_NONE);
        cr_assert_eq(reply->tree->value[0]->value[1], 0);
        macadam__v1__reply__free_unpacked(reply, NULL);
    }
}

Test(energy_call, reach_and_isochrones_tell_signed_costs)
{
    uint32_t limit[] = {0, 7};
    Macadam__V1__ReachRequest reach = MACADAM__V1__REACH_REQUEST__INIT;
    Macadam__V1__Request request = request_of(MACADAM__V1__REQUEST__ASK_REACH);
    reach.source = &from_top;
    reach.limit = limit, reach.n_limit = 2;
    request.reach = &reach;
    Macadam__V1__Reply *reply = call(&request);
    cr_assert(reply->reach->n_node_count == 2 && reply->reach->node_count[0] == 2);
    cr_assert(reply->reach->n_eccentricity == 1 && reply->reach->eccentricity[0] == 0);
    cr_assert(reply->reach->n_cost_sum == 1 && (int64_t)reply->reach->cost_sum[0] == -4);
    macadam__v1__reply__free_unpacked(reply, NULL);

    Macadam__V1__IsochroneRequest isochrone = MACADAM__V1__ISOCHRONE_REQUEST__INIT;
    request = request_of(MACADAM__V1__REQUEST__ASK_ISOCHRONE);
    isochrone.source = &from_foot;
    isochrone.limit = 4;
    request.isochrone = &isochrone;
    reply = call(&request); /* the way back from 7 down to 3 is within 4 at its end */
    cr_assert(reply->isochrone->n_cost == 2 && reply->isochrone->n_weight == 2);
    cr_assert(reply->isochrone->cost[0] == 0 && reply->isochrone->weight[0] == 7);
    cr_assert(reply->isochrone->cost[1] == 7 && (int32_t)reply->isochrone->weight[1] == -4);
    macadam__v1__reply__free_unpacked(reply, NULL);
}
