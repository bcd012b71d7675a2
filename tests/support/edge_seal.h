/* edge_seal.h - puts right checksums over an edge file that a test has tampered with. */
#ifndef MCD_TESTS_SUPPORT_EDGE_SEAL_H
#define MCD_TESTS_SUPPORT_EDGE_SEAL_H

#include "engine/file/layout.h"

#include <string.h>
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

/* Puts right the checksums of pages that a ready file has. `good`: the directory of a good file of the same sections. */
static inline void edge_seal_pages(void *image, const mcd_file_section *good)
{
    const size_t count = edge_header(image)->section_count;
    if (count == 0 || strcmp(good[count - 1].name, MCD_PAGES_NAME) != 0) return;
    const mcd_file_section *const last = &good[count - 1];
    unsigned char *const page = image, *const sum = page + last->offset;
    for (size_t at = MCD_FILE_ALIGNMENT; at < last->offset; at += MCD_PAGE_BYTES) {
        const uint32_t crc = (uint32_t)crc32(0, page + at, MCD_PAGE_BYTES);
        memcpy(sum + (at / MCD_PAGE_BYTES - 1) * sizeof crc, &crc, sizeof crc);
    }
    edge_directory(image)[count - 1].crc32 = (uint32_t)crc32_z(0, sum, last->stored_bytes);
}

#endif
