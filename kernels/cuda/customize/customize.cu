/* customize.cu - basic customization: the least costs of paths through lower nodes. CPU twin:
 * kernels/cpu/customize/customize.c.
 *
 * Method. Upward arcs begin with their input arcs' weights. Then, level of slices by level (schedule.h) from
 * the bottom up, each slice finishes its own arcs and offers the costs of its nodes' triangles to the arcs
 * above. One launch does a level: slices of a level are independent, and offers go to higher levels. Slices
 * of at least two nodes are done by tiles. A warp, or a part of one, eliminates the slice's own nodes as a
 * small matrix in registers. Columns are independent, so a thread takes one and holds its costs at all of the
 * slice's nodes. Then the least cost over the slice is found between each of the tile's mids and each
 * thread's top, and offered once. Slices of one node have nothing to eliminate: a thread takes single
 * triangles.
 * Launches of levels begin early: they fetch the schedule's lists while the level before is being finished.
 * Races. Only minima. A slice's tiles each eliminate its matrix and columns, and one may read costs while
 * another writes them: any mix of old and new costs gives the same new ones.
 * Limit. In narrow levels, which are most: the latency of a launch, of loads, of the matrix and the columns.
 * In large levels: the traffic between multiprocessors and L2. After new weights on 1 % of NE's arcs, drawn
 * at random, 93 % of its triangles could change, so there is no search for those that do not. */
#include "kernels/cuda/customize/customize.h"

#include "kernels/cuda/customize/slice.h"

template <class Cost> static __global__ void clear_costs(uint64_t up_count, both_costs<Cost> *cost)
{
    const uint64_t up = thread_index();
    if (up < up_count) cost[up] = {cost_unreached<Cost>(), cost_unreached<Cost>()};
}

/* One thread per input arc. */
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

/* A block's threads take SINGLES triangles each, of `count` from `first` on, and relax the paths y-x-z and
 * z-x-y. */
template <class Cost>
static __device__ void relax_singles(const single_triangle *first, uint64_t count, uint64_t block,
                                     both_costs<Cost> *cost)
{
    const uint64_t begin = block * LEVEL_BLOCK * SINGLES + threadIdx.x;
    single_triangle triangle[SINGLES];
    both_costs<Cost> x_y[SINGLES], x_z[SINGLES], known[SINGLES];
#pragma unroll
    for (uint64_t k = 0; k < SINGLES; ++k) triangle[k] = first[min(begin + k * LEVEL_BLOCK, count - 1)];
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

/* The memory of a warp's tile or small tiles. */
static constexpr uint32_t SMALL_COSTS = WARP / small_tile::LANES * small_tile::COSTS,
                          TILE_COSTS = tile_shape<SLICE_WIDTH, WARP>::COSTS,
                          WARP_COSTS = SMALL_COSTS > TILE_COSTS ? SMALL_COSTS : TILE_COSTS;

/* The arc between two nodes of a slice. */
static __device__ uint32_t arc_among(const slice_view &slice, uint32_t x, uint32_t y)
{
    return slice.row(max(x, y)) + slice.columns + min(x, y);
}

template <class Shape, class Cost>
static __device__ void load_among(const slice_view &slice, const both_costs<Cost> *cost,
                                  Cost (&from)[Shape::ROWS])
{
    const uint32_t y = Shape::node();
#pragma unroll
    for (uint32_t k = 0; k < Shape::ROWS; ++k) {
        const uint32_t x = Shape::row(k);
        from[k] = x == y ? 0 : cost_unreached<Cost>();
        if (x == y || max(x, y) >= slice.width) continue;
        const both_costs<Cost> *const arc = cost + arc_among(slice, x, y);
        from[k] = x > y ? arc->forward : arc->backward;
    }
}

/* Relaxes the paths through each node between the nodes before it, from the last node to the first. */
template <class Shape, class Cost>
static __device__ void eliminate_among(uint32_t width, Cost (&from)[Shape::ROWS])
{
    const uint32_t y = Shape::node();
#pragma unroll
    for (uint32_t v = Shape::WIDTH - 1; v > 1; --v) {
        if (Shape::LANES == WARP && v >= width) continue; /* true in the warp's only tile */
        const Cost v_y = Shape::share(from, v, y);
#pragma unroll
        for (uint32_t k = 0; k * Shape::GROUPS < v; ++k) {
            const Cost x_v = Shape::share_row(from, k, v);
            if (Shape::row(k) < v && y < v) from[k] = cost_relax(from[k], x_v, v_y);
        }
    }
}

/* Writes the costs to shared memory; one of the slice's tiles writes them to the arcs as well. */
template <class Shape, class Cost>
static __device__ void store_among(const slice_view &slice, const Cost (&from)[Shape::ROWS], bool to_arcs,
                                   both_costs<Cost> *among, both_costs<Cost> *cost)
{
    const uint32_t y = Shape::node();
#pragma unroll
    for (uint32_t k = 0; k < Shape::ROWS; ++k) {
        const uint32_t x = Shape::row(k);
        if (x == y) continue;
        both_costs<Cost> *const kept = among + max(x, y) * Shape::WIDTH + min(x, y);
        *(x > y ? &kept->forward : &kept->backward) = from[k];
        if (!to_arcs || max(x, y) >= slice.width) continue;
        both_costs<Cost> *const arc = cost + arc_among(slice, x, y);
        *(x > y ? &arc->forward : &arc->backward) = from[k];
    }
    __syncwarp();
}

template <uint32_t WIDTH, class Cost>
static __device__ void eliminate_column(const both_costs<Cost> *among, both_costs<Cost> (&at)[WIDTH])
{
#pragma unroll
    for (uint32_t v = WIDTH - 1; v > 0; --v)
#pragma unroll
        for (uint32_t i = 0; i < v; ++i) {
            const both_costs<Cost> v_i = among[v * WIDTH + i];
            at[i].forward = cost_relax(at[i].forward, at[v].forward, v_i.backward);
            at[i].backward = cost_relax(at[i].backward, at[v].backward, v_i.forward);
        }
}

template <uint32_t WIDTH, class Cost>
static __device__ void store_column(const slice_view &slice, uint32_t column,
                                    const both_costs<Cost> (&at)[WIDTH], both_costs<Cost> *cost)
{
#pragma unroll
    for (uint32_t v = 0; v + 1 < WIDTH; ++v) /* the last node's costs are already final */
        if (v + 1 < slice.width && column < slice.columns) cost[slice.row(v) + column] = at[v];
}

/* The least costs over the slice's nodes between a mid and a top. */
template <uint32_t WIDTH, class Cost>
static __device__ both_costs<Cost> least_ways(const both_costs<Cost> *mid,
                                              const both_costs<Cost> (&top)[WIDTH])
{
    both_costs<Cost> best = {cost_unreached<Cost>(), cost_unreached<Cost>()};
#pragma unroll
    for (uint32_t v = 0; v < WIDTH; ++v) {
        best.forward = cost_relax(best.forward, mid[v].backward, top[v].forward);
        best.backward = cost_relax(best.backward, top[v].backward, mid[v].forward);
    }
    return best;
}

/* All threads of the warp; Shape::LANES of them have the same tile. */
template <class Shape, class Cost>
static __device__ void customize_tile(const slice_tile &tile, const uint32_t *all_ways,
                                      both_costs<Cost> *memory, both_costs<Cost> *cost)
{
    const uint32_t first_mid = tile.mid * TILE_MIDS, top = tile.top * Shape::LANES + Shape::lane();
    const bool has_mids = first_mid / Shape::LANES == tile.top;                       /* among the tops */
    const uint32_t place = Shape::lane() - (has_mids ? first_mid % Shape::LANES : 0); /* among the mids */
    both_costs<Cost> *const among = memory + threadIdx.x % WARP / Shape::LANES * Shape::COSTS,
                            *const mid = among + Shape::WIDTH * Shape::WIDTH;
    Cost from[Shape::ROWS];
    both_costs<Cost> at[Shape::WIDTH], known[TILE_MIDS];
    uint32_t way[TILE_MIDS];
    fetch_ways(tile, top, all_ways, way);
    await_launch_before();
    load_among<Shape>(tile.slice, cost, from);
    take_column(tile.slice, has_mids ? top : first_mid + Shape::lane(), cost, at);
#pragma unroll
    for (uint32_t i = 0; i < TILE_MIDS; ++i)
        if (way[i] != NO_WAY) known[i] = cost[way[i]]; /* early: the load overlaps */
    eliminate_among<Shape>(tile.slice.width, from);
    store_among<Shape>(tile.slice, from, first_mid == 0, among, cost);
    eliminate_column(among, at);
#pragma unroll
    for (uint32_t v = 0; v < Shape::WIDTH; ++v)
        if (place < TILE_MIDS) mid[place * Shape::STRIDE + v] = at[v];
    if (!has_mids) {
        take_column(tile.slice, top, cost, at);
        eliminate_column(among, at);
    }
    __syncwarp();
    if (first_mid == tile.top * Shape::LANES) store_column(tile.slice, top, at, cost);
#pragma unroll
    for (uint32_t i = 0; i < TILE_MIDS; ++i) {
        if (first_mid + i >= tile.slice.columns) break;
        const both_costs<Cost> best = least_ways(mid + i * Shape::STRIDE, at);
        if (way[i] == NO_WAY) continue;
        relax_to(&cost[way[i]].forward, known[i].forward, best.forward);
        relax_to(&cost[way[i]].backward, known[i].backward, best.backward);
    }
}

/* ---- levels ---- */

template <class Cost>
static __device__ void customize_large(const slice_tile &tile, const uint32_t *all_ways,
                                       both_costs<Cost> *memory, both_costs<Cost> *cost)
{
    if (tile.slice.width <= 4)
        customize_tile<tile_shape<4, WARP>>(tile, all_ways, memory, cost);
    else
        customize_tile<tile_shape<SLICE_WIDTH, WARP>>(tile, all_ways, memory, cost);
}

/* One warp per tile, small_tile::LANES threads per small one, SINGLES single triangles per thread. Shared
 * memory: WARP_COSTS per warp. */
template <class Cost>
static __global__ void __launch_bounds__(LEVEL_BLOCK, sizeof(Cost) == sizeof(uint32_t) ? 8 : 4)
    customize_level(schedule_view schedule, level_work work, both_costs<Cost> *cost)
{
    MCD_SHARED(both_costs<Cost>, all_memory);
    both_costs<Cost> *const memory = all_memory + threadIdx.x / WARP * WARP_COSTS;
    uint64_t block = blockIdx.x;
    let_next_launch_begin();
    if (block < work.tile_blocks) {
        const uint64_t i = block * LEVEL_WARPS + threadIdx.x / WARP;
        if (i < work.tile_count) customize_large(schedule.tile[work.tile + i], schedule.way, memory, cost);
    } else if ((block -= work.tile_blocks) < work.small_blocks) {
        const uint64_t i = (block * LEVEL_BLOCK + threadIdx.x) / small_tile::LANES;
        slice_tile tile = {{0, 0, 0}, 0, 0, 0};
        if (i < work.small_count) tile = schedule.small[work.small + i];
        customize_tile<small_tile>(tile, schedule.way, memory, cost);
    } else {
        relax_singles(schedule.single + work.single, work.single_count, block - work.small_blocks, cost);
    }
}

template <class Cost> void enqueue_clear(gpu_call &call, uint64_t up_count, both_costs<Cost> *cost)
{
    call.run("clearing costs", one_thread_each(up_count), clear_costs<Cost>, up_count, cost);
}

template <class Cost>
void enqueue_customize(gpu_call &call, const gpu_map &map, const gpu_schedule &schedule,
                       const input_weights &weights, both_costs<Cost> *cost)
{
    call.run("taking weights", one_thread_each(map.graph.arc_count), take_inputs<Cost>, map.hierarchy,
             map.graph, schedule.up_of_arc.get(), weights, cost);
    for (uint32_t level = 0; level < schedule.level_count; ++level) {
        const level_work work = work_of(schedule.level[level], schedule.level[level + 1]);
        launch_shape shape = {work.blocks(), LEVEL_BLOCK, LEVEL_WARPS * WARP_COSTS * sizeof *cost,
                              call.stream};
        shape.early = call.gpu->launches_early;
        call.run("customizing slices", shape, customize_level<Cost>, schedule.view(), work, cost);
    }
}

template decltype(enqueue_clear<uint32_t>) enqueue_clear<uint32_t>;
template decltype(enqueue_clear<uint64_t>) enqueue_clear<uint64_t>;
template decltype(enqueue_customize<uint32_t>) enqueue_customize<uint32_t>;
template decltype(enqueue_customize<uint64_t>) enqueue_customize<uint64_t>;
