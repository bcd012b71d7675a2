/* condition_relative.c - the conditions of system.h for Windows and macOS, whose waits take how long instead of until when. */
#include "engine/base/system/system.h"

#include <time.h>

void mcd_system_condition_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

void mcd_system_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t ms)
{
    const struct timespec wait = {(time_t)(ms / 1000), (long)(ms % 1000 * 1000000)};
    pthread_cond_timedwait_relative_np(condition, lock, &wait);
}
