/* test_node_flow.c - separators separate, and none is smaller. */
#include "tests/support/import_fixture.h"
#include "tests/support/scoped.h"

#include "importers/order/node_flow.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(node_flow, .init = import_fixture_open, .fini = import_fixture_close);

enum { VERTICES = 13, TERMINALS = 3, ARCS = VERTICES * VERTICES };

/* Vertices 0 .. 2 are the source, the last three are the sink; arcs are drawn by chance. */
typedef struct random_graph {
    uint32_t begin[VERTICES], end[VERTICES], head[ARCS], role[VERTICES], rim[VERTICES];
    bool joined[VERTICES][VERTICES];
    mcd_flow_graph graph;
    mcd_flow_rim terminals;
} random_graph;

static void find_rim(random_graph *of, uint32_t role, uint32_t *rim, uint32_t *count)
{
    for (uint32_t v = 0; v < VERTICES; ++v) {
        bool at_rim = false;
        for (uint32_t u = 0; u < VERTICES; ++u) at_rim |= of->joined[v][u] && of->role[u] != role;
        if (of->role[v] == role && at_rim) rim[(*count)++] = v;
    }
}

static void make_graph(random_graph *out, uint64_t seed)
{
    uint32_t count = 0;
    memset(out, 0, sizeof *out);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        out->role[v] = v < TERMINALS              ? MCD_FLOW_SOURCE
                       : v < VERTICES - TERMINALS ? UINT32_MAX
                                                  : (uint32_t)MCD_FLOW_SINK;
        for (uint32_t u = 0; u < v; ++u) {
            seed = seed * 6364136223846793005 + 1442695040888963407;
            out->joined[v][u] = out->joined[u][v] = (seed >> 33) % 100 < 30;
        }
    }
    for (uint32_t v = 0; v < VERTICES; ++v) {
        out->begin[v] = count;
        for (uint32_t u = 0; u < VERTICES; ++u)
            if (out->joined[v][u]) out->head[count++] = u;
        out->end[v] = count;
    }
    out->graph = (mcd_flow_graph){.begin = out->begin, .end = out->end, .head = out->head};
    out->terminals = (mcd_flow_rim){.source = out->rim, .sink = out->rim + TERMINALS};
    find_rim(out, MCD_FLOW_SOURCE, out->terminals.source, &out->terminals.source_count);
    find_rim(out, MCD_FLOW_SINK, out->terminals.sink, &out->terminals.sink_count);
}

/* Returns whether no path leads from the source to the sink when the vertices of a set are gone. */
static bool separates(const random_graph *of, uint32_t set)
{
    uint32_t reached = ((1u << TERMINALS) - 1) & ~set;
    for (uint32_t round = 0; round < VERTICES; ++round)
        for (uint32_t v = 0; v < VERTICES; ++v)
            for (uint32_t u = 0; u < VERTICES && reached >> v & 1; ++u)
                if (of->joined[v][u] && !(set >> u & 1)) reached |= 1u << u;
    return reached >> (VERTICES - TERMINALS) == 0;
}

static uint32_t least_separator(const random_graph *of)
{
    uint32_t least = TERMINALS;
    for (uint32_t set = 0; set < 1u << VERTICES; ++set)
        if ((uint32_t)__builtin_popcount(set) < least && separates(of, set))
            least = (uint32_t)__builtin_popcount(set);
    return least;
}

static void expect_sides(const random_graph *of, const uint8_t *side, uint64_t size, uint64_t lighter)
{
    uint64_t count[MCD_SEPARATES + 1] = {0};
    for (uint32_t v = 0; v < VERTICES; ++v) {
        ++count[side[v]];
        if (of->role[v] != UINT32_MAX) cr_assert(side[v] == of->role[v] || side[v] == MCD_SEPARATES);
        for (uint32_t u = 0; u < VERTICES; ++u)
            cr_assert_not(of->joined[v][u] && side[v] == 0 && side[u] == 1, "%u, %u", v, u);
    }
    cr_assert_eq(count[MCD_SEPARATES], size);
    cr_assert_eq(lighter, count[0] < count[1] ? count[0] : count[1]);
}

Test(node_flow, separators_are_least)
{
    static const mcd_flow_piece all = {.vertex_count = VERTICES, .node_count = VERTICES};
    const mcd_watch nobody = mcd_watch_of(NULL, "");
    random_graph drawn;
    SCOPED(mcd_arena_free) mcd_arena arena = {0};
    mcd_node_flow *flow;
    cr_assert_eq(mcd_node_flow_new(&flow, &arena, VERTICES, &import_error), MACADAM_OK);
    for (uint64_t seed = 0; seed < 400; ++seed) {
        uint8_t side[VERTICES];
        make_graph(&drawn, seed);
        const uint64_t size =
            mcd_node_flow_send(flow, &drawn.graph, &all, drawn.role, &drawn.terminals, UINT64_MAX, &nobody);
        cr_assert_eq(size, least_separator(&drawn), "seed %llu", (unsigned long long)seed);
        const uint64_t lighter =
            mcd_node_flow_take_side(flow, &drawn.graph, &all, drawn.role, &drawn.terminals, side);
        expect_sides(&drawn, side, size, lighter);
    }
}

Test(node_flow, what_passes_the_limit_is_not_sent)
{
    static const mcd_flow_piece all = {.vertex_count = VERTICES, .node_count = VERTICES};
    const mcd_watch nobody = mcd_watch_of(NULL, "");
    random_graph drawn;
    SCOPED(mcd_arena_free) mcd_arena arena = {0};
    mcd_node_flow *flow;
    uint64_t seed = 0;
    do {
        make_graph(&drawn, seed++);
    } while (least_separator(&drawn) < TERMINALS);
    cr_assert_eq(mcd_node_flow_new(&flow, &arena, VERTICES, &import_error), MACADAM_OK);
    cr_assert_eq(mcd_node_flow_send(flow, &drawn.graph, &all, drawn.role, &drawn.terminals, 1, &nobody), 2);
}
