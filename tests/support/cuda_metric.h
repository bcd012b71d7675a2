/* cuda_metric.h - a test map with its weights on the host and on a CUDA device, emulated or real. */
#ifndef MCD_TESTS_SUPPORT_CUDA_METRIC_H
#define MCD_TESTS_SUPPORT_CUDA_METRIC_H

#include "tests/support/kernel_map.h"

typedef struct cuda_metric {
    const mcd_backend *cuda;
    mcd_device *device;
    mcd_device_map *map;
    kernel_metric metric; /* .weights.device is set: any backend can compute with them */
} cuda_metric;

/* Opens `device` ("cuda", "cuda:all") and places the map's weights there; asserts. */
void cuda_metric_make(cuda_metric *out, const kernel_map *map, const char *device, bool joint);
void cuda_metric_free(cuda_metric *metric);

#endif
