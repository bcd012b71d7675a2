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

/* Each triangle's upper arcs are relaxed by way of each other: x-y-z, z-y-x, x-z-y, y-z-x. */

/* A block's threads take SINGLES triangles each, of `count` from `first` on. */
template <class Cost>
static __device__ void relax_singles(const single_triangle *first, uint64_t count, uint64_t block,
                                     const uint32_t *saturated, const both_costs<Cost> *basic,
                                     both_costs<Cost> *least)
{
    const uint64_t begin = block * LEVEL_BLOCK * SINGLES + threadIdx.x;
    single_triangle triangle[SINGLES];
    both_costs<Cost> y_z[SINGLES], known_y[SINGLES], known_z[SINGLES];
#pragma unroll
    for (uint64_t k = 0; k < SINGLES; ++k) triangle[k] = first[min(begin + k * LEVEL_BLOCK, count - 1)];
    await_launch_before();
    if (*saturated) return;
#pragma unroll
    for (uint64_t k = 0; k < SINGLES; ++k) {
        y_z[k] = least[triangle[k].yz];
        known_y[k] = least[triangle[k].xy];
        known_z[k] = least[triangle[k].xz];
    }
#pragma unroll
    for (uint64_t k = 0; k < SINGLES; ++k) {
        const both_costs<Cost> x_y = basic[triangle[k].xy], x_z = basic[triangle[k].xz];
        both_costs<Cost> *const to_y = least + triangle[k].xy, *const to_z = least + triangle[k].xz;
        relax_to(&to_z->forward, known_z[k].forward, cost_add(x_y.forward, y_z[k].forward));
        relax_to(&to_z->backward, known_z[k].backward, cost_add(y_z[k].backward, x_y.backward));
        relax_to(&to_y->forward, known_y[k].forward, cost_add(x_z.forward, y_z[k].backward));
        relax_to(&to_y->backward, known_y[k].backward, cost_add(y_z[k].forward, x_z.backward));
    }
}

/* A tile's mids in shared memory: basic[node * TILE_MIDS + mid], then the least costs. */
template <class Shape> static constexpr uint32_t MIDS_COSTS = 2 * Shape::WIDTH *TILE_MIDS;

template <class Shape, class Cost>
static __device__ void load_mids(const slice_view &slice, uint32_t first_mid, const both_costs<Cost> *basic,
                                 const both_costs<Cost> *least, both_costs<Cost> *mid)
{
    for (uint32_t i = Shape::lane(); i < Shape::WIDTH * TILE_MIDS; i += Shape::LANES) {
        const uint32_t v = i / TILE_MIDS, column = first_mid + i % TILE_MIDS;
        both_costs<Cost> x_y = {cost_unreached<Cost>(), cost_unreached<Cost>()}, known = x_y;
        if (v < slice.width && column < slice.columns) {
            x_y = basic[slice.row(v) + column];
            known = least[slice.row(v) + column];
        }
        mid[i] = x_y;
        mid[Shape::WIDTH * TILE_MIDS + i] = known;
    }
    __syncwarp();
}

/* All threads of the warp; Shape::LANES of them have the same tile, each one of its tops. */
template <class Shape, class Cost>
static __device__ void relax_tile(const slice_tile &tile, const uint32_t *all_ways, both_costs<Cost> *memory,
                                  const uint32_t *saturated, const both_costs<Cost> *basic,
                                  both_costs<Cost> *least)
{
    const slice_view &slice = tile.slice;
    const uint32_t first_mid = tile.mid * TILE_MIDS, top = tile.top * Shape::LANES + Shape::lane();
    both_costs<Cost> *const mid = memory + threadIdx.x % WARP / Shape::LANES * MIDS_COSTS<Shape>;
    uint32_t way[TILE_MIDS];
    both_costs<Cost> x_z[Shape::WIDTH], known[Shape::WIDTH], at[Shape::WIDTH], y_z[TILE_MIDS];
    fetch_ways(tile, top, all_ways, way);
    await_launch_before();
    if (*saturated) return;
    take_column(slice, top, basic, x_z);
    take_column(slice, top, (const both_costs<Cost> *)least, known);
#pragma unroll
    for (uint32_t i = 0; i < TILE_MIDS; ++i) {
        y_z[i] = {cost_unreached<Cost>(), cost_unreached<Cost>()};
        if (way[i] != NO_WAY) y_z[i] = least[way[i]];
    }
    load_mids<Shape>(slice, first_mid, basic, (const both_costs<Cost> *)least, mid);
#pragma unroll
    for (uint32_t v = 0; v < Shape::WIDTH; ++v) {
        at[v] = known[v];
#pragma unroll
        for (uint32_t i = 0; i < TILE_MIDS; ++i) {
            const both_costs<Cost> x_y = mid[v * TILE_MIDS + i],
                                   known_y = mid[(Shape::WIDTH + v) * TILE_MIDS + i];
            both_costs<Cost> *const to_y = least + (slice.row(v) + first_mid + i);
            at[v].forward = cost_relax(at[v].forward, x_y.forward, y_z[i].forward);
            at[v].backward = cost_relax(at[v].backward, y_z[i].backward, x_y.backward);
            relax_to(&to_y->forward, known_y.forward, cost_add(x_z[v].forward, y_z[i].backward));
            relax_to(&to_y->backward, known_y.backward, cost_add(y_z[i].forward, x_z[v].backward));
        }
        both_costs<Cost> *const to_z = least + (slice.row(v) + top);
        relax_to(&to_z->forward, known[v].forward, at[v].forward);
        relax_to(&to_z->backward, known[v].backward, at[v].backward);
    }
}

enum { WARP_MIDS = MIDS_COSTS<small_tile> * (WARP / small_tile::LANES) };
static_assert(MIDS_COSTS<tile_shape<SLICE_WIDTH, WARP>> <= WARP_MIDS, "the memory of a warp's tiles");

/* One warp per tile, small_tile::LANES threads per small one, SINGLES single triangles per thread. Shared
 * memory: WARP_MIDS per warp. */
template <class Cost>
static __global__ void __launch_bounds__(LEVEL_BLOCK)
    relax_triangles(schedule_view schedule, level_work work, const uint32_t *saturated,
                    const both_costs<Cost> *basic, both_costs<Cost> *least)
{
    MCD_SHARED(both_costs<Cost>, all_memory);
    both_costs<Cost> *const memory = all_memory + threadIdx.x / WARP * WARP_MIDS;
    uint64_t block = blockIdx.x;
    let_next_launch_begin();
    if (block < work.tile_blocks) {
        const uint64_t i = block * LEVEL_WARPS + threadIdx.x / WARP;
        if (i >= work.tile_count) return;
        const slice_tile tile = schedule.tile[work.tile + i];
        if (tile.slice.width <= SMALL_WIDTH)
            relax_tile<tile_shape<SMALL_WIDTH, WARP>>(tile, schedule.way, memory, saturated, basic, least);
        else
            relax_tile<tile_shape<SLICE_WIDTH, WARP>>(tile, schedule.way, memory, saturated, basic, least);
    } else if ((block -= work.tile_blocks) < work.small_blocks) {
        const uint64_t i = (block * LEVEL_BLOCK + threadIdx.x) / small_tile::LANES;
        slice_tile tile = {{0, 0, 0}, 0, 0, 0};
        if (i < work.small_count) tile = schedule.small[work.small + i];
        relax_tile<small_tile>(tile, schedule.way, memory, saturated, basic, least);
    } else {
        relax_singles(schedule.single + work.single, work.single_count, block - work.small_blocks, saturated,
                      basic, least);
    }
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
    take_column(slice, column, (const both_costs<Cost> *)least, at);
    take_column(slice, column, basic, way);
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
    let_next_launch_begin();
    if (warp >= unit_count) return;
    const slice_unit unit = schedule.unit[first_unit + warp];
    const slice_view slice = slice_of(schedule, unit.slice);
    const uint32_t column = unit.chunk * WARP + threadIdx.x % WARP;
    Cost *const matrix = matrices + threadIdx.x / WARP * 2 * SLICE_MATRIX, *const offered =
                                                                               matrix + SLICE_MATRIX;
    await_launch_before();
    if (*saturated) return;
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
    const uint64_t units = end.unit - begin.unit;
    const level_work work = work_of(begin, end);
    launch_shape triangles = {work.blocks(), LEVEL_BLOCK, LEVEL_WARPS * WARP_MIDS * sizeof(both_costs<Cost>),
                              call.stream},
                 slices = {blocks_of<uint64_t>(units, PRUNE_WARPS), PRUNE_BLOCK,
                           PRUNE_WARPS * 2 * SLICE_MATRIX * sizeof(Cost), call.stream};
    triangles.early = slices.early = call.gpu->launches_early;
    call.run("relaxing triangles", triangles, relax_triangles<Cost>, run.schedule.view(), work, run.saturated,
             run.basic, run.least);
    call.run("relaxing slices", slices, relax_slices<Cost>, run.schedule.view(), begin.unit, units,
             run.saturated, run.basic, run.least, run.done);
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
