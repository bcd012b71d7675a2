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

enum { COUNTED_LEAST = 1 << 12 }; /* places, however little memory there is */

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
    const size_t sources = job->source_count, count = sources + job->target_count;
    const uint64_t each = sizeof(mcd_nearest_road) + sizeof(uint32_t);
    gpu_share share;
    gpu_call call(on.map->gpu);
    const place_roads roads = place_roads_of(call, on, *job->weights, *job->snap);
    share.take(call, mcd_size_min(count, COUNTED_LEAST) * each, count * each, what);
    const size_t most = share.bytes() / each;
    gpu_array<mcd_nearest_road> road(call, most, what);
    gpu_array<uint32_t> lanes(call, most, what);
    for (size_t first = 0, end; first < count; first = end) {
        end = mcd_size_min(first + most, count);
        const size_t source = mcd_size_min(first, sources), target = first - source,
                     departing = mcd_size_min(end, sources) - source;
        call.copy(road.get(), job->source + source, departing, what);
        call.copy(road.get() + departing, job->target + target, end - first - departing, what);
        call.run(what, one_thread_each(end - first), count_lanes, roads, road.get(), end - first, departing,
                 lanes.get());
        deliver(call, job->lanes + first, lanes.get(), (end - first) * sizeof(uint32_t), &job->parallel);
    }
}
