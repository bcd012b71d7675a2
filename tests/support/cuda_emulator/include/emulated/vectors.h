/* vectors.h - CUDA's short vectors with their alignment, and make_*. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_VECTORS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_VECTORS_H

#include "language.h"

#define MCD_EMULATED_VECTOR2(name, element, bytes)                                                           \
    struct alignas(bytes) name##2                                                                            \
    {                                                                                                        \
        element x, y;                                                                                        \
    };                                                                                                       \
    inline name##2 make_##name##2(element x, element y)                                                      \
    {                                                                                                        \
        return {x, y};                                                                                       \
    }
#define MCD_EMULATED_VECTOR4(name, element, bytes)                                                           \
    struct alignas(bytes) name##4                                                                            \
    {                                                                                                        \
        element x, y, z, w;                                                                                  \
    };                                                                                                       \
    inline name##4 make_##name##4(element x, element y, element z, element w)                                \
    {                                                                                                        \
        return {x, y, z, w};                                                                                 \
    }

MCD_EMULATED_VECTOR2(char, signed char, 2)
MCD_EMULATED_VECTOR2(uchar, unsigned char, 2)
MCD_EMULATED_VECTOR2(short, short, 4)
MCD_EMULATED_VECTOR2(ushort, unsigned short, 4)
MCD_EMULATED_VECTOR2(int, int, 8)
MCD_EMULATED_VECTOR2(uint, unsigned, 8)
MCD_EMULATED_VECTOR2(longlong, long long, 16)
MCD_EMULATED_VECTOR2(ulonglong, unsigned long long, 16)
MCD_EMULATED_VECTOR2(float, float, 8)
MCD_EMULATED_VECTOR2(double, double, 16)
MCD_EMULATED_VECTOR4(char, signed char, 4)
MCD_EMULATED_VECTOR4(uchar, unsigned char, 4)
MCD_EMULATED_VECTOR4(short, short, 8)
MCD_EMULATED_VECTOR4(ushort, unsigned short, 8)
MCD_EMULATED_VECTOR4(int, int, 16)
MCD_EMULATED_VECTOR4(uint, unsigned, 16)
MCD_EMULATED_VECTOR4(float, float, 16)

#undef MCD_EMULATED_VECTOR2
#undef MCD_EMULATED_VECTOR4

inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
    return {x, y, z};
}

#endif
