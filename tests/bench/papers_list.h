/* papers_list.h - what the papers measured: graphs and questions. papers_published.h has their figures. */
#ifndef MCD_TESTS_BENCH_PAPERS_LIST_H
#define MCD_TESTS_BENCH_PAPERS_LIST_H

#include "tests/bench/culling_device.h"
#include "tests/support/generate.h"

#include "kernels/backend.h"

typedef enum question_kind {
    ASK_HOPS,
    ASK_CONNECTION,
    ASK_COSTS,
    ASK_ROUNDS,  /* costs, on a GPU by one thread a pair of neighbours: the baseline of Bellman-Ford */
    ASK_CULLING, /* hops, on a GPU as Merrill et al. have them */
} question_kind;

/* Where a question is answered. */
enum { BY_GPU = 1, BY_HOST = 2, BY_MASKS = 4, BY_ALL = 7 };

typedef struct question {
    const char *name;
    question_kind kind;
    unsigned sets, by; /* the sets of experiments that have it; BY_... */
    mcd_hops_strategy strategy;
    culling_how how; /* of ASK_CULLING */
    mcd_tree_method method;
    bool parents;             /* or the path of a connection */
    bool unsorted, read_only; /* of rounds: pairs in no order; read-only loads */
    uint32_t lanes;           /* trees in one call; 0: one */
} question;

typedef struct experiment {
    const char *paper, *graph;
    generate_kind kind;
    uint32_t node_count, degree; /* RMAT: a power of two */
    double a, b;                 /* RMAT: chances of the quarters (0, 0), and of (0, 1) and (1, 0) */
    int dimensions;              /* grid */
    bool undirected;
    uint32_t weight_max; /* weights are 1 to this; 0: the generator's */
    unsigned set;        /* of questions */
} experiment;

extern const question paper_questions[];
extern const size_t paper_question_count;
extern const experiment paper_experiments[];
extern const size_t paper_experiment_count;
/* Of graphs by name, with the questions that the studies of roads have: its `graph` is the name. */
extern const experiment paper_roads;

/* As large as the paper's, or as it may be: at most nodes_max nodes. */
generate_graph experiment_graph(const experiment *of, uint32_t nodes_max);

#endif
