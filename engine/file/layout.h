/* layout.h - the bytes of an edge file (.mcd).
 *
 *   header                  MCD_FILE_HEADER_BYTES at offset 0
 *   section, section, ...   each at the next multiple of MCD_FILE_ALIGNMENT, so that it can be copied to a
 *                           device as it lies; what lies between sections means nothing
 *   directory               one entry a section, in the order of their offsets; the file's end
 *
 * Everything is little-endian. Sections, with n nodes, m input arcs, a quantity q, a metric M (named for its
 * objective) and a direction D ("forward" or "backward"); engine/map/map.h and kernels/views.h tell the rest:
 *
 *   meta bytes              macadam.v1.Metadata, serialized; most counts below are in it
 *   node_id i64[n]          id i64[ids], depart u32[ids], arrive u32[ids]
 *   lon_e7 i32[n]           lat_e7 i32[n]                                              both or neither
 *   snap_arc u32[s]         snap_piece u32[s], snap_line i32[4s], snap_box i32[]: engine/map/snap.h
 *                                                    with coordinates, but for files of earlier versions
 *   first_out u64[n+1]      head u32[m]
 *   first_in u64[n+1]       tail u32[m], in_arc u32[m]
 *   weight.q u32[m]         arc_number u64[m]
 *   arc_way i64[m]                                                                     optional
 *   arc_name u32[m]         names bytes                                                both or neither
 *   first_shape u64[m+1]    shape_lon_e7 i32[], shape_lat_e7 i32[]                     all three or none
 *   pair_high u32[p]        pair_low u32[p], pair_up.q u32[p] (high -> low), pair_down.q u32[p] (low -> high)
 *   component u32[n]        component_size u32[c]
 *   the hierarchy:                                                                     all or none
 *     parent u32[n]           depth u32[n], level u32[n], subtree_end u32[n]
 *     first_up u64[n+1]       up_head u32[ups]
 *     supernode_first u32[]   one more than supernodes
 *     bottom_root u32[]
 *   per metric and direction, with the hierarchy; .companion if the metric has one:
 *     basic.M.D.objective     .companion: u32[ups] each
 *     kept.M.D.first u64[n+1] .head, .depth, .objective, .companion: u32[k] each; .halves u64[k]
 *
 * A format may add sections without a new number; whatever changes the meaning of one gets a new number. */
#ifndef MCD_ENGINE_FILE_LAYOUT_H
#define MCD_ENGINE_FILE_LAYOUT_H

#include "engine/include/macadam.h"

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
    MCD_SECTION_NAME_BYTES = 64, /* with its NUL */
    MCD_SECTIONS_MAX = 512,      /* the most that this version writes: 200 */
    MCD_FILE_BYTE_ORDER = 0x01020304,
};

/* `magic`, `format` and `byte_order` stay where they are, so that any version can name another's format. */
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
    uint64_t offset;                   /* a multiple of MCD_FILE_ALIGNMENT */
    uint64_t bytes;                    /* a multiple of element_size; may be 0 */
    uint32_t element_size;             /* 1, 4 or 8 */
    uint32_t crc32;                    /* zlib's, of the section's bytes */
} mcd_file_section;
static_assert(sizeof(mcd_file_section) == 88, "no padding: the struct is written as it lies");

#endif
