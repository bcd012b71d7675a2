/* samples.h - travel times at the departures of a window, and how they link. Times are in units of 1/2^14 of the step between
 * two samples, so that the upper bits of an instant since the window's begin are a sample's index. Between samples, times are
 * interpolated; after the last one they stay. A time that rises by more than JUMP_MOST to the next sample is interpolated as if
 * it rose by that, so that products have 32 bits. It never falls faster than the clock moves (FIFO). */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_SAMPLES_H
#define MCD_KERNELS_CPU_CUSTOMIZE_SAMPLES_H

#include "kernels/backend.h"
#include "kernels/cpu/device/simd.h"

enum {
    STEP_BITS = 14,
    STEP_UNITS = 1 << STEP_BITS,
    LAST_INSTANT = (MCD_SAMPLES - 1) << STEP_BITS,
    JUMP_MOST = 1 << 16,
    SAMPLES_NEVER = 1 << 29, /* unreached; a reached time is below */
    SAMPLE_VECS = MCD_SAMPLES / VEC_LANES,
};
static_assert((uint64_t)MCD_UNREACHED * STEP_UNITS / MCD_SAMPLE_STEP_LEAST < SAMPLES_NEVER,
              "costs have units");
static_assert((int64_t)JUMP_MOST * STEP_UNITS + STEP_UNITS < INT32_MAX, "products fit");

#define EACH_SAMPLE_VEC(i) _Pragma("GCC unroll 8") for (int i = 0; i < SAMPLE_VECS; ++i)

typedef int32_t vec_signed __attribute__((vector_size(VEC_BYTES), may_alias));
typedef cost vec_anywhere __attribute__((vector_size(VEC_BYTES), may_alias, aligned(4)));

typedef struct samples {
    vec vec[SAMPLE_VECS];
} samples;

/* Samples with the difference of each to the next one. */
typedef struct sloped {
    samples time, slope;
} sloped;

static inline samples samples_load(const uint32_t *from)
{
    samples out;
    EACH_SAMPLE_VEC(i) out.vec[i] = ((const vec *)from)[i];
    return out;
}

static inline void samples_store(uint32_t *to, const samples *value)
{
    EACH_SAMPLE_VEC(i)((vec *)to)[i] = value->vec[i];
}

static inline uint32_t samples_least(const samples *value)
{
    vec least = value->vec[0];
    EACH_SAMPLE_VEC(i) least = vec_min(least, value->vec[i]);
    uint32_t out = least[0];
    for (int i = 1; i < VEC_LANES; ++i) out = least[i] < out ? least[i] : out;
    return out;
}

static inline uint32_t samples_most(const samples *value)
{
    samples flipped;
    EACH_SAMPLE_VEC(i) flipped.vec[i] = ~value->vec[i];
    return ~samples_least(&flipped);
}

static inline void sloped_of(sloped *out, const uint32_t *time)
{
    EACH_SAMPLE_VEC(i)
    {
        const vec here = ((const vec *)time)[i];
        vec next = here; /* after the last sample, another thread may write */
        if (i + 1 < SAMPLE_VECS)
            next = *(const vec_anywhere *)(time + i * VEC_LANES + 1);
        else
            for (int k = 0; k + 1 < VEC_LANES; ++k) next[k] = here[k + 1];
        const vec_signed rise = (vec_signed)next - (vec_signed)here, more = rise > JUMP_MOST;
        out->time.vec[i] = here;
        out->slope.vec[i] = (vec)((rise & ~more) | (more & JUMP_MOST));
    }
}

/* Returns from[index] in each lane. */
static inline vec samples_at(const samples *from, vec index)
{
#if defined(__AVX512F__)
    return (vec)_mm512_permutex2var_epi32((__m512i)from->vec[0], (__m512i)index, (__m512i)from->vec[1]);
#elif defined(__AVX2__)
    const __m256i at = (__m256i)index;
    __m256 quarter[SAMPLE_VECS];
    EACH_SAMPLE_VEC(i) quarter[i] = _mm256_permutevar8x32_ps((__m256)from->vec[i], at);
    const __m256 odd = (__m256)_mm256_slli_epi32(at, 28), upper = (__m256)_mm256_slli_epi32(at, 27);
    return (vec)_mm256_blendv_ps(_mm256_blendv_ps(quarter[0], quarter[1], odd),
                                 _mm256_blendv_ps(quarter[2], quarter[3], odd), upper);
#else
    vec out;
    for (int i = 0; i < VEC_LANES; ++i) out[i] = ((const uint32_t *)from)[index[i]];
    return out;
#endif
}

/* Returns the time at instants since the window's begin. */
static inline vec sloped_at(const sloped *from, vec instant)
{
    const vec at = vec_min(instant, vec_all(LAST_INSTANT)), index = at >> STEP_BITS,
              part = at & vec_all(STEP_UNITS - 1);
    const vec_signed rise = (vec_signed)samples_at(&from->slope, index) * (vec_signed)part;
    return samples_at(&from->time, index) + (vec)((rise + STEP_UNITS / 2) >> STEP_BITS);
}

/* The same for one instant and samples without slopes. */
static inline uint32_t samples_time(const uint32_t *time, uint32_t instant)
{
    const uint32_t at = instant < LAST_INSTANT ? instant : LAST_INSTANT, index = at >> STEP_BITS;
    int32_t rise = index + 1 < MCD_SAMPLES ? (int32_t)(time[index + 1] - time[index]) : 0;
    if (rise > JUMP_MOST) rise = JUMP_MOST;
    return time[index] + (uint32_t)((rise * (int32_t)(at % STEP_UNITS) + STEP_UNITS / 2) >> STEP_BITS);
}

/* Lowers to[] to the times over `first`, then `second`. Returns the highest one. */
static inline uint32_t samples_relax(uint32_t *to, const samples *first, const sloped *second)
{
    samples best;
    EACH_SAMPLE_VEC(i)
    {
        vec departure;
        for (int k = 0; k < VEC_LANES; ++k) departure[k] = (uint32_t)(i * VEC_LANES + k) << STEP_BITS;
        best.vec[i] =
            vec_min(((const vec *)to)[i], first->vec[i] + sloped_at(second, departure + first->vec[i]));
    }
    samples_store(to, &best);
    return samples_most(&best);
}

#endif
