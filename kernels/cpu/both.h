/* both.h - the costs of an upward arc in both directions, side by side: { forward, backward }. One vector
 * instruction relaxes the two. Arrays of them are cost[2 * arc + direction]. */
#ifndef MCD_BOTH_H
#define MCD_BOTH_H

#include "kernels/cpu/simd.h"

#if defined(__AVX2__) && MCD_LANE_BITS == 32

typedef __m128i both; /* in the low half */

static inline both both_load(const cost *from)
{
    return _mm_loadl_epi64((const __m128i *)from);
}

static inline void both_store(cost *to, both value)
{
    _mm_storel_epi64((__m128i *)to, value);
}

static inline both both_swap(both value)
{
    return _mm_shuffle_epi32(value, 0xe1);
}

/* For a minimum with costs that follows: it brings the sums back below (types.h). */
static inline both both_add(both a, both b)
{
    return _mm_add_epi32(a, b);
}

static inline both both_min(both a, both b)
{
    return _mm_min_epu32(a, b);
}

/* Lowers *to to `value`; where that is strictly less, witness[direction] becomes `bottom`. */
static inline void both_lower(cost *to, mcd_node *witness, both value, mcd_node bottom)
{
    const both old = both_load(to), least = _mm_min_epu32(old, value), kept = _mm_cmpeq_epi32(least, old);
    const both before = _mm_loadl_epi64((const __m128i *)witness);
    both_store(to, least);
    _mm_storel_epi64((__m128i *)witness, _mm_blendv_epi8(_mm_set1_epi32((int)bottom), before, kept));
}

#elif defined(__AVX2__)

typedef __m128i both;

static inline both both_load(const cost *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

static inline void both_store(cost *to, both value)
{
    _mm_storeu_si128((__m128i *)to, value);
}

static inline both both_swap(both value)
{
    return _mm_shuffle_epi32(value, 0x4e);
}

static inline both both_add(both a, both b)
{
    return _mm_min_epu32(_mm_add_epi32(a, b), _mm_set1_epi32(MCD_UNREACHED));
}

static inline both both_min(both a, both b)
{
#if defined(__AVX512VL__)
    return _mm_min_epu64(a, b);
#else
    return _mm_blendv_epi8(a, b, _mm_cmpgt_epi64(a, b)); /* both are below 2^63 */
#endif
}

static inline void both_lower(cost *to, mcd_node *witness, both value, mcd_node bottom)
{
    const both old = both_load(to), least = both_min(old, value);
    const __m128i kept =
        _mm_shuffle_epi32(_mm_cmpeq_epi64(least, old), 0x08); /* 64-bit masks to 32-bit ones */
    const __m128i before = _mm_loadl_epi64((const __m128i *)witness);
    both_store(to, least);
    _mm_storel_epi64((__m128i *)witness, _mm_blendv_epi8(_mm_set1_epi32((int)bottom), before, kept));
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

static inline void both_lower(cost *to, mcd_node *witness, both value, mcd_node bottom)
{
    if (value.forward < to[0]) to[0] = value.forward, witness[0] = bottom;
    if (value.backward < to[1]) to[1] = value.backward, witness[1] = bottom;
}

#endif

#endif
