/* sources.cu - see sources.h. Host code only. */
#include "kernels/cuda/sweep/sources.h"

/* ---- to which subnetworks nodes belong ---- */

/* The host's arrays of node_members. */
struct member_arrays {
    host_array<uint32_t> of_node, several;
    size_t count = 0;

    void add(uint32_t value)
    {
        several.reserve(count, "the subnetworks of nodes");
        several[count++] = value;
    }
    /* Those of a node are those of some tails. */
    void list(mcd_node node, const mcd_graph &graph, const uint32_t *component)
    {
        const mcd_arc first = graph.first_in[node], end = graph.first_in[node + 1];
        bool differ = false;
        if (first < end) of_node[node] = component[graph.tail[first]];
        for (mcd_arc xy = first; xy < end; ++xy) differ |= component[graph.tail[xy]] != of_node[node];
        if (!differ) return;
        of_node[node] = SEVERAL | (uint32_t)count;
        add(end - first);
        for (mcd_arc xy = first; xy < end; ++xy) add(component[graph.tail[xy]]);
    }
};

static void fill(member_arrays *out, const mcd_graph &graph, const mcd_cut_off &of)
{
    out->of_node.allocate(graph.node_count + 1, "the subnetworks of nodes");
    out->of_node[graph.node_count] = 0;
    for (mcd_node v = 0; v < graph.node_count; ++v) out->of_node[v] = of.component[v];
    for (size_t i = 0; i < of.id_count; ++i)
        if (of.arrive[i] != of.depart[i]) out->list(of.arrive[i], graph, of.component);
}

static node_members members_of(gpu_call &call, gpu_map &map, const mcd_graph &graph, const mcd_cut_off &of)
{
    static const char what[] = "copying the subnetworks of nodes";
    member_arrays arrays;
    gpu_share room;
    std::unique_lock<std::mutex> guard(map.lock);
    if (!map.member.get()) {
        guard.unlock(); /* while it waits for other calls' memory */
        fill(&arrays, graph, of);
        room.make_room(call, ((uint64_t)graph.node_count + 1 + arrays.count) * sizeof(uint32_t), what);
        guard.lock();
    }
    if (!map.member.get()) {
        gpu_array<uint32_t> member(call, arrays.of_node.get(), graph.node_count + 1, what),
            several(call, arrays.several.get(), arrays.count, what);
        call.synchronize();
        gpu_keep_all(member, several);
        map.member = std::move(member), map.several = std::move(several);
    }
    return {map.member.get(), map.several.get()};
}

/* ---- the places ---- */

sweep_sources::sweep_sources(gpu_call &call, const gpu_weights &on, const mcd_weights &weights,
                             const size_t *first, const mcd_cut_off &cut_off, size_t begin, size_t count,
                             bool apart)
    : first_(first ? first + begin : nullptr), begin_(lane_of(first, begin)), count_(count), apart_(apart)
{
    const mcd_cut_off of = mcd_cut_off_from(cut_off, begin);
    for (size_t i = 0; of.inner && i < count; ++i) cut_off_count_ += of.subnetwork[i] != MCD_SUBNETWORK_NONE;
    table_.allocate(table_size(), "places of several lanes");
    for (size_t i = 0; first && i <= count; ++i) table_[i] = (uint32_t)lane_of(first_, i);
    if (cut_off_count_ == 0) return;
    for (size_t i = 0, at = cut_off_at(); i < count; ++i) {
        table_[count + 1 + i] = (uint32_t)(of.inner[i] - first_[0]);
        if (of.subnetwork[i] != MCD_SUBNETWORK_NONE)
            table_[at] = (uint32_t)i, table_[cut_off_count_ + at++] = of.subnetwork[i];
    }
    members_ = members_of(call, *on.map, *weights.graph, cut_off);
}

size_t sweep_sources::stride(size_t size) const
{
    size_t most = stride(0, mcd_size_min(size, count_));
    for (size_t first = size; cut_off_count_ > 0 && first < count_; first += size)
        most = mcd_size_max(most, stride(first, mcd_size_min(size, count_ - first)));
    return most;
}

uint64_t sweep_sources::bytes() const
{
    return lane_of(first_, count_) * sizeof(mcd_lane) + table_size() * sizeof(uint32_t);
}

void sweep_sources::copy(gpu_call &call, const mcd_lane *job_lane)
{
    const size_t lanes = lane_of(first_, count_);
    lane_ = job_lane + begin_;
    if (lanes > FEW_LANES) lane_there_.copy(call, lane_, lanes, "copying sources"), lane_ = lane_there_.get();
    if (first_) table_there_.copy(call, table_.get(), table_size(), "copying sources");
}

sweep_places sweep_sources::at(size_t place, size_t count) const
{
    const uint32_t *const table = table_there_.get();
    const size_t lane = lane_of(first_, place), before = cut_off_before(place),
                 cut_off = cut_off_before(place + count) - before, at = cut_off_at() + before;
    sweep_places out = {
        lane_ + lane, count, lane_of(first_, place + count) - lane, !lane_there_.get(), nullptr, nullptr, {}};
    out.cut_off = {(uint32_t)count, (uint32_t)cut_off, apart_, nullptr, nullptr, (uint32_t)place, members_};
    if (first_) out.first = table + place;
    if (cut_off_count_ == 0) return out;
    out.inner = table + count_ + 1 + place;
    out.cut_off.place = table + at;
    out.cut_off.subnetwork = table + at + cut_off_count_;
    return out;
}
