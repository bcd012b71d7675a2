/* metadata.h - the section "meta" of an edge file, a protobuf message. */
#ifndef MCD_ENGINE_FILE_METADATA_H
#define MCD_ENGINE_FILE_METADATA_H

#include "engine/file/write.h"

#include "macadam/v1/metadata.pb-c.h"

typedef Macadam__V1__Metadata mcd_metadata;

/* Reads and checks the metadata, even of a trusted file: counts fit node and arc ids, names are distinct and
 * shorter than MCD_NAME_BYTES, metrics refer to existing quantities, the bounding box is possible. The caller
 * frees *out. Returns MACADAM_OK, E_FILE or E_MEMORY. */
macadam_status mcd_metadata_read(mcd_metadata **out, mcd_edge_file *file, macadam_error *error);
void mcd_metadata_free(mcd_metadata *metadata);

/* Writes the section. Begin with MACADAM__V1__METADATA__INIT. */
macadam_status mcd_metadata_write(mcd_edge_writer *writer, const mcd_metadata *metadata,
                                  macadam_error *error);

#endif
