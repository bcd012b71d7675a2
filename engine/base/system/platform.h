/* platform.h - everything that differs between operating systems: mapping and writing files, modules, memory.
 * POSIX. */
#ifndef MCD_ENGINE_BASE_SYSTEM_PLATFORM_H
#define MCD_ENGINE_BASE_SYSTEM_PLATFORM_H

#include "engine/base/status.h"

#include <pthread.h>

/* A whole file, mapped read-only. */
typedef struct mcd_mapping {
    const void *data; /* aligned to a page; NULL if the file is empty */
    size_t bytes;
    int file; /* POSIX: that mcd_platform_map_copy maps, plus 1; 0: none */
} mcd_mapping;

/* Returns MACADAM_OK to go on after `done` of `total` bytes, or how the call that asks is to end. */
typedef macadam_status (*mcd_platform_step)(uint64_t done, uint64_t total, macadam_error *error);
/* Maps the regular file at `path`. The file must not shrink while it is mapped: access to a page that is gone
 * ends the process. Replacing the file by a rename is safe. If `step` is not NULL, copies the file's bytes instead, so later
 * changes to the file do not matter, and calls `step` after each megabyte. Returns MACADAM_OK, E_IO or E_MEMORY. */
macadam_status mcd_platform_map(mcd_mapping *out, const char *path, mcd_platform_step step,
                                macadam_error *error);
/* Gives back the memory of the bytes first .. end of a mapped file. They can still be read, from the file. */
void mcd_platform_forget(const mcd_mapping *mapping, size_t first, size_t end);
/* Maps bytes of a mapped file, data[0 .. bytes), again: *copy is aligned as they are, and may be changed, which changes no other
 * mapping. Memory and time are those of the pages that are used. Returns whether the system can. */
bool mcd_platform_map_copy(mcd_mapping *out, void **copy, const mcd_mapping *of, const void *data,
                           size_t bytes);
/* Unmaps the file. A zeroed mapping is fine. */
void mcd_platform_unmap(mcd_mapping *mapping);

/* Returns whether both paths name the same regular file, through links too. */
bool mcd_platform_is_same(const char *path, const char *other);

/* A file that will appear at `path`. Where the file system can, it has no name until then, so that nothing is
 * left of it if its writer is killed. Otherwise it has the name `temporary`, and the next writer of the same
 * path removes it. */
typedef struct mcd_output {
    int file;
    bool is_unnamed;
    bool is_direct, is_cached; /* is_direct: writes bypass the page cache; is_cached: they cannot */
    char *path, *temporary;    /* NULL: nothing is open */
} mcd_output;

/* Creates an empty file in the folder of `path`, and removes files that killed writers of `path` left there.
 * Refuses a `path` that exists and is not a regular file; a symbolic link at `path` will itself be replaced.
 * Returns MACADAM_OK, E_IO, E_FULL or E_MEMORY. */
macadam_status mcd_platform_create(mcd_output *out, const char *path, macadam_error *error);
enum { MCD_DIRECT_BYTES = 4096 };
/* Writes all `bytes` at `offset`. Where memory, bytes and offset are multiples of MCD_DIRECT_BYTES, the write
 * bypasses the page cache if the file system can: a large file then does not push other files out of the
 * cache, and its writer does not wait for new pages, which are slow on virtual machines. The next reader
 * reads from the disk. One thread at a time. */
macadam_status mcd_platform_write(mcd_output *output, const void *data, size_t bytes, uint64_t offset,
                                  macadam_error *error);
/* Reads `bytes` at `offset` of what was written. Returns MACADAM_OK or E_IO. */
macadam_status mcd_platform_read_output(mcd_output *output, void *data, size_t bytes, uint64_t offset,
                                        macadam_error *error);
/* Sets the size of the empty file to `bytes`, all zero and reserved on the disk, and maps it for writing. Do
 * not combine it with mcd_platform_write. Unmap it before the output ends. Returns MACADAM_OK, E_IO or E_FULL. */
macadam_status mcd_platform_map_output(void **out, mcd_output *output, size_t bytes, macadam_error *error);
void mcd_platform_unmap_output(void *data, size_t bytes);
/* Syncs the file, gives it its path in one step, and syncs the folder. Ends the output. On failure nothing is
 * left on the disk, unless only the sync of the folder failed. */
macadam_status mcd_platform_commit(mcd_output *output, macadam_error *error);
/* Removes the file and ends the output. Does nothing if the output has ended or is zeroed. */
void mcd_platform_discard(mcd_output *output);

/* Returns the address of `symbol` in the module lib`name`.so, or NULL if there is none; the message then says
 * why. Looks for the module at the path that the environment variable `override` holds; if it is not set,
 * beside the library that contains this code, then where the system looks. The module stays loaded. */
void *mcd_platform_module_symbol(const char *name, const char *override, const char *symbol,
                                 macadam_error *error);

/* Returns a variable of the environment. NULL if it is not set, or if the program has more rights than its user. */
const char *mcd_platform_variable(const char *name);

/* Returns whether this process may read `memory`. The system answers, so that an invalid address does no
 * harm. Returns false as well if the system has no answer. */
bool mcd_platform_is_readable(const void *memory);

/* Returns how many processors this process may use: those that the calling thread may run on, or fewer if its
 * control groups allow less. At least 1. */
unsigned mcd_platform_processors(void);

/* Starts a thread that receives no signals: the host's own threads handle them. `out` is for pthread_join;
 * NULL: the thread is not waited for. Returns whether it runs. */
bool mcd_platform_start_thread(pthread_t *out, void *(*run)(void *), void *argument);
/* Calls `before` before each fork() of this process, then `in_parent` and `in_child`, all on the thread that
 * forks. Does nothing if the system has no fork(). */
void mcd_platform_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Returns how many bytes of memory this process may use: the machine's, or its container's limit. 0 =
 * unknown. */
uint64_t mcd_platform_memory_bytes(void);
/* Returns how many bytes of this process's memory are resident; *unfiled of them are in no file (may be NULL). 0 = unknown. */
uint64_t mcd_platform_resident_bytes(uint64_t *unfiled);

#endif
