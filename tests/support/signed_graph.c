/* signed_graph.c - see signed_graph.h. */
#include "tests/support/signed_graph.h"

#include <criterion/criterion.h>

void signed_bellman_ford(const signed_arcs *arcs, uint32_t source, bool reverse, int64_t *cost)
{
    for (size_t i = 0; i < arcs->node_count; ++i) cost[i] = SIGNED_NO_WAY;
    cost[source] = 0;
    bool changes = true;
    for (size_t round = 0; changes; ++round) {
        cr_assert(round <= arcs->node_count, "a negative circle");
        changes = false;
        for (size_t a = 0; a < arcs->arc_count; ++a) {
            const uint32_t from = reverse ? arcs->head[a] : arcs->tail[a],
                           to = reverse ? arcs->tail[a] : arcs->head[a];
            if (cost[from] == SIGNED_NO_WAY || arcs->cost[a] == SIGNED_NO_WAY ||
                cost[from] + arcs->cost[a] >= cost[to])
                continue;
            cost[to] = cost[from] + arcs->cost[a];
            changes = true;
        }
    }
}

void signed_graph_draw(signed_graph *out, test_rng *rng)
{
    static const uint32_t scale[] = {1, 3, 100, 100000000};
    const uint32_t high = scale[rng_below(rng, 4)], dear = scale[rng_below(rng, 3)];
    out->node_count = 1 + rng_below(rng, SIGNED_NODES_MAX);
    out->arc_count = rng_below(rng, SIGNED_ARCS_MAX);
    for (size_t i = 0; i < out->node_count; ++i) {
        out->id[i] = 1000 - 3 * (int64_t)i;
        out->potential[i] = (int32_t)rng_below(rng, 2 * high + 1) - (int32_t)high;
        out->lon_e7[i] = (int32_t)rng_below(rng, 1000000);
        out->lat_e7[i] = (int32_t)rng_below(rng, 1000000);
    }
    for (size_t a = 0; a < out->arc_count; ++a) {
        out->tail[a] = rng_below(rng, (uint32_t)out->node_count);
        out->head[a] = rng_below(rng, (uint32_t)out->node_count);
        out->duration[a] = rng_below(rng, 50);
        out->energy[a] =
            (int32_t)rng_below(rng, 2 * dear) + out->potential[out->head[a]] - out->potential[out->tail[a]];
        out->cost[a] = out->energy[a];
    }
    out->arcs = (signed_arcs){out->node_count, out->arc_count, out->tail, out->head, out->cost};
}

macadam_status signed_graph_import(const signed_graph *graph, const char *path, bool hierarchy,
                                   macadam_error *error)
{
    const char *const name[] = {"energy", "duration"};
    const uint32_t *const weight[] = {(const uint32_t *)graph->energy, graph->duration};
    const int32_t *const potential[] = {graph->potential, NULL};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    input.node_count = graph->node_count;
    input.arc_count = graph->arc_count;
    input.id = graph->id;
    input.lon_e7 = graph->lon_e7;
    input.lat_e7 = graph->lat_e7;
    input.tail = graph->tail;
    input.head = graph->head;
    input.quantity = name;
    input.weight = weight;
    input.potential = potential;
    input.quantity_count = 2;
    options.output = path;
    options.no_hierarchy = !hierarchy;
    return macadam_import_arrays(&input, &options, error);
}

macadam_place signed_graph_place(const signed_graph *graph, size_t node)
{
    return (macadam_place){.id = graph->id[node]};
}

size_t signed_graph_position(const signed_graph *graph, size_t node)
{
    return graph->node_count - 1 - node;
}
