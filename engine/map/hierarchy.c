/* hierarchy.c - see hierarchy.h. */
#include "engine/map/hierarchy.h"

#include "engine/base/arena.h"

/* 24 million road nodes have 5 upward arcs and 50 triangles a node. */
enum {
    FILL_ALWAYS = 1 << 25,
    FILL_PER_ELEMENT = 64,
    TRIANGLES_ALWAYS = 1 << 28,
    TRIANGLES_PER_ELEMENT = 256,
    WATCHED_ARCS = 1 << 18, /* arcs between two calls of the progress callback */
    ITEMS_PER_TASK = 1 << 14,
};

/* ---- elimination ----
 *
 * Nodes are numbered so that larger numbers are eliminated earlier: parents in the tree have smaller numbers than their
 * children. */

/* The neighbours of each node v: neighbour[side][i] for first[side][v] <= i < first[side][v + 1]; those below v may be left out.
 * The second side may be NULL. */
typedef struct elimination {
    mcd_node node_count;
    const mcd_arc *first[2];
    const mcd_node *neighbour[2];
} elimination;

static const mcd_fill no_limit = {.up_count = UINT64_MAX, .triangle_count = UINT64_MAX};

static bool is_beyond(const mcd_fill *fill, const mcd_fill *limit)
{
    return fill->up_count > limit->up_count || fill->triangle_count > limit->triangle_count;
}

/* Finds the parents, and how many upward neighbours each node has; ends early if the fill is beyond its limit. A node is an upward
 * neighbour of exactly the nodes on the tree paths from its neighbours that are eliminated earlier to itself (its row
 * subtree), and it is the parent of the roots at which these paths end so far. (Liu 1990) Every two upward neighbours of a node
 * form a triangle with it. */
static macadam_status find_tree(mcd_node *parent, mcd_node *mark, mcd_node *count, mcd_fill *fill,
                                const elimination *of, const mcd_fill *limit, mcd_watch *watch,
                                macadam_error *error)
{
    uint64_t next = 0;
    *fill = (mcd_fill){0};
    for (mcd_node v = of->node_count; v-- > 0 && !is_beyond(fill, limit);) {
        const mcd_node done = of->node_count - v;
        count[v] = 0, mark[v] = v, parent[v] = MCD_NODE_NONE;
        for (int side = 0; side < 2 && of->first[side]; ++side)
            for (mcd_arc i = of->first[side][v]; i < of->first[side][v + 1]; ++i)
                for (mcd_node w = of->neighbour[side][i]; w > v && mark[w] != v; w = parent[w]) {
                    mark[w] = v;
                    fill->triangle_count += count[w]++;
                    ++fill->up_count;
                    if (parent[w] == MCD_NODE_NONE) parent[w] = v;
                }
        if (fill->up_count + done < next) continue;
        next = fill->up_count + done + WATCHED_ARCS;
        MCD_TRY(mcd_watch_step(watch, done, of->node_count, error));
    }
    return MACADAM_OK;
}

/* ---- preorder of the elimination tree, over turns: the last node to be eliminated has the first turn ---- */

/* For each turn, the later turns with which it shares an arc, as CSR; in any order. */
typedef struct turn_graph {
    mcd_node node_count;
    const mcd_node *tail, *head, *order;
    mcd_node *turn;
    mcd_arc *first;
    mcd_node *later;
} turn_graph;

static void find_turns(void *argument, size_t first, size_t end)
{
    const turn_graph *const graph = argument;
    for (size_t r = first; r < end; ++r) graph->turn[graph->order[r]] = graph->node_count - 1 - (mcd_node)r;
}

static void count_later(void *argument, size_t first, size_t end)
{
    const turn_graph *const graph = argument;
    for (size_t arc = first; arc < end; ++arc) {
        const mcd_node a = graph->turn[graph->tail[arc]], b = graph->turn[graph->head[arc]];
        if (a != b) __atomic_fetch_add(&graph->first[(size_t)(a < b ? a : b) + 2], 1, __ATOMIC_RELAXED);
    }
}

static void list_later(void *argument, size_t first, size_t end)
{
    const turn_graph *const graph = argument;
    for (size_t arc = first; arc < end; ++arc) {
        const mcd_node a = graph->turn[graph->tail[arc]], b = graph->turn[graph->head[arc]];
        if (a == b) continue;
        const mcd_arc at =
            __atomic_fetch_add(&graph->first[(size_t)(a < b ? a : b) + 1], 1, __ATOMIC_RELAXED);
        graph->later[at] = a < b ? b : a;
    }
}

static macadam_status fill_turn_graph(turn_graph *graph, size_t arc_count, const mcd_parallel *parallel,
                                      mcd_watch *watch, macadam_error *error)
{
    const size_t node_count = graph->node_count;
    MCD_TRY(MCD_NEW_ZEROED(graph->first, node_count + 2, error));
    MCD_TRY(MCD_NEW(graph->later, arc_count, error));
    mcd_ranges nodes = {node_count, ITEMS_PER_TASK, find_turns, graph},
               arcs = {arc_count, ITEMS_PER_TASK, count_later, graph};
    MCD_TRY(mcd_watch_for(watch, parallel, mcd_ranges_count(&nodes), mcd_ranges_do, &nodes, error));
    MCD_TRY(mcd_watch_for(watch, parallel, mcd_ranges_count(&arcs), mcd_ranges_do, &arcs, error));
    for (size_t v = 0; v < node_count; ++v) graph->first[v + 2] += graph->first[v + 1];
    arcs.task = list_later;
    return mcd_watch_for(watch, parallel, mcd_ranges_count(&arcs), mcd_ranges_do, &arcs, error);
}

MCD_DEFINE_STATIC_FREE(turn_graph_free, turn_graph, it->first, it->later)

/* Sets id[v] to a preorder in which the child that continues its parent's supernode comes first (its upward
 * neighbours are the parent and all of the parent's upward neighbours). `size` and `next` are scratch. */
static macadam_status number_preorder(mcd_node node_count, const mcd_node *parent, const mcd_node *count,
                                      mcd_node *size, mcd_node *next, mcd_node *id, mcd_watch *watch,
                                      macadam_error *error)
{
    mcd_node next_root = 0, *continuing = next;
    for (mcd_node v = 0; v < node_count; ++v) size[v] = 1, continuing[v] = MCD_NODE_NONE;
    for (mcd_node v = node_count; v-- > 0;) {
        const mcd_node p = parent[v];
        MCD_TRY(mcd_watch_item(watch, v, node_count, error));
        if (p == MCD_NODE_NONE) continue;
        size[p] += size[v];
        if (count[v] == count[p] + 1) continuing[p] = v;
    }
    for (mcd_node v = 0; v < node_count; ++v) {
        const mcd_node p = parent[v], first_child = continuing[v];
        MCD_TRY(mcd_watch_item(watch, v, node_count, error));
        if (p == MCD_NODE_NONE) {
            id[v] = next_root;
            next_root += size[v];
        } else if (id[v] == MCD_NODE_NONE) {
            id[v] = next[p];
            next[p] += size[v];
        }
        next[v] = id[v] + 1; /* takes over the slot of `continuing`, which has been read */
        if (first_child != MCD_NODE_NONE) {
            id[first_child] = next[v];
            next[v] += size[first_child];
        }
    }
    return MACADAM_OK;
}

/* By turn, until they are by node. */
typedef struct preorder_run {
    mcd_node node_count;
    mcd_node *turn, *parent, *mark, *count;
} preorder_run;

/* Returns the height of the tree; `depth` is scratch. */
static uint32_t height_of(mcd_node node_count, const mcd_node *parent, uint32_t *depth)
{
    uint32_t height = 0;
    for (mcd_node v = 0; v < node_count; ++v) {
        depth[v] = parent[v] == MCD_NODE_NONE ? 1 : depth[parent[v]] + 1;
        if (depth[v] > height) height = depth[v];
    }
    return height;
}

static macadam_status number_turns(preorder_run *run, mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED mcd_node *next = NULL, *id = NULL;
    MCD_TRY(MCD_NEW(next, run->node_count, error));
    MCD_TRY(MCD_NEW(id, run->node_count, error));
    for (mcd_node v = 0; v < run->node_count; ++v) id[v] = MCD_NODE_NONE;
    MCD_TRY(number_preorder(run->node_count, run->parent, run->count, run->mark, next, id, watch, error));
    for (mcd_node node = 0; node < run->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, run->node_count, error));
        run->parent[node] = id[run->turn[node]];
    }
    return MACADAM_OK;
}

mcd_fill mcd_hierarchy_limit(uint64_t node_count, uint64_t arc_count)
{
    const uint64_t elements = node_count + arc_count, up_count = FILL_ALWAYS + FILL_PER_ELEMENT * elements;
    return (mcd_fill){.up_count = up_count < MCD_UP_COUNT_MAX ? up_count : MCD_UP_COUNT_MAX,
                      .triangle_count = TRIANGLES_ALWAYS + TRIANGLES_PER_ELEMENT * elements};
}

macadam_status mcd_hierarchy_preorder(mcd_node **id_of, mcd_fill *fill, const mcd_fill *limit,
                                      mcd_node node_count, const mcd_node *tail, const mcd_node *head,
                                      size_t arc_count, const mcd_node *order, const mcd_parallel *parallel,
                                      mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(turn_graph_free)
    turn_graph graph = {.node_count = node_count, .tail = tail, .head = head, .order = order};
    MCD_OWNED mcd_node *turn = NULL, *parent = NULL, *mark = NULL, *count = NULL;
    if (!limit) limit = &no_limit;
    *id_of = NULL, *fill = (mcd_fill){0};
    MCD_TRY(MCD_NEW(turn, node_count, error));
    MCD_TRY(MCD_NEW(parent, node_count, error));
    MCD_TRY(MCD_NEW(mark, node_count, error));
    MCD_TRY(MCD_NEW(count, node_count, error));
    graph.turn = turn;
    MCD_TRY(fill_turn_graph(&graph, arc_count, parallel, watch, error));
    const elimination by_turn = {node_count, {graph.first}, {graph.later}};
    MCD_TRY(find_tree(parent, mark, count, fill, &by_turn, limit, watch, error));
    if (is_beyond(fill, limit)) return MACADAM_OK;
    fill->height = height_of(node_count, parent, mark);
    turn_graph_free(&graph);
    MCD_TRY(number_turns(&(preorder_run){node_count, turn, parent, mark, count}, watch, error));
    return MCD_MOVE(*id_of, parent);
}

/* ---- the hierarchy, over preorder ids ---- */

typedef struct hierarchy_arrays {
    mcd_hierarchy hierarchy;
    mcd_node *parent, *subtree_end, *up_head, *supernode_first, *bottom_root;
    uint32_t *depth, *level, *up_depth;
    mcd_arc *first_up;
} hierarchy_arrays;

/* v ascends, so each node's heads are stored in ascending order. next: where each node's next head goes. */
static macadam_status store_up_arcs(const elimination *of, const mcd_node *parent, mcd_node *mark,
                                    mcd_arc *next, mcd_node *up_head, mcd_watch *watch, macadam_error *error)
{
    for (mcd_node v = 0; v < of->node_count; ++v) mark[v] = MCD_NODE_NONE;
    for (mcd_node v = 0; v < of->node_count; ++v) {
        MCD_TRY(mcd_watch_item(watch, v, of->node_count, error));
        for (int side = 0; side < 2; ++side)
            for (mcd_arc i = of->first[side][v]; i < of->first[side][v + 1]; ++i)
                for (mcd_node w = of->neighbour[side][i]; w > v && mark[w] != v; w = parent[w]) {
                    mark[w] = v;
                    up_head[next[w]++] = v;
                }
    }
    return MACADAM_OK;
}

/* Sums up first_up from the counts, uses it as cursors and shifts it back. The levels are not known yet: their memory holds the
 * counts. Returns E_INVALID if the fill is beyond its limit. */
static macadam_status build_up_arcs(hierarchy_arrays *out, const mcd_graph *graph, mcd_node *mark,
                                    mcd_watch *watch, macadam_error *error)
{
    const mcd_node node_count = graph->node_count;
    const mcd_fill limit = mcd_hierarchy_limit(node_count, graph->arc_count);
    const elimination by_id = {node_count, {graph->first_out, graph->first_in}, {graph->head, graph->tail}};
    mcd_arc *first_up = out->first_up;
    mcd_fill fill;
    MCD_TRY(find_tree(out->parent, mark, out->level, &fill, &by_id, &limit, watch, error));
    if (is_beyond(&fill, &limit))
        return mcd_fail_invalid(error, "the hierarchy is larger than that of a road network of %u nodes",
                                node_count);
    first_up[0] = 0;
    for (mcd_node v = 0; v < node_count; ++v) first_up[v + 1] = first_up[v] + out->level[v];
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), out->up_head, first_up[node_count], error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), out->up_depth, first_up[node_count], error));
    MCD_TRY(store_up_arcs(&by_id, out->parent, mark, first_up, out->up_head, watch, error));
    memmove(first_up + 1, first_up, node_count * sizeof *first_up);
    first_up[0] = 0;
    return MACADAM_OK;
}

static macadam_status measure_tree(hierarchy_arrays *out, mcd_watch *watch, macadam_error *error)
{
    const mcd_node node_count = out->hierarchy.node_count, *parent = out->parent;
    for (mcd_node v = 0; v < node_count; ++v) {
        MCD_TRY(mcd_watch_item(watch, v, node_count, error));
        out->depth[v] = parent[v] == MCD_NODE_NONE ? 0 : out->depth[parent[v]] + 1;
        if (out->depth[v] >= out->hierarchy.height) out->hierarchy.height = out->depth[v] + 1;
        out->level[v] = 0;
        out->subtree_end[v] = v + 1;
        for (mcd_arc up = out->first_up[v]; up < out->first_up[v + 1]; ++up)
            out->up_depth[up] = out->depth[out->up_head[up]];
    }
    for (mcd_node v = node_count; v-- > 0;) {
        const mcd_node p = parent[v];
        MCD_TRY(mcd_watch_item(watch, v, node_count, error));
        if (p == MCD_NODE_NONE) continue;
        if (out->level[p] <= out->level[v]) out->level[p] = out->level[v] + 1;
        if (out->subtree_end[p] < out->subtree_end[v]) out->subtree_end[p] = out->subtree_end[v];
    }
    return MACADAM_OK;
}

static bool begins_supernode(const hierarchy_arrays *arrays, mcd_node v)
{
    const mcd_arc *first_up = arrays->first_up;
    return v == 0 || arrays->parent[v] != v - 1 ||
           first_up[v + 1] - first_up[v] != first_up[v] - first_up[v - 1] + 1;
}

static bool is_bottom_root(const hierarchy_arrays *arrays, mcd_node v)
{
    const mcd_node p = arrays->parent[v];
    return arrays->subtree_end[v] - v <= MCD_BOTTOM_NODES &&
           (p == MCD_NODE_NONE || arrays->subtree_end[p] - p > MCD_BOTTOM_NODES);
}

static macadam_status list_parts(hierarchy_arrays *out, mcd_watch *watch, macadam_error *error)
{
    mcd_hierarchy *hierarchy = &out->hierarchy;
    for (mcd_node v = 0; v < hierarchy->node_count; ++v) {
        MCD_TRY(mcd_watch_item(watch, v, hierarchy->node_count, error));
        hierarchy->supernode_count += begins_supernode(out, v);
        hierarchy->bottom_count += is_bottom_root(out, v);
    }
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), out->supernode_first, (size_t)hierarchy->supernode_count + 1,
                          error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), out->bottom_root, hierarchy->bottom_count, error));
    mcd_node supernode = 0, bottom = 0;
    for (mcd_node v = 0; v < hierarchy->node_count; ++v) {
        MCD_TRY(mcd_watch_item(watch, v, hierarchy->node_count, error));
        if (begins_supernode(out, v)) out->supernode_first[supernode++] = v;
        if (is_bottom_root(out, v)) out->bottom_root[bottom++] = v;
    }
    out->supernode_first[supernode] = hierarchy->node_count;
    return MACADAM_OK;
}

MCD_DEFINE_FREE_AT(free_arrays, hierarchy_arrays, mcd_answer_free)

macadam_status mcd_hierarchy_new(mcd_hierarchy **out, const mcd_graph *graph, mcd_watch *watch,
                                 macadam_error *error)
{
    const mcd_node node_count = graph->node_count;
    MCD_FREED_BY(free_arrays) hierarchy_arrays *arrays = NULL;
    MCD_OWNED mcd_node *mark = NULL;
    *out = NULL;
    MCD_TRY(MCD_ANSWER_NEW(arrays, error));
    mcd_arena *const memory = mcd_answer_arena(arrays);
    mcd_hierarchy *const hierarchy = &arrays->hierarchy;
    hierarchy->node_count = node_count;
    MCD_TRY(MCD_ARENA_NEW(memory, arrays->parent, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(memory, arrays->depth, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(memory, arrays->level, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(memory, arrays->subtree_end, node_count, error));
    MCD_TRY(MCD_ARENA_NEW(memory, arrays->first_up, (size_t)node_count + 1, error));
    MCD_TRY(MCD_NEW(mark, node_count, error));
    MCD_TRY(build_up_arcs(arrays, graph, mark, watch, error));
    MCD_TRY(measure_tree(arrays, watch, error));
    MCD_TRY(list_parts(arrays, watch, error));
    hierarchy->parent = arrays->parent, hierarchy->depth = arrays->depth, hierarchy->level = arrays->level;
    hierarchy->subtree_end = arrays->subtree_end, hierarchy->first_up = arrays->first_up;
    hierarchy->up_head = arrays->up_head, hierarchy->supernode_first = arrays->supernode_first;
    hierarchy->bottom_root = arrays->bottom_root, hierarchy->up_depth = arrays->up_depth;
    *out = hierarchy;
    arrays = NULL;
    return MACADAM_OK;
}

void mcd_hierarchy_free(mcd_hierarchy *hierarchy)
{
    mcd_answer_free(hierarchy);
}
