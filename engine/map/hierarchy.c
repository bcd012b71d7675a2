/* hierarchy.c - see hierarchy.h. */
#include "engine/map/hierarchy.h"

#include "engine/base/memory.h"

#include <string.h>

/* ---- preorder of the elimination tree, over ranks ---- */

/* For each rank, the lower ranks it has an arc with, by CSR. */
typedef struct rank_graph {
    mcd_node count;
    mcd_arc *first;
    mcd_node *lower;
} rank_graph;

static macadam_status rank_graph_new(rank_graph *out, mcd_node node_count, const mcd_node *tail,
                                     const mcd_node *head, size_t arc_count, const mcd_node *rank,
                                     macadam_error *error)
{
    *out = (rank_graph){.count = node_count};
    MCD_TRY(MCD_NEW_ZEROED(out->first, (size_t)node_count + 2, error));
    MCD_TRY(MCD_NEW(out->lower, arc_count, error));
    mcd_arc *first = out->first;
    for (size_t arc = 0; arc < arc_count; ++arc) {
        const mcd_node a = rank[tail[arc]], b = rank[head[arc]];
        if (a != b) ++first[(size_t)(a > b ? a : b) + 2];
    }
    for (size_t r = 0; r < node_count; ++r) first[r + 2] += first[r + 1];
    for (size_t arc = 0; arc < arc_count; ++arc) {
        const mcd_node a = rank[tail[arc]], b = rank[head[arc]];
        if (a != b) out->lower[first[(size_t)(a > b ? a : b) + 1]++] = a > b ? b : a;
    }
    return MACADAM_OK;
}

/* Finds the parents in the tree; count[r] = upward neighbours of r, whose sum is returned. A rank is an
 * upward neighbour of exactly the nodes on the tree paths from its lower neighbours to itself (its row
 * subtree), and the parent of the roots that these paths come to so far. (Liu 1990) */
static uint64_t find_tree_and_fill(const rank_graph *graph, mcd_node *parent, mcd_node *mark, mcd_node *count)
{
    uint64_t total = 0;
    for (mcd_node r = 0; r < graph->count; ++r) {
        count[r] = 0, mark[r] = r, parent[r] = MCD_NODE_NONE;
        for (mcd_arc i = graph->first[r]; i < graph->first[r + 1]; ++i)
            for (mcd_node w = graph->lower[i]; mark[w] != r; w = parent[w]) {
                mark[w] = r;
                ++count[w];
                ++total;
                if (parent[w] == MCD_NODE_NONE) parent[w] = r;
            }
    }
    return total;
}

/* id[r]: a preorder in which the child that continues its parent's supernode (it has the parent and all of
 * the parent's upward neighbours as its own) comes first. `size` and `next` are scratch. */
static void number_preorder(mcd_node node_count, const mcd_node *parent, const mcd_node *count,
                            mcd_node *size, mcd_node *next, mcd_node *id)
{
    mcd_node next_root = 0, *continuing = next;
    for (mcd_node r = 0; r < node_count; ++r) size[r] = 1, continuing[r] = MCD_NODE_NONE;
    for (mcd_node r = 0; r < node_count; ++r) {
        const mcd_node p = parent[r];
        if (p == MCD_NODE_NONE) continue;
        size[p] += size[r];
        if (count[r] == count[p] + 1) continuing[p] = r;
    }
    for (mcd_node r = node_count; r-- > 0;) {
        const mcd_node p = parent[r], first_child = continuing[r];
        if (p == MCD_NODE_NONE) {
            id[r] = next_root;
            next_root += size[r];
        } else if (id[r] == MCD_NODE_NONE) {
            id[r] = next[p];
            next[p] += size[r];
        }
        next[r] = id[r] + 1; /* takes over the slot of `continuing`, which is read */
        if (first_child != MCD_NODE_NONE) {
            id[first_child] = next[r];
            next[r] += size[first_child];
        }
    }
}

macadam_status mcd_hierarchy_preorder(mcd_node **id_of, uint64_t *up_count, mcd_node node_count,
                                      const mcd_node *tail, const mcd_node *head, size_t arc_count,
                                      const mcd_node *order, const mcd_progress *progress,
                                      macadam_error *error)
{
    *id_of = NULL, *up_count = 0;
    rank_graph graph = {0};
    mcd_node *rank = NULL, *parent = NULL, *a = NULL, *b = NULL, *id = NULL;
    macadam_status status;
    if ((status = MCD_NEW(rank, node_count, error)) || (status = MCD_NEW(parent, node_count, error)) ||
        (status = MCD_NEW(a, node_count, error)) || (status = MCD_NEW(b, node_count, error)) ||
        (status = MCD_NEW(id, node_count, error)))
        goto done;
    for (mcd_node r = 0; r < node_count; ++r) rank[order[r]] = r;
    if ((status = mcd_progress_step(progress, "elimination tree", 0, 2, error))) goto done;
    if ((status = rank_graph_new(&graph, node_count, tail, head, arc_count, rank, error))) goto done;
    if ((status = mcd_progress_step(progress, "elimination tree", 1, 2, error))) goto done;
    mcd_node *count = b;
    *up_count = find_tree_and_fill(&graph, parent, a, count);
    mcd_free(graph.first), mcd_free(graph.lower);
    graph = (rank_graph){0};
    mcd_node *next;
    if ((status = MCD_NEW(next, node_count, error))) goto done;
    for (mcd_node r = 0; r < node_count; ++r) id[r] = MCD_NODE_NONE;
    number_preorder(node_count, parent, count, a, next, id);
    mcd_free(next);
    for (mcd_node node = 0; node < node_count; ++node) parent[node] = id[rank[node]];
    *id_of = parent, parent = NULL;
done:
    mcd_free(graph.first);
    mcd_free(graph.lower);
    mcd_free(rank);
    mcd_free(parent);
    mcd_free(a);
    mcd_free(b);
    mcd_free(id);
    return status;
}

/* ---- the hierarchy, over preorder ids ---- */

typedef struct hierarchy_arrays {
    mcd_hierarchy hierarchy;
    mcd_node *parent, *subtree_end, *up_head, *supernode_first, *bottom_root;
    uint32_t *depth, *level;
    mcd_arc *first_up;
} hierarchy_arrays;

/* One node's neighbours by arcs out of it, or into it. */
typedef struct neighbour_list {
    const mcd_node *node;
    mcd_arc first, end;
} neighbour_list;

static neighbour_list neighbours_of(const mcd_graph *graph, mcd_node v, int side)
{
    if (side == 0) return (neighbour_list){graph->head, graph->first_out[v], graph->first_out[v + 1]};
    return (neighbour_list){graph->tail, graph->first_in[v], graph->first_in[v + 1]};
}

/* Finds the parents, and how many upward neighbours each node has: as find_tree_and_fill, where a larger
 * id is eliminated earlier. count: zeroed. */
static void find_tree(const mcd_graph *graph, mcd_node *parent, mcd_node *mark, mcd_arc *count)
{
    for (mcd_node v = graph->node_count; v-- > 0;) {
        mark[v] = v, parent[v] = MCD_NODE_NONE;
        for (int side = 0; side < 2; ++side) {
            const neighbour_list list = neighbours_of(graph, v, side);
            for (mcd_arc i = list.first; i < list.end; ++i)
                for (mcd_node w = list.node[i]; w > v && mark[w] != v; w = parent[w]) {
                    mark[w] = v;
                    ++count[w];
                    if (parent[w] == MCD_NODE_NONE) parent[w] = v;
                }
        }
    }
}

/* v ascends, so each node's heads are stored ascending. next: where each goes on. */
static void store_up_arcs(const mcd_graph *graph, const mcd_node *parent, mcd_node *mark, mcd_arc *next,
                          mcd_node *up_head)
{
    for (mcd_node v = 0; v < graph->node_count; ++v) mark[v] = MCD_NODE_NONE;
    for (mcd_node v = 0; v < graph->node_count; ++v)
        for (int side = 0; side < 2; ++side) {
            const neighbour_list list = neighbours_of(graph, v, side);
            for (mcd_arc i = list.first; i < list.end; ++i)
                for (mcd_node w = list.node[i]; w > v && mark[w] != v; w = parent[w]) {
                    mark[w] = v;
                    up_head[next[w]++] = v;
                }
        }
}

/* Counts into first_up[v + 1], sums up, fills with first_up[v] as cursors and shifts them back. */
static macadam_status build_up_arcs(hierarchy_arrays *out, const mcd_graph *graph, mcd_node *mark,
                                    macadam_error *error)
{
    const mcd_node node_count = graph->node_count;
    mcd_arc *first_up = out->first_up;
    memset(first_up, 0, ((size_t)node_count + 1) * sizeof *first_up);
    find_tree(graph, out->parent, mark, first_up + 1);
    for (mcd_node v = 0; v < node_count; ++v) first_up[v + 1] += first_up[v];
    MCD_TRY(MCD_NEW(out->up_head, first_up[node_count], error));
    store_up_arcs(graph, out->parent, mark, first_up, out->up_head);
    memmove(first_up + 1, first_up, node_count * sizeof *first_up);
    first_up[0] = 0;
    return MACADAM_OK;
}

static void measure_tree(hierarchy_arrays *out)
{
    const mcd_node node_count = out->hierarchy.node_count, *parent = out->parent;
    for (mcd_node v = 0; v < node_count; ++v) {
        out->depth[v] = parent[v] == MCD_NODE_NONE ? 0 : out->depth[parent[v]] + 1;
        if (out->depth[v] >= out->hierarchy.height) out->hierarchy.height = out->depth[v] + 1;
        out->level[v] = 0;
        out->subtree_end[v] = v + 1;
    }
    for (mcd_node v = node_count; v-- > 0;) {
        const mcd_node p = parent[v];
        if (p == MCD_NODE_NONE) continue;
        if (out->level[p] <= out->level[v]) out->level[p] = out->level[v] + 1;
        if (out->subtree_end[p] < out->subtree_end[v]) out->subtree_end[p] = out->subtree_end[v];
    }
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

static macadam_status list_parts(hierarchy_arrays *out, macadam_error *error)
{
    mcd_hierarchy *hierarchy = &out->hierarchy;
    for (mcd_node v = 0; v < hierarchy->node_count; ++v) {
        hierarchy->supernode_count += begins_supernode(out, v);
        hierarchy->bottom_count += is_bottom_root(out, v);
    }
    MCD_TRY(MCD_NEW(out->supernode_first, (size_t)hierarchy->supernode_count + 1, error));
    MCD_TRY(MCD_NEW(out->bottom_root, hierarchy->bottom_count, error));
    mcd_node supernode = 0, bottom = 0;
    for (mcd_node v = 0; v < hierarchy->node_count; ++v) {
        if (begins_supernode(out, v)) out->supernode_first[supernode++] = v;
        if (is_bottom_root(out, v)) out->bottom_root[bottom++] = v;
    }
    out->supernode_first[supernode] = hierarchy->node_count;
    return MACADAM_OK;
}

macadam_status mcd_hierarchy_new(mcd_hierarchy **out, const mcd_graph *graph, macadam_error *error)
{
    *out = NULL;
    const mcd_node node_count = graph->node_count;
    hierarchy_arrays *arrays;
    MCD_TRY(MCD_NEW_ZEROED(arrays, 1, error));
    mcd_hierarchy *hierarchy = &arrays->hierarchy;
    hierarchy->node_count = node_count;
    macadam_status status;
    mcd_node *mark = NULL;
    if ((status = MCD_NEW(arrays->parent, node_count, error)) ||
        (status = MCD_NEW(arrays->depth, node_count, error)) ||
        (status = MCD_NEW(arrays->level, node_count, error)) ||
        (status = MCD_NEW(arrays->subtree_end, node_count, error)) ||
        (status = MCD_NEW(arrays->first_up, (size_t)node_count + 1, error)) ||
        (status = MCD_NEW(mark, node_count, error)))
        goto done;
    if ((status = build_up_arcs(arrays, graph, mark, error))) goto done;
    measure_tree(arrays);
    status = list_parts(arrays, error);
done:
    mcd_free(mark);
    hierarchy->parent = arrays->parent, hierarchy->depth = arrays->depth, hierarchy->level = arrays->level;
    hierarchy->subtree_end = arrays->subtree_end, hierarchy->first_up = arrays->first_up;
    hierarchy->up_head = arrays->up_head, hierarchy->supernode_first = arrays->supernode_first;
    hierarchy->bottom_root = arrays->bottom_root;
    if (status) {
        mcd_hierarchy_free(hierarchy);
        return status;
    }
    *out = hierarchy;
    return MACADAM_OK;
}

void mcd_hierarchy_free(mcd_hierarchy *hierarchy)
{
    if (!hierarchy) return;
    hierarchy_arrays *arrays = (hierarchy_arrays *)hierarchy; /* its first member */
    mcd_free(arrays->parent);
    mcd_free(arrays->depth);
    mcd_free(arrays->level);
    mcd_free(arrays->subtree_end);
    mcd_free(arrays->first_up);
    mcd_free(arrays->up_head);
    mcd_free(arrays->supernode_first);
    mcd_free(arrays->bottom_root);
    mcd_free(arrays);
}
