/* near_far.c - one-to-all costs by distance: nodes near the front wait in buckets, the others in one list.
 *
 * Method. Bucket b has the waiting nodes with an objective in [b, b + 1) * delta. The first non-empty bucket
 * gives up all its nodes at once, until it stays empty: a node whose cost is lowered waits again, perhaps in
 * the same bucket. The buckets of a window are near: each is a list. Nodes beyond the window wait in the far
 * list. When the window is empty, the next one begins with the least of them. (Meyer, Sanders 2003,
 * delta-stepping; Davidson, Baxter, Garland, Owens 2014, near-far)
 * Layout. Lists are linked through the nodes, in both directions: a node is in one list, so memory is
 * bounded, and a node whose cost is lowered moves. Delta is a power of two.
 * Choice. CPU time of a tree by delta in mean weights (tests/bench/papers): NE takes 77 to 85 ms from 2 to
 * 1/32, and 86 ms if nodes are given up one by one. With 1, 1/8 and 1/32, random graphs of degree 6 take
 * 120, 106, 92 ms, of degree 50 141, 61, 51 ms, and RMAT of degree 32 132, 58, 52 ms. This agrees with 1 /
 * degree of Meyer and Sanders. */
#include "kernels/cpu/frontier/sssp.h"

#include "kernels/cpu/frontier/bits.h"
#include "kernels/cpu/device/carve.h"

#include <string.h>

enum {
    WINDOW = 1 << 12, /* buckets */
    FAR = WINDOW,     /* the far list */
};

#define NOT_WAITING MCD_NODE_NONE
#define LIST_END    (MCD_NODE_NONE - 1)
static_assert(LIST_END == UINT32_MAX - 1, "no map has a node 2^32 - 2: counts are below 2^32 - 1");

/* The neighbours of a waiting node in its list, or LIST_END. before: NOT_WAITING if the node does not
 * wait. */
typedef struct near_link {
    mcd_node before, behind;
} near_link;

typedef struct near_lists {
    mcd_node first[WINDOW + 1];
    uint64_t used[WINDOW / BITS_WORD]; /* a bit for each near list that may have nodes */
    uint32_t base;                     /* the window's first bucket */
    unsigned shift;                    /* delta = 1 << shift */
    near_link *link;                   /* [node_count] */
    mcd_node *given;                   /* [node_count]: nodes that a bucket gave up */
    cost *dist;
} near_lists;

/* The list of a node with that cost, which is not below the window. */
static inline uint32_t list_of(const near_lists *lists, cost value)
{
    const uint32_t bucket = (cost_objective(value) >> lists->shift) - lists->base;
    return bucket < WINDOW ? bucket : FAR;
}

static inline void insert(near_lists *lists, mcd_node node)
{
    const uint32_t list = list_of(lists, lists->dist[node]);
    const mcd_node behind = lists->first[list];
    lists->link[node] = (near_link){LIST_END, behind};
    if (behind != LIST_END) lists->link[behind].before = node;
    lists->first[list] = node;
    if (list != FAR) bits_add(lists->used, list);
}

static inline void withdraw(near_lists *lists, uint32_t list, mcd_node node)
{
    const near_link at = lists->link[node];
    if (at.behind != LIST_END) lists->link[at.behind].before = at.before;
    if (at.before != LIST_END)
        lists->link[at.before].behind = at.behind;
    else
        lists->first[list] = at.behind;
    lists->link[node].before = NOT_WAITING;
}

/* Moves the node, whose cost was `old` and is less now. */
static inline void lowered(void *context, mcd_node node, cost old)
{
    near_lists *const lists = context;
    if (lists->link[node].before != NOT_WAITING) withdraw(lists, list_of(lists, old), node);
    insert(lists, node);
}

/* Begins the next window with the least bucket of the far list. False: no node waits. */
static bool begin_window(near_lists *lists)
{
    mcd_node node = lists->first[FAR], next;
    if (node == LIST_END) return false;
    lists->base = UINT32_MAX;
    for (; node != LIST_END; node = lists->link[node].behind) {
        const uint32_t bucket = cost_objective(lists->dist[node]) >> lists->shift;
        if (bucket < lists->base) lists->base = bucket;
    }
    node = lists->first[FAR];
    lists->first[FAR] = LIST_END;
    for (; node != LIST_END; node = next) {
        next = lists->link[node].behind;
        insert(lists, node);
    }
    return true;
}

static void relax(near_lists *lists, const sssp_search *search, mcd_node x)
{
    cost *const dist = lists->dist;
    const cost from = dist[x];
    for (mcd_arc xy = search->leave.first[x]; xy < search->leave.first[x + 1]; ++xy) {
        const mcd_node y = search->leave.neighbour[xy];
        const cost sum = cost_relaxed(from, cost_of(search->objective, search->companion, xy)), old = dist[y];
        if (sum >= old) continue;
        dist[y] = sum;
        lowered(lists, y, old);
    }
}

/* Takes all nodes from the list; returns how many there were. */
static size_t take_all(near_lists *lists, uint32_t list, const mcd_arc *first)
{
    size_t count = 0;
    for (mcd_node x = lists->first[list]; x != LIST_END; x = lists->link[x].behind) {
        __builtin_prefetch(&first[x]);
        lists->link[x].before = NOT_WAITING;
        lists->given[count++] = x;
    }
    lists->first[list] = LIST_END;
    return count;
}

static void empty_list(near_lists *lists, uint32_t list, const sssp_search *search)
{
    for (size_t count; (count = take_all(lists, list, search->leave.first)) > 0;)
        for (size_t i = 0; i < count; ++i) /* skips nodes that wait again */
            if (lists->link[lists->given[i]].before == NOT_WAITING) relax(lists, search, lists->given[i]);
}

static void empty_window(near_lists *lists, const sssp_search *search)
{
    for (size_t word = 0; word < WINDOW / BITS_WORD;) {
        if (lists->used[word] == 0) {
            ++word;
            continue;
        }
        const unsigned bit = (unsigned)__builtin_ctzll(lists->used[word]);
        empty_list(lists, (uint32_t)(word * BITS_WORD + bit), search);
        lists->used[word] &= lists->used[word] - 1; /* no lower bit was set in between */
    }
}

/* Chooses the mean weight over the mean degree, which is about the weight of a node's lightest arc. */
static unsigned shift_of(const mcd_sssp_job *job)
{
    const mcd_graph *graph = job->arcs->graph;
    uint64_t delta = job->delta;
    if (!delta) delta = (uint64_t)job->arcs->objective_mean * graph->node_count / (graph->arc_count + 1);
    if (delta > MCD_WEIGHT_MAX) delta = MCD_WEIGHT_MAX;
    return delta > 1 ? 31 - (unsigned)__builtin_clz((unsigned)delta) : 0;
}

void MCD_KERNEL(near_far)(const sssp_search *search, uintptr_t memory)
{
    const size_t node_count = search->job->arcs->graph->node_count;
    near_lists *const lists = carve(&memory, sizeof *lists);
    lists->link = carve(&memory, node_count * sizeof *lists->link);
    lists->given = carve(&memory, node_count * sizeof *lists->given);
    lists->dist = search->dist;
    lists->base = 0;
    lists->shift = shift_of(search->job);
    for (size_t list = 0; list <= FAR; ++list) lists->first[list] = LIST_END;
    memset(lists->used, 0, sizeof lists->used);
    memset(lists->link, 0xff, node_count * sizeof *lists->link); /* NOT_WAITING */
    sssp_seed(search, lowered, lists);
    do empty_window(lists, search);
    while (begin_window(lists));
}

size_t MCD_KERNEL(near_far_scratch)(const mcd_arcs *arcs)
{
    uintptr_t bytes = 0;
    carve(&bytes, sizeof(near_lists));
    carve(&bytes, arcs->graph->node_count * sizeof(near_link));
    carve(&bytes, arcs->graph->node_count * sizeof(mcd_node));
    return bytes;
}
