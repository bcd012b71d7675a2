/* pool.h - the threads of this process that help callers with their parallel work. A leaf.
 *
 * All engines share them. They start when they are first needed, sleep when there is no work, and last as
 * long as the process. A child process after fork() begins with none and starts its own. */
#ifndef MCD_ENGINE_BASE_POOL_H
#define MCD_ENGINE_BASE_POOL_H

#include <stddef.h>

/* Of a parameter that a function must have but does not use. */
#define MCD_UNUSED __attribute__((unused))

typedef void (*mcd_task)(void *argument, size_t index, unsigned worker);

/* Called every MCD_POOL_ASK_MS while the caller has no more tasks and waits for its helpers. */
typedef void (*mcd_pool_ask)(void *argument);

enum { MCD_THREADS_MAX = 1024, MCD_POOL_ASK_MS = 20 };

/* Calls task(argument, index, worker) for every index below `count`, in ascending order, on the calling
 * thread and on those of the pool that are free. Returns after all calls have returned. At most
 * `thread_count` threads (1 .. MCD_THREADS_MAX) run the tasks; worker < thread_count, and calls that overlap
 * have different workers. If a task calls this function, its thread runs all of the inner tasks. `ask` may be
 * NULL; the calling thread calls ask(argument) while it waits. */
void mcd_pool_run(unsigned thread_count, size_t count, mcd_task task, void *argument, mcd_pool_ask ask);

/* Says how many processors this process may use. No thread helps a caller if that many threads run tasks
 * already, callers included, unless the caller's own thread_count is larger. */
void mcd_pool_limit(unsigned processors);

#endif
