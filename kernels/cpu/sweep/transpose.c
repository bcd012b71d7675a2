/* transpose.c - turns answers by node and lane into rows: a gather of scattered lines and a transposition.
 *
 * Method. Squares of 16 nodes by 16 lanes are transposed in registers into a block of BLOCK columns for each
 * lane, which stays in the second-level cache. Its whole cache lines are then streamed to the row, so that
 * each is written once.
 * Limit. Each node's line is one fetch, random unless lines are in the order of columns, prefetched AHEAD nodes before its
 * turn. */
#include "kernels/cpu/sweep/transpose.h"

#include "kernels/cpu/device/answer.h"

enum { BLOCK = 1024, AHEAD = 24 }; /* measured by tests/bench/ratios on NE */

typedef uint32_t line16 __attribute__((vector_size(64), may_alias));
typedef uint32_t loose16 __attribute__((vector_size(64), may_alias, aligned(4)));

/* Transposes in four steps. They exchange blocks of 8, 4, 2 and 1 columns between rows that far apart. */
static inline void transpose_square(line16 row16[LANES])
{
#define LOW8  0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define HIGH8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define LOW4  0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define HIGH4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define LOW2  0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define LOW1  0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define HIGH1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define EXCHANGE(distance)                                                                                   \
    _Pragma("GCC unroll 16") for (int i = 0; i < LANES; ++i) if (!(i & distance))                            \
    {                                                                                                        \
        const line16 a = row16[i], b = row16[i + distance];                                                  \
        row16[i] = __builtin_shufflevector(a, b, LOW##distance);                                             \
        row16[i + distance] = __builtin_shufflevector(a, b, HIGH##distance);                                 \
    }
    EXCHANGE(8)
    EXCHANGE(4)
    EXCHANGE(2)
    EXCHANGE(1)
#undef EXCHANGE
}

/* Copies `count` values; whole cache lines go past the caches. */
static void stream_row(uint32_t *to, const uint32_t *from, size_t count)
{
    size_t i = 0;
    for (; i < count && (uintptr_t)(to + i) % 64; ++i) to[i] = from[i];
    for (; i + LANES <= count; i += LANES) {
        const line16 line = *(const loose16 *)(from + i);
        line_stream(to + i, (const uint32_t *)&line);
    }
    for (; i < count; ++i) to[i] = from[i];
}

static inline mcd_node node_of(const mcd_node *column, size_t i)
{
    return column ? column[i] : (mcd_node)i;
}

/* Transposes the columns first <= i < end, at most BLOCK of them, of 16 lanes. */
static void transpose_block(const uint32_t *value, size_t stride, const mcd_node *column, size_t first,
                            size_t end, size_t column_end, uint32_t block[LANES][BLOCK])
{
    for (size_t i = first; i < end; i += LANES) {
        line16 square[LANES];
        for (size_t c = 0; c < LANES; ++c) {
            if (i + c + AHEAD < column_end)
                __builtin_prefetch(value + node_of(column, i + c + AHEAD) * stride);
            square[c] =
                i + c < end ? *(const line16 *)(value + node_of(column, i + c) * stride) : (line16){0};
        }
        transpose_square(square);
        for (size_t lane = 0; lane < LANES; ++lane) *(line16 *)(block[lane] + (i - first)) = square[lane];
    }
}

void MCD_KERNEL(transpose_rows)(const mcd_transpose *lines, const mcd_node *column, size_t first, size_t end,
                                uint32_t *to, size_t row_length)
{
    uint32_t block[LANES][BLOCK] __attribute__((aligned(64)));
    for (size_t i = first; i < end; i += BLOCK) {
        const size_t block_end = mcd_size_min(i + BLOCK, end);
        for (size_t lane = 0; lane < lines->lane_count; lane += LANES) {
            transpose_block(lines->value + lane, lines->stride, column, i, block_end, end, block);
            for (size_t l = 0; l < mcd_size_min(LANES, lines->lane_count - lane); ++l)
                stream_row(to + (lane + l) * row_length + i, block[l], block_end - i);
        }
    }
    line_stream_end();
}

void MCD_KERNEL(transpose_copy)(const mcd_transpose *lines, size_t first, size_t end, uint32_t *to,
                                size_t to_stride)
{
    for (size_t node = first; node < end; ++node)
        __builtin_memcpy(to + node * to_stride, lines->value + node * lines->stride,
                         lines->lane_count * sizeof *to);
}
