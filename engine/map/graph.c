/* graph.c - see graph.h. Arcs are sorted by counting, in two stable passes: by head and then by tail. */
#include "engine/map/graph.h"

#include "engine/base/sort.h"
#include "engine/map/road.h"

/* first[key] of `count` items sorted by key_of[item] (stable), through item -> rank. */
static macadam_status count_keys(mcd_arc *first, mcd_node key_count, const mcd_node *key_of, size_t count,
                                 mcd_watch *watch, macadam_error *error)
{
    memset(first, 0, ((size_t)key_count + 1) * sizeof *first);
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, count, error));
        ++first[key_of[i] + 1];
    }
    for (mcd_node key = 0; key < key_count; ++key) first[key + 1] += first[key];
    return MACADAM_OK;
}

/* Fills sorted[] with the items in ascending order of key, ties in the order of `item` (NULL: 0, 1, 2, ...);
 * first[] moves one key up: on return first[key] is where key + 1 begins, so the caller shifts it back. */
static macadam_status place_items(mcd_arc *first, const mcd_node *key_of, const uint32_t *item, size_t count,
                                  uint32_t *sorted, mcd_watch *watch, macadam_error *error)
{
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, count, error));
        const uint32_t this_item = item ? item[i] : (uint32_t)i;
        sorted[first[key_of[this_item]]++] = this_item;
    }
    return MACADAM_OK;
}

static void shift_back(mcd_arc *first, mcd_node key_count)
{
    memmove(first + 1, first, key_count * sizeof *first);
    first[0] = 0;
}

typedef struct graph_arrays {
    mcd_graph graph;
    mcd_arc *first_out, *first_in;
    mcd_node *head, *tail;
    uint32_t *in_arc;
} graph_arrays;

/* Returns the graph, once it has the arrays. */
static mcd_graph *graph_of(graph_arrays *arrays)
{
    mcd_graph *const graph = &arrays->graph;
    graph->first_out = arrays->first_out, graph->first_in = arrays->first_in;
    graph->head = arrays->head, graph->tail = arrays->tail, graph->in_arc = arrays->in_arc;
    return graph;
}

static void free_arrays(graph_arrays **arrays)
{
    if (*arrays) mcd_graph_free(graph_of(*arrays));
}

static macadam_status fill_forward(graph_arrays *out, uint32_t *map_arc, uint32_t *by_head,
                                   mcd_node *new_tail, mcd_node *new_head, size_t arc_count, mcd_watch *watch,
                                   macadam_error *error)
{
    const mcd_node node_count = out->graph.node_count;
    MCD_TRY(count_keys(out->first_in, node_count, new_head, arc_count, watch, error));
    MCD_TRY(place_items(out->first_in, new_head, NULL, arc_count, by_head, watch, error));
    MCD_TRY(count_keys(out->first_out, node_count, new_tail, arc_count, watch, error));
    MCD_TRY(place_items(out->first_out, new_tail, by_head, arc_count, map_arc, watch, error));
    shift_back(out->first_out, node_count);
    for (size_t arc = 0; arc < arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        out->head[arc] = new_head[map_arc[arc]];
    }
    return MACADAM_OK;
}

/* Reads the CSR in order, so that each head's entries ascend by tail, then arc. */
static macadam_status fill_reverse(graph_arrays *out, mcd_watch *watch, macadam_error *error)
{
    const mcd_node node_count = out->graph.node_count;
    const size_t arc_count = out->graph.arc_count;
    const mcd_graph forward = {.node_count = node_count, .first_out = out->first_out, .head = out->head};
    mcd_node tail[MCD_TAILS_ROOM];
    MCD_TRY(count_keys(out->first_in, node_count, out->head, arc_count, watch, error));
    for (size_t first = 0; first < arc_count; first += MCD_TAILS_MAX) {
        const size_t count = mcd_size_min(MCD_TAILS_MAX, arc_count - first);
        MCD_TRY(mcd_watch_step(watch, first, arc_count, error));
        mcd_road_tails(&forward, first, count, tail);
        for (size_t i = 0; i < count; ++i) {
            const mcd_arc entry = out->first_in[out->head[first + i]]++;
            out->tail[entry] = tail[i];
            out->in_arc[entry] = (uint32_t)(first + i);
        }
    }
    shift_back(out->first_in, node_count);
    return MACADAM_OK;
}

macadam_status mcd_graph_reverse(mcd_graph *graph, macadam_error *error)
{
    MCD_OWNED mcd_arc *first_in = NULL;
    MCD_OWNED mcd_node *tail = NULL;
    MCD_OWNED uint32_t *in_arc = NULL;
    MCD_TRY(MCD_NEW(first_in, (size_t)graph->node_count + 1, error));
    MCD_TRY(MCD_NEW(tail, graph->arc_count, error));
    MCD_TRY(MCD_NEW(in_arc, graph->arc_count, error));
    graph_arrays arrays = {*graph, (mcd_arc *)graph->first_out, first_in, (mcd_node *)graph->head, tail,
                           in_arc};
    MCD_TRY(fill_reverse(&arrays, NULL, error));
    *graph = *graph_of(&arrays);
    first_in = NULL, tail = NULL, in_arc = NULL;
    return MACADAM_OK;
}

macadam_status mcd_graph_new(mcd_graph **out, uint32_t **map_arc, mcd_node node_count, const mcd_node *tail,
                             const mcd_node *head, size_t arc_count, const mcd_node *id_of, mcd_watch *watch,
                             macadam_error *error)
{
    MCD_FREED_BY(free_arrays) graph_arrays *arrays = NULL;
    MCD_OWNED uint32_t *made_arc = NULL, *by_head = NULL;
    MCD_OWNED mcd_node *new_tail = NULL, *new_head = NULL;
    *out = NULL, *map_arc = NULL;
    if (arc_count >= UINT32_MAX)
        return mcd_fail_invalid(error, "%zu arcs are more than the %u that a map may have", arc_count,
                                UINT32_MAX - 1);
    MCD_TRY(MCD_NEW_ZEROED(arrays, 1, error));
    arrays->graph.node_count = node_count;
    arrays->graph.arc_count = (uint32_t)arc_count;
    MCD_TRY(MCD_NEW(arrays->first_out, (size_t)node_count + 1, error));
    MCD_TRY(MCD_NEW(arrays->first_in, (size_t)node_count + 1, error));
    MCD_TRY(MCD_NEW(arrays->head, arc_count, error));
    MCD_TRY(MCD_NEW(made_arc, arc_count, error));
    MCD_TRY(MCD_NEW(by_head, arc_count, error));
    MCD_TRY(MCD_NEW(new_tail, arc_count, error));
    MCD_TRY(MCD_NEW(new_head, arc_count, error));
    for (size_t arc = 0; arc < arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        new_tail[arc] = id_of[tail[arc]];
        new_head[arc] = id_of[head[arc]];
    }
    MCD_TRY(fill_forward(arrays, made_arc, by_head, new_tail, new_head, arc_count, watch, error));
    MCD_MOVE(arrays->in_arc, by_head); /* both have one entry per arc, and the sorting is done */
    MCD_MOVE(arrays->tail, new_tail);
    MCD_TRY(fill_reverse(arrays, watch, error));
    *out = graph_of(arrays);
    arrays = NULL;
    return MCD_MOVE(*map_arc, made_arc);
}

void mcd_graph_free(mcd_graph *graph)
{
    if (!graph) return;
    MCD_FREE_ALL(graph->first_out, graph->first_in, graph->head, graph->tail, graph->in_arc);
    mcd_free(graph); /* the first member of its arrays */
}

/* The neighbours of a node, ascending, each once: merges the out and in lists, which both ascend. */
typedef struct neighbour_walk {
    mcd_arc out, out_end, in, in_end;
} neighbour_walk;

static neighbour_walk walk_begin(const mcd_graph *graph, mcd_node node)
{
    return (neighbour_walk){graph->first_out[node], graph->first_out[node + 1], graph->first_in[node],
                            graph->first_in[node + 1]};
}

static bool walk_next(const mcd_graph *graph, neighbour_walk *walk, mcd_node *neighbour)
{
    const mcd_node by_out = walk->out < walk->out_end ? graph->head[walk->out] : MCD_NODE_NONE;
    const mcd_node by_in = walk->in < walk->in_end ? graph->tail[walk->in] : MCD_NODE_NONE;
    *neighbour = by_out < by_in ? by_out : by_in;
    if (*neighbour == MCD_NODE_NONE) return false;
    while (walk->out < walk->out_end && graph->head[walk->out] == *neighbour) ++walk->out;
    while (walk->in < walk->in_end && graph->tail[walk->in] == *neighbour) ++walk->in;
    return true;
}

static mcd_node segment_end(const mcd_graph *graph, mcd_node segment)
{
    return graph->node_count - segment < MCD_COUPLE_SEGMENT ? graph->node_count
                                                            : segment + MCD_COUPLE_SEGMENT;
}

/* Fills couple[] with the couples of one segment: low id in the upper half, high id in the lower half.
 * Returns how many there are; couple may be NULL. */
static size_t list_couples(const mcd_graph *graph, mcd_node segment, uint64_t *couple)
{
    size_t count = 0;
    mcd_node low;
    for (mcd_node high = segment; high < segment_end(graph, segment); ++high)
        for (neighbour_walk walk = walk_begin(graph, high); walk_next(graph, &walk, &low) && low < high;) {
            if (couple) couple[count] = (uint64_t)low << 32 | high;
            ++count;
        }
    return count;
}

macadam_status mcd_couples_new(mcd_couples *out, const mcd_graph *graph, macadam_error *error)
{
    MCD_FREED_BY(mcd_couples_free) mcd_couples made = {0};
    MCD_OWNED uint64_t *couple = NULL;
    size_t most = 0, next = 0;
    *out = (mcd_couples){0};
    for (mcd_node segment = 0; segment < graph->node_count; segment = segment_end(graph, segment)) {
        const size_t count = list_couples(graph, segment, NULL);
        MCD_TRY(mcd_watch_step(NULL, segment, graph->node_count, error));
        made.count += count;
        most = mcd_size_max(most, count);
    }
    MCD_TRY(MCD_NEW(made.high, made.count, error));
    MCD_TRY(MCD_NEW(made.low, made.count, error));
    MCD_TRY(MCD_NEW(couple, 2 * most, error));
    for (mcd_node segment = 0; segment < graph->node_count; segment = segment_end(graph, segment)) {
        const size_t count = list_couples(graph, segment, couple);
        MCD_TRY(mcd_sort_bits(couple, couple + most, count, 32, 64, NULL, error));
        for (size_t i = 0; i < count; ++i, ++next) {
            made.low[next] = (mcd_node)(couple[i] >> 32);
            made.high[next] = (mcd_node)couple[i];
        }
    }
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_couples_free, mcd_couples, it->high, it->low)
