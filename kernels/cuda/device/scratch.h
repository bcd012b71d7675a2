/* scratch.h - the arrays of a search in one allocation: several would take nearly as long as a small search. */
#ifndef MCD_KERNELS_CUDA_DEVICE_SCRATCH_H
#define MCD_KERNELS_CUDA_DEVICE_SCRATCH_H

#include "kernels/cuda/device/gpu.h"

/* Places arrays one after the other; from 0 on it sums their bytes. */
struct gpu_carver {
    uintptr_t at = 0;
    void take()
    {
    }
    /* take(&array, count, &array, count, ...) */
    template <class T, class... More> void take(T **array, size_t count, More... more)
    {
        enum { ALIGNED = 256 };
        *array = reinterpret_cast<T *>(at);
        at += blocks_of<uintptr_t>(count * sizeof(T), ALIGNED) * ALIGNED;
        take(more...);
    }
};

/* Arrays: pointers, which lay_out(carver, sizes...) places. */
template <class Arrays, class... Sizes> uint64_t scratch_bytes(const Sizes &...sizes)
{
    Arrays arrays = {};
    gpu_carver carver;
    arrays.lay_out(carver, sizes...);
    return carver.at;
}

template <class Arrays> struct gpu_scratch : Arrays {
    gpu_scratch() : Arrays()
    {
    }
    /* Not cleared; freed with the scratch. */
    template <class... Sizes> void allocate(gpu_call &call, const char *what, const Sizes &...sizes)
    {
        gpu_carver carver;
        memory_.allocate(call, scratch_bytes<Arrays>(sizes...), what);
        carver.at = reinterpret_cast<uintptr_t>(memory_.get());
        this->lay_out(carver, sizes...);
    }

  private:
    gpu_array<unsigned char> memory_;
};

#endif
