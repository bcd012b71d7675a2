/* place_seeds.h - the seeds of a place on a road, which a GPU makes. kernels/seeds.h has the rule; CPU twin:
 * engine/query/places/lanes.c. */
#ifndef MCD_KERNELS_CUDA_PAIRWISE_PLACE_SEEDS_H
#define MCD_KERNELS_CUDA_PAIRWISE_PLACE_SEEDS_H

#include "kernels/cuda/device/image.h"

extern "C" {
#include "kernels/seeds.h"
}

enum { PLACE_SEEDS = 2 * MCD_ARRIVALS_MAX }; /* of a place, at most: each of both arcs */

/* The weights of input arcs. */
struct arc_costs {
    const mcd_weight *objective, *companion; /* NULL: arcs cost nothing */

    __device__ bool is_open(uint32_t arc) const
    {
        return (!objective || objective[arc] < MCD_UNREACHED) &&
               (!companion || companion[arc] < MCD_UNREACHED);
    }
};

/* Returns the weights of input arcs on a GPU; host: those of the host. The caller holds no scratch. */
const mcd_weight *arc_weights(gpu_call &call, gpu_weights &weights, bool companion, const mcd_weight *host);
/* Returns those of both quantities. */
arc_costs arc_costs_of(gpu_call &call, gpu_weights &on, const mcd_weights &weights);

/* A place on a road: its arcs there and back, and the 2^-32ths of them before it. */
struct place_arcs {
    uint32_t arc[2];
    uint64_t before[2];
};

/* The roads on which places are. */
struct place_roads {
    mcd_road_ends ends;
    const mcd_node *head, *subtree_end; /* by input arc; by node, as in mcd_hierarchy */
    arc_costs cost;

    /* Returns the arcs of a place that are open. */
    __device__ place_arcs arcs_of(const mcd_nearest_road &road) const
    {
        place_arcs out = {{MCD_ROAD_NONE, MCD_ROAD_NONE}, {road.before, MCD_ROAD_WHOLE - road.before}};
        if (road.state != MCD_NEAREST_FOUND || road.id != MCD_ROAD_NONE) return out;
        if (road.arc != MCD_ROAD_NONE && cost.is_open(road.arc)) out.arc[0] = road.arc;
        if (road.back != MCD_ROAD_NONE && cost.is_open(road.back)) out.arc[1] = road.back;
        return out;
    }
    /* Calls visit(part) for each part by which searches leave, or reach, a place, and that is open. */
    template <class Visit>
    __device__ void each_part(const mcd_nearest_road &road, bool departs, const Visit &visit) const
    {
        const place_arcs at = arcs_of(road);
        for (int i = 0; i < 2; ++i) {
            const uint32_t arc = at.arc[i];
            if (arc == MCD_ROAD_NONE) continue;
            if (departs) visit(mcd_seed_part{at.before[i], head[arc], arc, arc});
            for (uint32_t k = ends.first_arrival[arc]; !departs && k < ends.first_arrival[arc + 1]; ++k) {
                const mcd_arrival arrival = ends.arrival[k];
                if (cost.is_open(arrival.copy))
                    visit(mcd_seed_part{at.before[i], arrival.tail, arc, arrival.copy});
            }
        }
    }
    /* Returns the node of a place at a junction; else MCD_NODE_NONE. */
    __device__ mcd_node junction_of(const mcd_nearest_road &road, bool departs) const
    {
        if (road.state != MCD_NEAREST_FOUND || road.id == MCD_ROAD_NONE) return MCD_NODE_NONE;
        return (departs ? ends.depart : ends.arrive)[road.id];
    }
    __device__ mcd_seed seed_of(const mcd_seed_part &part, bool departs) const
    {
        return {part.node, mcd_seed_part_cost(&part, cost.objective, departs),
                mcd_seed_part_cost(&part, cost.companion, departs)};
    }
};

/* Joins a lane whose seeds are sorted: see gpu_pairs of route.h. */
inline __device__ void join_seeds(mcd_lane *lane, const mcd_node *subtree_end)
{
    const mcd_lane sorted = *lane;
    uint32_t count = 0, first;
    while (count < MCD_SEEDS_MAX && sorted.seed[count].node != MCD_NODE_NONE) ++count;
    for (first = count - 1; first > 0; --first)
        if (sorted.seed[first - 1].node >= subtree_end[sorted.seed[first].node]) break;
    for (uint32_t i = 0; i < count; ++i) lane->seed[i] = sorted.seed[(first + i) % count];
}

/* The seeds of a place, sorted. */
struct place_seeds {
    mcd_seed seed[PLACE_SEEDS];
    uint32_t count = 0;
    bool joined = false; /* their lanes */

    /* Finds the seeds; of a place at a junction, or nowhere, there are none. */
    __device__ void make(const place_roads &roads, const mcd_nearest_road &road, bool departs)
    {
        roads.each_part(road, departs, [&](const mcd_seed_part &part) {
            const mcd_seed own = roads.seed_of(part, departs);
            if (own.objective < MCD_UNREACHED) seed[count++] = own;
        });
        count = mcd_seeds_sort(seed, count);
    }
    __device__ uint64_t least() const
    {
        uint64_t least = cost_unreached<uint64_t>();
        for (uint32_t i = 0; i < count; ++i) least = min(least, mcd_seed_cost(&seed[i]));
        return least;
    }
    /* Takes the next lane; of a place without seeds, its junction's. */
    __device__ mcd_lane take(const place_roads &roads, const mcd_nearest_road &road, bool departs)
    {
        mcd_lane lane;
        if (count > 0) {
            count = mcd_seeds_take(&lane, seed, count, joined ? nullptr : roads.subtree_end, false);
            if (joined) join_seeds(&lane, roads.subtree_end);
            return lane;
        }
        lane.seed[0] = {roads.junction_of(road, departs), 0, 0};
        lane.seed[1].node = MCD_NODE_NONE;
        return lane;
    }
    /* Takes all lanes; returns how many there are. */
    __device__ uint32_t take_all(const place_roads &roads, const mcd_nearest_road &road, bool departs)
    {
        uint32_t lanes = 0;
        do {
            (void)take(roads, road, departs);
            ++lanes;
        } while (count > 0);
        return lanes;
    }
};

/* Returns the roads on a GPU. The caller holds no scratch. */
place_roads place_roads_of(gpu_call &call, gpu_weights &on, const mcd_weights &weights,
                           const mcd_device_snap &snap);

#endif
