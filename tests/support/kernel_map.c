/* kernel_map.c - see kernel_map.h. */
#include "tests/support/kernel_map.h"

#include "tests/support/checked.h"

#include "engine/map/graph.h"
#include "engine/map/hierarchy.h"
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <string.h>

static const mcd_parallel two_threads = {.thread_count = 2};

/* ---- graphs with a top ---- */

/* A grid with missing, one-way and free streets. */
static test_graph make_streets(uint32_t side, uint64_t seed)
{
    test_rng rng = {seed};
    test_graph graph = {.name = "streets", .node_count = (size_t)side * side};
    for (uint32_t node = 0; node < side * side; ++node)
        for (uint32_t way = 0; way < 2; ++way) {
            const uint32_t chance = rng_below(&rng, 20), other = node + (way ? side : 1);
            const uint32_t distance = chance == 3 ? 0 : 1 + rng_below(&rng, 30);
            if ((way ? node / side : node % side) + 1 == side || chance == 0) continue;
            if (chance != 1) test_graph_add(&graph, node, other, distance, rng_below(&rng, 1000));
            if (chance != 2) test_graph_add(&graph, other, node, distance, rng_below(&rng, 1000));
        }
    return graph;
}

/* 900 leaves, each at some of 12 hubs: threads divide the many lower triangles at one node. */
static test_graph make_hubs(void)
{
    enum { LEAVES = 900, HUBS = 12 };
    test_rng rng = {32};
    test_graph graph = {.name = "hubs", .node_count = LEAVES + HUBS};
    for (uint32_t leaf = 0; leaf < LEAVES; ++leaf)
        for (uint32_t hub = LEAVES; hub < LEAVES + HUBS; ++hub) {
            if (rng_below(&rng, 2))
                test_graph_add(&graph, leaf, hub, rng_below(&rng, 50), rng_below(&rng, 9));
            if (rng_below(&rng, 2))
                test_graph_add(&graph, hub, leaf, rng_below(&rng, 50), rng_below(&rng, 9));
        }
    return graph;
}

/* 60 nodes that nearly all know each other, and 100 leaves at up to 40 of them: wide supernodes that have
 * more upward neighbours than a warp has lanes. */
static test_graph make_crowd(void)
{
    enum { LEAVES = 100, CROWD = 60, FRIENDS = 40 };
    test_rng rng = {77};
    test_graph graph = {.name = "crowd", .node_count = LEAVES + CROWD};
    for (uint32_t x = LEAVES; x < LEAVES + CROWD; ++x)
        for (uint32_t y = LEAVES; y < LEAVES + CROWD; ++y)
            if (x != y && rng_below(&rng, 4))
                test_graph_add(&graph, x, y, 1 + rng_below(&rng, 900), rng_below(&rng, 50));
    for (uint32_t leaf = 0; leaf < LEAVES; ++leaf)
        for (uint32_t friends = rng_below(&rng, FRIENDS); friends > 0; --friends) {
            const uint32_t other = LEAVES + rng_below(&rng, CROWD);
            if (rng_below(&rng, 5))
                test_graph_add(&graph, leaf, other, rng_below(&rng, 90), rng_below(&rng, 9));
            if (rng_below(&rng, 5))
                test_graph_add(&graph, other, leaf, rng_below(&rng, 90), rng_below(&rng, 9));
        }
    return graph;
}

/* ---- orders ---- */

static uint32_t line_of(uint32_t node, uint32_t columns)
{
    if (columns == 0) return 0;
    const int x = __builtin_ctz(node % columns + 1), y = __builtin_ctz(node / columns + 1);
    return (uint32_t)(x > y ? x : y);
}

static mcd_node *make_order(size_t node_count, uint32_t columns)
{
    enum { LINES = 32 };
    mcd_node *order = checked_allocate(node_count, sizeof *order), rank = 0;
    for (uint32_t line = 0; line < LINES; ++line)
        for (mcd_node node = 0; node < node_count; ++node)
            if (line_of(node, columns) == line) order[rank++] = node;
    return order;
}

/* The width that is part of the map's name. */
static uint32_t columns_of(const char *name)
{
    static const struct {
        const char *name;
        uint32_t columns;
    } known[] = {
        {"long path", 1}, {"path both ways", 1}, {"grid", 20}, {"zero-weight cycles", 12}, {"town", 45}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (strcmp(known[i].name, name) == 0) return known[i].columns;
    return 0;
}

/* ---- maps ---- */

void kernel_map_make(kernel_map *out, const test_graph *graph, uint32_t columns)
{
    const mcd_node node_count = (mcd_node)graph->node_count;
    macadam_error error;
    mcd_node *order = make_order(node_count, columns), *id_of;
    uint32_t *map_arc;
    mcd_fill fill;
    *out = (kernel_map){.name = graph->name};
    cr_assert_eq(mcd_hierarchy_preorder(&id_of, &fill, NULL, node_count, graph->tail, graph->head,
                                        graph->arc_count, order, &two_threads, NULL, &error),
                 MACADAM_OK);
    cr_assert_eq(mcd_graph_new(&out->graph, &map_arc, node_count, graph->tail, graph->head, graph->arc_count,
                               id_of, NULL, NULL, &error),
                 MACADAM_OK);
    cr_assert_eq(mcd_hierarchy_new(&out->hierarchy, out->graph, &two_threads, NULL, &error), MACADAM_OK);
    cr_assert_eq(out->hierarchy->first_up[node_count], fill.up_count, "%s: the fill is miscounted",
                 graph->name);
    out->tail = checked_allocate(graph->arc_count, sizeof *out->tail);
    for (int q = 0; q < 2; ++q) {
        out->weight[q] = checked_allocate(graph->arc_count, sizeof *out->weight[q]);
        for (size_t arc = 0; arc < graph->arc_count; ++arc)
            out->weight[q][arc] = graph->weight[q][map_arc[arc]];
    }
    for (size_t arc = 0; arc < graph->arc_count; ++arc) out->tail[arc] = id_of[graph->tail[map_arc[arc]]];
    mcd_free(map_arc);
    mcd_free(id_of);
    free(order);
}

enum { STREETS_SMALL, STREETS_LARGE, HUBS, CROWD, OWN_COUNT };

size_t kernel_maps_count(void)
{
    return graphs_count() + OWN_COUNT;
}

void kernel_maps_make(kernel_map *out, size_t index)
{
    enum { SMALL = 31, LARGE = 63 };
    SCOPED(test_graph_free) test_graph graph;
    uint32_t columns = 0;
    if (index < graphs_count())
        graph = graphs_make(index), columns = columns_of(graph.name);
    else if (index - graphs_count() == HUBS)
        graph = make_hubs();
    else if (index - graphs_count() == CROWD)
        graph = make_crowd();
    else
        columns = index - graphs_count() == STREETS_SMALL ? SMALL : LARGE,
        graph = make_streets(columns, columns);
    kernel_map_make(out, &graph, columns);
}

void kernel_map_free(kernel_map *map)
{
    mcd_graph_free(map->graph);
    mcd_hierarchy_free(map->hierarchy);
    free(map->tail);
    free(map->weight[0]);
    free(map->weight[1]);
}

oracle_arcs kernel_map_arcs(const kernel_map *map)
{
    return (oracle_arcs){map->graph->node_count, map->graph->arc_count, map->tail,
                         map->graph->head,       map->weight[0],        map->weight[1]};
}

mcd_lane kernel_map_lane(const kernel_map *map, test_rng *rng, size_t index)
{
    const mcd_graph *graph = map->graph;
    mcd_lane lane = mcd_lane_of(MCD_NODE_NONE);
    if (graph->node_count == 0 || index % 16 == 5) return lane;
    lane.seed[0].node = rng_below(rng, graph->node_count);
    if (index % 3 == 1)
        lane.seed[0].objective = rng_below(rng, 500), lane.seed[0].companion = rng_below(rng, 9);
    if (index % 3 != 2) return lane;
    uint32_t count = 1; /* or several on one root path */
    for (mcd_node at = lane.seed[0].node; at != MCD_NODE_NONE && count <= MCD_SEEDS_MAX; ++count) {
        lane.seed[count - 1] = (mcd_seed){at, rng_below(rng, 50), rng_below(rng, 50)};
        for (uint32_t up = rng_below(rng, 3) + 1; up > 0 && at != MCD_NODE_NONE; --up)
            at = map->hierarchy->parent[at];
    }
    if (count <= MCD_SEEDS_MAX) lane.seed[count - 1].node = MCD_NODE_NONE;
    return lane;
}

/* ---- metrics ---- */

static mcd_customize_job job_of(const kernel_map *map, mcd_schedule *schedule, unsigned thread_count,
                                bool joint)
{
    return (mcd_customize_job){.schedule = schedule,
                               .hierarchy = map->hierarchy,
                               .graph = map->graph,
                               .objective = map->weight[0],
                               .companion = joint ? map->weight[1] : NULL,
                               .witnesses = true,
                               .parallel = {thread_count, NULL}};
}

/* And prunes them into *kept, unless it is NULL. */
static mcd_custom customize(const kernel_map *map, const mcd_backend *backend, unsigned thread_count,
                            bool joint, mcd_kept *kept)
{
    macadam_error error;
    mcd_schedule *schedule;
    mcd_custom custom;
    cr_assert_eq(backend->schedule_new(&schedule, map->hierarchy, map->graph, &two_threads, &error),
                 MACADAM_OK);
    const mcd_customize_job job = job_of(map, schedule, thread_count, joint);
    cr_assert_eq(backend->customize(&custom, &job, &error), MACADAM_OK);
    if (kept) {
        cr_assert_eq(backend->prune(kept, &custom, &job, &error), MACADAM_OK);
        cr_assert_eq(backend->name_children(kept, &custom, &job, &error), MACADAM_OK);
    }
    backend->schedule_free(schedule);
    return custom;
}

mcd_custom kernel_map_customize(const kernel_map *map, const mcd_backend *backend, unsigned thread_count,
                                bool joint)
{
    return customize(map, backend, thread_count, joint, NULL);
}

void kernel_metric_make(kernel_metric *out, const kernel_map *map, const mcd_backend *backend,
                        unsigned thread_count, bool joint)
{
    mcd_custom custom = customize(map, backend, thread_count, joint, &out->kept);
    mcd_custom_free(&custom);
    out->weights = (mcd_weights){.hierarchy = map->hierarchy,
                                 .graph = map->graph,
                                 .objective = map->weight[0],
                                 .companion = joint ? map->weight[1] : NULL,
                                 .search = {out->kept.search[0], out->kept.search[1]}};
    for (size_t arc = 0; arc < map->graph->arc_count; ++arc)
        out->weights.has_zero |= map->weight[0][arc] == 0;
}

void kernel_metric_free(kernel_metric *metric)
{
    mcd_kept_free(&metric->kept);
}
