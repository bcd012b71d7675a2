/* pivot.h - the operations of pivots on the rows of a dense matrix on a GPU. floyd_warshall.cu combines them.
 *
 * Cells are words: one cost each (wide), or two of 16 bits (narrow), with the even column in the low half.
 * Costs in words are at most MCD_UNREACHED (narrow: MCD_NARROW_UNREACHED), so no sum of two wraps. Rows
 * and words are padded to multiples of TILE with unreached ones. */
#ifndef MCD_KERNELS_CUDA_DENSE_PIVOT_H
#define MCD_KERNELS_CUDA_DENSE_PIVOT_H

#include "kernels/cuda/device/gpu.h"

enum {
    TILE = 128, /* rows and words that one block lowers */
    STEP = 128, /* pivots that are eliminated together */
};
static_assert((int)STEP == (int)TILE, "a tile of pivots' rows is read whole before it is written");

inline size_t costs_per_word(bool narrow)
{
    return narrow ? 2 : 1;
}

/* Rows first <= row < first + count + skip_count of a matrix, without those that are skipped; multiples of
 * TILE. */
struct row_range {
    uint32_t first, count;
    uint32_t skip_first, skip_count;
    __host__ __device__ uint32_t row(uint32_t i) const
    {
        const uint32_t r = first + i;
        return r >= skip_first ? r + skip_count : r;
    }
};

inline row_range rows_of(size_t first, size_t count)
{
    return {(uint32_t)first, (uint32_t)count, UINT32_MAX, 0};
}

/* Cells and, if paths are requested, a path_mark of each, in rows of the same stride. */
struct dense_rows {
    uint32_t *word;
    uint32_t *mark; /* NULL: no paths */
    size_t stride;  /* words of a row */
};

/* A path_mark is MCD_NODE_NONE or the node (mcd_dense_job.via). Until the node is found, it is the step
 * that lowered the cell last: the pivots from step * STEP on. LATE_COLUMN: the cell's own column is one of
 * these pivots, and the pivot that lowered the cell is not below it. LATE_ROW: the same for the cell's
 * row. */
static constexpr uint32_t MARK_STEP = UINT32_C(1) << 31, LATE_ROW = UINT32_C(1) << 30,
                          LATE_COLUMN = UINT32_C(1) << 29;

/* The operands of a product of pivots. Word [pivot * stride + i] of a column operand holds the cost from
 * the i-th row of a range to the pivot, in every half of the word. */
struct operand {
    uint32_t *word;
    size_t stride;
};

/* Where the following are enqueued; the call's GPU must be the current one. */
struct pivot_stream {
    gpu_call &call;
    cudaStream_t stream;
    bool narrow;
    template <class... Parameters, class... Arguments>
    void run(const char *what, launch_shape shape, void (*kernel)(Parameters...),
             Arguments &&...arguments) const
    {
        shape.stream = stream;
        call.run(what, shape, kernel, std::forward<Arguments>(arguments)...);
    }
};

/* Eliminates the pivots of one diagonal block of STEP rows, without changing them. `to_rows`, a column
 * operand of STEP pivots and rows, gets the final costs. With `to_columns`, both get the costs at each
 * pivot's turn: to_rows those from a pivot to the pivots before it, to_columns those from the pivots
 * before it to the pivot; 0 to itself, unreached for the pivots after it. */
void enqueue_diagonal(const pivot_stream &on, const uint32_t *cell, size_t stride, uint32_t *to_rows,
                      uint32_t *to_columns);

/* Fills the column operand of the pivots first <= pivot < first + count, multiples of STEP. */
void enqueue_columns(const pivot_stream &on, const dense_rows &from, const row_range &range, size_t first,
                     size_t count, const operand &to);

/* cell = min(cell, column x row), the min-plus product over `pivot_count` pivots, a multiple of STEP, in
 * the rows of `range`. `row` may be `to` itself if that is one tile high and pivot_count is
 * STEP. If there are marks, the cells that it lowers get MARK_STEP | step. */
void enqueue_pivot_product(const pivot_stream &on, const operand &column, const operand &row,
                           size_t pivot_count, const dense_rows &to, const row_range &range, uint32_t step);

/* Called after a step's product: sets LATE_COLUMN in the step's columns; `column`: the costs at the
 * pivots' turns. */
void enqueue_late_columns(const pivot_stream &on, const dense_rows &to, const row_range &range,
                          const operand &column, uint32_t step);
/* Sets LATE_ROW in the step's own rows, to.word; `row`: the costs at the pivots' turns. */
void enqueue_late_rows(const pivot_stream &on, const dense_rows &to, const operand &row, uint32_t step);

/* Replaces by nodes the marks of the steps whose rows are `pivots`; the first step is `first_step`. All
 * costs are final. The rows of `pivots` may be among those of `to`: a mark means the same before and
 * after. */
void enqueue_nodes(const pivot_stream &on, const dense_rows &pivots, uint32_t first_step, uint32_t step_count,
                   const dense_rows &to, size_t row_count);

/* Convert between the job's costs, in rows of `columns` without padding, and words. */
void enqueue_pack(const pivot_stream &on, const uint32_t *cost, size_t cost_rows, size_t columns,
                  const dense_rows &to, size_t row_count);
void enqueue_unpack(const pivot_stream &on, const dense_rows &from, size_t cost_rows, size_t columns,
                    uint32_t *cost);

#endif
