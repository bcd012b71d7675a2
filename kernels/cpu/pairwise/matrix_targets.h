/* matrix_targets.h - the prepared targets of a matrix, and the sorted places that both sides are made of. */
#ifndef MCD_KERNELS_CPU_PAIRWISE_MATRIX_TARGETS_H
#define MCD_KERNELS_CPU_PAIRWISE_MATRIX_TARGETS_H

#include "kernels/backend.h"

/* The places of one side that have a node, by ascending node of their first lanes. */
typedef struct sorted_lanes {
    size_t count;     /* places that did not fail */
    uint32_t *origin; /* [all places]: the caller's index of each; failed places last */
    mcd_lane *lane;   /* [count] the first lane of each */
    const mcd_lane *given;
    const size_t *first; /* the caller's lanes, as in mcd_tree_job; NULL: each lane is a place */
} sorted_lanes;

/* Keeps `lane` and `first`. */
macadam_status mcd_sorted_lanes_new(sorted_lanes *out, const mcd_lane *lane, const size_t *first,
                                    size_t count, macadam_error *error);
void mcd_sorted_lanes_free(sorted_lanes *lanes);

/* Returns how many lanes the i-th place has. */
static inline uint32_t sorted_lane_count(const sorted_lanes *places, size_t i)
{
    const size_t *const first = places->first ? places->first + places->origin[i] : NULL;
    return first ? (uint32_t)(first[1] - first[0]) : 1;
}

/* Returns the k-th lane of the i-th place; one without seeds if it has fewer. */
static inline mcd_lane sorted_lane(const sorted_lanes *places, size_t i, uint32_t k)
{
    if (k == 0) return places->lane[i];
    if (k >= sorted_lane_count(places, i)) return mcd_lane_of(MCD_NODE_NONE);
    return places->given[places->first[places->origin[i]] - places->first[0] + k];
}

/* Returns the most lanes that a place has, of `count` places from `begin` on. */
static inline uint32_t sorted_lanes_most(const sorted_lanes *places, size_t begin, size_t count)
{
    uint32_t most = 1;
    for (size_t i = begin; places->first && i < begin + count; ++i)
        if (sorted_lane_count(places, i) > most) most = sorted_lane_count(places, i);
    return most;
}

struct mcd_matrix_targets {
    mcd_matrix_job job;
    sorted_lanes sorted;
    uint32_t *slot;      /* [target_count]: the position of the caller's target in a sorted row */
    bool is_sorted;      /* the caller's targets are in sorted order */
    size_t group_count;  /* groups of 16 sorted targets */
    size_t *first_panel; /* [group_count + 1]: a group has one panel for each lane of its places */
    size_t *first_row;   /* [group_count + 1]: the group's first row of `label` */
    void *label;         /* rows of 16 costs, by depth within a panel */
    void *panel;         /* panels (panel.h) of those labels */
};

void mcd_matrix_targets_free(mcd_matrix_targets *targets);

#endif
