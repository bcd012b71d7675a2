/* clock_search.c - the earliest arrivals (latest departures) of all nodes by buckets of costs.
 *
 * Method  Label correcting: the nodes of a bucket are relaxed until none of them has a lower cost than when it was last
 *         relaxed; then the next bucket follows. FIFO makes the costs of a finished bucket final.
 * Layout  key[node] is twice the node's cost, plus 1 while it waits to be relaxed. A bucket is a list of chunks of
 *         nodes, and the BUCKETS buckets from the current one on are stored in a ring. A node is listed once for each
 *         bucket that its cost has been in; the first one clears the 1. A waiting node is not listed if its
 *         cost is beyond the ring, or if no chunk was free: `relist` is the least bucket of such nodes. When the search
 *         gets there, it lists all waiting nodes again.
 *         A slot's `rate` is the patterns' column of it: most arcs are entered and left in one slot. Two are kept, as
 *         a bucket may have nodes on both sides of a border.
 * Speed   Nearly all nodes are relaxed once, and most arcs lower nothing. Which ones do, and how many arcs a node has, no
 *         processor foresees. So a chunk first lists, without a branch for each arc, those that may lower a cost, and
 *         then relaxes only these. The reads of the next chunks are fetched meanwhile; tests/bench/clock.c chose the order.
 * (Meyer, Sanders 2003: delta-stepping; Dean 2004 for FIFO networks) */
#include "kernels/cpu/frontier/clock_search.h"

#include "kernels/clock.h"
#include "kernels/cpu/device/carve.h"
#include "kernels/cpu/frontier/adjacency.h"

enum {
    BUCKETS = 1024,
    CHUNK_NODES = 30,
    LINE_BYTES = 64,
    FEW = 4,   /* arcs of a node that are looked at without branches */
    AHEAD = 3, /* chunks that are taken before they are relaxed, with the current one */
};

static const uint32_t no_chunk = UINT32_MAX, no_bucket = UINT32_MAX,
                      no_slot = 7 * MCD_WEEK_MS; /* after all instants, and a slot is over before 0 follows */

typedef struct chunk { /* two cache lines */
    uint32_t next, count;
    mcd_node node[CHUNK_NODES];
} chunk;

typedef struct slot_rates {
    uint8_t *rate;  /* [pattern_count + 1]; rate[0] is not used */
    uint32_t begin; /* the instant at which the slot begins */
} slot_rates;

typedef struct clock_run {
    const mcd_clock_arc *arc;
    const mcd_arc *first;
    mcd_patterns patterns;
    slot_rates slot, other_slot; /* the current one, and the one before it */
    uint32_t slot_ms;
    uint32_t base;
    mcd_node node_count;
    uint32_t *key;
    unsigned shift; /* of costs to buckets */
    uint32_t now;   /* the current bucket */
    uint32_t relist;
    chunk *chunk;
    uint32_t chunk_count, chunks_used, free; /* those used before and free again are a list */
    uint32_t *top;                           /* [BUCKETS] a bucket's first chunk */
    clock_touched *touched;                  /* NULL: all nodes may be */
    uint32_t unreached;                      /* the key of nodes without a cost */
    mcd_arc few_end;                         /* FEW arcs can be read from each arc before it on */
} clock_run;

/* ---- buckets ---- */

/* The nodes that may have a cost. */
static inline size_t touched_count(const clock_run *run)
{
    return run->touched ? run->touched->count : run->node_count;
}

static inline mcd_node touched_node(const clock_run *run, size_t index)
{
    return run->touched ? run->touched->node[index] : (mcd_node)index;
}

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

static void empty_buckets(clock_run *run)
{
    run->chunks_used = 0;
    run->free = no_chunk;
    run->relist = no_bucket;
    for (int i = 0; i < BUCKETS; ++i) run->top[i] = no_chunk;
}

static void list_all(clock_run *run)
{
    empty_buckets(run);
    for (size_t i = 0; i < touched_count(run); ++i) {
        const mcd_node node = touched_node(run, i);
        if (run->key[node] & 1) list(run, node, run->key[node] >> 1 >> run->shift);
    }
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
    if (run->touched && old == run->unreached) run->touched->node[run->touched->count++] = node;
    __builtin_prefetch(&run->first[node]);
    if (!(old & 1) || old >> 1 >> run->shift != bucket) list(run, node, bucket);
}

/* Makes the slot in which `at` is the current one. */
static void enter_slot(clock_run *run, uint32_t at)
{
    const mcd_patterns *patterns = &run->patterns;
    const uint8_t *rate = patterns->rate + at / run->slot_ms % patterns->slot_count;
    const slot_rates left = run->slot;
    run->slot = run->other_slot;
    run->other_slot = left;
    if (at - run->slot.begin < run->slot_ms) return;
    run->slot.begin = at - at % run->slot_ms;
    for (uint32_t p = 0; p < patterns->pattern_count; ++p)
        run->slot.rate[p + 1] = rate[(size_t)p * patterns->slot_count];
}

/* An arc that may lower the cost at its end, and the cost before it. */
typedef struct found_arc {
    const mcd_clock_arc *arc;
    mcd_weight value;
} found_arc;

/* Relaxes an arc that may lower a cost. */
static inline void relax(clock_run *run, const mcd_clock_arc *arc, mcd_weight value, mcd_direction direction)
{
    const uint32_t instant = mcd_clock_instant(run->base, value, direction),
                   at = direction == MCD_FORWARD ? instant : instant - 1; /* of the first ms on the way */
    mcd_weight taken = arc->own + arc->price;
    if (at - run->slot.begin >= run->slot_ms) enter_slot(run, at);
    const uint32_t passed = instant - run->slot.begin,
                   left = direction == MCD_FORWARD ? run->slot_ms - passed : passed;
    if (arc->pattern)
        taken = mcd_clock_cost_in_slot(&run->patterns, arc, instant, left, run->slot.rate[arc->pattern],
                                       direction);
    lower(run, arc->end, mcd_weight_add(value, taken));
}

/* Takes a chunk from the current bucket, and fetches what relaxing its nodes reads first. */
static inline bool take(clock_run *run, chunk *out)
{
    uint32_t *const top = &run->top[run->now % BUCKETS];
    const uint32_t taken = *top;
    if (taken == no_chunk) return false;
    *out = run->chunk[taken]; /* it may be used again while its nodes are relaxed */
    *top = out->next;
    run->chunk[taken].next = run->free;
    run->free = taken;
    for (uint32_t i = 0; i < out->count; ++i) {
        const char *const arc = (const char *)&run->arc[run->first[out->node[i]]];
        __builtin_prefetch(arc);
        __builtin_prefetch(arc + LINE_BYTES - 1);
        __builtin_prefetch(&run->key[out->node[i]]);
    }
    return true;
}

/* Relaxes those of the nodes that wait. */
static inline void relax_nodes(clock_run *run, const chunk *nodes, mcd_direction direction)
{
    found_arc found[CHUNK_NODES * FEW + 1];
    size_t count = 0;
    for (uint32_t i = 0; i < nodes->count; ++i) {
        const mcd_arc first = run->first[nodes->node[i]];
        for (size_t j = 0; first < run->few_end && j < FEW; ++j)
            __builtin_prefetch(&run->key[run->arc[first + j].end]);
    }
    for (uint32_t i = 0; i < nodes->count; ++i) {
        const mcd_node node = nodes->node[i];
        const uint32_t key = run->key[node];
        const mcd_clock_arc *const arc = run->arc + run->first[node];
        const size_t degree = run->first[node + 1] - run->first[node];
        size_t j = 0;
        if (!(key & 1)) continue;
        run->key[node] = key - 1;
        for (; run->first[node] < run->few_end && j < FEW; ++j) {
            found[count] = (found_arc){&arc[j], key >> 1};
            count += (j < degree) & mcd_clock_may_lower(&arc[j], key >> 1, run->key[arc[j].end] >> 1);
        }
        for (; j < degree; ++j)
            if (mcd_clock_may_lower(&arc[j], key >> 1, run->key[arc[j].end] >> 1))
                relax(run, &arc[j], key >> 1, direction);
    }
    for (size_t i = 0; i < count; ++i) relax(run, found[i].arc, found[i].value, direction);
}

static inline void relax_chunks(clock_run *run, mcd_direction direction)
{
    chunk taken[AHEAD];
    unsigned first = 0, count = 0;
    for (;; first = (first + 1) % AHEAD, --count) {
        while (count < AHEAD && take(run, &taken[(first + count) % AHEAD])) ++count;
        if (count == 0) return;
        relax_nodes(run, &taken[first], direction);
    }
}

static void relax_bucket(clock_run *run, mcd_direction direction)
{
    if (direction == MCD_FORWARD)
        relax_chunks(run, MCD_FORWARD);
    else
        relax_chunks(run, MCD_BACKWARD);
}

/* ---- the search ---- */

/* Buckets of one to two mean weights of an arc: wider ones relax nodes too early, narrower ones hold too few. */
static unsigned shift_of(const mcd_clock_arcs *arcs)
{
    unsigned shift = 0;
    while (arcs->own_mean >> shift > 0) ++shift;
    return shift;
}

/* Whether the costs of all columns are below `bound`; skips those that it has seen. */
static bool columns_are_below(const mcd_clock_job *job, const uint32_t *key, uint64_t bound, size_t *seen)
{
    const size_t count = job->awaited ? job->awaited : job->tree.column_count;
    if (!job->tree.column || job->tree.parent) return false;
    while (*seen < count && key[job->tree.column[*seen]] >> 1 < bound) ++*seen;
    return *seen == count;
}

static uintptr_t lay_out(clock_run *run, uintptr_t memory)
{
    run->chunk_count = 2 * (run->node_count / CHUNK_NODES + BUCKETS);
    run->chunk = carve(&memory, run->chunk_count * sizeof *run->chunk);
    run->top = carve(&memory, BUCKETS * sizeof *run->top);
    run->slot.rate = carve(&memory, (size_t)run->patterns.pattern_count + 1);
    run->other_slot.rate = carve(&memory, (size_t)run->patterns.pattern_count + 1);
    return memory;
}

size_t MCD_KERNEL(clock_search_scratch)(const mcd_clock_arcs *arcs)
{
    clock_run any = {.node_count = arcs->graph->node_count, .patterns = arcs->patterns};
    return lay_out(&any, 0);
}

mcd_weight MCD_KERNEL(clock_search)(const mcd_clock_job *job, size_t lane, const mcd_watch *watch,
                                    clock_touched *touched, mcd_weight *value, uintptr_t memory)
{
    const mcd_clock_arcs *arcs = job->arcs;
    const mcd_weight limit_end = job->tree.limit + 1;
    const mcd_lane *from = &job->tree.lane[lane];
    clock_run run = {.arc = arcs->arc[job->tree.direction],
                     .first = adjacency_of(arcs->graph, job->tree.direction).first,
                     .patterns = arcs->patterns,
                     .slot_ms = MCD_WEEK_MS / arcs->patterns.slot_count,
                     .base = job->instant[lane],
                     .node_count = arcs->graph->node_count,
                     .key = value,
                     .shift = shift_of(arcs),
                     .touched = touched,
                     .unreached = 2 * limit_end,
                     .few_end = arcs->graph->arc_count < FEW ? 0 : arcs->graph->arc_count - FEW + 1};
    size_t seen = 0;
    uint64_t bound = 0; /* of final costs */
    lay_out(&run, memory);
    run.slot.begin = run.other_slot.begin = no_slot;
    for (mcd_node node = 0; !touched && node < run.node_count; ++node) run.key[node] = run.unreached;
    empty_buckets(&run);
    for (uint32_t i = 0; i < mcd_lane_seed_count(from); ++i)
        lower(&run, from->seed[i].node, from->seed[i].objective);
    while (mcd_watch_goes_on(watch) && !columns_are_below(job, run.key, bound, &seen) && next_bucket(&run)) {
        relax_bucket(&run, job->tree.direction);
        if (run.relist > run.now) bound = ((uint64_t)run.now + 1) << run.shift;
    }
    const bool is_early = columns_are_below(job, run.key, bound, &seen);
    for (size_t i = 0; i < touched_count(&run); ++i) run.key[touched_node(&run, i)] >>= 1;
    return is_early && bound < limit_end ? (mcd_weight)bound : limit_end;
}
