/* rounds_device.cu - see rounds_device.h.
 *
 * A kernel a round; the host asks after every one whether there was a change.
 * Races: costs fall by atomicMin. One that is read late is seen in the next round. */
#include "tests/bench/rounds_device.h"

#include "tests/bench/baseline.h"

enum { ROUNDS_BLOCK = 256 };

struct pair_arrays {
    mcd_node *high, *low;
    mcd_weight *up, *down;
};

struct rounds_device {
    mcd_node node_count;
    size_t couple_count;
    pair_arrays pairs;
    uint32_t *cost;
    unsigned *changed;
};

extern "C" rounds_device *rounds_device_new(const mcd_arcs *arcs)
{
    const size_t count = arcs->couple_count;
    rounds_device *const rounds = (rounds_device *)checked_zeroed(1, sizeof *rounds);
    rounds->node_count = arcs->graph->node_count;
    rounds->couple_count = count;
    rounds->pairs = {copy(arcs->couple_high, count), copy(arcs->couple_low, count),
                     copy(arcs->couple_up, count), copy(arcs->couple_down, count)};
    rounds->cost = copy<uint32_t>(nullptr, rounds->node_count);
    rounds->changed = copy<unsigned>(nullptr, 1);
    return rounds;
}

extern "C" void rounds_device_free(rounds_device *rounds)
{
    const pair_arrays &pairs = rounds->pairs;
    void *const all[] = {pairs.high, pairs.low, pairs.up, pairs.down, rounds->cost, rounds->changed};
    for (void *one : all) expect(cudaFree(one));
    free(rounds);
}

/* A cost, through the read-only cache as Kolganov has it, or plainly. A cached cost may be an older, higher one:
 * a round that lowers it is a change, and another round follows, with an empty cache. */
template <bool READ_ONLY> static __device__ uint32_t load(const uint32_t *from)
{
    return READ_ONLY ? __ldg(from) : *from;
}

static __device__ bool relax(uint32_t from, mcd_weight weight, uint32_t *head, uint32_t at)
{
    if (from == UINT32_MAX || weight >= MCD_UNREACHED || from + weight >= at) return false;
    atomicMin(head, from + weight);
    return true;
}

template <bool READ_ONLY>
static __global__ void relax_pairs(pair_arrays pairs, size_t count, uint32_t *cost, unsigned *changed)
{
    const size_t i = (size_t)blockIdx.x * ROUNDS_BLOCK + threadIdx.x;
    if (i >= count) return;
    uint32_t *const high = cost + pairs.high[i], *const low = cost + pairs.low[i];
    const uint32_t at_high = load<READ_ONLY>(high), at_low = load<READ_ONLY>(low);
    const bool down = relax(at_high, pairs.up[i], low, at_low);
    const bool up = relax(at_low, pairs.down[i], high, at_high);
    if (down || up) *changed = 1;
}

static void enqueue_round(const rounds_device *rounds, bool read_only)
{
    const launch_shape shape = {blocks_of<uint64_t>(rounds->couple_count, ROUNDS_BLOCK), ROUNDS_BLOCK, 0,
                                nullptr};
    expect(launch(shape, read_only ? relax_pairs<true> : relax_pairs<false>, rounds->pairs,
                  rounds->couple_count, rounds->cost, rounds->changed));
}

extern "C" bool rounds_device_sssp(rounds_device *rounds, mcd_node source, bool read_only, double end,
                                   uint32_t *out)
{
    const size_t bytes = rounds->node_count * sizeof *out;
    expect(cudaMemset(rounds->cost, 0xff, bytes));
    expect(cudaMemset(rounds->cost + source, 0, sizeof *rounds->cost));
    for (unsigned changed = 1; changed;) {
        if (bench_seconds_now() > end) return false;
        expect(cudaMemset(rounds->changed, 0, sizeof *rounds->changed));
        enqueue_round(rounds, read_only);
        expect(cudaMemcpy(&changed, rounds->changed, sizeof changed, cudaMemcpyDeviceToHost));
    }
    if (out) expect(cudaMemcpy(out, rounds->cost, bytes, cudaMemcpyDeviceToHost));
    return true;
}
