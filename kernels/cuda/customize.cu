/* customize.cu - basic customization: the least costs of paths through lower nodes. CPU twin:
 * kernels/cpu/customize.c.
 *
 * Method. Upward arcs begin with their input arcs' weights. Then, level of slices by level (schedule.h) from
 * the bottom: gather the triangles whose bottoms lie below the level and whose mids are in it, then those
 * within its slices. A slice's own nodes are eliminated as a small matrix; its columns do not touch each
 * other, so a thread takes one column and holds its costs at all of the slice's nodes.
 * Races: none but for minima. Gathering reads arcs of finished levels. A slice's units each eliminate its
 * matrix, and may read it while the first writes it: any mix of old and new costs gives the same new ones.
 * Limit. Two launches a level; within the large levels, the traffic between multiprocessors and L2. */
#include "kernels/cuda/customize.h"

#include "kernels/cuda/slice.h"

enum {
    CUSTOMIZE_BLOCK = 256,
    CUSTOMIZE_WARPS = CUSTOMIZE_BLOCK / WARP,
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

/* The ways y-x-z and z-x-y. */
template <class Cost> struct gather_action {
    both_costs<Cost> *cost;
    __device__ both_costs<Cost> load(uint32_t xy, uint32_t xz) const
    {
        const both_costs<Cost> x_y = cost[xy], x_z = cost[xz];
        return {cost_add(x_y.backward, x_z.forward), cost_add(x_z.backward, x_y.forward)};
    }
    __device__ void relax(const both_costs<Cost> &way, uint32_t, uint32_t, uint32_t yz) const
    {
        const both_costs<Cost> known = cost[yz];
        relax_to(&cost[yz].forward, known.forward, way.forward);
        relax_to(&cost[yz].backward, known.backward, way.backward);
    }
};

/* One warp a part of the triangles of division.arcs_per_warp arcs. */
template <class Cost>
static __global__ void gather(schedule_view schedule, const uint32_t *arc, uint64_t arc_count,
                              triangle_division division, both_costs<Cost> *cost)
{
    const uint64_t warp = thread_index() / WARP;
    const unsigned lane = threadIdx.x % WARP;
    if (warp >= division.warps) return;
    const uint64_t i = warp / division.parts * division.arcs_per_warp + lane;
    const bool is_there = lane < division.arcs_per_warp && i < arc_count;
    for_triangles(schedule.hierarchy.up_head, load_sides(schedule, is_there ? arc[i] : 0, is_there),
                  (uint32_t)(warp % division.parts) * WARP, division.parts * WARP, gather_action<Cost>{cost});
}

/* From the last node to the first, ways through it between those before it. */
template <class Cost> static __device__ void eliminate_matrix(uint32_t width, Cost *matrix)
{
    for (uint32_t v = width - 1; v > 1; --v) {
        for (uint32_t i = threadIdx.x % WARP; i < v * SLICE_WIDTH; i += WARP) {
            const uint32_t x = i / SLICE_WIDTH, y = i % SLICE_WIDTH;
            if (y < v)
                matrix[i] = cost_relax(matrix[i], matrix[x * SLICE_WIDTH + v], matrix[v * SLICE_WIDTH + y]);
        }
        __syncwarp();
    }
}

/* at[i]: one column's costs at the slice's i-th node, on entry as `column` has them; stored there. */
template <class Cost>
static __device__ void eliminate_column(const slice_view &slice, const Cost *matrix,
                                        both_costs<Cost> (&at)[SLICE_WIDTH], both_costs<Cost> *column)
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
#pragma unroll
    for (uint32_t i = 0; i + 1 < SLICE_WIDTH; ++i)
        if (i + 1 < slice.width) column[slice.row(i)] = at[i];
}

/* One warp a unit. Shared memory: CUSTOMIZE_WARPS matrices. */
template <class Cost>
static __global__ void __launch_bounds__(CUSTOMIZE_BLOCK)
    eliminate_slices(schedule_view schedule, uint64_t first_unit, uint64_t unit_count, both_costs<Cost> *cost)
{
    MCD_SHARED(Cost, matrices);
    const uint64_t warp = thread_index() / WARP;
    if (warp >= unit_count) return;
    const slice_unit unit = schedule.unit[first_unit + warp];
    const slice_view slice = slice_of(schedule, unit.slice);
    const uint32_t column = unit.chunk * WARP + threadIdx.x % WARP;
    Cost *const matrix = matrices + threadIdx.x / WARP * SLICE_MATRIX;
    both_costs<Cost> at[SLICE_WIDTH];
    if (column < slice.columns) load_column(slice, cost + column, at); /* early: fetched meanwhile */
    load_matrix(slice, cost, matrix);
    eliminate_matrix(slice.width, matrix);
    if (unit.chunk == 0) store_matrix(slice, matrix, cost);
    if (column < slice.columns) eliminate_column(slice, matrix, at, cost + column);
}

template <class Cost>
static macadam_status enqueue_level(gpu_call &call, const gpu_schedule &schedule, uint32_t level,
                                    both_costs<Cost> *cost)
{
    const schedule_level &begin = schedule.level[level], &end = schedule.level[level + 1];
    const uint64_t arcs = end.gather - begin.gather, units = end.unit - begin.unit;
    const triangle_division division = divide_triangles(arcs, call.gpu->processor_count);
    CUDA_TRY(call,
             launch({blocks_of<uint64_t>(division.warps, CUSTOMIZE_WARPS), CUSTOMIZE_BLOCK, 0, call.stream},
                    gather<Cost>, schedule.view(), (const uint32_t *)schedule.gather_arc.get() + begin.gather,
                    arcs, division, cost),
             "gathering triangles");
    CUDA_TRY(call,
             launch({blocks_of<uint64_t>(units, CUSTOMIZE_WARPS), CUSTOMIZE_BLOCK,
                     CUSTOMIZE_WARPS * SLICE_MATRIX * sizeof(Cost), call.stream},
                    eliminate_slices<Cost>, schedule.view(), begin.unit, units, cost),
             "eliminating slices");
    return MACADAM_OK;
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
