/* atomics.h - atomic functions, for CUDA's types: those of 64 bits are `unsigned long long`, not uint64_t.
 * They return the old value. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_ATOMICS_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_ATOMICS_H

/* Replaces the old value by update(old value). */
template <typename T, typename Update> inline T mcd_emulated_atomic(T *address, Update update)
{
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    T next = update(old);
    while (!__atomic_compare_exchange(address, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        next = update(old);
    return old;
}

#define MCD_EMULATED_ATOMIC(name, type, expression)                                                          \
    inline type name(type *address, type value)                                                              \
    {                                                                                                        \
        return mcd_emulated_atomic(address, [value](type old) -> type { return expression; });               \
    }
#define MCD_EMULATED_ATOMIC_INTEGERS(name, expression)                                                       \
    MCD_EMULATED_ATOMIC(name, int, expression)                                                               \
    MCD_EMULATED_ATOMIC(name, unsigned, expression)                                                          \
    MCD_EMULATED_ATOMIC(name, unsigned long long, expression)

/* The cast of a sum that wraps: signed ones wrap as well. */
MCD_EMULATED_ATOMIC(atomicAdd, int,
                    static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
MCD_EMULATED_ATOMIC(atomicAdd, unsigned, old + value)
MCD_EMULATED_ATOMIC(atomicAdd, unsigned long long, old + value)
MCD_EMULATED_ATOMIC(atomicAdd, float, old + value)
MCD_EMULATED_ATOMIC(atomicAdd, double, old + value)
MCD_EMULATED_ATOMIC(atomicSub, int,
                    static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
MCD_EMULATED_ATOMIC(atomicSub, unsigned, old - value)
MCD_EMULATED_ATOMIC_INTEGERS(atomicMin, old < value ? old : value)
MCD_EMULATED_ATOMIC(atomicMin, long long, old < value ? old : value)
MCD_EMULATED_ATOMIC_INTEGERS(atomicMax, old > value ? old : value)
MCD_EMULATED_ATOMIC(atomicMax, long long, old > value ? old : value)
MCD_EMULATED_ATOMIC_INTEGERS(atomicAnd, old &value)
MCD_EMULATED_ATOMIC_INTEGERS(atomicOr, old | value)
MCD_EMULATED_ATOMIC_INTEGERS(atomicXor, old ^ value)
MCD_EMULATED_ATOMIC_INTEGERS(atomicExch, (static_cast<void>(old), value))
MCD_EMULATED_ATOMIC(atomicExch, float, (static_cast<void>(old), value))
MCD_EMULATED_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
MCD_EMULATED_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)

#undef MCD_EMULATED_ATOMIC_INTEGERS
#undef MCD_EMULATED_ATOMIC

#define MCD_EMULATED_CAS(type)                                                                               \
    inline type atomicCAS(type *address, type expected, type value)                                          \
    {                                                                                                        \
        return mcd_emulated_atomic(address,                                                                  \
                                   [=](type old) -> type { return old == expected ? value : old; });         \
    }

MCD_EMULATED_CAS(int)
MCD_EMULATED_CAS(unsigned)
MCD_EMULATED_CAS(unsigned long long)
MCD_EMULATED_CAS(unsigned short)

#undef MCD_EMULATED_CAS

#endif
