/* nested_dissection.c - see nested_dissection.h.
 *
 * Method: a map with many split junctions is cut through its roads (road_dissection.h). In any other map,
 * nodes with at most two neighbours come first, in rounds; the remaining nodes, the core, are cut through nodes.
 * Eliminating such a node makes at most one new pair of neighbours, which takes the node's place in their
 * lists, so that the graph shrinks in place. A round never eliminates two neighbours, so that a chain becomes
 * a shallow tree and not a path. The core of a road network is about half of it. Finally, minimum degree
 * reorders small parts (minimum_degree.h).
 * METIS_NodeND with its defaults | this method, on one core: arcs and triangles of the elimination game, the height
 * of its tree, and the mean depth of its nodes:
 *   New York, 264 k nodes: 1.33 M,  9.5 M, 267 | 1.16 M,  6.6 M, 232, 134
 *   NE,       1.5 M nodes: 6.05 M, 44.1 M, 517 | 5.16 M, 24.6 M, 338, 222
 * METIS on the core takes twice as long and gives 7.8 M triangles and mean depth 153 for New York, 32.5 M and 282
 * for NE.
 * (Nested dissection: George 1973) */
#include "importers/order/nested_dissection.h"
#include "importers/order/minimum_degree.h"
#include "importers/order/road_dissection.h"

enum {
    LIST_MAX = 32,  /* the longest neighbour list that is searched: bounds the work at hubs, which are left to
                     * the core */
    DEGREE_MAX = 2, /* of a node that is eliminated before the core */
    ROUNDS = 8,     /* more rounds find little, and would make a deep tree of a long ladder */
};

typedef struct simple_graph {
    size_t node_count;
    uint32_t *first;  /* [node_count + 1] a node's neighbours are neighbour[first[v]..first[v + 1]) */
    uint32_t *degree; /* [node_count] how many of its neighbours are not eliminated */
    uint32_t *neighbour;
    uint32_t *round; /* [node_count] the round of the last elimination next to the node; ELIMINATED if it is
                      * gone */
} simple_graph;

#define ELIMINATED UINT32_MAX

/* ---- the shrinking graph ---- */

static macadam_status graph_new(simple_graph *graph, mcd_arena *arena, const mcd_neighbours *whole,
                                macadam_error *error)
{
    const size_t node_count = graph->node_count = whole->node_count;
    MCD_TRY(MCD_ARENA_NEW(arena, graph->first, node_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(arena, graph->degree, node_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(arena, graph->round, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, graph->neighbour, whole->first[node_count], error));
    memcpy(graph->first, whole->first, (node_count + 1) * sizeof *graph->first);
    memcpy(graph->neighbour, whole->neighbour, whole->first[node_count] * sizeof *graph->neighbour);
    for (size_t node = 0; node < node_count; ++node)
        graph->degree[node] = whole->first[node + 1] - whole->first[node];
    return MACADAM_OK;
}

/* ---- nodes of low degree ---- */

static uint32_t list_length(const simple_graph *graph, uint32_t node)
{
    return graph->first[node + 1] - graph->first[node];
}

/* The index of `other` in the list of `node`, or the list's end. */
static uint32_t find_neighbour(const simple_graph *graph, uint32_t node, uint32_t other)
{
    uint32_t i = graph->first[node];
    while (i < graph->first[node + 1] && graph->neighbour[i] != other) ++i;
    return i;
}

/* Makes the two neighbours of an eliminated node neighbours of each other, unless they already are. */
static void join(simple_graph *graph, uint32_t node, uint32_t a, uint32_t b)
{
    if (find_neighbour(graph, a, b) < graph->first[a + 1]) {
        --graph->degree[a];
        --graph->degree[b];
    } else {
        graph->neighbour[find_neighbour(graph, a, node)] = b;
        graph->neighbour[find_neighbour(graph, b, node)] = a;
    }
}

/* Eliminates `node` if that is cheap, and returns whether it did. Its neighbours (up to two) are then blocked
 * for this round. */
static bool eliminate(simple_graph *graph, uint32_t node, uint32_t round, uint32_t neighbour[DEGREE_MAX])
{
    if (graph->round[node] >= round || graph->degree[node] > DEGREE_MAX) return false;
    if (graph->degree[node] == DEGREE_MAX && list_length(graph, node) > LIST_MAX) return false;
    uint32_t count = 0;
    for (uint32_t i = graph->first[node]; count < graph->degree[node]; ++i)
        if (graph->round[graph->neighbour[i]] != ELIMINATED) neighbour[count++] = graph->neighbour[i];
    if (count == DEGREE_MAX) {
        if (list_length(graph, neighbour[0]) > LIST_MAX || list_length(graph, neighbour[1]) > LIST_MAX)
            return false;
        join(graph, node, neighbour[0], neighbour[1]);
    } else if (count == 1) {
        --graph->degree[neighbour[0]];
    }
    for (uint32_t i = 0; i < count; ++i) graph->round[neighbour[i]] = round;
    graph->round[node] = ELIMINATED;
    return true;
}

/* Appends the nodes of low degree to `order`; there are *eliminated. */
static macadam_status eliminate_low_degrees(simple_graph *graph, mcd_node *order, size_t *eliminated,
                                            mcd_watch *watch, macadam_error *error)
{
    *eliminated = 0;
    for (uint32_t round = 1; round <= ROUNDS; ++round) {
        for (uint32_t node = 0; node < graph->node_count; ++node) {
            uint32_t neighbour[DEGREE_MAX];
            MCD_TRY(mcd_watch_item(watch, node, graph->node_count, error));
            if (eliminate(graph, node, round, neighbour)) order[(*eliminated)++] = node;
        }
    }
    return MACADAM_OK;
}

/* ---- the core ---- */

/* Reduces the graph to the nodes that are not eliminated, renumbered in place, and gives each its old number
 * in old[]. */
static macadam_status shrink_to_core(simple_graph *graph, mcd_node *old, mcd_watch *watch,
                                     macadam_error *error)
{
    uint32_t *const core_number = graph->degree;
    uint32_t core_count = 0, kept = 0;
    for (uint32_t node = 0; node < graph->node_count; ++node)
        if (graph->round[node] != ELIMINATED) core_number[node] = core_count++;
    core_count = 0;
    for (uint32_t node = 0; node < graph->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, graph->node_count, error));
        if (graph->round[node] == ELIMINATED) continue;
        const uint32_t begin = graph->first[node], end = graph->first[node + 1];
        graph->first[core_count] = kept; /* core_count <= node: the overwritten entries have been read */
        old[core_count++] = node;
        for (uint32_t i = begin; i < end; ++i) {
            const uint32_t other = graph->neighbour[i];
            if (graph->round[other] != ELIMINATED) graph->neighbour[kept++] = core_number[other];
        }
    }
    graph->first[core_count] = kept;
    graph->node_count = core_count;
    return MACADAM_OK;
}

MCD_DEFINE_FREE_AT(free_dissection, mcd_dissection, mcd_dissection_free)

/* Overwrites the old numbers that `order` holds with the core's order, in old numbers. `block_end` is
 * scratch. */
static macadam_status order_core(simple_graph *graph, mcd_node *order, uint32_t *block_end,
                                 const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    const mcd_neighbours core = {graph->node_count, graph->first, graph->neighbour};
    mcd_node *const at = graph->degree, *const old = graph->round; /* no longer needed */
    MCD_FREED_BY(free_dissection) mcd_dissection *dissection = NULL;
    MCD_TRY(mcd_dissection_new(&dissection, NULL, &core, watch, error));
    MCD_TRY(mcd_watch_step(watch, 0, core.node_count, error));
    MCD_TRY(mcd_dissection_run(dissection, &core, at, block_end, parallel, watch, error));
    memcpy(old, order, core.node_count * sizeof *old);
    for (size_t rank = 0; rank < core.node_count; ++rank) order[rank] = old[at[rank]];
    return MACADAM_OK;
}

static macadam_status dissect(mcd_node *order, uint32_t *block_end, const mcd_neighbours *whole,
                              const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    simple_graph graph;
    size_t eliminated;
    MCD_TRY(graph_new(&graph, &arena, whole, error));
    MCD_TRY(mcd_watch_step(watch, 0, whole->node_count, error));
    MCD_TRY(eliminate_low_degrees(&graph, order, &eliminated, watch, error));
    if (eliminated == whole->node_count) return MACADAM_OK;
    MCD_TRY(shrink_to_core(&graph, order + eliminated, watch, error));
    MCD_TRY(mcd_watch_step(watch, eliminated, whole->node_count, error));
    return order_core(&graph, order + eliminated, block_end, parallel, watch, error);
}

/* The inputs from which an order is made. */
typedef struct order_input {
    const mcd_road_graph *roads;
    mcd_neighbours graph;
    mcd_arena arena;            /* of the blocks */
    mcd_dissection *dissection; /* NULL: the map is not split */
    mcd_watch *watch;
} order_input;

static macadam_status list_neighbours(void *context, macadam_error *error)
{
    order_input *const input = context;
    const mcd_road_graph *const roads = input->roads;
    return mcd_neighbours_new(&input->graph, roads->node_count, NULL, roads->tail, roads->head,
                              roads->arc_count, input->watch, error);
}

static macadam_status contract_roads(void *context, macadam_error *error)
{
    order_input *const input = context;
    return mcd_dissection_new(&input->dissection, input->roads, NULL, input->watch, error);
}

static void free_input(order_input *input)
{
    mcd_dissection_free(input->dissection);
    mcd_neighbours_free(&input->graph);
    mcd_arena_free(&input->arena);
}

static macadam_status find_order(mcd_node *order, const mcd_road_graph *roads, const mcd_parallel *parallel,
                                 mcd_watch *watch, macadam_error *error)
{
    static const mcd_step step[] = {contract_roads, list_neighbours};
    MCD_FREED_BY(free_input) order_input input = {.roads = roads, .watch = watch};
    const mcd_neighbours *const graph = &input.graph;
    /* There are at least three nodes for two junctions; maps for walking have 1.14 nodes per junction. */
    const bool is_split = roads->junction && 2 * roads->node_count > 3 * roads->junction_count;
    const size_t skipped = is_split ? 0 : 1;
    uint32_t *block_end;
    MCD_TRY(mcd_watch_steps(watch, parallel, step + skipped, 2 - skipped, &input, error));
    MCD_TRY(mcd_watch_step(watch, 0, roads->node_count, error));
    MCD_TRY(MCD_ARENA_NEW(&input.arena, block_end, roads->node_count, error));
    if (input.dissection) {
        MCD_TRY(mcd_dissection_run(input.dissection, graph, order, block_end, parallel, watch, error));
    } else {
        MCD_TRY(dissect(order, block_end, graph, parallel, watch, error));
        MCD_TRY(mcd_watch_step(watch, roads->node_count, roads->node_count, error));
        MCD_TRY(mcd_find_blocks(order, block_end, graph, &input.arena, watch, error));
    }
    mcd_dissection_free(input.dissection);
    input.dissection = NULL;
    return mcd_minimum_degree(order, block_end, graph, parallel, watch, error);
}

macadam_status mcd_nested_dissection(mcd_node **order_out, const mcd_road_graph *roads,
                                     const mcd_parallel *parallel, const mcd_progress *progress,
                                     macadam_error *error)
{
    *order_out = NULL;
    const size_t node_count = roads->node_count, arc_count = roads->arc_count;
    if (node_count > INT32_MAX || arc_count > INT32_MAX)
        return mcd_fail_invalid(
            error,
            "a graph of %zu nodes and %zu arcs is too large for an order with 32-bit indices: give one",
            node_count, arc_count);
    MCD_OWNED mcd_node *order = NULL;
    mcd_watch watch = mcd_watch_of(progress, "ordering nodes");
    MCD_TRY(mcd_progress_step(progress, "ordering nodes", 0, node_count, error));
    MCD_TRY(MCD_NEW(order, node_count, error));
    MCD_TRY(find_order(order, roads, parallel, &watch, error));
    MCD_TRY(mcd_progress_step(progress, "ordering nodes", node_count, node_count, error));
    return MCD_MOVE(*order_out, order);
}
