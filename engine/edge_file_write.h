/* edge_file_write.h - writing an edge file section by section, aside, until it is complete. */
#ifndef MCD_EDGE_FILE_WRITE_H
#define MCD_EDGE_FILE_WRITE_H

#include "engine/edge_file.h"

typedef struct mcd_edge_writer mcd_edge_writer;

/* Begins a file that mcd_edge_writer_finish will put at `path`. A writer whose call failed can only be freed.
 * Returns MACADAM_OK, E_IO or E_MEMORY, as all of the following do, or E_INVALID as they say.
 * Threads: one per writer. */
macadam_status mcd_edge_writer_new(mcd_edge_writer **out, const char *path, macadam_error *error);

/* Writes the section `name`: `count` elements of `element_size` (1, 4 or 8) bytes. E_INVALID: a name that is
 * empty, too long or taken, too many sections, or a section that is begun and not ended. */
macadam_status mcd_edge_writer_section(mcd_edge_writer *writer, const char *name, size_t element_size,
                                       const void *data, size_t count, macadam_error *error);

/* The same in pieces, for sections that are not in memory at once. */
macadam_status mcd_edge_writer_begin(mcd_edge_writer *writer, const char *name, size_t element_size,
                                     macadam_error *error);
macadam_status mcd_edge_writer_append(mcd_edge_writer *writer, const void *data, size_t count,
                                      macadam_error *error);
macadam_status mcd_edge_writer_end(mcd_edge_writer *writer, macadam_error *error);

/* Copies the section `name` of an open file. Returns E_FILE too: the section is missing or damaged. */
macadam_status mcd_edge_writer_copy(mcd_edge_writer *writer, mcd_edge_file *file, const char *name,
                                    macadam_error *error);

/* Writes directory and header, syncs the file and renames it to its path. */
macadam_status mcd_edge_writer_finish(mcd_edge_writer *writer, macadam_error *error);

/* A writer that is not finished leaves nothing behind. NULL is fine. */
void mcd_edge_writer_free(mcd_edge_writer *writer);

#endif
