/* trips.cu - see trips.h; kernels/seeds.h has the rule of lanes.
 *
 * Method  Each trip's choices, a lane of its source with one of its target, are counted, and their offsets are their prefix
 *         sums. Then the lanes are written, route.cu searches between them, and the least joint cost of the choices, or of the way
 *         along a shared road, is the trip's. A way along the road that is not above the least seeds of both ends needs no search.
 *         For costs, where junctions have copies, a lane has up to MCD_SEEDS_MAX seeds of a place, whatever their root paths, unless
 *         both places may meet where these are apart: most trips have one choice.
 * Paths   The first of the best choices has the lanes of the path; a trip with one choice, and no way along a road, needs no
 *         search for them. The nodes at which the path begins and ends give the parts of roads there.
 * Grid    one thread per trip. Choices are one after the other: those of the source's first lane first.
 * Races   none: a thread writes its own trip, and its own choices.
 * Limit   memory: a choice is written and read once, 144 bytes, and a seed reads four words at random. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/scan.h"
#include "kernels/cuda/pairwise/trips.h"

enum { TRIPS_CHUNK = 1 << 18 }; /* at a time */

static constexpr uint64_t NO_WAY = UINT64_MAX; /* MCD_COST_UNREACHED in both halves */

/* Returns whether `node`, or a seed of `other`, is below a node that only one of two consecutive seeds of `place` is below: a search
 * that joins these seeds would miss that the places meet there. The last path's seeds are climbed together. */
static __device__ bool meet_apart(const trips_work &work, const place_seeds &place, const place_seeds &other,
                                  mcd_node node)
{
    uint32_t end = place.count ? place.count - 1 : 0; /* the first seed of the last path */
    while (end > 0 && place.seed[end - 1].node < work.roads.subtree_end[place.seed[end].node]) --end;
    for (uint32_t i = 0; i < end; ++i) {
        const mcd_node next = place.seed[i + 1].node;
        mcd_node above = place.seed[i].node, x = MCD_NODE_NONE; /* the highest that `next` is not below */
        for (; above != MCD_NODE_NONE && !(above <= next && next < work.roads.subtree_end[above]);
             above = work.parent[above])
            x = above;
        if (x == MCD_NODE_NONE) continue;
        const mcd_node x_end = work.roads.subtree_end[x];
        bool meets = x <= node && node < x_end;
        for (uint32_t k = 0; k < other.count; ++k)
            meets |= x <= other.seed[k].node && other.seed[k].node < x_end;
        if (meets) return true;
    }
    return false;
}

/* Finds the seeds of both places of a trip, and whether their lanes are joined. choices: how many the trip has; 0: that is not
 * known. Unless places have more seeds than a lane, it says whether they are. */
static __device__ void make_both(const trips_work &work, const mcd_nearest_road &source,
                                 const mcd_nearest_road &target, size_t choices, place_seeds *from,
                                 place_seeds *to)
{
    from->make(work.roads, source, true);
    to->make(work.roads, target, false);
    if (!work.joined) return;
    from->joined = to->joined = choices == 1;
    if (choices == 1 || (choices > 1 && max(from->count, to->count) <= MCD_SEEDS_MAX)) return;
    const mcd_node leaves = from->count ? MCD_NODE_NONE : from->take(work.roads, source, true).seed[0].node,
                   reaches = to->count ? MCD_NODE_NONE : to->take(work.roads, target, false).seed[0].node;
    from->joined = to->joined =
        !meet_apart(work, *from, *to, reaches) && !meet_apart(work, *to, *from, leaves);
}

/* A cost, joint, and the arc that has it. */
struct arc_cost {
    uint64_t cost = NO_WAY;
    uint32_t arc = MCD_ROAD_NONE;

    __device__ void lower(const place_roads &roads, uint32_t by, mcd_weight objective, mcd_weight companion)
    {
        const uint64_t sum = cost_of<uint64_t>(objective, roads.cost.companion ? companion : 0);
        if (sum < cost) cost = sum, arc = by;
    }
};

static __device__ mcd_weight share_of(const mcd_weight *weight, uint32_t arc, uint64_t from, uint64_t to)
{
    return weight ? mcd_road_share(weight[arc], from, to) : 0;
}

/* Returns the best way along a road that both places share. */
static __device__ arc_cost way_between(const place_roads &roads, const mcd_nearest_road &source,
                                       const mcd_nearest_road &target)
{
    const place_arcs from = roads.arcs_of(source), to = roads.arcs_of(target);
    arc_cost best;
    for (int i = 0; i < 2; ++i) {
        const uint32_t arc = from.arc[i];
        if (arc == MCD_ROAD_NONE || arc != to.arc[i] || from.before[i] > to.before[i]) continue;
        best.lower(roads, arc, share_of(roads.cost.objective, arc, from.before[i], to.before[i]),
                   share_of(roads.cost.companion, arc, from.before[i], to.before[i]));
    }
    return best;
}

static __global__ void count_choices(trips_work work, uint64_t *way, uint32_t *choices)
{
    const size_t i = thread_index();
    if (i >= work.count) return;
    const mcd_nearest_road source = work.source[i], target = work.target[i];
    place_seeds from, to;
    make_both(work, source, target, 0, &from, &to);
    way[i] = way_between(work.roads, source, target).cost;
    const bool is_direct = way[i] != NO_WAY && way[i] <= cost_add(from.least(), to.least());
    const uint32_t count = from.take_all(work.roads, source, true) * to.take_all(work.roads, target, false);
    choices[i] = is_direct || (!work.lists_all && count == 1 && way[i] == NO_WAY) ? 0 : count;
}

static __global__ void write_choices(trips_work work, const mcd_arc *__restrict__ first,
                                     mcd_lane *source_lane, mcd_lane *target_lane)
{
    const size_t i = thread_index();
    if (i >= work.count || first[i] == first[i + 1]) return;
    const mcd_nearest_road source = work.source[i], target = work.target[i];
    const size_t end = first[i + 1];
    size_t targets = 0;
    place_seeds from, to;
    make_both(work, source, target, end - first[i], &from, &to);
    do target_lane[first[i] + targets++] = to.take(work.roads, target, false);
    while (to.count > 0);
    for (size_t at = first[i] + targets; at < end; ++at) target_lane[at] = target_lane[at - targets];
    for (size_t at = first[i]; at < end; at += targets) {
        const mcd_lane lane = from.take(work.roads, source, true);
        for (size_t t = 0; t < targets; ++t) source_lane[at + t] = lane;
    }
}

/* The choices of all trips, and their costs, raw. */
struct choice_costs {
    const mcd_arc *first;                  /* as in gpu_trips */
    const uint32_t *objective, *companion; /* companion: NULL if it does not count */

    /* Returns the least cost of a trip's choices, or NO_WAY; *best: the first choice that has it, or the first of all. */
    __device__ uint64_t least(size_t trip, mcd_arc *best) const
    {
        uint64_t least = NO_WAY;
        *best = first[trip];
        for (mcd_arc at = first[trip]; at < first[trip + 1]; ++at) {
            if (objective[at] == MCD_COST_UNREACHED) continue;
            const uint64_t cost = (uint64_t)objective[at] << 32 | (companion ? companion[at] : 0);
            if (cost < least) least = cost, *best = at;
        }
        return least;
    }
};

/* out_companion may be NULL. */
static __global__ void merge_choices(size_t count, choice_costs choices, const uint64_t *__restrict__ way,
                                     uint32_t *out, uint32_t *out_companion)
{
    const size_t i = thread_index();
    mcd_arc choice;
    if (i >= count) return;
    const uint64_t best = min(choices.least(i, &choice), way[i]);
    const bool companion = choices.companion;
    out[i] = companion && (uint32_t)best == MCD_COST_UNREACHED ? MCD_COST_UNREACHED : (uint32_t)(best >> 32);
    if (companion) out_companion[i] = (uint32_t)best;
}

/* Takes the lanes of each trip's first best choice; where the way along a road is not worse, there are none. */
static __global__ void choose_lanes(trips_work work, choice_costs choices,
                                    const mcd_lane *__restrict__ choice_source,
                                    const mcd_lane *__restrict__ choice_target, uint64_t *way,
                                    mcd_lane *source, mcd_lane *target)
{
    const size_t i = thread_index();
    mcd_arc best;
    if (i >= work.count) return;
    const uint64_t least = choices.least(i, &best);
    const bool has_choices = choices.first[i] < choices.first[i + 1];
    if (way[i] != NO_WAY && (!has_choices || way[i] <= least)) {
        source[i].seed[0].node = target[i].seed[0].node = MCD_NODE_NONE;
        return;
    }
    way[i] = NO_WAY;
    if (has_choices) {
        source[i] = choice_source[best], target[i] = choice_target[best];
        return;
    }
    place_seeds seeds;
    seeds.make(work.roads, work.source[i], true);
    source[i] = seeds.take(work.roads, work.source[i], true);
    seeds.make(work.roads, work.target[i], false);
    target[i] = seeds.take(work.roads, work.target[i], false);
}

/* Returns the part of a road by which a path that begins or ends at `node` leaves or reaches a place. */
static __device__ arc_cost part_at(const place_roads &roads, const mcd_nearest_road &road, mcd_node node,
                                   bool departs)
{
    arc_cost best;
    roads.each_part(road, departs, [&](const mcd_seed_part &part) {
        const mcd_seed seed = roads.seed_of(part, departs);
        if (part.node == node) best.lower(roads, part.copy, seed.objective, seed.companion);
    });
    return best;
}

/* node: of gpu_chains. companion may be NULL. */
static __global__ void note_parts(trips_work work, const uint64_t *__restrict__ way,
                                  const uint64_t *__restrict__ number, const mcd_node *__restrict__ node,
                                  uint32_t *objective, uint32_t *companion, uint64_t *before,
                                  uint64_t *behind)
{
    const size_t i = thread_index();
    if (i >= work.count) return;
    uint32_t from = MCD_ROAD_NONE, to = MCD_ROAD_NONE;
    if (way[i] != NO_WAY) {
        objective[i] = (uint32_t)(way[i] >> 32);
        if (companion) companion[i] = (uint32_t)way[i];
        from = way_between(work.roads, work.source[i], work.target[i]).arc;
    } else if (objective[i] != MCD_COST_UNREACHED) {
        from = part_at(work.roads, work.source[i], node[2 * i], true).arc;
        to = part_at(work.roads, work.target[i], node[2 * i + 1], false).arc;
    }
    before[i] = from == MCD_ROAD_NONE ? MCD_ARC_NONE : number[from];
    behind[i] = to == MCD_ROAD_NONE ? MCD_ARC_NONE : number[to];
}

/* A copy would wait for other copies to the host. */
static __global__ void note_count(const mcd_arc *count, mcd_arc *pinned)
{
    *pinned = *count;
}

/* ---- chunks ---- */

enum {
    TRIP_BYTES = 2 * sizeof(mcd_nearest_road) + sizeof(uint64_t) + 3 * sizeof(uint32_t) + sizeof(mcd_arc),
    ARRAYS_BYTES = 16 << 10, /* for the alignment of arrays, and sums */
};

const uint64_t trip_bytes = TRIP_BYTES + TRIP_CHOICES_ROOM * PAIR_BYTES,
               trips_bytes = ARRAYS_BYTES + TRIP_CHOICES * PAIR_BYTES;

void trips_check(const gpu_weights &weights, const mcd_route_job &job)
{
    if (!ends_of(*job.snap).arrival || !weights.map->has_graph)
        fail(MACADAM_E_UNSUPPORTED, "some arcs have too many copies");
}

void trips_prepare(gpu_call &call, gpu_trips &trips, gpu_weights &weights, const mcd_route_job &job)
{
    const bool has_copies =
        weights.map->hierarchy.node_count > ends_of(*job.snap).id_count; /* else a place has one root path */
    trips.work = {place_roads_of(call, weights, *job.weights, *job.snap),
                  weights.map->hierarchy.parent,
                  nullptr,
                  nullptr,
                  0,
                  !job.take,
                  !job.take && has_copies};
    trips.pairs.joined = trips.work.joined;
    trips.route.weights = job.weights, trips.route.raw = true;
    trips.route.companion = job.take && weights.joint ? job.objective : job.companion;
    trips.top = top_of_pairs(call, weights, trips.route, job.count);
}

/* Allocates `most` choices, too. */
static void allocate(gpu_call &call, gpu_trips &trips, size_t count, size_t most)
{
    trips.most = most;
    pairs_allocate(trips.pairs, call, trips.route, most);
    gpu_allocate_together(call, "allocating trips", trips.memory, trips.source, count, trips.target, count,
                          trips.way, count, trips.choices, count, trips.objective, count, trips.companion,
                          trips.route.companion ? count : 0, trips.first, count + 1);
    trips.work.source = trips.source.get(), trips.work.target = trips.target.get();
}

void trips_allocate(gpu_call &call, gpu_trips &trips, size_t count)
{
    allocate(call, trips, count, count * TRIP_CHOICES_ROOM + TRIP_CHOICES);
}

/* Enqueues the search of the choices of the first of trips first <= i < first + count: work.count, at most those whose choices find
 * room. */
static void enqueue_choices(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job,
                            gpu_trips &trips, size_t first, size_t count, uint64_t label_bytes,
                            mcd_arc *pinned)
{
    trips_work &work = trips.work;
    gpu_pairs &pairs = trips.pairs;
    call.copy(trips.source.get(), job.source_road + first, count, "copying roads");
    call.copy(trips.target.get(), job.target_road + first, count, "copying roads");
    for (work.count = count;; work.count = (work.count + 1) / 2) {
        call.run("counting lanes", one_thread_each(work.count), count_choices, work, trips.way.get(),
                 trips.choices.get());
        enqueue_scan(call, trips.choices.get(), work.count, trips.first.get());
        call.run("counting lanes", {1, 1}, note_count, trips.first.get() + work.count, pinned);
        call.check(cudaStreamSynchronize(call.stream), "counting lanes");
        pairs.count = *pinned;
        if (pairs.count <= trips.most) break;
    }
    if (pairs.count == 0) return;
    call.run("making lanes", one_thread_each(work.count), write_choices, work, trips.first.get(),
             pairs.source.get(), pairs.target.get());
    enqueue_pairs(call, weights, trips.route, label_bytes, trips.top, pairs, nullptr);
}

/* of: the job whose companion, if it is requested, counts. From the trip at `at` on. */
static choice_costs choices_of(const gpu_trips &trips, const mcd_route_job &of, size_t at)
{
    return {trips.first.get() + at, trips.pairs.objective.get(),
            of.companion ? trips.pairs.companion.get() : nullptr};
}

/* The trips of some pairs. */
static trips_work work_of(const gpu_trips &trips, const gpu_pairs &pairs)
{
    trips_work work = trips.work;
    const size_t at = pairs.first - trips.begin;
    work.source += at, work.target += at, work.count = pairs.count;
    return work;
}

void enqueue_lanes(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job, gpu_trips &trips,
                   size_t first, size_t count, uint64_t label_bytes, mcd_arc *pinned, gpu_pairs &to)
{
    const gpu_pairs &pairs = trips.pairs;
    if (first == trips.begin + trips.work.count) {
        const size_t most = mcd_size_min(trips.source.count(), job.count - first);
        enqueue_choices(call, weights, job, trips, first, most, label_bytes, pinned);
        trips.begin = first;
    }
    const size_t at = first - trips.begin;
    to.first = first, to.count = mcd_size_min(count, trips.work.count - at);
    call.run("choosing lanes", one_thread_each(to.count), choose_lanes, work_of(trips, to),
             choices_of(trips, trips.route, at), pairs.source.get(), pairs.target.get(), trips.way.get() + at,
             to.source.get(), to.target.get());
}

void enqueue_parts(gpu_call &call, const gpu_trips &trips, const uint64_t *number, gpu_pairs &pairs,
                   gpu_chains &chains)
{
    call.run("noting parts", one_thread_each(pairs.count), note_parts, work_of(trips, pairs),
             trips.way.get() + (pairs.first - trips.begin), number, chains.node.get(), pairs.objective.get(),
             pairs.companion.get(), chains.before.get(), chains.behind.get());
}

/* ---- costs ---- */

/* Answers the first of trips first <= i < end; returns how many. */
static size_t answer_some(gpu_call &call, const gpu_weights &weights, const mcd_route_job &job,
                          const pair_room &room, gpu_trips &trips, size_t first, size_t end)
{
    enqueue_choices(call, weights, job, trips, first, end - first, room.label_bytes,
                    (mcd_arc *)call.pinned(0));
    const size_t count = trips.work.count, bytes = count * sizeof(uint32_t);
    uint32_t *const companion = job.companion ? trips.companion.get() : nullptr;
    call.run("choosing lanes", one_thread_each(count), merge_choices, count, choices_of(trips, job, 0),
             trips.way.get(), trips.objective.get(), companion);
    deliver(call, job.objective + first, trips.objective.get(), bytes, &job.parallel);
    if (companion) deliver(call, job.companion + first, companion, bytes, &job.parallel);
    return count;
}

void trip_costs(gpu_weights &weights, const mcd_route_job &job)
{
    gpu_progress progress(job.progress, "routes", job.count);
    progress.step(0);
    gpu_share share;
    gpu_call call(weights.map->gpu);
    gpu_trips trips;
    trips_prepare(call, trips, weights, job);
    size_t chunk = mcd_size_min(TRIPS_CHUNK, job.count);
    pair_room room = pairs_wanted(call, weights, trips.route,
                                  mcd_size_max(TRIP_CHOICES, chunk * TRIP_CHOICES_ROOM), false);
    /* At least half of what trips leave is for choices: a quarter is room for those of any trip. */
    share.take(call, ARRAYS_BYTES + room.label_least + 4 * TRIP_CHOICES * PAIR_BYTES,
               ARRAYS_BYTES + chunk * TRIP_BYTES + room.label_most + room.order_bytes +
                   room.count * PAIR_BYTES,
               "routes");
    const uint64_t most = (share.bytes() - room.label_least) / 4;
    chunk = mcd_size_min(chunk, most / TRIP_BYTES);
    pairs_fit(&room, share.bytes() - ARRAYS_BYTES - chunk * TRIP_BYTES, PAIR_BYTES);
    allocate(call, trips, chunk, room.count);
    for (size_t first = 0, count; first < job.count; first += count) {
        count = answer_some(call, weights, job, room, trips, first, mcd_size_min(first + chunk, job.count));
        progress.step(count);
    }
}
