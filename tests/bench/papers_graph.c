/* papers_graph.c - see papers_graph.h. */
#include "tests/bench/bench.h"
#include "tests/bench/papers_graph.h"

#include "engine/engine.h"
#include "engine/memory.h"
#include "tests/support/checked.h"

#include <stdio.h>

/* Fisher and Yates. */
static void shuffle_pairs(papers_graph *graph)
{
    const mcd_pairs *from = &graph->pairs;
    mcd_pairs *to = &graph->shuffled;
    macadam_error error;
    test_rng rng = {1};
    to->count = from->count;
    bench_expect_ok(MCD_NEW(to->high, to->count, &error), &error);
    bench_expect_ok(MCD_NEW(to->low, to->count, &error), &error);
    for (size_t i = 0; i < to->count; ++i) {
        const size_t j = rng_below(&rng, (uint32_t)i + 1);
        if (j < i) to->high[i] = to->high[j], to->low[i] = to->low[j];
        to->high[j] = from->high[i], to->low[j] = from->low[i];
    }
}

static void add_metrics(papers_graph *out, const mcd_graph *graph, const mcd_parallel *parallel)
{
    macadam_error error;
    bench_expect_ok(mcd_pairs_new(&out->pairs, graph, &error), &error);
    shuffle_pairs(out);
    for (int sorted = 0; sorted < 2; ++sorted) {
        mcd_arc_metric **metric = sorted ? &out->metric : &out->unsorted;
        const mcd_pairs *pairs = sorted ? &out->pairs : &out->shuffled;
        bench_expect_ok(mcd_arc_metric_new(metric, graph, out->quantity, NULL, &error), &error);
        bench_expect_ok(mcd_arc_metric_add_backward(*metric, parallel, &error), &error);
        bench_expect_ok(
            mcd_arc_metric_add_pairs(*metric, pairs->high, pairs->low, pairs->count, parallel, &error),
            &error);
    }
}

/* Nodes keep their numbers: what a hash gave them has no locality to keep. */
static void build(papers_graph *out, mcd_node node_count, const uint32_t *const arc[3], size_t arc_count)
{
    macadam_error error;
    uint32_t *map_arc;
    mcd_node *id_of = checked_allocate(node_count, sizeof *id_of);
    for (mcd_node v = 0; v < node_count; ++v) id_of[v] = v;
    bench_expect_ok(
        mcd_graph_new(&out->graph, &map_arc, node_count, arc[0], arc[1], arc_count, id_of, &error), &error);
    mcd_weight *weight = mcd_allocate(arc_count, sizeof *weight);
    for (size_t i = 0; weight && i < arc_count; ++i) weight[i] = arc[2][map_arc[i]];
    bench_expect_ok(mcd_quantity_new(&out->quantity, weight, weight, &error), &error);
    mcd_free(map_arc);
    free(id_of);
}

void papers_graph_generate(papers_graph *out, const generate_graph *how, bool undirected,
                           const mcd_parallel *parallel)
{
    const size_t count = how->arc_count, arc_count = count * (undirected ? 2 : 1);
    uint32_t *arc[3];
    *out = (papers_graph){0};
    for (int i = 0; i < 3; ++i) arc[i] = checked_allocate(arc_count, sizeof *arc[i]);
    generate_arcs(how, arc[0], arc[1], arc[2], parallel->thread_count);
    for (size_t i = count; i < arc_count; ++i) {
        arc[0][i] = arc[1][i - count];
        arc[1][i] = arc[0][i - count];
        arc[2][i] = arc[2][i - count];
    }
    build(out, how->node_count, (const uint32_t *const[]){arc[0], arc[1], arc[2]}, arc_count);
    for (int i = 0; i < 3; ++i) free(arc[i]);
    add_metrics(out, out->graph, parallel);
}

void papers_graph_open(papers_graph *out, const char *path, const mcd_parallel *parallel)
{
    macadam_error error;
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.device = "cpu";
    *out = (papers_graph){0};
    bench_expect_ok(macadam_engine_open(&out->engine, path, &options, &error), &error);
    bench_expect_ok(mcd_engine_load_graph(out->engine, &error), &error);
    bench_expect_ok(mcd_engine_use_quantity(out->engine, 0, &out->quantity, &error), &error);
    add_metrics(out, &out->engine->graph, parallel);
}

void papers_graph_free(papers_graph *graph)
{
    mcd_arc_metric_leave(graph->metric);
    mcd_arc_metric_leave(graph->unsorted);
    mcd_quantity_leave(graph->quantity);
    mcd_pairs_free(&graph->pairs);
    mcd_pairs_free(&graph->shuffled);
    mcd_graph_free(graph->graph);
    macadam_engine_close(graph->engine);
}
