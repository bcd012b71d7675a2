/* system_linux.c - system.h for Linux. */
#define _GNU_SOURCE
#include "engine/base/system/platform.h"
#include "engine/base/system/system.h"

#include "engine/base/system/control_group.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char mcd_system_module_suffix[] = ".so";

unsigned mcd_platform_processors(void)
{
    cpu_set_t set;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned count = online > 0 ? (unsigned)online : 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = (unsigned)CPU_COUNT(&set);
    const unsigned limit = mcd_control_group_processors("");
    return limit < count ? limit : count;
}

/* The system call reads a set of signals before it refuses what to do with it; it takes no lock. */
bool mcd_platform_is_readable(const void *memory)
{
    enum { SET_BYTES = 8 };
    const uintptr_t set = (uintptr_t)memory / SET_BYTES * SET_BYTES;
    return syscall(SYS_rt_sigprocmask, -1, set, NULL, (size_t)SET_BYTES) != 0 && errno != EFAULT;
}

uint64_t mcd_platform_resident_bytes(uint64_t *unfiled)
{
    char text[128] = "";
    uint64_t pages[3] = {0}; /* of addresses, resident, in files */
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0) close(file);
    char *next = text;
    for (size_t i = 0; i < sizeof pages / sizeof *pages && bytes > 0; ++i)
        pages[i] = strtoull(next, &next, 10);
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    if (unfiled) *unfiled = pages[1] > pages[2] ? (pages[1] - pages[2]) * page_bytes : 0;
    return pages[1] * page_bytes;
}

int mcd_system_reserve(int file, size_t bytes)
{
    return posix_fallocate(file, 0, (off_t)bytes);
}

const char *mcd_platform_variable(const char *name)
{
    return getauxval(AT_SECURE) ? NULL : getenv(name); /* glibc's secure_getenv(), which Android lacks */
}

void mcd_system_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void mcd_system_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t ns = (uint64_t)until.tv_nsec + ms % 1000 * 1000000;
    until.tv_sec += (time_t)(ms / 1000 + ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_cond_timedwait(condition, lock, &until);
}
