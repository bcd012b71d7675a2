/* generate.c - see generate.h. */
#include "tests/support/generate.h"

#include "tests/support/checked.h"

#include <pthread.h>

enum { WEIGHT_MAX = 255, THREADS_MAX = 64 };

/* ---- random numbers by arc ---- */

/* The i-th number of an arc: 64 bits. */
static uint64_t draw(const generate_graph *graph, uint64_t arc, uint64_t i)
{
    return rng_mix(rng_mix(graph->seed + i * UINT64_C(0x9e3779b97f4a7c15)) + arc);
}

static uint32_t draw_below(const generate_graph *graph, uint64_t arc, uint64_t i, uint32_t end)
{
    return (uint32_t)((draw(graph, arc, i) >> 32) * end >> 32);
}

enum { DRAW_WEIGHT, DRAW_TAIL, DRAW_HEAD, DRAW_BITS }; /* bit k of an RMAT arc draws number DRAW_BITS + k */

/* ---- kinds ---- */

/* A bijection of k-bit numbers: hubs of RMAT graphs would all have small ids. */
static uint32_t shuffle(uint32_t node, unsigned bits, uint64_t seed)
{
    const uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    for (int round = 0; round < 3; ++round) {
        node = (node * UINT32_C(0x9e3779b1) + (uint32_t)rng_mix(seed + (uint64_t)round)) & mask;
        node ^= node >> (bits + 1) / 2;
    }
    return node;
}

static void place_rmat(const generate_graph *graph, uint64_t arc, generate_arc *out)
{
    const double scale = 18446744073709551616.0; /* 2^64 */
    for (unsigned bit = 0; bit < graph->bits; ++bit) {
        const double chance = (double)draw(graph, arc, DRAW_BITS + bit) / scale;
        const unsigned low = chance >= graph->a + graph->b;
        const unsigned right = low ? chance >= graph->a + graph->b + graph->c : chance >= graph->a;
        out->tail = 2 * out->tail + low;
        out->head = 2 * out->head + right;
    }
    out->tail = shuffle(out->tail, graph->bits, graph->seed);
    out->head = shuffle(out->head, graph->bits, graph->seed);
}

/* Arcs beyond the plain ones leave hubs: the larger of two drawn ones, so that degrees rise evenly to about
 * HUB_DEGREE. */
static void place_scale_free(const generate_graph *graph, uint64_t arc, generate_arc *out)
{
    const uint32_t hub_count = (graph->node_count + GENERATE_HUB_EVERY - 1) / GENERATE_HUB_EVERY;
    const uint64_t plain_count = (uint64_t)graph->node_count * graph->degree;
    out->tail = (uint32_t)(arc / graph->degree);
    if (arc >= plain_count) {
        const uint32_t one = draw_below(graph, arc, DRAW_TAIL, hub_count),
                       other = draw_below(graph, arc, DRAW_BITS, hub_count);
        out->tail = (one > other ? one : other) * GENERATE_HUB_EVERY;
    }
    out->head = draw_below(graph, arc, DRAW_HEAD, graph->node_count);
}

/* Arcs both ways along the first axis, then along the second ... */
static void place_grid(const generate_graph *graph, uint64_t arc, generate_arc *out)
{
    uint64_t stride = 1, street = arc / 2;
    for (int axis = 0; axis < 3; ++axis) {
        const uint64_t side = graph->side[axis], streets = graph->node_count / side * (side - 1);
        if (street < streets) {
            const uint64_t line = street / (side - 1); /* all lines along the axis, by their first nodes */
            const uint64_t first = line / stride * stride * side + line % stride;
            const uint32_t low = (uint32_t)(first + street % (side - 1) * stride),
                           high = low + (uint32_t)stride;
            out->tail = arc % 2 ? high : low;
            out->head = arc % 2 ? low : high;
            return;
        }
        street -= streets;
        stride *= side;
    }
}

generate_arc generate_arc_at(const generate_graph *graph, uint64_t arc)
{
    generate_arc out = {.weight = 1 + draw_below(graph, arc, DRAW_WEIGHT, graph->weight_max)};
    switch (graph->kind) {
    case GENERATE_UNIFORM:
        out.tail = draw_below(graph, arc, DRAW_TAIL, graph->node_count);
        out.head = draw_below(graph, arc, DRAW_HEAD, graph->node_count);
        break;
    case GENERATE_RMAT:
        place_rmat(graph, arc, &out);
        break;
    case GENERATE_SCALE_FREE:
        place_scale_free(graph, arc, &out);
        break;
    case GENERATE_GRID:
        place_grid(graph, arc, &out);
        break;
    }
    return out;
}

/* ---- graphs ---- */

generate_graph generate_uniform(uint32_t node_count, uint32_t degree, uint64_t seed)
{
    return (generate_graph){.kind = GENERATE_UNIFORM,
                            .node_count = node_count,
                            .arc_count = (uint64_t)node_count * degree,
                            .seed = seed,
                            .weight_max = WEIGHT_MAX};
}

generate_graph generate_rmat(unsigned bits, uint32_t degree, double a, double b, double c, uint64_t seed)
{
    generate_graph graph = generate_uniform((uint32_t)1 << bits, degree, seed);
    graph.kind = GENERATE_RMAT;
    graph.bits = bits;
    graph.a = a;
    graph.b = b;
    graph.c = c;
    return graph;
}

generate_graph generate_scale_free(uint32_t node_count, uint32_t degree, uint64_t seed)
{
    generate_graph graph = generate_uniform(node_count, degree, seed);
    graph.kind = GENERATE_SCALE_FREE;
    graph.degree = degree;
    graph.arc_count += (uint64_t)node_count / GENERATE_HUB_EVERY * (GENERATE_HUB_DEGREE / 2);
    return graph;
}

generate_graph generate_grid(uint32_t x, uint32_t y, uint32_t z, uint64_t seed)
{
    generate_graph graph = generate_uniform(x * y * z, 0, seed);
    graph.kind = GENERATE_GRID;
    graph.side[0] = x;
    graph.side[1] = y;
    graph.side[2] = z;
    for (int axis = 0; axis < 3; ++axis)
        graph.arc_count += 2 * (uint64_t)(graph.node_count / graph.side[axis]) * (graph.side[axis] - 1);
    return graph;
}

/* ---- arrays ---- */

typedef struct generate_part {
    const generate_graph *graph;
    uint32_t *tail, *head, *weight;
    uint64_t first, end;
} generate_part;

static void *generate_part_arcs(void *argument)
{
    const generate_part *part = argument;
    for (uint64_t arc = part->first; arc < part->end; ++arc) {
        const generate_arc made = generate_arc_at(part->graph, arc);
        part->tail[arc] = made.tail;
        part->head[arc] = made.head;
        part->weight[arc] = made.weight;
    }
    return NULL;
}

void generate_arcs(const generate_graph *graph, uint32_t *tail, uint32_t *head, uint32_t *weight,
                   unsigned thread_count)
{
    pthread_t thread[THREADS_MAX];
    generate_part part[THREADS_MAX];
    const unsigned count = thread_count < THREADS_MAX ? thread_count : THREADS_MAX;
    for (unsigned i = 0; i < count; ++i) {
        part[i] = (generate_part){graph,
                                  tail,
                                  head,
                                  weight,
                                  graph->arc_count / count * i,
                                  i + 1 == count ? graph->arc_count : graph->arc_count / count * (i + 1)};
        if (pthread_create(&thread[i], NULL, generate_part_arcs, &part[i]) != 0) abort();
    }
    for (unsigned i = 0; i < count; ++i) pthread_join(thread[i], NULL);
}
