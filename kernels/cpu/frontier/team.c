/* team.c - see team.h.
 *
 * One word says which tasks of the step are left: their number and the next one. A thread takes the next task
 * by compare-and-swap, so it has a task only of the step that is under way. The leader begins the next step
 * after every task of this one is done. */
#include "kernels/cpu/frontier/team.h"

#include <sched.h>
#include <stdatomic.h>

enum { SPINS = 1 << 12 }; /* looks for a task before a thread lets others run */

struct mcd_team {
    const mcd_watch *watch;
    void (*lead)(mcd_team *team, void *context);
    void *context;
    atomic_bool has_leader, is_over;
    unsigned leader;
    mcd_task task;
    void *argument;
    _Alignas(64) atomic_uint_fast64_t open; /* tasks of the step << 32 | next one */
    _Alignas(64) atomic_size_t done;
};

static inline void relax_thread(unsigned *spins)
{
    if (++*spins >= SPINS) {
        sched_yield();
        *spins = 0;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Takes a task and does it. False: there is none. */
static bool do_next(mcd_team *team, unsigned worker)
{
    uint_fast64_t open = atomic_load_explicit(&team->open, memory_order_relaxed);
    do
        if ((uint32_t)open >= open >> 32) return false;
    while (!atomic_compare_exchange_weak_explicit(&team->open, &open, open + 1, memory_order_acquire,
                                                  memory_order_relaxed));
    team->task(team->argument, (uint32_t)open, worker);
    atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
    return true;
}

static void join(void *argument, MCD_UNUSED size_t index, unsigned worker)
{
    mcd_team *const team = argument;
    unsigned spins = 0;
    if (!atomic_exchange(&team->has_leader, true)) {
        team->leader = worker;
        team->lead(team, team->context);
        atomic_store_explicit(&team->is_over, true, memory_order_release);
        return;
    }
    while (!atomic_load_explicit(&team->is_over, memory_order_acquire))
        if (do_next(team, worker)) {
            spins = 0;
        } else {
            mcd_watch_goes_on(team->watch);
            relax_thread(&spins);
        }
}

void mcd_team_run(const mcd_parallel *parallel, const mcd_watch *watch,
                  void (*lead)(mcd_team *team, void *context), void *context)
{
    mcd_team team = {.watch = watch, .lead = lead, .context = context};
    mcd_parallel_for(parallel, parallel->thread_count, join, &team);
}

void mcd_team_for(mcd_team *team, size_t count, mcd_task task, void *argument)
{
    unsigned spins = 0;
    if (count <= 1) {
        if (count == 1) task(argument, 0, team->leader);
        return;
    }
    team->task = task;
    team->argument = argument;
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    atomic_store_explicit(&team->open, (uint_fast64_t)count << 32, memory_order_release);
    while (do_next(team, team->leader)) {
    }
    while (atomic_load_explicit(&team->done, memory_order_acquire) < count) relax_thread(&spins);
}
