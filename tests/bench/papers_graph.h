/* papers_graph.h - the graphs that papers measure, generated or of an edge file, as backends take them. */
#ifndef BENCH_PAPERS_GRAPH_H
#define BENCH_PAPERS_GRAPH_H

#include "tests/support/generate.h"

#include "engine/arc_metric.h"
#include "engine/graph.h"

typedef struct papers_graph {
    mcd_graph *graph;       /* NULL: the engine's */
    macadam_engine *engine; /* NULL: generated */
    mcd_quantity *quantity;
    mcd_pairs pairs, shuffled; /* the same in no order */
    mcd_arc_metric *metric;    /* with all that any method needs */
    mcd_arc_metric *unsorted;  /* with the shuffled pairs */
} papers_graph;

/* `undirected`: each arc back too, with the same weight. Exits with a message if something fails. */
void papers_graph_generate(papers_graph *out, const generate_graph *how, bool undirected,
                           const mcd_parallel *parallel);
/* The first metric of the edge file at `path`. */
void papers_graph_open(papers_graph *out, const char *path, const mcd_parallel *parallel);
void papers_graph_free(papers_graph *graph);

#endif
