/* test_energy_call.c - quantities that may be negative by macadam_call: replies hold their signed costs. */
#include "tests/support/call_text.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/signed_graph.h"

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

static void set_up(void)
{
    char path[FILES_PATH_BYTES + 16];
    macadam_error error;
    files_new_path(folder, path, "graph.mcd");
    fixture_expect_ok(signed_graph_import(&pair, path, true, &error), &error, path);
    call_engine = fixture_open_file(path, 1);
}

static void tear_down(void)
{
    macadam_engine_close(call_engine);
    files_remove_folder(folder);
}

TestSuite(energy_call, .init = set_up, .fini = tear_down);

#define ENERGY "query { metric: energy } "
#define FOOT   "source { node: 1000 }"

Test(energy_call, information_says_which_quantities_are_signed)
{
    Macadam__V1__Request *const request = call_text_read("info { }");
    Macadam__V1__Reply *const reply = call_expect(request, NULL, NULL, MACADAM_OK);
    cr_assert(reply->info->quantity[0]->is_signed && !reply->info->quantity[1]->is_signed);
    macadam__v1__reply__free_unpacked(reply, NULL);
    macadam__v1__request__free_unpacked(request, NULL);
}

Test(energy_call, trees_end_at_signed_limits)
{
    call_text_expect(
        ENERGY "tree { " FOOT " limit: 6 }",
        "tree { rows: 1 columns: 2 value { value: [2147483647, 0] } source_status: [PLACE_OK] }");
    call_text_expect(ENERGY "tree { " FOOT " limit: 7 }",
                     "tree { rows: 1 columns: 2 value { value: [7, 0] } source_status: [PLACE_OK] }");
}

/* The way back from 7 down to 3 is within 4 at its end. */
Test(energy_call, reach_and_isochrones_return_signed_costs)
{
    call_text_expect(ENERGY "reach { source { node: 997 } limit: [0, 7] }",
                     "reach { node_count: [2, 2] reached: [2] eccentricity: [0] source_status: [PLACE_OK] "
                     "cost_sum: [-4] }");
    call_text_expect(
        ENERGY "isochrone { " FOOT " limit: 4 }",
        "isochrone { source { status: [PLACE_OK] id: [1000] lon: [0] lat: [0] distance_m: [0] arc: [0] way: "
        "[0] name: [] nearest_m: [nan] } road { tail: [1000, 997] head: [997, 1000] number: [1, 2] way: [0, "
        "0] name: [0, 0] names: [] first_shape: [0, 2] end_shape: [2, 4] lon_e7: [0, 10000, 10000, 0] "
        "lat_e7: [0, 0, 0, 0] } cost: [0, 7] weight: [7, -4] from: [0, 0] to: [0.571429, 1] }");
}
