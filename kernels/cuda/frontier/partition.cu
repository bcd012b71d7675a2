/* partition.cu - see partition.h.
 *
 * Method. Every GPU has the arcs of its own nodes, a range of the locality order. A round follows the arcs of
 * the own nodes that wait and are near. If the cost of an own node falls, the node waits; another GPU's node
 * is put into a list for that GPU, with its cost. The next round begins by reading the others' lists. So GPUs
 * exchange only nodes at which ranges meet, each at most once a round, and a GPU sends a node again only if
 * its cost has fallen. Hops take one round for a level. Costs take rounds until no node is near; then the
 * bound of nearness rises. (Merrill, Garland, Grimshaw 2012, section 8, lists; Davidson et al. 2014,
 * near-far)
 *
 * Memory. A GPU holds its part; a cost for each own node and each halo node; for each halo node a place in
 * each of two sets of lists; and three bits for each of all nodes. Parents, columns and paths look at costs
 * of all nodes: these are exchanged once the search has ended.
 * Races   costs fall by atomic minima. Lists of one round are read in the next one, in which others are
 * written.
 * Limit   launches and one thread's wait, some 50 us a round: narrow frontiers are slow here. */
#include "kernels/cuda/frontier/partition.h"

#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/scan.h"
#include "kernels/cuda/frontier/falling.h"
#include "kernels/cuda/frontier/queue.h"

enum {
    FOLLOW_BLOCK = 256,
    EACH = 8, /* blocks per multiprocessor */
};

/* ---- in kernels ---- */

template <class Cost> static __device__ void wait_at(const partition_view<Cost> &part, mcd_node node)
{
    const mcd_node at = node - part.own.first;
    atomicOr(&part.waiting[at / WARP], 1u << at % WARP);
}

/* ---- a round ---- */

/* Takes a list that another part has sent. Grid: one thread per node. cost: NULL if all are `level`. */
template <class Cost>
static __global__ void receive_list(partition_view<Cost> part, const mcd_node *__restrict__ node,
                                    const Cost *__restrict__ cost, Cost level, unsigned count)
{
    const uint64_t i = thread_index();
    if (i >= count) return;
    const Cost to = cost ? cost[i] : level;
    Cost *const dist = &part.dist[node[i] - part.own.first];
    if (to >= *dist) return;
    *dist = to; /* the list has a node only once */
    wait_at(part, node[i]);
}

/* Puts the waiting nodes whose objective is below the bound into the queue. A lane looks at a word. */
template <class Cost> static __global__ void collect_near(partition_view<Cost> part, uint64_t bound)
{
    const mcd_node words = blocks_of(part.own.end - part.own.first, (mcd_node)WARP);
    const unsigned lane = threadIdx.x % WARP;
    uint32_t low = UINT32_MAX;
    for (mcd_node base = (mcd_node)thread_index() - lane; base < words; base += gridDim.x * blockDim.x) {
        const mcd_node word = base + lane, first = part.own.first + word * WARP;
        const uint32_t bits = word < words ? part.waiting[word] : 0;
        uint32_t near = 0, arcs = 0;
        for (uint32_t rest = bits; rest; rest &= rest - 1) {
            const mcd_node node = first + (mcd_node)__ffs((int)rest) - 1;
            const uint32_t objective = cost_objective(part.dist[node - part.own.first]);
            if (objective < bound)
                near |= rest & (0 - rest), arcs += part.out.degree(node);
            else
                low = min(low, objective);
        }
        if (near) part.waiting[word] = bits & ~near;
        for (uint32_t rest = near; rest; rest &= rest - 1)
            if (part.out.degree(first + (mcd_node)__ffs((int)rest) - 1) == 0) near &= ~(rest & (0 - rest));
        const unsigned long long own = (unsigned long long)__popc(near) << 32 | arcs, sum = warp_scan(own),
                                 total = __shfl_sync(WARP_ALL, sum, WARP - 1);
        unsigned long long at = sum - own, base_at = 0;
        if (total == 0) continue;
        if (lane == 0) base_at = atomicAdd(&part.report->queued, total);
        at += __shfl_sync(WARP_ALL, base_at, 0);
        for (uint32_t rest = near; rest; rest &= rest - 1) {
            const mcd_node node = first + (mcd_node)__ffs((int)rest) - 1;
            part.queue[at >> 32] = node;
            part.before[at >> 32] = (uint32_t)at;
            at += 1ull << 32 | part.out.degree(node);
        }
    }
    low = __reduce_min_sync(WARP_ALL, low);
    if (lane == 0 && low < UINT32_MAX) atomicMax(&part.report->low_inverted, ~low);
}

/* Puts the lanes' nodes into the lists of their parts. Called by all lanes of a warp. */
template <class Cost> static __device__ void send(const partition_view<Cost> &part, bool is, mcd_node node)
{
    if (!__any_sync(WARP_ALL, is)) return;
    for (size_t p = 0; p < part.part_count; ++p) {
        const bool to = is && node >= part.first[p] && node < part.first[p + 1];
        const unsigned lanes = __ballot_sync(WARP_ALL, to);
        if (lanes == 0) continue;
        unsigned first;
        const unsigned at = reserve(&part.report->sent_count[p], lanes, &first);
        if (to) part.to_send[part.halo_first[p] + at] = node;
    }
}

/* Lowers the cost of an arc's head. Called by all lanes of a warp; returns the arcs that leave an own node
 * which has fallen. */
template <class Cost, bool HOPS>
static __device__ uint32_t relax(const partition_view<Cost> &part, bool is, mcd_node tail, uint32_t arc,
                                 Cost level, bool *fallen)
{
    const mcd_node head = part.out.head[arc];
    const bool is_own = part.is_own(head);
    Cost sum = level;
    if constexpr (!HOPS)
        sum = cost_add(part.dist[tail - part.own.first], part.out.template weight<Cost>(arc));
    is = is && cost_objective(sum) <= part.limit;
    if constexpr (HOPS) is = is && (is_own || !(part.visited[head / WARP] >> head % WARP & 1));
    const mcd_node place = is ? part.place(head) : 0;
    is = is && sum < part.dist[place] && sum < lower_cost(part.dist + place, sum);
    if (is && is_own) wait_at(part, head);
    bool sends = is && !is_own;
    if constexpr (!HOPS) {
        const uint32_t bit = 1u << place % WARP;
        sends = sends && !(atomicOr(&part.listed[place / WARP], bit) & bit);
    }
    send(part, sends, head);
    *fallen = is && is_own;
    return HOPS && *fallen ? part.out.degree(head) : 0;
}

/* Follows the arcs of the nodes in the queue; laid end to end they are divided evenly. */
template <class Cost, bool HOPS>
static __global__ void __launch_bounds__(FOLLOW_BLOCK) follow_arcs(partition_view<Cost> part, Cost level)
{
    __shared__ arc_window<FOLLOW_BLOCK> window;
    __shared__ mcd_node node[FOLLOW_BLOCK];
    const arc_queue queue = {part.queue, part.before, (unsigned)(part.report->queued >> 32),
                             (uint32_t)part.report->queued};
    unsigned fallen = 0, fallen_arcs = 0;
    const auto keep = [&](mcd_node its) { node[threadIdx.x] = its; };
    expand_queue(queue, part.out.first, &window, keep, [&](uint64_t first, uint64_t end) {
        for (uint64_t base = first; base < end; base += FOLLOW_BLOCK) {
            const bool is = base + threadIdx.x < end;
            const uint32_t arc = (uint32_t)(is ? base + threadIdx.x : end - 1);
            const unsigned place = window_place(window.before, arc);
            bool falls;
            fallen_arcs += relax<Cost, HOPS>(part, is, node[place],
                                             window.first[place] + arc - window.before[place], level, &falls);
            fallen += falls;
        }
        __syncthreads();
    });
    if (!HOPS) return;
    fallen = __reduce_add_sync(WARP_ALL, fallen), fallen_arcs = __reduce_add_sync(WARP_ALL, fallen_arcs);
    if (threadIdx.x % WARP > 0 || fallen == 0) return;
    atomicAdd(&part.report->fallen, (unsigned long long)fallen);
    atomicAdd(&part.report->arcs, (unsigned long long)fallen_arcs);
}

/* Adds the costs to the lists and clears the bits of their nodes; several threads may clear a word. */
template <class Cost> static __global__ void pack_lists(partition_view<Cost> part)
{
    for (size_t p = 0; p < part.part_count; ++p)
        for (uint64_t i = thread_index(); i < part.report->sent_count[p]; i += gridDim.x * blockDim.x) {
            const mcd_node at = part.halo_first[p] + (mcd_node)i, place = part.place(part.to_send[at]);
            part.to_send_cost[at] = part.dist[place];
            part.listed[place / WARP] = 0;
        }
}

/* ---- halos ---- */

/* *count: own arcs. Grid: any. */
static __global__ void mark_halo(const mcd_node *__restrict__ head, const uint32_t *count, node_range own,
                                 halo_word *halo)
{
    for (uint64_t arc = thread_index(); arc < *count; arc += (uint64_t)gridDim.x * blockDim.x) {
        const mcd_node node = head[arc];
        const uint32_t bit = 1u << node % WARP;
        if ((node < own.first || node >= own.end) && !(__ldcg(&halo[node / WARP].bits) & bit))
            atomicOr(&halo[node / WARP].bits, bit);
    }
}

static __global__ void count_halo(const halo_word *__restrict__ halo, size_t words, uint32_t *count)
{
    const size_t i = thread_index();
    if (i < words) count[i] = __popc(halo[i].bits);
}

static __global__ void number_halo(const mcd_arc *__restrict__ before, size_t words, halo_word *halo)
{
    const size_t i = thread_index();
    if (i < words) halo[i].before = (uint32_t)before[i];
}

/* halo_first of a side, for that device. */
static void read_halo(gpu_call &call, const mcd_device_arcs &arcs, const mcd_arc *before, size_t words,
                      mcd_node *halo_first)
{
    const size_t parts = arcs.device->gpu_count;
    mcd_arc first[GPUS_MAX + 1];
    for (size_t p = 0; p <= parts; ++p)
        call.copy(&first[p], before + (p < parts ? arcs.on[p]->own.first / WARP : words), 1, "finding halos");
    call.synchronize();
    for (size_t p = 0; p <= parts; ++p) halo_first[p] = (mcd_node)first[p];
}

/* Finds a GPU's halo nodes unless they are known. */
static void find_halo(gpu_call &call, const mcd_device_arcs &all, gpu_arcs &arcs, mcd_direction direction)
{
    gpu_side &side = arcs.side[direction];
    const size_t words = blocks_of<size_t>(arcs.node_count, WARP);
    const uint64_t blocks =
        mcd_size_min((size_t)call.gpu->processor_count * EACH, blocks_of<size_t>(arcs.arc_count, ARCS_LEAST));
    gpu_array<uint32_t> word_count;
    gpu_array<mcd_arc> before;
    make_once(call, arcs, &side.halo, [&](gpu_array<halo_word> &made) {
        static const char what[] = "finding halos";
        const launch_shape shape = one_thread_each(words);
        gpu_allocate_all(call, what, made, words, word_count, words, before, words + 1);
        made.fill(call, 0, what);
        call.run(what, {blocks, FOLLOW_BLOCK}, mark_halo, side.head.get(),
                 side.first.get() + (arcs.own.end - arcs.own.first), arcs.own, made.get());
        call.run(what, shape, count_halo, made.get(), words, word_count.get());
        enqueue_scan(call, word_count.get(), words, before.get());
        call.run(what, shape, number_halo, before.get(), words, made.get());
        read_halo(call, all, before.get(), words, side.halo_first);
    });
}

/* ---- searches ---- */

template <class Cost>
void partition_arrays<Cost>::lay_out(gpu_carver &carver, const gpu_arcs &arcs, size_t halo, bool is_hops,
                                     bool reaches_all)
{
    const size_t own = arcs.own.end - arcs.own.first, costs = is_hops ? 0 : 1, inbox = reaches_all ? 0 : own;
    carver.take(&dist, own + halo, &waiting, blocks_of<size_t>(own, WARP), &listed,
                costs * blocks_of<size_t>(own + halo, WARP), &visited,
                is_hops ? blocks_of<size_t>(arcs.node_count, WARP) : 0, &queue, own, &before, own);
    for (int i = 0; i < 2; ++i) carver.take(&sent_node[i], halo, &sent_cost[i], costs * halo);
    carver.take(&inbox_node, inbox, &inbox_cost, costs * inbox, &report, 1);
}

template <class Cost>
static void allocate_part(const partition_search<Cost> &search, partition_part<Cost> &part)
{
    bool reaches_all = true;
    part.arcs = search.arcs->on[part.index];
    part.own = part.arcs->own;
    find_halo(part.call, *search.arcs, *part.arcs, search.direction);
    part.reported = (partition_report *)part.call.pinned(0);
    part.reached = (uint32_t *)(part.reported + 1);
    for (size_t g = 0; g < search.part_count; ++g)
        reaches_all = reaches_all && (g == part.index || search.arcs->device->reaches[part.index][g]);
    part.arrays.allocate(part.call, "allocating a part of a search", *part.arcs,
                         part.arcs->side[search.direction].halo_first[search.part_count], search.is_hops,
                         reaches_all);
}

template <class Cost> void partition_search<Cost>::begin()
{
    peers_meet(arcs->device);
    for (size_t g = 0; g < part_count; ++g) allocate_part(*this, part.add(&arcs->device->gpu[g]));
}

template <class Cost> void partition_search<Cost>::clear()
{
    round = 0, level = 0;
    const auto clear_part = [](partition_part<Cost> &of) {
        const partition_arrays<Cost> &its = of.arrays;
        of.done = {};
        of.call.fill((char *)its.dist, 0xff, (char *)its.waiting - (char *)its.dist, "clearing costs");
        return of.call.fill((char *)its.waiting, 0, (char *)its.queue - (char *)its.waiting,
                            "clearing costs");
    };
    part.each(clear_part);
    part.synchronize();
}

template <class Cost> static __global__ void seed_part(partition_view<Cost> part, mcd_node node, Cost cost)
{
    Cost *const dist = &part.dist[node - part.own.first];
    if (cost >= *dist) return;
    *dist = cost;
    wait_at(part, node);
}

template <class Cost> void partition_search<Cost>::seed(mcd_node node, Cost cost)
{
    size_t g = 0;
    while (node >= part[g].own.end) ++g;
    gpu_call &call = part[g].call;
    call.enter();
    call.run("seeding a part", {1, 1}, seed_part<Cost>, view(g), node, cost);
}

template <class Cost> partition_view<Cost> partition_search<Cost>::view(size_t g) const
{
    const partition_part<Cost> &of = part[g];
    const gpu_side &side = of.arcs->side[direction];
    partition_view<Cost> out = {};
    static_cast<partition_arrays<Cost> &>(out) = of.arrays;
    out.out = of.arcs->view(direction);
    out.own = of.own;
    out.part_count = part_count;
    out.halo = side.halo.get();
    for (size_t p = 0; p <= part_count; ++p) {
        out.first[p] = p < part_count ? part[p].own.first : of.arcs->node_count;
        out.halo_first[p] = side.halo_first[p];
    }
    out.to_send = of.arrays.sent_node[round % 2], out.to_send_cost = of.arrays.sent_cost[round % 2];
    out.limit = limit;
    return out;
}

/* Copies what another part has sent to the inbox, if it cannot be read in place. */
template <class T>
static void fetch(gpu_call &call, const mcd_gpu &peer, T *inbox, const T **from, size_t count)
{
    if (!*from) return;
    call.check(
        cudaMemcpyPeerAsync(inbox, call.gpu->ordinal, *from, peer.ordinal, count * sizeof(T), call.stream),
        "copying nodes from another device");
    *from = inbox;
}

template <class Cost> void partition_search<Cost>::receive(partition_part<Cost> &to)
{
    for (size_t p = 0; p < part_count; ++p) {
        const unsigned count = part[p].done.sent_count[to.index];
        const mcd_node first = part[p].arcs->side[direction].halo_first[to.index];
        const mcd_node *node = part[p].arrays.sent_node[(round + 1) % 2] + first;
        const Cost *cost = is_hops ? nullptr : part[p].arrays.sent_cost[(round + 1) % 2] + first;
        if (count == 0) continue;
        if (!arcs->device->reaches[to.index][p]) {
            fetch(to.call, *part[p].call.gpu, to.arrays.inbox_node, &node, count);
            fetch(to.call, *part[p].call.gpu, to.arrays.inbox_cost, &cost, count);
        }
        to.call.run("receiving nodes", one_thread_each(count), receive_list<Cost>, view(to.index), node, cost,
                    (Cost)level, count);
    }
}

template <class Cost> void partition_search<Cost>::enqueue_round(partition_part<Cost> &of, uint64_t bound)
{
    const partition_view<Cost> its = view(of.index);
    const uint64_t blocks = mcd_size_min((size_t)of.call.gpu->processor_count * EACH,
                                         blocks_of<size_t>(of.arcs->arc_count, ARCS_LEAST)),
                   collectors = mcd_size_min(blocks, blocks_of<size_t>(of.own_words(), FOLLOW_BLOCK));
    receive(of);
    of.call.fill(its.report, 0, 1, "beginning a round");
    of.call.run("collecting nodes", {collectors, FOLLOW_BLOCK}, collect_near<Cost>, its, bound);
    of.call.run("following arcs", {blocks, FOLLOW_BLOCK},
                is_hops ? follow_arcs<Cost, true> : follow_arcs<Cost, false>, its, (Cost)(level + 1));
    if (is_hops) return;
    of.call.run("sending nodes", {blocks, FOLLOW_BLOCK}, pack_lists<Cost>, its);
}

template <class Cost> void partition_search<Cost>::end_round()
{
    part.each([](partition_part<Cost> &of) {
        of.call.copy(of.reported, of.arrays.report, 1, "reporting a round");
    });
    part.synchronize();
    for (size_t g = 0; g < part_count; ++g) part[g].done = *part[g].reported;
    ++round;
}

template <class Cost> void partition_search<Cost>::share_costs()
{
    static const char what[] = "sharing costs";
    const auto copy_own = [](partition_part<Cost> &of) {
        if (!of.all.get()) of.all.allocate(of.call, of.arcs->node_count, what);
        of.call.copy(of.all.get() + of.own.first, of.arrays.dist, of.own.end - of.own.first, what);
    };
    part.each(copy_own);
    share([](const partition_part<Cost> &of) { return of.all.get(); });
}

template struct partition_search<uint32_t>;
template struct partition_search<uint64_t>;
