/* write.h - writes an edge file section by section, under another name until it is complete. */
#ifndef MCD_ENGINE_FILE_WRITE_H
#define MCD_ENGINE_FILE_WRITE_H

#include "engine/file/read.h"
#include "engine/base/watch.h"

typedef struct mcd_edge_writer mcd_edge_writer;

/* Begins a file that mcd_edge_writer_finish will put at `path`. If the library has its own threads, one more
 * thread writes the sections; a call may then report the failure to write an earlier one. After a failed call
 * the writer can only be freed. Returns MACADAM_OK, E_IO, E_FULL or E_MEMORY, like all of the following functions, or
 * E_INVALID where they say so. Threads: one per writer. */
macadam_status mcd_edge_writer_new(mcd_edge_writer **out, const char *path, const mcd_parallel *parallel,
                                   macadam_error *error);

/* Lets all calls ask `watch` while they write, or wait for the writer's own thread. They can then also return
 * E_CANCELLED. `watch` must outlive the writer, or its next watch (NULL: none). */
void mcd_edge_writer_watch(mcd_edge_writer *writer, mcd_watch *watch);

/* Says whether sections from now on are those of a ready file, which are not encoded. At first, they are not. */
void mcd_edge_writer_make_ready(mcd_edge_writer *writer, bool ready);

/* Makes a writer that writes nothing: it compares each section with that of `file`, which must stay open, and
 * E_FILE says where the first difference is. For it, mcd_edge_writer_finish does nothing. */
macadam_status mcd_edge_writer_new_comparison(mcd_edge_writer **out, mcd_edge_file *file,
                                              const mcd_parallel *parallel, macadam_error *error);

/* Makes a writer that keeps its sections, as they would be stored, in memory until mcd_edge_writer_append. It has no
 * mcd_edge_writer_finish. `parallel` must outlive it. */
macadam_status mcd_edge_writer_new_part(mcd_edge_writer **out, const mcd_parallel *parallel,
                                        macadam_error *error);

/* Writes the sections of a part, and returns when they are written. */
macadam_status mcd_edge_writer_append(mcd_edge_writer *writer, mcd_edge_writer *part, macadam_error *error);

/* Sections from now on are those of this profile; at first, of the first. A comparison has the profile that is chosen in
 * its file. */
void mcd_edge_writer_choose_profile(mcd_edge_writer *writer, size_t profile);

/* Writes the section `name`: `count` elements of `element_size` (1, 2, 4 or 8) bytes. If `gives`, the writer takes them over,
 * whatever it returns, and frees them with mcd_free. Otherwise they must not change until mcd_edge_writer_wait, _finish or
 * _free returns. E_INVALID: the name is empty, too long or taken, or there are too many sections. */
macadam_status mcd_edge_writer_section(mcd_edge_writer *writer, const char *name, size_t element_size,
                                       const void *data, size_t count, bool gives, macadam_error *error);

/* An array that becomes a section. */
typedef struct mcd_section_array {
    char name[MCD_SECTION_NAME_BYTES];
    size_t element_size;
    const void *data; /* NULL: there is no such section */
    size_t count;
    mcd_coding coding; /* in a compact file; a ready one has all arrays as they are */
} mcd_section_array;
/* Writes sections like mcd_edge_writer_section, in their order. If it fails, it still takes over all that are given. */
macadam_status mcd_edge_writer_arrays(mcd_edge_writer *writer, const mcd_section_array *array,
                                      size_t array_count, bool gives, macadam_error *error);

/* Returns when all sections so far are written. */
macadam_status mcd_edge_writer_wait(mcd_edge_writer *writer, macadam_error *error);

/* Copies the section `name` of an open file, unless it is that of the pages' checksums; both files' directories have it
 * under this name, whatever profile is chosen. Can also return E_FILE: the section is missing or damaged. */
macadam_status mcd_edge_writer_copy(mcd_edge_writer *writer, mcd_edge_file *file, const char *name,
                                    macadam_error *error);

/* Writes the checksums of pages (if a profile is ready), directory and header, syncs the file and renames it to its path. */
macadam_status mcd_edge_writer_finish(mcd_edge_writer *writer, macadam_error *error);

/* Ends a writer that failed: afterwards it reads no array any more, and can only be freed. */
void mcd_edge_writer_stop(mcd_edge_writer *writer);

/* Frees a writer. If it is not finished, no file is left. NULL is fine. */
void mcd_edge_writer_free(mcd_edge_writer *writer);

#endif
