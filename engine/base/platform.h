/* platform.h - all that differs between operating systems: files mapped and written aside, memory. POSIX. */
#ifndef MCD_ENGINE_BASE_PLATFORM_H
#define MCD_ENGINE_BASE_PLATFORM_H

#include "engine/base/status.h"

/* A whole file, mapped read-only. */
typedef struct mcd_mapping {
    const void *data; /* aligned to a page; NULL if the file is empty */
    size_t bytes;
} mcd_mapping;

/* Maps the regular file at `path`. The file must not shrink while it is mapped: to touch a page that is gone
 * ends the process. Replacing it by a rename is safe. Returns MACADAM_OK or E_IO. */
macadam_status mcd_platform_map(mcd_mapping *out, const char *path, macadam_error *error);
/* The same, but the file's bytes are copied: what becomes of the file later does not matter. Returns E_MEMORY
 * too. */
macadam_status mcd_platform_read(mcd_mapping *out, const char *path, macadam_error *error);
/* A zeroed mapping is fine. */
void mcd_platform_unmap(mcd_mapping *mapping);

/* A file on its way to `path`: without a name, where the file system can, so that nothing of it is left if its
 * writer is killed. Else it has the name `temporary`, and the next writer of the same path removes it. */
typedef struct mcd_output {
    int file;
    bool is_unnamed;
    bool is_direct, is_cached; /* what is written goes past the page cache; cannot */
    char *path, *temporary;    /* NULL: nothing is open */
} mcd_output;

/* Creates an empty file in the folder of `path`, and removes what killed writers of `path` left there. Refuses a `path` that is there and is no regular file; one that is a
 * symbolic link will be replaced itself. Returns MACADAM_OK, E_IO or E_MEMORY. */
macadam_status mcd_platform_create(mcd_output *out, const char *path, macadam_error *error);
enum { MCD_DIRECT_BYTES = 4096 };
/* Writes all `bytes` at `offset`. Where memory, bytes and offset are multiples of MCD_DIRECT_BYTES they go
 * past the page cache, if the file system can: a large file costs neither others what they have there nor the
 * writer its pages, which are slow at first use on virtual machines. Who reads it next reads the disk. One
 * thread at a time. */
macadam_status mcd_platform_write(mcd_output *output, const void *data, size_t bytes, uint64_t offset,
                                  macadam_error *error);
/* Gives the empty file so many bytes, all zero and sure to fit its disk, and maps them to be written. Not
 * with mcd_platform_write. Unmapped before the output ends. Returns MACADAM_OK or E_IO. */
macadam_status mcd_platform_map_output(void **out, mcd_output *output, size_t bytes, macadam_error *error);
void mcd_platform_unmap_output(void *data, size_t bytes);
/* Syncs the file, gives it its path in one step, and syncs the folder. Ends the output; on failure nothing is left
 * behind, unless only the folder could not be synced. */
macadam_status mcd_platform_commit(mcd_output *output, macadam_error *error);
/* Removes the file and ends the output. Does nothing if it is ended or zeroed. */
void mcd_platform_discard(mcd_output *output);

/* The address of `symbol` in the module lib`name`.so: the file that the environment variable `override`
 * names, else beside the library that this code is in, else where the system looks. NULL: there is none. The
 * module stays loaded. */
void *mcd_platform_module_symbol(const char *name, const char *override, const char *symbol);

/* Whether this processor may read `memory`: the system is asked, so that a false address does no harm. False
 * as well if the system has no answer. */
bool mcd_platform_is_readable(const void *memory);

/* Bytes of memory that this process may use: the machine's, or its container's limit. 0 = unknown. */
uint64_t mcd_platform_memory_bytes(void);

#endif
