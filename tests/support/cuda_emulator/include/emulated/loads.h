/* loads.h - loads and stores with a cache hint, which here are plain ones. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_LOADS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_LOADS_H

#include "vectors.h"

#define MCD_EMULATED_LOAD(name, type)                                                                        \
    inline type name(const type *address)                                                                    \
    {                                                                                                        \
        return *address;                                                                                     \
    }
#define MCD_EMULATED_STORE(name, type)                                                                       \
    inline void name(type *address, type value)                                                              \
    {                                                                                                        \
        *address = value;                                                                                    \
    }
#define MCD_EMULATED_LOADS_AND_STORES(type)                                                                  \
    MCD_EMULATED_LOAD(__ldg, type)                                                                           \
    MCD_EMULATED_LOAD(__ldca, type)                                                                          \
    MCD_EMULATED_LOAD(__ldcg, type)                                                                          \
    MCD_EMULATED_LOAD(__ldcs, type)                                                                          \
    MCD_EMULATED_LOAD(__ldlu, type)                                                                          \
    MCD_EMULATED_LOAD(__ldcv, type)                                                                          \
    MCD_EMULATED_STORE(__stwb, type)                                                                         \
    MCD_EMULATED_STORE(__stcg, type)                                                                         \
    MCD_EMULATED_STORE(__stcs, type)                                                                         \
    MCD_EMULATED_STORE(__stwt, type)

MCD_EMULATED_LOADS_AND_STORES(char)
MCD_EMULATED_LOADS_AND_STORES(signed char)
MCD_EMULATED_LOADS_AND_STORES(unsigned char)
MCD_EMULATED_LOADS_AND_STORES(short)
MCD_EMULATED_LOADS_AND_STORES(unsigned short)
MCD_EMULATED_LOADS_AND_STORES(int)
MCD_EMULATED_LOADS_AND_STORES(unsigned)
MCD_EMULATED_LOADS_AND_STORES(long)
MCD_EMULATED_LOADS_AND_STORES(unsigned long)
MCD_EMULATED_LOADS_AND_STORES(long long)
MCD_EMULATED_LOADS_AND_STORES(unsigned long long)
MCD_EMULATED_LOADS_AND_STORES(float)
MCD_EMULATED_LOADS_AND_STORES(double)
MCD_EMULATED_LOADS_AND_STORES(char2)
MCD_EMULATED_LOADS_AND_STORES(char4)
MCD_EMULATED_LOADS_AND_STORES(uchar2)
MCD_EMULATED_LOADS_AND_STORES(uchar4)
MCD_EMULATED_LOADS_AND_STORES(short2)
MCD_EMULATED_LOADS_AND_STORES(short4)
MCD_EMULATED_LOADS_AND_STORES(ushort2)
MCD_EMULATED_LOADS_AND_STORES(ushort4)
MCD_EMULATED_LOADS_AND_STORES(int2)
MCD_EMULATED_LOADS_AND_STORES(int4)
MCD_EMULATED_LOADS_AND_STORES(uint2)
MCD_EMULATED_LOADS_AND_STORES(uint4)
MCD_EMULATED_LOADS_AND_STORES(longlong2)
MCD_EMULATED_LOADS_AND_STORES(ulonglong2)
MCD_EMULATED_LOADS_AND_STORES(float2)
MCD_EMULATED_LOADS_AND_STORES(float4)
MCD_EMULATED_LOADS_AND_STORES(double2)

#undef MCD_EMULATED_LOADS_AND_STORES
#undef MCD_EMULATED_STORE
#undef MCD_EMULATED_LOAD

#endif
