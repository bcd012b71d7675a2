/* graph.c - see graph.h. Arcs are counted and placed by one end on all threads, in any order; then those of each node are
 * sorted by the other end and by their numbers, which makes the order the same for any number of threads. One thread places
 * reverse arcs in that order. */
#include "engine/map/graph.h"

#include "engine/base/sort.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { ARCS_PER_TASK = 1 << 14, NODES_PER_TASK = 1 << 12, FEW = 32 /* entries: sorted without memory */ };

static const mcd_parallel one_thread = {.thread_count = 1};

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

/* One side of a graph: entries by `key`, each with its other end and an arc. */
typedef struct side_run {
    const mcd_graph *forward; /* whose arcs are placed by head; NULL: those of a map by tail: */
    const mcd_node *map_tail, *map_head, *id_of; /* id_of[map_tail[arc]] */
    mcd_arc
        *first; /* [node_count + 1] counts, then where the next entry of each key goes, one key too high */
    mcd_node *other;
    uint32_t *arc;
    bool is_shared;     /* several threads count and place */
    atomic_bool failed; /* for lack of memory */
} side_run;

/* Adds 1, and returns the sum before. */
static mcd_arc take(const side_run *run, mcd_arc *sum)
{
    return run->is_shared ? __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED) : (*sum)++;
}

static void count_entry(const side_run *run, mcd_node key)
{
    take(run, &run->first[key + 1]);
}

static void place_entry(const side_run *run, mcd_node key, mcd_node other, uint32_t arc)
{
    const mcd_arc entry = take(run, &run->first[key]);
    run->other[entry] = other;
    run->arc[entry] = arc;
}

static void count_map_arcs(void *argument, size_t first, size_t end)
{
    const side_run *const run = argument;
    for (size_t arc = first; arc < end; ++arc) count_entry(run, run->id_of[run->map_tail[arc]]);
}

static void place_map_arcs(void *argument, size_t first, size_t end)
{
    const side_run *const run = argument;
    for (size_t arc = first; arc < end; ++arc)
        place_entry(run, run->id_of[run->map_tail[arc]], run->id_of[run->map_head[arc]], (uint32_t)arc);
}

static void count_heads(void *argument, size_t first, size_t end)
{
    const side_run *const run = argument;
    for (size_t arc = first; arc < end; ++arc) count_entry(run, run->forward->head[arc]);
}

static void place_tails(void *argument, size_t first, size_t end)
{
    const side_run *const run = argument;
    const mcd_graph *const graph = run->forward;
    for (mcd_node tail = (mcd_node)first; tail < end; ++tail)
        for (mcd_arc arc = graph->first_out[tail]; arc < graph->first_out[tail + 1]; ++arc)
            place_entry(run, graph->head[arc], tail, (uint32_t)arc);
}

MCD_DEFINE_COMPARE(compare_pairs, uint64_t, )

static void sort_few(uint64_t *pair, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        const uint64_t moved = pair[i];
        size_t at = i;
        for (; at > 0 && pair[at - 1] > moved; --at) pair[at] = pair[at - 1];
        pair[at] = moved;
    }
}

/* Sorts the entries of a key. Returns false if there is no memory. */
static bool sort_entries(mcd_node *other, uint32_t *arc, size_t count)
{
    uint64_t few[FEW], *const pair = count <= FEW ? few : mcd_allocate(count, sizeof *pair);
    if (!pair) return false;
    for (size_t i = 0; i < count; ++i) pair[i] = (uint64_t)other[i] << 32 | arc[i];
    if (count <= FEW)
        sort_few(pair, count);
    else
        qsort(pair, count, sizeof *pair, compare_pairs);
    for (size_t i = 0; i < count; ++i) other[i] = (mcd_node)(pair[i] >> 32), arc[i] = (uint32_t)pair[i];
    if (pair != few) mcd_free(pair);
    return true;
}

static void sort_keys(void *argument, size_t first, size_t end)
{
    side_run *const run = argument;
    for (size_t key = first; key < end; ++key) {
        const mcd_arc from = run->first[key], count = run->first[key + 1] - from;
        if (count > 1 && !sort_entries(run->other + from, run->arc + from, count))
            atomic_store_explicit(&run->failed, true, memory_order_relaxed);
    }
}

static macadam_status for_each(const mcd_parallel *parallel, size_t count, size_t length, mcd_range_task task,
                               side_run *run, mcd_watch *watch, macadam_error *error)
{
    mcd_ranges ranges = {count, length, task, run};
    return mcd_watch_for(watch, parallel, mcd_ranges_count(&ranges), mcd_ranges_do, &ranges, error);
}

static macadam_status fill_side(side_run *run, mcd_node node_count, size_t arc_count,
                                const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    const bool is_forward = run->forward == NULL;
    run->is_shared = parallel->thread_count > 1;
    memset(run->first, 0, ((size_t)node_count + 1) * sizeof *run->first);
    MCD_TRY(for_each(parallel, arc_count, ARCS_PER_TASK, is_forward ? count_map_arcs : count_heads, run,
                     watch, error));
    for (mcd_node key = 0; key < node_count; ++key) run->first[key + 1] += run->first[key];
    if (is_forward)
        MCD_TRY(for_each(parallel, arc_count, ARCS_PER_TASK, place_map_arcs, run, watch, error));
    else
        MCD_TRY(for_each(parallel, node_count, NODES_PER_TASK, place_tails, run, watch, error));
    memmove(run->first + 1, run->first, node_count * sizeof *run->first);
    run->first[0] = 0;
    if (!is_forward && !run->is_shared) return MACADAM_OK;
    MCD_TRY(for_each(parallel, node_count, NODES_PER_TASK, sort_keys, run, watch, error));
    return run->failed ? mcd_fail_memory(error, arc_count * sizeof(uint64_t)) : MACADAM_OK;
}

static macadam_status fill_reverse(graph_arrays *out, const mcd_parallel *parallel, mcd_watch *watch,
                                   macadam_error *error)
{
    const mcd_graph forward = {
        .node_count = out->graph.node_count, .first_out = out->first_out, .head = out->head};
    side_run reverse = {.forward = &forward, .first = out->first_in, .other = out->tail, .arc = out->in_arc};
    return fill_side(&reverse, forward.node_count, out->graph.arc_count, parallel, watch, error);
}

macadam_status mcd_graph_reverse(mcd_graph *graph, const mcd_parallel *parallel, macadam_error *error)
{
    MCD_OWNED mcd_arc *first_in = NULL;
    MCD_OWNED mcd_node *tail = NULL;
    MCD_OWNED uint32_t *in_arc = NULL;
    MCD_TRY(MCD_NEW(first_in, (size_t)graph->node_count + 1, error));
    MCD_TRY(MCD_NEW(tail, graph->arc_count, error));
    MCD_TRY(MCD_NEW(in_arc, graph->arc_count, error));
    graph_arrays arrays = {*graph, (mcd_arc *)graph->first_out, first_in, (mcd_node *)graph->head, tail,
                           in_arc};
    MCD_TRY(fill_reverse(&arrays, parallel, NULL, error));
    *graph = *graph_of(&arrays);
    first_in = NULL, tail = NULL, in_arc = NULL;
    return MACADAM_OK;
}

macadam_status mcd_graph_new(mcd_graph **out, uint32_t **map_arc, mcd_node node_count, const mcd_node *tail,
                             const mcd_node *head, size_t arc_count, const mcd_node *id_of,
                             const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(free_arrays) graph_arrays *arrays = NULL;
    MCD_OWNED uint32_t *made_arc = NULL;
    if (!parallel) parallel = &one_thread;
    *out = NULL, *map_arc = NULL;
    if (arc_count >= UINT32_MAX)
        return mcd_fail_invalid(error, "%zu arcs are more than the %u that a map may have", arc_count,
                                UINT32_MAX - 1);
    MCD_TRY(MCD_NEW_ZEROED(arrays, 1, error));
    arrays->graph.node_count = node_count;
    arrays->graph.arc_count = (uint32_t)arc_count;
    MCD_TRY(MCD_NEW(arrays->first_out, (size_t)node_count + 1, error));
    MCD_TRY(MCD_NEW(arrays->head, arc_count, error));
    MCD_TRY(MCD_NEW(made_arc, arc_count, error));
    side_run forward = {.map_tail = tail,
                        .map_head = head,
                        .id_of = id_of,
                        .first = arrays->first_out,
                        .other = arrays->head,
                        .arc = made_arc};
    MCD_TRY(fill_side(&forward, node_count, arc_count, parallel, watch, error));
    MCD_TRY(MCD_NEW(arrays->first_in, (size_t)node_count + 1, error));
    MCD_TRY(MCD_NEW(arrays->tail, arc_count, error));
    MCD_TRY(MCD_NEW(arrays->in_arc, arc_count, error));
    MCD_TRY(fill_reverse(arrays, parallel, watch, error));
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
