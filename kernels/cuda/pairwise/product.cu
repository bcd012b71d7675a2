/* product.cu - the min-plus product of panels. CPU twin: kernels/cpu/pairwise/product.c.
 *
 * Method. The cost from s to t is the least sum of their labels over the depths that they share. If two
 * panels lie apart in the order of the nodes, s and t share the least of three numbers: the depths that s
 * shares with the near end of its own panel, those that the near ends share, and those that t shares with its
 * panel's near end. So the depths below the second number are multiplied, with labels hidden from each
 * member's own limit on. Panels that overlap (about one in each row and column of them) compare the root
 * paths at every depth.
 * Sums do not saturate: labels are at most MCD_UNREACHED in each half, so no sum wraps or carries, and an
 * unreached cost stays at or above MCD_UNREACHED.
 * Layout. A block computes the 128 x 128 cells of two panels; a thread 8 x 8 of them (joint costs: 8 x 4) in
 * registers, in strips of 16 bytes that lie side by side among the threads of a warp: loads of shared memory
 * have no conflicts. Stores are strips of a column's sources, or of a row's answers, so that warps write whole sectors.
 * Eight depths at a time are in shared memory while the next eight are loaded.
 * If there are too few pairs of panels to fill the GPU, several blocks share a pair, each with a part of the depths.
 * Races. None: a block writes its own cells, or lowers them atomically, and barriers separate the uses of shared
 * memory.
 * Limit. One add-min instruction per cell and depth: 16.5 T/s on an H200. Joint costs: two sums, two
 * comparisons, two choices. */
#include "kernels/cuda/pairwise/product.h"

enum {
    THREAD_ROWS = 8, /* sources per thread */
    ROW_THREADS = PANEL / THREAD_ROWS,
    DEPTHS = PANEL_DEPTHS, /* in shared memory at a time */
    WARP_COLUMNS = 8,      /* threads of a warp side by side */
    PART_DEPTHS = 64,      /* at least, of a block that shares its panels with others */
    PARTS_MAX = 8,
};

template <class Cost> struct product_shape {
    static constexpr unsigned STRIP = 16 / sizeof(Cost); /* costs per load */
    static constexpr unsigned THREAD_COLUMNS = sizeof(Cost) == sizeof(uint32_t) ? 8 : 4;
    static constexpr unsigned COLUMN_THREADS = PANEL / THREAD_COLUMNS;
    static constexpr unsigned THREADS = ROW_THREADS * COLUMN_THREADS;
    static constexpr unsigned STRIPS = PANEL / STRIP;    /* per depth of one panel */
    static constexpr unsigned BLOCKS = 512 / THREADS;    /* for which a multiprocessor has registers */
    static constexpr size_t STAGE = 2 * DEPTHS * STRIPS; /* strips of both panels */
    static constexpr size_t SHARED = 2 * STAGE * 16;     /* bytes */
    static_assert(THREADS == DEPTHS * STRIPS, "a thread loads one strip of each panel");
};

template <class Cost> struct alignas(16) cost_strip {
    Cost at[product_shape<Cost>::STRIP];
};

template <class Cost> struct alignas(4 * product_shape<Cost>::STRIP) node_strip {
    mcd_node at[product_shape<Cost>::STRIP];
};

template <class Cost> using cell_block = Cost[THREAD_ROWS][product_shape<Cost>::THREAD_COLUMNS];

/* The places of a thread's cells: strips of rows and of columns, a whole panel's width of threads apart. */
struct thread_place {
    unsigned row, column;
};

template <class Cost> static __device__ thread_place place_of_thread()
{
    constexpr unsigned across = product_shape<Cost>::COLUMN_THREADS / WARP_COLUMNS;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    return {warp / across * (WARP / WARP_COLUMNS) + lane / WARP_COLUMNS,
            warp % across * WARP_COLUMNS + lane % WARP_COLUMNS};
}

static __device__ uint32_t lower(uint32_t best, uint32_t a, uint32_t b)
{
    return __viaddmin_u32(a, b, best);
}

/* Adds the halves separately, because no carry passes between them: by units that comparisons do not need. */
static __device__ uint64_t lower(uint64_t best, uint64_t a, uint64_t b)
{
    const uint32_t objective = cost_objective(a) + cost_objective(b);
    const uint64_t sum = cost_of<uint64_t>(objective, cost_companion(a) + cost_companion(b));
    return sum < best ? sum : best;
}

/* A block's part of the depths. */
struct depth_range {
    uint32_t first, end;
};

static __device__ depth_range part_of(uint32_t depth_count, uint32_t part, uint32_t parts)
{
    const uint32_t even = blocks_of<uint32_t>(blocks_of(depth_count, parts), DEPTHS) * DEPTHS;
    const uint32_t most = parts > 1 ? max(even, (uint32_t)PART_DEPTHS) : depth_count;
    return {min(part * most, depth_count), min((part + 1) * most, depth_count)};
}

/* ---- panels apart ---- */

/* A thread's loads from one panel: its strip of every eighth depth, hidden from each member's limit on. */
template <class Cost> struct strip_source {
    const cost_strip<Cost> *label;
    uint32_t limit[product_shape<Cost>::STRIP];
};

template <class Cost>
static __device__ strip_source<Cost> source_of(const panel_view<Cost> &side, uint32_t panel,
                                               const uint32_t *share, uint32_t common)
{
    constexpr unsigned STRIPS = product_shape<Cost>::STRIPS, STRIP = product_shape<Cost>::STRIP;
    const unsigned strip = threadIdx.x % STRIPS;
    strip_source<Cost> out;
    out.label = (const cost_strip<Cost> *)(side.label + (size_t)panel * side.depth_count * PANEL) + strip;
#pragma unroll
    for (unsigned i = 0; i < STRIP; ++i)
        out.limit[i] = min(share[(size_t)panel * PANEL + strip * STRIP + i], common);
    return out;
}

template <class Cost>
static __device__ cost_strip<Cost> load_strip(const strip_source<Cost> &from, uint32_t depth)
{
    cost_strip<Cost> out = from.label[(size_t)depth * product_shape<Cost>::STRIPS];
#pragma unroll
    for (unsigned i = 0; i < product_shape<Cost>::STRIP; ++i)
        if (depth >= from.limit[i]) out.at[i] = cost_unreached<Cost>();
    return out;
}

/* A thread's labels at a depth: its strips of a line of shared memory. */
template <class Strip, unsigned Count, unsigned Step>
static __device__ void read_strips(Strip (&out)[Count], const Strip *line)
{
#pragma unroll
    for (unsigned k = 0; k < Count; ++k) out[k] = line[k * Step];
}

template <class Cost>
static __device__ void lower_cells(cell_block<Cost> &best, const cost_strip<Cost> *source,
                                   const cost_strip<Cost> *target)
{
    constexpr unsigned STRIP = product_shape<Cost>::STRIP, COLUMNS = product_shape<Cost>::THREAD_COLUMNS;
    cost_strip<Cost> s[THREAD_ROWS / STRIP], t[COLUMNS / STRIP];
    read_strips<cost_strip<Cost>, THREAD_ROWS / STRIP, ROW_THREADS>(s, source);
    read_strips<cost_strip<Cost>, COLUMNS / STRIP, product_shape<Cost>::COLUMN_THREADS>(t, target);
#pragma unroll
    for (unsigned r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (unsigned c = 0; c < COLUMNS; ++c)
            best[r][c] = lower(best[r][c], s[r / STRIP].at[r % STRIP], t[c / STRIP].at[c % STRIP]);
}

/* A stage that is written was last read before the barrier of the round before. */
template <class Cost>
static __device__ void multiply_apart(cell_block<Cost> &best, thread_place place,
                                      const strip_source<Cost> &source, const strip_source<Cost> &target,
                                      depth_range range, cost_strip<Cost> *shared)
{
    using shape = product_shape<Cost>;
    const uint32_t depth = threadIdx.x / shape::STRIPS;
    if (range.first >= range.end) return;
    cost_strip<Cost> s = load_strip(source, range.first + depth), t = load_strip(target, range.first + depth);
    for (uint32_t first = range.first; first < range.end; first += DEPTHS) {
        cost_strip<Cost> *const stage = shared + first / DEPTHS % 2 * shape::STAGE;
        cost_strip<Cost> *const target_stage = stage + DEPTHS * shape::STRIPS;
        stage[threadIdx.x] = s;
        target_stage[threadIdx.x] = t;
        __syncthreads();
        if (first + DEPTHS < range.end) {
            s = load_strip(source, first + DEPTHS + depth);
            t = load_strip(target, first + DEPTHS + depth);
        }
#pragma unroll
        for (unsigned d = 0; d < DEPTHS; ++d)
            lower_cells<Cost>(best, stage + d * shape::STRIPS + place.row,
                              target_stage + d * shape::STRIPS + place.column);
    }
}

/* ---- panels that overlap ---- */

template <class Cost>
static __device__ void lower_common_cells(cell_block<Cost> &best, const cost_strip<Cost> *source,
                                          const cost_strip<Cost> *target, const node_strip<Cost> *source_path,
                                          const node_strip<Cost> *target_path)
{
    constexpr unsigned STRIP = product_shape<Cost>::STRIP, COLUMNS = product_shape<Cost>::THREAD_COLUMNS;
    constexpr unsigned STEP = product_shape<Cost>::COLUMN_THREADS;
    cost_strip<Cost> s[THREAD_ROWS / STRIP], t[COLUMNS / STRIP];
    node_strip<Cost> x[THREAD_ROWS / STRIP], y[COLUMNS / STRIP];
    read_strips<cost_strip<Cost>, THREAD_ROWS / STRIP, ROW_THREADS>(s, source);
    read_strips<cost_strip<Cost>, COLUMNS / STRIP, STEP>(t, target);
    read_strips<node_strip<Cost>, THREAD_ROWS / STRIP, ROW_THREADS>(x, source_path);
    read_strips<node_strip<Cost>, COLUMNS / STRIP, STEP>(y, target_path);
#pragma unroll
    for (unsigned r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (unsigned c = 0; c < COLUMNS; ++c)
            if (x[r / STRIP].at[r % STRIP] == y[c / STRIP].at[c % STRIP])
                best[r][c] = lower(best[r][c], s[r / STRIP].at[r % STRIP], t[c / STRIP].at[c % STRIP]);
}

/* Below their nodes, two places have equal (absent) path entries, and their labels are unreached. */
template <class Cost>
static __device__ void multiply_overlapping(cell_block<Cost> &best, thread_place place,
                                            const panel_view<Cost> &source, uint32_t source_panel,
                                            const panel_view<Cost> &target, uint32_t target_panel,
                                            depth_range range, cost_strip<Cost> *shared)
{
    using shape = product_shape<Cost>;
    const size_t from = (size_t)source_panel * source.depth_count * shape::STRIPS + threadIdx.x;
    const size_t to = (size_t)target_panel * target.depth_count * shape::STRIPS + threadIdx.x;
    cost_strip<Cost> *const target_stage = shared + DEPTHS * shape::STRIPS;
    node_strip<Cost> *const path_stage = (node_strip<Cost> *)(shared + shape::STAGE);
    node_strip<Cost> *const target_path_stage = path_stage + DEPTHS * shape::STRIPS;
    for (uint32_t first = range.first; first < range.end; first += DEPTHS) {
        const size_t skip = (size_t)first * shape::STRIPS;
        __syncthreads(); /* the stage has been read */
        shared[threadIdx.x] = ((const cost_strip<Cost> *)source.label)[from + skip];
        target_stage[threadIdx.x] = ((const cost_strip<Cost> *)target.label)[to + skip];
        path_stage[threadIdx.x] = ((const node_strip<Cost> *)source.path)[from + skip];
        target_path_stage[threadIdx.x] = ((const node_strip<Cost> *)target.path)[to + skip];
        __syncthreads();
#pragma unroll 2
        for (unsigned d = 0; d < DEPTHS; ++d) {
            const unsigned row = d * shape::STRIPS + place.row, column = d * shape::STRIPS + place.column;
            lower_common_cells<Cost>(best, shared + row, target_stage + column, path_stage + row,
                                     target_path_stage + column);
        }
    }
}

/* ---- any two ---- */

/* The number of depths that two places share, by the whole block; `a` and `b`: their paths in their
 * panels. */
static __device__ uint32_t common_of(const mcd_node *a, const mcd_node *b, uint32_t depth_count)
{
    uint32_t common = 0;
    for (uint32_t first = 0; first < depth_count; first += blockDim.x) {
        const uint32_t depth = first + threadIdx.x;
        const mcd_node node = depth < depth_count ? a[(size_t)depth * PANEL] : MCD_NODE_NONE;
        const bool shared = node != MCD_NODE_NONE && node == b[(size_t)depth * PANEL];
        const uint32_t count = (uint32_t)__syncthreads_count(shared);
        common += count;
        if (count < blockDim.x) break; /* below the depth where they part, root paths differ */
    }
    return common;
}

/* `cell`: of the panel's first group of sources and the other panel's first column. is_part: others have costs
 * for the cells, too. */
template <class Cost>
static __device__ void store_cells(const cell_block<Cost> &best, thread_place place, Cost *cell,
                                   size_t columns, bool is_part)
{
    using shape = product_shape<Cost>;
#pragma unroll
    for (unsigned r = 0; r < THREAD_ROWS; r += shape::STRIP) {
        const unsigned row = (r / shape::STRIP * ROW_THREADS + place.row) * shape::STRIP;
        Cost *const group = cell + row / CELL_SOURCES * columns * CELL_SOURCES + row % CELL_SOURCES;
#pragma unroll
        for (unsigned c = 0; c < shape::THREAD_COLUMNS; ++c) {
            const unsigned column =
                (c / shape::STRIP * shape::COLUMN_THREADS + place.column) * shape::STRIP + c % shape::STRIP;
            cost_strip<Cost> strip;
#pragma unroll
            for (unsigned i = 0; i < shape::STRIP; ++i) strip.at[i] = best[r + i][c];
            Cost *const to = group + (size_t)column * CELL_SOURCES;
            if (!is_part) *(cost_strip<Cost> *)to = strip;
#pragma unroll
            for (unsigned i = 0; i < shape::STRIP; ++i)
                if (is_part && strip.at[i] < cost_unreached<Cost>()) lower_to(to + i, strip.at[i]);
        }
    }
}

/* As many answers as a strip has costs. */
template <class Cost> struct alignas(4 * product_shape<Cost>::STRIP) answer_strip {
    uint32_t at[product_shape<Cost>::STRIP];
};

/* Writes the first `count` answers of a strip. */
template <class Cost>
static __device__ void store_strip(uint32_t *to, const answer_strip<Cost> &strip, size_t count)
{
    constexpr unsigned STRIP = product_shape<Cost>::STRIP;
    if (count >= STRIP && (uintptr_t)to % sizeof strip == 0)
        *(answer_strip<Cost> *)to = strip;
    else
        for (unsigned i = 0; i < STRIP && i < count; ++i) to[i] = strip.at[i];
}

/* The rows and columns of a product, and where its answers go. */
struct answer_place {
    size_t rows, columns;
    row_answers answers;
};

/* `first_row`, `first_column`: of the two panels. */
template <class Cost>
static __device__ void store_answers(const cell_block<Cost> &best, thread_place place, size_t first_row,
                                     size_t first_column, const answer_place &out)
{
    using shape = product_shape<Cost>;
#pragma unroll
    for (unsigned r = 0; r < THREAD_ROWS; ++r) {
        const size_t row =
            first_row + (r / shape::STRIP * ROW_THREADS + place.row) * shape::STRIP + r % shape::STRIP;
        if (row >= out.rows) continue;
#pragma unroll
        for (unsigned c = 0; c < shape::THREAD_COLUMNS; c += shape::STRIP) {
            const size_t column =
                first_column + (c / shape::STRIP * shape::COLUMN_THREADS + place.column) * shape::STRIP;
            if (column >= out.columns) continue;
            answer_strip<Cost> strip[2];
#pragma unroll
            for (unsigned i = 0; i < shape::STRIP; ++i)
                answer_cost(best[r][c + i], MCD_WEIGHT_MAX, out.answers.raw, &strip[0].at[i],
                            sizeof(Cost) == 8 ? &strip[1].at[i] : nullptr);
            for (int q = 0; q < 2; ++q)
                if (out.answers.value[q])
                    store_strip<Cost>(out.answers.value[q] + row * out.answers.stride + column, strip[q],
                                      out.columns - column);
        }
    }
}

/* Multiplies a block's pair of panels, or its part of their depths. Returns whether it has any. */
template <class Cost>
static __device__ bool
multiply_pair(cell_block<Cost> &best, thread_place place, const panel_view<Cost> &source, uint32_t i,
              const panel_view<Cost> &target, uint32_t j, uint32_t part, uint32_t parts)
{
    MCD_SHARED(cost_strip<Cost>, shared);
    depth_range range;
    const panel_span s = source.span[i], t = target.span[j];
#pragma unroll
    for (unsigned r = 0; r < THREAD_ROWS; ++r)
#pragma unroll
        for (unsigned c = 0; c < product_shape<Cost>::THREAD_COLUMNS; ++c)
            best[r][c] = cost_unreached<Cost>();
    const bool source_first = s.last <= t.first;
    if (source_first || t.last <= s.first) {
        const mcd_node *const near_source = source.path + (size_t)i * source.depth_count * PANEL;
        const mcd_node *const near_target = target.path + (size_t)j * target.depth_count * PANEL;
        const uint32_t common =
            common_of(near_source + (source_first ? s.last_member : 0),
                      near_target + (source_first ? 0 : t.last_member), source.depth_count);
        range = part_of(common, part, parts);
        multiply_apart<Cost>(
            best, place, source_of(source, i, source_first ? source.with_last : source.with_first, common),
            source_of(target, j, source_first ? target.with_first : target.with_last, common), range, shared);
    } else {
        range = part_of(min(s.depth_count, t.depth_count), part, parts);
        multiply_overlapping<Cost>(best, place, source, i, target, j, range, shared);
    }
    return range.first < range.end;
}

/* Grid  one block per pair of panels, and per part of the depths; blocks side by side share the target's panel. */
template <class Cost>
static __global__ void __launch_bounds__(product_shape<Cost>::THREADS, product_shape<Cost>::BLOCKS)
    multiply_panels(panel_view<Cost> source, uint32_t source_panels, panel_view<Cost> target,
                    uint32_t target_panels, uint32_t parts, Cost *cell)
{
    const uint32_t pair = blockIdx.x / parts, i = pair % source_panels, j = pair / source_panels;
    const size_t columns = (size_t)target_panels * PANEL;
    const thread_place place = place_of_thread<Cost>();
    cell_block<Cost> best;
    const bool has_depths = multiply_pair<Cost>(best, place, source, i, target, j, blockIdx.x % parts, parts);
    if (parts > 1 && !has_depths) return;
    store_cells<Cost>(best, place, cell + (size_t)i * PANEL * columns + (size_t)j * PANEL * CELL_SOURCES,
                      columns, parts > 1);
}

/* Grid  one block per pair of panels, likewise. */
template <class Cost>
static __global__ void __launch_bounds__(product_shape<Cost>::THREADS, product_shape<Cost>::BLOCKS)
    answer_panels(panel_view<Cost> source, uint32_t source_panels, panel_view<Cost> target, answer_place out)
{
    const uint32_t i = blockIdx.x % source_panels, j = blockIdx.x / source_panels;
    const thread_place place = place_of_thread<Cost>();
    cell_block<Cost> best;
    multiply_pair<Cost>(best, place, source, i, target, j, 0, 1);
    store_answers<Cost>(best, place, (size_t)i * PANEL, (size_t)j * PANEL, out);
}

/* How many blocks the GPU runs together. */
template <class Cost> static size_t blocks_together(const gpu_call &call)
{
    return (size_t)call.gpu->processor_count * product_shape<Cost>::BLOCKS;
}

template <class Cost> bool product_fills(const gpu_call &call, size_t source_panels, size_t target_panels)
{
    return 2 * source_panels * target_panels > blocks_together<Cost>(call);
}

template <class Cost>
void enqueue_product(gpu_call &call, const panel_view<Cost> &source, size_t source_panels,
                     const panel_view<Cost> &target, size_t target_panels, Cost *cell)
{
    const size_t pairs = source_panels * target_panels;
    const size_t parts =
        pairs > 0 ? mcd_size_min(mcd_size_max(blocks_together<Cost>(call) / pairs, 1), PARTS_MAX) : 1;
    if (parts > 1) call.fill(cell, 0xff, pairs * PANEL * PANEL, "clearing cells");
    call.run("a product of panels",
             {pairs * parts, product_shape<Cost>::THREADS, product_shape<Cost>::SHARED},
             multiply_panels<Cost>, source, (uint32_t)source_panels, target, (uint32_t)target_panels,
             (uint32_t)parts, cell);
}

template <class Cost>
void enqueue_answers(gpu_call &call, const panel_view<Cost> &source, size_t rows,
                     const panel_view<Cost> &target, size_t columns, const row_answers &answers)
{
    const size_t source_panels = blocks_of<size_t>(rows, PANEL);
    const uint64_t pairs = source_panels * blocks_of<size_t>(columns, PANEL);
    call.run("a product of panels", {pairs, product_shape<Cost>::THREADS, product_shape<Cost>::SHARED},
             answer_panels<Cost>, source, (uint32_t)source_panels, target,
             answer_place{rows, columns, answers});
}

#define INSTANTIATE(Cost)                                                                                    \
    template decltype(enqueue_product<Cost>) enqueue_product<Cost>;                                          \
    template decltype(enqueue_answers<Cost>) enqueue_answers<Cost>;                                          \
    template decltype(product_fills<Cost>) product_fills<Cost>;

INSTANTIATE(uint32_t)
INSTANTIATE(uint64_t)
