/* customize.cu - basic customization: the least costs of paths through lower nodes. CPU twin:
 * kernels/cpu/customize.c.
 *
 * Method. Upward arcs begin with their input arcs' weights. Then, level of slices by level (schedule.h) from
 * the bottom, each slice finishes its own arcs and hands on what its nodes' triangles offer to the arcs above.
 * One launch does a level: slices of it have nothing to do with each other, and offers go to higher levels.
 * Slices of at least two nodes, by tiles: a warp eliminates the slice's own nodes as a small matrix in
 * registers; columns do not touch each other, so a thread takes one and holds its costs at all of the slice's
 * nodes; then the least way over the slice is found between each of the tile's mids and each thread's top, and
 * offered once. Nodes that are slices by themselves have nothing to eliminate: a thread takes single triangles.
 * Launches of levels begin early: what the schedule says is fetched while the level before is being finished.
 * Races: none but for minima. A slice's tiles each eliminate its matrix and columns, and may read them while
 * another writes them: any mix of old and new costs gives the same new ones.
 * Limit. Narrow levels (most): the latency of a launch, two loads, the matrix and a tile; large levels, the
 * traffic between multiprocessors and L2. Of NE's triangles 93 % lie in what new weights on 1 % of the arcs,
 * drawn at random, can reach, so nothing looks for the others. */
#include "kernels/cuda/customize.h"

#include "kernels/cuda/slice.h"

enum {
    CUSTOMIZE_BLOCK = 128,
    CUSTOMIZE_WARPS = CUSTOMIZE_BLOCK / WARP,
    SINGLES = 4,    /* triangles of a thread, on their way at the same time */
    KNOWN_MIDS = 4, /* of a tile, whose known costs are on their way at the same time */
};

template <class Cost> static __global__ void clear_costs(uint64_t up_count, both_costs<Cost> *cost)
{
    const uint64_t up = thread_index();
    if (up < up_count) cost[up] = {cost_unreached<Cost>(), cost_unreached<Cost>()};
}

/* One thread an input arc. */
template <class Cost>
static __global__ void take_inputs(mcd_hierarchy hierarchy, mcd_graph graph, const uint32_t *up_of_arc,
                                   input_weights weights, both_costs<Cost> *cost)
{
    const uint64_t arc = thread_index();
    if (arc >= graph.arc_count) return;
    const uint32_t up = up_of_arc[arc];
    if (up == UINT32_MAX || weights.is_closed(arc)) return;
    const bool is_forward = input_direction(hierarchy, graph.head[arc], up) == MCD_FORWARD;
    lower_to(is_forward ? &cost[up].forward : &cost[up].backward, weights.cost<Cost>(arc));
}

/* ---- triangles of one node ---- */

/* A block's threads take SINGLES triangles each, of `count` from `first` on. The ways y-x-z and z-x-y. */
template <class Cost>
static __device__ void relax_singles(const single_triangle *first, uint64_t count, uint64_t block,
                                     both_costs<Cost> *cost)
{
    const uint64_t begin = block * CUSTOMIZE_BLOCK * SINGLES + threadIdx.x;
    single_triangle triangle[SINGLES];
    both_costs<Cost> x_y[SINGLES], x_z[SINGLES], known[SINGLES];
#pragma unroll
    for (uint64_t k = 0; k < SINGLES; ++k) triangle[k] = first[min(begin + k * CUSTOMIZE_BLOCK, count - 1)];
    await_launch_before();
#pragma unroll
    for (uint64_t k = 0; k < SINGLES; ++k) {
        x_y[k] = cost[triangle[k].xy];
        x_z[k] = cost[triangle[k].xz];
        known[k] = cost[triangle[k].yz];
    }
#pragma unroll
    for (uint64_t k = 0; k < SINGLES; ++k) {
        both_costs<Cost> *const y_z = cost + triangle[k].yz;
        relax_to(&y_z->forward, known[k].forward, cost_add(x_y[k].backward, x_z[k].forward));
        relax_to(&y_z->backward, known[k].backward, cost_add(x_z[k].backward, x_y[k].forward));
    }
}

/* ---- slices of several nodes ---- */

/* From the last node to the first, ways through it between those before it. In registers: a thread has of one
 * node y the costs from every other node x. */
template <class Cost> static __device__ void eliminate_matrix(uint32_t width, Cost *matrix)
{
    enum { HALVES = WARP / SLICE_WIDTH, ROWS = SLICE_WIDTH / HALVES };
    const uint32_t y = threadIdx.x % SLICE_WIDTH, half = threadIdx.x % WARP / SLICE_WIDTH;
    Cost from[ROWS]; /* from x = k * HALVES + half */
#pragma unroll
    for (uint32_t k = 0; k < ROWS; ++k) from[k] = matrix[(k * HALVES + half) * SLICE_WIDTH + y];
#pragma unroll
    for (uint32_t v = SLICE_WIDTH - 1; v > 1; --v) {
        if (v >= width) continue;
        const Cost v_y = __shfl_sync(WARP_ALL, from[v / HALVES], (int)(v % HALVES * SLICE_WIDTH + y));
#pragma unroll
        for (uint32_t k = 0; k * HALVES < v; ++k) {
            const Cost x_v = __shfl_sync(WARP_ALL, from[k], (int)(half * SLICE_WIDTH + v));
            if (k * HALVES + half < v && y < v) from[k] = cost_relax(from[k], x_v, v_y);
        }
    }
    __syncwarp();
#pragma unroll
    for (uint32_t k = 0; k < ROWS; ++k) matrix[(k * HALVES + half) * SLICE_WIDTH + y] = from[k];
    __syncwarp();
}

/* at[i]: one column's costs at the slice's i-th node, on entry as they are in `column`. */
template <class Cost>
static __device__ void eliminate_column(const slice_view &slice, const Cost *matrix,
                                        both_costs<Cost> (&at)[SLICE_WIDTH])
{
#pragma unroll
    for (uint32_t v = SLICE_WIDTH - 1; v > 0; --v) {
        if (v >= slice.width) continue;
#pragma unroll
        for (uint32_t i = 0; i < v; ++i) {
            at[i].forward = cost_relax(at[i].forward, at[v].forward, matrix[i * SLICE_WIDTH + v]);
            at[i].backward = cost_relax(at[i].backward, at[v].backward, matrix[v * SLICE_WIDTH + i]);
        }
    }
}

/* A warp's. */
template <class Cost> struct alignas(16) tile_memory {
    both_costs<Cost> mid[TILE_MIDS][SLICE_WIDTH + 2]; /* costs at the slice's nodes; 2: banks of their own */
    Cost matrix[SLICE_MATRIX];
    uint32_t way[TILE_MIDS][WARP]; /* the arc from mid to top; NO_WAY: the top is not before the mid */
};

#define NO_WAY UINT32_MAX /* no upward arc's index: there are fewer */

template <class Cost>
static __device__ void fetch_ways(const schedule_view &schedule, const slice_tile &tile,
                                  const slice_view &slice, tile_memory<Cost> *memory)
{
    const uint32_t lane = threadIdx.x % WARP, z = tile.top * WARP + lane;
#pragma unroll
    for (uint32_t i = 0; i < TILE_MIDS; ++i) {
        const uint32_t y = tile.mid * TILE_MIDS + i;
        memory->way[i][lane] =
            z < y && y < slice.columns ? schedule.way[tile.ways + (uint64_t)y * (y - 1) / 2 + z] : NO_WAY;
    }
}

/* Costs beyond the slice's width are unreached. */
template <class Cost>
static __device__ void take_column(const slice_view &slice, uint32_t column, const both_costs<Cost> *cost,
                                   both_costs<Cost> (&at)[SLICE_WIDTH])
{
#pragma unroll
    for (uint32_t v = 0; v < SLICE_WIDTH; ++v) at[v] = {cost_unreached<Cost>(), cost_unreached<Cost>()};
    if (column < slice.columns) load_column(slice, cost + column, at);
}

template <class Cost>
static __device__ void store_column(const slice_view &slice, uint32_t column,
                                    const both_costs<Cost> (&at)[SLICE_WIDTH], both_costs<Cost> *cost)
{
#pragma unroll
    for (uint32_t v = 0; v + 1 < SLICE_WIDTH; ++v)
        if (v + 1 < slice.width && column < slice.columns) cost[slice.row(v) + column] = at[v];
}

/* The least ways y-v-z and z-v-y over the slice's nodes v. */
template <class Cost>
static __device__ both_costs<Cost> least_ways(const slice_view &slice, const both_costs<Cost> *y,
                                              const both_costs<Cost> (&z)[SLICE_WIDTH])
{
    both_costs<Cost> best = {cost_unreached<Cost>(), cost_unreached<Cost>()};
#pragma unroll
    for (uint32_t v = 0; v < SLICE_WIDTH; ++v) {
        if (v % 2 == 0 && v >= slice.width) break; /* two at a time are fetched */
        best.forward = cost_relax(best.forward, y[v].backward, z[v].forward);
        best.backward = cost_relax(best.backward, z[v].backward, y[v].forward);
    }
    return best;
}

/* at: the costs at this thread's top. */
template <class Cost>
static __device__ void offer_ways(const slice_view &slice, const tile_memory<Cost> &memory, uint32_t mids,
                                  const both_costs<Cost> (&at)[SLICE_WIDTH], both_costs<Cost> *cost)
{
    const uint32_t lane = threadIdx.x % WARP;
    for (uint32_t first = 0; first < mids; first += KNOWN_MIDS) {
        both_costs<Cost> known[KNOWN_MIDS];
#pragma unroll
        for (uint32_t i = 0; i < KNOWN_MIDS; ++i)
            if (memory.way[first + i][lane] != NO_WAY) known[i] = cost[memory.way[first + i][lane]];
#pragma unroll
        for (uint32_t i = 0; i < KNOWN_MIDS; ++i) {
            const both_costs<Cost> offer = least_ways(slice, memory.mid[first + i], at);
            if (memory.way[first + i][lane] == NO_WAY) continue;
            both_costs<Cost> *const y_z = cost + memory.way[first + i][lane];
            relax_to(&y_z->forward, known[i].forward, offer.forward);
            relax_to(&y_z->backward, known[i].backward, offer.backward);
        }
    }
}

/* One warp. */
template <class Cost>
static __device__ void customize_tile(const schedule_view &schedule, const slice_tile &tile,
                                      tile_memory<Cost> *memory, both_costs<Cost> *cost)
{
    const slice_view slice = slice_of(schedule, tile.slice);
    const uint32_t lane = threadIdx.x % WARP, first_mid = tile.mid * TILE_MIDS, top = tile.top * WARP + lane;
    const bool has_mids = first_mid / WARP == tile.top;               /* among the tops */
    const uint32_t place = has_mids ? lane - first_mid % WARP : lane; /* among the mids */
    both_costs<Cost> at[SLICE_WIDTH];
    fetch_ways(schedule, tile, slice, memory);
    await_launch_before();
    take_column(slice, has_mids ? top : first_mid + lane, cost, at); /* early: fetched meanwhile */
    load_matrix(slice, cost, memory->matrix);
    eliminate_matrix(slice.width, memory->matrix);
    eliminate_column(slice, memory->matrix, at);
#pragma unroll
    for (uint32_t v = 0; v < SLICE_WIDTH; ++v)
        if (place < TILE_MIDS) memory->mid[place][v] = at[v];
    if (!has_mids) {
        take_column(slice, top, cost, at);
        eliminate_column(slice, memory->matrix, at);
    }
    __syncwarp();
    if (first_mid == tile.top * WARP) store_column(slice, top, at, cost);
    if (first_mid == 0) store_matrix(slice, memory->matrix, cost);
    offer_ways(slice, *memory, min(slice.columns - min(first_mid, slice.columns), (uint32_t)TILE_MIDS), at,
               cost);
}

/* ---- levels ---- */

/* A level's entries in the lists; tiles have the first blocks. */
struct level_work {
    uint64_t first_tile, tile_count, first_single, single_count;
    uint64_t tile_blocks;
};

/* One warp a tile, SINGLES single triangles a thread. Shared memory: CUSTOMIZE_WARPS tile_memory. */
template <class Cost>
static __global__ void __launch_bounds__(CUSTOMIZE_BLOCK)
    customize_level(schedule_view schedule, level_work work, both_costs<Cost> *cost)
{
    MCD_SHARED(tile_memory<Cost>, memory);
    let_next_launch_begin();
    if (blockIdx.x >= work.tile_blocks) {
        relax_singles(schedule.single + work.first_single, work.single_count, blockIdx.x - work.tile_blocks,
                      cost);
        return;
    }
    const uint64_t tile = thread_index() / WARP;
    if (tile < work.tile_count)
        customize_tile(schedule, schedule.tile[work.first_tile + tile], memory + threadIdx.x / WARP, cost);
}

template <class Cost>
static macadam_status enqueue_level(gpu_call &call, const gpu_schedule &schedule, uint32_t level,
                                    both_costs<Cost> *cost)
{
    const schedule_level &begin = schedule.level[level], &end = schedule.level[level + 1];
    level_work work = {begin.tile, end.tile - begin.tile, begin.single, end.single - begin.single, 0};
    work.tile_blocks = blocks_of<uint64_t>(work.tile_count, CUSTOMIZE_WARPS);
    launch_shape shape = {work.tile_blocks +
                              blocks_of<uint64_t>(work.single_count, CUSTOMIZE_BLOCK * SINGLES),
                          CUSTOMIZE_BLOCK, CUSTOMIZE_WARPS * sizeof(tile_memory<Cost>), call.stream};
    shape.early = call.gpu->launches_early;
    return call.check(launch(shape, customize_level<Cost>, schedule.view(), work, cost),
                      "customizing slices");
}

template <class Cost>
macadam_status enqueue_customize(gpu_call &call, const gpu_map &map, const gpu_schedule &schedule,
                                 const input_weights &weights, both_costs<Cost> *cost)
{
    const uint64_t ups = map.up_count, inputs = map.graph.arc_count;
    CUDA_TRY(call, launch(one_thread_each(call, ups), clear_costs<Cost>, ups, cost), "clearing costs");
    CUDA_TRY(call,
             launch(one_thread_each(call, inputs), take_inputs<Cost>, map.hierarchy, map.graph,
                    (const uint32_t *)schedule.up_of_arc.get(), weights, cost),
             "taking weights");
    for (uint32_t level = 0; level < schedule.level_count; ++level)
        MCD_TRY(enqueue_level(call, schedule, level, cost));
    return MACADAM_OK;
}

template macadam_status enqueue_customize(gpu_call &, const gpu_map &, const gpu_schedule &,
                                          const input_weights &, both_costs<uint32_t> *);
template macadam_status enqueue_customize(gpu_call &, const gpu_map &, const gpu_schedule &,
                                          const input_weights &, both_costs<uint64_t> *);
