/* rows.cu - see rows.h. CPU twin: kernels/cpu/frontier/near_far.c.
 *
 * Method. One cooperative launch finds the trees of up to 32 lanes by rounds. A round relaxes all the arcs of
 * the nodes that fell in the round before, in any lane. A warp has one lane per thread: it reads an arc once
 * and relaxes it for all lanes. (Bellman 1958, with a frontier; several sources together: Then et al. 2014)
 * Searches one after the other read all the arcs again for each lane, and wait for each other's barriers.
 * Layout. A node's costs lie side by side, one line of 128 bytes for single costs. The list of a round has
 * parts: a node and the first of up to PART_ARCS of its arcs, so that many warps share a hub.
 * Why it is right. A warp that lowers a cost lists the node for the next round, unless the node is listed
 * there. So after the last round no arc is left that would lower a cost.
 * Grid    all blocks that can run concurrently: a warp per part, in strides.
 * Races   costs fall only by atomicMin. A bit of `listed`, set by atomicOr, decides which warp lists a node.
 *         The bits that a round sets are cleared in the next round, which sets those of the other array.
 * Limit   a line of costs per arc and round. Lines of hubs are in the second-level cache. */
#include "kernels/cuda/frontier/rows.h"

#include "kernels/cuda/device/grid.h"
#include "kernels/cuda/frontier/falling.h"

enum {
    ROWS_BLOCK = 512,
    ROWS_EACH = 4,        /* blocks per multiprocessor, at most */
    PART_ARCS = 256,      /* arcs of a part */
    ARCS_AT_ONCE = 8,     /* lines that a warp loads before it uses the first */
    ROWS_LEAST = 8,       /* lanes; fewer are searched one after the other */
    ROWS_DEGREE = 8,      /* arcs per node, on average: more than this */
    ROWS_NODES = 1 << 13, /* on smaller graphs a search per block is faster (tests/bench/papers, RMAT) */
};
static_assert((int)ROW_LANES == (int)WARP, "a thread of a warp has a lane");

template <class Cost> struct rows_search : rows_arrays {
    side_view side;
    mcd_sssp_job asked;
    Cost *dist; /* `cost` */
};

/* A warp's work in a search. */
template <class Cost> class rows_warp
{
  public:
    __device__ explicit rows_warp(const rows_search<Cost> &the_search)
        : search(the_search), barrier(&the_search.state->arrived), lane(threadIdx.x % WARP)
    {
    }

    __device__ void run()
    {
        if (thread_index() < WARP) seed();
        barrier.wait();
        for (unsigned count; (count = __ldcg(&search.state->count[(round + 1) % 3])) > 0;) {
            ++round;
            if (thread_index() == 0) search.state->count[(round + 2) % 3] = 0;
            const unsigned warps = gridDim.x * (blockDim.x / WARP);
            for (unsigned i = (unsigned)(thread_index() / WARP); i < count; i += warps)
                relax_part(__ldcg((round % 2 ? search.part[1] : search.part[0]) + i));
            barrier.wait();
        }
    }

  private:
    /* Lists the seeds' nodes for round 1. */
    __device__ void seed()
    {
        bool more = lane < search.asked.lane_count;
        for (uint32_t s = 0; s < MCD_SEEDS_MAX; ++s) {
            mcd_seed from = {MCD_NODE_NONE, 0, 0};
            if (more) from = search.asked.lane[lane].seed[s];
            more = from.node != MCD_NODE_NONE; /* else it was the lane's last */
            const bool is = more && from.objective <= search.asked.limit;
            if (is) lower_cost(row_of(from.node), cost_of<Cost>(from.objective, from.companion));
            for (unsigned left = __ballot_sync(WARP_ALL, is); left; left &= left - 1)
                list(__shfl_sync(WARP_ALL, from.node, __ffs((int)left) - 1));
        }
    }

    __device__ Cost *row_of(mcd_node node) const
    {
        return search.dist + (size_t)node * ROW_LANES + lane;
    }

    /* Lists the node for the next round, once. All lanes, with the same node. */
    __device__ void list(mcd_node node)
    {
        const unsigned next = (round + 1) % 2;
        const uint32_t bit = 1u << node % WARP;
        uint32_t *const word = (next ? search.listed[1] : search.listed[0]) + node / WARP;
        if (__shfl_sync(WARP_ALL, __ldcg(word), 0) & bit) return;
        uint32_t first = 0, parts = 0;
        if (lane == 0 && !(atomicOr(word, bit) & bit)) {
            parts = blocks_of(search.side.degree(node), (uint32_t)PART_ARCS);
            first = atomicAdd(&search.state->count[(round + 1) % 3], parts);
        }
        parts = __shfl_sync(WARP_ALL, parts, 0);
        first = __shfl_sync(WARP_ALL, first, 0);
        for (uint32_t i = lane; i < parts; i += WARP)
            (next ? search.part[1] : search.part[0])[first + i] =
                (uint64_t)(search.side.first[node] + i * PART_ARCS) << 32 | node;
    }

    __device__ void relax_part(uint64_t part)
    {
        const mcd_node node = (mcd_node)part;
        const uint32_t first = (uint32_t)(part >> 32),
                       end = min(first + PART_ARCS, search.side.first[node + 1]);
        const uint32_t bit = 1u << node % WARP;
        if (lane == 0 && first == search.side.first[node])
            atomicAnd((round % 2 ? search.listed[1] : search.listed[0]) + node / WARP, ~bit);
        const Cost from = load_cost(row_of(node));
        for (uint32_t base = first; base < end; base += WARP) {
            const uint32_t arc = min(base + lane, end - 1);
            const mcd_node head = search.side.head[arc];
            const Cost weight = search.side.template weight<Cost>(arc);
            relax_arcs(from, head, weight, min(end - base, (uint32_t)WARP));
        }
    }

    /* Relaxes `count` arcs, of which each thread holds one. */
    __device__ void relax_arcs(Cost from, mcd_node head, Cost weight, unsigned count)
    {
        const mcd_weight limit = search.asked.limit;
        const bool reached = cost_objective(from) <= limit;
        for (unsigned base = 0; base < count; base += ARCS_AT_ONCE) {
            mcd_node to[ARCS_AT_ONCE];
            Cost at[ARCS_AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < ARCS_AT_ONCE; ++k) {
                to[k] = __shfl_sync(WARP_ALL, head, (int)min(base + k, count - 1));
                at[k] = load_cost(row_of(to[k]));
            }
#pragma unroll
            for (unsigned k = 0; k < ARCS_AT_ONCE; ++k) {
                const Cost sum = cost_add(from, __shfl_sync(WARP_ALL, weight, (int)min(base + k, count - 1)));
                bool falls = reached && sum < at[k] && cost_objective(sum) <= limit;
                if (falls) falls = sum < lower_cost(row_of(to[k]), sum);
                if (__any_sync(WARP_ALL, falls)) list(to[k]);
            }
        }
    }

    const rows_search<Cost> &search;
    grid_barrier barrier;
    const unsigned lane;
    unsigned round = 0;
};

template <class Cost>
static __global__ void __launch_bounds__(ROWS_BLOCK)
    search_rows(__grid_constant__ const rows_search<Cost> search)
{
    rows_warp<Cost>(search).run();
}

/* Writes the answers by tiles of 32 columns: reads a line of a node, writes a line of a lane.
 * Grid    a block of 32 x 8 threads per tile. */
enum { TILE_BLOCK = 256 };

template <class Cost>
static __global__ void __launch_bounds__(TILE_BLOCK)
    answer_rows(__grid_constant__ const rows_search<Cost> search)
{
    __shared__ Cost tile[WARP][WARP + 1];
    const mcd_sssp_job &asked = search.asked;
    const unsigned x = threadIdx.x % WARP, y = threadIdx.x / WARP;
    const size_t first = (size_t)blockIdx.x * WARP;
    for (unsigned c = y; c < WARP && first + c < asked.column_count; c += TILE_BLOCK / WARP) {
        const size_t node = asked.column ? asked.column[first + c] : first + c;
        tile[c][x] = search.dist[node * ROW_LANES + x];
    }
    __syncthreads();
    for (unsigned of = y; of < asked.lane_count; of += TILE_BLOCK / WARP) {
        if (first + x >= asked.column_count) return;
        const size_t at = of * asked.lane_stride + first + x;
        answer_cost(tile[x][of], asked.limit, asked.raw, asked.objective ? asked.objective + at : nullptr,
                    asked.companion ? asked.companion + at : nullptr);
    }
}

/* ---- the host's side ---- */

bool rows_pay(const gpu_arcs &arcs, size_t lane_count)
{
    return lane_count >= ROWS_LEAST && arcs.node_count >= ROWS_NODES &&
           arcs.arc_count > (uint64_t)ROWS_DEGREE * arcs.node_count;
}

void rows_arrays::lay_out(gpu_carver &carver, const gpu_arcs &arcs, bool joint)
{
    const size_t nodes = arcs.node_count, words = blocks_of<size_t>(nodes, WARP);
    const size_t part_count = nodes + arcs.arc_count / PART_ARCS + 1;
    carver.take(&cost, nodes * ROW_LANES * (joint ? sizeof(uint64_t) : sizeof(uint32_t)), &state, 1,
                &listed[0], words, &listed[1], words, &part[0], part_count, &part[1], part_count);
}

template <class Cost>
static void enqueue(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, const rows_arrays &arrays)
{
    const size_t cost_bytes = (size_t)arcs.node_count * ROW_LANES * sizeof(Cost);
    const size_t list_bytes = (char *)arrays.part[0] - (char *)arrays.state;
    const rows_search<Cost> search = {arrays, arcs.view(job.direction), job, (Cost *)arrays.cost};
    call.fill(arrays.cost, 0xff, cost_bytes, "clearing costs");
    call.fill((char *)arrays.state, 0, list_bytes, "clearing lists");
    call.run_grid("searching rows", {blocks_of<uint64_t>(arcs.node_count, ROWS_BLOCK / WARP), ROWS_BLOCK},
                  ROWS_EACH, search_rows<Cost>, search);
    call.run("answering rows", {blocks_of<uint64_t>(job.column_count, WARP), TILE_BLOCK}, answer_rows<Cost>,
             search);
}

void enqueue_rows(gpu_call &call, const gpu_arcs &arcs, const mcd_sssp_job &job, const rows_arrays &arrays)
{
    job.companion ? enqueue<uint64_t>(call, arcs, job, arrays) : enqueue<uint32_t>(call, arcs, job, arrays);
}
