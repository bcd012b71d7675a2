/* test_schedule.c - hierarchies and schedules of maps that are divided among threads, against sets of neighbours. */
#include "tests/support/checked.h"
#include "tests/support/kernel_map.h"
#include "tests/support/leak.h"
#include "tests/support/test_clock.h"

#include "engine/base/memory.h"
#include "engine/map/graph.h"
#include "engine/map/hierarchy.h"
#include "kernels/cpu/customize/schedule.h"

#include <criterion/criterion.h>
#include <string.h>

/* More than four blocks, the last of them not whole, so that blocks are joined three times. */
enum { COLUMNS = 255, ROWS = 300, NODES = COLUMNS * ROWS };
static_assert(NODES > 4 << 14 && NODES % (1 << 14) != 0, "see schedule.c and hierarchy.c");

static const mcd_parallel several[] = {{1, NULL}, {2, NULL}, {5, NULL}};
enum { WAYS = sizeof several / sizeof *several };

static macadam_error error;

static void set_back(void)
{
    mcd_watch_set_clock(NULL);
    leak_expect_none();
}

TestSuite(schedule, .init = allocator_install, .fini = set_back);

/* ---- maps ---- */

static void add_both(test_graph *graph, uint32_t one, uint32_t other)
{
    test_graph_add(graph, one, other, 1, 1);
    test_graph_add(graph, other, one, 1, 1);
}

/* Its tree is a path if it is eliminated from one end. */
static void add_path(test_graph *graph)
{
    for (uint32_t v = 0; v + 1 < NODES; ++v) add_both(graph, v, v + 1);
}

static void add_star(test_graph *graph)
{
    for (uint32_t v = 0; v + 1 < NODES; ++v) add_both(graph, v, NODES - 1);
}

/* Two stars that share their leaves, so that every leaf has a second upward arc. */
static void add_stars(test_graph *graph)
{
    add_star(graph);
    for (uint32_t v = 0; v + 2 < NODES; ++v) test_graph_add(graph, NODES - 2, v, 1, 1);
}

static void add_nothing(test_graph *graph)
{
    (void)graph;
}

static void add_grid(test_graph *graph)
{
    for (uint32_t v = 0; v < NODES; ++v) {
        if (v % COLUMNS + 1 < COLUMNS) add_both(graph, v, v + 1);
        if (v + COLUMNS < NODES) test_graph_add(graph, v, v + COLUMNS, 1, 1);
    }
}

/* A tree with some far arcs. */
static void add_twigs(test_graph *graph)
{
    test_rng rng = {52};
    for (uint32_t v = 0; v + 1 < NODES; ++v) {
        const uint32_t near = v + 1 + rng_below(&rng, 60), far = v + 1 + rng_below(&rng, NODES / 2);
        test_graph_add(graph, v, near < NODES ? near : NODES - 1, 1, 1);
        if (v % 701 == 0 && far < NODES) add_both(graph, far, v);
    }
}

static const struct {
    const char *name;
    void (*add)(test_graph *graph);
    uint32_t columns; /* of kernel_map_make */
} kind[] = {{"a path", add_path, 0},          {"a divided path", add_path, 1},
            {"a star", add_star, 0},          {"two stars", add_stars, 0},
            {"single nodes", add_nothing, 0}, {"equal separators", add_grid, COLUMNS},
            {"a tree", add_twigs, 0}};
enum { KINDS = sizeof kind / sizeof *kind };

static void make_map(kernel_map *out, size_t index)
{
    SCOPED(test_graph_free) test_graph graph = {.name = kind[index].name, .node_count = NODES};
    kind[index].add(&graph);
    kernel_map_make(out, &graph, kind[index].columns);
}

/* ---- the oracle: each node's set of upward neighbours is that of its arcs and of its children's sets ---- */

typedef struct node_set {
    mcd_node count, *node;
    mcd_node first_child, next_sibling, size;
    uint32_t level;
} node_set;

static int compare_nodes(const void *a, const void *b)
{
    const mcd_node x = *(const mcd_node *)a, y = *(const mcd_node *)b;
    return (x > y) - (x < y);
}

static void add_node(node_set *set, mcd_node node, mcd_node below)
{
    if (node >= below) return;
    if (!(set->count & (set->count - 1)))
        set->node = checked_reallocate(set->node, set->count ? 2 * (size_t)set->count : 1, sizeof *set->node);
    set->node[set->count++] = node;
}

static void make_set(node_set *set, const mcd_graph *graph, mcd_node v)
{
    node_set *const of = &set[v];
    of->size = 1;
    for (mcd_arc i = graph->first_out[v]; i < graph->first_out[v + 1]; ++i) add_node(of, graph->head[i], v);
    for (mcd_arc i = graph->first_in[v]; i < graph->first_in[v + 1]; ++i) add_node(of, graph->tail[i], v);
    for (mcd_node child = of->first_child; child != MCD_NODE_NONE; child = set[child].next_sibling) {
        for (mcd_node i = 0; i < set[child].count; ++i) add_node(of, set[child].node[i], v);
        if (of->level <= set[child].level) of->level = set[child].level + 1;
        of->size += set[child].size;
    }
    if (of->count == 0) return;
    qsort(of->node, of->count, sizeof *of->node, compare_nodes);
    mcd_node kept = 1;
    for (mcd_node i = 1; i < of->count; ++i)
        if (of->node[i] != of->node[i - 1]) of->node[kept++] = of->node[i];
    of->count = kept;
    node_set *const parent = &set[of->node[kept - 1]];
    of->next_sibling = parent->first_child;
    parent->first_child = v;
}

static node_set *make_sets(const mcd_graph *graph)
{
    node_set *const set = checked_zeroed(graph->node_count, sizeof *set);
    for (mcd_node v = 0; v < graph->node_count; ++v) set[v].first_child = MCD_NODE_NONE;
    for (mcd_node v = graph->node_count; v-- > 0;) make_set(set, graph, v);
    return set;
}

static void free_sets(node_set *set)
{
    for (mcd_node v = 0; v < NODES; ++v) free(set[v].node);
    free(set);
}

/* is_preorder: the ids are one, so that subtrees are ranges. */
static void expect_hierarchy(const mcd_hierarchy *h, const node_set *set, bool is_preorder, const char *name)
{
    mcd_arc up = 0;
    mcd_node height = 0;
    for (mcd_node v = 0; v < NODES; up += set[v++].count) {
        const mcd_node parent = set[v].count ? set[v].node[set[v].count - 1] : MCD_NODE_NONE;
        const uint32_t depth = parent == MCD_NODE_NONE ? 0 : h->depth[parent] + 1;
        cr_assert_eq(h->parent[v], parent, "%s: parent of %u", name, v);
        cr_assert_eq(h->depth[v], depth, "%s: depth of %u", name, v);
        cr_assert_eq(h->level[v], set[v].level, "%s: level of %u", name, v);
        cr_assert_eq(h->first_up[v], up, "%s: first arc of %u", name, v);
        if (is_preorder) cr_assert_eq(h->subtree_end[v], v + set[v].size, "%s: subtree of %u", name, v);
        for (mcd_node i = 0; i < set[v].count; ++i) {
            cr_assert_eq(h->up_head[up + i], set[v].node[i], "%s: arc %u of %u", name, i, v);
            cr_assert_eq(h->up_depth[up + i], h->depth[set[v].node[i]], "%s: arc %u of %u", name, i, v);
        }
        if (height <= depth) height = depth + 1;
    }
    cr_assert_eq(h->first_up[NODES], up, "%s", name);
    if (is_preorder) cr_assert_eq(h->height, height, "%s", name);
}

/* ---- claims ---- */

Test(schedule, hierarchies_are_the_same_on_any_number_of_threads, .timeout = 120)
{
    for (size_t k = 0; k < KINDS; ++k) {
        SCOPED(kernel_map_free) kernel_map map;
        make_map(&map, k);
        node_set *const set = make_sets(map.graph);
        for (size_t way = 0; way < WAYS; ++way) {
            mcd_hierarchy *made;
            cr_assert_eq(mcd_hierarchy_new(&made, map.graph, &several[way], NULL, &error), MACADAM_OK);
            expect_hierarchy(made, set, true, map.name);
            mcd_hierarchy_free(made);
        }
        free_sets(set);
    }
}

static mcd_graph *graph_of(const test_graph *input, const mcd_node *id_of)
{
    mcd_graph *graph;
    uint32_t *map_arc;
    cr_assert_eq(mcd_graph_new(&graph, &map_arc, (mcd_node)input->node_count, input->tail, input->head,
                               input->arc_count, id_of, NULL, NULL, &error),
                 MACADAM_OK);
    mcd_free(map_arc);
    return graph;
}

/* As a damaged file may have them. */
Test(schedule, ids_in_another_order_make_the_tree_of_that_order)
{
    SCOPED(test_graph_free) test_graph path = {.name = "a shuffled path", .node_count = NODES};
    FREED mcd_node *const id_of = checked_allocate(NODES, sizeof *id_of);
    test_rng rng = {7};
    for (mcd_node v = 0; v < NODES; ++v) {
        const mcd_node other = rng_below(&rng, v + 1);
        id_of[v] = id_of[other], id_of[other] = v;
    }
    add_path(&path);
    mcd_graph *const graph = graph_of(&path, id_of);
    node_set *const set = make_sets(graph);
    for (size_t way = 0; way < WAYS; ++way) {
        mcd_hierarchy *made;
        cr_assert_eq(mcd_hierarchy_new(&made, graph, &several[way], NULL, &error), MACADAM_OK);
        expect_hierarchy(made, set, false, path.name);
        mcd_hierarchy_free(made);
    }
    free_sets(set);
    mcd_graph_free(graph);
}

/* The centre of the star is eliminated first, and all others become a clique. */
Test(schedule, clique_is_refused_before_it_is_whole)
{
    SCOPED(test_graph_free) test_graph star = {.node_count = NODES};
    FREED mcd_node *const id_of = checked_allocate(NODES, sizeof *id_of);
    for (mcd_node v = 0; v < NODES; ++v) id_of[v] = v;
    add_star(&star);
    mcd_graph *const graph = graph_of(&star, id_of);
    for (size_t way = 0; way < WAYS; ++way) {
        mcd_hierarchy *made;
        cr_expect_eq(mcd_hierarchy_new(&made, graph, &several[way], NULL, &error), MACADAM_E_INVALID);
        cr_expect_null(made);
    }
    mcd_graph_free(graph);
}

/* Every lower neighbour that has an upward arc to a node above y, too, ascending. Runs of the same tops have the same upward
 * neighbours above y. */
static void expect_schedule(const mcd_schedule *schedule, const char *name)
{
    const mcd_hierarchy *const h = schedule->hierarchy;
    FREED mcd_arc *const next = checked_allocate(NODES, sizeof *next);
    memcpy(next, schedule->first_lower, NODES * sizeof *next);
    for (mcd_node x = 0; x < NODES; ++x)
        for (uint32_t slot = 1; slot < h->first_up[x + 1] - h->first_up[x]; ++slot) {
            const mcd_node y = h->up_head[h->first_up[x] + slot];
            const mcd_arc at = next[y]++;
            cr_assert_lt(at, schedule->first_lower[y + 1], "%s: %u below %u", name, x, y);
            cr_assert_eq(schedule->lower[at], x, "%s: below %u", name, y);
            cr_assert_eq(schedule->lower_slot[at] & ~MCD_SAME_TOPS, slot, "%s: %u below %u", name, x, y);
            if (!(schedule->lower_slot[at] & MCD_SAME_TOPS)) continue;
            const mcd_node before = schedule->lower[at - 1];
            cr_assert(at > schedule->first_lower[y] &&
                          memcmp(h->up_head + h->first_up[before], h->up_head + h->first_up[x],
                                 (slot + 1) * sizeof *h->up_head) == 0,
                      "%s: %u below %u", name, x, y);
        }
    for (mcd_node y = 0; y < NODES; ++y)
        cr_assert_eq(next[y], schedule->first_lower[y + 1], "%s: node %u", name, y);
}

Test(schedule, lower_neighbours_are_the_same_on_any_number_of_threads)
{
    size_t listed = 0;
    for (size_t k = 0; k < KINDS; ++k) {
        SCOPED(kernel_map_free) kernel_map map;
        make_map(&map, k);
        mcd_schedule *one;
        cr_assert_eq(mcd_schedule_new(&one, map.hierarchy, map.graph, &several[0], &error), MACADAM_OK);
        for (size_t way = 0; way < WAYS; ++way) {
            mcd_schedule *made;
            cr_assert_eq(mcd_schedule_new(&made, map.hierarchy, map.graph, &several[way], &error),
                         MACADAM_OK);
            expect_schedule(made, map.name);
            cr_assert_arr_eq(made->lower_slot, one->lower_slot,
                             one->first_lower[NODES] * sizeof *one->lower_slot, "%s", map.name);
            mcd_schedule_free(made);
        }
        listed += one->first_lower[NODES];
        mcd_schedule_free(one);
    }
    cr_expect_gt(listed, 4 * NODES);
}

static macadam_status make_both(const kernel_map *map, const mcd_parallel *parallel)
{
    mcd_hierarchy *hierarchy;
    mcd_schedule *schedule = NULL;
    macadam_status status = mcd_hierarchy_new(&hierarchy, map->graph, parallel, NULL, &error);
    if (!status) status = mcd_schedule_new(&schedule, hierarchy, map->graph, parallel, &error);
    mcd_schedule_free(schedule);
    mcd_hierarchy_free(hierarchy);
    return status;
}

static bool count_down(void *context, const char *phase, uint64_t done, uint64_t total)
{
    size_t *const left = context;
    (void)phase, (void)done, (void)total;
    return (*left)-- > 0;
}

Test(schedule, work_is_cancelled_at_any_time)
{
    enum { LEAST_ASKED = 30 };
    SCOPED(kernel_map_free) kernel_map map;
    make_map(&map, KINDS - 1);
    const size_t alive = allocator_live_count();
    mcd_watch_set_clock(test_clock_always_due);
    for (size_t way = 0; way < WAYS; ++way) {
        macadam_status status;
        size_t asked = 0;
        do {
            size_t left = asked;
            const mcd_progress progress = {count_down, &left};
            MCD_WATCHED(watch, &progress, "working");
            status = make_both(&map, &several[way]);
            cr_assert_eq(status, left == SIZE_MAX ? MACADAM_E_CANCELLED : MACADAM_OK);
            cr_assert_eq(allocator_live_count(), alive);
        } while (status && ++asked);
        cr_expect_gt(asked, LEAST_ASKED / several[way].thread_count);
    }
}

Test(schedule, allocations_that_fail_leave_nothing)
{
    SCOPED(kernel_map_free) kernel_map map;
    make_map(&map, KINDS - 1);
    const size_t alive = allocator_live_count();
    size_t nth = 1;
    for (; allocator_fail(nth), make_both(&map, &several[1]) == MACADAM_E_MEMORY; ++nth)
        cr_assert_eq(allocator_live_count(), alive, "allocation %zu", nth);
    allocator_fail(0);
    cr_expect_gt(nth, 15);
}
