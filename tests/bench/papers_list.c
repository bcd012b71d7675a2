/* papers_list.c - see papers_list.h. */
#include "tests/bench/papers_list.h"

/* ---- questions ---- */

static const question hops = {.name = "BFS", .kind = ASK_HOPS, .on_host = true, .by_masks = true};
static const question hops_parents = {
    .name = "BFS, parents", .kind = ASK_HOPS, .parents = true, .on_host = true};
static const question connection = {
    .name = "st-connectivity", .kind = ASK_CONNECTION, .on_host = true, .by_masks = true};
static const question near_far = {.name = "SSSP, near-far",
                                  .kind = ASK_COSTS,
                                  .method = MCD_TREE_NEAR_FAR,
                                  .on_host = true,
                                  .by_masks = true};
static const question bellman_ford = {
    .name = "SSSP, Bellman-Ford", .kind = ASK_COSTS, .method = MCD_TREE_BELLMAN_FORD, .on_host = true};

static const question dijkstra = {.name = "SSSP, Dijkstra",
                                  .kind = ASK_COSTS,
                                  .method = MCD_TREE_DIJKSTRA,
                                  .on_host = true,
                                  .not_on_gpu = true};

/* The host has one way from level to level: kernels/backend.h. */
#define STRATEGY(text, value)                                                                                \
    {                                                                                                        \
        .name = text, .kind = ASK_HOPS, .strategy = value                                                    \
    }
#define STRATEGY_PARENTS(text, value)                                                                        \
    {                                                                                                        \
        .name = text, .kind = ASK_HOPS, .strategy = value, .parents = true                                   \
    }
static const question expand_contract = STRATEGY("BFS, expand-contract", MCD_HOPS_EXPAND_CONTRACT);
static const question contract_expand = STRATEGY("BFS, contract-expand", MCD_HOPS_CONTRACT_EXPAND);
static const question two_phase = STRATEGY("BFS, two-phase", MCD_HOPS_TWO_PHASE);
static const question hybrid = STRATEGY("BFS, hybrid", MCD_HOPS_HYBRID);
static const question hybrid_parents = STRATEGY_PARENTS("BFS, hybrid, parents", MCD_HOPS_HYBRID);
static const question expand_contract_parents =
    STRATEGY_PARENTS("BFS, expand-contract, parents", MCD_HOPS_EXPAND_CONTRACT);
static const question contract_expand_parents =
    STRATEGY_PARENTS("BFS, contract-expand, parents", MCD_HOPS_CONTRACT_EXPAND);
static const question two_phase_parents = STRATEGY_PARENTS("BFS, two-phase, parents", MCD_HOPS_TWO_PHASE);

/* As the paper has it, and with one thing changed. */
#define CULLING(text, value, culled)                                                                         \
    {                                                                                                        \
        .name = text, .kind = ASK_CULLING, .strategy = value, .how = culled                                  \
    }
static const question paper_expand_contract =
    CULLING("the paper's expand-contract", MCD_HOPS_EXPAND_CONTRACT, CULLING_PAPER);
static const question paper_contract_expand =
    CULLING("the paper's contract-expand", MCD_HOPS_CONTRACT_EXPAND, CULLING_PAPER);
static const question paper_two_phase = CULLING("the paper's two-phase", MCD_HOPS_TWO_PHASE, CULLING_PAPER);
static const question paper_hybrid = CULLING("the paper's hybrid", MCD_HOPS_HYBRID, CULLING_PAPER);
static const question even_expand_contract =
    CULLING("its expand-contract, arcs divided evenly", MCD_HOPS_EXPAND_CONTRACT, CULLING_EVEN);
static const question even_two_phase =
    CULLING("its two-phase, arcs divided evenly", MCD_HOPS_TWO_PHASE, CULLING_EVEN);
static const question hops_expand_contract =
    CULLING("its expand-contract, duplicates expanded", MCD_HOPS_EXPAND_CONTRACT, CULLING_HOPS);
static const question hops_contract_expand =
    CULLING("its contract-expand, duplicates expanded", MCD_HOPS_CONTRACT_EXPAND, CULLING_HOPS);
static const question hops_two_phase =
    CULLING("its two-phase, duplicates expanded", MCD_HOPS_TWO_PHASE, CULLING_HOPS);
static const question atomic_expand_contract =
    CULLING("its expand-contract, atomic claims", MCD_HOPS_EXPAND_CONTRACT, CULLING_ATOMIC);
static const question atomic_contract_expand =
    CULLING("its contract-expand, atomic claims", MCD_HOPS_CONTRACT_EXPAND, CULLING_ATOMIC);
static const question atomic_two_phase =
    CULLING("its two-phase, atomic claims", MCD_HOPS_TWO_PHASE, CULLING_ATOMIC);

static const question pairs_unsorted = {
    .name = "thread a pair, in no order", .kind = ASK_ROUNDS, .unsorted = true, .on_host = true};
static const question pairs_unsorted_read_only = {
    .name = "the same, read-only loads", .kind = ASK_ROUNDS, .unsorted = true, .read_only = true};
static const question pairs_sorted = {.name = "thread a pair, sorted", .kind = ASK_ROUNDS};
static const question pairs_sorted_read_only = {
    .name = "the same, read-only loads", .kind = ASK_ROUNDS, .read_only = true};

static const question *const searches[] = {&hops, &connection, &near_far, NULL};
static const question *const sweep[] = {&hops, &near_far, NULL};
static const question *const road_searches[] = {&hops,     &hops_parents, &connection,
                                                &near_far, &bellman_ford, NULL};
static const question *const rounds[] = {&bellman_ford,
                                         &pairs_unsorted,
                                         &pairs_unsorted_read_only,
                                         &pairs_sorted,
                                         &pairs_sorted_read_only,
                                         &near_far,
                                         &dijkstra,
                                         NULL};
static const question *const strategies[] = {&hops,
                                             &hops_parents,
                                             &expand_contract,
                                             &expand_contract_parents,
                                             &contract_expand,
                                             &contract_expand_parents,
                                             &two_phase,
                                             &two_phase_parents,
                                             &hybrid,
                                             &hybrid_parents,
                                             &paper_expand_contract,
                                             &paper_contract_expand,
                                             &paper_two_phase,
                                             &paper_hybrid,
                                             &even_expand_contract,
                                             &even_two_phase,
                                             &hops_expand_contract,
                                             &hops_contract_expand,
                                             &hops_two_phase,
                                             &atomic_expand_contract,
                                             &atomic_contract_expand,
                                             &atomic_two_phase,
                                             NULL};

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
    .undirected = true, .asked = rounds

const experiment paper_experiments[] = {
    {.paper = HARISH, .graph = "random, degree 6", UNIFORM(10000000, 6), WEIGHTS_HARISH, .asked = searches},
    {.paper = HARISH,
     .graph = "scale-free",
     .kind = GENERATE_SCALE_FREE,
     .node_count = 10000000,
     .degree = 6,
     WEIGHTS_HARISH,
     .asked = searches},
    {.paper = HARISH, .graph = "random, degree 10", UNIFORM(100000, 10), WEIGHTS_HARISH, .asked = sweep},
    {.paper = HARISH, .graph = "random, degree 50", UNIFORM(100000, 50), WEIGHTS_HARISH, .asked = sweep},
    {.paper = HARISH, .graph = "random, degree 100", UNIFORM(100000, 100), WEIGHTS_HARISH, .asked = sweep},
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
    {.paper = MERRILL, .graph = "grid, 2-D", GRID(25000000, 2), .asked = strategies},
    {.paper = MERRILL, .graph = "grid, 3-D", GRID(27000000, 3), .asked = strategies},
    {.paper = MERRILL, .graph = "random, degree 64", UNIFORM(2000000, 64), .asked = strategies},
    {.paper = MERRILL, .graph = "RMAT 2^21, degree 64", RMAT(21, 64, 0.45, 0.15), .asked = strategies},
    {.paper = MERRILL,
     .graph = "Kronecker 2^20, degree 96",
     RMAT(20, 48, 0.57, 0.19),
     .undirected = true,
     .asked = strategies},
};
const size_t paper_experiment_count = sizeof paper_experiments / sizeof *paper_experiments;

const experiment paper_roads = {.paper = "BFS, st-connectivity, SSSP on DIMACS roads",
                                .asked = road_searches};

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
