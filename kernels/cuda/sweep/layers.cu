/* layers.cu - see layers.h. Host code only.
 *
 * Method. From the bottom up: a node becomes the root of a piece if its subtree of nodes not yet taken is
 * small enough and its parent's is not; the nodes that remain are cut again. A layer's limit of rows is
 * raised to the need of its widest node, so that every layer takes some nodes. */
#include "kernels/cuda/sweep/layers.h"

enum {
    TOP_ROWS = 192,
    SPARE_ROWS = 32, /* rows above the need of a single node */
};

/* Bottom pieces of up to this many rows share a launch: pieces with fewer rows let more warps run
 * concurrently. */
static const uint32_t bottom_rows[] = {20, 28, 36, BOTTOM_ROWS};
enum { BOTTOM_CLASSES = sizeof bottom_rows / sizeof *bottom_rows };

/* A piece, and a layer, in the order of cutting: from the bottom up. */
struct found_piece {
    mcd_node root;
    uint32_t size, rows; /* size in nodes */
    size_t first_node;   /* of a top piece: its place in `taken` */
};

struct found_layer {
    size_t first_piece;
    uint32_t row_max;
};

struct layer_cut {
    const mcd_hierarchy *hierarchy = nullptr;
    host_array<mcd_node> left; /* [left_count] ascending: nodes not yet taken */
    size_t left_count = 0;
    host_array<uint32_t> size, height; /* per node: size and height of the subtree that is left */
    host_array<mcd_node> taken;        /* the top's nodes by layer and piece */
    size_t taken_count = 0;
    host_array<found_piece> piece;
    size_t piece_count = 0;
    host_array<found_layer> layer;
    size_t layer_count = 0;
};

static uint32_t degree(const mcd_hierarchy *hierarchy, mcd_node v)
{
    return (uint32_t)(hierarchy->first_up[v + 1] - hierarchy->first_up[v]);
}

/* Measures the subtrees that are left. Returns the largest number of upward neighbours of a node. */
static uint32_t measure(const layer_cut *cut)
{
    uint32_t widest = 0;
    for (size_t i = 0; i < cut->left_count; ++i) cut->size[cut->left[i]] = cut->height[cut->left[i]] = 1;
    for (size_t i = cut->left_count; i-- > 0;) {
        const mcd_node v = cut->left[i], p = cut->hierarchy->parent[v];
        if (degree(cut->hierarchy, v) > widest) widest = degree(cut->hierarchy, v);
        if (p == MCD_NODE_NONE) continue;
        cut->size[p] += cut->size[v];
        if (cut->height[p] <= cut->height[v]) cut->height[p] = cut->height[v] + 1;
    }
    return widest;
}

/* Takes the pieces of one layer. */
static void cut_layer(layer_cut *cut, uint32_t nodes_max, uint32_t rows_max)
{
    const mcd_hierarchy *hierarchy = cut->hierarchy;
    const bool is_bottom = cut->layer_count == 0;
    cut->layer.reserve(cut->layer_count, "the pieces of a sweep");
    found_layer *const layer = &cut->layer[cut->layer_count++];
    *layer = {cut->piece_count, 0};
    size_t kept = 0;
    mcd_node end = 0; /* the end of the current piece */
    for (size_t i = 0; i < cut->left_count; ++i) {
        const mcd_node v = cut->left[i];
        if (v >= end) {
            const uint32_t rows = degree(hierarchy, v) + cut->height[v];
            if (cut->size[v] > nodes_max || rows > rows_max) {
                cut->left[kept++] = v;
                continue;
            }
            end = hierarchy->subtree_end[v];
            cut->piece.reserve(cut->piece_count, "the pieces of a sweep");
            cut->piece[cut->piece_count++] = {v, cut->size[v], rows, cut->taken_count};
            if (rows > layer->row_max) layer->row_max = rows;
        }
        if (!is_bottom) cut->taken[cut->taken_count++] = v;
    }
    cut->left_count = kept;
}

static void cut_all(layer_cut *cut)
{
    const mcd_node node_count = cut->hierarchy->node_count;
    cut->left.allocate(node_count, "the pieces of a sweep");
    cut->size.allocate(node_count, "the pieces of a sweep");
    cut->height.allocate(node_count, "the pieces of a sweep");
    for (mcd_node v = 0; v < node_count; ++v) cut->left[v] = v;
    cut->left_count = node_count;
    measure(cut);
    cut_layer(cut, PIECE_NODES_MAX, BOTTOM_ROWS);
    cut->taken.allocate(cut->left_count, "the pieces of a sweep");
    while (cut->left_count > 0) {
        const uint32_t enough = measure(cut) + SPARE_ROWS;
        cut_layer(cut, TOP_NODES, enough > TOP_ROWS ? enough : (uint32_t)TOP_ROWS);
    }
}

/* The host's copies of the arrays of sweep_layers. */
struct layer_arrays {
    host_array<mcd_node> root;
    host_array<top_node> top;
    host_array<uint32_t> first_walk, first_boundary, boundary;
    host_array<uint32_t> row; /* [node_count]: rows of the top's nodes */
    size_t boundary_count = 0;
};

/* The place of the next piece. */
struct layout_end {
    uint32_t piece, walk;
};

/* Lays out as one launch those of the pieces first <= p < end that need more than `above` rows and at most
 * `rows`. */
static void lay_out_launch(const layer_cut *cut, size_t first, size_t end, uint32_t above, uint32_t rows,
                           bool is_top, sweep_layers *layers, layer_arrays *out, layout_end *at)
{
    sweep_layer launch = {at->piece, 0, 0, is_top};
    for (size_t p = first; p < end; ++p) {
        const found_piece *found = &cut->piece[p];
        if (found->rows <= above || found->rows > rows) continue;
        const uint32_t needed = is_top ? degree(cut->hierarchy, found->root) + found->size : found->rows;
        if (needed > launch.row_max) launch.row_max = needed;
        out->root[at->piece] = found->root;
        out->first_walk[at->piece] = at->walk;
        for (uint32_t i = 0; i < found->size && is_top; ++i) {
            const mcd_node v = cut->taken[found->first_node + i];
            out->row[v] = at->walk + i;
            out->top[at->walk + i] = {v, cut->hierarchy->subtree_end[v], cut->hierarchy->depth[v]};
        }
        at->walk += found->size;
        ++launch.piece_count;
        out->first_boundary[++at->piece] = degree(cut->hierarchy, found->root);
    }
    if (launch.piece_count > 0) layers->layer[layers->layer_count++] = launch;
}

/* Lays out the layers from the top down. */
static void lay_out(const layer_cut *cut, sweep_layers *layers, layer_arrays *out)
{
    layout_end at = {0, 0};
    for (size_t l = cut->layer_count; l-- > 1;) {
        const size_t end = l + 1 < cut->layer_count ? cut->layer[l + 1].first_piece : cut->piece_count;
        lay_out_launch(cut, cut->layer[l].first_piece, end, 0, UINT32_MAX, true, layers, out, &at);
    }
    const size_t end = cut->layer_count > 1 ? cut->layer[1].first_piece : cut->piece_count;
    /* the largest first: at the end of a sweep few others would run beside them */
    for (size_t c = BOTTOM_CLASSES; c-- > 0;)
        lay_out_launch(cut, 0, end, c ? bottom_rows[c - 1] : 0, bottom_rows[c], false, layers, out, &at);
    out->first_walk[at.piece] = at.walk;
}

static void list_boundaries(const mcd_hierarchy &hierarchy, size_t pieces, layer_arrays *out)
{
    size_t count = 0;
    for (size_t p = 0; p < pieces; ++p) count += out->first_boundary[p + 1];
    if (count > UINT32_MAX)
        fail(MACADAM_E_DEVICE, "%zu boundary nodes are more than a sweep can name", count);
    out->first_boundary[0] = 0;
    for (size_t p = 0; p < pieces; ++p) out->first_boundary[p + 1] += out->first_boundary[p];
    out->boundary.allocate(count, "the pieces of a sweep");
    for (size_t p = 0; p < pieces; ++p)
        for (uint32_t i = out->first_boundary[p]; i < out->first_boundary[p + 1]; ++i)
            out->boundary[i] =
                out->row[hierarchy.up_head[hierarchy.first_up[out->root[p]] + i - out->first_boundary[p]]];
    out->boundary_count = count;
}

static void make_arrays(const layer_cut *cut, sweep_layers *layers, layer_arrays *out)
{
    const size_t pieces = cut->piece_count, top = cut->taken_count;
    out->root.allocate(pieces, "the pieces of a sweep");
    out->top.allocate(top, "the pieces of a sweep");
    out->first_walk.allocate(pieces + 1, "the pieces of a sweep");
    out->first_boundary.allocate(pieces + 1, "the pieces of a sweep");
    out->row.allocate(cut->hierarchy->node_count, "the pieces of a sweep");
    layers->layer.allocate(cut->layer_count + BOTTOM_CLASSES, "the pieces of a sweep");
    layers->piece_count = (uint32_t)pieces;
    layers->top_count = (uint32_t)top;
    lay_out(cut, layers, out);
    list_boundaries(*cut->hierarchy, pieces, out);
}

static void copy_arrays(gpu_call &call, sweep_layers *layers, const layer_arrays &from)
{
    const size_t pieces = layers->piece_count;
    layers->root.copy(call, from.root.get(), pieces, "copying pieces");
    layers->top.copy(call, from.top.get(), layers->top_count, "copying pieces");
    layers->first_walk.copy(call, from.first_walk.get(), pieces + 1, "copying pieces");
    layers->first_boundary.copy(call, from.first_boundary.get(), pieces + 1, "copying pieces");
    layers->boundary.copy(call, from.boundary.get(), from.boundary_count, "copying pieces");
    call.synchronize(); /* before the host's arrays are freed */
}

sweep_layers *sweep_layers_new(gpu_call &call, const mcd_hierarchy &hierarchy)
{
    return object_new<sweep_layers>("the pieces of a sweep", [&](sweep_layers *layers) {
        layer_cut cut;
        layer_arrays arrays;
        cut.hierarchy = &hierarchy;
        cut_all(&cut);
        make_arrays(&cut, layers, &arrays);
        copy_arrays(call, layers, arrays);
    });
}
