/* cuda_metric.c - see cuda_metric.h. */
#include "tests/support/cuda_metric.h"

#include "kernels/cuda/module.h"

#include <criterion/criterion.h>

void cuda_metric_make(cuda_metric *out, const kernel_map *map, const char *device, bool pair)
{
    macadam_error error;
    *out = (cuda_metric){.cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL)};
    const mcd_device_table *table = out->cuda->device;
    kernel_metric_make(&out->metric, map, mcd_cpu_backend(), 1, pair);
    cr_assert_eq(table->open(&out->device, device, 0, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(table->map_new(&out->map, out->device, map->hierarchy, map->graph, &error), MACADAM_OK, "%s",
                 error.message);
    cr_assert_eq(table->weights_new(&out->metric.weights.device, out->map, &out->metric.weights, &error),
                 MACADAM_OK, "%s", error.message);
}

void cuda_metric_free(cuda_metric *metric)
{
    const mcd_device_table *table = metric->cuda->device;
    table->weights_free(metric->metric.weights.device);
    table->map_free(metric->map);
    table->close(metric->device);
    kernel_metric_free(&metric->metric);
}

mcd_lane cuda_metric_lane(const kernel_map *map, test_rng *rng, size_t index)
{
    const mcd_graph *graph = map->graph;
    mcd_lane lane = mcd_lane_of(MCD_NODE_NONE);
    if (graph->node_count == 0 || index % 16 == 5) return lane;
    lane.seed[0].node = rng_below(rng, graph->node_count);
    if (index % 3 == 1)
        lane.seed[0].objective = rng_below(rng, 500), lane.seed[0].companion = rng_below(rng, 9);
    if (index % 3 != 2) return lane;
    uint32_t count = 1; /* or several on one root path */
    for (mcd_node at = lane.seed[0].node; at != MCD_NODE_NONE && count <= MCD_SEEDS_MAX; ++count) {
        lane.seed[count - 1] = (mcd_seed){at, rng_below(rng, 50), rng_below(rng, 50)};
        for (uint32_t up = rng_below(rng, 3) + 1; up > 0 && at != MCD_NODE_NONE; --up)
            at = map->hierarchy->parent[at];
    }
    if (count <= MCD_SEEDS_MAX) lane.seed[count - 1].node = MCD_NODE_NONE;
    return lane;
}
