/* customize.h - what the steps of customization share: perfect customization, sizes of tasks. */
#ifndef MCD_KERNELS_CPU_CUSTOMIZE_CUSTOMIZE_H
#define MCD_KERNELS_CPU_CUSTOMIZE_CUSTOMIZE_H

#include "kernels/cpu/customize/schedule.h"
#include "kernels/cpu/device/phases.h"

enum { MCD_SUBTREES_PER_TASK = 32, MCD_TASKS_PER_WORKER = 4, MCD_NODES_PER_TASK = 32 };

/* The number of tasks of MCD_SUBTREES_PER_TASK bottom subtrees. */
static inline size_t mcd_subtree_tasks(const mcd_hierarchy *hierarchy)
{
    return ((size_t)hierarchy->bottom_count + MCD_SUBTREES_PER_TASK - 1) / MCD_SUBTREES_PER_TASK;
}

static inline mcd_node mcd_level_size(const mcd_schedule *schedule, uint32_t level)
{
    return schedule->level_first[level + 1] - schedule->level_first[level];
}

/* The number of tasks that `size` nodes or chains of one level or generation are divided into: several for
 * each worker, of at most MCD_NODES_PER_TASK. */
static inline size_t mcd_tasks_of(size_t size, size_t workers)
{
    const size_t least = (size + MCD_NODES_PER_TASK - 1) / MCD_NODES_PER_TASK;
    return workers == 1 ? 1 : mcd_size_min(size, mcd_size_max(least, workers * MCD_TASKS_PER_WORKER));
}

/* The cost of an input arc; COST_UNREACHED if it is closed for one of the quantities. */
static inline cost mcd_input_cost(const mcd_weight *objective, const mcd_weight *companion, mcd_arc arc)
{
    if (objective[arc] >= MCD_UNREACHED || (companion && companion[arc] >= MCD_UNREACHED))
        return COST_UNREACHED;
    return cost_of(objective, companion, arc);
}

#define MCD_WITNESS_PRUNED (MCD_NODE_NONE - 1) /* no node's id: a file has fewer than 2^32 - 2 */

/* If an arc's basic cost was more than the distance, or if the arc is unreached, its witness becomes
 * MCD_WITNESS_PRUNED. If any companion is saturated (prune.c), only unreached arcs are marked, and costs
 * stay. */
macadam_status MCD_KERNEL(perfect)(const mcd_custom *custom, const mcd_customize_job *job,
                                   macadam_error *error);

#endif
