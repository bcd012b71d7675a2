/* answer.h - how costs leave a kernel: objective and companion apart, unreached as UINT32_MAX, 16 lanes in
 * a 64-byte line. */
#ifndef MCD_KERNELS_CPU_DEVICE_ANSWER_H
#define MCD_KERNELS_CPU_DEVICE_ANSWER_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

/* The cost is unreached if its objective is above `limit` (at most MCD_WEIGHT_MAX), or if its companion is
 * requested and has saturated; if it is `raw`, then only the companion. Either answer may be NULL. */
static inline void answer_cost(cost value, mcd_weight limit, bool raw, uint32_t *objective,
                               uint32_t *companion)
{
    const bool within = cost_objective(value) <= limit,
               whole = within && (!companion || cost_companion(value) < MCD_UNREACHED);
    if (objective) *objective = whole || (within && raw) ? cost_objective(value) : MCD_COST_UNREACHED;
    if (companion) *companion = whole ? cost_companion(value) : MCD_COST_UNREACHED;
}

/* Writes a line that is not read soon: past the caches where the instruction set can. `line` is aligned
 * to 64 bytes. */
static inline void line_stream(uint32_t *line, const uint32_t *value)
{
#if defined(__AVX512F__)
    _mm512_stream_si512((__m512i *)line, _mm512_load_si512(value));
#elif defined(__AVX2__)
    for (int i = 0; i < 2; ++i)
        _mm256_stream_si256((__m256i *)line + i, _mm256_load_si256((const __m256i *)value + i));
#else
    __builtin_memcpy(line, value, LANES * sizeof *line);
#endif
}

/* Must be called before anyone else reads lines that line_stream wrote. */
static inline void line_stream_end(void)
{
#if defined(__AVX512F__) || defined(__AVX2__)
    _mm_sfence();
#endif
}

/* Writes a line that is read again soon. */
static inline void line_store(uint32_t *line, const uint32_t *value)
{
    __builtin_memcpy(line, value, LANES * sizeof *line);
}

/* Writes one row's answers as lines of 16, through `store`; `limit` and `raw` as in answer_cost. Either line may
 * be NULL. */
static inline void answer_row(row value, mcd_weight limit, bool raw, uint32_t *objective, uint32_t *companion,
                              void (*store)(uint32_t *line, const uint32_t *value))
{
#if MCD_LANE_BITS == 32
    (void)companion, (void)raw;
    const vec limits = vec_all(limit);
    row line;
    EACH_VEC(i) line.vec[i] = value.vec[i] | (vec)(value.vec[i] > limits);
    uint32_t out[LANES] __attribute__((aligned(64)));
    row_store(out, line);
    store(objective, out);
#else
    cost lane[LANES] __attribute__((aligned(64)));
    uint32_t high[LANES] __attribute__((aligned(64))), low[LANES] __attribute__((aligned(64)));
    row_store(lane, value);
    for (int i = 0; i < LANES; ++i) answer_cost(lane[i], limit, raw, &high[i], &low[i]);
    if (objective) store(objective, high);
    if (companion) store(companion, low);
#endif
}

#endif
