/* customize.h - basic customization, and what perfect customization shares with it. */
#ifndef MCD_CPU_CUSTOMIZE_H
#define MCD_CPU_CUSTOMIZE_H

#include "kernels/backend.h"
#include "kernels/cpu/schedule.h"
#include "kernels/cpu/simd.h"

macadam_status MCD_KERNEL(customize)(mcd_custom *out, const mcd_customize_job *job, macadam_error *error);

enum { MCD_SUBTREES_PER_TASK = 32, MCD_NODES_PER_TASK = 32 };

/* Tasks of MCD_SUBTREES_PER_TASK bottom subtrees, and of MCD_NODES_PER_TASK nodes of a level. */
static inline size_t mcd_subtree_tasks(const mcd_hierarchy *hierarchy)
{
    return ((size_t)hierarchy->bottom_count + MCD_SUBTREES_PER_TASK - 1) / MCD_SUBTREES_PER_TASK;
}

static inline mcd_node mcd_level_size(const mcd_schedule *schedule, uint32_t level)
{
    return schedule->level_first[level + 1] - schedule->level_first[level];
}

static inline size_t mcd_level_tasks(const mcd_schedule *schedule, uint32_t level)
{
    return ((size_t)mcd_level_size(schedule, level) + MCD_NODES_PER_TASK - 1) / MCD_NODES_PER_TASK;
}

static inline bool mcd_is_closed(const mcd_customize_job *job, mcd_arc arc)
{
    return job->objective[arc] >= MCD_UNREACHED || (job->companion && job->companion[arc] >= MCD_UNREACHED);
}

#endif
