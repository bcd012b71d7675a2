/* grid.h - a running kernel: its blocks, its threads, and who of them runs. One kernel runs at a time. */
#ifndef MCD_TESTS_SUPPORT_CUDA_EMULATOR_GRID_H
#define MCD_TESTS_SUPPORT_CUDA_EMULATOR_GRID_H

#include "cuda_runtime.h"
#include "tests/support/cuda_emulator/fibers.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace cuda_emulator
{

enum { WARP = 32 };

/* The bytes of device and shared memory until they are written. */
enum { PATTERN = 0xa5 };

struct grid_block;

/* An asynchronous copy to shared memory that has not been waited for. */
struct pending_copy {
    void *to;
    const void *from;
    size_t bytes, zero_bytes, batch;
};

struct grid_thread {
    grid_block *block;
    unsigned number; /* in its block */
    uint3 index;
    fiber *carrier; /* once it has started */
    bool waits;     /* in a collective; then the following are what it waits in */
    bool at_barrier;
    mcd_emulated_site site;
    mcd_emulated_collective collective;
    unsigned mask, argument;
    uint64_t value, result;
    std::vector<pending_copy> copy; /* oldest first */
    size_t batch;                   /* committed ones */
};

/* One bit a lane. */
struct grid_warp {
    unsigned lanes, waiting, ended;
};

struct grid_block {
    uint3 index;
    std::vector<grid_thread> thread;
    std::vector<grid_warp> warp;
    std::unique_ptr<unsigned char[]> shared;
    unsigned started, ended;
    /* The barrier: threads that have come, the first one's place, how many predicates held, what it returned
     * last. */
    unsigned arrived, predicates;
    mcd_emulated_barrier barrier;
    mcd_emulated_site site;
    int result;
};

class grid
{
  public:
    /* Runs all threads of a launch. */
    void run(const cudaLaunchConfig_t &config, const mcd_emulated_kernel &kernel, bool cooperative,
             bool reversed);

    /* In a thread: it waits until it is woken, or until others have had their turn. */
    void wait();
    void yield(mcd_emulated_site site);
    void wake(grid_thread &sleeper);

    /* The i-th of `count` in the order of this launch. */
    size_t nth(size_t i, size_t count) const
    {
        return m_reversed ? count - 1 - i : i;
    }

    grid_thread *running = nullptr;

  private:
    void start_block(grid_block &started, size_t number);
    bool can_start();
    grid_thread *start_thread();
    void end_thread();
    void enter(grid_thread &entered);
    fiber &next();
    fiber &take(std::deque<grid_thread *> &queue);
    [[noreturn]] void report_deadlock() const;
    static void carry(fiber &carrier);

    const mcd_emulated_kernel *m_kernel = nullptr;
    bool m_cooperative = false, m_reversed = false;
    size_t m_block_count = 0, m_started = 0, m_ended = 0; /* blocks of the launch */
    size_t m_shared_bytes = 0;
    std::vector<grid_block> m_block;              /* of a cooperative launch all, else the running one */
    std::deque<grid_thread *> m_ready, m_yielded; /* suspended threads; those that yielded come last */
    fiber m_outside;                              /* where run() was called */
    std::vector<fiber *> m_idle;
    size_t m_idle_turns = 0; /* turns since a thread has started, ended or been woken */
};

extern grid &running_grid; /* never destroyed: its fibers are not */

/* Stops the process: `site` of the running thread, and what is wrong. */
[[noreturn]] void kernel_error(mcd_emulated_site site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The threads that wait for a thread go on when it ends. */
void collective_thread_ends(grid_thread &ended);

} // namespace cuda_emulator

#endif
