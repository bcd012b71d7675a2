/* pivot.cu - see pivot.h. (Katz, Kider 2008) */
#include "kernels/cuda/dense/pivot.h"

#include <cuda_pipeline_primitives.h>

enum {
    STRIP = 4, /* words per load */
    STRIPS = TILE / STRIP,
    THREAD_STRIPS = 2, /* strips of rows, and of words, that a thread lowers */
    SIDE = THREAD_STRIPS * STRIP,
    SIDE_THREADS = TILE / SIDE,
    PRODUCT_THREADS = SIDE_THREADS * SIDE_THREADS,
    PRODUCT_BLOCKS = 2, /* for which a multiprocessor has registers */
    WARP_ACROSS = 8,    /* threads of a warp side by side: loads of shared memory then have no conflicts */
    STAGE_PIVOTS = 32,  /* in shared memory at a time */
    STAGES = 2,
    PIVOT_STRIPS = 2 * STRIPS, /* of both operands */
    STAGE_STRIPS = STAGE_PIVOTS * PIVOT_STRIPS,
    COPY_PIVOTS = PRODUCT_THREADS / STRIPS, /* pivots that all threads copy together */
    GROUP = 16,       /* tiles above each other that blocks take in turn: they share words */
    SQUARE_WARPS = 8, /* warps of a block, for a square of 32 rows and pivots */
    CELL_BLOCK = 256, /* threads, one per cell */
    CELL_ROWS = CELL_BLOCK / WARP,
};

struct alignas(16) word_strip {
    uint32_t at[STRIP];
};

/* ---- words ---- */

struct wide_words {
    static constexpr unsigned COSTS = 1;
    static constexpr uint32_t UNREACHED = MCD_UNREACHED;
    static __device__ uint32_t lower(uint32_t best, uint32_t a, uint32_t b)
    {
        return __viaddmin_u32(a, b, best);
    }
    static __device__ uint32_t spread(uint32_t word, unsigned)
    {
        return word;
    }
};

struct narrow_words {
    static constexpr unsigned COSTS = 2;
    static constexpr uint32_t UNREACHED = MCD_NARROW_UNREACHED << 16 | MCD_NARROW_UNREACHED;
    static __device__ uint32_t lower(uint32_t best, uint32_t a, uint32_t b)
    {
        return __viaddmin_u16x2(a, b, best);
    }
    static __device__ uint32_t spread(uint32_t word, unsigned half)
    {
        return __byte_perm(word, 0, half ? 0x3232 : 0x1010);
    }
};

/* ---- the diagonal block ---- */

/* The data of the current pivot that all threads read. Each thread has 4 x 4 words of the block in
 * registers. */
template <class Words> struct shown_pivot {
    static constexpr unsigned ACROSS = STEP / Words::COSTS / STRIP, DOWN = STEP / STRIP;
    static constexpr unsigned THREADS = ACROSS * DOWN;
    word_strip row[ACROSS], column[DOWN];
};

/* Called by the threads that hold the pivot. `low`: its lowest bits, which are known when registers are
 * chosen. */
template <class Words>
static __device__ void show_pivot(shown_pivot<Words> &shown, const word_strip (&best)[STRIP], unsigned pivot,
                                  unsigned low)
{
    const unsigned x = threadIdx.x % shown_pivot<Words>::ACROSS, y = threadIdx.x / shown_pivot<Words>::ACROSS;
    if (y == pivot / STRIP) shown.row[x] = best[low % STRIP];
    if (x == pivot / Words::COSTS / STRIP) {
        word_strip strip;
#pragma unroll
        for (unsigned i = 0; i < STRIP; ++i)
            strip.at[i] = Words::spread(best[i].at[low / Words::COSTS % STRIP], low % Words::COSTS);
        shown.column[y] = strip;
    }
}

/* Writes the pivot's costs at its turn, to and from the pivots before it: one thread for each cost. */
template <class Words>
static __device__ void store_found(const shown_pivot<Words> &shown, unsigned pivot, uint32_t *to_rows,
                                   uint32_t *to_columns)
{
    const unsigned other = threadIdx.x % STEP;
    if (threadIdx.x >= 2 * STEP) return;
    const bool is_row = threadIdx.x < STEP;
    const unsigned word = other / Words::COSTS;
    const uint32_t found = is_row
                               ? Words::spread(shown.row[word / STRIP].at[word % STRIP], other % Words::COSTS)
                               : shown.column[other / STRIP].at[other % STRIP];
    (is_row ? to_rows : to_columns)[other * STEP + pivot] = other < pivot    ? found
                                                            : other == pivot ? 0
                                                                             : Words::UNREACHED;
}

/* Writes the block's final costs as a column operand. */
template <class Words> static __device__ void store_final(const word_strip (&best)[STRIP], uint32_t *to_rows)
{
    const unsigned x = threadIdx.x % shown_pivot<Words>::ACROSS, y = threadIdx.x / shown_pivot<Words>::ACROSS;
#pragma unroll
    for (unsigned i = 0; i < STRIP * Words::COSTS; ++i) {
        word_strip strip;
#pragma unroll
        for (unsigned r = 0; r < STRIP; ++r)
            strip.at[r] = Words::spread(best[r].at[i / Words::COSTS], i % Words::COSTS);
        ((word_strip *)to_rows)[(x * STRIP * Words::COSTS + i) * STRIPS + y] = strip;
    }
}

/* Grid   one block.
 * Races  none: a pivot's data replace those of the pivot before the last, and a barrier comes after their
 *        last reader.
 * Limit  one add-min instruction per word and pivot, on one multiprocessor. */
template <class Words, bool FOUND>
static __global__ void __launch_bounds__(shown_pivot<Words>::THREADS)
    eliminate_diagonal(const uint32_t *__restrict__ cell, size_t stride, uint32_t *to_rows,
                       uint32_t *to_columns)
{
    enum { UNROLLED = 8 };
    static_assert(UNROLLED == STRIP * 2, "all registers have their turn");
    __shared__ shown_pivot<Words> shown[2];
    const unsigned x = threadIdx.x % shown_pivot<Words>::ACROSS, y = threadIdx.x / shown_pivot<Words>::ACROSS;
    word_strip best[STRIP];
#pragma unroll
    for (unsigned r = 0; r < STRIP; ++r)
        best[r] = *(const word_strip *)(cell + (y * STRIP + r) * stride + x * STRIP);
    show_pivot<Words>(shown[0], best, 0, 0);
    __syncthreads();
    for (unsigned first = 0; first < STEP; first += UNROLLED)
#pragma unroll
        for (unsigned low = 0; low < UNROLLED; ++low) {
            const unsigned pivot = first + low;
            const shown_pivot<Words> &now = shown[low % 2];
            const word_strip a = now.column[y], b = now.row[x];
#pragma unroll
            for (unsigned r = 0; r < STRIP; ++r)
#pragma unroll
                for (unsigned i = 0; i < STRIP; ++i)
                    best[r].at[i] = Words::lower(best[r].at[i], a.at[r], b.at[i]);
            if (FOUND) store_found<Words>(now, pivot, to_rows, to_columns);
            if (pivot + 1 < STEP)
                show_pivot<Words>(shown[(low + 1) % 2], best, pivot + 1, (low + 1) % UNROLLED);
            __syncthreads();
        }
    if (!FOUND) store_final<Words>(best, to_rows);
}

void enqueue_diagonal(const pivot_stream &on, const uint32_t *cell, size_t stride, uint32_t *to_rows,
                      uint32_t *to_columns)
{
    const unsigned threads =
        on.narrow ? shown_pivot<narrow_words>::THREADS : shown_pivot<wide_words>::THREADS;
    on.run("eliminating a block of pivots", {1, threads},
           to_columns  ? eliminate_diagonal<wide_words, true>
           : on.narrow ? eliminate_diagonal<narrow_words, false>
                       : eliminate_diagonal<wide_words, false>,
           cell, stride, to_rows, to_columns);
}

/* ---- column operands ---- */

/* Grid   one block per square of 32 rows and 32 pivots, through shared memory.
 * Races  none. Limit memory: a small part of the product's time. */
template <class Words>
static __global__ void spread_columns(dense_rows from, row_range range, uint32_t first, uint32_t squares,
                                      operand to)
{
    __shared__ uint32_t square[WARP][WARP + 1];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const uint32_t row = blockIdx.x / squares * WARP, pivot = blockIdx.x % squares * WARP;
    const size_t column = first + pivot + lane;
    for (unsigned i = warp; i < WARP; i += SQUARE_WARPS) {
        const uint32_t word = from.word[range.row(row + i) * from.stride + column / Words::COSTS];
        square[i][lane] = Words::spread(word, column % Words::COSTS);
    }
    __syncthreads();
    for (unsigned i = warp; i < WARP; i += SQUARE_WARPS)
        to.word[(pivot + i) * to.stride + row + lane] = square[lane][i];
}

void enqueue_columns(const pivot_stream &on, const dense_rows &from, const row_range &range, size_t first,
                     size_t count, const operand &to)
{
    const uint32_t squares = (uint32_t)count / WARP;
    on.run("columns of pivots", {(uint64_t)range.count / WARP * squares, SQUARE_WARPS * WARP},
           on.narrow ? spread_columns<narrow_words> : spread_columns<wide_words>, from, range,
           (uint32_t)first, squares, to);
}

/* ---- the product ---- */

struct product_view {
    operand column, row;
    uint32_t pivot_count, step;
    dense_rows to;
    row_range range;
    uint32_t down, across; /* tiles */
};

/* The place of a thread's words in a tile: strips of rows and of words, a tile's width of threads apart. */
struct product_place {
    unsigned down, across; /* strips */
};

static __device__ product_place place_of_thread()
{
    constexpr unsigned WARPS_ACROSS = SIDE_THREADS / WARP_ACROSS, WARP_DOWN = WARP / WARP_ACROSS;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    return {warp / WARPS_ACROSS * WARP_DOWN + lane / WARP_ACROSS,
            warp % WARPS_ACROSS * WARP_ACROSS + lane % WARP_ACROSS};
}

/* A thread's copies for a stage: a strip of both operands in every eighth pivot. */
struct product_source {
    const uint32_t *column, *row;
    size_t column_stride, row_stride; /* strides of COPY_PIVOTS pivots */
    __device__ void copy(word_strip *stage)
    {
        word_strip *to = stage + threadIdx.x / STRIPS * PIVOT_STRIPS + threadIdx.x % STRIPS;
#pragma unroll
        for (unsigned i = 0; i < STAGE_PIVOTS / COPY_PIVOTS; ++i) {
            __pipeline_memcpy_async(to + i * COPY_PIVOTS * PIVOT_STRIPS, column, sizeof *to);
            __pipeline_memcpy_async(to + i * COPY_PIVOTS * PIVOT_STRIPS + STRIPS, row, sizeof *to);
            column += column_stride, row += row_stride;
        }
    }
};

static __device__ product_source source_of(const product_view &view, uint32_t tile_down, uint32_t tile_across)
{
    const unsigned pivot = threadIdx.x / STRIPS, strip = threadIdx.x % STRIPS;
    return {view.column.word + pivot * view.column.stride + (size_t)tile_down * TILE + strip * STRIP,
            view.row.word + pivot * view.row.stride + (size_t)tile_across * TILE + strip * STRIP,
            COPY_PIVOTS * view.column.stride, COPY_PIVOTS * view.row.stride};
}

using tile_words = word_strip[SIDE][THREAD_STRIPS];

/* Calls each(strip, place) for each strip of the thread's words; the place counts from the tile's first
 * word. */
template <class Each>
static __device__ void each_strip(const product_place &place, size_t stride, tile_words &best,
                                  const Each &each)
{
#pragma unroll
    for (unsigned r = 0; r < SIDE; ++r) {
        const unsigned row = (r / STRIP * SIDE_THREADS + place.down) * STRIP + r % STRIP;
#pragma unroll
        for (unsigned s = 0; s < THREAD_STRIPS; ++s)
            each(best[r][s], row * stride + (s * SIDE_THREADS + place.across) * STRIP);
    }
}

template <class Words>
static __device__ void lower_words(tile_words &best, const product_place &place, const word_strip *stage)
{
#pragma unroll
    for (unsigned pivot = 0; pivot < STAGE_PIVOTS; ++pivot) {
        const word_strip *const column = stage + pivot * PIVOT_STRIPS + place.down;
        const word_strip *const row = stage + pivot * PIVOT_STRIPS + STRIPS + place.across;
        word_strip a[THREAD_STRIPS], b[THREAD_STRIPS];
#pragma unroll
        for (unsigned s = 0; s < THREAD_STRIPS; ++s)
            a[s] = column[s * SIDE_THREADS], b[s] = row[s * SIDE_THREADS];
#pragma unroll
        for (unsigned r = 0; r < SIDE; ++r)
#pragma unroll
            for (unsigned i = 0; i < SIDE; ++i)
                best[r][i / STRIP].at[i % STRIP] = Words::lower(
                    best[r][i / STRIP].at[i % STRIP], a[r / STRIP].at[r % STRIP], b[i / STRIP].at[i % STRIP]);
    }
}

static __device__ void store_lowered(const word_strip &best, word_strip *to, uint32_t *mark, uint32_t step)
{
    const word_strip before = *to;
    bool any = false;
#pragma unroll
    for (unsigned i = 0; i < STRIP; ++i) {
        any |= best.at[i] < before.at[i];
        if (best.at[i] < before.at[i]) mark[i] = MARK_STEP | step;
    }
    if (any) *to = best;
}

/* A stage is filled after all threads have left it, at the barrier of the round after. When the last stage
 * has been filled, everything has been read, so the rows may be those of the tile. */
template <class Words>
static __device__ void multiply(tile_words &best, const product_place &place, product_source source,
                                uint32_t stage_count, word_strip *shared)
{
    unsigned turn = 0, free_turn = STAGES - 1;
    for (uint32_t stage = 0; stage < stage_count; ++stage) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (stage + STAGES - 1 < stage_count) source.copy(shared + free_turn * STAGE_STRIPS);
        __pipeline_commit();
        lower_words<Words>(best, place, shared + turn * STAGE_STRIPS);
        free_turn = turn;
        turn = turn + 1 == STAGES ? 0 : turn + 1;
    }
}

/* Grid   one block per tile.
 * Layout A block lowers 128 x 128 words, a thread 8 x 8 in registers, in strips of 16 bytes that lie side by
 * side among the threads of a warp. 32 pivots at a time are in shared memory while the next ones are loaded.
 * Races  none: a block writes its own tile, and no operand is written meanwhile, except as multiply() says.
 * Limit  one add-min instruction per word and pivot: 16.6 T/s on an H200. */
template <class Words, bool MARKS>
static __global__ void __launch_bounds__(PRODUCT_THREADS, PRODUCT_BLOCKS) multiply_tiles(product_view view)
{
    static_assert(STEP / STAGE_PIVOTS >= STAGES - 1, "the first stages are filled without a look");
    MCD_SHARED(word_strip, shared);
    const uint32_t group = blockIdx.x / (GROUP * view.across), within = blockIdx.x % (GROUP * view.across);
    const uint32_t height = min((uint32_t)GROUP, view.down - group * GROUP);
    const uint32_t tile_down = group * GROUP + within % height, tile_across = within / height;
    const product_place place = place_of_thread();
    product_source source = source_of(view, tile_down, tile_across);
#pragma unroll
    for (unsigned stage = 0; stage < STAGES - 1; ++stage) {
        source.copy(shared + stage * STAGE_STRIPS);
        __pipeline_commit();
    }
    const size_t stride = view.to.stride;
    const size_t first = view.range.row(tile_down * TILE) * stride + (size_t)tile_across * TILE;
    tile_words best;
    const auto strip_at = [&](size_t at) { return (word_strip *)(view.to.word + first + at); };
    each_strip(place, stride, best, [&](word_strip &strip, size_t at) { strip = *strip_at(at); });
    multiply<Words>(best, place, source, view.pivot_count / STAGE_PIVOTS, shared);
    each_strip(place, stride, best, [&](const word_strip &strip, size_t at) {
        if (MARKS)
            store_lowered(strip, strip_at(at), view.to.mark + first + at, view.step);
        else
            *strip_at(at) = strip;
    });
}

void enqueue_pivot_product(const pivot_stream &on, const operand &column, const operand &row,
                           size_t pivot_count, const dense_rows &to, const row_range &range, uint32_t step)
{
    const product_view view = {column, row,   (uint32_t)pivot_count,        step,
                               to,     range, (uint32_t)range.count / TILE, (uint32_t)(to.stride / TILE)};
    const launch_shape shape = {(uint64_t)view.down * view.across, PRODUCT_THREADS,
                                STAGES * STAGE_STRIPS * sizeof(word_strip)};
    on.run("a product of pivots", shape,
           to.mark     ? multiply_tiles<wide_words, true>
           : on.narrow ? multiply_tiles<narrow_words, false>
                       : multiply_tiles<wide_words, false>,
           view);
}

/* ---- marks ---- */

/* Sets the flag of a cell that the step lowered below `cost`. */
static __device__ void mark_late(const dense_rows &to, size_t at, uint32_t cost, uint32_t step, uint32_t flag)
{
    const uint32_t mark = to.mark[at];
    if (mark != MCD_NODE_NONE && (mark & ~(LATE_ROW | LATE_COLUMN)) == (MARK_STEP | step) &&
        to.word[at] < cost)
        to.mark[at] = mark | flag;
}

/* Grid one thread per row and pivot. Races none. */
static __global__ void mark_late_columns(dense_rows to, row_range range, operand column, uint32_t step)
{
    const uint64_t cell = thread_index();
    const uint32_t i = (uint32_t)(cell / STEP), pivot = cell % STEP;
    mark_late(to, range.row(i) * to.stride + (size_t)step * STEP + pivot,
              column.word[pivot * column.stride + i], step, LATE_COLUMN);
}

/* Grid one thread per word of the step's rows. Races none. */
static __global__ void mark_late_rows(dense_rows to, operand row, uint32_t step)
{
    const uint64_t cell = thread_index();
    const size_t pivot = cell / (uint32_t)to.stride, word = cell % (uint32_t)to.stride;
    mark_late(to, pivot * to.stride + word, row.word[pivot * row.stride + word], step, LATE_ROW);
}

void enqueue_late_columns(const pivot_stream &on, const dense_rows &to, const row_range &range,
                          const operand &column, uint32_t step)
{
    on.run("marking columns of pivots", {(uint64_t)range.count * STEP / CELL_BLOCK, CELL_BLOCK},
           mark_late_columns, to, range, column, step);
}

void enqueue_late_rows(const pivot_stream &on, const dense_rows &to, const operand &row, uint32_t step)
{
    on.run("marking rows of pivots", {to.stride * STEP / CELL_BLOCK, CELL_BLOCK}, mark_late_rows, to, row,
           step);
}

/* Whether the cell was last lowered by a pivot below `pivot`, or by none. `late`: the flag that decides
 * within the pivot's own step. */
static __device__ bool is_earlier(uint32_t mark, uint32_t pivot, uint32_t late)
{
    if (mark == MCD_NODE_NONE) return true;
    if (!(mark & MARK_STEP)) return mark < pivot;
    const uint32_t step = mark & (LATE_COLUMN - 1);
    return step < pivot / STEP || (step == pivot / STEP && !(mark & late));
}

/* The least pivot of the step such that a shortest path from x to y leads over it and over no later pivot
 * of the step. `x`, `pivots`: the first rows of x and of the step's pivots. */
static __device__ uint32_t find_node(const dense_rows &to, size_t x, const dense_rows &pivots,
                                     size_t pivot_row, uint32_t step, size_t y)
{
    const uint32_t cost = to.word[x + y];
    uint32_t pivot = step * STEP;
#pragma unroll 4
    for (unsigned i = 0; i < STEP; ++i, ++pivot, pivot_row += pivots.stride)
        if (to.word[x + pivot] + pivots.word[pivot_row + y] == cost &&
            is_earlier(to.mark[x + pivot], pivot, LATE_COLUMN) &&
            is_earlier(pivots.mark[pivot_row + y], pivot, LATE_ROW))
            return pivot;
    return MCD_NODE_NONE; /* never reached: some pivot of the step lowered the cell */
}

/* Grid   one warp per row and 32 cells; blocks go down first, because they then share words of pivots.
 * Races  harmless: a mark that is read while its own thread replaces it means the same before and after.
 * Limit  the second-level cache: a pivot's cell takes a sector for each cell. */
static __global__ void find_nodes(dense_rows pivots, uint32_t first_step, uint32_t step_count, dense_rows to,
                                  uint32_t blocks_down)
{
    const uint32_t row = blockIdx.x % blocks_down * CELL_ROWS + threadIdx.x / WARP;
    const size_t x = row * to.stride, y = (size_t)(blockIdx.x / blocks_down) * WARP + threadIdx.x % WARP;
    const uint32_t mark = to.mark[x + y];
    if (mark == MCD_NODE_NONE || !(mark & MARK_STEP)) return;
    const uint32_t step = mark & (LATE_COLUMN - 1);
    if (step - first_step >= step_count) return;
    to.mark[x + y] = find_node(to, x, pivots, (size_t)(step - first_step) * STEP * pivots.stride, step, y);
}

void enqueue_nodes(const pivot_stream &on, const dense_rows &pivots, uint32_t first_step, uint32_t step_count,
                   const dense_rows &to, size_t row_count)
{
    const uint32_t blocks_down = (uint32_t)(row_count / CELL_ROWS);
    on.run("finding nodes of paths", {(uint64_t)blocks_down * (to.stride / WARP), CELL_BLOCK}, find_nodes,
           pivots, first_step, step_count, to, blocks_down);
}

/* ---- costs and words ---- */

/* Grid one thread per word. Races none. Limit memory. */
template <class Words>
static __global__ void pack_costs(const uint32_t *__restrict__ cost, size_t cost_rows, size_t columns,
                                  dense_rows to, uint32_t blocks_across)
{
    constexpr unsigned BITS = 32 / Words::COSTS;
    const size_t row = blockIdx.x / blocks_across,
                 word = (size_t)(blockIdx.x % blocks_across) * TILE + threadIdx.x;
    uint32_t packed = 0;
#pragma unroll
    for (unsigned i = 0; i < Words::COSTS; ++i) {
        const size_t column = word * Words::COSTS + i;
        const uint32_t unreached = Words::UNREACHED >> (32 - BITS);
        const uint32_t value =
            row < cost_rows && column < columns ? min(cost[row * columns + column], unreached) : unreached;
        packed |= value << i * BITS;
    }
    to.word[row * to.stride + word] = packed;
}

template <class Words>
static __global__ void unpack_costs(dense_rows from, size_t columns, uint32_t blocks_across, uint32_t *cost)
{
    constexpr unsigned BITS = 32 / Words::COSTS;
    const size_t row = blockIdx.x / blocks_across,
                 word = (size_t)(blockIdx.x % blocks_across) * TILE + threadIdx.x;
    const uint32_t packed = from.word[row * from.stride + word];
#pragma unroll
    for (unsigned i = 0; i < Words::COSTS; ++i) {
        const size_t column = word * Words::COSTS + i;
        const uint32_t value = packed << (32 - BITS - i * BITS) >> (32 - BITS);
        if (column < columns)
            cost[row * columns + column] =
                value < Words::UNREACHED >> (32 - BITS) ? value : MCD_COST_UNREACHED;
    }
}

void enqueue_pack(const pivot_stream &on, const uint32_t *cost, size_t cost_rows, size_t columns,
                  const dense_rows &to, size_t row_count)
{
    const uint32_t across = (uint32_t)(to.stride / TILE);
    on.run("packing costs", {row_count * across, TILE},
           on.narrow ? pack_costs<narrow_words> : pack_costs<wide_words>, cost, cost_rows, columns, to,
           across);
}

void enqueue_unpack(const pivot_stream &on, const dense_rows &from, size_t cost_rows, size_t columns,
                    uint32_t *cost)
{
    const size_t across = blocks_of(columns, costs_per_word(on.narrow) * TILE);
    on.run("unpacking costs", {cost_rows * across, TILE},
           on.narrow ? unpack_costs<narrow_words> : unpack_costs<wide_words>, from, columns, (uint32_t)across,
           cost);
}
