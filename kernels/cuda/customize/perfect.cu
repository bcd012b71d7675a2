/* perfect.cu - perfect customization: the costs of shortest paths between the ends of upward arcs. CPU twin:
 * kernels/cpu/customize/perfect.c.
 *
 * Method. The least cost from x to an upward neighbour w is the least of basic(x, w) and, over the other
 * upward neighbours z, of basic(x, z) + least(z, w): a shortest path leaves x's lower nodes for the first
 * time by way of a basic arc. So, level of slices by level (schedule.h) from the top down, with P a slice and
 * C its columns:
 * 1. x in P, z and w in C: triangles of finished levels' arcs zw;
 * 2. z in P, w in C: a thread takes one column and goes through the slice's nodes from the first;
 * 3. z in C, w in P: the warp finds the least of its columns' offers to the slice's matrix;
 * 4. z and w in P: the slice's last unit to finish completes the matrix, node by node.
 * Each step does the reverse directions too.
 * Races. Only minima, and the count of a slice's finished units, which orders 3 before 4.
 * Limit. Two launches per level; in large levels, the traffic between multiprocessors and L2. */
#include "kernels/cuda/customize/customize.h"

#include "kernels/cuda/customize/slice.h"

enum {
    PRUNE_BLOCK = 256,
    PRUNE_WARPS = PRUNE_BLOCK / WARP,
};

/* ---- saturation ---- */

static __device__ bool is_saturated(uint64_t cost)
{
    return cost_objective(cost) < MCD_UNREACHED && cost_companion(cost) >= MCD_UNREACHED;
}

static __global__ void find_saturated(uint64_t up_count, const both_costs<uint64_t> *cost,
                                      uint32_t *saturated)
{
    const uint64_t up = thread_index();
    if (up >= up_count) return;
    const both_costs<uint64_t> x_y = cost[up];
    if (is_saturated(x_y.forward) || is_saturated(x_y.backward)) *saturated = 1; /* all write the same */
}

/* ---- triangles of three slices ---- */

/* Relaxes the two upper arcs of a triangle by way of each other: x-y-z, z-y-x, x-z-y, y-z-x. */
template <class Cost> struct relax_action {
    const both_costs<Cost> *basic;
    both_costs<Cost> *least;
    struct sides {
        both_costs<Cost> x_y, x_z;
    };
    __device__ sides load(uint32_t xy, uint32_t xz) const
    {
        return {basic[xy], basic[xz]};
    }
    __device__ void relax(const sides &way, uint32_t xy, uint32_t xz, uint32_t yz) const
    {
        const both_costs<Cost> y_z = least[yz], known_y = least[xy], known_z = least[xz];
        relax_to(&least[xz].forward, known_z.forward, cost_add(way.x_y.forward, y_z.forward));
        relax_to(&least[xz].backward, known_z.backward, cost_add(y_z.backward, way.x_y.backward));
        relax_to(&least[xy].forward, known_y.forward, cost_add(way.x_z.forward, y_z.backward));
        relax_to(&least[xy].backward, known_y.backward, cost_add(y_z.forward, way.x_z.backward));
    }
};

/* One warp per part of the triangles of division.arcs_per_warp arcs. */
template <class Cost>
static __global__ void relax_triangles(schedule_view schedule, const uint32_t *arc, uint64_t arc_count,
                                       triangle_division division, const uint32_t *saturated,
                                       const both_costs<Cost> *basic, both_costs<Cost> *least)
{
    const uint64_t warp = thread_index() / WARP;
    const unsigned lane = threadIdx.x % WARP;
    if (warp >= division.warps || *saturated) return;
    const uint64_t i = warp / division.parts * division.arcs_per_warp + lane;
    const bool is_there = lane < division.arcs_per_warp && i < arc_count;
    for_triangles(schedule.hierarchy.up_head, load_sides(schedule, is_there ? arc[i] : 0, is_there),
                  (uint32_t)(warp % division.parts) * WARP, division.parts * WARP,
                  relax_action<Cost>{basic, least});
}

/* ---- within a slice ---- */

/* The least of the warp's costs. Called by all lanes. */
static __device__ uint32_t warp_least(uint32_t cost)
{
    return __reduce_min_sync(WARP_ALL, cost);
}

static __device__ uint64_t warp_least(uint64_t cost)
{
    const uint32_t high = __reduce_min_sync(WARP_ALL, (uint32_t)(cost >> 32));
    const uint32_t low = (uint32_t)(cost >> 32) == high ? (uint32_t)cost : UINT32_MAX;
    return (uint64_t)high << 32 | __reduce_min_sync(WARP_ALL, low);
}

/* Steps 2 and 3 for the warp's columns, one a thread. matrix: becomes the slice's basic costs; offered: the least
 * of them and of the columns' offers. */
template <class Cost>
static __device__ void relax_columns(const slice_view &slice, uint32_t column, const both_costs<Cost> *basic,
                                     Cost *matrix, Cost *offered, both_costs<Cost> *least)
{
    const uint32_t lane = threadIdx.x % WARP;
    both_costs<Cost> at[SLICE_WIDTH], way[SLICE_WIDTH];
    Cost mine[SLICE_MATRIX / WARP]; /* of offered: those from `lane` on, WARP apart */
    load_column(slice, column, least, at);
    load_column(slice, column, basic, way);
    load_matrix(slice, basic, matrix);
#pragma unroll
    for (uint32_t k = 0; k < SLICE_MATRIX / WARP; ++k) mine[k] = matrix[k * WARP + lane];
#pragma unroll
    for (uint32_t x = 1; x < SLICE_WIDTH; ++x) {
        if (x >= slice.width) continue;
#pragma unroll
        for (uint32_t z = 0; z < x; ++z) {
            at[x].forward = cost_relax(at[x].forward, at[z].forward, matrix[x * SLICE_WIDTH + z]);
            at[x].backward = cost_relax(at[x].backward, at[z].backward, matrix[z * SLICE_WIDTH + x]);
        }
        if (column < slice.columns) least[slice.row(x) + column] = at[x];
#pragma unroll
        for (uint32_t w = 0; w < x; ++w) {
            const uint32_t x_w = x * SLICE_WIDTH + w, w_x = w * SLICE_WIDTH + x;
            const Cost forward = warp_least(cost_add(way[x].forward, at[w].backward)),
                       backward = warp_least(cost_add(at[w].forward, way[x].backward));
            if (lane == x_w % WARP) mine[x_w / WARP] = min(mine[x_w / WARP], forward);
            if (lane == w_x % WARP) mine[w_x / WARP] = min(mine[w_x / WARP], backward);
        }
    }
#pragma unroll
    for (uint32_t k = 0; k < SLICE_MATRIX / WARP; ++k) offered[k * WARP + lane] = mine[k];
    __syncwarp();
}

/* Hands this unit's offers to the slice. Returns whether all units have done so; then `offered` has the
 * least of all. */
template <class Cost>
static __device__ bool join_units(const slice_view &slice, uint32_t units, const Cost *matrix, Cost *offered,
                                  both_costs<Cost> *least, uint32_t *done)
{
    uint32_t before = 0;
    if (units == 1) return true;
    for (uint32_t i = threadIdx.x % WARP; i < SLICE_MATRIX; i += WARP) {
        const uint32_t x = i / SLICE_WIDTH, y = i % SLICE_WIDTH, back = y * SLICE_WIDTH + x;
        if (y >= x || x >= slice.width) continue;
        both_costs<Cost> *const x_y = &least[slice.row(x) + slice.columns + y];
        relax_to(&x_y->forward, matrix[i], offered[i]);
        relax_to(&x_y->backward, matrix[back], offered[back]);
    }
    __threadfence();
    __syncwarp();
    if (threadIdx.x % WARP == 0) before = atomicAdd(done, 1u);
    if (__shfl_sync(WARP_ALL, before, 0) + 1 < units) return false;
    __threadfence();
    __syncwarp();
    load_matrix(slice, least, offered);
    return true;
}

/* Step 4. PARTS lanes take one node w before x, in one direction, and share the nodes z between. */
template <class Cost> static __device__ void relax_matrix(uint32_t width, const Cost *matrix, Cost *least)
{
    enum { PARTS = WARP / (2 * SLICE_WIDTH) };
    const uint32_t w = threadIdx.x % SLICE_WIDTH, part = threadIdx.x % WARP / (2 * SLICE_WIDTH);
    const bool is_forward = threadIdx.x / SLICE_WIDTH % 2 == 0;
    for (uint32_t x = 2; x < width; ++x) {
        Cost *const x_w = &least[is_forward ? x * SLICE_WIDTH + w : w * SLICE_WIDTH + x];
        Cost best = part == 0 ? *x_w : cost_unreached<Cost>();
        for (uint32_t z = part; z < x && w < x; z += PARTS)
            best = is_forward ? cost_relax(best, least[z * SLICE_WIDTH + w], matrix[x * SLICE_WIDTH + z])
                              : cost_relax(best, least[w * SLICE_WIDTH + z], matrix[z * SLICE_WIDTH + x]);
        for (int step = 2 * SLICE_WIDTH; step < WARP; step *= 2)
            best = min(best, __shfl_xor_sync(WARP_ALL, best, step));
        if (w < x && part == 0) *x_w = best;
        __syncwarp();
    }
}

/* One warp per unit. done: for each unit that is its slice's first; 0 on entry. Shared memory: two
 * matrices per warp. */
template <class Cost>
static __global__ void __launch_bounds__(PRUNE_BLOCK)
    relax_slices(schedule_view schedule, uint64_t first_unit, uint64_t unit_count, const uint32_t *saturated,
                 const both_costs<Cost> *basic, both_costs<Cost> *least, uint32_t *done)
{
    MCD_SHARED(Cost, matrices);
    const uint64_t warp = thread_index() / WARP;
    if (warp >= unit_count || *saturated) return;
    const slice_unit unit = schedule.unit[first_unit + warp];
    const slice_view slice = slice_of(schedule, unit.slice);
    const uint32_t column = unit.chunk * WARP + threadIdx.x % WARP;
    Cost *const matrix = matrices + threadIdx.x / WARP * 2 * SLICE_MATRIX, *const offered =
                                                                               matrix + SLICE_MATRIX;
    relax_columns(slice, column, basic, matrix, offered, least);
    if (!join_units(slice, max(blocks_of<uint32_t>(slice.columns, WARP), 1u), matrix, offered, least,
                    done + first_unit + warp - unit.chunk))
        return;
    relax_matrix(slice.width, matrix, offered);
    store_matrix(slice, offered, least);
}

/* ---- all ---- */

template <class Cost> struct prune_run {
    const gpu_schedule &schedule;
    const both_costs<Cost> *basic;
    both_costs<Cost> *least;
    const uint32_t *saturated;
    uint32_t *done;
};

template <class Cost> static void enqueue_level(gpu_call &call, const prune_run<Cost> &run, uint32_t level)
{
    const schedule_level &begin = run.schedule.level[level], &end = run.schedule.level[level + 1];
    const uint64_t arcs = end.relax - begin.relax, units = end.unit - begin.unit;
    const triangle_division division = divide_triangles(arcs, call.gpu->processor_count);
    call.run("relaxing triangles", {blocks_of<uint64_t>(division.warps, PRUNE_WARPS), PRUNE_BLOCK},
             relax_triangles<Cost>, run.schedule.view(), run.schedule.relax_arc.get() + begin.relax, arcs,
             division, run.saturated, run.basic, run.least);
    call.run(
        "relaxing slices",
        {blocks_of<uint64_t>(units, PRUNE_WARPS), PRUNE_BLOCK, PRUNE_WARPS * 2 * SLICE_MATRIX * sizeof(Cost)},
        relax_slices<Cost>, run.schedule.view(), begin.unit, units, run.saturated, run.basic, run.least,
        run.done);
}

template <class Cost>
void enqueue_perfect(gpu_call &call, const gpu_map &map, const gpu_schedule &schedule,
                     const both_costs<Cost> *basic, both_costs<Cost> *least)
{
    gpu_array<uint32_t> saturated(call, 1, "allocating flags"),
        done(call, schedule.unit.count(), "allocating counts of units");
    gpu_fill_all(call, 0, "clearing flags", saturated, done);
    call.copy(least, basic, map.up_count, "copying costs");
    if constexpr (std::is_same<Cost, uint64_t>::value)
        call.run("looking for saturated costs", one_thread_each(map.up_count), find_saturated, map.up_count,
                 basic, saturated.get());
    const prune_run<Cost> run = {schedule, basic, least, saturated.get(), done.get()};
    for (uint32_t level = schedule.level_count; level-- > 0;) enqueue_level(call, run, level);
}

template decltype(enqueue_perfect<uint32_t>) enqueue_perfect<uint32_t>;
template decltype(enqueue_perfect<uint64_t>) enqueue_perfect<uint64_t>;
