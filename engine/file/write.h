/* write.h - writing an edge file section by section, aside, until it is complete. */
#ifndef MCD_ENGINE_FILE_WRITE_H
#define MCD_ENGINE_FILE_WRITE_H

#include "engine/file/read.h"
#include "engine/base/parallel.h"

typedef struct mcd_edge_writer mcd_edge_writer;

/* Begins a file that mcd_edge_writer_finish will put at `path`. With threads of one's own, sections are
 * written by one more thread: a call may tell of a failure to write an earlier one. A writer whose call
 * failed can only be freed. Returns MACADAM_OK, E_IO or E_MEMORY, as all of the following do, or E_INVALID
 * as they say. Threads: one per writer. */
macadam_status mcd_edge_writer_new(mcd_edge_writer **out, const char *path, const mcd_parallel *parallel,
                                   macadam_error *error);

/* A writer that writes nothing: it compares each section with that of `file`, which stays open, and says in
 * E_FILE where the first difference is. For it mcd_edge_writer_finish has nothing to do. */
macadam_status mcd_edge_writer_new_comparison(mcd_edge_writer **out, mcd_edge_file *file,
                                              const mcd_parallel *parallel, macadam_error *error);

/* Writes the section `name`: `count` elements of `element_size` (1, 4 or 8) bytes, which stay as they are
 * until mcd_edge_writer_wait, _finish or _free returns. E_INVALID: a name that is empty, too long or
 * taken, or too many sections. */
macadam_status mcd_edge_writer_section(mcd_edge_writer *writer, const char *name, size_t element_size,
                                       const void *data, size_t count, macadam_error *error);
/* The same of an array that becomes the writer's, whatever is returned: it is freed with mcd_free. */
macadam_status mcd_edge_writer_give(mcd_edge_writer *writer, const char *name, size_t element_size,
                                    void *data, size_t count, macadam_error *error);

/* An array that becomes a section. */
typedef struct mcd_section_array {
    char name[MCD_SECTION_NAME_BYTES];
    size_t element_size;
    const void *data; /* NULL: there is no such section */
    size_t count;
} mcd_section_array;
/* Gives them all, in their order, whatever becomes of the first ones. */
macadam_status mcd_edge_writer_give_all(mcd_edge_writer *writer, const mcd_section_array *array,
                                        size_t array_count, macadam_error *error);

/* Returns when all sections so far are written. */
macadam_status mcd_edge_writer_wait(mcd_edge_writer *writer, macadam_error *error);

/* Copies the section `name` of an open file. Returns E_FILE too: the section is missing or damaged. */
macadam_status mcd_edge_writer_copy(mcd_edge_writer *writer, mcd_edge_file *file, const char *name,
                                    macadam_error *error);

/* Writes directory and header, syncs the file and renames it to its path. */
macadam_status mcd_edge_writer_finish(mcd_edge_writer *writer, macadam_error *error);

/* A writer that is not finished leaves no file. NULL is fine. */
void mcd_edge_writer_free(mcd_edge_writer *writer);

#endif
