/* large_graph.c - see large_graph.h.
 *
 * Arcs are counted by tail, written to their places by counters, and each node's sorted as numbers: head,
 * then weight. The same by heads. Nodes keep their numbers: what a hash gave them has no locality to keep. */
#include "tests/bench/bench.h"
#include "tests/bench/large_graph.h"

#include "engine/runtime/load.h"
#include "engine/map/graph.h"
#include "tests/support/checked.h"

#include <stdlib.h>
#include <string.h>

enum { TASK = 1 << 14, INSERTION_MAX = 48 };

typedef struct csr_build {
    const generate_graph *generated; /* its arcs, followed by those back if they go both ways */
    const mcd_graph *graph;          /* or these arcs, with weights */
    const mcd_weight *weight;
    bool by_head;
    size_t node_count, arc_count;
    mcd_arc *first;
    uint64_t *entry; /* the other end in the high half, the weight in the low one */
    mcd_node *head;
    mcd_weight *objective;
    mcd_node *tail_of; /* of `graph` */
} csr_build;

static generate_arc arc_of(const csr_build *build, size_t arc)
{
    generate_arc out;
    bool turned = build->by_head;
    if (build->generated) {
        const bool back = arc >= build->generated->arc_count;
        out = generate_arc_at(build->generated, back ? arc - build->generated->arc_count : arc);
        turned ^= back;
    } else {
        out = (generate_arc){build->tail_of[arc], build->graph->head[arc], build->weight[arc]};
    }
    if (turned) {
        const uint32_t tail = out.tail;
        out.tail = out.head, out.head = tail;
    }
    return out;
}

static void count_task(void *argument, size_t index, unsigned worker)
{
    const csr_build *build = argument;
    (void)worker;
    for (size_t arc = index * TASK; arc < mcd_size_min((index + 1) * TASK, build->arc_count); ++arc)
        __atomic_fetch_add(&build->first[arc_of(build, arc).tail + 1], 1, __ATOMIC_RELAXED);
}

static void place_task(void *argument, size_t index, unsigned worker)
{
    const csr_build *build = argument;
    (void)worker;
    for (size_t i = index * TASK; i < mcd_size_min((index + 1) * TASK, build->arc_count); ++i) {
        const generate_arc arc = arc_of(build, i);
        const mcd_arc at = __atomic_fetch_add(&build->first[arc.tail], 1, __ATOMIC_RELAXED);
        build->entry[at] = (uint64_t)arc.head << 32 | arc.weight;
    }
}

static int compare_entries(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_entries(uint64_t *entry, size_t count)
{
    if (count > INSERTION_MAX) {
        qsort(entry, count, sizeof *entry, compare_entries);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const uint64_t moved = entry[i];
        size_t at = i;
        for (; at > 0 && entry[at - 1] > moved; --at) entry[at] = entry[at - 1];
        entry[at] = moved;
    }
}

static void sort_task(void *argument, size_t index, unsigned worker)
{
    const csr_build *build = argument;
    (void)worker;
    for (size_t node = index * TASK; node < mcd_size_min((index + 1) * TASK, build->node_count); ++node) {
        const mcd_arc first = build->first[node], end = build->first[node + 1];
        sort_entries(build->entry + first, end - first);
        for (mcd_arc arc = first; arc < end; ++arc) {
            build->head[arc] = (mcd_node)(build->entry[arc] >> 32);
            build->objective[arc] = (mcd_weight)build->entry[arc];
        }
    }
}

static size_t tasks_of(size_t count)
{
    return (count + TASK - 1) / TASK;
}

static void build_csr(csr_build *build, const mcd_parallel *parallel)
{
    const size_t nodes = build->node_count, arcs = build->arc_count;
    build->first = checked_zeroed(nodes + 1, sizeof *build->first);
    build->entry = checked_allocate(arcs, sizeof *build->entry);
    build->head = checked_allocate(arcs, sizeof *build->head);
    build->objective = checked_allocate(arcs, sizeof *build->objective);
    mcd_parallel_for(parallel, tasks_of(arcs), count_task, build);
    for (size_t node = 0; node < nodes; ++node) build->first[node + 1] += build->first[node];
    mcd_parallel_for(parallel, tasks_of(arcs), place_task, build);
    memmove(build->first + 1, build->first, nodes * sizeof *build->first); /* counters stand at the ends */
    build->first[0] = 0;
    mcd_parallel_for(parallel, tasks_of(nodes), sort_task, build);
    free(build->entry);
}

static void describe_weights(mcd_arcs *arcs)
{
    uint64_t sum = 0, count = 0;
    for (size_t arc = 0; arc < arcs->graph->arc_count; ++arc) {
        const mcd_weight weight = arcs->objective[0][arc];
        if (weight == 0) arcs->has_zero = true;
        if (weight < MCD_UNREACHED) sum += weight, ++count;
    }
    arcs->objective_mean = (mcd_weight)(sum / mcd_size_max(count, 1) + 1);
}

/* symmetric: all arcs go both ways with the same weights, so that either side's are the other's. */
static void build_both(large_graph *out, csr_build build, bool symmetric, const mcd_parallel *parallel)
{
    *out = (large_graph){
        .graph = {.node_count = (mcd_node)build.node_count, .arc_count = (uint32_t)build.arc_count}};
    build.by_head = false;
    build_csr(&build, parallel);
    out->graph.first_out = build.first, out->graph.head = build.head;
    out->arcs.objective[MCD_FORWARD] = build.objective;
    build.by_head = true;
    if (!symmetric) build_csr(&build, parallel);
    out->graph.first_in = build.first, out->graph.tail = build.head;
    out->arcs.objective[MCD_BACKWARD] = build.objective;
    out->arcs.graph = &out->graph;
    describe_weights(&out->arcs);
}

void large_graph_generate(large_graph *out, const generate_graph *generated, bool undirected,
                          const mcd_parallel *parallel)
{
    const csr_build build = {.generated = generated,
                             .node_count = generated->node_count,
                             .arc_count = generated->arc_count * (undirected ? 2 : 1)};
    build_both(out, build, undirected, parallel);
}

static void open_file(large_graph *out, const char *path, const mcd_parallel *parallel)
{
    macadam_engine *engine;
    mcd_array *quantity;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .trust_file = true};
    BENCH_CALL(macadam_engine_open, &engine, path, &options);
    BENCH_CALL(mcd_engine_load, engine, MCD_LOAD_GRAPH);
    BENCH_CALL(mcd_engine_use_quantity, engine, 0, &quantity);
    const mcd_graph *graph = &engine->graph;
    csr_build build = {.graph = graph,
                       .weight = quantity->weight,
                       .node_count = graph->node_count,
                       .arc_count = graph->arc_count,
                       .tail_of = checked_allocate(graph->arc_count, sizeof(mcd_node))};
    for (mcd_node node = 0; node < graph->node_count; ++node)
        for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc)
            build.tail_of[arc] = node;
    build_both(out, build, false, parallel);
    free(build.tail_of);
    mcd_array_leave(quantity);
    macadam_engine_close(engine);
}

/* ---- pairs: one entry an arc, by segment of the higher end, then sorted ---- */

typedef struct pair_entry {
    mcd_node low, high;
    mcd_weight up, down;
} pair_entry;

typedef struct pair_build {
    const large_graph *graph;
    size_t *first; /* by segment: where its entries begin */
    size_t *count; /* pairs that are left of them */
    pair_entry *entry;
} pair_build;

static int compare_pairs(const void *a, const void *b)
{
    const pair_entry *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

static void pair_segment(void *argument, size_t segment, unsigned worker)
{
    const pair_build *build = argument;
    const mcd_graph *graph = &build->graph->graph;
    pair_entry *const entry = build->entry + build->first[segment];
    const mcd_node begin = (mcd_node)segment * MCD_COUPLE_SEGMENT;
    const mcd_node end = (mcd_node)mcd_size_min((size_t)begin + MCD_COUPLE_SEGMENT, graph->node_count);
    size_t count = 0, kept = 0;
    (void)worker;
    for (mcd_node high = begin; high < end; ++high) {
        for (mcd_arc arc = graph->first_out[high]; arc < graph->first_out[high + 1]; ++arc)
            if (graph->head[arc] < high)
                entry[count++] =
                    (pair_entry){graph->head[arc], high, build->graph->arcs.objective[0][arc], MCD_UNREACHED};
        for (mcd_arc arc = graph->first_in[high]; arc < graph->first_in[high + 1]; ++arc)
            if (graph->tail[arc] < high)
                entry[count++] =
                    (pair_entry){graph->tail[arc], high, MCD_UNREACHED, build->graph->arcs.objective[1][arc]};
    }
    qsort(entry, count, sizeof *entry, compare_pairs);
    for (size_t i = 0; i < count; ++i) {
        pair_entry *const last = kept > 0 ? &entry[kept - 1] : NULL;
        if (last && last->low == entry[i].low && last->high == entry[i].high) {
            if (entry[i].up < last->up) last->up = entry[i].up;
            if (entry[i].down < last->down) last->down = entry[i].down;
        } else {
            entry[kept++] = entry[i];
        }
    }
    build->count[segment] = kept;
}

static void join_pairs(mcd_arcs *arcs, const pair_build *build, size_t segments)
{
    size_t count = 0, at = 0;
    for (size_t s = 0; s < segments; ++s) count += build->count[s];
    mcd_node *const high = checked_allocate(count, sizeof *high), *const low =
                                                                      checked_allocate(count, sizeof *low);
    mcd_weight *const up = checked_allocate(count, sizeof *up), *const down =
                                                                    checked_allocate(count, sizeof *down);
    for (size_t s = 0; s < segments; ++s)
        for (size_t i = 0; i < build->count[s]; ++i, ++at) {
            const pair_entry *entry = &build->entry[build->first[s] + i];
            high[at] = entry->high, low[at] = entry->low, up[at] = entry->up, down[at] = entry->down;
        }
    arcs->couple_count = count;
    arcs->couple_high = high, arcs->couple_low = low, arcs->couple_up = up, arcs->couple_down = down;
}

void large_graph_pair(large_graph *graph, const mcd_parallel *parallel)
{
    const mcd_graph *of = &graph->graph;
    const size_t segments = ((size_t)of->node_count + MCD_COUPLE_SEGMENT - 1) / MCD_COUPLE_SEGMENT;
    pair_build build = {.graph = graph,
                        .first = checked_zeroed(segments + 1, sizeof *build.first),
                        .count = checked_zeroed(segments, sizeof *build.count),
                        .entry = checked_allocate(of->arc_count, sizeof *build.entry)};
    for (mcd_node node = 0; node < of->node_count; ++node) {
        size_t *const count = &build.first[node / MCD_COUPLE_SEGMENT + 1];
        for (mcd_arc arc = of->first_out[node]; arc < of->first_out[node + 1]; ++arc)
            *count += of->head[arc] < node;
        for (mcd_arc arc = of->first_in[node]; arc < of->first_in[node + 1]; ++arc)
            *count += of->tail[arc] < node;
    }
    for (size_t s = 0; s < segments; ++s) build.first[s + 1] += build.first[s];
    mcd_parallel_for(parallel, segments, pair_segment, &build);
    join_pairs(&graph->arcs, &build, segments);
    free(build.first);
    free(build.count);
    free(build.entry);
}

/* ---- pairs in no order ---- */

typedef struct shuffle {
    const mcd_arcs *from;
    mcd_node *high, *low;
    mcd_weight *up, *down;
    unsigned bits; /* of the number of a place, which is drawn again while it is too large */
} shuffle;

/* A bijection of the numbers below the count. */
static size_t shuffled_place(const shuffle *to, size_t place)
{
    const uint64_t mask = (UINT64_C(1) << to->bits) - 1;
    do
        for (int round = 0; round < 3; ++round) {
            place = (place * UINT64_C(0x9e3779b97f4a7c15) + 1) & mask;
            place ^= place >> (to->bits + 1) / 2;
        }
    while (place >= to->from->couple_count);
    return place;
}

static void shuffle_task(void *argument, size_t index, unsigned worker)
{
    const shuffle *to = argument;
    const mcd_arcs *from = to->from;
    (void)worker;
    for (size_t i = index * TASK; i < mcd_size_min((index + 1) * TASK, from->couple_count); ++i) {
        const size_t at = shuffled_place(to, i);
        to->high[at] = from->couple_high[i], to->low[at] = from->couple_low[i];
        to->up[at] = from->couple_up[i], to->down[at] = from->couple_down[i];
    }
}

void large_graph_shuffle(large_graph *graph, const mcd_parallel *parallel)
{
    const size_t count = graph->arcs.couple_count;
    shuffle to = {.from = &graph->arcs,
                  .high = checked_allocate(count, sizeof *to.high),
                  .low = checked_allocate(count, sizeof *to.low),
                  .up = checked_allocate(count, sizeof *to.up),
                  .down = checked_allocate(count, sizeof *to.down)};
    while ((size_t)1 << to.bits < count) ++to.bits;
    mcd_parallel_for(parallel, tasks_of(count), shuffle_task, &to);
    graph->unsorted = graph->arcs;
    graph->unsorted.couple_high = to.high, graph->unsorted.couple_low = to.low;
    graph->unsorted.couple_up = to.up, graph->unsorted.couple_down = to.down;
}

static void free_pairs(const mcd_arcs *arcs)
{
    const void *const all[] = {arcs->couple_high, arcs->couple_low, arcs->couple_up, arcs->couple_down};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free((void *)all[i]);
}

static void free_side(const mcd_arc *first, const mcd_node *end, const mcd_weight *objective)
{
    free((void *)first), free((void *)end), free((void *)objective);
}

void large_graph_make(large_graph *out, const char *name, const mcd_parallel *parallel)
{
    uint32_t a = 0, b = 0, c = 1;
    bool undirected = false;
    generate_graph generated;
    if (sscanf(name, "rmat:%u:%u", &a, &b) == 2)
        generated = generate_rmat(a, b, 0.57, 0.19, 0.19, 1);
    else if (sscanf(name, "kron:%u:%u", &a, &b) == 2)
        generated = generate_rmat(a, b, 0.57, 0.19, 0.19, 1), undirected = true;
    else if (sscanf(name, "rmat45:%u:%u", &a, &b) == 2)
        generated = generate_rmat(a, b, 0.45, 0.15, 0.15, 1);
    else if (sscanf(name, "uniform:%u:%u", &a, &b) == 2)
        generated = generate_uniform(a, b, 1);
    else if (sscanf(name, "scale-free:%u:%u", &a, &b) == 2)
        generated = generate_scale_free(a, b, 1);
    else if (sscanf(name, "grid:%u:%u:%u", &a, &b, &c) >= 2)
        generated = generate_grid(a, b, c, 1);
    else {
        open_file(out, name, parallel);
        return;
    }
    large_graph_generate(out, &generated, undirected, parallel);
}

void large_graph_free(large_graph *graph)
{
    const mcd_graph *of = &graph->graph;
    const mcd_weight *const *objective = graph->arcs.objective;
    free_side(of->first_out, of->head, objective[MCD_FORWARD]);
    if (of->first_in != of->first_out) free_side(of->first_in, of->tail, objective[MCD_BACKWARD]);
    free_pairs(&graph->arcs);
    free_pairs(&graph->unsorted);
    *graph = (large_graph){0};
}
