/* platform.c - see platform.h. */
#define _GNU_SOURCE
#include "engine/base/platform.h"

#include "engine/base/memory.h"
#include "engine/base/types.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 1000, WRITE_BYTES_MAX = 1 << 30 };

static macadam_status fail_errno(macadam_error *error, int number, const char *doing, const char *path)
{
    char text[128];
    return mcd_fail(error, MACADAM_E_IO, "cannot %s '%s': %s", doing, path,
                    strerror_r(number, text, sizeof text));
}

/* ---- reading ---- */

static macadam_status map_opened(mcd_mapping *out, int file, const char *path, macadam_error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0) return fail_errno(error, errno, "read", path);
    if (!S_ISREG(about.st_mode))
        return mcd_fail(error, MACADAM_E_IO, "cannot read '%s': not a regular file", path);
    if (about.st_size == 0) return MACADAM_OK;
    void *data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) return fail_errno(error, errno, "map", path);
    *out = (mcd_mapping){data, (size_t)about.st_size};
    return MACADAM_OK;
}

macadam_status mcd_platform_map(mcd_mapping *out, const char *path, macadam_error *error)
{
    *out = (mcd_mapping){NULL, 0};
    const int file =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* to open a pipe must not wait for its writer */
    if (file < 0) return fail_errno(error, errno, "open", path);
    const macadam_status status = map_opened(out, file, path, error);
    close(file); /* the mapping stays */
    return status;
}

void mcd_platform_unmap(mcd_mapping *mapping)
{
    if (mapping->data) munmap((void *)mapping->data, mapping->bytes);
    *mapping = (mcd_mapping){NULL, 0};
}

/* ---- writing ---- */

/* Creates path.PID-N.tmp with the first N that is free: files that killed processes left do not matter, and
 * the permissions are those of any new file. */
static macadam_status create_temporary(mcd_output *out, macadam_error *error)
{
    const size_t bytes = strlen(out->path) + 64;
    MCD_TRY(MCD_NEW(out->temporary, bytes, error));
    for (unsigned name = 0; name < NAMES_TRIED; ++name) {
        snprintf(out->temporary, bytes, "%s.%ld-%u.tmp", out->path, (long)getpid(), name);
        out->file = open(out->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->file >= 0) return MACADAM_OK;
        if (errno != EEXIST) break;
    }
    return fail_errno(error, errno, "create", out->temporary);
}

static void release_names(mcd_output *output)
{
    mcd_free(output->path);
    mcd_free(output->temporary);
    *output = (mcd_output){.file = -1};
}

macadam_status mcd_platform_create(mcd_output *out, const char *path, macadam_error *error)
{
    *out = (mcd_output){.file = -1};
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return mcd_fail(error, MACADAM_E_IO, "cannot write '%s': not a regular file", path);
    out->path = mcd_duplicate(path);
    if (!out->path) return mcd_fail_memory(error, strlen(path) + 1, "path");
    const macadam_status status = create_temporary(out, error);
    if (status) release_names(out);
    return status;
}

static void set_direct(mcd_output *output, bool direct)
{
#ifdef O_DIRECT
    if (direct == output->is_direct) return;
    const int flags = fcntl(output->file, F_GETFL);
    const int wanted = direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    if (flags >= 0 && fcntl(output->file, F_SETFL, wanted) == 0)
        output->is_direct = direct;
    else
        output->is_cached = true;
#else
    (void)output, (void)direct;
#endif
}

/* Whether to write again, by the page cache from now on: some file systems, and disks of larger sectors,
 * refuse no more than the write. */
static bool give_up_direct(mcd_output *output, int number)
{
    if (!output->is_direct || output->is_cached || (number != EINVAL && number != EOPNOTSUPP)) return false;
    output->is_cached = true;
    return true;
}

/* What the page cache has is stored while the rest is made, so that syncing the file has less to wait for. */
static void begin_to_store(const mcd_output *output, uint64_t offset, size_t bytes)
{
#ifdef SYNC_FILE_RANGE_WRITE
    if (!output->is_direct)
        (void)sync_file_range(output->file, (off_t)offset, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
#else
    (void)output, (void)offset, (void)bytes;
#endif
}

macadam_status mcd_platform_write(mcd_output *output, const void *data, size_t bytes, uint64_t offset,
                                  macadam_error *error)
{
    const char *next = data;
    while (bytes > 0) {
        const bool is_aligned = ((uintptr_t)next | bytes | offset) % MCD_DIRECT_BYTES == 0;
        set_direct(output, is_aligned && !output->is_cached);
        const ssize_t written =
            pwrite(output->file, next, mcd_size_min(bytes, WRITE_BYTES_MAX), (off_t)offset);
        if (written < 0 && (errno == EINTR || give_up_direct(output, errno))) continue;
        if (written < 0) return fail_errno(error, errno, "write", output->path);
        begin_to_store(output, offset, (size_t)written);
        next += written;
        offset += (uint64_t)written;
        bytes -= (size_t)written;
    }
    return MACADAM_OK;
}

macadam_status mcd_platform_map_output(void **out, mcd_output *output, size_t bytes, macadam_error *error)
{
    *out = NULL;
    const int failure = posix_fallocate(output->file, 0, (off_t)bytes);
    if (failure) return fail_errno(error, failure, "write", output->path);
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, output->file, 0);
    if (data == MAP_FAILED) return fail_errno(error, errno, "map", output->path);
    *out = data;
    return MACADAM_OK;
}

void mcd_platform_unmap_output(void *data, size_t bytes)
{
    if (data) munmap(data, bytes);
}

/* Syncs the folder of `path`, which is cut. A folder that this process may not read, or whose file system
 * syncs no folders, is left to the system. */
static macadam_status sync_folder(char *path, macadam_error *error)
{
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = '\0';
    const char *folder = slash ? path : ".";
    macadam_status status = MACADAM_OK;
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return MACADAM_OK;
    if (fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP)
        status = fail_errno(error, errno, "sync", folder);
    close(file);
    return status;
}

macadam_status mcd_platform_commit(mcd_output *output, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    if (fsync(output->file) != 0) status = fail_errno(error, errno, "write", output->path);
    if (close(output->file) != 0 && !status) status = fail_errno(error, errno, "write", output->path);
    output->file = -1;
    if (!status && rename(output->temporary, output->path) != 0)
        status = fail_errno(error, errno, "rename a file to", output->path);
    if (status) {
        mcd_platform_discard(output);
        return status;
    }
    status = sync_folder(output->path, error);
    release_names(output);
    return status;
}

void mcd_platform_discard(mcd_output *output)
{
    if (!output->temporary) return;
    if (output->file >= 0) close(output->file);
    unlink(output->temporary);
    release_names(output);
}

/* ---- the machine ---- */

/* The number in a file of the system, or UINT64_MAX if there is none ("max" is how such a file says "no
 * limit"). */
static uint64_t read_limit(const char *path)
{
    char text[32] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return UINT64_MAX;
    const ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    if (bytes <= 0 || text[0] < '0' || text[0] > '9') return UINT64_MAX;
    return strtoull(text, NULL, 10);
}

uint64_t mcd_platform_memory_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || page_bytes <= 0) return 0;
    uint64_t bytes = (uint64_t)pages * (uint64_t)page_bytes;
    static const char *const limit[] = {"/sys/fs/cgroup/memory.max",
                                        "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; ++i) {
        const uint64_t limit_bytes = read_limit(limit[i]);
        if (limit_bytes < bytes) bytes = limit_bytes;
    }
    return bytes;
}

/* A system call that is given a false address says so. */
bool mcd_platform_is_readable(const void *memory)
{
    int end[2];
    if (pipe2(end, O_CLOEXEC) != 0) return false;
    const bool is_readable = write(end[1], memory, 1) == 1;
    close(end[0]);
    close(end[1]);
    return is_readable;
}

/* ---- modules ---- */

static void *open_module(const char *name, const char *override)
{
    char path[4096];
    Dl_info here;
    const char *const given = secure_getenv(override);
    if (given && *given) return dlopen(given, RTLD_NOW | RTLD_LOCAL);
    if (dladdr((const void *)(uintptr_t)&mcd_platform_module_symbol, &here) && here.dli_fname) {
        const char *const slash = strrchr(here.dli_fname, '/');
        const int folder = slash ? (int)(slash - here.dli_fname) + 1 : 0;
        const int length = snprintf(path, sizeof path, "%.*slib%s.so", folder, here.dli_fname, name);
        void *const module = folder && length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (module) return module;
    }
    snprintf(path, sizeof path, "lib%s.so", name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *mcd_platform_module_symbol(const char *name, const char *override, const char *symbol)
{
    void *const module = open_module(name, override);
    return module ? dlsym(module, symbol) : NULL;
}

void mcd_platform_use_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)memory + page - 1) / page * page,
                    end = ((uintptr_t)memory + bytes) / page * page;
    if (first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE); /* advice: what fails changes nothing */
#else
    (void)memory, (void)bytes;
#endif
}
