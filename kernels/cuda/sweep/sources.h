/* sources.h - the places from which trees are swept, and the columns that they have in a sweep.
 *
 * Every place has a column; its lanes are found together. A place that is cut off has two positions, and its cost at a node is
 * that from the second one if the node belongs to the place's subnetwork. So such places have further columns, after those of all
 * places: of their second positions, whose costs are then written over those of the places. If costs are summed while they are
 * found (`apart`), nothing can be written over: then their own columns are empty, and each position has a further column, which
 * counts only at its own nodes. */
#ifndef MCD_KERNELS_CUDA_SWEEP_SOURCES_H
#define MCD_KERNELS_CUDA_SWEEP_SOURCES_H

#include "kernels/cuda/sweep/label.h"

/* To which subnetworks nodes belong: of_node[node] is a component; or, with SEVERAL, where those of the node begin in `several`, of
 * which the first is their number. One element follows that of the last node: sweeps fetch it and never use it. */
struct node_members {
    const uint32_t *of_node, *several;
};

/* No component's number: those of nodes that have an order are below it. */
static constexpr uint32_t SEVERAL = 1u << 31;

/* The nodes about which a column's position decides. */
struct decided_nodes {
    uint32_t subnetwork;
    bool inside; /* those of the subnetwork, or all others */

    /* own: the node's of_node. */
    __device__ bool has(const node_members &members, uint32_t own) const
    {
        if (!(own & SEVERAL)) return (own == subnetwork) == inside;
        const uint32_t *const list = members.several + (own & ~SEVERAL);
        bool found = false;
        for (uint32_t i = 1; i <= list[0]; ++i) found |= list[i] == subnetwork;
        return found == inside;
    }
};

/* The columns of a batch's places that are cut off. */
struct cut_off_columns {
    uint32_t begin;             /* the first of them: the number of places */
    uint32_t count;             /* of these places */
    bool apart;                 /* first[count], second[count]; else second[count] */
    const uint32_t *place;      /* [count] ascending; the batch's first place is first_place */
    const uint32_t *subnetwork; /* [count] */
    uint32_t first_place;
    node_members members;

    __host__ __device__ uint32_t end() const
    {
        return begin + (apart ? 2 : 1) * count;
    }
    __device__ bool is_second(uint32_t column) const
    {
        return !apart || column - begin >= count;
    }
    /* Which of the places that are cut off it is. */
    __device__ uint32_t number(uint32_t column) const
    {
        return apart && is_second(column) ? column - begin - count : column - begin;
    }
    __device__ uint32_t place_of(uint32_t column) const
    {
        return place[number(column)] - first_place;
    }
    __device__ bool has(uint32_t column) const
    {
        return begin <= column && column < end();
    }
    /* All nodes, if the column is not one of these. */
    __device__ decided_nodes decided_by(uint32_t column) const
    {
        if (!has(column)) return {MCD_SUBNETWORK_NONE, false};
        return {subnetwork[number(column)], is_second(column)};
    }
    /* The column of a place's first position. */
    __device__ uint32_t first_column(uint32_t of_place) const
    {
        uint32_t low = 0, high = apart ? count : 0;
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            if (place[middle] - first_place < of_place)
                low = middle + 1;
            else
                high = middle;
        }
        return apart && low < count && place[low] - first_place == of_place ? begin + low : of_place;
    }
};

/* The lanes of a column. */
struct column_lanes {
    uint32_t first, end;
};

/* Places from which a batch sweeps. */
struct sweep_places {
    const mcd_lane *lane; /* on the GPU, or of few places `on_host`, from that of the first place on */
    size_t count, lane_count;
    bool on_host;
    /* Likewise: their lanes, and those of second positions, counted from the part's; NULL: each has one, or one position. */
    const uint32_t *first, *inner;
    cut_off_columns cut_off; /* its end is that of all columns */
};

/* The stride of lanes for a sweep: a single lane, or whole warps; whole warps for places of `several` lanes, which the kernels of a
 * single one do not know. */
inline size_t sweep_stride(size_t lane_count, bool several)
{
    if (lane_count <= 1 && !several) return 1;
    return lane_count <= 2 * WARP ? (lane_count + WARP - 1) / WARP * WARP
                                  : (lane_count + 4 * WARP - 1) / (4 * WARP) * (4 * WARP);
}

/* The places of a job's part. */
class sweep_sources
{
  public:
    /* Of `count` of the job's places. Not within a call that holds scratch. */
    sweep_sources(gpu_call &call, const gpu_weights &on, const mcd_weights &weights, const size_t *first,
                  const mcd_cut_off &cut_off, size_t begin, size_t count, bool apart);
    bool are_several() const
    {
        return first_;
    }
    size_t most() const
    {
        return most_lanes(first_, count_);
    }
    /* The stride of a batch, and of batches of `size` places. */
    size_t stride(size_t place, size_t count) const
    {
        const size_t further = cut_off_before(place + count) - cut_off_before(place);
        return sweep_stride(count + (apart_ ? 2 : 1) * further, are_several());
    }
    size_t stride(size_t size) const;
    /* That of a batch of one place, which has few columns. */
    size_t least_stride() const
    {
        return sweep_stride(1, are_several());
    }
    uint64_t bytes() const;
    /* Few lanes stay where they are. */
    void copy(gpu_call &call, const mcd_lane *job_lane);
    sweep_places at(size_t place, size_t count) const;

  private:
    /* How many of the places before this one are cut off. */
    size_t cut_off_before(size_t place) const
    {
        return mcd_lower_bound_u32(table_.get() + cut_off_at(), 0, cut_off_count_, (uint32_t)place);
    }
    /* Where parts of the table begin. */
    size_t cut_off_at() const
    {
        return cut_off_count_ ? 2 * count_ + 1 : 0;
    }
    size_t table_size() const
    {
        return cut_off_count_ ? cut_off_at() + 2 * cut_off_count_ : first_ ? count_ + 1 : 0;
    }

    const size_t *first_;
    const size_t begin_, count_;
    const bool apart_;
    size_t cut_off_count_ = 0;
    /* first[count + 1], inner[count], and of the places that are cut off: which they are, and their subnetworks */
    host_array<uint32_t> table_;
    node_members members_ = {};
    const mcd_lane *lane_ = nullptr;
    gpu_array<mcd_lane> lane_there_;
    gpu_array<uint32_t> table_there_;
};

#endif
