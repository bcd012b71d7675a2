/* papers_published.c - see papers_published.h. */
#include "tests/bench/papers_published.h"

#include <stdio.h>
#include <string.h>

#define NEW_YORK NULL, 264346
#define S1_GPU   "GeForce 8800 GTX"
#define S1_HOST  "Athlon 64 3200+"
#define S2_GPU   "GT 730"
#define S2_HOST  "Athlon II X4 630"
#define S4_GPU   "Quadro FX 5600"
#define S4_GPUS  "2 GeForce 8800 GT"
#define S5_GPU   "Tesla C2050"

#define NO_LOOPS   "its grid has a loop at each node, which counts as an arc"
#define ANY_PLACES "its two places are not stated"
#define LINEAR     "its queue is a linear search"
#define WITH_PATHS                                                                                           \
    "its cells hold a cost and an intermediate node; its graphs have no weights and their degree is not "    \
    "stated"
#define ROUND "stated as a round figure"

#define ROAD(name, time, host, by, table, differs)                                                           \
    {                                                                                                        \
        NEW_YORK, name, .seconds = time, .on_host = host, .machine = by, .where = table, .unlike = differs   \
    }
#define RATE(name, nodes, asked, gte, differs)                                                               \
    {                                                                                                        \
        name, nodes, asked, .rate = (gte)*1e9, .machine = S5_GPU, .where = "Merrill, Table 2",               \
                            .unlike = differs                                                                \
    }
#define ALL_PAIRS(nodes, one, two)                                                                           \
    {"all pairs, random", nodes, "", .seconds = one, .machine = S4_GPU, .where = "Katz, Table 1",            \
     .unlike = WITH_PATHS},                                                                                  \
    {                                                                                                        \
        "all pairs, random", nodes, "", .seconds = two, .machine = S4_GPUS, .where = "Katz, Table 1",        \
                                        .unlike = WITH_PATHS                                                 \
    }

static const published_figure published[] = {
    ROAD("BFS", 0.12604, false, S1_GPU, "Harish, Table 1", NULL),
    ROAD("BFS", 0.313117, true, S1_HOST, "Harish, Table 1", NULL),
    ROAD("SSSP, near-far", 0.76014, false, S1_GPU, "Harish, Table 1", NULL),
    ROAD("SSSP, near-far", 1.64985, true, S1_HOST, "Harish, Table 1", NULL),
    ROAD("BFS", 0.341, false, S2_GPU, "thesis, Table 3.3", NULL),
    ROAD("BFS", 3.52, true, S2_HOST, "thesis, Table 3.3", NULL),
    ROAD("st-connectivity", 0.145, false, S2_GPU, "thesis, Table 3.4", ANY_PLACES),
    ROAD("st-connectivity", 1.81, true, S2_HOST, "thesis, Table 3.4", ANY_PLACES),
    ROAD("SSSP, near-far", 0.825, false, S2_GPU, "thesis, Table 3.5", NULL),
    ROAD("SSSP, near-far", 427, true, S2_HOST, "thesis, Table 3.5", LINEAR),
    {"random, degree 6", 10000000, "BFS", .seconds = 1, .machine = S1_GPU, .where = "Harish, section 1",
     .unlike = ROUND},
    {"random, degree 6", 10000000, "SSSP, near-far", .seconds = 1.5, .machine = S1_GPU,
     .where = "Harish, abstract", .unlike = ROUND},
    {"RMAT 2^21, degree 32", 1 << 21, "SSSP, Bellman-Ford", .rate = 1.1e9, .machine = "GTX Titan",
     .where = "Kolganov, last paragraph",
     .unlike = "its greatest rate of all sizes up to this; its costs have 8 bytes; its RMAT parameters and "
               "weights are not stated"},
    RATE("grid, 2-D", 25000000, "BFS", 0.60, NO_LOOPS),
    RATE("grid, 2-D", 25000000, "BFS, parents", 0.57, NO_LOOPS),
    RATE("grid, 3-D", 27000000, "BFS", 1.1, NO_LOOPS),
    RATE("grid, 3-D", 27000000, "BFS, parents", 0.97, NO_LOOPS),
    RATE("random, degree 64", 2000000, "BFS", 3.0, NULL),
    RATE("random, degree 64", 2000000, "BFS, parents", 2.4, NULL),
    RATE("RMAT 2^21, degree 64", 1 << 21, "BFS", 3.3, NULL),
    RATE("RMAT 2^21, degree 64", 1 << 21, "BFS, parents", 2.6, NULL),
    RATE("Kronecker 2^20, degree 96", 1 << 20, "BFS", 3.1, NULL),
    RATE("Kronecker 2^20, degree 96", 1 << 20, "BFS, parents", 2.5, NULL),
    ALL_PAIRS(64, 0.0014, 0.087),
    ALL_PAIRS(128, 0.0025, 0.088),
    ALL_PAIRS(256, 0.0077, 0.096),
    ALL_PAIRS(512, 0.0349, 0.185),
    ALL_PAIRS(1024, 0.2301, 0.950),
    ALL_PAIRS(2048, 1.7356, 2.689),
    ALL_PAIRS(4096, 13.72, 19.244),
    ALL_PAIRS(9216, 158.69, 149.74),
    ALL_PAIRS(10240, 216.4, 151.92),
    ALL_PAIRS(11264, 1015.7, 353.78),
    {"all pairs, random", 1024, "", .seconds = 1, .machine = S1_GPU, .where = "Harish, section 3.4",
     .unlike = ROUND "; 1K nodes"},
    {"closure, few hubs", 1000, "", .seconds = 0.18929, .machine = S4_GPU, .where = "Katz, section 5.3",
     .unlike = "its graph is the first 1,000 networks of CAIDA; whether it is the closure is not stated"},
    {"trees, random, degree 6", 30000, "", .seconds = 120, .machine = S1_GPU, .where = "Harish, section 1",
     .unlike = ROUND},
    {"trees, random, degree 6", 100000, "", .seconds = 1320, .machine = S1_GPU, .where = "Harish, section 4",
     .unlike = ROUND},
};

static bool is_of(const published_figure *figure, const char *graph, uint32_t node_count,
                  const char *question)
{
    return figure->node_count == node_count && strcmp(figure->question, question) == 0 &&
           (!figure->graph || strcmp(figure->graph, graph) == 0);
}

const published_figure *published_find(const char *graph, uint32_t node_count, const char *question, size_t n)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i)
        if (is_of(&published[i], graph, node_count, question) && n-- == 0) return &published[i];
    return NULL;
}

void published_print(const published_figure *figure)
{
    if (figure->rate > 0)
        printf(" %.3g GTE/s", 1e-9 * figure->rate);
    else
        printf(" %.3g s", figure->seconds);
    printf(" (%s; %s)", figure->machine, figure->where);
}

void published_print_ratio(const published_figure *figure, double seconds, double rate)
{
    printf(" %.3g", figure->rate > 0 ? rate / figure->rate : figure->seconds / seconds);
    if (figure->unlike)
        printf(" (not alike: %s)", figure->unlike);
    else
        printf(" (like for like)");
}
