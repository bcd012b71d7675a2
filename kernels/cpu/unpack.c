/* unpack.c - from kept arcs to input arcs.
 *
 * Method. Each kept arc names the two that it stands for, or its input arc, in one word. The first half is
 * followed at once and the second waits on a stack. A half's lower end lies deeper than the arc's own, so
 * that the stack never holds more than the height of the tree. (Dibbelt et al. 2016, section 5.3)
 * Limit. Words lie anywhere: a path costs a cache miss an arc. Several paths are unpacked in turn, each
 * asking for its next word before the others' turns, so that the misses overlap. */
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

/* One path on its way. */
typedef struct unpack_stream {
    mcd_path *path;
    const uint64_t *next, *end; /* of its chain */
    uint64_t arc;               /* the one in hand, whose word is asked for */
    uint64_t *stack;
    size_t count;
} unpack_stream;

/* Takes `arc` in hand. */
static inline void take_arc(unpack_stream *stream, const uint64_t *const halves[2], uint64_t arc)
{
    __builtin_prefetch(&halves[arc & 1][arc >> 1]);
    stream->arc = arc;
}

/* Begins the next path that has arcs. False: there is none. */
static bool take_path(unpack_stream *stream, const uint64_t *const halves[2], mcd_path *const *path,
                      const uint64_t *chain, const size_t *first, size_t count, size_t *next_path)
{
    while (*next_path < count && first[*next_path] == first[*next_path + 1]) ++*next_path;
    if (*next_path == count) return false;
    const size_t i = (*next_path)++;
    stream->path = path[i];
    stream->next = chain + first[i];
    stream->end = chain + first[i + 1];
    stream->count = 0;
    take_arc(stream, halves, *stream->next++);
    return true;
}

/* Handles the arc in hand. *done: the path is complete, or longer than any can be. */
static inline macadam_status step(unpack_stream *stream, const uint64_t *const halves[2], size_t height,
                                  size_t count_max, bool *done, macadam_error *error)
{
    const mcd_halves half = mcd_halves_of(halves[stream->arc & 1][stream->arc >> 1]);
    mcd_path *path = stream->path;
    if (half.first != MCD_HALF_NONE) {
        if (stream->count > height)
            return mcd_fail(error, MACADAM_E_FILE, "the halves of kept arc %llu are those of no path",
                            (unsigned long long)(stream->arc >> 1));
        __builtin_prefetch(&halves[MCD_FORWARD][half.second]);
        stream->stack[stream->count++] = mcd_kept_arc(half.second, MCD_FORWARD);
        take_arc(stream, halves, mcd_kept_arc(half.first, MCD_BACKWARD));
        return MACADAM_OK;
    }
    if (path->count == path->capacity) MCD_TRY(grow(path, error));
    path->arc[path->count++] = half.second;
    if (path->count > count_max)
        *done = true;
    else if (stream->count > 0)
        take_arc(stream, halves, stream->stack[--stream->count]);
    else if (stream->next < stream->end)
        take_arc(stream, halves, *stream->next++);
    else
        *done = true;
    return MACADAM_OK;
}

macadam_status mcd_unpack(mcd_path *const *path, const uint64_t *chain, const size_t *first, size_t count,
                          const mcd_weights *weights, uint64_t *stack, macadam_error *error)
{
    const size_t height = weights->hierarchy->height, count_max = weights->hierarchy->node_count;
    const uint64_t *const halves[2] = {weights->search[MCD_FORWARD].halves,
                                       weights->search[MCD_BACKWARD].halves};
    unpack_stream stream[MCD_UNPACK_STREAMS];
    size_t active = 0, next_path = 0;
    for (; active < MCD_UNPACK_STREAMS; ++active) {
        stream[active].stack = stack + active * (height + 1);
        if (!take_path(&stream[active], halves, path, chain, first, count, &next_path)) break;
    }
    while (active > 0)
        for (size_t s = 0; s < active;) {
            bool done = false;
            MCD_TRY(step(&stream[s], halves, height, count_max, &done, error));
            if (!done || take_path(&stream[s], halves, path, chain, first, count, &next_path))
                ++s;
            else if (s != --active) { /* the last stream takes the place of one that has no more paths */
                unpack_stream last = stream[active];
                stream[active].stack = stream[s].stack;
                stream[s] = last;
            }
        }
    return MACADAM_OK;
}

/* ---- paths with zero-weight cycles ---- */

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

/* A shortest path comes back to a node by arcs of weight 0 alone, two at least. */
static bool may_come_back(const mcd_path *path, const mcd_weight *objective)
{
    for (size_t i = 1; i < path->count; ++i)
        if (objective[path->arc[i - 1]] == 0 && objective[path->arc[i]] == 0) return true;
    return false;
}

macadam_status mcd_path_simplify(mcd_path *path, const mcd_weights *weights, mcd_node source,
                                 macadam_error *error)
{
    if (!weights->has_zero || !may_come_back(path, weights->objective)) return MACADAM_OK;
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
