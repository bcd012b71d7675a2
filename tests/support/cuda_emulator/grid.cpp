/* grid.cpp - see grid.h.
 *
 * A fiber carries one thread after another, without a switch as long as none of them waits; only a thread
 * that waits keeps its fiber. Threads that were woken run before others start, so that a warp without
 * barriers ends before the next one starts; a thread that yields runs when no other can. */
#include "tests/support/cuda_emulator/grid.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_emulator
{

grid &running_grid = *new grid();

enum { IDLE_TURNS_MAX = 1 << 22 }; /* a second or two */

static uint3 index_of(size_t number, const dim3 &shape)
{
    const size_t row = number / shape.x;
    return {static_cast<unsigned>(number % shape.x), static_cast<unsigned>(row % shape.y),
            static_cast<unsigned>(row / shape.y)};
}

void grid::run(const cudaLaunchConfig_t &config, const mcd_emulated_kernel &kernel, bool cooperative,
               bool reversed)
{
    m_reversed = reversed;
    m_kernel = &kernel;
    m_cooperative = cooperative;
    gridDim = config.gridDim;
    blockDim = config.blockDim;
    m_block_count = size_t{gridDim.x} * gridDim.y * gridDim.z;
    m_shared_bytes = config.dynamicSmemBytes;
    m_started = m_ended = m_idle_turns = 0;
    m_block.resize(cooperative ? m_block_count : 1);
    for (grid_block &each : m_block) {
        each.thread.resize(blockDim.x * blockDim.y * blockDim.z);
        each.warp.resize((each.thread.size() + WARP - 1) / WARP);
        each.shared.reset(new unsigned char[m_shared_bytes]);
    }
    if (m_block_count > 0) m_outside.run(next());
    m_block.clear();
    running = nullptr;
}

/* Returns the fiber that runs next. */
fiber &grid::next()
{
    if (!m_ready.empty()) return take(m_ready);
    if (can_start()) {
        if (m_idle.empty()) m_idle.push_back(new fiber(carry));
        fiber *const carrier = m_idle.back();
        m_idle.pop_back();
        return *carrier;
    }
    if (!m_yielded.empty()) return take(m_yielded);
    if (m_ended < m_block_count) report_deadlock();
    return m_outside;
}

void grid::carry(fiber &carrier)
{
    grid &self = running_grid;
    for (;;) {
        while (self.m_ready.empty() && self.can_start()) {
            self.start_thread()->carrier = &carrier;
            self.m_kernel->call(self.m_kernel->arguments);
            self.end_thread();
        }
        fiber &next = self.next();
        self.m_idle.push_back(&carrier);
        carrier.run(next);
    }
}

void grid::start_block(grid_block &started, size_t number)
{
    started.index = index_of(nth(number, m_block_count), gridDim);
    started.started = started.ended = started.arrived = 0;
    memset(started.shared.get(), PATTERN, m_shared_bytes);
    const unsigned count = static_cast<unsigned>(started.thread.size());
    for (unsigned i = 0; i < started.warp.size(); ++i) {
        const unsigned lanes = min(count - i * WARP, unsigned{WARP});
        started.warp[i] = {0xffffffffu >> (WARP - lanes), 0, 0};
    }
}

/* Starts a block if it is time for it. */
bool grid::can_start()
{
    if (m_started > 0) {
        const grid_block &last = m_block[m_cooperative ? m_started - 1 : 0];
        if (last.started < last.thread.size()) return true;
        if (!m_cooperative && last.ended < last.thread.size()) return false;
    }
    if (m_started == m_block_count) return false;
    start_block(m_block[m_cooperative ? m_started : 0], m_started);
    ++m_started;
    return true;
}

/* Only after can_start(). */
grid_thread *grid::start_thread()
{
    grid_block &last = m_block[m_cooperative ? m_started - 1 : 0];
    const size_t number = nth(last.started++, last.thread.size());
    grid_thread &started = last.thread[number];
    started.block = &last;
    started.number = static_cast<unsigned>(number);
    started.index = index_of(started.number, blockDim);
    started.waits = false;
    started.copy.clear();
    started.batch = 0;
    m_idle_turns = 0;
    enter(started);
    return &started;
}

void grid::end_thread()
{
    grid_block &block = *running->block;
    ++block.ended;
    m_idle_turns = 0;
    collective_thread_ends(*running);
    if (block.ended == block.thread.size()) ++m_ended;
}

void grid::enter(grid_thread &entered)
{
    running = &entered;
    threadIdx = entered.index;
    blockIdx = entered.block->index;
}

fiber &grid::take(std::deque<grid_thread *> &queue)
{
    grid_thread &taken = *queue.front();
    queue.pop_front();
    enter(taken);
    return *taken.carrier;
}

void grid::wait()
{
    fiber &carrier = *running->carrier;
    running->waits = true;
    carrier.run(next());
}

void grid::wake(grid_thread &sleeper)
{
    sleeper.waits = false;
    m_ready.push_back(&sleeper);
    m_idle_turns = 0;
}

void grid::yield(mcd_emulated_site site)
{
    if (++m_idle_turns > IDLE_TURNS_MAX)
        kernel_error(site, "no thread gets on: all that run wait in __nanosleep");
    running->site = site;
    if (m_ready.empty() && m_yielded.empty() && !can_start()) return;
    fiber &carrier = *running->carrier;
    m_yielded.push_back(running);
    carrier.run(next());
}

static void print_waiting(const grid_block &block, const grid_thread &first, size_t count)
{
    fprintf(stderr, "  block (%u, %u, %u): %zu threads from (%u, %u, %u) on wait at %s:%d in %s for %s",
            block.index.x, block.index.y, block.index.z, count, first.index.x, first.index.y, first.index.z,
            first.site.file, first.site.line, first.site.function,
            first.at_barrier ? "their block" : "lanes");
    if (!first.at_barrier) fprintf(stderr, " 0x%08x", first.mask);
    fprintf(stderr, "\n");
}

void grid::report_deadlock() const
{
    enum { LINES_MAX = 20 };
    fprintf(stderr, "cuda emulator: no thread can run\n");
    int lines = 0;
    for (const grid_block &block : m_block) {
        for (size_t first = 0, next; first < block.thread.size() && lines < LINES_MAX; first = next) {
            const grid_thread &waiting = block.thread[first];
            for (next = first + 1; next < block.thread.size(); ++next) {
                const grid_thread &other = block.thread[next];
                if (other.waits != waiting.waits || other.site.line != waiting.site.line) break;
            }
            if (!waiting.waits) continue;
            print_waiting(block, waiting, next - first);
            ++lines;
        }
    }
    abort();
}

void kernel_error(mcd_emulated_site site, const char *format, ...)
{
    fprintf(stderr, "cuda emulator: %s:%d: in %s, block (%u, %u, %u) thread (%u, %u, %u): ", site.file,
            site.line, site.function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
            threadIdx.z);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    abort();
}

} // namespace cuda_emulator
