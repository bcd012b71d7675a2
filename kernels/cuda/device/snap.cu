/* snap.cu - the roads that are nearest to many points. CPU twin: engine/map/snap.c; kernels/snap.h has the arithmetic, which is
 * compiled without fused operations, so that both find the same bits.
 *
 * Method  as on the processor: of all boxes that may hold something near, the nearest one is opened next.
 * Grid    half a warp per point; a thread bounds a box, or measures a piece. Both halves open boxes, then both search leaves. Boxes
 *         that are to be opened are in shared memory.
 * Cut off A point whose road is cut off is searched for again, among the other roads.
 * Out     the position on the least piece by distance, number of its arc and number of the piece: independent of the order of
 *         the search.
 * Races   none: halves share nothing. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/table.h"
#include "kernels/cuda/pairwise/place_seeds.h"

enum {
    SNAP_BLOCK = 128,
    SNAP_HALF = MCD_SNAP_FANOUT, /* threads per point */
    SNAP_BOXES_MAX = 128,        /* to be opened; 40 are enough for most points of a city */
};

static_assert(SNAP_HALF == WARP / 2, "two points per warp");

static const char looking[] = "looking for roads";

struct mcd_device_snap {
    mcd_gpu *gpu = nullptr;
    mcd_snap_tree tree = {}; /* with device pointers */
    gpu_array<mcd_snap_box> box;
    gpu_array<mcd_snap_line> line;
    gpu_array<mcd_snap_piece> piece;
    gpu_array<mcd_node> depart, arrive;
    gpu_array<uint32_t> first_arrival;
    gpu_array<mcd_arrival> arrival;
};

/* A box that is to be opened. */
struct snap_below {
    double bound; /* mcd_snap_bound */
    uint32_t level, index;
};

/* The search of half a warp. All members but `lane` are the same in its threads. Both halves call all functions together: one that
 * has nothing to do in it, too. */
struct snap_search {
    const mcd_snap_tree &tree;
    const mcd_snap_plane plane;
    const double farthest; /* the square beyond which nothing is wanted */
    double limit;          /* likewise, once something is found */
    snap_below *const list;
    uint32_t count = 0;           /* of the list */
    uint64_t entry = UINT64_MAX;  /* the nearest piece; UINT64_MAX: none yet */
    double square = 0, along = 0; /* its distance; where on it the nearest point is */
    const unsigned lane = threadIdx.x % SNAP_HALF;
    bool connected = false; /* only among roads that are not cut off */

    __device__ snap_search(const mcd_snap_tree &of, const mcd_snap_point &point, snap_below *the_list)
        : tree(of), plane{(double)point.at.lon_e7, (double)point.at.lat_e7, point.shrink},
          farthest(point.limit), limit(point.limit), list(the_list)
    {
    }

    /* The votes of the half's threads. */
    __device__ unsigned ballot(bool vote) const
    {
        return __ballot_sync(WARP_ALL, vote) >> (threadIdx.x % WARP - lane) & ((1u << SNAP_HALF) - 1);
    }

    /* Takes the nearest box off the list; returns false if nothing else is wanted. */
    __device__ bool choose(snap_below *out)
    {
        double bound = INFINITY;
        uint32_t at = 0;
        for (uint32_t i = lane; i < count; i += SNAP_HALF)
            if (list[i].bound < bound) bound = list[i].bound, at = i;
        for (unsigned step = SNAP_HALF / 2; step > 0; step /= 2) {
            const double other = __shfl_xor_sync(WARP_ALL, bound, step);
            const uint32_t other_at = __shfl_xor_sync(WARP_ALL, at, step);
            if (other < bound || (other == bound && other_at < at)) bound = other, at = other_at;
        }
        const bool is_wanted = count > 0 && bound <= mcd_snap_reach(limit);
        if (is_wanted) *out = list[at], --count;
        __syncwarp();
        if (is_wanted && lane == 0) list[at] = list[count];
        __syncwarp();
        return is_wanted;
    }

    /* Returns tree.level_first[level]. Indexed by a variable, all parameters would be copied to memory by each thread. */
    __device__ uint64_t first_of(uint32_t level) const
    {
        uint64_t first = 0;
#pragma unroll
        for (uint32_t at = 0; at <= MCD_SNAP_LEVELS_MAX; ++at)
            if (at == level) first = tree.level_first[at];
        return first;
    }

    /* Lists the boxes below one, unless its level is 0, that may hold something near; returns false if there is no room. */
    __device__ bool open(const snap_below &at)
    {
        const uint32_t level = at.level ? at.level - 1 : 0;
        const uint64_t first = (uint64_t)at.index * MCD_SNAP_FANOUT, below = first_of(level),
                       left = first_of(at.level) - below;
        const bool is_there = first + lane < left;
        const double bound = is_there ? mcd_snap_bound(&plane, &tree.box[below + first + lane]) : 0;
        const bool is_near = is_there && bound <= mcd_snap_reach(limit);
        const unsigned near = ballot(is_near);
        const uint32_t before = count + (uint32_t)__popc(near & ((1u << lane) - 1)),
                       sum = count + (uint32_t)__popc(near);
        if (sum <= SNAP_BOXES_MAX) {
            if (is_near) list[before] = {bound, level, (uint32_t)(first + lane)};
            count = sum;
        }
        __syncwarp();
        return sum <= SNAP_BOXES_MAX;
    }

    __device__ bool is_less(uint64_t a, uint64_t b) const
    {
        const mcd_snap_piece &x = tree.piece[a], &y = tree.piece[b];
        return x.number != y.number ? x.number < y.number : x.piece < y.piece;
    }

    /* Searches a leaf; none if not `is_leaf`. */
    __device__ void search_leaf(uint32_t leaf, bool is_leaf)
    {
        const uint64_t first = (uint64_t)leaf * MCD_SNAP_FANOUT;
        const bool is_there =
            is_leaf && first + lane < tree.piece_count && !(connected && tree.piece[first + lane].piece % 2);
        mcd_snap_distance distance = {0, 0, 0, 0};
        if (is_there) distance = mcd_snap_measure(&plane, &tree.line[first + lane]);
        const double own = is_there
                               ? mcd_snap_nearest(distance.along, distance.inner, distance.from, distance.to)
                               : INFINITY;
        double least = own;
        for (unsigned step = SNAP_HALF / 2; step > 0; step /= 2)
            least = fmin(least, __shfl_xor_sync(WARP_ALL, least, step));
        unsigned rest = ballot(is_there && own == least && least <= limit);
        for (; __any_sync(WARP_ALL, rest != 0); rest &= rest - 1) {
            const int at = rest ? __ffs((int)rest) - 1 : 0;
            const double there = __shfl_sync(WARP_ALL, distance.along, at, SNAP_HALF);
            if (!rest || (entry != UINT64_MAX && least == square && !is_less(first + at, entry))) continue;
            entry = first + at;
            limit = square = least;
            along = there;
        }
    }

    /* Does nothing if nothing is wanted. Returns false if the boxes find no room. */
    __device__ bool find(bool is_wanted, bool only_connected)
    {
        snap_below at = {0, 0, 0};
        bool has_room = true;
        connected = only_connected, limit = farthest, entry = UINT64_MAX;
        if (lane == 0) list[0] = {0, (uint32_t)tree.level_count - 1, 0};
        count = is_wanted;
        __syncwarp();
        for (;;) {
            const bool goes_on = choose(&at), is_leaf = goes_on && at.level == 0;
            if (!__any_sync(WARP_ALL, goes_on)) return has_room;
            if (!goes_on) at.level = 0;
            if (__any_sync(WARP_ALL, at.level > 0) && !open(at)) has_room = false, count = 0;
            if (__any_sync(WARP_ALL, is_leaf)) search_leaf(at.index, is_leaf);
        }
    }

    /* Returns the position on the piece that was found (engine/map/locate.c). */
    __device__ mcd_nearest_road road() const
    {
        mcd_nearest_road out = {0, 0, 0, MCD_ROAD_NONE, MCD_NEAREST_TOO_FAR};
        if (entry == UINT64_MAX) return out;
        const mcd_snap_piece &piece = tree.piece[entry];
        out.state = piece.piece % 2 ? MCD_NEAREST_CUT_OFF : MCD_NEAREST_FOUND;
        out.arc = piece.arc, out.back = piece.back;
        out.before = mcd_snap_share(piece.before + along * piece.length, piece.whole);
        if (piece.is_first && along == 0) out.before = 0;
        if (piece.is_last && along == 1) out.before = MCD_ROAD_WHOLE;
        if (out.before == 0 || out.before == MCD_ROAD_WHOLE) out.id = piece.id[out.before == MCD_ROAD_WHOLE];
        return out;
    }

    /* Returns the nearest road, or that nothing is known. */
    __device__ mcd_nearest_road nearest(bool is_wanted, bool only_connected, const arc_costs &cost)
    {
        mcd_nearest_road out = {0, 0, 0, MCD_ROAD_NONE, MCD_NEAREST_UNKNOWN};
        if (!find(is_wanted, only_connected) || !is_wanted) return out;
        const mcd_nearest_road found = road();
        return found.state == MCD_NEAREST_TOO_FAR || cost.is_open(found.arc) ? found : out;
    }
};

/* connected: NULL: not wanted. */
static __global__ void find_nearest(mcd_snap_tree tree, const mcd_snap_point *__restrict__ point,
                                    uint64_t count, arc_costs cost, mcd_nearest_road *road,
                                    mcd_nearest_road *connected)
{
    MCD_SHARED(snap_below, list);
    const uint64_t i = thread_index() / SNAP_HALF;
    const mcd_snap_point wanted = i < count ? point[i] : mcd_snap_point{{0, 0}, 0, -1};
    snap_search search(tree, wanted, list + threadIdx.x / SNAP_HALF * SNAP_BOXES_MAX);
    const mcd_nearest_road out = search.nearest(wanted.limit >= 0, false, cost);
    const bool is_cut_off = out.state == MCD_NEAREST_CUT_OFF, writes = search.lane == 0 && i < count;
    if (writes) road[i] = out;
    if (!connected || !__any_sync(WARP_ALL, is_cut_off)) return;
    const mcd_nearest_road other = search.nearest(is_cut_off, true, cost);
    if (writes && is_cut_off) connected[i] = other;
}

mcd_device_snap *mcd_cuda_snap_new(mcd_device *device, const mcd_snap_tree *tree)
{
    static const char what[] = "copying the roads of points";
    const size_t boxes = tree->level_first[tree->level_count], pieces = tree->piece_count;
    const mcd_road_ends &ends = tree->ends;
    const size_t arcs = ends.arrival ? ends.arc_count : 0, ids = ends.arrival ? ends.id_count : 0,
                 arrivals = ends.arrival ? ends.first_arrival[arcs] : 0;
    gpu_share room;
    return object_new<mcd_device_snap>("the roads of points", [&](mcd_device_snap *snap) {
        gpu_call call(snap->gpu = &device->gpu[0]);
        room.make_room(call,
                       boxes * sizeof *tree->box + pieces * (sizeof *tree->line + sizeof *tree->piece) +
                           2 * ids * sizeof *ends.depart + arcs * sizeof *ends.first_arrival +
                           arrivals * sizeof *ends.arrival,
                       what);
        snap->box.copy(call, tree->box, boxes, what);
        snap->line.copy(call, tree->line, pieces, what);
        snap->piece.copy(call, tree->piece, pieces, what);
        snap->tree = *tree;
        snap->tree.box = snap->box.get(), snap->tree.line = snap->line.get();
        snap->tree.piece = snap->piece.get();
        if (ends.arrival) {
            snap->depart.copy(call, ends.depart, ids, what);
            snap->arrive.copy(call, ends.arrive, ids, what);
            snap->first_arrival.copy(call, ends.first_arrival, arcs + 1, what);
            snap->arrival.copy(call, ends.arrival, arrivals, what);
            snap->tree.ends = {arcs,
                               ids,
                               snap->depart.get(),
                               snap->arrive.get(),
                               snap->first_arrival.get(),
                               snap->arrival.get(),
                               ends.arrival_most};
        }
        call.synchronize();
        gpu_keep_all(snap->box, snap->line, snap->piece, snap->depart, snap->arrive, snap->first_arrival,
                     snap->arrival);
    });
}

const mcd_road_ends &ends_of(const mcd_device_snap &snap)
{
    return snap.tree.ends;
}

void mcd_cuda_snap_free(mcd_device_snap *snap)
{
    object_free(snap);
}

/* Lets kernels read points and write roads in the host's memory. Returns whether they can. */
static bool map_points(gpu_call &call, mcd_nearest_job *job)
{
    const mcd_snap_point *const point = (const mcd_snap_point *)mapped_memory(call, job->point);
    mcd_nearest_road *const road = (mcd_nearest_road *)mapped_memory(call, job->road),
                            *const connected = job->connected
                                                   ? (mcd_nearest_road *)mapped_memory(call, job->connected)
                                                   : nullptr;
    if (!point || !road || !connected != !job->connected) return false;
    job->point = point, job->road = road, job->connected = connected;
    return true;
}

static void enqueue_search(gpu_call &call, const mcd_nearest_job &job, const arc_costs &cost)
{
    enum { POINTS = SNAP_BLOCK / SNAP_HALF };
    call.run(
        looking,
        {blocks_of<uint64_t>(job.count, POINTS), SNAP_BLOCK, POINTS * SNAP_BOXES_MAX * sizeof(snap_below)},
        find_nearest, job.snap->tree, job.point, (uint64_t)job.count, cost, job.road, job.connected);
}

void mcd_cuda_nearest_roads(const mcd_nearest_job *job)
{
    const size_t roads = job->count * sizeof *job->road, points = job->count * sizeof *job->point;
    if (job->count == 0) return;
    gpu_share share;
    gpu_call call(job->snap->gpu);
    arc_costs cost = {};
    mcd_nearest_job there = *job;
    if (job->weights) cost = arc_costs_of(call, *job->weights->device->on[0], *job->weights);
    if (map_points(call, &there)) {
        enqueue_search(call, there, cost);
        return call.synchronize();
    }
    share.take(call, points + 2 * roads, points + 2 * roads, looking);
    gpu_array<mcd_snap_point> point(call, job->count, looking);
    gpu_array<mcd_nearest_road> road(call, 2 * job->count, looking);
    supply(call, point.get(), job->point, points, &job->parallel);
    there.point = point.get(), there.road = road.get();
    if (job->connected) there.connected = road.get() + job->count;
    enqueue_search(call, there, cost);
    deliver(call, job->road, there.road, roads, &job->parallel);
    if (job->connected) deliver(call, job->connected, there.connected, roads, &job->parallel);
}
