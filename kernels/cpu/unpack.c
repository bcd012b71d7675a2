/* unpack.c - from kept arcs to input arcs.
 *
 * Method. Each kept arc names the two that it stands for, or its input arc, in one word. The first half is followed at
 * once and the second waits on a stack, its word already asked for. A half's lower end lies deeper than the arc's own, so
 * that the stack never holds more than the height of the tree. (Dibbelt et al. 2016, section 5.3) */
#include "kernels/cpu/unpack.h"

#include "engine/memory.h"

#include <string.h>

enum { PATH_CAPACITY = 256 };

static macadam_status grow(mcd_path *path, macadam_error *error)
{
    const size_t capacity = path->capacity ? 2 * path->capacity : PATH_CAPACITY;
    uint32_t *moved = mcd_reallocate(path->arc, path->count, capacity, sizeof *moved);
    if (!moved) return mcd_fail_memory(error, capacity * sizeof *moved, "a path");
    path->arc = moved;
    path->capacity = capacity;
    return MACADAM_OK;
}

macadam_status mcd_unpack_arc(mcd_path *path, const mcd_weights *weights, uint64_t arc, uint64_t *stack,
                              macadam_error *error)
{
    const size_t capacity = (size_t)weights->hierarchy->height + 1;
    const uint64_t *const halves[2] = {weights->search[MCD_FORWARD].halves,
                                       weights->search[MCD_BACKWARD].halves};
    const size_t count_max = weights->hierarchy->node_count;
    size_t count = 0;
    for (;;) {
        const mcd_halves half = mcd_halves_of(halves[arc & 1][arc >> 1]);
        if (half.first != MCD_HALF_NONE) {
            if (count == capacity)
                return mcd_fail(error, MACADAM_E_FILE, "the halves of kept arc %llu are those of no path",
                                (unsigned long long)(arc >> 1));
            if (path->count > count_max) return MACADAM_OK;
            __builtin_prefetch(&halves[MCD_FORWARD][half.second]);
            stack[count++] = mcd_kept_arc(half.second, MCD_FORWARD);
            arc = mcd_kept_arc(half.first, MCD_BACKWARD);
            continue;
        }
        if (path->count == path->capacity) MCD_TRY(grow(path, error));
        path->arc[path->count++] = half.second;
        if (count == 0) return MACADAM_OK;
        arc = stack[--count];
    }
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

macadam_status mcd_path_simplify(mcd_path *path, const mcd_weights *weights, mcd_node source,
                                 macadam_error *error)
{
    if (!weights->has_zero) return MACADAM_OK;
    const mcd_graph *graph = weights->graph;
    node_table table = {.mask = 15};
    while (table.mask < 4 * path->count) table.mask = 2 * table.mask + 1;
    macadam_status status;
    if (!(status = MCD_NEW(table.node, table.mask + 1, error)) &&
        !(status = MCD_NEW(table.position, table.mask + 1, error))) {
        memset(table.node, 0xff, (table.mask + 1) * sizeof *table.node);
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
