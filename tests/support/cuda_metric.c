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
    mcd_lane lane = {{{MCD_NODE_NONE, 0, 0}, {MCD_NODE_NONE, 0, 0}}};
    if (graph->node_count == 0 || index % 16 == 5) return lane;
    lane.seed[0].node = rng_below(rng, graph->node_count);
    if (index % 3 == 1)
        lane.seed[0].objective = rng_below(rng, 500), lane.seed[0].companion = rng_below(rng, 9);
    if (index % 3 != 2 || graph->arc_count == 0) return lane;
    const uint32_t arc = rng_below(rng, graph->arc_count);
    const mcd_node tail = map->tail[arc], head = graph->head[arc];
    lane.seed[0] = (mcd_seed){tail > head ? tail : head, rng_below(rng, 50), rng_below(rng, 50)};
    if (tail != head)
        lane.seed[1] = (mcd_seed){tail > head ? head : tail, rng_below(rng, 50), rng_below(rng, 50)};
    return lane;
}
