/* arc_array.h - an array by arcs that stays: on the GPU, or where there is no room for it, in pinned memory.
 *
 * Kernels read both through the same pointer. An array in pinned memory crosses the bus each time it is
 * read, a line at a time, while other warps compute. So the arcs of a graph may exceed the GPU's memory;
 * only what is kept by node must fit. (Min et al. 2020, EMOGI) */
#ifndef MCD_KERNELS_CUDA_DEVICE_ARC_ARRAY_H
#define MCD_KERNELS_CUDA_DEVICE_ARC_ARRAY_H

#include "kernels/cuda/device/gpu.h"

/* The memory that a graph's arcs may take on a GPU. */
struct arc_room {
    uint64_t bytes = 0;
    bool take(uint64_t wanted)
    {
        if (wanted > bytes) return false;
        bytes -= wanted;
        return true;
    }
};

template <class T> class arc_array
{
  public:
    arc_array() = default;
    arc_array(const arc_array &) = delete;
    ~arc_array()
    {
        if (pinned_) (void)cudaFreeHost(pinned_);
    }

    /* Copies the host's array; `from` may change once the call has been synchronized. */
    void copy(gpu_call &call, arc_room *room, const T *from, size_t count, const char *what)
    {
        if (room->take(count * sizeof(T))) return on_gpu_.copy(call, from, count, what);
        const size_t bytes = mcd_size_max(count, 1) * sizeof(T);
        gpu_check(call.gpu, cudaHostAlloc((void **)&pinned_, bytes, cudaHostAllocPortable), what, bytes);
        call.copy(pinned_, from, count, what);
    }
    T *get() const
    {
        return pinned_ ? pinned_ : on_gpu_.get();
    }

  private:
    gpu_array<T> on_gpu_;
    T *pinned_ = nullptr;
};

#endif
