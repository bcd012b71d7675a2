/* hops_divided.cu - breadth-first search from one source on several GPUs, among which the nodes are divided.
 *
 * Method. Every GPU has the whole graph, a bitmap of the visited nodes, and a range of nodes as its own. A
 * step (levels.h) is a few narrow levels, which every GPU makes, and then a wide one bottom-up, in which each
 * GPU looks for parents of its own nodes. The next step begins by reading the words of the others' nodes, in
 * the others' memory; where a GPU cannot reach that, the words are copied first. So GPUs exchange one bit per
 * node in a wide level, of which there are a handful, and nothing while frontiers stay narrow. One thread
 * drives them all, and after every step checks how many nodes they have found.
 * Division  half by the nodes and half by the arcs: bottom-up, most nodes read few of their arcs.
 * Races     none: only a GPU's own kernels write its bitmap. The others read a copy of its words in one of
 *           two places. Each is written again two steps later, which begins when all have made the step
 *           between, in which it was read.
 * Limit     launches, some 10 us per step and GPU; and the narrow levels, which are not divided. */
#include "kernels/cuda/frontier/hops.h"

#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/parts.h"

/* One GPU's part of the search. */
struct divided_part : gpu_part {
    using gpu_part::gpu_part;
    gpu_arcs *arcs = nullptr;
    node_range own = {0, 0};
    gpu_scratch<levels_arrays> levels;
    gpu_array<uint32_t> bits;          /* its words for the others, twice; copies of the others' words */
    levels_reached *reached = nullptr; /* pinned: the last step's result */
    gpu_array<uint32_t> own_hops;
    gpu_array<mcd_node> parent;
    lane_answers answers;
    bool stay = false;        /* the answer stays on this GPU */
    uint32_t *hops = nullptr; /* by node: the answer, or own_hops */

    size_t words() const
    {
        return blocks_of<size_t>(own.end - own.first, WARP);
    }
    /* levels_step.sent */
    uint32_t *sent(unsigned step) const
    {
        return bits.get() + step % 2 * words();
    }
    uint32_t *copy_of(const divided_part &peer) const
    {
        return bits.get() + 2 * words() + peer.own.first / WARP;
    }
};

struct divided_search {
    const lanes_job &job;
    mcd_device *const device;
    bool stay = false; /* one GPU has the answer in its memory */
    gpu_parts<divided_part> parts;
};

/* ---- parts ---- */

static void begin_part(const divided_search &search, divided_part &part)
{
    const lanes_job &job = search.job;
    const size_t gpus = search.device->gpu_count;
    part.arcs = job.arcs->device->on[part.index];
    part.own = own_nodes(job.arcs->graph, part.index, gpus);
    const mcd_node nodes = part.arcs->node_count;
    part.reached = (levels_reached *)part.call.pinned(0);
    part.levels.allocate(part.call, "allocating levels", *part.arcs, job.hops->strategy);
    part.bits.allocate(part.call, 2 * part.words() + blocks_of<size_t>(nodes, WARP), "allocating levels");
    part.stay = answers_stay(part.call, job) && job.is_plain();
    if (!part.stay) part.own_hops.allocate(part.call, nodes, "allocating hops");
    if (job.parent) part.parent.allocate(part.call, nodes, "allocating parents");
    part.answers.allocate(part.call, job, part.own, part.index, gpus, job.is_plain() ? 0 : 1, 1);
}

/* ---- steps ---- */

/* The words that another part's last step has left: in place, or copied to this part. */
static levels_peer read_peer(const divided_search &search, divided_part &part, const divided_part &peer,
                             unsigned last_step)
{
    const uint32_t *const sent = peer.sent(last_step);
    if (peer.words() == 0 || search.device->reaches[part.index][peer.index]) return {peer.own, sent};
    part.call.check(cudaMemcpyPeerAsync(part.copy_of(peer), part.call.gpu->ordinal, sent,
                                        peer.call.gpu->ordinal, peer.words() * sizeof *sent,
                                        part.call.stream),
                    "copying visited nodes from another device");
    return {peer.own, part.copy_of(peer)};
}

static void enqueue_step(divided_search &search, divided_part &part, mcd_node source, unsigned number)
{
    levels_step step = {};
    step.own = part.own, step.number = number;
    step.sent = part.sent(number), step.reached = part.reached;
    if (number > 0) step.before = *part.reached;
    for (size_t g = 0; g < search.parts.count() && number > 0; ++g)
        if (g != part.index)
            step.peer[step.peer_count++] = read_peer(search, part, search.parts[g], number - 1);
    enqueue_levels_step(part.call, *part.arcs, *search.job.hops, source, step, part.levels, part.hops,
                        part.parent.get());
}

/* Waits for a step and adds the GPUs' counts; returns whether another step is needed. */
static bool await_step(gpu_parts<divided_part> &parts)
{
    unsigned long long found = 0;
    parts.synchronize();
    for (size_t g = 0; g < parts.count(); ++g) found += parts[g].reached->found;
    for (size_t g = 0; g < parts.count(); ++g) parts[g].reached->found = found;
    return !parts[0].reached->is_end && found > 0;
}

static void search_steps(divided_search &search, mcd_node source)
{
    unsigned number = 0;
    do {
        search.parts.each([&](divided_part &part) { enqueue_step(search, part, source, number); });
        ++number;
    } while (await_step(search.parts));
}

/* ---- answers ---- */

static void search_from(divided_search &search, size_t i)
{
    const lanes_job &job = search.job;
    const mcd_node source = job.hops->source[i];
    for (size_t g = 0; g < search.parts.count(); ++g) {
        divided_part &part = search.parts[g];
        part.hops = part.stay ? job.objective + i * job.lane_stride : part.own_hops.get();
    }
    if (source == MCD_NODE_NONE)
        search.parts.each(
            [](divided_part &part) { enqueue_no_hops(part.call, *part.arcs, part.hops, part.parent.get()); });
    else
        search_steps(search, source);
    search.parts.each([&](divided_part &part) {
        const uint32_t *const dist = job.column ? part.hops : part.hops + part.own.first;
        answer_one(part.call, part.answers, i, dist, part.parent.get(), search.stay);
    });
    search.parts.synchronize();
}

void hops_divided(const lanes_job &job)
{
    divided_search search = {job, job.arcs->device->device, false, {}};
    peers_meet(search.device);
    for (size_t g = 0; g < search.device->gpu_count; ++g) {
        divided_part &part = search.parts.add(&search.device->gpu[g]);
        begin_part(search, part);
        search.stay = search.stay || part.stay;
    }
    for (size_t i = 0; i < job.lane_count; ++i) {
        must(mcd_progress_step, &job.progress, job.phase(), i, job.lane_count);
        search_from(search, i);
    }
}
