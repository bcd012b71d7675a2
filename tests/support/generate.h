/* generate.h - large graphs, made in memory where they are used: the kinds that papers measure.
 *
 * Every arc is a function of the graph and its own number: random numbers are hashes of (seed, arc), so that
 * any number of threads, or a device, makes the same arcs in any order. Nothing is removed: loops and
 * parallel arcs are there as they fall. */
#ifndef MCD_TESTS_SUPPORT_GENERATE_H
#define MCD_TESTS_SUPPORT_GENERATE_H

#include "tests/support/rng.h"

#include <stddef.h>

typedef enum generate_kind {
    GENERATE_UNIFORM,    /* both ends of an arc are any nodes */
    GENERATE_RMAT,       /* 2^k nodes, ids shuffled; `a`, `b`, `c`. (Chakrabarti, Zhan, Faloutsos 2004) */
    GENERATE_SCALE_FREE, /* `degree` arcs leave a node, up to about 1000 one in a thousand. (Harish, Narayanan
                            2007) */
    GENERATE_GRID,       /* dimensions 2 or 3: an arc to each neighbour and back */
} generate_kind;

enum { GENERATE_HUB_EVERY = 1000, GENERATE_HUB_DEGREE = 1000 };

typedef struct generate_graph {
    generate_kind kind;
    uint32_t node_count;
    uint64_t arc_count;
    uint64_t seed;
    uint32_t weight_max; /* weights are 1 to weight_max */
    double a, b, c;      /* RMAT: chances of the quarters (0, 0), (0, 1) and (1, 0) */
    unsigned bits;       /* RMAT: of a node */
    uint32_t degree;     /* scale-free: of a plain node */
    uint32_t side[3];    /* grid: nodes along each axis; 1: none */
} generate_graph;

typedef struct generate_arc {
    uint32_t tail, head, weight;
} generate_arc;

generate_graph generate_uniform(uint32_t node_count, uint32_t degree, uint64_t seed);
generate_graph generate_rmat(unsigned bits, uint32_t degree, double a, double b, double c, uint64_t seed);
generate_graph generate_scale_free(uint32_t node_count, uint32_t degree, uint64_t seed);
generate_graph generate_grid(uint32_t x, uint32_t y, uint32_t z, uint64_t seed);

/* The arc of that number, below arc_count. */
generate_arc generate_arc_at(const generate_graph *graph, uint64_t arc);

/* All of them, in their order: arrays of arc_count. `thread_count` threads share the work. */
void generate_arcs(const generate_graph *graph, uint32_t *tail, uint32_t *head, uint32_t *weight,
                   unsigned thread_count);

#endif
