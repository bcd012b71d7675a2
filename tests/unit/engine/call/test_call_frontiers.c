/* test_call_frontiers.c - macadam_call answers requests that need no hierarchy: methods and parents of trees, hops,
 * connections, all pairs, the closure. */
#include "tests/support/call_text.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(call_frontiers, .init = call_fixture_open, .fini = call_fixture_close);

/* The map is in call_fixture.h; no node has the id 99. */
#define SOURCES "source { node: [10, 99, 40] }"

/* 10 to 30 leads through 40. */
Test(call_frontiers, trees_of_every_method_come_with_parents)
{
    static const char *const method[] = {"dijkstra", "near-far", "bellman-ford"};
    for (size_t i = 0; i < 3; ++i) {
        char request[100];
        snprintf(request, sizeof request, "tree { %s parents: true method: %s }", SOURCES, method[i]);
        call_text_expect(request,
                         "tree { rows: 3 columns: 5 value { value: [0, 5, 5, 2, -1, -1, -1, -1, -1, -1, 10, "
                         "15, 3, 0, -1] } source_status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK] parent { "
                         "value: [-1, 0, 3, 0, -1, -1, -1, -1, -1, -1, 2, 0, 3, -1, -1] } }");
    }
}

Test(call_frontiers, unknown_methods_and_parents_of_sweeps_are_invalid)
{
    call_text_refuse("tree { " SOURCES " method: quick }", NULL, MACADAM_E_INVALID, "\"quick\"");
    call_text_refuse("tree { " SOURCES " method: sweep parents: true }", NULL, MACADAM_E_INVALID, "parents");
    call_text_refuse("all_pairs { method: quick }", NULL, MACADAM_E_INVALID, "\"quick\"");
}

Test(call_frontiers, hops_come_in_both_directions_with_limits_and_parents)
{
    call_text_expect("hops { " SOURCES " parents: true }",
                     "hops { hops { value: [0, 1, 2, 1, -1, -1, -1, -1, -1, -1, 2, 3, 1, 0, -1] } parent { "
                     "value: [-1, 0, 3, 0, -1, -1, -1, -1, -1, -1, 2, 0, 3, -1, -1] } source_status: "
                     "[PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK] }");
    call_text_expect("hops { " SOURCES " parents: true reverse: true method: top-down }",
                     "hops { hops { value: [0, 2, 1, 2, -1, -1, -1, -1, -1, -1, 1, 3, 2, 0, -1] } parent { "
                     "value: [-1, 2, 0, 2, -1, -1, -1, -1, -1, -1, 3, 2, 0, -1, -1] } source_status: "
                     "[PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK] }");
    call_text_expect("hops { " SOURCES " parents: true limit: 1 }",
                     "hops { hops { value: [0, 1, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 0, -1] } parent "
                     "{ value: [-1, 0, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, 3, -1, -1] } source_status: "
                     "[PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK] }");
    call_text_expect("hops { " SOURCES " reverse: true }",
                     "hops { hops { value: [0, 2, 1, 2, -1, -1, -1, -1, -1, -1, 1, 3, 2, 0, -1] } "
                     "source_status: [PLACE_OK, PLACE_UNKNOWN_ID, PLACE_OK] }");
}

Test(call_frontiers, connections_have_hops_and_ids)
{
    call_text_expect(
        "connect { source { node: 10 } target { node: 30 } }",
        "connect { connected: 1 hops: 2 id: [10, 40, 30] source { status: [PLACE_OK] id: [10] lon: [7] lat: "
        "[43] distance_m: [0] arc: [0] way: [0] name: [] nearest_m: [nan] } target { status: [PLACE_OK] id: "
        "[30] lon: [7.002] lat: [43] distance_m: [0] arc: [0] way: [0] name: [] nearest_m: [nan] } }");
    call_text_expect("connect { source { node: 10 } target { node: 50 } }",
                     "connect { hops: -1 source { status: [PLACE_OK] id: [10] lon: [7] lat: [43] distance_m: "
                     "[0] arc: [0] way: [0] name: [] nearest_m: [nan] } target { status: [PLACE_OK] id: [50] "
                     "lon: [7.1] lat: [43] distance_m: [0] arc: [0] way: [0] name: [] nearest_m: [nan] } }");
    call_text_refuse("connect { source { node: [10, 10] } target { node: 50 } }", NULL, MACADAM_E_INVALID,
                     "connect.source has 2 places");
    call_text_refuse("connect { target { node: 50 } }", NULL, MACADAM_E_INVALID,
                     "connect.source has 0 places");
}

Test(call_frontiers, all_pairs_come_whole_and_in_parts)
{
    call_text_expect("all_pairs { method: near-far }",
                     "matrix { rows: 5 columns: 5 value { value: [0, 5, 5, 2, -1, 8, 0, 1, 10, -1, 7, 12, 0, "
                     "9, -1, 10, 15, 3, 0, -1, -1, -1, -1, -1, 0] } }");
    call_text_refuse("all_pairs { method: near-far }", call_refuse_part, MACADAM_E_CANCELLED, "");
}

Test(call_frontiers, next_hops_come_with_floyd_warshall)
{
    call_text_expect("all_pairs { method: floyd-warshall next: true }",
                     "matrix { rows: 5 columns: 5 value { value: [0, 5, 5, 2, -1, 8, 0, 1, 10, -1, 7, 12, 0, "
                     "9, -1, 10, 15, 3, 0, -1, -1, -1, -1, -1, 0] } next { value: [-1, 1, 3, 3, -1, 2, -1, "
                     "2, 2, -1, 0, 0, -1, 0, -1, 2, 2, 2, -1, -1, -1, -1, -1, -1, -1] } }");
    call_text_refuse("all_pairs { method: sweep next: true }", NULL, MACADAM_E_INVALID, "next hops");
}

/* 50 reaches itself, and the others each other. */
Test(call_frontiers, a_closure_has_one_bit_a_pair)
{
    call_text_expect("closure { }", "closure { ids: 5 bits: f0f0f0f008 }");
}
