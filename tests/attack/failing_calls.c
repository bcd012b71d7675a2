/* failing_calls.c - a library for LD_PRELOAD that fails one call of a process: MCD_FAIL=memory:N, write:N or read:N
 * fails the Nth such call after the libraries are loaded, those of all libraries included. It makes the file
 * MCD_FAIL_REPORT when it has done so. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum failing_kind { FAILING_NOTHING, FAILING_MEMORY, FAILING_WRITE, FAILING_READ } failing_kind;

static failing_kind failing; /* FAILING_NOTHING until the libraries are loaded */
static atomic_long left;

/* The function that this one stands before. */
#define NEXT(name)                                                                                           \
    static __typeof__(&name) next;                                                                           \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name)

static void report(void)
{
    const char *const path = getenv("MCD_FAIL_REPORT");
    const int file = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (file >= 0) close(file);
}

static bool is_to_fail(failing_kind kind)
{
    if (kind != failing || atomic_fetch_sub(&left, 1) != 1) return false;
    failing = FAILING_NOTHING; /* just once; the report itself opens a file */
    report();
    return true;
}

__attribute__((constructor)) static void begin(void)
{
    static const char *const name[] = {"", "memory:", "write:", "read:"};
    const char *const wish = getenv("MCD_FAIL");
    for (int kind = FAILING_MEMORY; wish && kind <= FAILING_READ; ++kind) {
        const size_t length = strlen(name[kind]);
        if (strncmp(wish, name[kind], length) != 0) continue;
        atomic_store(&left, atol(wish + length));
        failing = (failing_kind)kind;
    }
}

/* ---- memory ---- */

/* glibc's own names: dlsym itself allocates. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static void *without_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t bytes)
{
    return is_to_fail(FAILING_MEMORY) ? without_memory() : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return is_to_fail(FAILING_MEMORY) ? without_memory() : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return is_to_fail(FAILING_MEMORY) ? without_memory() : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return is_to_fail(FAILING_MEMORY) ? without_memory() : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (is_to_fail(FAILING_MEMORY)) return ENOMEM;
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

/* ---- files ---- */

static int refused(int reason)
{
    errno = reason;
    return -1;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    NEXT(mmap);
    const bool is_memory = flags & MAP_ANONYMOUS;
    if (is_to_fail(is_memory ? FAILING_MEMORY : FAILING_READ)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return next(address, bytes, protection, flags, file, offset);
}

ssize_t write(int file, const void *data, size_t bytes)
{
    NEXT(write);
    return is_to_fail(FAILING_WRITE) ? refused(ENOSPC) : next(file, data, bytes);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset)
{
    NEXT(pwrite);
    return is_to_fail(FAILING_WRITE) ? refused(ENOSPC) : next(file, data, bytes, offset);
}

int ftruncate(int file, off_t bytes)
{
    NEXT(ftruncate);
    return is_to_fail(FAILING_WRITE) ? refused(ENOSPC) : next(file, bytes);
}

int fsync(int file)
{
    NEXT(fsync);
    return is_to_fail(FAILING_WRITE) ? refused(EIO) : next(file);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    NEXT(linkat);
    return is_to_fail(FAILING_WRITE) ? refused(EIO) : next(from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return is_to_fail(FAILING_WRITE) ? refused(EIO) : next(from, to);
}

ssize_t read(int file, void *data, size_t bytes)
{
    NEXT(read);
    return is_to_fail(FAILING_READ) ? refused(EIO) : next(file, data, bytes);
}

ssize_t pread(int file, void *data, size_t bytes, off_t offset)
{
    NEXT(pread);
    return is_to_fail(FAILING_READ) ? refused(EIO) : next(file, data, bytes, offset);
}

int open(const char *path, int flags, ...)
{
    NEXT(open);
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    return is_to_fail(writes ? FAILING_WRITE : FAILING_READ) ? refused(EIO) : next(path, flags, mode);
}
