/* unpack.h - the bytes of a compressed file, a piece at a time. */
#ifndef MCD_IMPORTERS_OSM_READ_UNPACK_H
#define MCD_IMPORTERS_OSM_READ_UNPACK_H

#include "engine/base/status.h"

#include <bzlib.h>
#include <zlib.h>

typedef enum mcd_packing { MCD_PACKING_NONE, MCD_PACKING_GZIP, MCD_PACKING_BZIP2 } mcd_packing;

/* For z_stream, with mcd_library_free. */
void *mcd_zlib_allocate(void *unused, unsigned count, unsigned size);

/* Begins zeroed. */
typedef struct mcd_unpacker {
    mcd_packing packing;
    const char *path;                      /* for messages */
    const unsigned char *begin, *at, *end; /* of the packed file; what lies before `at` is done */
    unsigned char *room;
    bool open, ended; /* a packed stream is open; the last one that was begun has ended */
    z_stream gzip;
    bz_stream bzip2;
} mcd_unpacker;

/* `data` must outlive the unpacker. Returns E_MEMORY; free it in any case. */
macadam_status mcd_unpacker_open(mcd_unpacker *unpacker, mcd_packing packing, const char *path,
                                 const void *data, size_t bytes, macadam_error *error);

/* Sets *piece and *bytes, which is 0 at the end. A piece is valid until the next call. Packed streams may
 * follow one another. Returns E_FILE (cut off, or no packed stream), E_MEMORY. */
macadam_status mcd_unpacker_next(mcd_unpacker *unpacker, const unsigned char **piece, size_t *bytes,
                                 macadam_error *error);

void mcd_unpacker_free(mcd_unpacker *unpacker);

#endif
