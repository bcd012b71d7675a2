/* both.h - the costs of an upward arc in both directions, side by side: { forward, backward }. One vector
 * instruction relaxes the two. Arrays of them are cost[2 * arc + direction]; a vector holds BOTHS of them. */
#ifndef MCD_KERNELS_CPU_DEVICE_BOTH_H
#define MCD_KERNELS_CPU_DEVICE_BOTH_H

#include "kernels/cpu/device/simd.h"

enum { BOTHS = VEC_LANES / 2 };

/* Where a function serves lanes of 32 and of 64 bits, it chooses by a constant. */
#if defined(__AVX2__)

enum { NARROW = MCD_LANE_BITS == 32 };

typedef __m128i both; /* NARROW: only the low half is used */

static inline both both_load(const cost *from)
{
    return NARROW ? _mm_loadl_epi64((const __m128i *)from) : _mm_loadu_si128((const __m128i *)from);
}

static inline void both_store(cost *to, both value)
{
    if (NARROW)
        _mm_storel_epi64((__m128i *)to, value);
    else
        _mm_storeu_si128((__m128i *)to, value);
}

static inline both both_swap(both value)
{
    return _mm_shuffle_epi32(value, NARROW ? 0xe1 : 0x4e);
}

/* NARROW: adds without saturation. A minimum with costs must follow, which brings the sums back below (types.h). */
static inline both both_add(both a, both b)
{
    const both sum = _mm_add_epi32(a, b);
    return NARROW ? sum : _mm_min_epu32(sum, _mm_set1_epi32(MCD_UNREACHED));
}

static inline both both_min(both a, both b)
{
    if (NARROW) return _mm_min_epu32(a, b);
#if defined(__AVX512VL__)
    return _mm_min_epu64(a, b);
#else
    return _mm_blendv_epi8(a, b, _mm_cmpgt_epi64(a, b)); /* both are below 2^63 */
#endif
}

/* Lowers *to to `value`; where that is strictly less, witness[direction] becomes bottom[direction]. */
static inline void both_lower(cost *to, mcd_node *witness, both value, const mcd_node *bottom)
{
    const both old = both_load(to), least = both_min(old, value);
    const __m128i kept = NARROW ? _mm_cmpeq_epi32(least, old)
                                : _mm_shuffle_epi32(_mm_cmpeq_epi64(least, old), 0x08); /* masks of 32 bits */
    const __m128i before = _mm_loadl_epi64((const __m128i *)witness),
                  after = _mm_loadl_epi64((const __m128i *)bottom);
    both_store(to, least);
    _mm_storel_epi64((__m128i *)witness, _mm_blendv_epi8(after, before, kept));
}

static inline vec boths_all(both value)
{
#if defined(__AVX512F__)
    return (vec)(NARROW ? _mm512_broadcastq_epi64(value) : _mm512_broadcast_i64x2(value));
#else
    return (vec)(NARROW ? _mm256_broadcastq_epi64(value) : _mm256_broadcastsi128_si256(value));
#endif
}

#else

typedef struct both {
    cost forward, backward;
} both;

static inline both both_load(const cost *from)
{
    return (both){from[0], from[1]};
}

static inline void both_store(cost *to, both value)
{
    to[0] = value.forward;
    to[1] = value.backward;
}

static inline both both_swap(both value)
{
    return (both){value.backward, value.forward};
}

static inline both both_add(both a, both b)
{
    return (both){cost_add(a.forward, b.forward), cost_add(a.backward, b.backward)};
}

static inline both both_min(both a, both b)
{
    return (both){cost_min(a.forward, b.forward), cost_min(a.backward, b.backward)};
}

static inline void both_lower(cost *to, mcd_node *witness, both value, const mcd_node *bottom)
{
    if (value.forward < to[0]) to[0] = value.forward, witness[0] = bottom[0];
    if (value.backward < to[1]) to[1] = value.backward, witness[1] = bottom[1];
}

static inline vec boths_all(both value)
{
    vec out;
    for (int i = 0; i < VEC_LANES; ++i) out[i] = i % 2 ? value.backward : value.forward;
    return out;
}

#endif

/* Loads the first `count` of at most BOTHS; reads nothing after them. */
static inline vec boths_load(const cost *from, size_t count)
{
#if defined(__AVX512F__)
    return (vec)_mm512_maskz_loadu_epi64((__mmask8)((1u << (NARROW ? count : 2 * count)) - 1), from);
#elif defined(__AVX2__)
    const __m256i last = _mm256_set1_epi64x((long long)(count * 2 * sizeof(cost) / 8));
    return (vec)_mm256_maskload_epi64((const long long *)from,
                                      _mm256_cmpgt_epi64(last, _mm256_setr_epi64x(0, 1, 2, 3)));
#else
    vec out = {0};
    for (size_t i = 0; i < VEC_LANES && i < 2 * count; ++i) out[i] = from[i];
    return out;
#endif
}

/* Lowers *best to `value`; where that is strictly less, *witness becomes `bottom`. */
static inline void boths_lower(vec *best, vec *witness, vec value, vec bottom)
{
#if defined(__AVX512F__) && MCD_LANE_BITS == 32
    const __mmask16 less = _mm512_cmplt_epu32_mask((__m512i)value, (__m512i)*best);
    *witness = (vec)_mm512_mask_mov_epi32((__m512i)*witness, less, (__m512i)bottom);
    *best = vec_min(*best, value);
#elif defined(__AVX512F__)
    const __mmask8 less = _mm512_cmplt_epu64_mask((__m512i)value, (__m512i)*best);
    *witness = (vec)_mm512_mask_mov_epi64((__m512i)*witness, less, (__m512i)bottom);
    *best = vec_min(*best, value);
#else
    const vec least = vec_min(*best, value), kept = (vec)(least == *best);
    *witness = (*witness & kept) | (bottom & ~kept);
    *best = least;
#endif
}

/* Stores lanes that hold nodes. */
static inline void boths_store_nodes(mcd_node *to, vec value)
{
#if defined(__AVX512F__) && MCD_LANE_BITS == 64
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi64_epi32((__m512i)value));
#else
    for (int i = 0; i < VEC_LANES; ++i) to[i] = (mcd_node)value[i];
#endif
}

#endif
