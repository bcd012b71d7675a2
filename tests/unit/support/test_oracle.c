/* test_oracle.c - the oracle and the certificate against costs worked out by hand. */
#include "tests/support/certificate.h"
#include "tests/support/graphs.h"
#include "tests/support/oracle.h"

#include <criterion/criterion.h>
#include <string.h>

#define NONE ORACLE_UNREACHED

/*      4        1
 *   0 ---> 1 ------> 2      companions: 0->1 10, 1->2 10, 0->3 1, 3->2 2, 2->0 0
 *   |               ^ |     node 4 is on its own; 2->0 leads back with weight 7
 *   +---> 3 --------+ 7
 *     2        3            */
static const uint32_t tail[] = {0, 1, 0, 3, 2}, head[] = {1, 2, 3, 2, 0};
static const uint32_t objective[] = {4, 1, 2, 3, 7}, companion[] = {10, 10, 1, 2, 0};
static const oracle_arcs diamond = {5, 5, tail, head, objective, companion};

static void expect(const oracle_arcs *arcs, uint32_t source, bool reverse, uint32_t limit,
                   const uint32_t *expected, const uint32_t *expected_companion)
{
    uint32_t dist[8], other[8];
    test_oracle *oracle = oracle_new(arcs, reverse);
    oracle_tree(oracle, source, limit, dist, expected_companion ? other : NULL);
    oracle_free(oracle);
    cr_assert_arr_eq(dist, expected, arcs->node_count * sizeof *dist);
    if (expected_companion) cr_assert_arr_eq(other, expected_companion, arcs->node_count * sizeof *other);
}

Test(oracle, gives_least_costs_and_breaks_ties_by_the_companion)
{
    expect(&diamond, 0, false, 0, (uint32_t[]){0, 4, 5, 2, NONE}, (uint32_t[]){0, 10, 3, 1, NONE});
}

Test(oracle, reverse_tree_holds_the_costs_to_the_source)
{
    expect(&diamond, 0, true, 0, (uint32_t[]){0, 8, 7, 10, NONE}, (uint32_t[]){0, 10, 0, 2, NONE});
}

Test(oracle, cost_at_the_limit_is_reached_and_one_above_is_not)
{
    expect(&diamond, 0, false, 4, (uint32_t[]){0, 4, NONE, 2, NONE}, (uint32_t[]){0, 10, NONE, 1, NONE});
}

Test(oracle, sum_of_the_largest_cost_is_reached_and_one_more_is_not)
{
    const uint32_t line_tail[] = {0, 1, 1}, line_head[] = {1, 2, 3}, weight[] = {0x7ffffff0, 14, 15};
    const oracle_arcs line = {4, 3, line_tail, line_head, weight, NULL};
    expect(&line, 0, false, 0, (uint32_t[]){0, 0x7ffffff0, 0x7ffffffe, NONE}, NULL);
}

Test(oracle, closed_arc_is_never_used)
{
    const uint32_t one_tail[] = {0, 0}, one_head[] = {1, 2}, weight[] = {0xffffffff, 0x7fffffff};
    const oracle_arcs closed = {3, 2, one_tail, one_head, weight, NULL};
    expect(&closed, 0, false, 0, (uint32_t[]){0, NONE, NONE}, NULL);
}

Test(oracle, saturated_companion_of_the_best_path_unreaches_the_pair_alone)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("companion overflow");
    const oracle_arcs arcs = test_graph_arcs(&graph, 0);
    expect(&arcs, 0, false, 0, (uint32_t[]){0, 1, 2, NONE, NONE, NONE, 3, NONE}, NULL);
    expect(&arcs, 0, false, 0, (uint32_t[]){0, 1, NONE, NONE, NONE, NONE, NONE, NONE},
           (uint32_t[]){0, 0x7ffffff9, NONE, NONE, NONE, NONE, NONE, NONE});
    expect(&arcs, 3, false, 0, (uint32_t[]){NONE, NONE, NONE, 0, 1, 2, NONE, NONE},
           (uint32_t[]){NONE, NONE, NONE, 0, 0x7ffffff9, 0x7ffffffe, NONE, NONE});
}

Test(oracle, loops_and_dearer_parallel_arcs_change_nothing)
{
    const uint32_t many_tail[] = {0, 0, 0, 0, 1}, many_head[] = {0, 1, 1, 1, 1};
    const uint32_t weight[] = {0, 5, 3, 3, 0}, other[] = {0, 0, 4, 2, 9};
    const oracle_arcs many = {2, 5, many_tail, many_head, weight, other};
    expect(&many, 0, false, 0, (uint32_t[]){0, 3}, (uint32_t[]){0, 2});
}

Test(certificate, accepts_every_tree_of_the_oracle)
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        const oracle_arcs arcs = test_graph_arcs(&graph, 0);
        FREED uint32_t *dist = malloc((graph.node_count + 1) * sizeof *dist);
        for (int reverse = 0; reverse < 2 && graph.node_count > 0; ++reverse) {
            SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, reverse);
            for (uint32_t limit = 0; limit < 1000; limit = limit * 5 + 10) {
                oracle_tree(oracle, 0, limit, dist, NULL);
                const char *fault = certificate_check(&arcs, 0, reverse, limit, dist);
                cr_assert_null(fault, "%s: %s", graph.name, fault);
            }
        }
    }
}

static const char *certify(uint32_t limit, const uint32_t *dist)
{
    const char *fault = certificate_check(&diamond, 0, false, limit, dist);
    return fault ? fault : "";
}

Test(certificate, names_each_kind_of_fault)
{
    cr_assert_str_empty(certify(0, (uint32_t[]){0, 4, 5, 2, NONE}));
    cr_assert_str_eq(certify(0, (uint32_t[]){1, 4, 5, 2, NONE}), "the source's cost is not 0");
    cr_assert_str_eq(certify(0, (uint32_t[]){0, 4, 6, 2, NONE}), "an arc is over-tight");
    cr_assert_str_eq(certify(0, (uint32_t[]){0, 4, 5, NONE, NONE}),
                     "an arc leads from a reached to an unreached node");
    cr_assert_str_eq(certify(3, (uint32_t[]){0, 4, NONE, 2, NONE}), "a cost is beyond the limit");
    cr_assert_str_eq(certify(0, (uint32_t[]){0, 3, 4, 2, NONE}),
                     "tight arcs do not lead from the source to every reached node");
}

Test(certificate, sees_a_zero_weight_cycle_that_hangs_in_the_air)
{
    const uint32_t cycle_tail[] = {1, 2}, cycle_head[] = {2, 1}, weight[] = {0, 0};
    const oracle_arcs cycle = {3, 2, cycle_tail, cycle_head, weight, NULL};
    cr_assert_not_null(certificate_check(&cycle, 0, false, 0, (uint32_t[]){0, 5, 5}));
    cr_assert_null(certificate_check(&cycle, 0, false, 0, (uint32_t[]){0, NONE, NONE}));
}
