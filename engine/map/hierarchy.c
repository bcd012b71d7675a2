/* hierarchy.c - see hierarchy.h. */
#include "engine/map/hierarchy.h"

#include "engine/base/arena.h"

#include <stdatomic.h>

/* 24 million road nodes have 5 upward arcs and 50 triangles a node. */
enum {
    FILL_ALWAYS = 1 << 25,
    FILL_PER_ELEMENT = 64,
    TRIANGLES_ALWAYS = 1 << 28,
    TRIANGLES_PER_ELEMENT = 256,
    WATCHED_ARCS = 1 << 18, /* found between two looks at the watch */
    WATCHED_NODES = 1 << 13,
    ITEMS_PER_TASK = 1 << 14,
};

/* ---- elimination ----
 *
 * Nodes are numbered so that larger numbers are eliminated earlier: parents in the tree have smaller numbers than their
 * children. A node is an upward neighbour of exactly the nodes on the tree paths from its neighbours that are eliminated earlier
 * to itself (its row subtree), and it is the parent of the roots at which these paths end so far. (Liu 1990) Every two upward
 * neighbours of a node form a triangle with it.
 * Parallel. The end of a node is the smallest number above its own such that no node from the node itself to below the end has a
 * neighbour at or after the end: its row subtree is below the end. A node is closed within a range if its end is in the range, and
 * open otherwise. The threads divide the nodes into blocks, and find the rows of the nodes that are closed within each block. Then
 * they do the same for pairs of blocks, pairs of pairs, and so on. In a preorder the open nodes of a range are the ancestors of the
 * next range's first node, so few are left to large ranges. In other orders more are left, and fewer threads have work.
 * Races. None: the row of a node that is closed within a range is in the range.
 * Order. The upward neighbours of a node are found in descending order: if the smaller one of two is closed, so is the larger one. */

/* The neighbours of each node v: neighbour[side][i] for first[side][v] <= i < first[side][v + 1]; those below v may be left out.
 * The second side may be NULL. */
typedef struct elimination {
    mcd_node node_count;
    const mcd_arc *first[2];
    const mcd_node *neighbour[2];
    bool ascends; /* the neighbours of each node and side do */
} elimination;

/* A list of the open nodes of a range, descending. The end of each is the next one, of the last one the node itself: so open nodes
 * have no end above them. */
typedef struct open_nodes {
    mcd_node first, last; /* MCD_NODE_NONE: there are none */
} open_nodes;

typedef struct tree_run {
    const elimination *of;
    const mcd_parallel *parallel;
    mcd_watch *watch;
    mcd_node *parent, *mark, *end;
    uint32_t *count, *level; /* level: NULL, or one above the highest child */
    open_nodes *open;        /* [blocks], for each range at its first block */
    size_t block, length;    /* nodes of a block; of the ranges that are being divided among threads */
    const mcd_fill *limit;
    atomic_uint_least64_t up_count, triangle_count;
    mcd_arc *next; /* where each node's next head is stored */
    uint32_t *depth, *up_depth;
    mcd_node *up_head;
} tree_run;

static const mcd_fill no_limit = {.up_count = UINT64_MAX, .triangle_count = UINT64_MAX};

static bool is_beyond(const tree_run *run)
{
    return run->up_count > run->limit->up_count || run->triangle_count > run->limit->triangle_count;
}

/* Returns the largest neighbour of v, or 0. */
static inline mcd_node farthest_of(const elimination *of, mcd_node v)
{
    mcd_node farthest = 0;
    for (int side = 0; side < 2 && of->first[side]; ++side) {
        const mcd_arc first = of->first[side][v], last = of->first[side][v + 1];
        for (mcd_arc i = last; i-- > first && (i + 1 == last || !of->ascends);)
            if (of->neighbour[side][i] > farthest) farthest = of->neighbour[side][i];
    }
    return farthest;
}

/* Returns whether v is closed within the range that ends before `range_end`, and then sets its end. The larger nodes of the range
 * have been tried. */
static bool try_close(const tree_run *run, mcd_node v, size_t range_end)
{
    const mcd_node farthest = farthest_of(run->of, v);
    mcd_node end = v + 1;
    if (farthest >= range_end) return false;
    while (end <= farthest) {
        const mcd_node next = run->end[end];
        if (next <= end) return false;
        end = next;
    }
    run->end[v] = end;
    return true;
}

/* Counts v in the rows of the nodes whose upward neighbour it is, and finds of which of them it is the parent. */
static void count_row(const tree_run *run, mcd_node v, mcd_fill *fill)
{
    const elimination *const of = run->of;
    mcd_node *const parent = run->parent, *const mark = run->mark;
    uint32_t *const count = run->count, level = 0;
    uint64_t up_count = 0, triangle_count = 0;
    count[v] = 0, mark[v] = v, parent[v] = MCD_NODE_NONE;
    for (int side = 0; side < 2 && of->first[side]; ++side)
        for (mcd_arc i = of->first[side][v], last = of->first[side][v + 1]; i < last; ++i)
            for (mcd_node w = of->neighbour[side][i], next; w > v && mark[w] != v; w = next) {
                mark[w] = v;
                triangle_count += count[w]++;
                ++up_count;
                next = parent[w];
                if (next != MCD_NODE_NONE) continue;
                parent[w] = v;
                if (run->level && level <= run->level[w]) level = run->level[w] + 1;
                break;
            }
    if (run->level) run->level[v] = level;
    fill->up_count += up_count, fill->triangle_count += triangle_count;
}

static void add_open(const tree_run *run, open_nodes *open, mcd_node v)
{
    if (open->first == MCD_NODE_NONE)
        open->first = v;
    else
        run->end[open->last] = v;
    run->end[v] = open->last = v;
}

/* Adds what a task has found to the whole. Returns whether the work goes on. */
static bool report_fill(tree_run *run, mcd_fill *fill)
{
    atomic_fetch_add_explicit(&run->up_count, fill->up_count, memory_order_relaxed);
    atomic_fetch_add_explicit(&run->triangle_count, fill->triangle_count, memory_order_relaxed);
    *fill = (mcd_fill){0};
    return !is_beyond(run) && mcd_watch_goes_on(run->watch);
}

/* The nodes that are open in the right half of a range are open in the range. */
static void count_range(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    tree_run *const run = argument;
    const size_t first = index * run->length, middle = first + run->length / 2,
                 end = mcd_size_min(first + run->length, run->of->node_count);
    open_nodes *const open = run->open + first / run->block, still_open = {MCD_NODE_NONE, MCD_NODE_NONE};
    const bool is_block = run->length == run->block;
    mcd_fill fill = {0};
    size_t steps = 0;
    if (is_block)
        open->first = (mcd_node)end - 1;
    else if (middle < end)
        still_open = run->open[middle / run->block];
    for (mcd_node v = open->first, next; v != MCD_NODE_NONE; v = next) {
        next = is_block ? (v > first ? v - 1 : v) : run->end[v];
        if (next == v) next = MCD_NODE_NONE;
        if (try_close(run, v, end))
            count_row(run, v, &fill);
        else
            add_open(run, &still_open, v);
        if (fill.up_count + ++steps < WATCHED_ARCS) continue;
        if (!report_fill(run, &fill)) return;
        steps = 0;
    }
    *open = still_open;
    report_fill(run, &fill);
}

/* Finds parents, ends, counts of upward neighbours and levels; ends early if the fill is beyond its limit. */
static macadam_status find_tree(tree_run *run, macadam_error *error)
{
    const size_t node_count = run->of->node_count;
    MCD_OWNED open_nodes *open = NULL;
    run->block = mcd_range_length(run->parallel, node_count, ITEMS_PER_TASK);
    MCD_TRY(MCD_NEW(open, node_count / run->block + 1, error));
    run->open = open;
    run->up_count = run->triangle_count = 0;
    for (run->length = run->block;; run->length *= 2) {
        const size_t count = (node_count + run->length - 1) / run->length;
        MCD_TRY(mcd_watch_for(run->watch, run->parallel, count, count_range, run, error));
        if (count <= 1 || is_beyond(run)) return MACADAM_OK;
    }
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
    MCD_OWNED mcd_node *turn = NULL, *parent = NULL, *mark = NULL, *count = NULL, *end = NULL;
    if (!limit) limit = &no_limit;
    *id_of = NULL, *fill = (mcd_fill){0};
    MCD_TRY(MCD_NEW(turn, node_count, error));
    MCD_TRY(MCD_NEW(parent, node_count, error));
    MCD_TRY(MCD_NEW(mark, node_count, error));
    MCD_TRY(MCD_NEW(count, node_count, error));
    MCD_TRY(MCD_NEW(end, node_count, error));
    graph.turn = turn;
    MCD_TRY(fill_turn_graph(&graph, arc_count, parallel, watch, error));
    const elimination by_turn = {node_count, {graph.first}, {graph.later}, false};
    tree_run run = {&by_turn,     parallel,   watch,          .parent = parent,
                    .mark = mark, .end = end, .count = count, .limit = limit};
    MCD_TRY(find_tree(&run, error));
    fill->up_count = run.up_count, fill->triangle_count = run.triangle_count;
    if (is_beyond(&run)) return MACADAM_OK;
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

/* Stores v as the next head of the nodes whose upward neighbour it is. */
static void store_row(const tree_run *run, mcd_node v)
{
    const elimination *const of = run->of;
    const mcd_node *const parent = run->parent;
    mcd_node *const mark = run->mark;
    const uint32_t depth = parent[v] == MCD_NODE_NONE ? 0 : run->depth[parent[v]] + 1;
    run->depth[v] = depth;
    for (int side = 0; side < 2; ++side) {
        const mcd_node *const neighbour = of->neighbour[side];
        for (mcd_arc i = of->first[side][v], last = of->first[side][v + 1]; i < last; ++i)
            for (mcd_node w = neighbour[i]; w > v && mark[w] != v; w = parent[w]) {
                const mcd_arc at = run->next[w]++;
                mark[w] = v;
                run->up_head[at] = v;
                run->up_depth[at] = depth;
            }
    }
}

/* Of a range, stores the nodes that are closed within it, but not within its left half: its right half has no such nodes. */
static void store_range(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const tree_run *const run = argument;
    const size_t first = index * run->length, end = mcd_size_min(first + run->length, run->of->node_count);
    const bool is_block = run->length == run->block;
    const size_t middle = mcd_size_min(first + run->length / 2, end), half_end = is_block ? first : middle;
    for (size_t v = first, steps = 0; v < (is_block ? end : middle);) {
        if (run->end[v] <= half_end) {
            v = run->end[v];
        } else {
            if (run->end[v] <= end) store_row(run, (mcd_node)v);
            ++v;
        }
        if (++steps % WATCHED_NODES == 0 && !mcd_watch_goes_on(run->watch)) return;
    }
}

/* Stores the rows of large ranges first: each node's heads are then stored in ascending order, and parents have depths before
 * their children. */
static macadam_status store_up_arcs(tree_run *run, macadam_error *error)
{
    const size_t node_count = run->of->node_count;
    memset(run->mark, 0xff, node_count * sizeof *run->mark); /* MCD_NODE_NONE */
    for (; run->length >= run->block; run->length /= 2) {
        const size_t count = (node_count + run->length - 1) / run->length;
        MCD_TRY(mcd_watch_for(run->watch, run->parallel, count, store_range, run, error));
    }
    return MACADAM_OK;
}

/* The depths are not known yet: their memory holds the counts. first_up[v + 1] begins as the place of v's first head, and ends as the
 * place after its last. Returns E_INVALID if the fill is beyond its limit. */
static macadam_status build_up_arcs(hierarchy_arrays *out, const mcd_graph *graph, mcd_node *mark,
                                    const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    const mcd_node node_count = graph->node_count;
    const mcd_fill limit = mcd_hierarchy_limit(node_count, graph->arc_count);
    const elimination by_id = {
        node_count, {graph->first_out, graph->first_in}, {graph->head, graph->tail}, true};
    tree_run run = {&by_id,
                    parallel,
                    watch,
                    .parent = out->parent,
                    .mark = mark,
                    .end = out->subtree_end,
                    .count = out->depth,
                    .level = out->level,
                    .limit = &limit,
                    .next = out->first_up + 1,
                    .depth = out->depth};
    MCD_TRY(find_tree(&run, error));
    if (is_beyond(&run))
        return mcd_fail_invalid(error, "the hierarchy is larger than that of a road network of %u nodes",
                                node_count);
    out->first_up[0] = 0;
    mcd_arc up_count = 0;
    for (mcd_node v = 0; v < node_count; up_count += out->depth[v++]) run.next[v] = up_count;
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), out->up_head, up_count, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), out->up_depth, up_count, error));
    run.up_head = out->up_head, run.up_depth = out->up_depth;
    return store_up_arcs(&run, error);
}

/* Supernodes are counted in ranges of nodes, and then listed. */
typedef struct supernode_run {
    const mcd_node *parent;
    const mcd_arc *first_up;
    mcd_node *count; /* [ranges + 1]: of each range; then, of all ranges before it */
    mcd_node *first; /* [supernodes], once they are counted */
} supernode_run;

static void find_supernodes(void *argument, size_t first, size_t end)
{
    const supernode_run *const run = argument;
    const mcd_arc *const first_up = run->first_up;
    const size_t range = first / ITEMS_PER_TASK;
    mcd_node at = run->first ? run->count[range] : 0;
    for (size_t v = first; v < end; ++v) {
        if (v > 0 && run->parent[v] == v - 1 &&
            first_up[v + 1] - first_up[v] == first_up[v] - first_up[v - 1] + 1)
            continue;
        if (run->first) run->first[at] = (mcd_node)v;
        ++at;
    }
    if (!run->first) run->count[range + 1] = at;
}

static macadam_status list_supernodes(hierarchy_arrays *out, const mcd_parallel *parallel, mcd_watch *watch,
                                      macadam_error *error)
{
    MCD_OWNED mcd_node *count = NULL;
    supernode_run run = {.parent = out->parent, .first_up = out->first_up};
    mcd_ranges nodes = {out->hierarchy.node_count, ITEMS_PER_TASK, find_supernodes, &run};
    const size_t ranges = mcd_ranges_count(&nodes);
    MCD_TRY(MCD_NEW_ZEROED(count, ranges + 1, error));
    run.count = count;
    MCD_TRY(mcd_watch_for(watch, parallel, ranges, mcd_ranges_do, &nodes, error));
    for (size_t range = 0; range < ranges; ++range) count[range + 1] += count[range];
    out->hierarchy.supernode_count = count[ranges];
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(out), out->supernode_first, (size_t)count[ranges] + 1, error));
    out->supernode_first[count[ranges]] = out->hierarchy.node_count;
    run.first = out->supernode_first;
    return mcd_watch_for(watch, parallel, ranges, mcd_ranges_do, &nodes, error);
}

/* Finds the bottom subtrees, and the height: that of the tree at their nodes. root: NULL, or where to store their roots. */
static void find_bottoms(hierarchy_arrays *out, mcd_node *root)
{
    mcd_hierarchy *const hierarchy = &out->hierarchy;
    hierarchy->bottom_count = 0;
    for (mcd_node v = 0; v < hierarchy->node_count;) {
        if (out->subtree_end[v] - v > MCD_BOTTOM_NODES) {
            ++v;
            continue;
        }
        const uint32_t height = out->depth[v] + out->level[v] + 1;
        if (height > hierarchy->height) hierarchy->height = height;
        if (root) root[hierarchy->bottom_count] = v;
        ++hierarchy->bottom_count;
        v = out->subtree_end[v];
    }
}

MCD_DEFINE_FREE_AT(free_arrays, hierarchy_arrays, mcd_answer_free)

macadam_status mcd_hierarchy_new(mcd_hierarchy **out, const mcd_graph *graph, const mcd_parallel *parallel,
                                 mcd_watch *watch, macadam_error *error)
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
    watch = mcd_watch_find(watch);
    MCD_TRY(build_up_arcs(arrays, graph, mark, parallel, watch, error));
    MCD_TRY(list_supernodes(arrays, parallel, watch, error));
    find_bottoms(arrays, NULL);
    MCD_TRY(MCD_ARENA_NEW(memory, arrays->bottom_root, hierarchy->bottom_count, error));
    find_bottoms(arrays, arrays->bottom_root);
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
