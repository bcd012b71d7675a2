/* layout.h - the bytes of an edge file (.mcd).
 *
 *   header                  MCD_FILE_HEADER_BYTES at offset 0
 *   section, section, ...   those stored as they are: each at the next multiple of MCD_FILE_ALIGNMENT, so that
 *                           it can be copied to a device as it lies; coded ones (coding.h): of
 *                           MCD_CODED_ALIGNMENT; what lies between sections means nothing
 *   directory               one entry a section, in the order of their offsets; the file's end
 *
 * A file holds one map, or one for each of several profiles: the sections of the first have their plain names, those
 * of the next "1/" before them, then "2/", ... Each profile has all its sections.
 *
 * Everything is little-endian. engine/file/catalogue.c lists the sections, docs/edge-file.md describes them.
 *
 * A format may add sections without a new number; whatever changes the meaning of one gets a new number. */
#ifndef MCD_ENGINE_FILE_LAYOUT_H
#define MCD_ENGINE_FILE_LAYOUT_H

#include "engine/file/coding.h"

#include <assert.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "edge files are mapped as they lie: a big-endian host cannot read them"
#endif
static_assert(sizeof(size_t) == 8, "sections are mapped whole and may be longer than 4 GB");

/* After PNG's: a transfer that strips the eighth bit or rewrites line ends breaks it. */
#define MCD_FILE_MAGIC "\x89MCD\r\n\x1a\n"

enum {
    MCD_FILE_HEADER_BYTES = 64,
    MCD_FILE_ALIGNMENT = 4096,
    MCD_CODED_ALIGNMENT = 64,
    MCD_PAGE_BYTES =
        MCD_FILE_ALIGNMENT,      /* of a checksum in MCD_PAGES_NAME; pages follow the first alignment */
    MCD_SECTION_NAME_BYTES = 64, /* with its NUL */
    MCD_PROFILES_MAX = 8,        /* in one file */
    MCD_SECTIONS_MAX = 2048,     /* the most that this version writes: 200 for each profile */
    MCD_FILE_BYTE_ORDER = 0x01020304,
};

/* The section of a ready file with the CRC-32 of each page: from MCD_FILE_ALIGNMENT to this section, which comes last. */
#define MCD_PAGES_NAME "page_crc32"

/* `magic`, `format` and `byte_order` never move, so that any version can name another version's format. */
typedef struct mcd_file_header {
    unsigned char magic[8];
    uint32_t format;     /* MACADAM_FILE_FORMAT */
    uint32_t byte_order; /* MCD_FILE_BYTE_ORDER */
    uint64_t file_bytes;
    uint64_t directory_offset; /* a multiple of MCD_FILE_ALIGNMENT; the directory ends the file */
    uint32_t section_count;
    uint32_t directory_crc32;
    unsigned char zero[20];
    uint32_t header_crc32; /* of all bytes before it */
} mcd_file_header;
static_assert(sizeof(mcd_file_header) == MCD_FILE_HEADER_BYTES,
              "no padding: the struct is written as it lies");

typedef struct mcd_file_section {
    char name[MCD_SECTION_NAME_BYTES]; /* not empty, padded with NUL */
    uint64_t offset;                   /* a multiple of MCD_FILE_ALIGNMENT or MCD_CODED_ALIGNMENT */
    uint64_t bytes;                    /* when decoded: a multiple of element_size; may be 0 */
    uint64_t stored_bytes;             /* in the file: as many, or at least a MCD_EXPANSION_MAXth */
    uint32_t element_size;             /* 1, 2, 4 or 8 */
    uint32_t coding;                   /* mcd_coding */
    uint32_t crc32;                    /* zlib's, of the stored bytes */
    uint32_t zero;
} mcd_file_section;
static_assert(sizeof(mcd_file_section) == 104, "no padding: the struct is written as it lies");

/* Writes the name that a profile's section has in the directory. Returns false if it is too long. */
bool mcd_section_name(char out[MCD_SECTION_NAME_BYTES], size_t profile, const char *name);

#endif
