/* trips.cu - costs between places within roads: makes the lanes of both ends of each trip, searches between all of them, and takes
 * the best. CPU twin: engine/query/places/pairs.c; kernels/seeds.h has the rule of lanes.
 *
 * Method  Each trip's choices, a lane of its source with one of its target, are counted, and their offsets are their prefix
 *         sums. Then the lanes are written, route.cu searches between them, and the least joint cost of the choices, or of the way
 *         along a shared road, is the trip's. A way along the road that is not above the least seeds of both ends needs no search.
 * Grid    one thread per trip. Choices are one after the other: those of the source's first lane first.
 * Races   none: a thread writes its own trip, and its own choices.
 * Limit   memory: a choice is written and read once, 144 bytes, and a seed reads four words at random. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/scan.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/pairwise/route.h"

extern "C" {
#include "kernels/seeds.h"
}

enum {
    TRIPS_CHUNK = 1 << 18,             /* at a time */
    TRIP_SEEDS = 2 * MCD_ARRIVALS_MAX, /* of a place, at most: each of both arcs */
    TRIP_CHOICES = TRIP_SEEDS * 2,     /* of a trip, at most: a departure has two seeds */
    TRIP_CHOICES_ROOM = 2,             /* of most trips */
};

static constexpr uint64_t NO_WAY = UINT64_MAX; /* MCD_COST_UNREACHED in both halves */

/* The data of a launch. */
struct trips_work {
    mcd_road_ends ends;
    const mcd_node *head, *subtree_end;
    const mcd_weight *objective, *companion; /* per input arc; companion may be NULL */
    const mcd_nearest_road *source, *target; /* [count] */
    size_t count;
};

/* A place on a road: its arcs there and back, and the 2^-32ths of them before it. */
struct place_arcs {
    uint32_t arc[2];
    uint64_t before[2];
};

static __device__ bool is_open(const trips_work &work, uint32_t arc)
{
    return work.objective[arc] < MCD_UNREACHED && (!work.companion || work.companion[arc] < MCD_UNREACHED);
}

/* Returns the arcs of a place that are open. */
static __device__ place_arcs arcs_of(const trips_work &work, const mcd_nearest_road &road)
{
    place_arcs out = {{MCD_ROAD_NONE, MCD_ROAD_NONE}, {road.before, MCD_ROAD_WHOLE - road.before}};
    if (road.state != MCD_NEAREST_FOUND || road.id != MCD_ROAD_NONE) return out;
    if (road.arc != MCD_ROAD_NONE && is_open(work, road.arc)) out.arc[0] = road.arc;
    if (road.back != MCD_ROAD_NONE && is_open(work, road.back)) out.arc[1] = road.back;
    return out;
}

/* The seeds of a place, sorted. */
struct place_seeds {
    mcd_seed seed[TRIP_SEEDS];
    uint32_t count = 0;

    __device__ void add(mcd_node node, mcd_weight objective, mcd_weight companion)
    {
        if (objective < MCD_UNREACHED) seed[count++] = {node, objective, companion};
    }
    __device__ void leave(const trips_work &work, uint32_t arc, uint64_t before)
    {
        add(work.head[arc], mcd_road_share(work.objective[arc], before, MCD_ROAD_WHOLE),
            work.companion ? mcd_road_share(work.companion[arc], before, MCD_ROAD_WHOLE) : 0);
    }
    __device__ void reach(const trips_work &work, uint32_t arc, uint64_t before)
    {
        for (uint32_t k = work.ends.first_arrival[arc]; k < work.ends.first_arrival[arc + 1]; ++k) {
            const mcd_arrival arrival = work.ends.arrival[k];
            if (!is_open(work, arrival.copy)) continue;
            add(arrival.tail, mcd_road_before(work.objective[arc], work.objective[arrival.copy], before),
                work.companion ? mcd_road_before(work.companion[arc], work.companion[arrival.copy], before)
                               : 0);
        }
    }
    /* Finds the seeds; of a place at a junction, or nowhere, there are none. */
    __device__ void make(const trips_work &work, const mcd_nearest_road &road, bool departs)
    {
        const place_arcs at = arcs_of(work, road);
        for (int i = 0; i < 2; ++i)
            if (at.arc[i] == MCD_ROAD_NONE)
                continue;
            else if (departs)
                leave(work, at.arc[i], at.before[i]);
            else
                reach(work, at.arc[i], at.before[i]);
        count = mcd_seeds_sort(seed, count);
    }
    __device__ uint64_t least() const
    {
        uint64_t least = cost_unreached<uint64_t>();
        for (uint32_t i = 0; i < count; ++i) least = min(least, mcd_seed_cost(&seed[i]));
        return least;
    }
    /* Takes the next lane; of a place without seeds, its junction's. */
    __device__ mcd_lane take(const trips_work &work, const mcd_nearest_road &road, bool departs)
    {
        mcd_lane lane;
        if (count > 0) {
            count = mcd_seeds_take(&lane, seed, count, work.subtree_end, false);
            return lane;
        }
        const bool is_junction = road.state == MCD_NEAREST_FOUND && road.id != MCD_ROAD_NONE;
        lane.seed[0] = {MCD_NODE_NONE, 0, 0};
        if (is_junction) lane.seed[0].node = (departs ? work.ends.depart : work.ends.arrive)[road.id];
        lane.seed[1].node = MCD_NODE_NONE;
        return lane;
    }
    /* Takes all lanes; returns how many there are. */
    __device__ uint32_t take_all(const trips_work &work, const mcd_nearest_road &road, bool departs)
    {
        uint32_t lanes = 0;
        do {
            (void)take(work, road, departs);
            ++lanes;
        } while (count > 0);
        return lanes;
    }
};

/* Returns the least cost along a road that both places share; NO_WAY: they share none. */
static __device__ uint64_t way_between(const trips_work &work, const mcd_nearest_road &source,
                                       const mcd_nearest_road &target)
{
    const place_arcs from = arcs_of(work, source), to = arcs_of(work, target);
    uint64_t least = NO_WAY;
    for (int i = 0; i < 2; ++i) {
        const uint32_t arc = from.arc[i];
        if (arc == MCD_ROAD_NONE || arc != to.arc[i] || from.before[i] > to.before[i]) continue;
        const uint64_t cost = cost_of<uint64_t>(
            mcd_road_share(work.objective[arc], from.before[i], to.before[i]),
            work.companion ? mcd_road_share(work.companion[arc], from.before[i], to.before[i]) : 0);
        least = min(least, cost);
    }
    return least;
}

static __global__ void count_choices(trips_work work, uint64_t *way, uint32_t *choices)
{
    const size_t i = thread_index();
    if (i >= work.count) return;
    const mcd_nearest_road source = work.source[i], target = work.target[i];
    place_seeds from, to;
    from.make(work, source, true);
    to.make(work, target, false);
    way[i] = way_between(work, source, target);
    const bool is_direct = way[i] != NO_WAY && way[i] <= cost_add(from.least(), to.least());
    choices[i] = is_direct ? 0 : from.take_all(work, source, true) * to.take_all(work, target, false);
}

static __global__ void write_choices(trips_work work, const mcd_arc *__restrict__ first,
                                     mcd_lane *source_lane, mcd_lane *target_lane)
{
    const size_t i = thread_index();
    if (i >= work.count || first[i] == first[i + 1]) return;
    const mcd_nearest_road source = work.source[i], target = work.target[i];
    const size_t end = first[i + 1];
    size_t targets = 0;
    place_seeds seeds;
    seeds.make(work, target, false);
    do target_lane[first[i] + targets++] = seeds.take(work, target, false);
    while (seeds.count > 0);
    for (size_t at = first[i] + targets; at < end; ++at) target_lane[at] = target_lane[at - targets];
    seeds.make(work, source, true);
    for (size_t at = first[i]; at < end; at += targets) {
        const mcd_lane lane = seeds.take(work, source, true);
        for (size_t t = 0; t < targets; ++t) source_lane[at + t] = lane;
    }
}

/* The costs of choices are raw; companion: NULL if it does not count. out_companion may be NULL likewise. */
static __global__ void merge_choices(size_t count, const mcd_arc *__restrict__ first,
                                     const uint64_t *__restrict__ way, const uint32_t *__restrict__ objective,
                                     const uint32_t *__restrict__ companion, uint32_t *out,
                                     uint32_t *out_companion)
{
    const size_t i = thread_index();
    if (i >= count) return;
    uint64_t best = NO_WAY;
    for (size_t at = first[i]; at < first[i + 1]; ++at)
        if (objective[at] != MCD_COST_UNREACHED)
            best = min(best, (uint64_t)objective[at] << 32 | (companion ? companion[at] : 0));
    best = min(best, way[i]);
    out[i] = companion && (uint32_t)best == MCD_COST_UNREACHED ? MCD_COST_UNREACHED : (uint32_t)(best >> 32);
    if (companion) out_companion[i] = (uint32_t)best;
}

/* ---- the weights of arcs ---- */

static const mcd_weight *arc_weights(gpu_call &call, gpu_weights &weights, gpu_array<mcd_weight> &own,
                                     gpu_array<mcd_weight> &copied, const mcd_weight *host)
{
    gpu_share room;
    const size_t count = weights.map->graph.arc_count;
    if (!host) return nullptr;
    if (own.get()) return own.get();
    std::unique_lock<std::mutex> guard(weights.lock);
    if (copied.get()) return copied.get();
    guard.unlock(); /* while it waits for other calls' memory */
    room.make_room(call, count * sizeof *host, "weights of arcs");
    guard.lock();
    if (copied.get()) return copied.get();
    gpu_array<mcd_weight> copy(call, host, count, "copying weights of arcs");
    call.synchronize();
    copy.keep();
    copied = std::move(copy);
    return copied.get();
}

/* ---- chunks ---- */

/* Some trips on a GPU. */
struct gpu_trips {
    gpu_array<unsigned char> memory; /* of the arrays */
    gpu_array<mcd_nearest_road> source, target;
    gpu_array<uint64_t> way;
    gpu_array<uint32_t> choices, objective, companion; /* companion is empty unless requested */
    gpu_array<mcd_arc> first;
};

enum {
    TRIP_BYTES = 2 * sizeof(mcd_nearest_road) + sizeof(uint64_t) + 3 * sizeof(uint32_t) + sizeof(mcd_arc),
    ARRAYS_BYTES = 16 << 10, /* for the alignment of arrays, and sums */
};

/* Answers the first of trips first <= i < end: at most those whose choices find room. Returns how many. */
static size_t answer_some(gpu_call &call, gpu_weights &weights, const mcd_trips_job &job, trips_work work,
                          const mcd_route_job &route, const pair_room &room, const top_labels *top,
                          gpu_trips &trips, gpu_pairs &pairs, size_t first, size_t end)
{
    const size_t count = end - first;
    supply(call, trips.source.get(), job.source + first, count * sizeof *job.source, &job.parallel);
    supply(call, trips.target.get(), job.target + first, count * sizeof *job.target, &job.parallel);
    work.source = trips.source.get(), work.target = trips.target.get();
    for (work.count = count;; work.count = (work.count + 1) / 2) {
        call.run("counting lanes", one_thread_each(work.count), count_choices, work, trips.way.get(),
                 trips.choices.get());
        enqueue_scan(call, trips.choices.get(), work.count, trips.first.get());
        pairs.count = call.fetch(trips.first.get() + work.count, "counting lanes");
        if (pairs.count <= room.count) break;
    }
    const launch_shape shape = one_thread_each(work.count);
    uint32_t *const companion = job.companion ? trips.companion.get() : nullptr;
    call.run("making lanes", shape, write_choices, work, trips.first.get(), pairs.source.get(),
             pairs.target.get());
    if (pairs.count > 0) enqueue_pairs(call, weights, route, room.label_bytes, top, pairs, nullptr);
    call.run("choosing lanes", shape, merge_choices, work.count, trips.first.get(), trips.way.get(),
             pairs.objective.get(), job.companion ? pairs.companion.get() : nullptr, trips.objective.get(),
             companion);
    const size_t bytes = work.count * sizeof(uint32_t);
    deliver(call, job.objective + first, trips.objective.get(), bytes, &job.parallel);
    if (companion) deliver(call, job.companion + first, companion, bytes, &job.parallel);
    return work.count;
}

void mcd_cuda_trips(const mcd_trips_job *job)
{
    gpu_weights &weights = *job->weights->device->on[0]; /* where the index is */
    const mcd_road_ends &ends = ends_of(*job->snap);
    mcd_route_job route = {};
    route.weights = job->weights, route.companion = job->companion, route.raw = true;
    if (!ends.arrival || !weights.map->has_graph)
        fail(MACADAM_E_UNSUPPORTED, "some arcs have too many copies");
    gpu_progress progress(job->progress, "routes", job->count);
    progress.step(0);
    gpu_share share;
    gpu_call call(weights.map->gpu);
    gpu_trips trips;
    gpu_pairs pairs;
    trips_work work = {
        ends, weights.map->graph.head, weights.map->hierarchy.subtree_end, nullptr, nullptr, nullptr, nullptr,
        0};
    work.objective =
        arc_weights(call, weights, weights.objective, weights.copied[0], job->weights->objective);
    work.companion =
        arc_weights(call, weights, weights.companion, weights.copied[1], job->weights->companion);
    const top_labels *const top = top_of_pairs(call, weights, route, job->count);
    size_t chunk = mcd_size_min(TRIPS_CHUNK, job->count);
    pair_room room =
        pairs_wanted(call, weights, route, mcd_size_max(TRIP_CHOICES, chunk * TRIP_CHOICES_ROOM), false);
    /* At least half of what trips leave is for choices: a quarter is room for those of any trip. */
    share.take(call, ARRAYS_BYTES + room.label_least + 4 * TRIP_CHOICES * PAIR_BYTES,
               ARRAYS_BYTES + chunk * TRIP_BYTES + room.label_most + room.order_bytes +
                   room.count * PAIR_BYTES,
               "routes");
    const uint64_t most = (share.bytes() - room.label_least) / 4;
    chunk = mcd_size_min(chunk, most / TRIP_BYTES);
    pairs_fit(&room, share.bytes() - ARRAYS_BYTES - chunk * TRIP_BYTES, PAIR_BYTES);
    pairs_allocate(pairs, call, route, room.count);
    gpu_allocate_together(call, "allocating trips", trips.memory, trips.source, chunk, trips.target, chunk,
                          trips.way, chunk, trips.choices, chunk, trips.objective, chunk, trips.companion,
                          job->companion ? chunk : 0, trips.first, chunk + 1);
    for (size_t first = 0, count; first < job->count; first += count) {
        count = answer_some(call, weights, *job, work, route, room, top, trips, pairs, first,
                            mcd_size_min(first + chunk, job->count));
        progress.step(count);
    }
}
