/* collectives.cpp - what threads of a kernel do together: barriers, warp functions; and alone: yields,
 * copies. */
#include "tests/support/cuda_emulator/grid.h"

#include "cuda_pipeline_primitives.h"

#include <chrono>
#include <cstring>

using namespace cuda_emulator;

static bool same_place(const mcd_emulated_site &a, const mcd_emulated_site &b)
{
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

static int barrier_result(const grid_block &block)
{
    switch (block.barrier) {
    case MCD_EMULATED_BARRIER_COUNT:
        return static_cast<int>(block.predicates);
    case MCD_EMULATED_BARRIER_AND:
        return block.predicates == block.thread.size();
    default:
        return block.predicates > 0;
    }
}

static void wake_others(grid_block &block, const grid_thread &self)
{
    for (size_t i = 0; i < block.thread.size(); ++i) {
        grid_thread &other = block.thread[running_grid.nth(i, block.thread.size())];
        if (&other != &self) running_grid.wake(other);
    }
}

static void wake_lanes(grid_thread *lane, unsigned mask)
{
    for (unsigned i = 0; i < WARP; ++i) {
        const size_t woken = running_grid.nth(i, WARP);
        if (mask >> woken & 1) running_grid.wake(lane[woken]);
    }
}

int mcd_emulated_block_barrier(mcd_emulated_barrier kind, int predicate, mcd_emulated_site site)
{
    grid_thread &self = *running_grid.running;
    grid_block &block = *self.block;
    if (block.ended > 0)
        kernel_error(site, "the barrier misses %u threads of the block, which have ended", block.ended);
    if (block.arrived == 0) {
        block.barrier = kind;
        block.site = site;
        block.predicates = 0;
    } else if (kind != block.barrier || !same_place(site, block.site)) {
        kernel_error(site, "%u threads of the block wait at another barrier: %s:%d", block.arrived,
                     block.site.file, block.site.line);
    }
    block.predicates += predicate != 0;
    self.at_barrier = true;
    self.site = site;
    if (++block.arrived < block.thread.size()) {
        running_grid.wait();
    } else {
        block.arrived = 0;
        block.result = barrier_result(block);
        wake_others(block, self);
    }
    return block.result;
}

static uint64_t reduce(mcd_emulated_collective collective, uint64_t a, uint64_t b)
{
    switch (collective) {
    case MCD_EMULATED_REDUCE_ADD:
        return a + b;
    case MCD_EMULATED_REDUCE_MIN:
        return min(a, b);
    case MCD_EMULATED_REDUCE_MAX:
        return max(a, b);
    case MCD_EMULATED_REDUCE_AND:
        return a & b;
    case MCD_EMULATED_BALLOT:
    case MCD_EMULATED_REDUCE_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* Calls action(lane) for each lane of `mask`, lowest first. */
template <typename Action> static void for_lanes(unsigned mask, Action action)
{
    for (; mask != 0; mask &= mask - 1) action(static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1));
}

static void shuffle(grid_thread *lane, unsigned mask)
{
    for_lanes(mask, [&](unsigned i) {
        const unsigned from = lane[i].argument;
        if (!(mask >> from & 1))
            kernel_error(lane[i].site, "lane %u reads lane %u, which the mask 0x%08x does not name", i, from,
                         mask);
        lane[i].result = lane[from].value;
    });
}

static void match_any(grid_thread *lane, unsigned mask)
{
    for_lanes(mask, [&](unsigned i) {
        lane[i].result = 0;
        for_lanes(mask, [&](unsigned k) { lane[i].result |= uint64_t{lane[k].value == lane[i].value} << k; });
    });
}

static void reduce_lanes(grid_thread *lane, unsigned mask)
{
    const unsigned first = static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
    uint64_t result = lane[first].value;
    for_lanes(mask & (mask - 1),
              [&](unsigned i) { result = reduce(lane[first].collective, result, lane[i].value); });
    for_lanes(mask, [&](unsigned i) { lane[i].result = result; });
}

/* All lanes of `mask` have come: gives each its result. */
static void complete(grid_thread *lane, unsigned mask, mcd_emulated_collective collective)
{
    if (collective == MCD_EMULATED_SHUFFLE)
        shuffle(lane, mask);
    else if (collective == MCD_EMULATED_MATCH_ANY)
        match_any(lane, mask);
    else if (collective != MCD_EMULATED_SYNCWARP)
        reduce_lanes(lane, mask);
}

static void check_mask(const grid_thread &self, const grid_warp &warp)
{
    const unsigned own = self.number % WARP, ended = self.mask & warp.ended;
    if (!(self.mask >> own & 1))
        kernel_error(self.site, "the mask 0x%08x does not name the calling lane %u", self.mask, own);
    if (ended)
        kernel_error(self.site, "the mask 0x%08x names lanes 0x%08x, which have ended", self.mask, ended);
}

/* Whether all lanes of the caller's mask wait in the same collective. */
static bool all_have_come(const grid_thread *lane, const grid_thread &self, const grid_warp &warp)
{
    if ((warp.waiting & self.mask) != self.mask) return false;
    bool come = true;
    for_lanes(self.mask, [&](unsigned i) {
        if (lane[i].mask != self.mask)
            come = false;
        else if (lane[i].collective != self.collective)
            kernel_error(self.site, "lane %u has come to another warp function: %s:%d", i, lane[i].site.file,
                         lane[i].site.line);
    });
    return come;
}

uint64_t mcd_emulated_warp(mcd_emulated_collective collective, unsigned mask, uint64_t value,
                           unsigned argument, mcd_emulated_site site)
{
    grid_thread &self = *running_grid.running;
    const unsigned own = self.number % WARP;
    grid_warp &warp = self.block->warp[self.number / WARP];
    grid_thread *lane = &self - own;
    self.at_barrier = false;
    self.site = site;
    self.collective = collective;
    self.mask = mask & warp.lanes; /* a block's last warp may be a part of one */
    self.argument = argument;
    self.value = value;
    check_mask(self, warp);
    warp.waiting |= 1u << own;
    if (!all_have_come(lane, self, warp)) {
        running_grid.wait();
    } else {
        complete(lane, self.mask, collective);
        warp.waiting &= ~self.mask;
        wake_lanes(lane, self.mask & ~(1u << own));
    }
    return self.result;
}

void cuda_emulator::collective_thread_ends(grid_thread &ended)
{
    const grid_block &block = *ended.block;
    const unsigned own = ended.number % WARP;
    grid_warp &warp = ended.block->warp[ended.number / WARP];
    warp.ended |= 1u << own;
    if (block.arrived > 0)
        kernel_error(block.site, "the thread has ended, %u threads of its block wait for it", block.arrived);
    for_lanes(warp.waiting, [&](unsigned i) {
        const grid_thread &waiting = block.thread[ended.number - own + i];
        if (waiting.mask >> own & 1)
            kernel_error(waiting.site, "the thread has ended, lane %u waits for it", i);
    });
}

void *mcd_emulated_shared()
{
    return running_grid.running->block->shared.get();
}

void __nanosleep(unsigned, mcd_emulated_site site)
{
    running_grid.yield(site);
}

void __trap(mcd_emulated_site site)
{
    kernel_error(site, "trap");
}

long long clock64()
{
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zero_bytes,
                             mcd_emulated_site site)
{
    const uintptr_t ends = reinterpret_cast<uintptr_t>(shared) | reinterpret_cast<uintptr_t>(global);
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_bytes > bytes || ends % bytes != 0)
        kernel_error(site, "%zu bytes can not be copied from %p to %p", bytes, global, shared);
    grid_thread &self = *running_grid.running;
    memset(shared, PATTERN, bytes);
    self.copy.push_back({shared, global, bytes, zero_bytes, self.batch});
}

void __pipeline_commit()
{
    ++running_grid.running->batch;
}

void __pipeline_wait_prior(size_t prior)
{
    grid_thread &self = *running_grid.running;
    size_t done = 0;
    for (; done < self.copy.size() && self.copy[done].batch + prior < self.batch; ++done) {
        const pending_copy &copy = self.copy[done];
        memcpy(copy.to, copy.from, copy.bytes - copy.zero_bytes);
        memset(static_cast<char *>(copy.to) + copy.bytes - copy.zero_bytes, 0, copy.zero_bytes);
    }
    self.copy.erase(self.copy.begin(), self.copy.begin() + static_cast<std::ptrdiff_t>(done));
}
