/* dijkstra.c - one-to-all costs with a heap.
 *
 * Method. A 4-ary heap holds the nodes that are reached and not settled, with their costs. `place` gives a
 * node's place in the heap, so that its cost can be decreased there. The least of four children is chosen
 * without branches. (Dijkstra 1959; Johnson 1975) */
#include "kernels/cpu/frontier/sssp.h"

#include "kernels/cpu/device/carve.h"

enum { WAYS = 4, NODES_PER_QUESTION = 1 << 12 };

static const mcd_node not_in_heap = MCD_NODE_NONE;

typedef struct heap_entry {
    cost key;
    mcd_node node;
} heap_entry;

typedef struct node_heap {
    heap_entry *entry; /* entry[0] is least */
    mcd_node *place;   /* [node_count] */
    mcd_node count;
    const cost *dist;
} node_heap;

static inline void put(node_heap *heap, mcd_node hole, heap_entry entry)
{
    heap->entry[hole] = entry;
    heap->place[entry.node] = hole;
}

/* Puts an entry into a hole or above it. */
static inline void rise(node_heap *heap, mcd_node hole, heap_entry entry)
{
    while (hole > 0) {
        const mcd_node above = (hole - 1) / WAYS;
        if (heap->entry[above].key <= entry.key) break;
        put(heap, hole, heap->entry[above]);
        hole = above;
    }
    put(heap, hole, entry);
}

/* The least of the children from `child` on; at least one exists. */
static inline mcd_node least_child(const node_heap *heap, mcd_node child)
{
    const mcd_node count = heap->count - child < WAYS ? heap->count - child : WAYS;
    const heap_entry *entry = &heap->entry[child];
    mcd_node best = 0;
    if (count == WAYS) { /* a fixed count unrolls into conditional moves */
        const mcd_node low = entry[1].key < entry[0].key, high = entry[3].key < entry[2].key ? 3 : 2;
        best = entry[high].key < entry[low].key ? high : low;
    } else {
        for (mcd_node i = 1; i < count; ++i)
            if (entry[i].key < entry[best].key) best = i;
    }
    return child + best;
}

static inline mcd_node take_least(node_heap *heap)
{
    const mcd_node least = heap->entry[0].node;
    const heap_entry last = heap->entry[--heap->count];
    mcd_node hole = 0;
    heap->place[least] = not_in_heap;
    if (heap->count == 0) return least;
    while (hole < (heap->count + WAYS - 2) / WAYS) { /* the hole has a child */
        const mcd_node child = least_child(heap, WAYS * hole + 1);
        if (heap->entry[child].key >= last.key) break;
        put(heap, hole, heap->entry[child]);
        hole = child;
    }
    put(heap, hole, last);
    return least;
}

static void lowered(void *context, mcd_node node)
{
    node_heap *const nodes = context;
    const mcd_node place = nodes->place[node];
    rise(nodes, place == not_in_heap ? nodes->count++ : place, (heap_entry){nodes->dist[node], node});
}

void MCD_KERNEL(dijkstra)(const sssp_search *search, uintptr_t memory)
{
    const size_t node_count = search->job->arcs->graph->node_count;
    const adjacency leave = search->leave;
    cost *const dist = search->dist;
    node_heap nodes = {.entry = carve(&memory, node_count * sizeof *nodes.entry),
                       .place = carve(&memory, node_count * sizeof *nodes.place),
                       .dist = dist};
    memset(nodes.place, 0xff, node_count * sizeof *nodes.place);
    sssp_seed(search, lowered, &nodes);
    for (uint32_t round = 1; nodes.count > 0; ++round) {
        if (round % NODES_PER_QUESTION == 0 && !mcd_watch_goes_on(search->watch)) return;
        const mcd_node x = take_least(&nodes);
        for (mcd_arc xy = leave.first[x]; xy < leave.first[x + 1]; ++xy) {
            const mcd_node y = leave.neighbour[xy];
            const cost sum = cost_relaxed(dist[x], cost_of(search->objective, search->companion, xy));
            if (sum >= dist[y]) continue;
            dist[y] = sum;
            lowered(&nodes, y);
        }
    }
}

size_t MCD_KERNEL(dijkstra_scratch)(const mcd_arcs *arcs)
{
    uintptr_t bytes = 0;
    carve(&bytes, arcs->graph->node_count * sizeof(heap_entry));
    carve(&bytes, arcs->graph->node_count * sizeof(mcd_node));
    return bytes;
}
