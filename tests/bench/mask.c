/* mask.c - see mask.h. */
#include "tests/bench/bench.h"
#include "tests/bench/mask.h"

#include "tests/support/checked.h"

#include <string.h>

struct bench_mask {
    const mcd_graph *graph;
    uint8_t *in_mask[2], *updated; /* [node_count] */
    uint32_t *updating, *hops[2];  /* [node_count] */
};

bench_mask *mask_new(const mcd_graph *graph)
{
    bench_mask *mask = checked_zeroed(1, sizeof *mask);
    mask->graph = graph;
    mask->updated = checked_allocate(graph->node_count, 1);
    mask->updating = checked_allocate(graph->node_count, sizeof *mask->updating);
    for (int side = 0; side < 2; ++side) {
        mask->in_mask[side] = checked_allocate(graph->node_count, 1);
        mask->hops[side] = checked_allocate(graph->node_count, sizeof *mask->hops[side]);
    }
    return mask;
}

void mask_free(bench_mask *mask)
{
    free(mask->updated);
    free(mask->updating);
    for (int side = 0; side < 2; ++side) {
        free(mask->in_mask[side]);
        free(mask->hops[side]);
    }
    free(mask);
}

static void begin(bench_mask *mask, int side, mcd_node source, uint32_t *value)
{
    memset(value, 0xff, mask->graph->node_count * sizeof *value);
    memset(mask->in_mask[side], 0, mask->graph->node_count);
    memset(mask->updated, 0, mask->graph->node_count);
    value[source] = 0;
    mask->in_mask[side][source] = 1;
}

/* The two passes of a level; false: the mask is empty. */
static bool step_hops(bench_mask *mask, int side, const mcd_arc *first, const mcd_node *neighbour,
                      uint32_t *hops)
{
    const mcd_node node_count = mask->graph->node_count;
    uint8_t *in_mask = mask->in_mask[side];
    bool any = false;
    for (mcd_node x = 0; x < node_count; ++x) {
        if (!in_mask[x]) continue;
        in_mask[x] = 0;
        for (mcd_arc xy = first[x]; xy < first[x + 1]; ++xy) {
            if (hops[neighbour[xy]] != UINT32_MAX) continue;
            hops[neighbour[xy]] = hops[x] + 1;
            mask->updated[neighbour[xy]] = 1;
        }
    }
    for (mcd_node x = 0; x < node_count; ++x) {
        if (!mask->updated[x]) continue;
        in_mask[x] = 1;
        mask->updated[x] = 0;
        any = true;
    }
    return any;
}

bool mask_hops(bench_mask *mask, mcd_node source, double end, uint32_t *hops)
{
    begin(mask, 0, source, hops);
    while (step_hops(mask, 0, mask->graph->first_out, mask->graph->head, hops))
        if (bench_seconds_now() > end) return false;
    return true;
}

bool mask_connect(bench_mask *mask, mcd_node source, mcd_node target, double end, uint32_t *out)
{
    const mcd_graph *graph = mask->graph;
    uint32_t *const *hops = mask->hops, best = UINT32_MAX;
    begin(mask, 0, source, hops[0]);
    begin(mask, 1, target, hops[1]);
    bool more = true;
    for (uint32_t levels = 0; best == UINT32_MAX && more; ++levels) {
        const int side = levels % 2;
        if (bench_seconds_now() > end) return false;
        for (mcd_node x = 0; x < graph->node_count; ++x)
            if (hops[0][x] != UINT32_MAX && hops[1][x] != UINT32_MAX && hops[0][x] + hops[1][x] < best)
                best = hops[0][x] + hops[1][x];
        if (best != UINT32_MAX) break;
        more = side ? step_hops(mask, 1, graph->first_in, graph->tail, hops[1])
                    : step_hops(mask, 0, graph->first_out, graph->head, hops[0]);
    }
    *out = best;
    return true;
}

/* The first pass lowers `updating`, the second one makes lowered costs final and masks their nodes. */
bool mask_costs(bench_mask *mask, const mcd_weight *weight, mcd_node source, double end, uint32_t *cost)
{
    const mcd_graph *graph = mask->graph;
    begin(mask, 0, source, cost);
    memcpy(mask->updating, cost, graph->node_count * sizeof *cost);
    for (bool any = true; any;) {
        any = false;
        if (bench_seconds_now() > end) return false;
        for (mcd_node x = 0; x < graph->node_count; ++x) {
            if (!mask->in_mask[0][x]) continue;
            mask->in_mask[0][x] = 0;
            for (mcd_arc xy = graph->first_out[x]; xy < graph->first_out[x + 1]; ++xy) {
                const uint32_t sum = mcd_weight_add(cost[x], weight[xy]);
                if (sum < MCD_UNREACHED && sum < mask->updating[graph->head[xy]])
                    mask->updating[graph->head[xy]] = sum;
            }
        }
        for (mcd_node x = 0; x < graph->node_count; ++x) {
            if (mask->updating[x] >= cost[x]) continue;
            cost[x] = mask->updating[x];
            mask->in_mask[0][x] = 1;
            any = true;
        }
    }
    return true;
}
