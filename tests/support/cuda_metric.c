/* cuda_metric.c - see cuda_metric.h. */
#include "tests/support/cuda_metric.h"
#include "tests/support/fixture.h"

#include "kernels/cuda/device/module.h"

#include <criterion/criterion.h>

void cuda_metric_make(cuda_metric *out, const kernel_map *map, const char *device, bool joint)
{
    *out = (cuda_metric){.cuda = mcd_cuda_module(MCD_MODULE_VERSION, NULL)};
    const mcd_device_table *table = out->cuda->device;
    kernel_metric_make(&out->metric, map, mcd_cpu_backend(), 1, joint);
    FIXTURE_CALL(table->open, &out->device, device, 0);
    FIXTURE_CALL(table->map_new, &out->map, out->device, map->hierarchy, map->graph);
    FIXTURE_CALL(table->weights_new, &out->metric.weights.device, out->map, &out->metric.weights);
}

void cuda_metric_free(cuda_metric *metric)
{
    const mcd_device_table *table = metric->cuda->device;
    table->weights_free(metric->metric.weights.device);
    table->map_free(metric->map);
    table->close(metric->device);
    kernel_metric_free(&metric->metric);
}
