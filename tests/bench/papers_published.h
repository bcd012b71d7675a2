/* papers_published.h - the figures that the papers published, by graph and question. */
#ifndef MCD_TESTS_BENCH_PAPERS_PUBLISHED_H
#define MCD_TESTS_BENCH_PAPERS_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct published_figure {
    const char *graph;    /* of papers_list.c, or of papers_dense.c; NULL: the edge file with ... */
    uint32_t node_count;  /* ... this number of nodes. A graph of another size matches nothing */
    const char *question; /* its name */
    double seconds, rate; /* one of them, else 0; rate: arcs a second */
    bool on_host;         /* by a processor */
    const char *machine, *where;
    const char *unlike; /* what makes the comparison unfair; NULL: like for like */
} published_figure;

/* The n-th figure of that graph and question, or NULL. `graph`: a name that matches, or any for an edge file. */
const published_figure *published_find(const char *graph, uint32_t node_count, const char *question,
                                       size_t n);

/* Prints "1.5 s (GPU or processor, table)". */
void published_print(const published_figure *figure);

/* Prints how many times as fast a time and rate of today are, and what is not alike. */
void published_print_ratio(const published_figure *figure, double seconds, double rate);

#endif
