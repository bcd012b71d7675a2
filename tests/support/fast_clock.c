/* fast_clock.c - preloaded into a command, its clock: 20 ms pass whenever it is looked at, so that a bar moves wherever it
 * can, on every machine. */
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STEP_NS = 20000000 };

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static atomic_ullong passed_ns;
    const long status = syscall(SYS_clock_gettime, clock, out);
    if (status != 0 || clock != CLOCK_MONOTONIC) return (int)status;
    const unsigned long long ns = (passed_ns += STEP_NS) + (unsigned long long)out->tv_sec * 1000000000 +
                                  (unsigned long long)out->tv_nsec;
    out->tv_sec = (time_t)(ns / 1000000000);
    out->tv_nsec = (long)(ns % 1000000000);
    return 0;
}
