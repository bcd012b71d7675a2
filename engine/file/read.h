/* read.h - reads an edge file: sections of a mapped file, each checksummed before its first use. */
#ifndef MCD_ENGINE_FILE_READ_H
#define MCD_ENGINE_FILE_READ_H

#include "engine/file/layout.h"
#include "engine/base/system/platform.h"

#include <stdatomic.h>

#define MCD_COUNT_ANY SIZE_MAX

/* An open file. Only `profile` may be changed, while no other thread uses the file. */
typedef struct mcd_edge_file {
    const unsigned char *data;
    size_t bytes;
    mcd_mapping mapping; /* empty if the memory is the caller's */
    bool is_copied;      /* the mapping is a copy of the file */
    char *name; /* the path as given to open ("memory" if there was none), with which messages begin */
    bool trust;
    size_t profile; /* the chosen one, whose sections are meant by their names; at first, the first */
    mcd_parallel parallel;
    size_t section_count;
    mcd_file_section
        *section; /* the directory in the file's order: a copy, so that checked entries stay as they were,
                                * whatever happens to the file */
    atomic_bool *checked;     /* per section: its checksum matched */
    _Atomic(void *) *decoded; /* per section: its bytes, if it is coded and was used; owned */
    /* [page_count] the checksum of each page, which may be damaged like any other section; NULL: none */
    const uint32_t *page_crc32;
    size_t page_count;
    atomic_bool *page_checked; /* [page_count] */
} mcd_edge_file;

/* Where an edge file is: in a file, in memory, or in that of an open one. */
typedef struct mcd_file_source {
    const char *path;   /* of a file, which is mapped; otherwise NULL */
    bool copies;        /* it is read into memory instead: later changes to the file do not matter */
    const void *memory; /* [bytes] aligned to 64 bytes (else E_INVALID); must outlive the edge file */
    size_t bytes;
    const mcd_edge_file *open; /* its bytes, under its name; must outlive the edge file */
} mcd_file_source;

/* Opens an edge file and checks its header and directory: afterwards every section lies within the file, aligned,
 * without overlap, under a unique name. No section is checked yet, and the first profile is chosen. `trust`: sections are
 * returned without a check of their checksums. `parallel` is copied and used for checksums. Returns MACADAM_OK, E_IO (the
 * system refuses), E_FILE (not an edge file, truncated, damaged, or of another format; the message says which and names
 * the command that rebuilds it), E_MEMORY, or, while a file is read, E_CANCELLED, because it asks the thread's own watch. */
macadam_status mcd_edge_file_open(mcd_edge_file **out, const mcd_file_source *source, bool trust,
                                  const mcd_parallel *parallel, macadam_error *error);
void mcd_edge_file_close(mcd_edge_file *file);

/* Returns the section `name`: an array of *count elements of `element_size` bytes, borrowed from the file;
 * never NULL, even if it is empty. A coded section is decoded into memory that the file keeps. Returns
 * MACADAM_OK, E_MEMORY, or E_FILE if there is no such section, if its elements have another size, if there
 * are not `expected` of them (MCD_COUNT_ANY: any number), if its checksum does not match or if it does not
 * decode. `count` may be NULL. Threads: any number. Two threads that first request a section at the
 * same time may both compute the checksum: no thread waits for another, so that a host may call from tasks of
 * the same executor that computes it. Time: the first time, one pass over the section. */
macadam_status mcd_edge_file_section(mcd_edge_file *file, const char *name, size_t element_size,
                                     size_t expected, const void **data, size_t *count, macadam_error *error);
/* Does the same without a check of a raw section's checksum if pages have checksums: mcd_edge_file_touch checks these. */
macadam_status mcd_edge_file_map(mcd_edge_file *file, const char *name, size_t element_size, size_t expected,
                                 const void **data, size_t *count, macadam_error *error);
/* Checks the pages of some bytes of the file, unless they were checked. E_FILE: one is damaged. Any thread, in any task. */
macadam_status mcd_edge_file_touch(mcd_edge_file *file, const void *data, size_t bytes, macadam_error *error);
/* Returns a section's entry and its bytes as they are stored, once their checksum matches. `name` is that of the
 * directory, whatever profile is chosen. E_FILE: there is no such section, or it is damaged. */
macadam_status mcd_edge_file_stored(mcd_edge_file *file, const char *name, const mcd_file_section **out,
                                    const void **data, macadam_error *error);
/* Decodes a coded section into memory of the caller's: mcd_free. E_FILE: there is no such section, or it is damaged. */
macadam_status mcd_edge_file_decode(mcd_edge_file *file, const char *name, void **out, macadam_error *error);
/* Frees the decoded bytes of a section, if there are any; they must no longer be in use. */
void mcd_edge_file_forget(mcd_edge_file *file, const char *name);
bool mcd_edge_file_has(const mcd_edge_file *file, const char *name);
/* Returns a section's entry; NULL: there is none. */
const mcd_file_section *mcd_edge_file_entry(const mcd_edge_file *file, const char *name);

/* ---- profiles ---- */

/* Returns how many profiles the file holds, at least 1. */
size_t mcd_edge_file_profile_count(const mcd_edge_file *file);
/* Returns an entry's name in the chosen profile; NULL: it belongs to another one, or to the file. */
const char *mcd_edge_file_own_name(const mcd_edge_file *file, const mcd_file_section *section);

/* ---- all sections ---- */

/* Computes every section's checksum, even if the file is trusted. */
macadam_status mcd_edge_file_verify(mcd_edge_file *file, macadam_error *error);

#endif
