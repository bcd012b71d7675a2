/* language.h - what CUDA adds to C++: qualifiers, built-in variables, barriers of a block.
 *
 * `__shared__` variables are static: all blocks share them, so a cooperative kernel must not have any. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_LANGUAGE_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_INCLUDE_EMULATED_LANGUAGE_H

#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__       static
#define __forceinline__  inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_count = 1, unsigned y_count = 1, unsigned z_count = 1)
        : x(x_count), y(y_count), z(z_count)
    {
    }
    constexpr dim3(uint3 count) : x(count.x), y(count.y), z(count.z)
    {
    }
    constexpr operator uint3() const
    {
        return {x, y, z};
    }
};

/* A place in a kernel's source, for messages; the default argument of what needs one. */
struct mcd_emulated_site {
    const char *file, *function;
    int line;
    static constexpr mcd_emulated_site here(const char *file = __builtin_FILE(),
                                            const char *function = __builtin_FUNCTION(),
                                            int line = __builtin_LINE())
    {
        return {file, function, line};
    }
};

/* Of the running thread; one kernel runs at a time. */
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

/* The dynamic shared memory of the running block, aligned to 16; holds a pattern when the block starts. */
void *mcd_emulated_shared();

enum mcd_emulated_barrier {
    MCD_EMULATED_BARRIER,
    MCD_EMULATED_BARRIER_COUNT,
    MCD_EMULATED_BARRIER_AND,
    MCD_EMULATED_BARRIER_OR
};

int mcd_emulated_block_barrier(mcd_emulated_barrier kind, int predicate, mcd_emulated_site site);

inline void __syncthreads(mcd_emulated_site site = mcd_emulated_site::here())
{
    mcd_emulated_block_barrier(MCD_EMULATED_BARRIER, 0, site);
}

inline int __syncthreads_count(int predicate, mcd_emulated_site site = mcd_emulated_site::here())
{
    return mcd_emulated_block_barrier(MCD_EMULATED_BARRIER_COUNT, predicate, site);
}

inline int __syncthreads_and(int predicate, mcd_emulated_site site = mcd_emulated_site::here())
{
    return mcd_emulated_block_barrier(MCD_EMULATED_BARRIER_AND, predicate, site);
}

inline int __syncthreads_or(int predicate, mcd_emulated_site site = mcd_emulated_site::here())
{
    return mcd_emulated_block_barrier(MCD_EMULATED_BARRIER_OR, predicate, site);
}

/* Lets other threads run: every loop that waits for another thread's write must call it. */
void __nanosleep(unsigned nanoseconds, mcd_emulated_site site = mcd_emulated_site::here());

[[noreturn]] void __trap(mcd_emulated_site site = mcd_emulated_site::here());

long long clock64(); /* ns */

/* Threads of a kernel run in turns on one processor, which keeps the order of their accesses. */
inline void __threadfence()
{
    __asm__ volatile("" ::: "memory");
}

inline void __threadfence_block()
{
    __threadfence();
}

inline void __threadfence_system()
{
    __sync_synchronize();
}

/* A launch is done before the next one begins, programmatic or not. */
inline void cudaTriggerProgrammaticLaunchCompletion()
{
}

inline void cudaGridDependencySynchronize()
{
}

#endif
