/* platform.c - see platform.h. */
#define _GNU_SOURCE
#include "engine/base/system/platform.h"

#include "engine/base/memory.h"
#include "engine/base/system/system.h"
#include "engine/base/temporary.h"
#include "engine/base/types.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 1000, WRITE_BYTES_MAX = 1 << 30, READ_BYTES_MAX = 1 << 20, FD_PATH_BYTES = 32 };

static const char *fd_path(char out[FD_PATH_BYTES], int file)
{
    snprintf(out, FD_PATH_BYTES, "/proc/self/fd/%d", file);
    return out;
}

static macadam_status status_of(int number)
{
    switch (number) {
    case ENOMEM:
        return MACADAM_E_MEMORY;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return MACADAM_E_FULL;
    default:
        return MACADAM_E_IO;
    }
}

static macadam_status fail_errno(macadam_error *error, int number, const char *doing, const char *path)
{
    char text[128];
    return mcd_fail(error, status_of(number), "cannot %s '%s': %s", doing, path,
                    mcd_system_error(number, text, sizeof text));
}

/* ---- reading ---- */

static macadam_status map_opened(mcd_mapping *out, int file, const char *path, macadam_error *error)
{
    void *data = mmap(NULL, out->bytes, PROT_READ, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) return fail_errno(error, errno, "map", path);
    out->data = data;
    return MACADAM_OK;
}

/* Reads the file into memory that belongs to the mapping. */
static macadam_status read_opened(mcd_mapping *out, int file, const char *path, mcd_platform_step step,
                                  macadam_error *error)
{
    const size_t bytes = out->bytes;
    char *const data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return fail_errno(error, errno, "hold", path);
    out->data = data;
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = pread(file, data + done, mcd_size_min(bytes - done, READ_BYTES_MAX), (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(error, errno, "read", path);
        if (got == 0) return mcd_fail(error, MACADAM_E_IO, "cannot read '%s': it has become shorter", path);
        done += (size_t)got;
        MCD_TRY(step(done, bytes, error));
    }
    return MACADAM_OK;
}

static macadam_status take_opened(mcd_mapping *out, int file, const char *path, mcd_platform_step step,
                                  macadam_error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0) return fail_errno(error, errno, "read", path);
    if (!S_ISREG(about.st_mode))
        return mcd_fail(error, MACADAM_E_IO, "cannot read '%s': not a regular file", path);
    if (about.st_size == 0) return MACADAM_OK;
    out->bytes = (size_t)about.st_size;
    return step ? read_opened(out, file, path, step, error) : map_opened(out, file, path, error);
}

macadam_status mcd_platform_map(mcd_mapping *out, const char *path, mcd_platform_step step,
                                macadam_error *error)
{
    *out = (mcd_mapping){.data = NULL};
    /* opening a pipe must not wait for its writer */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return fail_errno(error, errno, "open", path);
    const macadam_status status = take_opened(out, file, path, step, error);
    if (out->data && !step)
        out->file = file + 1;
    else
        close(file);
    if (status) mcd_platform_unmap(out);
    return status;
}

static size_t page_bytes(void)
{
    const long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 1;
}

bool mcd_platform_map_copy(mcd_mapping *out, void **copy, const mcd_mapping *of, const void *data,
                           size_t bytes)
{
    const size_t offset = (size_t)((uintptr_t)data - (uintptr_t)of->data), before = offset % page_bytes();
    *out = (mcd_mapping){.data = NULL};
    if (!of->file || offset >= of->bytes) return false;
    char *const memory = mmap(NULL, before + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, of->file - 1,
                              (off_t)(offset - before));
    if (memory == MAP_FAILED) return false;
    *out = (mcd_mapping){.data = memory, .bytes = before + bytes};
    *copy = memory + before;
    return true;
}

void mcd_platform_forget(const mcd_mapping *mapping, size_t first, size_t end)
{
    first -= first % page_bytes();
    (void)madvise((char *)mapping->data + first, end - first, MADV_DONTNEED);
}

void mcd_platform_unmap(mcd_mapping *mapping)
{
    if (mapping->data) munmap((void *)mapping->data, mapping->bytes);
    if (mapping->file) close(mapping->file - 1);
    *mapping = (mcd_mapping){.data = NULL};
}

/* ---- writing ---- */

bool mcd_platform_is_same(const char *path, const char *other)
{
    struct stat one, two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && S_ISREG(one.st_mode) &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* The folder of `path`, in `out` of strlen(path) + 2 bytes; returns where the file's own name begins. */
static const char *split_path(const char *path, char *out)
{
    const char *const slash = strrchr(path, '/');
    if (!slash) return strcpy(out, "."), path;
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    memcpy(out, path, length);
    out[length] = '\0';
    return slash + 1;
}

/* Returns whether `name` is one of the temporary names of the file `of`. */
static bool is_temporary(const char *name, const char *of)
{
    const size_t length = strlen(of);
    return strncmp(name, of, length) == 0 && mcd_is_temporary_end(name + length);
}

/* A writer locks its file: if the lock is free, the writer is gone. */
static void remove_if_lost(int folder, const char *name)
{
    const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0) return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(file);
}

/* Removes files that killed writers of the same path left. Files that cannot be removed stay. */
static void remove_lost(const char *folder, const char *of)
{
    DIR *const list = opendir(folder);
    if (!list) return;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (is_temporary(entry->d_name, of)) remove_if_lost(dirfd(list), entry->d_name);
    closedir(list);
}

/* Creates a file without a name, which vanishes with its writer. Not every file system has such files. They
 * get their name through /proc. */
static bool create_unnamed(mcd_output *out, const char *folder)
{
#ifdef O_TMPFILE
    char link[FD_PATH_BYTES];
    out->file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (out->file < 0) return false;
    if (access(fd_path(link, out->file), F_OK) == 0 && flock(out->file, LOCK_EX | LOCK_NB) == 0)
        return out->is_unnamed = true;
    close(out->file);
    out->file = -1;
#else
    (void)out, (void)folder;
#endif
    return false;
}

/* Returns whether the file that was just created is still ours: another writer may have taken it for lost. */
static bool is_locked(const mcd_output *out)
{
    struct stat about;
    return flock(out->file, LOCK_EX | LOCK_NB) == 0 && fstat(out->file, &about) == 0 && about.st_nlink > 0;
}

static void name_temporary(mcd_output *out, unsigned name)
{
    mcd_temporary_name(out->temporary, out->path, (unsigned long)getpid(), name);
}

/* Creates path.PID-N.tmp with the first N that is free. The permissions are those of any new file. */
static macadam_status create_named(mcd_output *out, macadam_error *error)
{
    for (unsigned name = 0; name < NAMES_TRIED; ++name) {
        name_temporary(out, name);
        out->file = open(out->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->file < 0 && errno != EEXIST) break;
        if (out->file < 0) continue;
        if (is_locked(out)) return MACADAM_OK;
        close(out->file);
        out->file = -1;
    }
    return fail_errno(error, errno, "create", out->path);
}

static macadam_status create_temporary(mcd_output *out, macadam_error *error)
{
    char *folder;
    MCD_TRY(MCD_NEW(out->temporary, strlen(out->path) + MCD_TEMPORARY_BYTES, error));
    MCD_TRY(MCD_NEW(folder, strlen(out->path) + 2, error));
    remove_lost(folder, split_path(out->path, folder));
    const macadam_status status = create_unnamed(out, folder) ? MACADAM_OK : create_named(out, error);
    mcd_free(folder);
    return status;
}

/* A link cannot replace a name that exists, so the file gets a second name, which is then renamed. */
static macadam_status link_unnamed(mcd_output *out, macadam_error *error)
{
    char link[FD_PATH_BYTES];
    for (unsigned name = 0; name < NAMES_TRIED; ++name) {
        name_temporary(out, name);
        if (linkat(AT_FDCWD, fd_path(link, out->file), AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0) {
            out->is_unnamed = false;
            return MACADAM_OK;
        }
        if (errno != EEXIST) break;
    }
    return fail_errno(error, errno, "create", out->path);
}

static void release_names(mcd_output *output)
{
    MCD_FREE_ALL(output->path, output->temporary);
    *output = (mcd_output){.file = -1};
}

macadam_status mcd_platform_create(mcd_output *out, const char *path, macadam_error *error)
{
    *out = (mcd_output){.file = -1};
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return mcd_fail(error, MACADAM_E_IO, "cannot write '%s': not a regular file", path);
    out->path = mcd_duplicate(path);
    if (!out->path) return mcd_fail_memory(error, strlen(path) + 1);
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

/* Returns whether to write again, through the page cache from now on. Some file systems, and disks with
 * larger sectors, only refuse at the write. */
static bool give_up_direct(mcd_output *output, int number)
{
    if (!output->is_direct || output->is_cached || (number != EINVAL && number != EOPNOTSUPP)) return false;
    output->is_cached = true;
    return true;
}

/* Begins to store the pages in the cache while the rest is computed, so that the final sync waits less. */
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

macadam_status mcd_platform_read_output(mcd_output *output, void *data, size_t bytes, uint64_t offset,
                                        macadam_error *error)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = pread(output->file, (char *)data + done,
                                  mcd_size_min(bytes - done, WRITE_BYTES_MAX), (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(error, errno, "read a file beside", output->path);
        if (got == 0)
            return mcd_fail(error, MACADAM_E_IO, "cannot read a file beside '%s': it is too short",
                            output->path);
        done += (size_t)got;
    }
    return MACADAM_OK;
}

macadam_status mcd_platform_map_output(void **out, mcd_output *output, size_t bytes, macadam_error *error)
{
    *out = NULL;
    const int failure = mcd_system_reserve(output->file, bytes);
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

/* Syncs the folder of `path`, which is cut off at its last slash. If this process may not read the folder, or
 * the file system cannot sync folders, the system decides when to sync. */
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
    if (!status && output->is_unnamed) status = link_unnamed(output, error);
    /* still locked: no process takes it for abandoned */
    if (!status && rename(output->temporary, output->path) != 0)
        status = fail_errno(error, errno, "rename a file to", output->path);
    if (!status) (void)close(output->file); /* already synced: nothing is left that can fail */
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
    if (!output->is_unnamed) unlink(output->temporary);
    if (output->file >= 0) close(output->file);
    release_names(output);
}

/* ---- the machine ---- */

/* Returns the number in a file of the system, or UINT64_MAX if there is none (such a file says "max" for "no
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

/* The thread inherits the mask of signals. */
bool mcd_platform_start_thread(pthread_t *out, void *(*run)(void *), void *argument)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(&thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started && out)
        *out = thread;
    else if (is_started)
        pthread_detach(thread);
    return is_started;
}

void mcd_platform_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    pthread_atfork(before, in_parent, in_child);
}

/* ---- modules ---- */

static void *open_module(const char *name, const char *override)
{
    char path[4096];
    Dl_info here;
    const char *const given = mcd_platform_variable(override);
    if (given && *given) return dlopen(given, RTLD_NOW | RTLD_LOCAL);
    if (dladdr((const void *)(uintptr_t)&mcd_platform_module_symbol, &here) && here.dli_fname) {
        const char *const slash = strrchr(here.dli_fname, '/');
        const int folder = slash ? (int)(slash - here.dli_fname) + 1 : 0;
        const int length = snprintf(path, sizeof path, "%.*slib%s%s", folder, here.dli_fname, name,
                                    mcd_system_module_suffix);
        const bool is_there = folder && length < (int)sizeof path && access(path, F_OK) == 0;
        /* if it fails, this is the reason to report */
        if (is_there) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    snprintf(path, sizeof path, "lib%s%s", name, mcd_system_module_suffix);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *mcd_platform_module_symbol(const char *name, const char *override, const char *symbol,
                                 macadam_error *error)
{
    (void)dlerror(); /* forgets what failed before */
    void *const module = open_module(name, override);
    void *const address = module ? dlsym(module, symbol) : NULL;
    const char *const reason = address ? NULL : dlerror();
    if (!address)
        mcd_fail(error, MACADAM_E_DEVICE, "the module %s cannot be loaded: %s", name,
                 reason ? reason : "the system does not say why");
    return address;
}
