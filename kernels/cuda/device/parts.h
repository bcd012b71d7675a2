/* parts.h - a job on several GPUs that one thread drives step by step. Each GPU has a part, and parts reach
 * each other's memory. */
#ifndef MCD_KERNELS_CUDA_DEVICE_PARTS_H
#define MCD_KERNELS_CUDA_DEVICE_PARTS_H

#include "kernels/cuda/device/gpu.h"

#include <optional>

/* The base of a part. */
struct gpu_part {
    gpu_part(mcd_gpu *gpu, size_t the_index) : call(gpu), index(the_index)
    {
    }
    void settle()
    {
        call.settle();
    }
    gpu_call call;
    const size_t index;
};

template <class Part> class gpu_parts
{
  public:
    gpu_parts() = default;
    gpu_parts(const gpu_parts &) = delete;
    /* No part is freed before all have finished. */
    ~gpu_parts()
    {
        settle();
    }
    void settle()
    {
        for (size_t g = 0; g < count_; ++g) part_[g]->settle();
    }
    /* Adds the part of a GPU. */
    Part &add(mcd_gpu *gpu)
    {
        Part &part = part_[count_].emplace(gpu, count_);
        ++count_;
        return part;
    }
    size_t count() const
    {
        return count_;
    }
    Part &operator[](size_t g)
    {
        return *part_[g];
    }
    const Part &operator[](size_t g) const
    {
        return *part_[g];
    }
    /* Calls work(part) for each, whose GPU is then the thread's current one. */
    template <class Work> void each(const Work &work)
    {
        for (size_t g = 0; g < count_; ++g) {
            part_[g]->call.enter();
            work(*part_[g]);
        }
    }
    void synchronize()
    {
        for (size_t g = 0; g < count_; ++g) part_[g]->call.synchronize();
    }

  private:
    size_t count_ = 0;
    std::optional<Part> part_[GPUS_MAX];
};

#endif
