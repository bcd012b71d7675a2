/* warp.h - warp functions. Each is one collective of all lanes that its mask names: a lane waits in it until
 * the others have come to the same function with the same mask. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_WARP_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_WARP_H

#include "language.h"

#include <cstdint>
#include <cstring>

enum mcd_emulated_collective {
    MCD_EMULATED_SYNCWARP,
    MCD_EMULATED_SHUFFLE, /* argument: the lane to read from */
    MCD_EMULATED_BALLOT,  /* value: the lane's bit or 0 */
    MCD_EMULATED_MATCH_ANY,
    MCD_EMULATED_REDUCE_ADD,
    MCD_EMULATED_REDUCE_MIN, /* of values whose unsigned order is theirs */
    MCD_EMULATED_REDUCE_MAX,
    MCD_EMULATED_REDUCE_AND,
    MCD_EMULATED_REDUCE_OR,
    MCD_EMULATED_REDUCE_XOR
};

uint64_t mcd_emulated_warp(mcd_emulated_collective collective, unsigned mask, uint64_t value,
                           unsigned argument, mcd_emulated_site site);

inline unsigned mcd_emulated_lane()
{
    const unsigned number = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return number % 32;
}

inline void __syncwarp(unsigned mask = 0xffffffff, mcd_emulated_site site = mcd_emulated_site::here())
{
    mcd_emulated_warp(MCD_EMULATED_SYNCWARP, mask, 0, 0, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              mcd_emulated_site site = mcd_emulated_site::here())
{
    const uint64_t bit = uint64_t{predicate != 0} << mcd_emulated_lane();
    return static_cast<unsigned>(mcd_emulated_warp(MCD_EMULATED_BALLOT, mask, bit, 0, site));
}

inline int __any_sync(unsigned mask, int predicate, mcd_emulated_site site = mcd_emulated_site::here())
{
    return __ballot_sync(mask, predicate, site) != 0;
}

inline int __all_sync(unsigned mask, int predicate, mcd_emulated_site site = mcd_emulated_site::here())
{
    return __ballot_sync(mask, !predicate, site) == 0;
}

/* The lanes of a warp run one after the other: the calling one is the active one. */
inline unsigned __activemask()
{
    return 1u << mcd_emulated_lane();
}

template <typename T> inline uint64_t mcd_emulated_bits(T value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T>
inline T mcd_emulated_shuffle(unsigned mask, T value, unsigned from, mcd_emulated_site site)
{
    const uint64_t bits = mcd_emulated_warp(MCD_EMULATED_SHUFFLE, mask, mcd_emulated_bits(value), from, site);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The lane that a shuffle reads; beyond its part of `width` lanes (a power of two) it is the calling lane. */
inline unsigned mcd_emulated_from_index(int index, int width)
{
    const unsigned lane = mcd_emulated_lane(), part = static_cast<unsigned>(width);
    return (lane & ~(part - 1)) + (static_cast<unsigned>(index) & (part - 1));
}

inline unsigned mcd_emulated_from_up(unsigned delta, int width)
{
    const unsigned lane = mcd_emulated_lane(), inside = lane & (static_cast<unsigned>(width) - 1);
    return delta > inside ? lane : lane - delta;
}

inline unsigned mcd_emulated_from_down(unsigned delta, int width)
{
    const unsigned lane = mcd_emulated_lane(), part = static_cast<unsigned>(width),
                   inside = lane & (part - 1);
    return delta >= part - inside ? lane : lane + delta;
}

/* As the device: lanes of an earlier part can be read, those of a later one can not. */
inline unsigned mcd_emulated_from_xor(int bits, int width)
{
    const unsigned lane = mcd_emulated_lane(), part = static_cast<unsigned>(width);
    const unsigned from = lane ^ static_cast<unsigned>(bits);
    return from > (lane | (part - 1)) ? lane : from;
}

#define MCD_EMULATED_SHUFFLE_FUNCTION(name, source, argument_type, type)                                     \
    inline type name(unsigned mask, type value, argument_type argument, int width = warpSize,                \
                     mcd_emulated_site site = mcd_emulated_site::here())                                     \
    {                                                                                                        \
        return mcd_emulated_shuffle(mask, value, source(argument, width), site);                             \
    }
#define MCD_EMULATED_SHUFFLES(type)                                                                          \
    MCD_EMULATED_SHUFFLE_FUNCTION(__shfl_sync, mcd_emulated_from_index, int, type)                           \
    MCD_EMULATED_SHUFFLE_FUNCTION(__shfl_up_sync, mcd_emulated_from_up, unsigned, type)                      \
    MCD_EMULATED_SHUFFLE_FUNCTION(__shfl_down_sync, mcd_emulated_from_down, unsigned, type)                  \
    MCD_EMULATED_SHUFFLE_FUNCTION(__shfl_xor_sync, mcd_emulated_from_xor, int, type)                         \
    inline unsigned __match_any_sync(unsigned mask, type value,                                              \
                                     mcd_emulated_site site = mcd_emulated_site::here())                     \
    {                                                                                                        \
        return static_cast<unsigned>(                                                                        \
            mcd_emulated_warp(MCD_EMULATED_MATCH_ANY, mask, mcd_emulated_bits(value), 0, site));             \
    }

MCD_EMULATED_SHUFFLES(int)
MCD_EMULATED_SHUFFLES(unsigned)
MCD_EMULATED_SHUFFLES(long)
MCD_EMULATED_SHUFFLES(unsigned long)
MCD_EMULATED_SHUFFLES(long long)
MCD_EMULATED_SHUFFLES(unsigned long long)
MCD_EMULATED_SHUFFLES(float)
MCD_EMULATED_SHUFFLES(double)

#undef MCD_EMULATED_SHUFFLES
#undef MCD_EMULATED_SHUFFLE_FUNCTION

/* Signed minima and maxima: `bias` makes the unsigned order theirs. */
#define MCD_EMULATED_REDUCE(name, collective, type, bias)                                                    \
    inline type name(unsigned mask, type value, mcd_emulated_site site = mcd_emulated_site::here())          \
    {                                                                                                        \
        const unsigned bits = static_cast<unsigned>(value) ^ (bias);                                         \
        return static_cast<type>(static_cast<unsigned>(mcd_emulated_warp(collective, mask, bits, 0, site)) ^ \
                                 (bias));                                                                    \
    }

MCD_EMULATED_REDUCE(__reduce_add_sync, MCD_EMULATED_REDUCE_ADD, unsigned, 0u)
MCD_EMULATED_REDUCE(__reduce_min_sync, MCD_EMULATED_REDUCE_MIN, unsigned, 0u)
MCD_EMULATED_REDUCE(__reduce_max_sync, MCD_EMULATED_REDUCE_MAX, unsigned, 0u)
MCD_EMULATED_REDUCE(__reduce_and_sync, MCD_EMULATED_REDUCE_AND, unsigned, 0u)
MCD_EMULATED_REDUCE(__reduce_or_sync, MCD_EMULATED_REDUCE_OR, unsigned, 0u)
MCD_EMULATED_REDUCE(__reduce_xor_sync, MCD_EMULATED_REDUCE_XOR, unsigned, 0u)
MCD_EMULATED_REDUCE(__reduce_add_sync, MCD_EMULATED_REDUCE_ADD, int, 0u)
MCD_EMULATED_REDUCE(__reduce_min_sync, MCD_EMULATED_REDUCE_MIN, int, 0x80000000u)
MCD_EMULATED_REDUCE(__reduce_max_sync, MCD_EMULATED_REDUCE_MAX, int, 0x80000000u)

#undef MCD_EMULATED_REDUCE

#endif
