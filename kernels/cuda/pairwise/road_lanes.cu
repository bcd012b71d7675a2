/* road_lanes.cu - see road_lanes.h; kernels/seeds.h has the rule.
 *
 * Method  A place's lanes are counted, and the host, which divides them into chunks, says where they are written.
 * Grid    one thread per place.
 * Races   none: a thread writes its own count, and its own lanes.
 * Limit   latency: a place reads some ten words, five after another. */
#include "kernels/cuda/pairwise/road_lanes.h"

#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/pairwise/place_seeds.h"

/* departing: the first of the places depart, the others arrive. */
static __global__ void count_lanes(place_roads roads, const mcd_nearest_road *__restrict__ road, size_t count,
                                   size_t departing, uint32_t *lanes)
{
    const size_t i = thread_index();
    place_seeds seeds;
    if (i >= count) return;
    seeds.make(roads, road[i], i < departing);
    lanes[i] = seeds.take_all(roads, road[i], i < departing);
}

/* at: as in road_places. */
static __global__ void write_lanes(place_roads roads, const mcd_nearest_road *__restrict__ road, size_t count,
                                   bool departs, const size_t *__restrict__ at, mcd_lane *lane)
{
    const size_t i = thread_index();
    place_seeds seeds;
    if (i >= count) return;
    size_t to = at ? at[i] - at[0] : i;
    seeds.make(roads, road[i], departs);
    do lane[to++] = seeds.take(roads, road[i], departs);
    while (seeds.count > 0);
}

void enqueue_road_lanes(gpu_call &call, gpu_weights &on, const mcd_weights &weights,
                        const road_places &places, bool departs, mcd_lane *lane, size_t lane_count)
{
    const place_roads roads = place_roads_of(call, on, weights, *places.snap);
    gpu_array<mcd_nearest_road> road(call, places.road, places.count, "copying roads");
    gpu_array<size_t> at;
    if (places.at) {
        at.copy(call, places.at, places.count, "copying places");
        static_assert(MCD_NODE_NONE == UINT32_MAX, "a lane of bytes 0xff has no node");
        call.check(cudaMemsetAsync(lane, 0xff, lane_count * sizeof *lane, call.stream), "lanes of places");
    }
    call.run("lanes of places", one_thread_each(places.count), write_lanes, roads, road.get(), places.count,
             departs, at.get(), lane);
}

void mcd_cuda_count_lanes(const mcd_lane_count_job *job)
{
    static const char what[] = "counting lanes";
    gpu_weights &on = *job->weights->device->on[0];
    const size_t count = job->source_count + job->target_count;
    const uint64_t bytes = count * (sizeof(mcd_nearest_road) + sizeof(uint32_t));
    gpu_share share;
    gpu_call call(on.map->gpu);
    const place_roads roads = place_roads_of(call, on, *job->weights, *job->snap);
    share.take(call, bytes, bytes, what);
    gpu_array<mcd_nearest_road> road(call, count, what);
    gpu_array<uint32_t> lanes(call, count, what);
    call.copy(road.get(), job->source, job->source_count, what);
    call.copy(road.get() + job->source_count, job->target, job->target_count, what);
    call.run(what, one_thread_each(count), count_lanes, roads, road.get(), count, job->source_count,
             lanes.get());
    deliver(call, job->lanes, lanes.get(), count * sizeof(uint32_t), &job->parallel);
}
