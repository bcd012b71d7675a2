/* simd.h - rows of 16 lanes in the vectors of the instruction set that the file is compiled for.
 *
 * Every kernel file is compiled once per instruction set (MCD_ISA) and lane width (MCD_LANE_BITS: 32 for
 * an objective only, 64 for joint costs, 16 for narrow matrices). Names used across files go through
 * MCD_KERNEL. A row is the 16 lanes of one node or one depth; with 16 bits it has 32 lanes. */
#ifndef MCD_KERNELS_CPU_DEVICE_SIMD_H
#define MCD_KERNELS_CPU_DEVICE_SIMD_H

#include "kernels/views.h"

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define MCD_PASTE_(a, b, c) mcd_##a##_##b##_##c
#define MCD_PASTE(a, b, c)  MCD_PASTE_(a, b, c)
/* mcd_<isa>_<bits>_<name> */
#define MCD_KERNEL(name) MCD_PASTE(MCD_ISA, MCD_LANE_BITS, name)

#if MCD_LANE_BITS == 16
typedef uint16_t cost;
#define COST_UNREACHED 0x7fff /* does not wrap when doubled */
#elif MCD_LANE_BITS == 32
typedef uint32_t cost;
#define COST_UNREACHED MCD_UNREACHED
#else
typedef uint64_t cost;
#define COST_UNREACHED MCD_JOINT_UNREACHED
#endif

#if defined(__AVX512F__)
enum { VEC_BYTES = 64 };
#elif defined(__AVX2__)
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif

enum {
    LANES = MCD_LANE_BITS == 16 ? 32 : 16,
    VEC_LANES = VEC_BYTES / sizeof(cost),
    VECS = LANES / VEC_LANES, /* vectors of a row */
};

typedef cost vec __attribute__((vector_size(VEC_BYTES), may_alias));
typedef uint32_t vec32 __attribute__((vector_size(VEC_BYTES), may_alias));
typedef int64_t signed64 __attribute__((vector_size(VEC_BYTES), may_alias));

static inline vec vec_all(cost value)
{
    return value - (vec){0};
}

static inline vec32 vec32_min(vec32 a, vec32 b)
{
#if defined(__AVX512F__)
    return (vec32)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (vec32)_mm256_min_epu32((__m256i)a, (__m256i)b);
#elif defined(__ARM_NEON)
    return (vec32)vminq_u32((uint32x4_t)a, (uint32x4_t)b);
#else
    const vec32 less = (vec32)(a < b);
    return (a & less) | (b & ~less);
#endif
}

/* Adds two costs, reached or unreached. With joint costs, objective and companion saturate at MCD_UNREACHED.
 * Otherwise the sum does not wrap (types.h), and a vec_min with a cost must follow, which brings it back below. */
static inline vec vec_add(vec a, vec b)
{
    if (MCD_LANE_BITS != 64) return a + b;
    return (vec)vec32_min((vec32)a + (vec32)b, MCD_UNREACHED - (vec32){0});
}

static inline vec vec_min(vec a, vec b)
{
#if MCD_LANE_BITS == 32
    return vec32_min(a, b);
#elif defined(__AVX512F__) && MCD_LANE_BITS == 16
    return (vec)_mm512_min_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX512F__)
    return (vec)_mm512_min_epu64((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && MCD_LANE_BITS == 16
    return (vec)_mm256_min_epu16((__m256i)a, (__m256i)b);
#elif defined(__AVX2__)
    return (vec)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)((signed64)a < (signed64)b)); /* as below */
#elif defined(__ARM_NEON) && MCD_LANE_BITS == 16
    return (vec)vminq_u16((uint16x8_t)a, (uint16x8_t)b);
#else
    const vec less =
        MCD_LANE_BITS == 16 ? (vec)(a < b) : (vec)((signed64)a < (signed64)b); /* both are below 2^63 */
    return (a & less) | (b & ~less);
#endif
}

typedef struct row {
    vec vec[VECS];
} row;

#define EACH_VEC(i) _Pragma("GCC unroll 8") for (int i = 0; i < VECS; ++i)

static inline row row_all(cost value)
{
    row out;
    EACH_VEC(i) out.vec[i] = vec_all(value);
    return out;
}

/* `from` and `to` are aligned to a row. */
static inline row row_load(const cost *from)
{
    row out;
    EACH_VEC(i) out.vec[i] = ((const vec *)from)[i];
    return out;
}

static inline void row_store(cost *to, row value)
{
    EACH_VEC(i)((vec *)to)[i] = value.vec[i];
}

/* min(best, a + weight) in every lane. */
static inline row row_relax(row best, row a, cost weight)
{
    EACH_VEC(i) best.vec[i] = vec_min(best.vec[i], vec_add(a.vec[i], vec_all(weight)));
    return best;
}

/* The larger one in every lane. */
static inline row row_most(row a, row b)
{
    EACH_VEC(i) a.vec[i] ^= b.vec[i] ^ vec_min(a.vec[i], b.vec[i]);
    return a;
}

/* COST_UNREACHED in the lanes where `hide` is COST_UNREACHED, `value` where it is 0. */
static inline row row_hide(row value, row hide)
{
    EACH_VEC(i) value.vec[i] |= hide.vec[i];
    return value;
}

/* Bit i: lane i is below `bound`. */
static inline uint32_t row_below(row value, cost bound)
{
    uint32_t out = 0;
#if defined(__AVX512F__) && MCD_LANE_BITS == 32
    out = _mm512_cmplt_epu32_mask((__m512i)value.vec[0], (__m512i)vec_all(bound));
#elif defined(__AVX512F__) && MCD_LANE_BITS == 64
    EACH_VEC(i)
    out |= (uint32_t)_mm512_cmplt_epu64_mask((__m512i)value.vec[i], (__m512i)vec_all(bound)) << 8 * i;
#elif defined(__AVX2__) && MCD_LANE_BITS == 32
    EACH_VEC(i) out |= (uint32_t)_mm256_movemask_ps((__m256)(value.vec[i] < vec_all(bound))) << 8 * i;
#elif defined(__AVX2__) && MCD_LANE_BITS == 64
    EACH_VEC(i) /* both are below 2^63 */
    out |= (uint32_t)_mm256_movemask_pd((__m256d)((signed64)value.vec[i] < (signed64)vec_all(bound)))
           << 4 * i;
#else
    for (int i = 0; i < LANES; ++i) out |= (uint32_t)(value.vec[i / VEC_LANES][i % VEC_LANES] < bound) << i;
#endif
    return out;
}

/* The row that hides all lanes except those of `mask` (bit i: lane i). */
static inline row row_hide_all_but(uint32_t mask)
{
    enum { bits = 8 * sizeof(cost) };
    row out;
    EACH_VEC(i)
    {
        vec bit; /* a constant */
        for (int k = 0; k < VEC_LANES; ++k) bit[k] = (cost)1 << (i * VEC_LANES + k) % bits;
        out.vec[i] =
            (vec)((vec_all((cost)(mask >> i * VEC_LANES / bits * bits)) & bit) == 0) & COST_UNREACHED;
    }
    return out;
}

/* The position of `value` in from[0 .. count), which ascends and holds it. Searches for ascending values
 * share *start, 0 at first: every element before it is less. */
static inline size_t position_of(uint32_t value, const uint32_t *from, size_t count, size_t *start)
{
#if defined(__AVX512F__)
    for (;; *start += 16) {
        const size_t left = count - *start;
        const __mmask16 inside = (__mmask16)(left < 16 ? (1u << left) - 1 : 0xffff);
        const __mmask16 found = _mm512_mask_cmpeq_epu32_mask(
            inside, _mm512_maskz_loadu_epi32(inside, from + *start), _mm512_set1_epi32((int)value));
        if (found) return *start + (size_t)__builtin_ctz(found);
    }
#elif defined(__AVX2__)
    for (;; *start += 8) {
        const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)mcd_size_min(count - *start, 8)),
                                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        const __m256i found = _mm256_cmpeq_epi32(_mm256_maskload_epi32((const int *)(from + *start), inside),
                                                 _mm256_set1_epi32((int)value));
        const int bits = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(found, inside)));
        if (bits) return *start + (size_t)__builtin_ctz((unsigned)bits);
    }
#else
    (void)count;
    while (from[*start] != value) ++*start;
    return *start;
#endif
}

/* Bit i, for i < count, at most 16: whether addend + value[i] is below table[index[i]], or else whether they are equal.
 * Other threads may lower the table meanwhile. */
static inline uint32_t compare_sums(bool below, uint32_t addend, const uint32_t *value, const uint32_t *table,
                                    const uint32_t *index, size_t count)
{
#if defined(__AVX512F__)
    const __mmask16 inside = (__mmask16)((1u << count) - 1);
    const __m512i sum =
        _mm512_add_epi32(_mm512_maskz_loadu_epi32(inside, value), _mm512_set1_epi32((int)addend));
    const __m512i found = _mm512_mask_i32gather_epi32(sum, inside, _mm512_maskz_loadu_epi32(inside, index),
                                                      table, sizeof *table);
    return below ? _mm512_mask_cmplt_epu32_mask(inside, sum, found)
                 : _mm512_mask_cmpeq_epu32_mask(inside, sum, found);
#else
    uint32_t out = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t sum = addend + value[i], found = __atomic_load_n(&table[index[i]], __ATOMIC_RELAXED);
        out |= (uint32_t)(below ? sum < found : sum == found) << i;
    }
    return out;
#endif
}

/* Bit i, for i < count, at most 16: whether value[i] is below `bound`. */
static inline uint32_t values_below(uint32_t bound, const uint32_t *value, size_t count)
{
#if defined(__AVX512F__)
    const __mmask16 inside = (__mmask16)((1u << count) - 1);
    return _mm512_mask_cmplt_epu32_mask(inside, _mm512_maskz_loadu_epi32(inside, value),
                                        _mm512_set1_epi32((int)bound));
#elif defined(__AVX2__)
    uint32_t out = 0;
    const __m256i bounds = _mm256_set1_epi32((int)bound);
    for (size_t i = 0; i < count; i += 8) {
        const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)),
                                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                      found = _mm256_maskload_epi32((const int *)value + i, inside),
                      above = _mm256_cmpeq_epi32(_mm256_max_epu32(found, bounds), found);
        out |= (uint32_t)_mm256_movemask_ps((__m256)_mm256_andnot_si256(above, inside)) << i;
    }
    return out;
#else
    uint32_t out = 0;
    for (size_t i = 0; i < count; ++i) out |= (uint32_t)(value[i] < bound) << i;
    return out;
#endif
}

#if MCD_LANE_BITS != 16
/* The weight of arc xy of a search as a cost. */
static inline cost cost_of(const mcd_weight *objective, const mcd_weight *companion, mcd_arc xy)
{
#if MCD_LANE_BITS == 32
    (void)companion;
    return objective[xy];
#else
    return mcd_joint_of(objective[xy], companion[xy]);
#endif
}

static inline cost cost_add(cost a, cost b)
{
#if MCD_LANE_BITS == 32
    return mcd_weight_add(a, b);
#else
    return mcd_joint_add(a, b);
#endif
}

/* Adds without saturation: a minimum with a cost must follow, which brings the sum back below (types.h). */
static inline cost cost_relaxed(cost a, cost weight)
{
#if MCD_LANE_BITS == 32
    return a + weight;
#else
    const mcd_joint sum = a + weight;
    return __builtin_expect(sum & UINT64_C(0x8000000080000000), 0) ? mcd_joint_add(a, weight) : sum;
#endif
}

static inline cost cost_min(cost a, cost b)
{
    return a < b ? a : b;
}

static inline mcd_weight cost_objective(cost value)
{
    return (mcd_weight)(value >> (MCD_LANE_BITS - 32));
}

static inline mcd_weight cost_companion(cost value)
{
    return (mcd_weight)value;
}

/* Returns the least objective of a row. */
static inline mcd_weight row_least(row value)
{
    enum { WORDS = MCD_LANE_BITS / 32 }; /* of a lane, the objective is the last one */
    vec32 least = (vec32)value.vec[0];
    EACH_VEC(i) least = vec32_min(least, (vec32)value.vec[i]);
#if defined(__AVX512F__)
    return _mm512_mask_reduce_min_epu32(WORDS == 1 ? 0xffff : 0xaaaa, (__m512i)least);
#else
    mcd_weight out = least[WORDS - 1];
    for (int i = 2 * WORDS - 1; i < VEC_BYTES / 4; i += WORDS) out = least[i] < out ? least[i] : out;
    return out;
#endif
}

static inline cost seed_cost(mcd_weight objective, mcd_weight companion)
{
#if MCD_LANE_BITS == 32
    (void)companion;
    return objective;
#else
    return mcd_joint_of(objective, companion);
#endif
}

#endif

#endif
