/* seeds.h - the seeds of a place within a road, and the lanes that they make: the rule, which the processor and devices share.
 * engine/query/places/lanes.h says what lanes of places are. */
#ifndef MCD_KERNELS_SEEDS_H
#define MCD_KERNELS_SEEDS_H

#include "kernels/snap.h"
#include "kernels/views.h"

/* Returns the part of an arc's weight between two 2^-32ths of it, each rounded down. */
MCD_INLINE mcd_weight mcd_road_share(mcd_weight weight, uint64_t from, uint64_t to)
{
    return (mcd_weight)(((uint64_t)weight * to >> 32) - ((uint64_t)weight * from >> 32));
}

/* Returns the cost of the part of an arc of weight `arc` before `before` 2^-32ths of it, for a search along a copy of the arc: a
 * copy weighs more by the cost of the turn into it. */
MCD_INLINE mcd_weight mcd_road_before(mcd_weight arc, mcd_weight copy, uint64_t before)
{
    const mcd_weight sum = mcd_road_share(arc, 0, before) + (copy > arc ? copy - arc : 0);
    return sum < MCD_UNREACHED ? sum : MCD_UNREACHED;
}

MCD_INLINE mcd_joint mcd_seed_cost(const mcd_seed *seed)
{
    return (mcd_joint)seed->objective << 32 | seed->companion;
}

/* Returns the cost of a part for one quantity; NULL: arcs cost nothing. */
MCD_INLINE mcd_weight mcd_seed_part_cost(const mcd_seed_part *part, const mcd_weight *weight, bool departs)
{
    if (!weight) return 0;
    return departs ? mcd_road_share(weight[part->arc], part->before, MCD_ROAD_WHOLE)
                   : mcd_road_before(weight[part->arc], weight[part->copy], part->before);
}

/* Of two nodes on one root path, the deeper one has the larger id. */
MCD_INLINE bool mcd_seed_is_before(const mcd_seed *x, const mcd_seed *y)
{
    return x->node != y->node ? x->node > y->node : mcd_seed_cost(x) < mcd_seed_cost(y);
}

/* Sorts the few seeds. */
MCD_INLINE void mcd_seeds_order(mcd_seed *seed, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        const mcd_seed moved = seed[i];
        uint32_t at = i;
        for (; at > 0 && mcd_seed_is_before(&moved, &seed[at - 1]); --at) seed[at] = seed[at - 1];
        seed[at] = moved;
    }
}

/* Sorts the few seeds, and keeps the best one of each node. Returns how many are left. */
MCD_INLINE uint32_t mcd_seeds_sort(mcd_seed *seed, uint32_t count)
{
    uint32_t kept = 0;
    mcd_seeds_order(seed, count);
    for (uint32_t i = 0; i < count; ++i)
        if (kept == 0 || seed[kept - 1].node != seed[i].node) seed[kept++] = seed[i];
    return kept;
}

/* Takes the first of some sorted seeds, and the seeds on its root path, as a lane. subtree_end: as in mcd_hierarchy; NULL: all
 * nodes are on one path. With `apart`, takes only the first. Returns how many are left. */
MCD_INLINE uint32_t mcd_seeds_take(mcd_lane *lane, mcd_seed *seed, uint32_t count,
                                   const mcd_node *subtree_end, bool apart)
{
    const mcd_node deepest = seed[0].node;
    uint32_t taken = 0, left = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const mcd_node node = seed[i].node;
        if (i == 0 || (taken < MCD_SEEDS_MAX && !apart && (!subtree_end || deepest < subtree_end[node])))
            lane->seed[taken++] = seed[i];
        else
            seed[left++] = seed[i];
    }
    if (taken < MCD_SEEDS_MAX) lane->seed[taken].node = MCD_NODE_NONE;
    return left;
}

#endif
