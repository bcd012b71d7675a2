/* system_darwin.c - system.h for macOS. It compiles with a cross compiler, but it was never run. */
#include "engine/base/system/platform.h"
#include "engine/base/system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

const char mcd_system_module_suffix[] = ".dylib";

unsigned mcd_platform_processors(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* A system call reports an invalid address instead of faulting. */
bool mcd_platform_is_readable(const void *memory)
{
    int end[2];
    if (pipe(end) != 0) return false;
    const bool is_readable = write(end[1], memory, 1) == 1;
    close(end[0]);
    close(end[1]);
    return is_readable;
}

uint64_t mcd_platform_resident_bytes(uint64_t *unfiled)
{
    if (unfiled) *unfiled = 0;
    return 0;
}

int mcd_system_reserve(int file, size_t bytes)
{
    fstore_t store = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = (off_t)bytes};
    if (fcntl(file, F_PREALLOCATE, &store) != 0 && errno == ENOSPC) return ENOSPC;
    return ftruncate(file, (off_t)bytes) == 0 ? 0 : errno;
}

const char *mcd_platform_variable(const char *name)
{
    return issetugid() ? NULL : getenv(name);
}
