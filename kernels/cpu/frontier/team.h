/* team.h - threads that take many short steps together: one leads, the others help.
 *
 * A search has thousands of steps of some microseconds each, with work between them that cannot be divided. A
 * parallel-for per step would cost more than the step. A team enters one parallel-for: the first task that
 * runs leads, and the others wait for steps and help. A leader never waits for a helper that has not begun a
 * task, so a team also ends if the host's executor runs its tasks one after the other. */
#ifndef MCD_KERNELS_CPU_FRONTIER_TEAM_H
#define MCD_KERNELS_CPU_FRONTIER_TEAM_H

#include "engine/base/types.h"
#include "engine/base/watch.h"

typedef struct mcd_team mcd_team;

/* Calls lead(team, context) in one thread; returns after it and all helpers have returned. If the calling
 * thread helps, it asks `watch` while it waits for steps; `watch` may be NULL. */
void mcd_team_run(const mcd_parallel *parallel, const mcd_watch *watch,
                  void (*lead)(mcd_team *team, void *context), void *context);

/* As mcd_parallel_for, by the team. Only the leader calls it, and no task does. */
void mcd_team_for(mcd_team *team, size_t count, mcd_task task, void *argument);

/* The workers of which each needs scratch, for `count` searches: the host's executor may number them freely. */
static inline size_t mcd_team_workers(const mcd_parallel *parallel, size_t count)
{
    const size_t threads = parallel->thread_count;
    return parallel->executor && count > 1 ? threads : mcd_size_min(threads, count);
}

#endif
