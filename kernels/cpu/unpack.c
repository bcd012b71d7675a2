/* unpack.c - from kept arcs to input arcs.
 *
 * Method. A kept arc is an input arc, or its witness names the bottom node of the lower triangle that gives
 * its weight: tail -> bottom -> head. Both of those arcs are kept too (they are shortest paths, or the
 * triangle would not be one), and the bottom lies deeper, so that an explicit stack of height + 1 arcs
 * suffices. (Dibbelt et al. 2016, section 5.3) Ties. Among parallel input arcs the lightest wins, then the
 * first in the source. */
#include "kernels/cpu/unpack.h"

#include "engine/memory.h"

#include <string.h>

enum { PATH_CAPACITY = 64 };

/* The kept arc that joins `lower` with its ancestor `upper` in `search`; heads ascend. */
static mcd_arc find_kept(const mcd_search *search, mcd_node lower, mcd_node upper)
{
    mcd_arc low = search->first[lower], high = search->first[lower + 1];
    while (low < high) {
        const mcd_arc middle = low + (high - low) / 2;
        if (search->head[middle] < upper)
            low = middle + 1;
        else
            high = middle;
    }
    return low < search->first[lower + 1] && search->head[low] == upper ? low : MCD_ARC_NONE;
}

static mcd_node witness_of(const mcd_weights *weights, kept_arc arc)
{
    const bool upward = arc.head < arc.tail;
    const mcd_search *search = &weights->search[upward ? MCD_FORWARD : MCD_BACKWARD];
    const mcd_arc kept =
        upward ? find_kept(search, arc.tail, arc.head) : find_kept(search, arc.head, arc.tail);
    return kept == MCD_ARC_NONE ? MCD_NODE_NONE : search->witness[kept];
}

static uint32_t lightest_arc(const mcd_weights *weights, bool pair, kept_arc arc)
{
    const mcd_graph *graph = weights->graph;
    uint32_t best = UINT32_MAX;
    mcd_pair least = UINT64_MAX;
    for (mcd_arc xy = graph->first_out[arc.tail]; xy < graph->first_out[arc.tail + 1]; ++xy) {
        if (graph->head[xy] != arc.head) continue;
        const mcd_pair weight = mcd_pair_of(weights->objective[xy], pair ? weights->companion[xy] : 0);
        if (weight < least) least = weight, best = (uint32_t)xy;
    }
    return best;
}

static macadam_status append(mcd_path *path, uint32_t arc, macadam_error *error)
{
    if (path->count == path->capacity) {
        const size_t capacity = path->capacity ? 2 * path->capacity : PATH_CAPACITY;
        uint32_t *moved = mcd_reallocate(path->arc, path->count, capacity, sizeof *moved);
        if (!moved) return mcd_fail_memory(error, capacity * sizeof *moved, "a path");
        path->arc = moved;
        path->capacity = capacity;
    }
    path->arc[path->count++] = arc;
    return MACADAM_OK;
}

macadam_status mcd_unpack_arc(mcd_path *path, const mcd_weights *weights, bool pair, kept_arc arc,
                              kept_arc *stack, macadam_error *error)
{
    const size_t capacity = (size_t)weights->hierarchy->height + 1;
    size_t count = 0;
    stack[count++] = arc;
    while (count > 0) {
        const kept_arc top = stack[--count];
        const mcd_node bottom = witness_of(weights, top);
        if (bottom == MCD_NODE_NONE) {
            const uint32_t input = lightest_arc(weights, pair, top);
            if (input == UINT32_MAX)
                return mcd_fail(error, MACADAM_E_FILE,
                                "kept arc %u -> %u has neither an input arc nor a witness", top.tail,
                                top.head);
            MCD_TRY(append(path, input, error));
            continue;
        }
        if (count + 2 > capacity)
            return mcd_fail(error, MACADAM_E_FILE, "the witnesses below kept arc %u -> %u do not descend",
                            top.tail, top.head);
        stack[count++] = (kept_arc){bottom, top.head};
        stack[count++] = (kept_arc){top.tail, bottom};
    }
    return MACADAM_OK;
}

/* ---- paths with zero-weight cycles
 * ------------------------------------------------------------------------------ */

/* Open addressing: where in the simplified path a node was last entered. Entries beyond the path's end are
 * stale. */
typedef struct node_table {
    mcd_node *node;
    size_t *position;
    size_t mask;
} node_table;

static size_t *table_slot(const node_table *table, mcd_node node)
{
    size_t slot = node * UINT64_C(0x9e3779b97f4a7c15) >> 20 & table->mask;
    while (table->node[slot] != node && table->node[slot] != MCD_NODE_NONE) slot = (slot + 1) & table->mask;
    if (table->node[slot] == MCD_NODE_NONE) {
        table->node[slot] = node;
        table->position[slot] = SIZE_MAX;
    }
    return &table->position[slot];
}

/* The tail of an arc by binary search in the CSR's offsets. */
static mcd_node tail_of(const mcd_graph *graph, uint32_t arc)
{
    mcd_node low = 0, high = graph->node_count;
    while (low + 1 < high) {
        const mcd_node middle = low + (high - low) / 2;
        if (graph->first_out[middle] <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool has_zero_weight(const mcd_path *path, const mcd_weights *weights)
{
    for (size_t i = 0; i < path->count; ++i)
        if (weights->objective[path->arc[i]] == 0) return true;
    return false;
}

macadam_status mcd_path_simplify(mcd_path *path, const mcd_weights *weights, macadam_error *error)
{
    if (!has_zero_weight(path, weights)) return MACADAM_OK;
    const mcd_graph *graph = weights->graph;
    node_table table = {.mask = 15};
    while (table.mask < 4 * path->count) table.mask = 2 * table.mask + 1;
    macadam_status status;
    if (!(status = MCD_NEW(table.node, table.mask + 1, error)) &&
        !(status = MCD_NEW(table.position, table.mask + 1, error))) {
        memset(table.node, 0xff, (table.mask + 1) * sizeof *table.node);
        const mcd_node source = tail_of(graph, path->arc[0]);
        const size_t arc_count = path->count;
        path->count = 0;
        *table_slot(&table, source) = 0;
        for (size_t i = 0; i < arc_count; ++i) {
            const uint32_t arc = path->arc[i];
            const mcd_node node = graph->head[arc];
            size_t *position = table_slot(&table, node);
            const bool seen = *position == 0
                                  ? node == source
                                  : *position <= path->count && graph->head[path->arc[*position - 1]] == node;
            if (seen)
                path->count = *position;
            else
                path->arc[path->count++] = arc;
            *position = path->count;
        }
    }
    mcd_free(table.node);
    mcd_free(table.position);
    return status;
}

void mcd_path_free(mcd_path *path)
{
    mcd_free(path->arc);
    *path = (mcd_path){0};
}
