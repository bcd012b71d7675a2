/* clock_search.h - trees with a clock: the search for one lane's arrivals (clock_search.c), which clock.c completes. */
#ifndef MCD_KERNELS_CPU_FRONTIER_CLOCK_SEARCH_H
#define MCD_KERNELS_CPU_FRONTIER_CLOCK_SEARCH_H

#include "engine/base/watch.h"
#include "kernels/cpu/device/phases.h"

/* The nodes that a search gave a cost; the others are as before. */
typedef struct clock_touched {
    mcd_node *node; /* [count]; there is room for all */
    size_t count;
} clock_touched;

/* The value of a node without a cost in a job that lists touched nodes, before a search. */
static inline mcd_weight clock_untouched(const mcd_clock_job *job)
{
    return 2 * (job->tree.limit + 1);
}

/* Finds the costs of a lane of the job, into value[node_count], in `memory` of clock_search_scratch bytes, aligned to 64.
 * Lists nodes in `touched` unless it is NULL; then its count is 0, and all values are clock_untouched. Returns a
 * bound: costs below it are final, and nothing else counts. At most the job's limit + 1. */
mcd_weight MCD_KERNEL(clock_search)(const mcd_clock_job *job, size_t lane, const mcd_watch *watch,
                                    clock_touched *touched, mcd_weight *value, uintptr_t memory);
size_t MCD_KERNEL(clock_search_scratch)(const mcd_clock_arcs *arcs);

#endif
