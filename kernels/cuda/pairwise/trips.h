/* trips.h - trips between places on roads: their lanes, which a GPU makes, and their costs. CPU twin:
 * engine/query/places/pairs.c. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_TRIPS_H
#define MCD_KERNELS_CUDA_PAIRWISE_TRIPS_H

#include "kernels/cuda/pairwise/place_seeds.h"
#include "kernels/cuda/pairwise/route.h"

enum {
    TRIP_CHOICES = PLACE_SEEDS * 2, /* of a trip, at most: a departure has two seeds */
    TRIP_CHOICES_ROOM = 2,          /* of most trips */
};

/* The data of a launch. */
struct trips_work {
    place_roads roads;
    const mcd_node *parent;
    const mcd_nearest_road *source, *target; /* [count] */
    size_t count;
    bool lists_all; /* trips with one choice, and no way along a road, have it listed, too: for costs */
    bool joined;    /* the lanes, as in gpu_pairs, unless both places may meet where their paths are apart */
};

/* Some trips of a job on a GPU, and their choices: a lane of the source with one of the target. */
struct gpu_trips {
    size_t begin = 0; /* trip i here is the job's trip begin + i */
    trips_work work = {};
    mcd_route_job route = {};        /* of the choices: see enqueue_pairs */
    const top_labels *top = nullptr; /* for the search of choices, as top_of_pairs returns them */
    gpu_pairs pairs;                 /* the choices, `most` at most */
    size_t most = 0;
    gpu_array<unsigned char> memory; /* of the arrays */
    gpu_array<mcd_nearest_road> source, target;
    /* the cost along the road that both places share, or NO_WAY; once lanes are chosen, only where that is best */
    gpu_array<uint64_t> way;
    gpu_array<uint32_t> choices, objective, companion; /* companion is empty unless requested */
    gpu_array<mcd_arc> first;
};

/* Fails with MACADAM_E_UNSUPPORTED if the GPU cannot make the lanes of the job's trips. */
void trips_check(const gpu_weights &weights, const mcd_route_job &job);

/* Computes the costs of a job's trips. */
void trip_costs(gpu_weights &weights, const mcd_route_job &job);

/* Prepares the trips of a job. The caller holds no scratch. */
void trips_prepare(gpu_call &call, gpu_trips &trips, gpu_weights &weights, const mcd_route_job &job);
/* Scratch bytes of each trip, and of all together. */
extern const uint64_t trip_bytes, trips_bytes;
void trips_allocate(gpu_call &call, gpu_trips &trips, size_t count);
/* Enqueues the choice of lanes for trips first <= i < first + count, which follow those of the call before: for to.count of them.
 * Searches the choices of as many trips together as find room, and then waits for the work enqueued before. pinned: memory for one
 * number. */
void enqueue_lanes(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job, gpu_trips &trips,
                   size_t first, size_t count, uint64_t label_bytes, mcd_arc *pinned, gpu_pairs &to);
/* Then, once the chosen lanes are searched, enqueues the parts of roads at the ends of paths: chains.before and chains.behind; and
 * the costs of trips along one road. */
void enqueue_parts(gpu_call &call, const gpu_trips &trips, const uint64_t *number, gpu_pairs &pairs,
                   gpu_chains &chains);

#endif
