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

static macadam_status begin_part(const divided_search &search, divided_part &part)
{
    const lanes_job &job = search.job;
    const size_t gpus = search.device->gpu_count;
    part.arcs = job.arcs->device->on[part.index];
    part.own = own_nodes(job.arcs->graph, part.index, gpus);
    const mcd_node nodes = part.arcs->node_count;
    void *pinned;
    MCD_TRY(part.call.begin());
    MCD_TRY(part.call.pinned(0, &pinned));
    part.reached = (levels_reached *)pinned;
    MCD_TRY(part.levels.allocate(part.call, "allocating levels", *part.arcs, job.hops->strategy));
    MCD_TRY(part.bits.allocate(part.call, 2 * part.words() + blocks_of<size_t>(nodes, WARP),
                               "allocating levels"));
    MCD_TRY(answers_stay(part.call, job, &part.stay));
    part.stay = part.stay && job.is_plain();
    if (!part.stay) MCD_TRY(part.own_hops.allocate(part.call, nodes, "allocating hops"));
    if (job.parent) MCD_TRY(part.parent.allocate(part.call, nodes, "allocating parents"));
    return part.answers.allocate(part.call, job, part.own, part.index, gpus, job.is_plain() ? 0 : 1, 1);
}

static macadam_status begin(divided_search &search, macadam_error *error)
{
    MCD_TRY(peers_meet(search.device, error));
    for (size_t g = 0; g < search.device->gpu_count; ++g) {
        divided_part &part = search.parts.add(&search.device->gpu[g], error);
        MCD_TRY(begin_part(search, part));
        search.stay = search.stay || part.stay;
    }
    return MACADAM_OK;
}

/* ---- steps ---- */

/* Finds the words that another part's last step has left: in place, or copied to this part. */
static macadam_status read_peer(const divided_search &search, divided_part &part, const divided_part &peer,
                                unsigned last_step, levels_peer *out)
{
    *out = {peer.own, peer.sent(last_step)};
    if (peer.words() == 0 || search.device->reaches[part.index][peer.index]) return MACADAM_OK;
    CUDA_TRY(part.call,
             cudaMemcpyPeerAsync(part.copy_of(peer), part.call.gpu->ordinal, out->sent,
                                 peer.call.gpu->ordinal, peer.words() * sizeof *out->sent, part.call.stream),
             "copying visited nodes from another device");
    out->sent = part.copy_of(peer);
    return MACADAM_OK;
}

static macadam_status enqueue_step(divided_search &search, divided_part &part, mcd_node source,
                                   unsigned number)
{
    levels_step step = {};
    step.own = part.own, step.number = number;
    step.sent = part.sent(number), step.reached = part.reached;
    if (number > 0) step.before = *part.reached;
    for (size_t g = 0; g < search.parts.count() && number > 0; ++g)
        if (g != part.index)
            MCD_TRY(read_peer(search, part, search.parts[g], number - 1, &step.peer[step.peer_count++]));
    return enqueue_levels_step(part.call, *part.arcs, *search.job.hops, source, step, part.levels, part.hops,
                               part.parent.get());
}

/* Waits for a step and adds the GPUs' counts; *more: another step is needed. */
static macadam_status await_step(gpu_parts<divided_part> &parts, bool *more)
{
    unsigned long long found = 0;
    MCD_TRY(parts.synchronize());
    for (size_t g = 0; g < parts.count(); ++g) found += parts[g].reached->found;
    for (size_t g = 0; g < parts.count(); ++g) parts[g].reached->found = found;
    *more = !parts[0].reached->is_end && found > 0;
    return MACADAM_OK;
}

static macadam_status search_steps(divided_search &search, mcd_node source)
{
    bool more = true;
    for (unsigned number = 0; more; ++number) {
        MCD_TRY(search.parts.each(
            [&](divided_part &part) { return enqueue_step(search, part, source, number); }));
        MCD_TRY(await_step(search.parts, &more));
    }
    return MACADAM_OK;
}

/* ---- answers ---- */

static macadam_status search_from(divided_search &search, size_t i)
{
    const lanes_job &job = search.job;
    const mcd_node source = job.hops->source[i];
    for (size_t g = 0; g < search.parts.count(); ++g) {
        divided_part &part = search.parts[g];
        part.hops = part.stay ? job.objective + i * job.lane_stride : part.own_hops.get();
    }
    if (source == MCD_NODE_NONE)
        MCD_TRY(search.parts.each([](divided_part &part) {
            return enqueue_no_hops(part.call, *part.arcs, part.hops, part.parent.get());
        }));
    else
        MCD_TRY(search_steps(search, source));
    MCD_TRY(search.parts.each([&](divided_part &part) {
        const uint32_t *const dist = job.column ? part.hops : part.hops + part.own.first;
        return answer_one(part.call, part.answers, i, dist, part.parent.get(), search.stay);
    }));
    return search.parts.synchronize();
}

macadam_status hops_divided(const lanes_job &job, macadam_error *error)
{
    divided_search search = {job, job.arcs->device->device, false, {}};
    MCD_TRY(begin(search, error));
    for (size_t i = 0; i < job.lane_count; ++i) {
        MCD_TRY(mcd_progress_step(&job.progress, job.phase(), i, job.lane_count, error));
        MCD_TRY(search_from(search, i));
    }
    return MACADAM_OK;
}
