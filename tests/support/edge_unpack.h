/* edge_unpack.h - edge files whose sections lie as they are, for tests that change single elements: readers
 * take coded and other sections alike. */
#ifndef MCD_TESTS_SUPPORT_EDGE_UNPACK_H
#define MCD_TESTS_SUPPORT_EDGE_UNPACK_H

#include "tests/support/checked.h"
#include "tests/support/edge_seal.h"

#include "engine/file/read.h"

#include <stdlib.h>
#include <string.h>

/* Puts the checksum of the bytes that section `index` of an image stores now, coded or not. */
static inline void edge_seal_section(void *image, size_t index)
{
    mcd_file_section *const section = &edge_directory(image)[index];
    section->crc32 = (uint32_t)crc32_z(0, (unsigned char *)image + section->offset, section->stored_bytes);
    edge_seal_pages(image, edge_directory(image));
    edge_seal_directory(image);
}

/* Returns the good file `image` with all sections decoded, without checksums of pages, at an address aligned to 64 bytes, freed with
 * free(); NULL if it is not good. */
static inline unsigned char *edge_unpack(const void *image, size_t image_bytes, size_t *bytes)
{
    static const mcd_parallel one_thread = {1, NULL};
    mcd_edge_file *file;
    if (mcd_edge_file_open(&file, &(mcd_file_source){.memory = image, .bytes = image_bytes}, false,
                           &one_thread, NULL))
        return NULL;
    const size_t page = MCD_FILE_ALIGNMENT, count = file->section_count - (file->page_count > 0);
    const mcd_file_section *const from = file->section;
    size_t end = page;
    for (size_t i = 0; i < count; ++i) end += (from[i].bytes + page - 1) / page * page;
    *bytes = end + count * sizeof *from;
    unsigned char *const out = aligned_alloc(64, (*bytes + 63) / 64 * 64);
    if (out) memset(out, 0, *bytes);
    if (out) memcpy(out, image, MCD_FILE_HEADER_BYTES);
    bool good = out;
    if (good) edge_header(out)->directory_offset = end, edge_header(out)->file_bytes = *bytes;
    if (good) edge_header(out)->section_count = (uint32_t)count;
    end = page;
    for (size_t i = 0; good && i < count; ++i) {
        const void *data;
        mcd_file_section *const to = &edge_directory(out)[i];
        good = !mcd_edge_file_section(file, from[i].name, from[i].element_size, MCD_COUNT_ANY, &data, NULL,
                                      NULL);
        if (!good) break;
        *to = from[i];
        to->offset = end, to->stored_bytes = to->bytes, to->coding = MCD_CODING_NONE;
        memcpy(out + end, data, to->bytes);
        edge_seal_section(out, i);
        end += (to->bytes + page - 1) / page * page;
    }
    mcd_edge_file_close(file);
    if (good) return out;
    free(out);
    return NULL;
}

#endif
