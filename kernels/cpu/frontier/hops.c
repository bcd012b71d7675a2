/* hops.c - breadth-first search: the fewest arcs from each source, and parents.
 *
 * Method. Top-down: one queue holds all levels so far, and the nodes of the last level append their unreached
 * neighbours to it. Bottom-up, for wide levels: every unreached node looks for a neighbour in the level,
 * which is a set of bits, and stops at the first that it finds. The hybrid goes bottom-up when the level's
 * arcs are a good part of all, and top-down again when the level is narrow. On road networks it always stays
 * top-down. (Beamer, Asanovic, Patterson 2012)
 * Parents are found afterwards: the first neighbour one hop nearer. Neighbours ascend, so it is the smallest
 * one, no matter how the levels were reached.
 * Threads. Several sources are searched side by side. A single source shares its levels among a team of all
 * threads (team.h), and then the search for parents. A node's hops say who was first to reach it; the order of
 * the queue differs from run to run, but no answer depends on it. */
#include "kernels/cpu/device/cpu.h"

#include "kernels/cpu/frontier/adjacency.h"
#include "kernels/cpu/frontier/bits.h"
#include "kernels/cpu/frontier/team.h"
#include "kernels/cpu/device/carve.h"

#include <stdatomic.h>

/* Measured by tests/bench/papers on RMAT and uniform random graphs of 2^20 nodes. */
enum {
    DENSE_DEGREE = 4,  /* arcs per node, on average: on graphs with fewer, the hybrid does not examine ... */
    WIDE_NODES = 64,   /* ... a level narrower than this part of all nodes. On others, ... */
    WIDE_LEAST = 32,   /* ... of this many nodes: a few hubs may have most arcs */
    WIDE_ARCS = 20,    /* bottom-up: the level's arcs are more than this part of all */
    NARROW_NODES = 24, /* top-down: the level's nodes are less than this part of all */
    NODES_PER_TASK = 1 << 14, /* a multiple of a word's bits: tasks share no word */
    LEVEL_SMALL = 128,        /* a level of at most this many nodes is expanded by one thread */
    NARROW_THREADS = 2,       /* on roads this many share no levels: they claim and wait for longer */
    LEVEL_CHUNK = 64,         /* nodes of a level per task */
    STAGE = 128,              /* nodes that a task collects before it appends them to the queue */
};

/* One thread's scratch. */
typedef struct hops_scratch {
    mcd_node *queue;   /* [node_count]: all levels, one after the other */
    uint32_t *hops;    /* [node_count]; NULL: the answer's own row */
    uint64_t *bits[2]; /* a level, and the next one */
} hops_scratch;

typedef struct hops_run {
    const mcd_hops_job *job;
    mcd_watch watch;
    size_t worker_bytes; /* of the scratch */
    mcd_parallel inner;  /* threads that one source may use */
} hops_run;

/* One source's search. The levels are in the queue; the last one begins at `first`. */
typedef struct hops_search {
    const mcd_graph *graph;
    adjacency leave, enter;
    uint32_t *hops, limit, level;
    mcd_node *queue, *parent;
    size_t first, end;
    uint64_t *bits[2];
    bool is_hybrid;
    mcd_node source;
    mcd_team *team;
    bool has_helpers;
    const mcd_watch *watch;
    atomic_size_t found; /* nodes found in the bottom-up level; the queue's end while helpers append */
} hops_search;

/* ---- levels ---- */

/* Appends the unreached neighbours of the level's nodes to the queue. */
static void step_by_one(hops_search *search)
{
    const adjacency leave = search->leave;
    uint32_t *hops = search->hops;
    mcd_node *queue = search->queue;
    const size_t level_end = search->end;
    size_t end = level_end;
    const uint32_t next = search->level;
    for (size_t i = search->first; i < level_end; ++i)
        for (mcd_arc xy = leave.first[queue[i]]; xy < leave.first[queue[i] + 1]; ++xy) {
            const mcd_node y = leave.neighbour[xy];
            if (hops[y] != MCD_COST_UNREACHED) continue;
            hops[y] = next;
            queue[end++] = y;
        }
    search->end = end;
}

/* Reaches the node; returns whether no other thread did. */
static inline bool claim(hops_search *search, mcd_node node)
{
    uint32_t unreached = MCD_COST_UNREACHED;
    return __atomic_load_n(&search->hops[node], __ATOMIC_RELAXED) == unreached &&
           __atomic_compare_exchange_n(&search->hops[node], &unreached, search->level, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static size_t append(hops_search *search, const mcd_node *stage, size_t count)
{
    const size_t at = atomic_fetch_add_explicit(&search->found, count, memory_order_relaxed);
    memcpy(search->queue + at, stage, count * sizeof *stage);
    return 0;
}

static void find_downwards(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    hops_search *search = argument;
    const adjacency leave = search->leave;
    const mcd_node *queue = search->queue;
    const size_t first = search->first + index * LEVEL_CHUNK,
                 end = mcd_size_min(first + LEVEL_CHUNK, search->end);
    mcd_node stage[STAGE];
    size_t count = 0;
    for (size_t i = first; i < end; ++i)
        for (mcd_arc xy = leave.first[queue[i]]; xy < leave.first[queue[i] + 1]; ++xy) {
            const mcd_node y = leave.neighbour[xy];
            if (!claim(search, y)) continue;
            stage[count++] = y;
            if (count == STAGE) count = append(search, stage, count);
        }
    append(search, stage, count);
}

static void step_together(hops_search *search)
{
    const size_t count = search->end - search->first;
    atomic_store_explicit(&search->found, search->end, memory_order_relaxed);
    mcd_team_for(search->team, (count + LEVEL_CHUNK - 1) / LEVEL_CHUNK, find_downwards, search);
    search->end = atomic_load_explicit(&search->found, memory_order_relaxed);
}

static void step_down(hops_search *search)
{
    const size_t level_end = search->end;
    ++search->level;
    if (search->has_helpers && level_end - search->first > LEVEL_SMALL)
        step_together(search);
    else
        step_by_one(search);
    search->first = level_end;
}

static size_t part_count(const mcd_graph *graph)
{
    return ((size_t)graph->node_count + NODES_PER_TASK - 1) / NODES_PER_TASK;
}

static void find_upwards(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    hops_search *search = argument;
    const adjacency enter = search->enter;
    const size_t first = index * NODES_PER_TASK,
                 end = mcd_size_min(first + NODES_PER_TASK, search->graph->node_count);
    size_t found = 0;
    for (mcd_node y = (mcd_node)first; y < end; ++y) {
        if (search->hops[y] != MCD_COST_UNREACHED) continue;
        mcd_arc xy = enter.first[y];
        while (xy < enter.first[y + 1] && !bits_has(search->bits[0], enter.neighbour[xy])) ++xy;
        if (xy == enter.first[y + 1]) continue;
        search->hops[y] = search->level;
        bits_add(search->bits[1], y);
        ++found;
    }
    atomic_fetch_add_explicit(&search->found, found, memory_order_relaxed);
}

/* Makes the next level in bits[0]; returns how many nodes it has. */
static size_t step_up(hops_search *search)
{
    uint64_t *const level = search->bits[1];
    memset(level, 0, bits_words(search->graph->node_count) * sizeof *level);
    atomic_store_explicit(&search->found, 0, memory_order_relaxed);
    ++search->level;
    mcd_team_for(search->team, part_count(search->graph), find_upwards, search);
    search->bits[1] = search->bits[0];
    search->bits[0] = level;
    return atomic_load_explicit(&search->found, memory_order_relaxed);
}

/* Makes levels bottom-up until one is narrow, which becomes the last of the queue. */
static void climb(hops_search *search)
{
    const size_t node_count = search->graph->node_count, words = bits_words(node_count);
    size_t count;
    memset(search->bits[0], 0, words * sizeof *search->bits[0]);
    for (size_t i = search->first; i < search->end; ++i) bits_add(search->bits[0], search->queue[i]);
    do count = step_up(search);
    while (count > 0 && count >= node_count / NARROW_NODES && search->level < search->limit &&
           mcd_watch_goes_on(search->watch));
    search->first = search->end = 0; /* earlier levels are never read again */
    for (size_t w = 0; w < words; ++w)
        for (uint64_t rest = search->bits[0][w]; rest; rest &= rest - 1)
            search->queue[search->end++] = (mcd_node)(w * BITS_WORD + (size_t)__builtin_ctzll(rest));
}

static bool is_dense(const mcd_graph *graph)
{
    return graph->arc_count >= (uint64_t)DENSE_DEGREE * graph->node_count;
}

static bool is_wide(const hops_search *search)
{
    const mcd_arc *first = search->leave.first;
    const mcd_graph *graph = search->graph;
    const size_t least = is_dense(graph) ? WIDE_LEAST : graph->node_count / WIDE_NODES;
    if (search->end - search->first < least) return false;
    mcd_arc arcs = 0;
    for (size_t i = search->first; i < search->end; ++i)
        arcs += first[search->queue[i] + 1] - first[search->queue[i]];
    return arcs > graph->arc_count / WIDE_ARCS;
}

static void find_levels(hops_search *search)
{
    search->queue[0] = search->source;
    search->end = 1;
    search->hops[search->source] = 0;
    while (search->first < search->end && search->level < search->limit && mcd_watch_goes_on(search->watch)) {
        if (search->is_hybrid && is_wide(search)) climb(search);
        if (search->level < search->limit) step_down(search);
    }
}

/* ---- parents ---- */

static void find_parents(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const hops_search *search = argument;
    const adjacency enter = search->enter;
    const uint32_t *hops = search->hops;
    const size_t first = index * NODES_PER_TASK,
                 end = mcd_size_min(first + NODES_PER_TASK, search->graph->node_count);
    for (mcd_node y = (mcd_node)first; y < end; ++y) {
        search->parent[y] = MCD_NODE_NONE;
        if (hops[y] == MCD_COST_UNREACHED || hops[y] == 0) continue;
        mcd_arc xy = enter.first[y];
        while (hops[enter.neighbour[xy]] != hops[y] - 1) ++xy; /* one exists, or y would be unreached */
        search->parent[y] = enter.neighbour[xy];
    }
}

static void lead(mcd_team *team, void *context)
{
    hops_search *const search = context;
    search->team = team;
    if (search->source != MCD_NODE_NONE) find_levels(search);
}

/* ---- the job ---- */

static void deliver(const mcd_hops_job *job, const mcd_watch *watch, const uint32_t *hops, uint32_t *row)
{
    for (size_t i = 0; job->column && i < job->column_count; ++i) {
        if (i % MCD_WATCH_ITEMS == 0 && !mcd_watch_goes_on(watch)) return;
        row[i] = hops[job->column[i]];
    }
}

/* Lays a worker's scratch out from `memory` on and returns its end, which is its size if `memory` is 0. */
static uintptr_t lay_out(const mcd_hops_job *job, uintptr_t memory, hops_scratch *out)
{
    const size_t nodes = job->arcs->graph->node_count;
    out->queue = carve(&memory, (nodes + 1) * sizeof *out->queue);
    out->hops = job->column ? carve(&memory, nodes * sizeof *out->hops) : NULL;
    for (int i = 0; i < 2; ++i) out->bits[i] = carve(&memory, bits_words(nodes) * sizeof *out->bits[i]);
    return memory;
}

static void run_source(void *argument, size_t source, unsigned worker)
{
    const hops_run *run = argument;
    const mcd_hops_job *job = run->job;
    const mcd_graph *graph = job->arcs->graph;
    hops_scratch scratch;
    lay_out(job, (uintptr_t)job->scratch + worker * run->worker_bytes, &scratch);
    uint32_t *row = job->hops + source * job->column_count;
    const bool is_shared = is_dense(graph) || run->inner.thread_count > NARROW_THREADS;
    const mcd_parallel levels = is_shared ? run->inner : (mcd_parallel){1, NULL};
    hops_search search = {
        .graph = graph,
        .leave = adjacency_of(graph, job->direction),
        .enter = adjacency_of(graph, direction_against(job->direction)),
        .hops = job->column ? scratch.hops : row,
        .limit = job->limit,
        .queue = scratch.queue,
        .parent = job->parent ? job->parent + source * graph->node_count : NULL,
        .bits = {scratch.bits[0], scratch.bits[1]},
        .is_hybrid = job->strategy != MCD_HOPS_TOP_DOWN,
        .source = job->source[source],
        .has_helpers = levels.thread_count > 1,
        .watch = &run->watch,
    };
    memset(search.hops, 0xff, graph->node_count * sizeof *search.hops);
    mcd_team_run(&levels, &run->watch, lead, &search);
    if (search.parent && mcd_watch_goes_on(&run->watch))
        mcd_parallel_for(&run->inner, part_count(graph), find_parents, &search);
    deliver(job, &run->watch, search.hops, row);
}

size_t mcd_cpu_hops_scratch(const mcd_hops_job *job)
{
    hops_scratch any;
    return mcd_team_workers(&job->parallel, job->source_count) * lay_out(job, 0, &any);
}

macadam_status mcd_cpu_hops(const mcd_hops_job *job, macadam_error *error)
{
    hops_scratch any;
    hops_run run = {job, mcd_watch_of(&job->progress, "hops"), lay_out(job, 0, &any), {1, NULL}};
    if (job->source_count == 1) run.inner = job->parallel;
    return mcd_watch_for(&run.watch, &job->parallel, job->source_count, run_source, &run, error);
}
