/* edge_seal.h - puts right checksums over an edge file that a test has tampered with. */
#ifndef MCD_TESTS_SUPPORT_EDGE_SEAL_H
#define MCD_TESTS_SUPPORT_EDGE_SEAL_H

#include "engine/file/layout.h"

#include <zlib.h>

static inline mcd_file_header *edge_header(void *image)
{
    return image;
}

static inline mcd_file_section *edge_directory(void *image)
{
    return (mcd_file_section *)((unsigned char *)image + edge_header(image)->directory_offset);
}

static inline void edge_seal_header(void *image)
{
    edge_header(image)->header_crc32 = (uint32_t)crc32(0, image, offsetof(mcd_file_header, header_crc32));
}

/* The directory must lie within the image. */
static inline void edge_seal_directory(void *image)
{
    mcd_file_header *header = edge_header(image);
    header->directory_crc32 = (uint32_t)crc32(0, (const Bytef *)edge_directory(image),
                                              (uInt)(header->section_count * sizeof(mcd_file_section)));
    edge_seal_header(image);
}

#endif
