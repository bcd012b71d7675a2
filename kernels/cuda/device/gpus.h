/* gpus.h - a job on several GPUs: a thread for each, and the progress and failures that they
 * share. */
#ifndef MCD_KERNELS_CUDA_DEVICE_GPUS_H
#define MCD_KERNELS_CUDA_DEVICE_GPUS_H

#include "kernels/cuda/device/gpu.h"

#include <exception>
#include <thread>

/* Runs work() and turns exceptions into statuses. */
template <class Work> macadam_status throw_nothing(macadam_error *error, const Work &work)
{
    try {
        work();
        return MACADAM_OK;
    } catch (const failure &failed) {
        if (error) *error = failed.message;
        return failed.status;
    } catch (const std::exception &failure) {
        return mcd_fail(error, MACADAM_E_DEVICE, "cuda: %s", failure.what());
    } catch (...) {
        return mcd_fail(error, MACADAM_E_DEVICE, "cuda: an unknown exception");
    }
}

/* The first failure. A failure that only says that another thread has stopped the job comes last. */
inline const failure &first_failure(const failure *of, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; ++i)
        if (!of[found].status ||
            (of[found].status == MACADAM_E_CANCELLED && of[i].status && of[i].status != MACADAM_E_CANCELLED))
            found = i;
    return of[found];
}

/* Runs task(GPU's index) for the first `count` GPUs concurrently: for the first in the calling thread, for each
 * other in its own thread. Throws the first failure once all have ended. */
template <class Task> void on_each_gpu(size_t count, const Task &task)
{
    if (count == 1) return task(0);
    failure end[GPUS_MAX];
    const auto run = [&](size_t g) { end[g].status = throw_nothing(&end[g].message, [&] { task(g); }); };
    std::thread thread[GPUS_MAX];
    size_t started = 1;
    try {
        for (; started < count; ++started) thread[started] = std::thread(run, started);
    } catch (const std::exception &) { /* no thread to be had: runs here, one after the other */
    }
    for (size_t g = started; g < count; ++g) run(g);
    run(0);
    for (size_t g = 1; g < started; ++g) thread[g].join();
    if (first_failure(end, count).status) throw first_failure(end, count);
}

/* The progress of a job on all its GPUs. Any thread counts; only the caller's thread, which made it,
 * reports. */
class gpu_progress
{
  public:
    gpu_progress(const mcd_progress &progress, const char *phase, uint64_t total)
        : progress_(progress), phase_(phase), total_(total)
    {
    }
    gpu_progress(const gpu_progress &) = delete;
    /* Counts `steps` more. MACADAM_E_CANCELLED: the caller wants to stop, or another thread has failed. */
    void step(uint64_t steps)
    {
        const uint64_t done = done_ += steps;
        if (stopped_) fail(MACADAM_E_CANCELLED, "stopped while %s", phase_);
        if (std::this_thread::get_id() == caller_) must(mcd_progress_step, &progress_, phase_, done, total_);
    }
    void stop()
    {
        stopped_ = true;
    }
    bool is_asked() const
    {
        return progress_.call != nullptr;
    }

  private:
    const mcd_progress progress_;
    const char *const phase_;
    const uint64_t total_;
    const std::thread::id caller_ = std::this_thread::get_id();
    std::atomic<uint64_t> done_{0};
    std::atomic<bool> stopped_{false};
};

/* Does the same as on_each_gpu, but a failure stops the other threads at their next step. Reports the end. */
template <class Task> void on_each_gpu(size_t count, gpu_progress &progress, const Task &task)
{
    on_each_gpu(count, [&](size_t g) {
        try {
            task(g);
        } catch (...) {
            progress.stop();
            throw;
        }
    });
    progress.step(0);
}

/* How the g-th of `count` GPUs' threads may run host work: the host's own executor may be called only from
 * its caller's thread. */
inline mcd_parallel parallel_of_gpu(const mcd_parallel &all, size_t g, size_t count)
{
    if (count == 1 || (all.executor && g == 0)) return all;
    const unsigned share = all.executor ? 1 : all.thread_count / (unsigned)count;
    return {share > 1 ? share : 1, nullptr};
}

#endif
