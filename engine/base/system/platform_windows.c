/* platform_windows.c - platform.h for Windows. Paths are in the code page of the process. A file that is mapped
 * cannot be replaced there: the commit of its successor fails with E_IO. */
#include "engine/base/system/platform.h"

#include "engine/base/memory.h"
#include "engine/base/pool.h"
#include "engine/base/temporary.h"
#include "engine/base/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

enum {
    NAMES_TRIED = 1000,
    PART_BYTES_MAX = 1 << 30,
    READ_BYTES_MAX = 1 << 20,
    REASON_BYTES = 256,
    PATH_BYTES = 4096
};

/* Fails with the text of GetLastError(). */
static macadam_status fail_last(macadam_error *error, const char *doing, const char *path)
{
    const DWORD number = GetLastError();
    char reason[REASON_BYTES];
    const bool is_memory =
        number == ERROR_NOT_ENOUGH_MEMORY || number == ERROR_OUTOFMEMORY || number == ERROR_COMMITMENT_LIMIT;
    DWORD length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, number, 0,
                                  reason, sizeof reason, NULL);
    while (length > 0 && strchr(" .\r\n", reason[length - 1])) --length;
    const bool is_full = number == ERROR_DISK_FULL || number == ERROR_HANDLE_DISK_FULL;
    const macadam_status status = is_memory ? MACADAM_E_MEMORY : is_full ? MACADAM_E_FULL : MACADAM_E_IO;
    return mcd_fail(error, status, "cannot %s '%s': %.*s (%lu)", doing, path, (int)length, reason, number);
}

static HANDLE handle_of(const mcd_output *output)
{
    return (HANDLE)(intptr_t)output->file; /* only 32 bits of a handle are ever used */
}

/* Reads up to `bytes` at `offset`. Returns whether it could; *got is 0 at the end of the file. */
static bool read_at(HANDLE file, void *data, size_t bytes, uint64_t offset, size_t *got)
{
    DWORD part = 0;
    OVERLAPPED at = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    const bool is_read = ReadFile(file, data, (DWORD)bytes, &part, &at) || GetLastError() == ERROR_HANDLE_EOF;
    *got = part;
    return is_read;
}

/* ---- reading ---- */

static macadam_status map_opened(mcd_mapping *out, HANDLE file, const char *path, macadam_error *error)
{
    const size_t bytes = out->bytes;
    const HANDLE section = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
    if (!section) return fail_last(error, "map", path);
    out->data = MapViewOfFile(section, FILE_MAP_READ, 0, 0, bytes);
    const macadam_status status = out->data ? MACADAM_OK : fail_last(error, "map", path);
    CloseHandle(section);
    return status;
}

/* Reads the file into memory that belongs to the mapping. */
static macadam_status read_opened(mcd_mapping *out, HANDLE file, const char *path, mcd_platform_step step,
                                  macadam_error *error)
{
    const size_t bytes = out->bytes;
    char *const data = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!data) return fail_last(error, "hold", path);
    out->data = data;
    for (size_t done = 0, got; done < bytes; done += got) {
        if (!read_at(file, data + done, mcd_size_min(bytes - done, READ_BYTES_MAX), done, &got))
            return fail_last(error, "read", path);
        if (got == 0) return mcd_fail(error, MACADAM_E_IO, "cannot read '%s': it has become shorter", path);
        MCD_TRY(step(done + got, bytes, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_platform_map(mcd_mapping *out, const char *path, mcd_platform_step step,
                                macadam_error *error)
{
    *out = (mcd_mapping){.data = NULL};
    const DWORD attributes = GetFileAttributesA(path);
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY)
        return mcd_fail(error, MACADAM_E_IO, "cannot read '%s': not a regular file", path);
    const HANDLE file =
        CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) return fail_last(error, "open", path);
    LARGE_INTEGER size;
    macadam_status status = MACADAM_OK;
    if (GetFileType(file) != FILE_TYPE_DISK)
        status = mcd_fail(error, MACADAM_E_IO, "cannot read '%s': not a regular file", path);
    else if (!GetFileSizeEx(file, &size))
        status = fail_last(error, "read", path);
    else if (size.QuadPart > 0) {
        out->bytes = (size_t)size.QuadPart;
        status = step ? read_opened(out, file, path, step, error) : map_opened(out, file, path, error);
    }
    CloseHandle(file); /* the mapping stays */
    if (status) mcd_platform_unmap(out);
    return status;
}

/* Pages that are not locked leave the process when they are unlocked. */
void mcd_platform_forget(const mcd_mapping *mapping, size_t first, size_t end)
{
    (void)VirtualUnlock((char *)mapping->data + first, end - first);
}

bool mcd_platform_map_copy(mcd_mapping *out, MCD_UNUSED void **copy, MCD_UNUSED const mcd_mapping *of,
                           MCD_UNUSED const void *data, MCD_UNUSED size_t bytes)
{
    *out = (mcd_mapping){.data = NULL};
    return false;
}

/* The bytes are a view of the file, or memory that holds a copy. */
void mcd_platform_unmap(mcd_mapping *mapping)
{
    MEMORY_BASIC_INFORMATION about = {.Type = MEM_MAPPED};
    if (mapping->data) (void)VirtualQuery(mapping->data, &about, sizeof about);
    if (mapping->data && about.Type == MEM_MAPPED) UnmapViewOfFile(mapping->data);
    if (mapping->data && about.Type != MEM_MAPPED) VirtualFree((void *)mapping->data, 0, MEM_RELEASE);
    *mapping = (mcd_mapping){.data = NULL};
}

/* ---- writing ---- */

static bool describe(BY_HANDLE_FILE_INFORMATION *out, const char *path)
{
    const HANDLE file = CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    const bool is_known = file != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file, out);
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    return is_known;
}

bool mcd_platform_is_same(const char *path, const char *other)
{
    BY_HANDLE_FILE_INFORMATION one, two;
    return describe(&one, path) && describe(&two, other) &&
           one.dwVolumeSerialNumber == two.dwVolumeSerialNumber && one.nFileIndexHigh == two.nFileIndexHigh &&
           one.nFileIndexLow == two.nFileIndexLow;
}

/* Returns where the file's own name begins. */
static const char *name_in(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; ++at)
        if (strchr("/\\:", *at)) name = at + 1;
    return name;
}

/* Returns whether `name` is one of the temporary names of the file `of`. */
static bool is_temporary(const char *name, const char *of)
{
    const size_t length = strlen(of);
    return _strnicmp(name, of, length) == 0 && mcd_is_temporary_end(name + length);
}

/* Removes files that killed writers of the same path left. A file that is open for writing cannot be removed. */
static void remove_lost(const char *path)
{
    char pattern[PATH_BYTES], lost[PATH_BYTES];
    WIN32_FIND_DATAA entry;
    const char *const name = name_in(path);
    if (snprintf(pattern, sizeof pattern, "%s.*.tmp", path) >= (int)sizeof pattern) return;
    const HANDLE list = FindFirstFileA(pattern, &entry);
    if (list == INVALID_HANDLE_VALUE) return;
    do {
        const int length = snprintf(lost, sizeof lost, "%.*s%s", (int)(name - path), path, entry.cFileName);
        if (length < (int)sizeof lost && is_temporary(entry.cFileName, name)) (void)DeleteFileA(lost);
    } while (FindNextFileA(list, &entry));
    FindClose(list);
}

/* Creates path.PID-N.tmp with the first N that is free. */
static macadam_status create_named(mcd_output *out, macadam_error *error)
{
    for (unsigned name = 0; name < NAMES_TRIED; ++name) {
        mcd_temporary_name(out->temporary, out->path, GetCurrentProcessId(), name);
        const HANDLE file = CreateFileA(out->temporary, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW,
                                        FILE_ATTRIBUTE_NORMAL, NULL);
        out->file = (int)(intptr_t)file;
        if (file != INVALID_HANDLE_VALUE) return MACADAM_OK;
        if (GetLastError() != ERROR_FILE_EXISTS) break;
    }
    return fail_last(error, "create", out->path);
}

static void release_names(mcd_output *output)
{
    MCD_FREE_ALL(output->path, output->temporary);
    *output = (mcd_output){.file = -1};
}

macadam_status mcd_platform_create(mcd_output *out, const char *path, macadam_error *error)
{
    *out = (mcd_output){.file = -1};
    const DWORD attributes = GetFileAttributesA(path);
    if (attributes != INVALID_FILE_ATTRIBUTES &&
        attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE))
        return mcd_fail(error, MACADAM_E_IO, "cannot write '%s': not a regular file", path);
    out->path = mcd_duplicate(path);
    if (!out->path) return mcd_fail_memory(error, strlen(path) + 1);
    remove_lost(path);
    macadam_status status = MCD_NEW(out->temporary, strlen(path) + MCD_TEMPORARY_BYTES, error);
    if (!status) status = create_named(out, error);
    if (status) release_names(out);
    return status;
}

macadam_status mcd_platform_write(mcd_output *output, const void *data, size_t bytes, uint64_t offset,
                                  macadam_error *error)
{
    for (const char *next = data; bytes > 0;) {
        DWORD written = 0;
        OVERLAPPED at = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
        if (!WriteFile(handle_of(output), next, (DWORD)mcd_size_min(bytes, PART_BYTES_MAX), &written, &at))
            return fail_last(error, "write", output->path);
        next += written;
        offset += written;
        bytes -= written;
    }
    return MACADAM_OK;
}

macadam_status mcd_platform_read_output(mcd_output *output, void *data, size_t bytes, uint64_t offset,
                                        macadam_error *error)
{
    for (size_t done = 0, got; done < bytes; done += got) {
        const size_t part = mcd_size_min(bytes - done, PART_BYTES_MAX);
        if (!read_at(handle_of(output), (char *)data + done, part, offset + done, &got))
            return fail_last(error, "read a file beside", output->path);
        if (got == 0)
            return mcd_fail(error, MACADAM_E_IO, "cannot read a file beside '%s': it is too short",
                            output->path);
    }
    return MACADAM_OK;
}

macadam_status mcd_platform_map_output(void **out, mcd_output *output, size_t bytes, macadam_error *error)
{
    *out = NULL;
    const LARGE_INTEGER end = {.QuadPart = (LONGLONG)bytes};
    if (!SetFilePointerEx(handle_of(output), end, NULL, FILE_BEGIN) || !SetEndOfFile(handle_of(output)))
        return fail_last(error, "write", output->path);
    const HANDLE section = CreateFileMappingA(handle_of(output), NULL, PAGE_READWRITE, 0, 0, NULL);
    if (!section) return fail_last(error, "map", output->path);
    *out = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, bytes);
    const macadam_status status = *out ? MACADAM_OK : fail_last(error, "map", output->path);
    CloseHandle(section);
    return status;
}

void mcd_platform_unmap_output(void *data, size_t bytes)
{
    (void)bytes;
    if (data) UnmapViewOfFile(data);
}

/* The file is closed before it is renamed. A writer of the same path that begins in between takes it for lost:
 * this commit then fails. */
macadam_status mcd_platform_commit(mcd_output *output, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    if (!FlushFileBuffers(handle_of(output))) status = fail_last(error, "write", output->path);
    CloseHandle(handle_of(output));
    output->file = -1;
    if (!status &&
        !MoveFileExA(output->temporary, output->path, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        status = fail_last(error, "rename a file to", output->path);
    if (status)
        mcd_platform_discard(output);
    else
        release_names(output);
    return status;
}

void mcd_platform_discard(mcd_output *output)
{
    if (!output->temporary) return;
    if (output->file != -1) CloseHandle(handle_of(output));
    (void)DeleteFileA(output->temporary);
    release_names(output);
}

/* ---- the machine ---- */

uint64_t mcd_platform_resident_bytes(uint64_t *unfiled)
{
    if (unfiled) *unfiled = 0;
    return 0;
}

/* A job, for example a container's, may limit its processes. */
uint64_t mcd_platform_memory_bytes(void)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job;
    if (!GlobalMemoryStatusEx(&memory)) return 0;
    uint64_t bytes = memory.ullTotalPhys;
    if (!QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &job, sizeof job, NULL))
        return bytes;
    const DWORD limits = job.BasicLimitInformation.LimitFlags;
    if (limits & JOB_OBJECT_LIMIT_JOB_MEMORY && job.JobMemoryLimit < bytes) bytes = job.JobMemoryLimit;
    if (limits & JOB_OBJECT_LIMIT_PROCESS_MEMORY && job.ProcessMemoryLimit < bytes)
        bytes = job.ProcessMemoryLimit;
    return bytes;
}

unsigned mcd_platform_processors(void)
{
    DWORD_PTR own, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || own == 0) return 1;
    return (unsigned)__builtin_popcountll(own);
}

bool mcd_platform_start_thread(pthread_t *out, void *(*run)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, argument) != 0) return false;
    if (out)
        *out = thread;
    else
        pthread_detach(thread);
    return true;
}

void mcd_platform_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before, (void)in_parent, (void)in_child;
}

bool mcd_platform_is_readable(const void *memory)
{
    MEMORY_BASIC_INFORMATION about;
    return VirtualQuery(memory, &about, sizeof about) != 0 && about.State == MEM_COMMIT &&
           !(about.Protect & (PAGE_NOACCESS | PAGE_GUARD | PAGE_EXECUTE));
}

const char *mcd_platform_variable(const char *name)
{
    return getenv(name);
}

/* ---- modules ---- */

static HMODULE open_module(const char *name, const char *override)
{
    char path[PATH_BYTES];
    HMODULE here;
    const char *const given = mcd_platform_variable(override);
    const DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (given && *given) return LoadLibraryA(given);
    if (GetModuleHandleExA(how, (const char *)(uintptr_t)&mcd_platform_module_symbol, &here)) {
        const DWORD length = GetModuleFileNameA(here, path, sizeof path);
        const int folder = length < sizeof path ? (int)(name_in(path) - path) : 0;
        const int end = snprintf(path + folder, sizeof path - (size_t)folder, "lib%s.dll", name);
        if (folder > 0 && folder + end < (int)sizeof path &&
            GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES)
            return LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    }
    snprintf(path, sizeof path, "lib%s.dll", name);
    return LoadLibraryExA(path, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS); /* not the current folder */
}

void *mcd_platform_module_symbol(const char *name, const char *override, const char *symbol,
                                 macadam_error *error)
{
    const HMODULE module = open_module(name, override);
    void *const address = module ? (void *)(uintptr_t)GetProcAddress(module, symbol) : NULL;
    if (!address)
        mcd_fail(error, MACADAM_E_DEVICE, "the module %s cannot be loaded: the system's error %lu", name,
                 GetLastError());
    return address;
}
