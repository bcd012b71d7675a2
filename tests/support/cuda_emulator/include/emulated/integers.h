/* integers.h - integer intrinsics, min and max. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_INTEGERS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_INTEGERS_H

#include <cstdint>

#define MCD_EMULATED_MIN_MAX(result, a_type, b_type)                                                         \
    inline result min(a_type a, b_type b)                                                                    \
    {                                                                                                        \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a)                      \
                                                               : static_cast<result>(b);                     \
    }                                                                                                        \
    inline result max(a_type a, b_type b)                                                                    \
    {                                                                                                        \
        return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a)                      \
                                                               : static_cast<result>(b);                     \
    }
/* As CUDA: of a signed and an unsigned one, the signed one is converted. */
#define MCD_EMULATED_MIN_MAX_ALL(type)                                                                       \
    MCD_EMULATED_MIN_MAX(type, type, type)                                                                   \
    MCD_EMULATED_MIN_MAX(unsigned type, unsigned type, unsigned type)                                        \
    MCD_EMULATED_MIN_MAX(unsigned type, type, unsigned type)                                                 \
    MCD_EMULATED_MIN_MAX(unsigned type, unsigned type, type)

MCD_EMULATED_MIN_MAX_ALL(int)
MCD_EMULATED_MIN_MAX_ALL(long)
MCD_EMULATED_MIN_MAX_ALL(long long)
MCD_EMULATED_MIN_MAX(float, float, float)
MCD_EMULATED_MIN_MAX(double, double, double)
MCD_EMULATED_MIN_MAX(double, float, double)
MCD_EMULATED_MIN_MAX(double, double, float)

#undef MCD_EMULATED_MIN_MAX_ALL
#undef MCD_EMULATED_MIN_MAX

inline unsigned umin(unsigned a, unsigned b)
{
    return min(a, b);
}

inline unsigned umax(unsigned a, unsigned b)
{
    return max(a, b);
}

/* Sums wrap; in the 16-bit forms each half by itself. */
inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c)
{
    return min(a + b, c);
}

inline int __viaddmin_s32(int a, int b, int c)
{
    return min(static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)), c);
}

inline unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c)
{
    return max(a + b, c);
}

inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c)
{
    const unsigned low = min((a + b) & 0xffff, c & 0xffff),
                   high = min(((a >> 16) + (b >> 16)) & 0xffff, c >> 16);
    return high << 16 | low;
}

inline unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c)
{
    return min(min(a, b), c);
}

inline unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c)
{
    return max(max(a, b), c);
}

inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c)
{
    return __vimin3_u32(a >> 16, b >> 16, c >> 16) << 16 | __vimin3_u32(a & 0xffff, b & 0xffff, c & 0xffff);
}

inline unsigned __vminu2(unsigned a, unsigned b)
{
    return min(a >> 16, b >> 16) << 16 | min(a & 0xffff, b & 0xffff);
}

inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

inline int __popcll(unsigned long long bits)
{
    return __builtin_popcountll(bits);
}

/* One more than the position of the lowest bit; 0: none. */
inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}

inline int __ffsll(long long bits)
{
    return __builtin_ffsll(bits);
}

inline int __clz(int bits)
{
    return bits ? __builtin_clz(static_cast<unsigned>(bits)) : 32;
}

inline int __clzll(long long bits)
{
    return bits ? __builtin_clzll(static_cast<unsigned long long>(bits)) : 64;
}

inline unsigned __brev(unsigned bits)
{
    unsigned reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= (bits >> i & 1) << (31 - i);
    return reversed;
}

inline unsigned long long __brevll(unsigned long long bits)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(bits))) << 32 |
           __brev(static_cast<unsigned>(bits >> 32));
}

inline unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}

inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

/* Byte i of the result is the byte of y:x that the low three bits of nibble i name; the fourth spreads its
 * sign. */
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned nibble = selector >> 4 * i & 15, byte = bytes >> 8 * (nibble & 7) & 255;
        result |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
    }
    return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

#endif
