/* partition_hops.cu - breadth-first search and connections where nodes are partitioned among GPUs
 * (partition.h).
 *
 * A level is a round. If a level has a large part of the arcs, it is made upwards instead: the own nodes
 * that are not reached look for a reached neighbour. Before that the GPUs exchange one bit for each node.
 * (Beamer, Asanovic, Patterson 2012; Buluc, Madduri 2011, 1-D partitions)
 * A connection is a search from the source that ends when the target is reached. Its path is walked back
 * over the smallest nearer neighbours, on one GPU until it leaves that GPU's range. */
#include "kernels/cuda/frontier/levels.h"
#include "kernels/cuda/frontier/parents.h"
#include "kernels/cuda/frontier/partition.h"
#include "kernels/cuda/frontier/tails.h"

typedef partition_part<uint32_t> hops_part;

/* ---- upwards ---- */

/* Grid: one thread per own node, in whole warps. */
static __global__ void mark_reached(partition_view<uint32_t> part, uint32_t *visited)
{
    const mcd_node node = part.own.first + (mcd_node)thread_index();
    const bool is = node < part.own.end && part.dist[node - part.own.first] != MCD_COST_UNREACHED;
    const unsigned bits = __ballot_sync(WARP_ALL, is);
    if (threadIdx.x % WARP == 0 && node < part.own.end) visited[node / WARP] = bits;
}

/* Each own node that is not reached looks for a visited neighbour; found nodes wait. Grid: as
 * mark_reached. */
static __global__ void look_upwards(partition_view<uint32_t> part, side_view in, uint32_t level)
{
    const mcd_node node = part.own.first + (mcd_node)thread_index();
    const bool asks = node < part.own.end && part.dist[node - part.own.first] == MCD_COST_UNREACHED;
    const uint32_t first = asks ? in.first[node] : 0, end = asks ? in.first[node + 1] : 0;
    const mcd_node tail = find_tail(in, first, end, [&](int, uint32_t, mcd_node from) {
        return (bool)(part.visited[from / WARP] >> from % WARP & 1);
    });
    const bool is = tail != MCD_NODE_NONE;
    const unsigned bits = __ballot_sync(WARP_ALL, is),
                   arcs = __reduce_add_sync(WARP_ALL, is ? part.out.degree(node) : 0);
    if (is) part.dist[node - part.own.first] = level;
    if (threadIdx.x % WARP > 0 || node >= part.own.end) return;
    part.waiting[(node - part.own.first) / WARP] = bits;
    if (bits == 0) return;
    atomicAdd(&part.report->fallen, (unsigned long long)__popc(bits));
    atomicAdd(&part.report->arcs, (unsigned long long)arcs);
}

static void mark_visited(hops_search &search, hops_part &of)
{
    search.receive(of);
    of.call.run("marking nodes", one_thread_each(of.own_words() * WARP), mark_reached, search.view(of.index),
                of.arrays.visited);
}

/* All parts have marked their nodes. */
static void enqueue_upwards(hops_search &search, hops_part &of)
{
    for (size_t p = 0; p < search.part_count; ++p) {
        const hops_part &from = search.part[p];
        const size_t first = from.own.first / WARP;
        if (p == of.index || from.own_words() == 0) continue;
        of.call.check(cudaMemcpyPeerAsync(of.arrays.visited + first, of.call.gpu->ordinal,
                                          from.arrays.visited + first, from.call.gpu->ordinal,
                                          from.own_words() * sizeof(uint32_t), of.call.stream),
                      "copying visited nodes from another device");
    }
    of.call.fill(of.arrays.report, 0, 1, "beginning a round");
    of.call.run("looking upwards", one_thread_each(of.own_words() * WARP), look_upwards,
                search.view(of.index), of.arcs->view(!search.direction), search.level + 1);
}

/* ---- levels ---- */

/* Of the last round. A node that several parts have found counts for each. */
static uint64_t found_nodes(const hops_search &search)
{
    uint64_t found = 0;
    for (size_t g = 0; g < search.part_count; ++g) {
        const partition_report &of = search.part[g].done;
        found += of.fallen;
        for (size_t p = 0; p < search.part_count; ++p) found += of.sent_count[p];
    }
    return found;
}

/* Only the owner knows the arcs of a node: others' nodes count as many as own ones on average. */
static uint64_t found_arcs(const hops_search &search)
{
    const gpu_arcs &all = *search.part[0].arcs;
    uint64_t own = 0, arcs = 0;
    for (size_t g = 0; g < search.part_count; ++g)
        own += search.part[g].done.fallen, arcs += search.part[g].done.arcs;
    if (own == 0) return found_nodes(search) * (all.arc_count / all.node_count + 1);
    return (uint64_t)((double)arcs / (double)own * (double)found_nodes(search));
}

static void take_level(hops_search &search, bool up, size_t owner, mcd_node target)
{
    if (up) {
        search.part.each([&](hops_part &of) { mark_visited(search, of); });
        search.part.synchronize();
    }
    const auto enqueue_level = [&](hops_part &of) {
        up ? enqueue_upwards(search, of) : search.enqueue_round(of, UINT64_MAX);
        if (of.index != owner) return;
        of.call.copy(of.reached, of.own_dist() + target, 1, "looking at the target");
    };
    search.part.each(enqueue_level);
    ++search.level;
    search.end_round();
}

size_t owner_of_node(const hops_search &search, mcd_node node)
{
    size_t g = 0;
    while (g < search.part_count && node >= search.part[g].own.end) ++g;
    return g;
}

void find_hops(hops_search &search, mcd_node source, uint32_t limit, mcd_node target,
               const mcd_progress &progress, const char *phase, size_t done, size_t total)
{
    const size_t owner = owner_of_node(search, target);
    uint64_t left = search.part[0].arcs->arc_count;
    search.limit = UINT32_MAX;
    search.clear();
    if (source == MCD_NODE_NONE) return;
    search.seed(source, 0);
    search.part[0].done.fallen = 1;
    for (bool up = false; search.level < limit && found_nodes(search) > 0;) {
        const uint64_t arcs = found_arcs(search);
        must(mcd_progress_step, &progress, phase, done, total);
        left -= arcs < left ? arcs : left;
        up = level_goes_up(up, found_nodes(search), arcs, left, search.part[0].arcs->node_count);
        take_level(search, up, owner, target);
        if (owner < search.part_count && *search.part[owner].reached != MCD_COST_UNREACHED) break;
    }
    search.part.each([&](hops_part &of) { search.receive(of); });
    search.part.synchronize();
}

/* ---- connections ---- */

/* Walks from the path's node after `end[1]` hops, as far as the owner's range goes, and copies what it has
 * found. */
static void walk_on(hops_part &of, const mcd_connect_job *job, gpu_array<mcd_node> *path, mcd_node *end)
{
    const uint32_t from = end[1];
    gpu_array<mcd_node> reached;
    of.call.enter();
    if (!path->get()) path->allocate(of.call, (size_t)from + 1, "allocating a path");
    reached.allocate(of.call, 2, "allocating a path");
    enqueue_path(of.call, *of.arcs, {nullptr, 0}, of.all.get(), end[0], from, path->get(), reached.get());
    of.call.copy(end, reached.get(), 2, "walking a path");
    of.call.synchronize();
    const size_t first = end[1] > 0 ? (size_t)end[1] + 1 : 0,
                 last = mcd_size_min((size_t)from + 1, job->path_capacity);
    if (first >= last) return;
    of.call.copy(job->path + first, path->get() + first, last - first, "copying a path");
    of.call.synchronize();
}

void partition_connect(const mcd_connect_job *job)
{
    hops_search search(job->arcs->device, MCD_FORWARD, true);
    gpu_array<mcd_node> path[GPUS_MAX];
    mcd_node end[2] = {job->target, 0};
    must(mcd_progress_step, &job->progress, "connect", 0, 1);
    search.begin();
    const size_t owner = owner_of_node(search, job->target);
    find_hops(search, job->source, UINT32_MAX, job->target, job->progress, "connect", 0, 1);
    *job->hops = end[1] = *search.part[owner].reached;
    if (!job->path || end[1] == MCD_COST_UNREACHED) return;
    search.share_costs();
    while (end[1] > 0) {
        const size_t g = owner_of_node(search, end[0]);
        walk_on(search.part[g], job, &path[g], end);
    }
}
