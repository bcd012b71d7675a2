/* dijkstra.c - see dijkstra.h.
 *
 * Method  A 4-ary heap of 64-bit (cost, node) with lazy deletion. Heads and weights are interleaved, nodes
 *         keep the input's order. The least of four children is chosen without branches.
 * Choice  Median of 21 trees, one thread of a 2-core cloud machine, New York and NE: 4-ary lazy 18.6 and
 *         127 ms; 4-ary with decrease-key 19.1 and 128; binary 27.6 and 182, either way; 8-ary 22 and 127. */
#include "tests/bench/dijkstra.h"

#include "tests/support/checked.h"

enum { WAYS = 4 };

typedef struct out_arc {
    uint32_t head, weight;
} out_arc;

struct bench_dijkstra {
    size_t node_count;
    uint32_t *first_out;
    out_arc *out;
    uint32_t *dist;
    uint64_t *heap; /* cost << 32 | node; heap[0] is least */
};

bench_dijkstra *dijkstra_new(const oracle_arcs *arcs)
{
    const size_t node_count = arcs->node_count;
    bench_dijkstra *new = checked_zeroed(1, sizeof *new);
    new->node_count = node_count;
    new->first_out = checked_zeroed(node_count + 2, sizeof *new->first_out);
    new->out = checked_allocate(arcs->arc_count, sizeof *new->out);
    new->dist = checked_allocate(node_count, sizeof *new->dist);
    new->heap = checked_allocate(arcs->arc_count + 1, sizeof *new->heap);

    uint32_t *next = new->first_out + 1; /* counts, then write positions, then the next node's first arc */
    for (size_t i = 0; i < arcs->arc_count; ++i)
        next[arcs->tail[i] + 1] += arcs->objective[i] < ORACLE_COST_END;
    for (size_t x = 0; x < node_count; ++x) next[x + 1] += next[x];
    for (size_t i = 0; i < arcs->arc_count; ++i)
        if (arcs->objective[i] < ORACLE_COST_END)
            new->out[next[arcs->tail[i]]++] = (out_arc){arcs->head[i], arcs->objective[i]};
    return new;
}

void dijkstra_free(bench_dijkstra *dijkstra)
{
    if (!dijkstra) return;
    free(dijkstra->first_out);
    free(dijkstra->out);
    free(dijkstra->dist);
    free(dijkstra->heap);
    free(dijkstra);
}

static inline void push(uint64_t *heap, size_t hole, uint64_t entry)
{
    while (hole > 0) {
        const size_t parent = (hole - 1) / WAYS;
        if (heap[parent] <= entry) break;
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = entry;
}

/* Removes heap[0] of `count` entries. */
static inline void pop(uint64_t *heap, size_t count)
{
    const uint64_t last = heap[--count];
    size_t hole = 0;
    for (size_t child; (child = WAYS * hole + 1) < count;) {
        size_t best = child;
        uint64_t least = heap[child];
        if (child + WAYS <= count) { /* a fixed count unrolls into conditional moves */
            for (size_t i = child + 1; i < child + WAYS; ++i) {
                const bool is_less = heap[i] < least;
                least = is_less ? heap[i] : least;
                best = is_less ? i : best;
            }
        } else {
            for (size_t i = child + 1; i < count; ++i)
                if (heap[i] < least) least = heap[best = i];
        }
        if (least >= last) break;
        heap[hole] = least;
        hole = best;
    }
    heap[hole] = last;
}

const uint32_t *dijkstra_tree(bench_dijkstra *dijkstra, uint32_t source)
{
    uint32_t *dist = dijkstra->dist;
    uint64_t *heap = dijkstra->heap;
    size_t count = 0;
    for (size_t x = 0; x < dijkstra->node_count; ++x) dist[x] = ORACLE_COST_END;
    dist[source] = 0;
    push(heap, count++, source);
    while (count > 0) {
        const uint64_t entry = heap[0];
        const uint32_t node = (uint32_t)entry, cost = (uint32_t)(entry >> 32);
        pop(heap, count--);
        if (cost != dist[node]) continue;
        for (uint32_t i = dijkstra->first_out[node]; i < dijkstra->first_out[node + 1]; ++i) {
            const out_arc *arc = &dijkstra->out[i];
            const uint32_t sum = cost + arc->weight; /* both below 2^31 */
            if (sum >= dist[arc->head]) continue;
            dist[arc->head] = sum;
            push(heap, count++, (uint64_t)sum << 32 | arc->head);
        }
    }
    return dist;
}
