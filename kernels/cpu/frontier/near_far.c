/* near_far.c - one-to-all costs by distance: near nodes are relaxed until none is left, far ones wait.
 *
 * Method. A node whose cost has fallen waits near if its objective is below the step's bound, and far
 * otherwise. A task relaxes a chunk of the near list. Then it relaxes the near nodes that it has lowered
 * itself, from a ring, without waiting for other tasks. Nodes that the ring cannot hold go to the next
 * round's near list. When no node is near, the bound rises by delta, and the far nodes below it become near.
 * (Meyer, Sanders 2003, delta-stepping; Davidson, Baxter, Garland, Owens 2014, near-far; Zhang et al. 2020,
 * bucket fusion)
 * Branches. The processor cannot predict whether an arc of a road lowers a cost. So arcs are read in one
 * loop, which collects the falls without a branch, and another loop does them.
 * Layout. A list has a node at most once, so memory is bounded: `stamp` is the last round that lists the
 * node, `is_far` says that the far list has it. A ring's entry holds the cost that the node had: if the node
 * has fallen since, a later entry relaxes it. A far node whose objective is below the bound has been near
 * since, and the next step drops it.
 * Threads. Costs fall by compare-and-swap. A minimum does not depend on the order, and so neither do the
 * answers.
 * Limit. Random accesses to costs and arcs. With 1 to 8 mean weights as delta, a tree of New York relaxes 2
 * to 19 % more nodes than there are, in 540 to 70 steps. (tests/bench/papers) */
#include "kernels/cpu/frontier/sssp.h"

#include "kernels/cpu/device/carve.h"
#include "kernels/cpu/frontier/team.h"

#include <stdatomic.h>

enum {
    RING = 1 << 11,
    FALLS = 512,      /* collected before they are done */
    STAGE = 256,      /* nodes that a worker collects before it adds them to a list */
    CHUNK = 64,       /* near nodes per task, at most ... */
    CHUNK_LEAST = 8,  /* ... and at least */
    BUDGET = 512,     /* near nodes that a task relaxes from its ring */
    BATCH = 32,       /* of them at a time */
    FAR_CHUNK = 2048, /* far nodes per task */
    AHEAD = 8,        /* nodes of a list whose arcs are fetched early */
    ARCS_AHEAD = 16,
    AT_ONCE = 16,      /* arcs compared together */
    NARROW_DEGREE = 4, /* arcs per node, on average, of roads */
    NARROW_THREADS =
        2,            /* on roads this many are slower than one, whose costs fall without atomic operations */
    DELTA_ONE = 4,    /* on roads, in mean weights: of one thread, ... */
    DELTA_SHARED = 8, /* ... of several */
};

/* A node whose cost has fallen to `to`. */
typedef struct near_fall {
    mcd_node node;
    cost to;
} near_fall;

/* A list that workers append to. */
typedef struct near_list {
    mcd_node *node; /* [node_count] */
    atomic_size_t count;
} near_list;

typedef struct near_stage {
    mcd_node node[STAGE];
    size_t count;
} near_stage;

/* One thread's. */
typedef struct near_worker {
    near_fall ring[RING], fall[FALLS];
    mcd_node far[FALLS];
    unsigned begin, end; /* of the ring, modulo its size */
    size_t fall_count;
    near_stage next, later;
    uint32_t low; /* the least objective of the far nodes that it has kept */
} near_worker;

typedef struct near_far {
    const sssp_search *search;
    cost *dist;
    uint32_t *stamp;
    uint8_t *is_far;
    near_list near, next, far, later;
    near_worker *worker;
    uint32_t round, before, bound, delta;
    size_t chunk;
    mcd_parallel parallel;
    bool shared;    /* by several threads */
    bool is_narrow; /* roads */
} near_far;

/* ---- lists ---- */

static void flush(near_list *list, near_stage *stage)
{
    if (stage->count == 0) return;
    const size_t at = atomic_fetch_add_explicit(&list->count, stage->count, memory_order_relaxed);
    memcpy(list->node + at, stage->node, stage->count * sizeof *stage->node);
    stage->count = 0;
}

static inline void append(near_list *list, near_stage *stage, mcd_node node)
{
    stage->node[stage->count++] = node;
    if (stage->count == STAGE) flush(list, stage);
}

static size_t count_of(const near_list *list)
{
    return atomic_load_explicit(&list->count, memory_order_relaxed);
}

/* Replaces *to by *from, which becomes empty. */
static void take_list(near_list *to, near_list *from)
{
    mcd_node *const node = to->node;
    to->node = from->node;
    atomic_store_explicit(&to->count, count_of(from), memory_order_relaxed);
    from->node = node;
    atomic_store_explicit(&from->count, 0, memory_order_relaxed);
}

static inline void list_next(near_far *run, near_worker *worker, mcd_node node)
{
    const uint32_t next = run->round + 1;
    if (__atomic_exchange_n(&run->stamp[node], next, __ATOMIC_RELAXED) != next)
        append(&run->next, &worker->next, node);
}

static inline void list_far(near_far *run, near_worker *worker, mcd_node node)
{
    if (!run->shared)
        run->is_far[node] = 1;
    else if (__atomic_exchange_n(&run->is_far[node], 1, __ATOMIC_RELAXED))
        return;
    append(&run->far, &worker->later, node);
}

/* ---- relaxing ---- */

static inline cost cost_now(const near_far *run, mcd_node node)
{
    return __atomic_load_n(&run->dist[node], __ATOMIC_RELAXED);
}

/* Lowers the cost; returns whether it was above. */
static inline bool lower(near_far *run, near_fall fall)
{
    cost old = cost_now(run, fall.node);
    if (!run->shared) {
        if (fall.to < old) run->dist[fall.node] = fall.to;
        return fall.to < old;
    }
    while (fall.to < old)
        if (__atomic_compare_exchange_n(&run->dist[fall.node], &old, fall.to, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

/* Lowers the costs that were collected, and lists their nodes. */
static void do_falls(near_far *run, near_worker *worker)
{
    size_t far_count = 0;
    for (size_t i = 0; i < worker->fall_count; ++i) {
        const near_fall fall = worker->fall[i];
        if (!lower(run, fall)) continue;
        const bool near = cost_objective(fall.to) < run->bound;
        worker->ring[worker->end % RING] = fall;
        worker->end += near;
        worker->far[far_count] = fall.node;
        far_count += !near & !__atomic_load_n(&run->is_far[fall.node], __ATOMIC_RELAXED);
        if (worker->end - worker->begin == RING) /* no room: the last one waits */
            list_next(run, worker, worker->ring[--worker->end % RING].node);
    }
    for (size_t i = 0; i < far_count; ++i)
        if (run->shared || !run->is_far[worker->far[i]]) list_far(run, worker, worker->far[i]);
    worker->fall_count = 0;
}

#if MCD_LANE_BITS == 32
/* Collects the falls of the arcs that leave x, of which most lower nothing: several are compared together. */
static void relax_many(near_far *run, near_worker *worker, mcd_node x, cost from)
{
    const sssp_search *search = run->search;
    const mcd_arc end = search->leave.first[x + 1];
    for (mcd_arc xy = search->leave.first[x]; xy < end; xy += AT_ONCE) {
        const mcd_node *const head = search->leave.neighbour + xy;
        const size_t count = mcd_size_min(end - xy, AT_ONCE);
        uint32_t falls = compare_sums(true, from, search->objective + xy, run->dist, head, count);
        if (falls && worker->fall_count > FALLS - AT_ONCE) do_falls(run, worker);
        for (; falls; falls &= falls - 1) {
            const int i = __builtin_ctz(falls);
            worker->fall[worker->fall_count++] =
                (near_fall){head[i], from + search->objective[xy + (mcd_arc)i]};
        }
    }
    if (worker->fall_count == FALLS) do_falls(run, worker);
}
#endif

/* Collects the falls of the arcs that leave x. */
static inline void relax(near_far *run, near_worker *worker, mcd_node x, cost from, bool is_narrow)
{
    const sssp_search *search = run->search;
    const mcd_arc end = search->leave.first[x + 1];
#if MCD_LANE_BITS == 32
    if (!is_narrow) {
        relax_many(run, worker, x, from);
        return;
    }
#endif
    for (mcd_arc xy = search->leave.first[x]; xy < end; ++xy) {
        const mcd_node y = search->leave.neighbour[xy];
        const cost sum = cost_relaxed(from, cost_of(search->objective, search->companion, xy));
        const bool falls = sum < cost_now(run, y);
        if (!is_narrow) {
            if (xy + ARCS_AHEAD < end)
                __builtin_prefetch(&run->dist[search->leave.neighbour[xy + ARCS_AHEAD]]);
            if (!falls) continue;
        }
        worker->fall[worker->fall_count] = (near_fall){y, sum};
        worker->fall_count += falls;
        if (worker->fall_count == FALLS) do_falls(run, worker);
    }
}

/* Relaxes from the ring what its budget allows; the others wait for the next round. */
static inline void relax_ring(near_far *run, near_worker *worker, bool is_narrow)
{
    for (unsigned left = BUDGET; left > 0 && worker->begin != worker->end; left -= BATCH) {
        for (unsigned i = 0; i < BATCH && worker->begin != worker->end; ++i) {
            const near_fall entry = worker->ring[worker->begin++ % RING];
            if (cost_now(run, entry.node) == entry.to) relax(run, worker, entry.node, entry.to, is_narrow);
        }
        do_falls(run, worker);
    }
    while (worker->begin != worker->end) {
        const near_fall entry = worker->ring[worker->begin++ % RING];
        if (cost_now(run, entry.node) == entry.to) list_next(run, worker, entry.node);
    }
}

static inline void relax_chunk(near_far *run, near_worker *worker, size_t first, size_t end, bool is_narrow)
{
    const mcd_node *node = run->near.node;
    const mcd_arc *first_arc = run->search->leave.first;
    for (size_t i = first; i < end; ++i) {
        if (i + AHEAD < end) __builtin_prefetch(&first_arc[node[i + AHEAD]]);
        relax(run, worker, node[i], cost_now(run, node[i]), is_narrow);
    }
    do_falls(run, worker);
    relax_ring(run, worker, is_narrow);
    flush(&run->next, &worker->next);
    flush(&run->far, &worker->later);
}

static void relax_task(void *argument, size_t index, unsigned number)
{
    near_far *const run = argument;
    const size_t first = index * run->chunk, end = mcd_size_min(first + run->chunk, count_of(&run->near));
    if (run->is_narrow)
        relax_chunk(run, &run->worker[number], first, end, true);
    else
        relax_chunk(run, &run->worker[number], first, end, false);
}

/* Relaxes until no node is near. */
static void empty_near(near_far *run, mcd_team *team)
{
    const size_t parts = 2 * (size_t)run->parallel.thread_count;
    for (size_t count; (count = count_of(&run->near)) > 0;) {
        run->chunk = mcd_size_max(CHUNK_LEAST, mcd_size_min(count / parts, CHUNK));
        mcd_team_for(team, (count + run->chunk - 1) / run->chunk, relax_task, run);
        ++run->round;
        take_list(&run->near, &run->next);
    }
}

/* ---- steps ---- */

static void divide_far(void *argument, size_t index, unsigned number)
{
    near_far *const run = argument;
    near_worker *const worker = &run->worker[number];
    const size_t first = index * FAR_CHUNK, end = mcd_size_min(first + FAR_CHUNK, count_of(&run->far));
    for (size_t i = first; i < end; ++i) {
        const mcd_node node = run->far.node[i];
        const uint32_t at = cost_objective(run->dist[node]);
        if (at >= run->bound) {
            if (at < worker->low) worker->low = at;
            append(&run->later, &worker->later, node);
            continue;
        }
        run->is_far[node] = 0;
        if (at >= run->before) append(&run->near, &worker->next, node); /* else it has been near since */
    }
    flush(&run->near, &worker->next);
    flush(&run->later, &worker->later);
}

/* Makes the far nodes below the next bound near. False: no node waits. */
static bool take_step(near_far *run, mcd_team *team)
{
    uint32_t low = run->bound;
    while (count_of(&run->near) == 0) {
        const size_t count = count_of(&run->far);
        const unsigned workers = run->parallel.thread_count;
        if (count == 0) return false;
        run->before = run->bound;
        run->bound = low > UINT32_MAX - run->delta ? UINT32_MAX : low + run->delta;
        for (unsigned w = 0; w < workers; ++w) run->worker[w].low = UINT32_MAX;
        mcd_team_for(team, (count + FAR_CHUNK - 1) / FAR_CHUNK, divide_far, run);
        low = UINT32_MAX;
        for (unsigned w = 0; w < workers; ++w)
            if (run->worker[w].low < low) low = run->worker[w].low;
        take_list(&run->far, &run->later);
    }
    return true;
}

static void seeded(void *context, mcd_node node)
{
    near_far *const run = context;
    if (run->is_far[node]) return;
    run->is_far[node] = 1;
    run->far.node[run->far.count++] = node;
}

static void lead(mcd_team *team, void *context)
{
    near_far *const run = context;
    while (mcd_watch_goes_on(run->search->watch) && take_step(run, team)) empty_near(run, team);
}

/* Where nodes have many arcs: the mean weight over the mean degree, about that of a node's lightest arc. */
static uint32_t delta_of(const near_far *run)
{
    const mcd_sssp_job *job = run->search->job;
    const mcd_graph *graph = job->arcs->graph;
    uint64_t delta = job->arcs->objective_mean;
    if (run->is_narrow)
        delta *= run->shared ? DELTA_SHARED : DELTA_ONE;
    else
        delta = delta * graph->node_count / (graph->arc_count + 1);
    if (job->delta) delta = job->delta;
    if (delta > MCD_WEIGHT_MAX) delta = MCD_WEIGHT_MAX;
    return delta > 0 ? (uint32_t)delta : 1;
}

static uintptr_t lay_out(near_far *run, uintptr_t memory, size_t node_count, unsigned threads)
{
    near_list *const list[] = {&run->near, &run->next, &run->far, &run->later};
    run->worker = carve(&memory, threads * sizeof *run->worker);
    run->stamp = carve(&memory, node_count * sizeof *run->stamp);
    run->is_far = carve(&memory, node_count);
    for (int i = 0; i < 4; ++i) list[i]->node = carve(&memory, node_count * sizeof *list[i]->node);
    return memory;
}

void MCD_KERNEL(near_far)(const sssp_search *search, uintptr_t memory)
{
    const mcd_graph *graph = search->job->arcs->graph;
    const bool is_narrow = graph->arc_count <= (uint64_t)NARROW_DEGREE * graph->node_count;
    near_far run = {
        .search = search, .dist = search->dist, .parallel = search->parallel, .is_narrow = is_narrow};
    if (is_narrow && run.parallel.thread_count <= NARROW_THREADS) run.parallel = (mcd_parallel){1, NULL};
    const unsigned threads = run.parallel.thread_count;
    run.shared = threads > 1;
    run.delta = delta_of(&run);
    lay_out(&run, memory, graph->node_count, threads);
    memset(run.stamp, 0, graph->node_count * sizeof *run.stamp);
    memset(run.is_far, 0, graph->node_count);
    for (unsigned w = 0; w < threads; ++w) {
        near_worker *const worker = &run.worker[w];
        worker->begin = worker->end = 0;
        worker->fall_count = worker->next.count = worker->later.count = 0;
    }
    sssp_seed(search, seeded, &run);
    mcd_team_run(&run.parallel, search->watch, lead, &run);
}

size_t MCD_KERNEL(near_far_scratch)(const mcd_arcs *arcs, unsigned threads)
{
    near_far any;
    return lay_out(&any, 0, arcs->graph->node_count, threads);
}
