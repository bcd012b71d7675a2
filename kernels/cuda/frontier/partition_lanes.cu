/* partition_lanes.cu - trees and breadth-first searches without a hierarchy where nodes are partitioned among
 * GPUs (partition.h), one lane after the other. Trees: near-far; Bellman-Ford is the same without bounds. */
#include "kernels/cuda/frontier/frontier.h"
#include "kernels/cuda/frontier/parents.h"
#include "kernels/cuda/frontier/partition.h"

/* A part's answers to one lane. */
struct part_answer {
    lane_answers answers;
    gpu_array<mcd_node> parent;
    gpu_scratch<parents_arrays> parents;
    /* By node. */
    mcd_node *parent_by_node() const
    {
        return parent.get() - answers.own.first;
    }
};

template <class Cost> struct lane_search {
    explicit lane_search(const lanes_job &the_job)
        : job(the_job), parts(the_job.arcs->device, the_job.direction, the_job.hops != nullptr)
    {
    }
    const lanes_job &job;
    part_answer answer[GPUS_MAX]; /* parts read each other's: it is freed after they have finished */
    partition_search<Cost> parts;
};

/* ---- costs ---- */

template <class Cost> static void seed_lane(partition_search<Cost> &search, const mcd_lane &lane)
{
    for (uint32_t s = 0; s < mcd_lane_seed_count(&lane); ++s) {
        const mcd_seed &seed = lane.seed[s];
        if (seed.objective <= search.limit)
            search.seed(seed.node, cost_of<Cost>(seed.objective, seed.companion));
    }
}

/* Finds the least costs of own nodes. */
template <class Cost> static void find_costs(lane_search<Cost> &of, size_t lane)
{
    partition_search<Cost> &search = of.parts;
    const lanes_job &job = of.job;
    const mcd_weight delta = job.method == MCD_TREE_BELLMAN_FORD
                                 ? MCD_WEIGHT_MAX
                                 : frontier_delta(*job.arcs->device->on[0], job.delta);
    search.limit = job.limit;
    search.clear();
    seed_lane(search, job.lane[lane]);
    for (uint64_t bound = 0;;) {
        bool is_quiet = true;
        uint32_t far = 0; /* the inverted least objective of those that wait */
        must(mcd_progress_step, &job.progress, job.phase(), lane, job.lane_count);
        search.part.each([&](partition_part<Cost> &part) { search.enqueue_round(part, bound); });
        search.end_round();
        for (size_t g = 0; g < search.part_count; ++g) {
            const partition_report &report = search.part[g].done;
            is_quiet = is_quiet && report.queued == 0;
            for (size_t p = 0; p < search.part_count; ++p) is_quiet = is_quiet && report.sent_count[p] == 0;
            if (report.low_inverted > far) far = report.low_inverted;
        }
        if (is_quiet && far == 0) return;
        if (is_quiet) bound = (uint64_t)~far + delta;
    }
}

static void find_lane(lane_search<uint32_t> &search, size_t lane)
{
    const lanes_job &job = search.job;
    if (!job.hops) return find_costs(search, lane);
    find_hops(search.parts, job.hops->source[lane], job.limit, MCD_NODE_NONE, job.progress, job.phase(), lane,
              job.lane_count);
}

static void find_lane(lane_search<uint64_t> &search, size_t lane)
{
    find_costs(search, lane);
}

/* ---- parents ---- */

static void find_hop_parents(lane_search<uint32_t> &search)
{
    search.parts.part.each([&](partition_part<uint32_t> &of) {
        part_answer &answer = search.answer[of.index];
        answer.parent.fill(of.call, 0xff, "clearing parents");
        return enqueue_hop_parents(of.call, *of.arcs, search.job.direction, of.own, of.all.get(),
                                   answer.parent_by_node());
    });
}

/* Finds the parents of own nodes, round by round; costs are shared. */
template <class Cost> static void find_parents(lane_search<Cost> &search, const mcd_lane &lane)
{
    bool changed = true;
    for (uint32_t round = 0; changed; ++round) {
        const auto enqueue_round = [&](partition_part<Cost> &of) {
            part_answer &answer = search.answer[of.index];
            enqueue_parents(of.call, *of.arcs, search.job, lane, of.all.get(), round, round, answer.parents,
                            answer.parent_by_node());
            of.call.copy(of.reached, &answer.parents.state->changed[round % 3], 1, "finding parents");
        };
        search.parts.part.each(enqueue_round);
        search.parts.part.synchronize();
        changed = false;
        for (size_t g = 0; g < search.parts.part_count; ++g)
            changed = changed || *search.parts.part[g].reached > 0;
        if (changed)
            search.parts.share(
                [&](const partition_part<Cost> &of) { return search.answer[of.index].parents.rank; });
    }
}

/* ---- answers ---- */

template <class Cost>
static void allocate(const lanes_job &job, partition_part<Cost> &of, size_t parts, part_answer &answer)
{
    answer.answers.allocate(of.call, job, of.own, of.index, parts, job.is_plain() ? 0 : 1, 1);
    if (!job.parent) return;
    answer.parent.allocate(of.call, of.own.end - of.own.first, "allocating parents");
    if (!job.hops) answer.parents.allocate(of.call, "allocating ranks", *of.arcs);
}

template <class Cost> static void answer_lane(lane_search<Cost> &search, size_t lane)
{
    const lanes_job &job = search.job;
    find_lane(search, lane);
    if (job.parent || job.column) search.parts.share_costs();
    if constexpr (sizeof(Cost) == sizeof(uint32_t))
        if (job.parent && job.hops) find_hop_parents(search);
    if (job.parent && !job.hops) find_parents(search, job.lane[lane]);
    search.parts.part.each([&](partition_part<Cost> &of) {
        const part_answer &answer = search.answer[of.index];
        return answer_one(of.call, answer.answers, lane, job.column ? of.all.get() : of.arrays.dist,
                          answer.parent_by_node(), false);
    });
    search.parts.part.synchronize();
}

template <class Cost> static void answer_lanes(const lanes_job &job)
{
    lane_search<Cost> search(job);
    search.parts.begin();
    search.parts.part.each([&](partition_part<Cost> &of) {
        allocate(job, of, search.parts.part_count, search.answer[of.index]);
    });
    for (size_t lane = 0; lane < job.lane_count; ++lane) {
        must(mcd_progress_step, &job.progress, job.phase(), lane, job.lane_count);
        answer_lane(search, lane);
    }
    must(mcd_progress_step, &job.progress, job.phase(), job.lane_count, job.lane_count);
}

void partition_lanes(const lanes_job &job)
{
    (job.companion ? answer_lanes<uint64_t> : answer_lanes<uint32_t>)(job);
}
