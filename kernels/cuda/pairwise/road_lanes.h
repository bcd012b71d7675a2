/* road_lanes.h - the lanes of places on roads, which a GPU makes. CPU twin: engine/query/places/lanes.c. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_ROAD_LANES_H
#define MCD_KERNELS_CUDA_PAIRWISE_ROAD_LANES_H

#include "kernels/cuda/device/image.h"

/* Places on roads, in the host's memory. The lanes of place i are written from at[i] - at[0] on; at: NULL: from i on. */
struct road_places {
    const mcd_nearest_road *road = nullptr; /* [count]; NULL: there are none */
    size_t count = 0;
    const size_t *at = nullptr;
    const mcd_device_snap *snap = nullptr;
};

/* Bytes on a GPU of a place, while its lanes are made. */
enum { ROAD_PLACE_BYTES = sizeof(mcd_nearest_road) + sizeof(size_t) };

/* Enqueues the making of lanes; those of no place have no node. The call may hold scratch if it has called arc_costs_of() before it
 * took that. The places must outlive the call or its synchronization. */
void enqueue_road_lanes(gpu_call &call, gpu_weights &on, const mcd_weights &weights,
                        const road_places &places, bool departs, mcd_lane *lane, size_t lane_count);

#endif
