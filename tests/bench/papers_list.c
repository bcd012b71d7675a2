/* papers_list.c - see papers_list.h. */
#include "tests/bench/papers_list.h"

/* ---- questions ---- */

/* The experiments that have a question. */
enum { SEARCHES = 1, SWEEP = 2, ROADS = 4, ROUNDS = 8, STRATEGIES = 16 };

/* The host has one way from level to level: kernels/backend.h. */
#define STRATEGY(text, value)                                                                                \
    {"BFS, " text, ASK_HOPS, STRATEGIES, BY_GPU, .strategy = value},                                         \
    {                                                                                                        \
        "BFS, " text ", parents", ASK_HOPS, STRATEGIES, BY_GPU, .strategy = value, .parents = true           \
    }
/* As the paper has it, and with one thing changed. */
#define CULLING(text, value, culled)                                                                         \
    {                                                                                                        \
        text, ASK_CULLING, STRATEGIES, BY_GPU, .strategy = value, .how = culled                              \
    }
#define PAIRS(text, columns)         text, ASK_ROUNDS, ROUNDS, .by = columns
#define COSTS(text, sets, by, value) "SSSP, " text, ASK_COSTS, sets, by, .method = MCD_TREE_##value

const question paper_questions[] = {
    {"BFS", ASK_HOPS, SEARCHES | SWEEP | ROADS | STRATEGIES, .by = BY_ALL},
    {"BFS, parents", ASK_HOPS, ROADS | STRATEGIES, BY_GPU | BY_HOST, .parents = true},
    {"st-connectivity", ASK_CONNECTION, SEARCHES | ROADS, .by = BY_ALL},
    {"st-connectivity, path", ASK_CONNECTION, ROADS, BY_GPU | BY_HOST, .parents = true},
    {COSTS("near-far", SEARCHES | SWEEP | ROADS | ROUNDS, BY_ALL, NEAR_FAR)},
    {COSTS("near-far, 64 trees", ROADS, BY_GPU, NEAR_FAR), .lanes = 64},
    {COSTS("Bellman-Ford", ROADS | ROUNDS, BY_GPU | BY_HOST, BELLMAN_FORD)},
    {COSTS("Dijkstra", ROUNDS, BY_HOST, DIJKSTRA)},
    STRATEGY("expand-contract", MCD_HOPS_EXPAND_CONTRACT),
    STRATEGY("contract-expand", MCD_HOPS_CONTRACT_EXPAND),
    STRATEGY("two-phase", MCD_HOPS_TWO_PHASE),
    STRATEGY("hybrid", MCD_HOPS_HYBRID),
    STRATEGY("bottom-up", MCD_HOPS_BOTTOM_UP),
    STRATEGY("divided", MCD_HOPS_DIVIDED),
    CULLING("the paper's expand-contract", MCD_HOPS_EXPAND_CONTRACT, CULLING_PAPER),
    CULLING("the paper's contract-expand", MCD_HOPS_CONTRACT_EXPAND, CULLING_PAPER),
    CULLING("the paper's two-phase", MCD_HOPS_TWO_PHASE, CULLING_PAPER),
    CULLING("the paper's hybrid", MCD_HOPS_HYBRID, CULLING_PAPER),
    CULLING("its expand-contract, arcs divided evenly", MCD_HOPS_EXPAND_CONTRACT, CULLING_EVEN),
    CULLING("its two-phase, arcs divided evenly", MCD_HOPS_TWO_PHASE, CULLING_EVEN),
    CULLING("its expand-contract, duplicates expanded", MCD_HOPS_EXPAND_CONTRACT, CULLING_HOPS),
    CULLING("its contract-expand, duplicates expanded", MCD_HOPS_CONTRACT_EXPAND, CULLING_HOPS),
    CULLING("its two-phase, duplicates expanded", MCD_HOPS_TWO_PHASE, CULLING_HOPS),
    CULLING("its expand-contract, atomic claims", MCD_HOPS_EXPAND_CONTRACT, CULLING_ATOMIC),
    CULLING("its contract-expand, atomic claims", MCD_HOPS_CONTRACT_EXPAND, CULLING_ATOMIC),
    CULLING("its two-phase, atomic claims", MCD_HOPS_TWO_PHASE, CULLING_ATOMIC),
    {PAIRS("thread a pair, in no order", BY_GPU | BY_HOST), .unsorted = true},
    {PAIRS("the same, read-only loads", BY_GPU), .unsorted = true, .read_only = true},
    {PAIRS("thread a pair, sorted", BY_GPU)},
    {PAIRS("the same, read-only loads", BY_GPU), .read_only = true},
};
const size_t paper_question_count = sizeof paper_questions / sizeof *paper_questions;

/* ---- papers ---- */

#define HARISH   "Harish, Narayanan 2007 (8800 GTX)"
#define KOLGANOV "Kolganov 2014 (GTX Titan)"
#define MERRILL  "Merrill, Garland, Grimshaw 2012 (C2050)"

#define WEIGHTS_HARISH       .weight_max = 10
#define UNIFORM(nodes, arcs) .kind = GENERATE_UNIFORM, .node_count = nodes, .degree = arcs
#define RMAT(bits, arcs, high, other)                                                                        \
    .kind = GENERATE_RMAT, .node_count = 1u << (bits), .degree = arcs, .a = high, .b = other
#define GRID(nodes, axes) .kind = GENERATE_GRID, .node_count = nodes, .dimensions = axes
#define KOLGANOV_RMAT(bits)                                                                                  \
    .paper = KOLGANOV, .graph = "RMAT 2^" #bits ", degree 32", RMAT(bits, 16, 0.45, 0.15),                   \
    .undirected = true, .set = ROUNDS

const experiment paper_experiments[] = {
    {.paper = HARISH, .graph = "random, degree 6", UNIFORM(10000000, 6), WEIGHTS_HARISH, .set = SEARCHES},
    {.paper = HARISH,
     .graph = "scale-free",
     .kind = GENERATE_SCALE_FREE,
     .node_count = 10000000,
     .degree = 6,
     WEIGHTS_HARISH,
     .set = SEARCHES},
    {.paper = HARISH, .graph = "random, degree 10", UNIFORM(100000, 10), WEIGHTS_HARISH, .set = SWEEP},
    {.paper = HARISH, .graph = "random, degree 50", UNIFORM(100000, 50), WEIGHTS_HARISH, .set = SWEEP},
    {.paper = HARISH, .graph = "random, degree 100", UNIFORM(100000, 100), WEIGHTS_HARISH, .set = SWEEP},
    {KOLGANOV_RMAT(14)},
    {KOLGANOV_RMAT(15)},
    {KOLGANOV_RMAT(16)},
    {KOLGANOV_RMAT(17)},
    {KOLGANOV_RMAT(18)},
    {KOLGANOV_RMAT(19)},
    {KOLGANOV_RMAT(20)},
    {KOLGANOV_RMAT(21)},
    {KOLGANOV_RMAT(22)},
    {KOLGANOV_RMAT(23)},
    {KOLGANOV_RMAT(24)},
    {.paper = MERRILL, .graph = "grid, 2-D", GRID(25000000, 2), .set = STRATEGIES},
    {.paper = MERRILL, .graph = "grid, 3-D", GRID(27000000, 3), .set = STRATEGIES},
    {.paper = MERRILL, .graph = "random, degree 64", UNIFORM(2000000, 64), .set = STRATEGIES},
    {.paper = MERRILL, .graph = "RMAT 2^21, degree 64", RMAT(21, 64, 0.45, 0.15), .set = STRATEGIES},
    {.paper = MERRILL,
     .graph = "Kronecker 2^20, degree 96",
     RMAT(20, 48, 0.57, 0.19),
     .undirected = true,
     .set = STRATEGIES},
};
const size_t paper_experiment_count = sizeof paper_experiments / sizeof *paper_experiments;

const experiment paper_roads = {.paper = "BFS, st-connectivity, SSSP on DIMACS roads", .set = ROADS};

/* ---- graphs ---- */

static generate_graph grid_graph(uint32_t node_count, int dimensions)
{
    uint64_t side = 1;
    while (dimensions == 2 ? (side + 1) * (side + 1) <= node_count
                           : (side + 1) * (side + 1) * (side + 1) <= node_count)
        ++side;
    const uint32_t each = (uint32_t)side;
    return generate_grid(each, each, dimensions == 2 ? 1 : each, 1);
}

static generate_graph graph_of(const experiment *of, uint32_t nodes_max)
{
    const uint32_t nodes = of->node_count < nodes_max ? of->node_count : nodes_max;
    unsigned bits = 0;
    switch (of->kind) {
    case GENERATE_UNIFORM:
        return generate_uniform(nodes, of->degree, 1);
    case GENERATE_SCALE_FREE:
        return generate_scale_free(nodes, of->degree, 1);
    case GENERATE_GRID:
        return grid_graph(nodes, of->dimensions);
    case GENERATE_RMAT:
        while (2u << bits <= nodes) ++bits;
        break;
    }
    return generate_rmat(bits, of->degree, of->a, of->b, of->b, 1);
}

generate_graph experiment_graph(const experiment *of, uint32_t nodes_max)
{
    generate_graph graph = graph_of(of, nodes_max);
    if (of->weight_max > 0) graph.weight_max = of->weight_max;
    return graph;
}
