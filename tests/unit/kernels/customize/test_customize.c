/* test_customize.c - basic customization and pruning, against lower triangles and the oracle. */
#include "tests/support/leak.h"
#include "tests/support/checked.h"
#include "tests/support/kernel_map.h"

#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

/* Larger ones are left to the tests of backends: an oracle's tree for every node takes its time. */
enum { NODES_MAX = 1000 };

static kernel_map map;
static mcd_schedule *schedule;
static mcd_custom custom;
static macadam_error error;

TestSuite(customize, .init = allocator_install, .fini = leak_expect_none);

static mcd_customize_job job_of(bool joint)
{
    return (mcd_customize_job){.schedule = schedule,
                               .hierarchy = map.hierarchy,
                               .graph = map.graph,
                               .objective = map.weight[0],
                               .companion = joint ? map.weight[1] : NULL,
                               .witnesses = true,
                               .parallel = {2, NULL}};
}

/* Every map, after basic customization without and with companions. */
static void for_all(void (*claim)(bool joint))
{
    const mcd_backend *backend = mcd_cpu_backend();
    for (size_t m = 0; m < kernel_maps_count(); ++m) {
        kernel_maps_make(&map, m);
        cr_assert_eq(
            backend->schedule_new(&schedule, map.hierarchy, map.graph, &(mcd_parallel){2, NULL}, &error),
            MACADAM_OK);
        for (int joint = 0; joint < 2; ++joint) {
            const mcd_customize_job job = job_of(joint);
            cr_assert_eq(backend->customize(&custom, &job, &error), MACADAM_OK);
            claim(joint);
            mcd_custom_free(&custom);
        }
        backend->schedule_free(schedule);
        kernel_map_free(&map);
    }
}

/* The cost of an upward arc: forward x -> head, backward head -> x. Without companions these are 0. */
static mcd_joint cost_of(bool joint, mcd_arc up, int direction)
{
    const size_t at = 2 * up + (size_t)direction;
    return joint ? ((const mcd_joint *)custom.cost)[at]
                 : mcd_joint_of(((const mcd_weight *)custom.cost)[at], 0);
}

static mcd_arc find_up(mcd_node low, mcd_node high)
{
    const mcd_hierarchy *h = map.hierarchy;
    for (mcd_arc up = h->first_up[low]; up < h->first_up[low + 1]; ++up)
        if (h->up_head[up] == high) return up;
    cr_assert_fail("%s: no arc %u -> %u", map.name, low, high);
    return 0;
}

/* A bottom x with mid y and top z: y has the smaller rank of the two, that is the larger id. */
static void triangles(bool joint)
{
    const mcd_hierarchy *h = map.hierarchy;
    for (mcd_node x = 0; x < h->node_count && h->node_count <= NODES_MAX; ++x)
        for (mcd_arc xy = h->first_up[x]; xy < h->first_up[x + 1]; ++xy)
            for (mcd_arc xz = h->first_up[x]; xz < xy; ++xz) {
                const mcd_arc yz = find_up(h->up_head[xy], h->up_head[xz]);
                cr_assert_leq(
                    cost_of(joint, yz, MCD_FORWARD),
                    mcd_joint_add(cost_of(joint, xy, MCD_BACKWARD), cost_of(joint, xz, MCD_FORWARD)),
                    "%s: bottom %u", map.name, x);
                cr_assert_leq(
                    cost_of(joint, yz, MCD_BACKWARD),
                    mcd_joint_add(cost_of(joint, xz, MCD_BACKWARD), cost_of(joint, xy, MCD_FORWARD)),
                    "%s: bottom %u", map.name, x);
            }
}

Test(customize, no_lower_triangle_is_violated)
{
    for_all(triangles);
}

/* The witness is a node below both ends, over which the cost is what it is. */
static void witnesses(bool joint)
{
    const mcd_hierarchy *h = map.hierarchy;
    for (mcd_node y = 0; y < h->node_count; ++y)
        for (mcd_arc yz = h->first_up[y]; yz < h->first_up[y + 1]; ++yz)
            for (int direction = 0; direction < 2; ++direction) {
                const mcd_node x = custom.witness[2 * yz + (size_t)direction];
                if (x == MCD_NODE_NONE) continue;
                const mcd_arc xy = find_up(x, y), xz = find_up(x, h->up_head[yz]);
                const mcd_arc from = direction == MCD_FORWARD ? xy : xz,
                              to = direction == MCD_FORWARD ? xz : xy;
                cr_assert_eq(
                    cost_of(joint, yz, direction),
                    mcd_joint_add(cost_of(joint, from, MCD_BACKWARD), cost_of(joint, to, MCD_FORWARD)),
                    "%s: %u over %u", map.name, y, x);
            }
}

Test(customize, witness_gives_the_cost)
{
    for_all(witnesses);
}

/* Where a companion is saturated, arcs that are on no shortest path are kept too. */
static bool any_saturated(bool joint)
{
    for (mcd_arc up = 0; joint && up < map.hierarchy->first_up[map.graph->node_count]; ++up)
        for (int direction = 0; direction < 2; ++direction) {
            const mcd_joint cost = cost_of(joint, up, direction);
            if (mcd_joint_objective(cost) < MCD_UNREACHED && mcd_joint_companion(cost) >= MCD_UNREACHED)
                return true;
        }
    return false;
}

static void expect_kept(const mcd_search *search, int direction, bool joint, test_oracle *oracle,
                        uint32_t *cost[2])
{
    for (mcd_node x = 0; x < map.graph->node_count; ++x) {
        oracle_tree(oracle, x, 0, cost[0], joint ? cost[1] : NULL);
        for (mcd_arc i = search->first[x]; i < search->first[x + 1]; ++i) {
            const mcd_node head = search->head[i];
            cr_assert_eq(search->objective[i], cost[0][head], "%s: %u, %u, direction %d", map.name, x, head,
                         direction);
            if (joint) cr_assert_eq(search->companion[i], cost[1][head], "%s: %u, %u", map.name, x, head);
        }
    }
}

static void kept(bool joint)
{
    mcd_kept found;
    const mcd_customize_job job = job_of(joint);
    const oracle_arcs arcs = kernel_map_arcs(&map);
    if (arcs.node_count > NODES_MAX || any_saturated(joint)) return;
    cr_assert_eq(mcd_cpu_backend()->prune(&found, &custom, &job, &error), MACADAM_OK);
    cr_assert_eq(mcd_cpu_backend()->name_children(&found, &custom, &job, &error), MACADAM_OK);
    uint32_t *cost[2] = {checked_allocate(arcs.node_count, 4), checked_allocate(arcs.node_count, 4)};
    for (int direction = 0; direction < 2; ++direction) {
        SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, direction == MCD_BACKWARD);
        expect_kept(&found.search[direction], direction, joint, oracle, cost);
    }
    free(cost[0]);
    free(cost[1]);
    mcd_kept_free(&found);
}

Test(customize, kept_arcs_cost_what_the_shortest_paths_between_their_ends_do)
{
    for_all(kept);
}
