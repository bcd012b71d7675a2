/* rng.h - splitmix64: the same numbers everywhere from one seed. (Steele, Lea, Flood 2014) */
#ifndef MCD_TESTS_SUPPORT_RNG_H
#define MCD_TESTS_SUPPORT_RNG_H

#include <stdint.h>

typedef struct test_rng {
    uint64_t state;
} test_rng;

/* A hash: near numbers give unlike ones. */
static inline uint64_t rng_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t rng_next(test_rng *rng)
{
    return rng_mix(rng->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Below `end`, which is at least 1. */
static inline uint32_t rng_below(test_rng *rng, uint32_t end)
{
    return (uint32_t)((rng_next(rng) >> 32) * end >> 32);
}

#endif
