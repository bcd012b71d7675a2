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
#include "kernels/cuda/frontier/levels.h"

#include <optional>

/* One GPU's part of the search. */
struct divided_part {
    divided_part(gpu_arcs *the_arcs, size_t the_index, macadam_error *error)
        : call(the_arcs->gpu, error), arcs(the_arcs), index(the_index)
    {
    }
    gpu_call call;
    gpu_arcs *const arcs;
    const size_t index;          /* of the GPU */
    mcd_node first = 0, end = 0; /* its own nodes */
    levels_scratch levels;
    gpu_array<uint32_t> bits;          /* its words for the others, twice; copies of the others' words */
    levels_reached *reached = nullptr; /* pinned: the last step's result */
    gpu_array<uint32_t> own_hops;
    gpu_array<mcd_node> parent;
    hops_columns columns;
    bool stay = false;        /* the answer stays on this GPU */
    uint32_t *hops = nullptr; /* by node: the answer, or own_hops */

    size_t words() const
    {
        return blocks_of<size_t>(end - first, WARP);
    }
    /* levels_step.sent */
    uint32_t *sent(unsigned step) const
    {
        return bits.get() + step % 2 * words();
    }
    uint32_t *copy_of(const divided_part &peer) const
    {
        return bits.get() + 2 * words() + peer.first / WARP;
    }
};

struct divided_search {
    explicit divided_search(const mcd_hops_job *the_job)
        : job(the_job), device(the_job->arcs->device->device), gpu_count(device->gpu_count)
    {
    }
    divided_search(const divided_search &) = delete;
    /* Parts read each other's memory: none is freed before all have finished. */
    ~divided_search()
    {
        for (std::optional<divided_part> &one : part)
            if (one && one->call.stream) (void)cudaStreamSynchronize(one->call.stream);
    }
    const mcd_hops_job *const job;
    mcd_device *const device;
    const size_t gpu_count;
    bool stay = false; /* one GPU has the answer in its memory */
    std::optional<divided_part> part[GPUS_MAX];
};

/* ---- parts ---- */

static macadam_status begin_part(const divided_search &search, divided_part &part)
{
    const mcd_hops_job *job = search.job;
    const node_range own = own_nodes(job->arcs->graph, part.index, search.gpu_count);
    const mcd_node nodes = part.arcs->node_count;
    void *pinned;
    part.first = own.first, part.end = own.end;
    MCD_TRY(part.call.begin());
    MCD_TRY(part.call.pinned(0, &pinned));
    part.reached = (levels_reached *)pinned;
    MCD_TRY(part.levels.allocate(part.call, *part.arcs, job->strategy));
    MCD_TRY(part.bits.allocate(part.call, 2 * part.words() + blocks_of<size_t>(nodes, WARP),
                               "allocating levels"));
    MCD_TRY(hops_stay(part.call, job, &part.stay));
    if (!part.stay) MCD_TRY(part.own_hops.allocate(part.call, nodes, "allocating hops"));
    if (job->parent) MCD_TRY(part.parent.allocate(part.call, nodes, "allocating parents"));
    return part.columns.allocate(part.call, job, own, part.index, search.gpu_count);
}

static macadam_status begin(divided_search &search, macadam_error *error)
{
    MCD_TRY(peers_meet(search.device, error));
    for (size_t g = 0; g < search.gpu_count; ++g) {
        search.part[g].emplace(search.job->arcs->device->on[g], g, error);
        MCD_TRY(begin_part(search, *search.part[g]));
        search.stay = search.stay || search.part[g]->stay;
    }
    return MACADAM_OK;
}

/* ---- steps ---- */

/* Finds the words that another part's last step has left: in place, or copied to this part. */
static macadam_status read_peer(const divided_search &search, divided_part &part, const divided_part &peer,
                                unsigned last_step, levels_peer *out)
{
    *out = {peer.first, peer.end, peer.sent(last_step)};
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
    const mcd_hops_job *job = search.job;
    levels_step step = {};
    step.first = part.first, step.end = part.end, step.number = number;
    step.sent = part.sent(number), step.reached = part.reached;
    MCD_TRY(part.call.enter());
    if (number > 0) step.before = *part.reached;
    for (size_t g = 0; g < search.gpu_count && number > 0; ++g)
        if (g != part.index)
            MCD_TRY(read_peer(search, part, *search.part[g], number - 1, &step.peer[step.peer_count++]));
    return enqueue_levels_step(part.call, *part.arcs, job->direction, source, job->limit, step, &part.levels,
                               part.hops, part.parent.get());
}

/* Waits for a step and adds the GPUs' counts; *more: another step is needed. */
static macadam_status await_step(divided_search &search, bool *more)
{
    unsigned long long found = 0;
    for (size_t g = 0; g < search.gpu_count; ++g) {
        divided_part &part = *search.part[g];
        CUDA_TRY(part.call, cudaStreamSynchronize(part.call.stream), "searching by levels");
        found += part.reached->found;
    }
    for (size_t g = 0; g < search.gpu_count; ++g) search.part[g]->reached->found = found;
    *more = !search.part[0]->reached->is_end && found > 0;
    return MACADAM_OK;
}

static macadam_status search_steps(divided_search &search, mcd_node source)
{
    bool more = true;
    for (unsigned number = 0; more; ++number) {
        for (size_t g = 0; g < search.gpu_count; ++g)
            MCD_TRY(enqueue_step(search, *search.part[g], source, number));
        MCD_TRY(await_step(search, &more));
    }
    return MACADAM_OK;
}

static macadam_status search_nothing(divided_search &search)
{
    for (size_t g = 0; g < search.gpu_count; ++g) {
        divided_part &part = *search.part[g];
        MCD_TRY(part.call.enter());
        MCD_TRY(enqueue_no_hops(part.call, *part.arcs, part.hops, part.parent.get()));
    }
    return MACADAM_OK;
}

/* ---- answers ---- */

static macadam_status deliver_all(divided_search &search, size_t i)
{
    for (size_t g = 0; g < search.gpu_count; ++g) {
        divided_part &part = *search.part[g];
        MCD_TRY(part.call.enter());
        MCD_TRY(part.columns.deliver(part.call, search.job, i, part.hops, part.parent.get(), search.stay));
    }
    for (size_t g = 0; g < search.gpu_count; ++g) MCD_TRY(search.part[g]->call.synchronize());
    return MACADAM_OK;
}

static macadam_status search_from(divided_search &search, size_t i)
{
    const mcd_hops_job *job = search.job;
    for (size_t g = 0; g < search.gpu_count; ++g) {
        divided_part &part = *search.part[g];
        part.hops = part.stay ? job->hops + i * job->column_count : part.own_hops.get();
    }
    if (job->source[i] == MCD_NODE_NONE)
        MCD_TRY(search_nothing(search));
    else
        MCD_TRY(search_steps(search, job->source[i]));
    return deliver_all(search, i);
}

macadam_status hops_divided(const mcd_hops_job *job, macadam_error *error)
{
    divided_search search(job);
    MCD_TRY(begin(search, error));
    for (size_t i = 0; i < job->source_count; ++i) {
        MCD_TRY(mcd_progress_step(&job->progress, "breadth-first searches", i, job->source_count, error));
        MCD_TRY(search_from(search, i));
    }
    return MACADAM_OK;
}
