/* schedule.h - the facts of a hierarchy and its graph that customization needs: the order in which nodes
 * are computed in parallel, and lower neighbours. */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_SCHEDULE_H
#define MCD_KERNELS_CPU_CUSTOMIZE_SCHEDULE_H

#include "kernels/backend.h"

/* Nodes first .. first + count. Each is the parent of the next, which has all its upward neighbours. */
typedef struct mcd_chain {
    mcd_node first, count;
} mcd_chain;

enum { MCD_CHAIN_NODES = 32 }; /* at most: a panel of perfect.c then fits the second-level cache */

/* A flag of a lower neighbour's slot: it has the same neighbours above as the lower neighbour before it. */
#define MCD_SAME_TOPS (UINT32_C(1) << 31)

struct mcd_schedule {
    const mcd_hierarchy *hierarchy;
    const mcd_graph *graph;

    /* The nodes above the bottom subtrees by level. No node of a level is an ancestor of another. */
    uint32_t level_count;
    mcd_node *level_first; /* [level_count + 1], into level_node */
    mcd_node *level_node;  /* ascending within a level */

    /* Chains of those nodes, grouped by the number of chains above them. */
    uint32_t generation_count;
    mcd_node *generation_first; /* [generation_count + 1], into chain */
    mcd_chain *chain;

    /* For each node, the nodes below that have an upward arc to it and to nodes above it, ascending; and
     * the slot of this node in the upward list of each. */
    mcd_arc *first_lower; /* [node_count + 1] */
    mcd_node *lower;
    uint32_t *lower_slot; /* with MCD_SAME_TOPS */
};

/* Every input arc must have an upward arc (mcd_check_inputs). Returns MACADAM_E_INVALID (too many upward arcs), E_CANCELLED or
 * E_MEMORY. */
macadam_status mcd_schedule_new(mcd_schedule **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                                const mcd_parallel *parallel, macadam_error *error);
void mcd_schedule_free(mcd_schedule *schedule);

/* The chain that begins with `first` and ends before `end`. */
static inline mcd_chain mcd_chain_at(const mcd_hierarchy *hierarchy, mcd_node first, mcd_node end)
{
    const mcd_arc *const first_up = hierarchy->first_up;
    const mcd_arc up_count = first_up[first + 1] - first_up[first];
    mcd_chain chain = {first, 1};
    for (mcd_node v = first + 1; v < end && chain.count < MCD_CHAIN_NODES; ++v, ++chain.count)
        if (hierarchy->parent[v] != v - 1 || first_up[v + 1] - first_up[v] != up_count + chain.count) break;
    return chain;
}

#endif
