/* check_hierarchy.c - see check.h: the rules of the elimination tree, the upward arcs and the kept arcs. */
#include "engine/file/check_rule.h"

#include <stdio.h>

enum { BINARY_SEARCH_RATIO = 16 };

/* ---- the hierarchy ---- */

/* The subtrees of x's children must divide the rest of x's subtree among them. If this holds for every node,
 * and the roots divide all nodes, every node has one place in one tree, and ids are its preorder. */
static inline bool children_rule(const mcd_hierarchy *tree, mcd_node x, mcd_finding *out)
{
    const mcd_node end = tree->subtree_end[x];
    mcd_node child = x + 1;
    while (child < end) {
        if (tree->parent[child] != x)
            return mcd_broken(out, "parent", child, tree->parent[child], "the tree is not a preorder");
        const mcd_node next = tree->subtree_end[child];
        if (next <= child) return mcd_broken(out, "subtree_end", child, next, "not above its node");
        child = next;
    }
    if (child != end) return mcd_broken(out, "subtree_end", x, end, "its children's subtrees end elsewhere");
    return false;
}

static inline bool tree_rule(const void *argument, size_t index, mcd_finding *out)
{
    const mcd_hierarchy *tree = argument;
    const mcd_node x = (mcd_node)index, parent = tree->parent[x], end = tree->subtree_end[x];
    if (parent != MCD_NODE_NONE && parent >= x)
        return mcd_broken(out, "parent", x, parent, "not below its child");
    if (end <= x || end > tree->node_count)
        return mcd_broken(out, "subtree_end", x, end, "not above its node, or no node");
    const uint32_t depth = parent == MCD_NODE_NONE ? 0 : tree->depth[parent] + 1;
    if (tree->depth[x] != depth)
        return mcd_broken(out, "depth", x, tree->depth[x], "not one more than its parent's");
    if (depth >= tree->height) return mcd_broken(out, "depth", x, depth, "not below the tree's height");
    return children_rule(tree, x, out);
}
MCD_SCAN_OF(tree_rule)

/* A tree whose nodes have right depths and lie within their parents' subtrees. */
typedef struct nesting {
    const mcd_hierarchy *tree;
    _Atomic uint64_t
        excess; /* of the sum of all subtrees' nodes over the sum of all nodes' ancestors; both include the node */
} nesting;

/* Rejects what is not nested, without a branch for each node. */
static size_t nesting_scan(const void *argument, size_t first, size_t last)
{
    nesting *const out = (nesting *)(uintptr_t)argument;
    const mcd_hierarchy *const tree = out->tree;
    uint64_t excess = 0, below = 0 /* its top bit: of a difference */, other = 0;
    for (size_t x = first; x < last; ++x) {
        const uint64_t parent = tree->parent[x], end = tree->subtree_end[x], has_parent = parent < x,
                       over = has_parent ? parent : x, depth = tree->depth[over] + has_parent;
        below |= (end - x - 1) | (tree->subtree_end[over] - end) | (tree->node_count - end) |
                 (tree->height - UINT64_C(1) - depth);
        other |= (tree->depth[x] ^ depth) | (has_parent ? 0 : (parent ^ MCD_NODE_NONE) | depth);
        excess += end - x - depth - 1;
    }
    atomic_fetch_add_explicit(&out->excess, excess, memory_order_relaxed);
    return below >> 63 | other ? first : last;
}

/* Returns whether the tree is a preorder. Each node is within the subtrees of its ancestors; if these are as many as the subtrees
 * that it is within, it is within no other, so that each subtree is its root's descendants. */
static bool is_preorder(mcd_check check, const mcd_hierarchy *tree)
{
    nesting found = {.tree = tree};
    return mcd_check_scan(check, nesting_scan, &found, tree->node_count) == tree->node_count &&
           found.excess == 0;
}

static macadam_status check_roots(mcd_check check, const mcd_hierarchy *tree)
{
    for (mcd_node root = 0; root < tree->node_count; root = tree->subtree_end[root])
        if (tree->parent[root] != MCD_NODE_NONE) {
            const mcd_finding found = {"parent", root, tree->parent[root], false,
                                       "the tree is not a preorder"};
            return mcd_check_fail(check, "", &found);
        }
    return MACADAM_OK;
}

static inline bool level_rule(const void *argument, size_t x, mcd_finding *out)
{
    const mcd_hierarchy *tree = argument;
    uint32_t level = 0;
    for (mcd_node child = (mcd_node)x + 1; child < tree->subtree_end[x]; child = tree->subtree_end[child])
        if (tree->level[child] >= level) level = tree->level[child] + 1;
    return tree->level[x] != level &&
           mcd_broken(out, "level", x, tree->level[x], "not one above its highest child");
}
MCD_SCAN_OF(level_rule)

static bool contains(const mcd_node *ascending, size_t count, mcd_node wanted)
{
    const size_t at = mcd_lower_bound_u32(ascending, 0, count, wanted);
    return at < count && ascending[at] == wanted;
}

/* Returns the index of the first element of `part` that `whole` lacks, else part_count. Both ascend. Time:
 * linear only in `part` (and a logarithm), because in a hostile file very many nodes may share one long
 * `whole`. */
static size_t find_missing(const mcd_node *part, size_t part_count, const mcd_node *whole, size_t whole_count)
{
    if (part_count == whole_count && memcmp(part, whole, part_count * sizeof *part) == 0) return part_count;
    if (whole_count / BINARY_SEARCH_RATIO > part_count) {
        for (size_t i = 0; i < part_count; ++i)
            if (!contains(whole, whole_count, part[i])) return i;
        return part_count;
    }
    size_t i = 0;
    for (size_t j = 0; j < whole_count && i < part_count; ++j) i += whole[j] == part[i];
    return i;
}

/* By induction over ids the heads are ancestors: the last is the parent, and the others are the parent's
 * heads. */
static inline bool up_rule(const void *argument, size_t x, mcd_finding *out)
{
    const mcd_hierarchy *tree = argument;
    const mcd_arc first = tree->first_up[x];
    const mcd_node *head = tree->up_head + first, parent = tree->parent[x];
    const size_t count = tree->first_up[x + 1] - first;
    if (parent == MCD_NODE_NONE)
        return count > 0 && mcd_broken(out, "up_head", first, head[0], "an upward arc of a root");
    if (count == 0 || head[count - 1] != parent)
        return mcd_broken(out, "parent", x, parent, "not the last upward neighbour");
    for (size_t i = 1; i < count; ++i)
        if (head[i - 1] >= head[i])
            return mcd_broken(out, "up_head", first + i, head[i], "heads of one node do not ascend");
    const mcd_arc parent_first = tree->first_up[parent];
    const size_t missing = find_missing(head, count - 1, tree->up_head + parent_first,
                                        tree->first_up[parent + 1] - parent_first);
    return missing < count - 1 &&
           mcd_broken(out, "up_head", first + missing, head[missing], "no upward neighbour of the parent");
}
MCD_SCAN_OF(up_rule)

static inline bool supernode_order_rule(const void *argument, size_t s, mcd_finding *out)
{
    const mcd_hierarchy *tree = argument;
    const mcd_node first = tree->supernode_first[s], last = tree->supernode_first[s + 1];
    if (first >= last || last > tree->node_count)
        return mcd_broken(out, "supernode_first", s + 1, last, "not above the one before it, or no node");
    return false;
}
MCD_SCAN_OF(supernode_order_rule)

static inline bool supernode_rule(const void *argument, size_t s, mcd_finding *out)
{
    const mcd_hierarchy *tree = argument;
    const mcd_arc *first_up = tree->first_up;
    for (mcd_node x = tree->supernode_first[s] + 1; x < tree->supernode_first[s + 1]; ++x)
        if (tree->parent[x] != x - 1 || first_up[x + 1] - first_up[x] != first_up[x] - first_up[x - 1] + 1)
            return mcd_broken(out, "supernode_first", s, tree->supernode_first[s],
                              "its nodes are not a supernode");
    return false;
}
MCD_SCAN_OF(supernode_rule)

static macadam_status check_supernodes(mcd_check check, const mcd_hierarchy *tree)
{
    const mcd_node count = tree->supernode_count;
    const mcd_node ends[] = {0, tree->node_count};
    for (size_t i = 0; i < 2; ++i) {
        const mcd_finding found = {"supernode_first", i * count, tree->supernode_first[i * count], false,
                                   "supernodes do not cover the nodes"};
        if (found.value != ends[i]) return mcd_check_fail(check, "", &found);
    }
    MCD_TRY(MCD_CHECK_RULE(check, "", supernode_order_rule, tree, count));
    return MCD_CHECK_RULE(check, "", supernode_rule, tree, count);
}

static inline bool bottom_rule(const void *argument, size_t i, mcd_finding *out)
{
    const mcd_hierarchy *tree = argument;
    const mcd_node root = tree->bottom_root[i], before = i > 0 ? tree->bottom_root[i - 1] : 0;
    if (root >= tree->node_count) return mcd_broken(out, "bottom_root", i, root, "no node");
    if (i > 0 && before < tree->node_count && root < tree->subtree_end[before])
        return mcd_broken(out, "bottom_root", i, root, "not after the subtree before it");
    return false;
}
MCD_SCAN_OF(bottom_rule)

macadam_status mcd_check_tree(mcd_check check, const mcd_hierarchy *hierarchy)
{
    if (!is_preorder(check, hierarchy)) { /* these say why, or that the check was cancelled */
        MCD_TRY(MCD_CHECK_RULE(check, "", tree_rule, hierarchy, hierarchy->node_count));
        MCD_TRY(check_roots(check, hierarchy));
    }
    return MCD_CHECK_RULE(check, "", bottom_rule, hierarchy, hierarchy->bottom_count);
}

macadam_status mcd_check_upward(mcd_check check, const mcd_hierarchy *hierarchy, size_t up_count)
{
    const size_t node_count = hierarchy->node_count;
    MCD_TRY(mcd_check_offsets(check, "first_up", hierarchy->first_up, node_count, up_count));
    MCD_TRY(MCD_CHECK_RULE(check, "", level_rule, hierarchy, node_count));
    MCD_TRY(MCD_CHECK_RULE(check, "", up_rule, hierarchy, node_count));
    return check_supernodes(check, hierarchy);
}

static inline bool up_depth_rule(const void *argument, size_t up, mcd_finding *out)
{
    const mcd_hierarchy *tree = argument;
    return tree->up_depth[up] != tree->depth[tree->up_head[up]] &&
           mcd_broken(out, "up_depth", up, tree->up_depth[up], "not its head's depth");
}
MCD_SCAN_OF(up_depth_rule)

macadam_status mcd_check_up_depths(mcd_check check, const mcd_hierarchy *hierarchy)
{
    return MCD_CHECK_RULE(check, "", up_depth_rule, hierarchy, hierarchy->first_up[hierarchy->node_count]);
}

/* ---- input arcs ---- */

typedef struct input_arcs {
    const mcd_hierarchy *tree;
    const mcd_graph *graph;
} input_arcs;

/* Returns whether x has an upward arc to each of its smaller neighbours, which ascend. */
static bool has_arcs(const mcd_hierarchy *tree, size_t x, const mcd_node *neighbour, const mcd_arc *first)
{
    mcd_arc up = tree->first_up[x];
    const mcd_arc up_end = tree->first_up[x + 1];
    for (mcd_arc i = first[x]; i < first[x + 1] && neighbour[i] < x; ++i) {
        while (up < up_end && tree->up_head[up] < neighbour[i]) ++up;
        if (up == up_end || tree->up_head[up] != neighbour[i]) return false;
    }
    return true;
}

static inline bool input_rule(const void *argument, size_t x, mcd_finding *out)
{
    const input_arcs *const of = argument;
    return !(has_arcs(of->tree, x, of->graph->head, of->graph->first_out) &&
             has_arcs(of->tree, x, of->graph->tail, of->graph->first_in)) &&
           mcd_broken(out, "first_up", x, of->tree->first_up[x],
                      "an input arc of this node has no upward arc");
}
MCD_SCAN_OF(input_rule)

macadam_status mcd_check_inputs(mcd_check check, const mcd_hierarchy *hierarchy, const mcd_graph *graph)
{
    return MCD_CHECK_RULE(check, "", input_rule, &((input_arcs){hierarchy, graph}), graph->node_count);
}

/* ---- kept arcs ---- */

static const char no_cost[] = "not below the largest cost", no_weight[] = "above the largest weight";

typedef struct kept {
    const mcd_hierarchy *tree;
    const mcd_search *search;
} kept;

static inline bool kept_rule(const void *argument, size_t x, mcd_finding *out)
{
    const kept *a = argument;
    const mcd_search *search = a->search;
    const mcd_node *subtree_end = a->tree->subtree_end, *head = search->head;
    const mcd_arc first = search->first[x];
    for (mcd_arc i = first; i < search->first[x + 1]; ++i) {
        const mcd_node y = head[i];
        if (y >= x || subtree_end[y] <= x) return mcd_broken(out, ".head", i, y, "no ancestor of its node");
        if (i > first && head[i - 1] >= y)
            return mcd_broken(out, ".head", i, y, "heads of one node do not ascend");
        if (search->depth && search->depth[i] != a->tree->depth[y])
            return mcd_broken(out, ".depth", i, search->depth[i], "not its head's depth");
    }
    return false;
}
MCD_SCAN_OF(kept_rule)

macadam_status mcd_check_search(mcd_check check, const char *prefix, const mcd_hierarchy *hierarchy,
                                const mcd_search *search, size_t kept_count)
{
    char first_name[128];
    snprintf(first_name, sizeof first_name, "%s.first", prefix);
    MCD_TRY(mcd_check_offsets(check, first_name, search->first, hierarchy->node_count, kept_count));
    const kept argument = {hierarchy, search};
    MCD_TRY(MCD_CHECK_RULE(check, prefix, kept_rule, &argument, hierarchy->node_count));
    MCD_TRY(
        mcd_check_limit(check, prefix, ".objective", search->objective, kept_count, MCD_UNREACHED, no_cost));
    if (!search->companion) return MACADAM_OK;
    return mcd_check_limit(check, prefix, ".companion", search->companion, kept_count, MCD_UNREACHED + 1,
                           no_weight);
}

macadam_status mcd_check_search_at(mcd_check check, const char *prefix, const mcd_hierarchy *hierarchy,
                                   const mcd_search *search, mcd_node node)
{
    const kept argument = {hierarchy, search};
    const mcd_arc first = search->first[node], end = search->first[node + 1];
    mcd_finding found;
    bool is_broken = kept_rule(&argument, node, &found);
    for (mcd_arc i = first; i < end && !is_broken; ++i) {
        if (search->objective[i] >= MCD_UNREACHED)
            is_broken = mcd_broken(&found, ".objective", i, search->objective[i], no_cost);
        if (search->companion && search->companion[i] > MCD_UNREACHED)
            is_broken = mcd_broken(&found, ".companion", i, search->companion[i], no_weight);
    }
    return is_broken ? mcd_check_fail(check, prefix, &found) : MACADAM_OK;
}
