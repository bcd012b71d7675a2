/* coding.h - how the bytes of a section are stored: as they are, or in blocks that zstd compressed.
 *
 *   block, block, ...   MCD_BLOCK_BYTES of the section each, the last one what is left: one zstd frame a block
 *   zeros               as many as MCD_EXPANSION_MAX demands
 *   table               the stored bytes of each block, u32
 *
 * Before compression a block's elements may be replaced by the differences of neighbours, and bytes of equal
 * weight are put together: neighbours in a map have much in common in their high bytes. Blocks do not depend
 * on each other, so they are decoded in parallel. */
#ifndef MCD_ENGINE_FILE_CODING_H
#define MCD_ENGINE_FILE_CODING_H

#include "engine/base/parallel.h"

typedef enum mcd_coding {
    MCD_CODING_NONE,   /* the bytes as they are, for mapping */
    MCD_CODING_BYTES,  /* zstd only */
    MCD_CODING_PLANES, /* all lowest bytes of a block, then all second bytes, ... */
    MCD_CODING_DIFFERENCES, /* planes of the differences between neighbours: 0, 1, 2, ... stand for 0, -1, 1, ... */
    MCD_CODING_TRIPLES, /* the same; of elements of 4 bytes, those of a block at 0, 3, 6, ... come first, then 1, 4, 7, ... */
    MCD_CODING_COUNT,
} mcd_coding;

enum {
    MCD_BLOCK_BYTES = 1 << 19,
    MCD_EXPANSION_MAX = 256, /* the largest ratio of a section's size to its stored size */
};

/* A coded section in a file. */
typedef struct mcd_coded {
    const char *file, *name; /* for messages */
    const unsigned char *data;
    size_t stored_bytes, bytes, element_size; /* bytes: when decoded, a multiple of element_size */
    mcd_coding coding;
} mcd_coded;

/* Decodes all of a section into out[bytes]. Whatever the section holds, nothing outside of both is touched.
 * Returns MACADAM_OK, E_FILE (the blocks do not decode to these bytes) or E_MEMORY. Time: about 1 ms a
 * megabyte and thread. */
macadam_status mcd_coded_decode(const mcd_coded *coded, void *out, const mcd_parallel *parallel,
                                macadam_error *error);

/* ---- writing ---- */

typedef struct mcd_encoder mcd_encoder;

/* Returns NULL without memory, of which it takes about MCD_ENCODER_BYTES. */
mcd_encoder *mcd_encoder_new(void);
void mcd_encoder_free(mcd_encoder *encoder);
enum { MCD_ENCODER_BYTES = 2000000 };

/* Compressed bytes, the encoder's until its next use; 0 bytes: there is no memory. */
typedef struct mcd_encoded {
    const void *data;
    size_t bytes;
} mcd_encoded;

/* Encodes a block, at most MCD_BLOCK_BYTES. */
mcd_encoded mcd_encoder_block(mcd_encoder *encoder, mcd_coding coding, size_t element_size, const void *data,
                              size_t bytes);

#endif
