/* clock_search.c - the earliest arrivals (latest departures) of all nodes by buckets of costs.
 *
 * Method  Label correcting: the nodes of a bucket are relaxed until none of them has a lower cost than when it was last
 *         relaxed; then the next bucket follows. FIFO makes the costs of a finished bucket final.
 * Layout  key[node] is twice the node's cost, plus 1 while it waits to be relaxed. A bucket is a list of chunks of
 *         nodes, and the BUCKETS buckets from the current one on are stored in a ring. A node is listed once for each
 *         bucket that its cost has been in; the first one clears the 1. A waiting node is not listed if its
 *         cost is beyond the ring, or if no chunk was free: `relist` is the least bucket of such nodes. When the search
 *         gets there, it lists all waiting nodes again.
 * (Meyer, Sanders 2003: delta-stepping; Dean 2004 for FIFO networks) */
#include "kernels/cpu/frontier/clock_search.h"

#include "kernels/clock.h"
#include "kernels/cpu/device/carve.h"
#include "kernels/cpu/frontier/adjacency.h"

#include <string.h>

enum { BUCKETS = 1024, CHUNK_NODES = 30 };

static const uint32_t no_chunk = UINT32_MAX, no_bucket = UINT32_MAX;

typedef struct chunk { /* two cache lines */
    uint32_t next, count;
    mcd_node node[CHUNK_NODES];
} chunk;

typedef struct clock_run {
    const mcd_clock_arc *arc;
    const mcd_arc *first;
    mcd_patterns patterns;
    uint32_t base;
    mcd_node node_count;
    uint32_t *key;
    unsigned shift; /* of costs to buckets */
    uint32_t now;   /* the current bucket */
    uint32_t relist;
    chunk *chunk;
    uint32_t chunk_count, chunks_used, free; /* those used before and free again are a list */
    uint32_t *top;                           /* [BUCKETS] a bucket's first chunk */
} clock_run;

/* ---- buckets ---- */

static uint32_t chunk_new(clock_run *run)
{
    const uint32_t taken = run->free;
    if (taken == no_chunk) return run->chunks_used < run->chunk_count ? run->chunks_used++ : no_chunk;
    run->free = run->chunk[taken].next;
    return taken;
}

/* Lists a node that waits, or leaves that to a later relisting. */
static inline void list(clock_run *run, mcd_node node, uint32_t bucket)
{
    uint32_t *const top = &run->top[bucket % BUCKETS];
    if (bucket - run->now >= BUCKETS) {
        if (bucket < run->relist) run->relist = bucket;
        return;
    }
    if (*top == no_chunk || run->chunk[*top].count == CHUNK_NODES) {
        const uint32_t taken = chunk_new(run);
        if (taken == no_chunk) {
            run->relist = run->now;
            return;
        }
        run->chunk[taken].next = *top;
        run->chunk[taken].count = 0;
        *top = taken;
    }
    chunk *const to = &run->chunk[*top];
    to->node[to->count++] = node;
}

static void list_all(clock_run *run)
{
    run->chunks_used = 0;
    run->free = no_chunk;
    run->relist = no_bucket;
    for (int i = 0; i < BUCKETS; ++i) run->top[i] = no_chunk;
    for (mcd_node node = 0; node < run->node_count; ++node)
        if (run->key[node] & 1) list(run, node, run->key[node] >> 1 >> run->shift);
}

/* Goes to the next bucket that has nodes. False: there is none. */
static bool next_bucket(clock_run *run)
{
    for (uint32_t ahead = 0; ahead < BUCKETS && run->now + ahead < run->relist; ++ahead)
        if (run->top[(run->now + ahead) % BUCKETS] != no_chunk) {
            run->now += ahead;
            return true;
        }
    if (run->relist == no_bucket) return false;
    run->now = run->relist;
    list_all(run);
    return true;
}

/* ---- relaxing ---- */

/* Lowers a node's cost, and lists the node unless it waits in the same bucket. */
static inline void lower(clock_run *run, mcd_node node, mcd_weight sum)
{
    const uint32_t old = run->key[node], key = 2 * sum + 1; /* MCD_UNREACHED fits, too */
    if (key >= old) return;
    const uint32_t bucket = sum >> run->shift;
    run->key[node] = key;
    if (!(old & 1) || old >> 1 >> run->shift != bucket) list(run, node, bucket);
}

static inline void relax(clock_run *run, mcd_node node, mcd_weight value, mcd_direction direction)
{
    const uint32_t instant = mcd_clock_instant(run->base, value, direction);
    for (mcd_arc xy = run->first[node]; xy < run->first[node + 1]; ++xy) {
        const mcd_clock_arc *arc = &run->arc[xy];
        lower(run, arc->end, mcd_weight_add(value, mcd_clock_cost(&run->patterns, arc, instant, direction)));
    }
}

/* Relaxes those of the nodes that wait; their arcs are fetched while others are relaxed. */
static inline void relax_nodes(clock_run *run, const mcd_node *node, uint32_t count, mcd_direction direction)
{
    for (uint32_t i = 0; i < count; ++i) {
        __builtin_prefetch(&run->key[node[i]]);
        __builtin_prefetch(&run->first[node[i]]);
    }
    for (uint32_t i = 0; i < count; ++i) __builtin_prefetch(&run->arc[run->first[node[i]]]);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t key = run->key[node[i]];
        if (!(key & 1)) continue;
        run->key[node[i]] = key - 1;
        relax(run, node[i], key >> 1, direction);
    }
}

static void relax_bucket(clock_run *run, mcd_direction direction)
{
    uint32_t *const top = &run->top[run->now % BUCKETS];
    while (*top != no_chunk) {
        const uint32_t taken = *top;
        const chunk copy = run->chunk[taken]; /* it may be used again while its nodes are relaxed */
        *top = copy.next;
        run->chunk[taken].next = run->free;
        run->free = taken;
        if (direction == MCD_FORWARD)
            relax_nodes(run, copy.node, copy.count, MCD_FORWARD);
        else
            relax_nodes(run, copy.node, copy.count, MCD_BACKWARD);
    }
}

/* ---- the search ---- */

/* Buckets of about an arc's mean weight: wider ones relax nodes too early, narrower ones hold too few. */
static unsigned shift_of(const mcd_clock_arcs *arcs)
{
    unsigned shift = 0;
    while (arcs->own_mean >> shift > 1) ++shift;
    return shift;
}

/* Whether the costs of all columns are below `bound`; skips those that it has seen. */
static bool columns_are_below(const mcd_clock_job *job, const uint32_t *key, uint64_t bound, size_t *seen)
{
    if (!job->column || job->parent) return false;
    while (*seen < job->column_count && key[job->column[*seen]] >> 1 < bound) ++*seen;
    return *seen == job->column_count;
}

static uintptr_t lay_out(clock_run *run, uintptr_t memory)
{
    run->chunk_count = 2 * (run->node_count / CHUNK_NODES + BUCKETS);
    run->chunk = carve(&memory, run->chunk_count * sizeof *run->chunk);
    run->top = carve(&memory, BUCKETS * sizeof *run->top);
    return memory;
}

size_t MCD_KERNEL(clock_search_scratch)(mcd_node node_count)
{
    clock_run any = {.node_count = node_count};
    return lay_out(&any, 0);
}

mcd_weight MCD_KERNEL(clock_search)(const mcd_clock_job *job, size_t lane, const mcd_watch *watch,
                                    mcd_weight *value, uintptr_t memory)
{
    const mcd_clock_arcs *arcs = job->arcs;
    const mcd_weight limit_end = job->limit + 1;
    const mcd_lane *from = &job->lane[lane];
    clock_run run = {.arc = arcs->arc[job->direction],
                     .first = adjacency_of(arcs->graph, job->direction).first,
                     .patterns = arcs->patterns,
                     .base = job->instant[lane],
                     .node_count = arcs->graph->node_count,
                     .key = value,
                     .shift = shift_of(arcs)};
    size_t seen = 0;
    uint64_t bound = 0; /* of final costs */
    lay_out(&run, memory);
    for (mcd_node node = 0; node < run.node_count; ++node) run.key[node] = 2 * limit_end;
    list_all(&run);
    for (uint32_t i = 0; i < mcd_lane_seed_count(from); ++i)
        lower(&run, from->seed[i].node, from->seed[i].objective);
    while (mcd_watch_goes_on(watch) && !columns_are_below(job, run.key, bound, &seen) && next_bucket(&run)) {
        relax_bucket(&run, job->direction);
        if (run.relist > run.now) bound = ((uint64_t)run.now + 1) << run.shift;
    }
    const bool is_early = columns_are_below(job, run.key, bound, &seen);
    for (mcd_node node = 0; node < run.node_count; ++node) run.key[node] >>= 1;
    return is_early && bound < limit_end ? (mcd_weight)bound : limit_end;
}
